// Command tagscan finds the machine-readable signals that coding agents leave
// in what they write: tags, status blocks and artifact tags. It reads transcript
// bytes and streams the signals out as NDJSON, one event a line.
//
// This file is the command line, the streams and the exit status.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"tagscan/emit"
	"tagscan/emit/exit"
	"tagscan/emit/jq"
	"tagscan/emit/route"
	"tagscan/emit/scan"
	"tagscan/emit/schema"
	"tagscan/emit/skill"
	"tagscan/emit/state"
	"tagscan/emit/term"
	"tagscan/emit/usage"
	"tagscan/emit/validate"
	"tagscan/normalize"
	"tagscan/normalize/taglist"
	"tagscan/parse"
)

func main() {
	if jq.WorkerMain() {
		return
	}
	collectEarly()
	a := &app{stdin: os.Stdin, stdout: os.Stdout, out: scan.Guard(os.Stdout), stderr: console{os.Stderr}, getenv: os.Getenv}
	os.Exit(a.run(os.Args[1:]))
}

// collectEarly has garbage collected early from the first collection on: what is
// alive is little, whatever the input, and so is to be what is resident. Most
// inputs do not make as much garbage as makes a first one worth its time and
// memory.
func collectEarly() {
	runtime.AddCleanup(new(*byte), func(struct{}) {
		if os.Getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(40 << 20)
		}
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(35)
		}
	}, struct{}{})
}

// A console is standard error. In a CI job a runner reads it, and takes
// "##[add-mask]" anywhere in a line for a command; messages hold names, values
// and excerpts that are not ours.
type console struct{ io.Writer }

func (c console) Write(p []byte) (int, error) {
	if _, err := c.Writer.Write(bytes.ReplaceAll(p, []byte("##["), []byte("## ["))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// An app is one run of the program on its streams.
type app struct {
	stdin, stdout *os.File
	out           io.Writer // stdout, never cut within a line by a signal
	stderr        io.Writer
	getenv        func(string) string
}

// cli are the flags of every command.
type cli struct {
	Help    helpFlag    `short:"h" help:"Print this help."`
	Version versionFlag `help:"Print the version and the commit."`
}

// A command is a verb of the program.
type command struct {
	name, help string
	examples   string
	grammar    func() any
}

// commands are the verbs; the first is the default.
var commands = []command{
	{"scan", "Find tags and status blocks in transcripts (the default).",
		`tagscan -q 'select(.kind == "pr").value' session.jsonl`,
		func() any { return new(scanCmd) }},
	{"validate", "Check artifact tags against ADR-0018.",
		"tagscan validate --convention handoff handoff lane:m repo:acme/core",
		func() any { return new(validateCmd) }},
	{"route", "Send the events on standard input where jq rules say.",
		"gh run view --log 123 | tagscan | tagscan route --pack handoff\n" +
			`tagscan route --scan 'select(.kind == "pr").value' < session.jsonl`,
		func() any { return new(routeCmd) }},
	{"snapshot", "Print the state that the events on standard input add up to.",
		"tagscan snapshot --scan --format md < session.jsonl >> $GITHUB_STEP_SUMMARY",
		func() any { return new(snapshotCmd) }},
	{"gate", "Pass standard input's events on; fail unless the agent is done.",
		"tagscan gate --scan --exit-ready < session.jsonl > events.ndjson\n" +
			"until agent | tagscan gate --scan --tag promise=COMPLETE; do :; done",
		func() any { return new(gateCmd) }},
	{"repair", "Make an event that corrects the state by hand.",
		"(cat events.ndjson; tagscan repair unset link) | tagscan snapshot",
		func() any { return new(repairCmd) }},
	{"skill", "Teach an agent to emit the signals.",
		"tagscan skill install .claude/skills",
		func() any { return new(skillCmd) }},
	{"schema", "Print the JSON Schema of the events.", "", func() any { return new(schemaCmd) }},
	{"completion", "Print the completion of a shell.",
		"source <(tagscan completion bash)",
		func() any { return new(completionCmd) }},
	{"man", "Print the manual page.", "tagscan man | man -l -", func() any { return new(manCmd) }},
}

const (
	summary  = "Find the signals that coding agents leave in what they write."
	examples = `claude -p "fix #12" | tagscan
tagscan -q 'select(.kind == "pr").value' session.jsonl
gh run view --log 123 | tagscan | tagscan route --pack handoff`
)

func commandNames() (names []string) {
	for _, c := range commands {
		names = append(names, c.name)
	}
	return names
}

// parser makes kong's parser of one command, or of all when name is "". Kong
// takes as long for all of them as the rest of a short run.
func (a *app) parser(name string) *kong.Kong {
	options := []kong.Option{
		kong.Name("tagscan"), kong.Description(summary), kong.NoDefaultHelp(), kong.Bind(a),
	}
	var built []command
	for i, c := range commands {
		if name != "" && c.name != name {
			continue
		}
		tag := ""
		if i == 0 {
			tag = `default:"withargs"`
		}
		options = append(options, kong.DynamicCommand(c.name, c.help, "", c.grammar(), tag))
		built = append(built, c)
	}
	p, err := kong.New(new(cli), options...)
	if err != nil {
		panic(err) // the grammar is at fault
	}
	p.Model.Detail = examples
	for i, n := range p.Model.Children {
		n.Detail = built[i].examples
	}
	return p
}

// run runs a command line and returns the exit status.
func (a *app) run(args []string) int {
	err := a.execute(args)
	if errors.Is(err, errDone) {
		return exit.OK
	}
	a.complain(err)
	return exit.Status(err)
}

// execute parses a command line with the grammar of the command that its first
// argument names, else of the default, and runs it.
func (a *app) execute(args []string) error {
	name, explicit := commands[0].name, false
	if len(args) > 0 {
		if explicit = slices.Contains(commandNames(), args[0]); explicit {
			name = args[0]
		} else if err := misspelled(args[0]); err != nil {
			return err
		} else if i := slices.IndexFunc(args, func(arg string) bool { return slices.Contains([]string{"-h", "--help", "--"}, arg) }); i >= 0 && args[i] != "--" {
			name = ""
		}
	}
	p := a.parser(name)
	if node := p.Model.Children[0]; name != "" && node.Leaf() {
		if explicit {
			args = append(args[:1:1], usage.Permute(node, args[1:])...)
		} else {
			args = usage.Permute(node, args)
		}
	}
	ctx, err := p.Parse(args)
	var failed *scan.WriteError
	switch {
	case errors.Is(err, errDone), errors.As(err, &failed): // of --help and --version
		return err
	case err != nil:
		err = usage.Explain(err, a.parser("").Model.Node)
		i := slices.IndexFunc(args, func(arg string) bool { return slices.Contains(commandNames(), arg) })
		if !explicit && i >= 0 {
			return usage.Errorf("%w; the flags of %s follow it: tagscan %[2]s …", err, args[i])
		}
		return err
	}
	if err := once(ctx); err != nil {
		return err
	}
	return ctx.Run()
}

// once refuses a flag that is there twice of which only the last would count, where
// that would go unseen: a condition that is not asked for, or events that go
// elsewhere. Such a flag has the tag once. No flag may be empty, as where a variable
// was not set, nor an argument that need not be there: it would be as if it were not.
func once(ctx *kong.Context) error {
	seen := make(map[*kong.Flag]bool)
	for _, p := range ctx.Path {
		if a := p.Positional; a != nil && !a.Required && a.Target.Kind() == reflect.String && a.Target.String() == "" {
			command := strings.TrimPrefix(ctx.Selected().FullPath(), ctx.Model.Name+" ")
			return usage.Errorf("%s: %s is empty: give one, or leave it out", command, a.Name)
		}
		f := p.Flag
		if f == nil {
			continue
		}
		switch {
		case f.Tag.Has("once") && seen[f]:
			return usage.Errorf("%s: --%s is given twice: give it once", ctx.Selected().Name, f.Name)
		case hasEmpty(f.Target):
			return usage.Errorf("%s: --%s is empty: want --%[2]s=%s", ctx.Selected().Name, f.Name, f.PlaceHolder)
		}
		seen[f] = true
	}
	return nil
}

// misspelled tells whether the first argument is no file and was to be a
// command.
func misspelled(arg string) error {
	if arg == "" {
		return usage.Errorf("the first FILE is empty: give a file's name, or - for standard input")
	}
	if _, err := os.Lstat(arg); err == nil || strings.HasPrefix(arg, "-") {
		return nil
	}
	if arg == "help" || arg == "version" {
		return usage.Errorf("%s is neither a file nor a command, did you mean tagscan --%[1]s?", arg)
	}
	if name := usage.Nearest(arg, commandNames()); name == arg {
		return usage.Errorf("a command comes first, before its flags: tagscan %s …", name)
	} else if name != "" {
		return usage.Errorf("%s is neither a file nor a command, did you mean tagscan %s?", arg, name)
	}
	return nil
}

// errDone says that a flag such as --help did all there is to do.
var errDone = errors.New("done")

type helpFlag bool

// IgnoreDefault keeps kong from taking the default command before the help.
func (helpFlag) IgnoreDefault() {}

func (helpFlag) BeforeReset(a *app, ctx *kong.Context) error {
	node := ctx.Selected()
	if node == nil {
		node = ctx.Model.Node
	}
	if err := usage.Help(a.out, node); err != nil {
		return err
	}
	return errDone
}

type versionFlag bool

func (versionFlag) BeforeReset(a *app) error {
	v, _ := version()
	if err := a.print([]byte("tagscan " + v + "\n")); err != nil {
		return err
	}
	return errDone
}

// complain says err in one line. Below it is, indented, where in an expression.
func (a *app) complain(err error) {
	if m := message(err); m != "" {
		fmt.Fprintf(a.stderr, "tagscan: %s\n", m)
	}
}

// message is what there is to say of an error, "" if nothing.
func message(err error) string {
	if err == nil {
		return ""
	}
	// A stream's own words are enough, whoever used it.
	var in *inputError
	var out *scan.WriteError
	if errors.As(err, &out) {
		err = out
	} else if errors.As(err, &in) {
		err = in
	}
	text := term.Safe(err.Error())
	var x *jq.ExprError
	if errors.As(err, &x) {
		// Only an expression's excerpt, with its caret below, has lines of its own.
		if where := x.Excerpt("    "); where != "" {
			text += "\n" + where
		}
	}
	return text
}

// say says a hint.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.stderr, "tagscan: "+format+"\n", args...)
}

// An inputError is of reading, not of writing.
type inputError struct {
	name string // of the file
	err  error
}

func (e *inputError) Error() string {
	err := e.err
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err // without the name, which the runtime makes up for streams
	}
	name := e.name
	if strings.Contains(name, "://") {
		name = normalize.Excerpt([]byte(name)) // it was to be no file, and may hold a password
	}
	return term.Safe(name) + ": " + err.Error()
}

func (e *inputError) Unwrap() error { return e.err }

// An input marks the errors of reading a file or stream.
type input struct {
	io.Reader
	name string
}

func (r *input) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = &inputError{r.name, err}
	}
	return n, err
}

func (a *app) standardInput() *input {
	scan.Widen(a.stdin)
	return &input{Reader: scan.Input(a.stdin), name: "standard input"}
}

func terminal(f *os.File) bool {
	return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}

// piped says that a command cannot wait for a person to type its input.
func (a *app) piped(command, what string) error {
	if terminal(a.stdin) {
		return usage.Errorf("%s: standard input is a terminal: pipe %s in (see tagscan %[1]s --help)", command, what)
	}
	return nil
}

// print writes to standard output.
func (a *app) print(b []byte) error {
	_, err := a.out.Write(b)
	return err
}

// highest is the error with the highest exit status; the others are said.
func (a *app) highest(errs ...error) error {
	slices.SortStableFunc(errs, func(x, y error) int { return exit.Status(y) - exit.Status(x) })
	for _, err := range errs[1:] {
		if message(err) != message(errs[0]) { // which both ends of a pipe may have
			a.complain(err)
		}
	}
	return errs[0]
}

// version is the module's version and the commit that it was built from; date
// is the commit's.
func version() (v, date string) {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", ""
	}
	built := map[string]string{}
	for _, s := range b.Settings {
		built[s.Key] = s.Value
	}
	v = strings.TrimSuffix(b.Main.Version, "+dirty") // said below
	if commit := built["vcs.revision"]; commit != "" {
		v += " (" + commit[:min(12, len(commit))]
		if built["vcs.modified"] == "true" {
			v += ", modified"
		}
		v += ")"
	}
	date, _, _ = strings.Cut(built["vcs.time"], "T")
	return v, date
}

// scanFlags are the flags of everything that reads a transcript. They are
// grouped by the command whose help explains them.
type scanFlags struct {
	From        string   `enum:"auto,text,claude,codex,opencode,gemini,cursor,copilot,goose" default:"auto" placeholder:"FORMAT" help:"Do not detect: text, claude, codex, opencode, gemini, cursor, copilot or goose."`
	Role        words    `enum:"assistant,tool,user,thinking,system" placeholder:"ROLE" help:"Whose text: assistant, tool, user, thinking, system."`
	Code        string   `enum:"skip,strict,emit" default:"skip" placeholder:"HOW" help:"In code: skip, strict (wrapped blocks too), emit."`
	Namespace   []string `sep:"none" placeholder:"NAME" help:"Know a namespace besides jackin and multicode."`
	StripPrefix []string `sep:"none" placeholder:"RE" help:"Take what RE matches off the start of each line."`
	MaxRecord   int      `default:"16777216" placeholder:"BYTES" help:"Skip transcript records that are larger (16 MiB)."`
	All         bool     `help:"Show repeated tags too, marked."`
}

// hasEmpty says whether the value of a flag is empty, or one of its values.
func hasEmpty(v reflect.Value) bool {
	switch {
	case v.Kind() == reflect.String:
		return v.String() == ""
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if hasEmpty(v.Index(i)) {
				return true
			}
		}
	}
	return false
}

// words are a flag's values between commas. Kong's own list loses an empty one at
// its end.
type words []string

func (w *words) Decode(ctx *kong.DecodeContext) error {
	var s string
	err := ctx.Scan.PopValueInto("list", &s)
	*w = append(*w, strings.Split(s, ",")...)
	return err
}

// tagFlag is apart from scanFlags because gate's --tag is another.
type tagFlag struct {
	Tag []string `sep:"none" placeholder:"NAME" help:"Take plain <NAME>VALUE</NAME> tags too."`
}

// options checks the flags and makes the scanner's options of them.
func (f *scanFlags) options(tags []string) (o scan.Options, err error) {
	o = scan.Options{All: f.All, Code: f.Code, Parse: parse.Options{
		From: f.From, Roles: f.Role, Namespaces: f.Namespace, Tags: tags, MaxRecord: f.MaxRecord,
	}}
	for _, ns := range f.Namespace {
		if err := parse.CheckNamespace(ns); err != nil {
			return o, usage.Errorf("--namespace %q: %w", ns, err)
		}
	}
	for _, t := range tags {
		if err := parse.CheckPlainTag(t); err != nil {
			return o, usage.Errorf("--tag %q: %w", t, err)
		}
	}
	if n := len(f.StripPrefix); n > parse.MaxPrefixes {
		return o, usage.Errorf("--strip-prefix is given %d times: give at most %d, joined as in 'A|B'", n, parse.MaxPrefixes)
	}
	for _, re := range f.StripPrefix {
		c, err := parse.CompilePrefix(re)
		if err != nil {
			return o, usage.Errorf("--strip-prefix %q: %w", re, err)
		}
		o.Parse.Prefixes = append(o.Parse.Prefixes, c)
	}
	if f.MaxRecord < 1 {
		return o, usage.Errorf("--max-record=%d: want a size in bytes, at least 1", f.MaxRecord)
	}
	return o, nil
}

// viewFlags are the flags of what may be shown to a person.
type viewFlags struct {
	Format string `enum:"auto,ndjson,text" default:"auto" placeholder:"FORMAT" help:"ndjson, text, or auto: text on a terminal."`
	Color  string `enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"auto, always or never."`
}

// sink is where events go: to a person at the terminal, or as NDJSON.
func (a *app) sink(f viewFlags) (emit.Sink, error) {
	view, err := emit.Mode(f.Format, f.Color, a.stdout, a.getenv)
	if err != nil {
		return nil, err
	}
	out := a.out
	if !view.Text && terminal(a.stdout) {
		out = &jq.TerminalWriter{W: out} // for bidi controls, which JSON leaves as they are
	}
	w := emit.NewWriter(out)
	if view.Text {
		return term.New(w, view), nil
	}
	return w, nil
}

type scanCmd struct {
	Files []string `arg:"" optional:"" name:"FILE" help:"Files to read; - and none are standard input."`

	JQ         *string `once:"" short:"q" name:"jq" placeholder:"EXPR" help:"Print what a jq expression makes of each event."`
	ExitStatus bool    `short:"e" help:"Exit with 1 when there was no event (before -q)."`
	Skipped    bool    `help:"Show what looked like a signal and was skipped."`
	tagFlag    `embed:"" group:"scan"`
	scanFlags  `embed:"" group:"scan"`
	viewFlags  `embed:""`
	Verbose    bool `short:"v" help:"Say on stderr what was skipped, and why."`
	Stats      bool `help:"Print counters on stderr at the end."`
	Quiet      bool `help:"Give no hints."`
}

func (c *scanCmd) Run(a *app, ctx *kong.Context) error {
	if len(c.Files) > 0 && ctx.Args[0] != "scan" {
		if err := misspelled(c.Files[0]); err != nil {
			return err
		}
	}
	o, err := c.options(c.Tag)
	if err != nil {
		return err
	}
	o.Skipped, o.Counts = c.Skipped, c.Stats
	if c.Verbose {
		o.Verbose = a.stderr
	}
	if len(c.Files) == 0 && terminal(a.stdin) {
		node := ctx.Selected()
		if len(ctx.Args) == 0 {
			node = a.parser("").Model.Node
		}
		usage.Help(a.stderr, node)
		return usage.Errorf("standard input is a terminal: pipe a transcript in, or name a FILE")
	}
	printed := &tally{Writer: a.out}
	sink, end, err := c.sink(a, printed)
	if err != nil {
		return err
	}
	status, stats, err := c.files(a, sink, o)
	if err == nil {
		err = sink.Flush()
	}
	err = a.highest(end(), err)
	if c.Stats {
		stats.WriteTo(a.stderr)
	}
	events := stats.Events()
	if err == nil && !c.Quiet && !c.Skipped && (events == 0 || c.JQ != nil && printed.n == 0) {
		a.hint(emit.ScanHints, &stats)
	}
	if c.ExitStatus && events == 0 {
		status = max(status, exit.Negative)
	}
	if status > exit.Status(err) {
		a.complain(err)
		return exit.With(status, nil)
	}
	return err
}

// A tally counts what is written.
type tally struct {
	io.Writer
	n int64
}

func (t *tally) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	t.n += int64(n)
	return n, err
}

// sink is where the events go; what -q makes of them goes to out. end waits
// until all is there.
func (c *scanCmd) sink(a *app, out io.Writer) (sink emit.Sink, end func() error, err error) {
	if c.JQ == nil {
		sink, err = a.sink(c.viewFlags)
		return sink, func() error { return nil }, err
	}
	f, err := jq.NewFilter(*c.JQ, jq.FilterOptions{Flag: "-q", Terminal: terminal(a.stdout)}, out, a.stderr)
	if err != nil {
		return nil, nil, err
	}
	return emit.NewWriter(f), f.Close, nil
}

// files scans the inputs one after the other. A file that cannot be read is
// said at once, and the others are read.
func (c *scanCmd) files(a *app, sink emit.Sink, o scan.Options) (status int, stats emit.Stats, err error) {
	start := time.Now()
	defer func() { stats.Elapsed = time.Since(start) }()
	hints := emit.ScanHints
	if c.Quiet {
		hints = nil
	}
	if len(c.Files) == 0 {
		return 0, stats, a.scan(a.standardInput(), "", sink, o, &stats, hints)
	}
	for i, name := range c.Files {
		err := a.file(name, sink, o, &stats, hints)
		var bad *inputError
		switch {
		case errors.As(err, &bad):
			a.complain(err)
			if i == 0 && c.JQ == nil && !c.Quiet && errors.Is(err, fs.ErrNotExist) && likeExpr(name) {
				a.say("an expression goes with -q: tagscan -q EXPR [FILE ...]")
			}
			status = exit.IO
		case err != nil:
			return status, stats, err
		}
	}
	return status, stats, nil
}

// likeExpr tells whether what is no file may be meant as an expression.
func likeExpr(name string) bool {
	return len(name) > 1 && name[0] == '.' && name[1] != '.' && name[1] != '/' || strings.ContainsAny(name, "|({[\"=")
}

func (a *app) file(name string, sink emit.Sink, o scan.Options, stats *emit.Stats, hints *emit.Hints) error {
	if name == "-" {
		return a.scan(a.standardInput(), name, sink, o, stats, hints)
	}
	f, err := os.Open(name)
	if err != nil {
		return &inputError{name, err}
	}
	defer f.Close()
	return a.scan(&input{Reader: scan.Input(f), name: name}, name, sink, o, stats, hints)
}

// scan scans one input. file is what its events name; no hints are nil.
func (a *app) scan(in *input, file string, sink emit.Sink, o scan.Options, stats *emit.Stats, hints *emit.Hints) error {
	_, o.Transient = sink.(*emit.Writer)
	conv := scan.New(file, sink, o)
	err := scan.Read(conv, in, sink.Flush)
	if e := conv.Close(); err == nil {
		err = e
	}
	conv.Add(stats)
	if hints != nil && conv.Events() && stats.Events() == 0 {
		a.say("%s looks like events: scan, and --scan, read the transcript that they come from", term.Safe(in.name))
	}
	if line, hid := conv.Unclosed(); hid > 0 && hints != nil {
		hint := hints.Fence(line, int64(hid))
		if file != "" {
			hint = term.Safe(file) + ": " + hint
		}
		a.say("%s", hint)
	}
	return err
}

// hint says what was skipped.
func (a *app) hint(hints *emit.Hints, stats *emit.Stats) {
	if h := hints.Skipped(stats.Skipped); h != "" {
		a.say("%s", h)
	}
}

type validateCmd struct {
	Tags       []string `arg:"" optional:"" name:"TAG" help:"The tags of a list. None, or -: stdin, a list a line: a,b,c or [\"a\",\"b\"]."`
	Convention string   `once:"" placeholder:"NAME" help:"Check a convention's vocabulary too: handoff."`
	viewFlags  `embed:""`
	Quiet      bool `help:"Print nothing; the exit status tells."`
}

func (c *validateCmd) Run(a *app) error {
	if c.Convention != "" && !slices.Contains(taglist.Conventions(), c.Convention) {
		return usage.Errorf("--convention %q: want %s", c.Convention, strings.Join(taglist.Conventions(), " or "))
	}
	sink, err := a.sink(c.viewFlags)
	if err != nil {
		return err
	}
	if c.Quiet {
		sink = emit.NewWriter(io.Discard)
	}
	if len(c.Tags) > 1 && slices.Contains(c.Tags, "-") {
		return usage.Errorf("-, for standard input, and tags do not go together")
	}
	if len(c.Tags) > 0 && c.Tags[0] != "-" {
		err = validate.Args(c.Tags, c.Convention, sink)
		if info, e := os.Stat(c.Tags[0]); len(c.Tags) == 1 && e == nil && info.Mode().IsRegular() && !c.Quiet {
			a.say("%s was checked as a tag; the lists in the file are checked by tagscan validate < %[1]s", term.Safe(c.Tags[0]))
		}
	} else if err = a.piped("validate", "lists of tags"); err == nil {
		err = validate.Lines(a.standardInput(), c.Convention, sink)
	}
	return a.highest(sink.Flush(), err)
}

// eventFlags are the input flags of commands that read events, or with --scan a
// transcript.
type eventFlags struct {
	Scan      bool `help:"Read a transcript instead of events."`
	Quiet     bool `help:"Give no hints."`
	scanFlags `embed:"" group:"scan"`
}

// transcript makes the options of a scan for a command that reads events; ok is
// false when it does.
func (f *eventFlags) transcript(ctx *kong.Context, tags []string) (o scan.Options, ok bool, err error) {
	if f.Scan {
		o, err = f.options(tags)
		return o, true, err
	}
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Group != nil {
			return o, false, usage.Errorf("%s: --%s is for transcripts: it goes with --scan", ctx.Selected().Name, p.Flag.Name)
		}
	}
	return o, false, nil
}

// pour scans standard input into sink.
func (a *app) pour(sink emit.Sink, o scan.Options, quiet bool) (stats emit.Stats, err error) {
	hints := emit.EventHints
	if quiet {
		hints = nil
	}
	err = a.scan(a.standardInput(), "", sink, o, &stats, hints)
	if e := sink.Flush(); err == nil {
		err = e
	}
	if err == nil && !quiet && stats.Events() == 0 {
		a.hint(hints, &stats)
	}
	return stats, err
}

// events is the input of a command that reads events: standard input, or what
// a scan of it gives. wait ends the scan and returns what it counted, and its
// error.
func (a *app) events(ctx *kong.Context, f *eventFlags, tags []string) (in io.Reader, wait func() (emit.Stats, error), err error) {
	o, ok, err := f.transcript(ctx, tags)
	if err != nil || !ok {
		return a.standardInput(), func() (emit.Stats, error) { return emit.Stats{}, nil }, err
	}
	r, w := io.Pipe()
	var stats emit.Stats
	done := make(chan error, 1)
	go func() {
		var err error
		stats, err = a.pour(emit.NewWriter(w), o, f.Quiet)
		w.Close()
		done <- err
	}()
	return r, func() (emit.Stats, error) {
		r.Close()
		err := <-done
		if errors.Is(err, io.ErrClosedPipe) {
			err = nil // its reader has ended
		}
		return stats, err
	}, nil
}

type routeCmd struct {
	Expr *string `arg:"" optional:"" name:"EXPR" help:"Print what this jq expression makes of each event."`

	Rules    string `once:"" short:"r" placeholder:"FILE" help:"Route by the rules of a file."`
	Pack     string `once:"" placeholder:"NAME" help:"Route by the rules of a pack."`
	Check    bool   `help:"Load the rules or the expression, and stop."`
	Queue    string `once:"" placeholder:"NAME" help:"Print the events of this queue only."`
	Split    string `once:"" placeholder:"DIR" help:"Append to DIR/QUEUE.ndjson instead of printing."`
	Trace    bool   `help:"Print dropped events too."`
	Verified bool   `help:"Tell the rules that the events' signatures were checked."`

	ListPacks  bool   `help:"List the packs."`
	ShowPack   string `placeholder:"NAME" help:"Print the rules of a pack."`
	eventFlags `embed:""`
	tagFlag    `embed:"" group:"scan"`
}

func (c *routeCmd) Run(a *app, ctx *kong.Context) error {
	if c.ListPacks || c.ShowPack != "" {
		return c.packs(a)
	}
	o := route.Options{File: c.Rules, Pack: c.Pack, Queue: c.Queue, Split: c.Split, Verified: c.Verified,
		Trace: c.Trace, Scan: c.Scan, Terminal: terminal(a.stdout), Quiet: c.Quiet}
	if c.Expr != nil {
		o.Expr, o.HasExpr = *c.Expr, true
	}
	scanning, ok, err := c.transcript(ctx, c.Tag)
	if err != nil {
		return err
	}
	if c.Check {
		return route.Check(o)
	}
	if err := a.piped("route", "events"); err != nil {
		return err
	}
	if !ok {
		return route.Run(o, a.standardInput(), a.out, a.stderr)
	}
	r, err := route.New(o, a.out, a.stderr)
	if err != nil {
		return err
	}
	_, err = a.pour(emit.NewWriter(r), scanning, c.Quiet)
	return a.highest(r.Close(), err)
}

func (c *routeCmd) packs(a *app) error {
	if c.Rules != "" || c.Pack != "" || c.Expr != nil || c.ListPacks && c.ShowPack != "" {
		return usage.Errorf("route: --list-packs and --show-pack NAME stand alone, without rules or EXPR")
	}
	if c.ShowPack != "" {
		text, err := route.ShowPack(c.ShowPack)
		if err != nil {
			return usage.Errorf("--show-pack: %w", err)
		}
		return a.print(text)
	}
	var list []byte
	for _, p := range route.ListPacks() {
		list = fmt.Appendf(list, "%-16s %s\n", p.Name, p.Summary)
	}
	return a.print(list)
}

type snapshotCmd struct {
	Format string `enum:"auto,json,md,env,github,table" default:"auto" placeholder:"FORMAT" help:"json, md, env, github, or table, as on a terminal."`
	Follow bool   `help:"Print it again whenever it changes."`
	Agent  string `once:"" placeholder:"ID" help:"Whose status: the main agent's, a sub-agent's ID, or any."`
	Color  string `enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Colour of the table: auto, always or never."`

	eventFlags `embed:""`
	tagFlag    `embed:"" group:"scan"`
}

func (c *snapshotCmd) Run(a *app, ctx *kong.Context) error {
	view, err := emit.Mode("auto", c.Color, a.stdout, a.getenv)
	if err != nil {
		return err
	}
	if err := a.piped("snapshot", "events"); err != nil {
		return err
	}
	in, wait, err := a.events(ctx, &c.eventFlags, c.Tag)
	if err != nil {
		return err
	}
	o := state.SnapshotOptions{Format: c.Format, Follow: c.Follow, Agent: c.Agent, Scanned: c.Scan,
		Terminal: terminal(a.stdout), Color: view.Color, Quiet: c.Quiet}
	if c.Format == "auto" {
		o.Format = ""
	}
	err = state.RunSnapshot(o, in, a.out, a.stderr)
	_, failed := wait()
	return a.highest(err, failed)
}

type gateCmd struct {
	Require       words  `placeholder:"STATUS" help:"The status that passes, or any: COMPLETE, if not given."`
	ExitReady     bool   `help:"Require EXIT_READY: true."`
	MinConfidence string `once:"" placeholder:"LEVEL" help:"Require at least LOW, MEDIUM or HIGH."`
	MaxFailed     *int   `once:"" placeholder:"N" help:"Fail after more than N reports of FAILED in a row."`
	MaxNoProgress *int   `once:"" placeholder:"N" help:"Fail after more than N without progress in a row."`
	Agent         string `once:"" placeholder:"ID" help:"Whose reports: the main agent's, an ID's, or any."`
	Tag           string `once:"" placeholder:"NAME=VALUE" help:"Judge this plain tag instead of the status block."`

	eventFlags `embed:""`
}

func (c *gateCmd) Run(a *app, ctx *kong.Context) error {
	if err := a.piped("gate", "events"); err != nil {
		return err
	}
	o := state.GateOptions{
		Require: c.Require, ExitReady: c.ExitReady, MinConfidence: c.MinConfidence,
		MaxFailed: c.MaxFailed, MaxNoProgress: c.MaxNoProgress, Agent: c.Agent, Tag: c.Tag,
		Scanned: c.Scan, Terminal: terminal(a.stdout), Quiet: c.Quiet,
	}
	var tags []string
	if c.Tag != "" && c.Scan {
		name, _, err := state.ParseTag(c.Tag)
		if err != nil {
			return err
		}
		tags = []string{name}
		// A sub-agent may have given the value first: the main agent's own
		// tag is a repeat then, and counts.
		o.HideRepeats, c.All = !c.All, true
	}
	in, wait, err := a.events(ctx, &c.eventFlags, tags)
	if err != nil {
		return err
	}
	err = state.RunGate(o, in, a.out, a.stderr)
	stats, failed := wait()
	// Without any event that has been said.
	if exit.Status(err) == exit.Nothing && failed == nil && !c.Quiet && stats.Events() > 0 {
		a.hint(emit.EventHints, &stats)
	}
	return a.highest(err, failed)
}

type repairCmd struct {
	Set   setCmd   `cmd:"" help:"Replace the agent's values of a kind."`
	Unset unsetCmd `cmd:"" help:"Hide a value, or the whole kind."`
}

type setCmd struct {
	Kind  string `arg:"" name:"KIND" help:"repo, issue, pr, link or status."`
	Value string `arg:"" name:"VALUE" help:"What it is."`
}

func (c *setCmd) Run(a *app) error { return a.repair("set", c.Kind, c.Value) }

type unsetCmd struct {
	Kind  string `arg:"" name:"KIND" help:"repo, issue, pr, link or status."`
	Value string `arg:"" optional:"" name:"VALUE" help:"The value to hide; without it, the kind."`
}

func (c *unsetCmd) Run(a *app) error { return a.repair("unset", c.Kind, c.Value) }

func (a *app) repair(op, kind, value string) error {
	line, err := state.Repair(op, kind, value)
	if err != nil {
		return err
	}
	return a.print(line)
}

type skillCmd struct {
	List    listCmd    `cmd:"" help:"List the skills."`
	Show    showCmd    `cmd:"" help:"Print a skill."`
	Install installCmd `cmd:"" help:"Write the skills into a directory."`
}

type listCmd struct{}

func (listCmd) Run(a *app) error { return skill.List(a.out) }

type showCmd struct {
	Name string `arg:"" name:"NAME" help:"The skill."`
}

func (c *showCmd) Run(a *app) error { return skill.Show(c.Name, a.out) }

type installCmd struct {
	Dir   string `arg:"" optional:"" name:"DIR" default:".claude/skills" help:"Where to: ${default} if not given."`
	Force bool   `help:"Overwrite files that were changed."`
}

func (c *installCmd) Run(a *app) error { return skill.Install(c.Dir, c.Force, a.out, a.stderr) }

type schemaCmd struct{}

func (schemaCmd) Run(a *app) error { return a.print(schema.JSON) }

type completionCmd struct {
	Shell string `arg:"" name:"SHELL" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) Run(a *app) error {
	var packs, skills []string
	for _, p := range route.ListPacks() {
		packs = append(packs, p.Name)
	}
	for _, s := range skill.All() {
		skills = append(skills, s.Name)
	}
	kinds := parse.CoreKinds[:]
	return usage.Complete(a.out, c.Shell, a.parser("").Model.Node, usage.Values{
		"route --pack": packs, "route --show-pack": packs, "skill show NAME": skills,
		"validate --convention": taglist.Conventions(), "snapshot --agent": {"any"}, "gate --agent": {"any"},
		"gate --require":        {"COMPLETE", "IN_PROGRESS", "BLOCKED", "FAILED", "any"},
		"gate --min-confidence": {"LOW", "MEDIUM", "HIGH"},
		"repair set KIND":       kinds, "repair unset KIND": kinds,
	})
}

type manCmd struct{}

func (manCmd) Run(a *app) error {
	v, date := version()
	return usage.Man(a.out, a.parser("").Model.Node, "tagscan "+v, date,
		usage.Section{Title: "OUTPUT", Text: "Events are JSON objects, one a line, as tagscan schema describes them; " +
			"on a terminal they are aligned text. Each is written as soon as it is complete. " +
			"Errors and hints are on standard error. What a tag says is its author's wish and no more: it is untrusted."},
		usage.Section{Title: "EXIT STATUS", Text: "The highest that applies:", Rows: [][2]string{
			{"0", "Done."},
			{"1", "The negative answer of validate, of gate, and of scan with --exit-status."},
			{"2", "The command line or the rules are wrong, or a repair was refused."},
			{"3", "Input or output failed, or a line that should be an event is none."},
			{"4", "A rule or an expression failed."},
			{"5", "There was nothing for gate to judge."},
		}},
		usage.Section{Title: "ENVIRONMENT", Rows: [][2]string{
			{"NO_COLOR", "If not empty, no colour."},
			{"CLICOLOR_FORCE", "If neither empty nor 0, colour in text that goes to a pipe or file too."},
			{"CLICOLOR", "If 0, no colour on a terminal."},
			{"COLUMNS", "The width of text that does not go to a terminal."},
		}})
}
