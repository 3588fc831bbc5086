// Command tagscan finds the machine-readable signals that coding agents leave
// in what they write: tags, status blocks and artifact tags. It reads transcript
// bytes and streams the signals out as NDJSON, one event a line.
//
// This file is the command line, the streams and the exit status.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"tagscan/emit"
	"tagscan/emit/exit"
	"tagscan/emit/jq"
	"tagscan/emit/scan"
	"tagscan/emit/schema"
	"tagscan/emit/skill"
	"tagscan/emit/state"
	"tagscan/emit/term"
	"tagscan/emit/validate"
	"tagscan/normalize/taglist"
	"tagscan/parse"
)

func main() {
	if jq.WorkerMain() {
		return
	}
	a := &app{stdin: os.Stdin, stdout: os.Stdout, out: scan.Guard(os.Stdout), stderr: os.Stderr, getenv: os.Getenv}
	os.Exit(a.run(os.Args[1:]))
}

// An app is one run of the program on its streams.
type app struct {
	stdin, stdout *os.File
	out           io.Writer // stdout, never cut within a line by a signal
	stderr        io.Writer
	getenv        func(string) string
}

// cli is the command line.
type cli struct {
	Version kong.VersionFlag `help:"Print the version and exit."`

	Scan     scanCmd     `cmd:"" default:"withargs" help:"Find tags and status blocks in transcripts (the default)."`
	Validate validateCmd `cmd:"" help:"Check artifact tags against ADR-0018."`
	Snapshot snapshotCmd `cmd:"" help:"Print the agent's state: its repositories, issues, pull requests, links and status."`
	Gate     gateCmd     `cmd:"" help:"Pass events through, and fail unless the agent says that it is done."`
	Repair   repairCmd   `cmd:"" help:"Make an event that corrects the state by hand."`
	Skill    skillCmd    `cmd:"" help:"Skills that teach an agent to emit the signals."`
	Schema   schemaCmd   `cmd:"" help:"Print the JSON Schema of the events."`
}

// run runs a command line and returns the exit status.
func (a *app) run(args []string) int {
	var c cli
	p, err := kong.New(&c,
		kong.Name("tagscan"),
		kong.Description("Finds the signals that coding agents leave in what they write."),
		kong.Writers(a.out, a.stderr),
		kong.Exit(func(status int) { panic(early(status)) }),
		kong.Vars{"version": "tagscan " + version(), "maxRecord": strconv.Itoa(parse.DefaultMaxRecord)},
		kong.Bind(a),
	)
	if err != nil {
		panic(err)
	}
	status := func() (status int) {
		defer func() {
			switch r := recover().(type) {
			case nil:
			case early:
				status = int(r)
			default:
				panic(r)
			}
		}()
		ctx, err := p.Parse(args)
		if err != nil {
			err = usage("%w (see tagscan --help)", err)
		} else {
			err = ctx.Run()
		}
		a.complain(err)
		return exit.Status(err)
	}()
	return status
}

// early is the status with which kong wants to end: of --help and --version.
type early int

// complain says err in one line.
func (a *app) complain(err error) {
	if err == nil || err.Error() == "" {
		return
	}
	fmt.Fprintf(a.stderr, "tagscan: %s\n", strings.ReplaceAll(term.Safe(err.Error()), `\n`, "; "))
}

func usage(format string, args ...any) error {
	return exit.With(exit.Usage, fmt.Errorf(format, args...))
}

// version is the module's version and the commit that it was built from.
func version() string {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v, commit, dirty := b.Main.Version, "", ""
	for _, s := range b.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = ", modified"
		}
	}
	if commit != "" {
		v += " (" + commit[:min(12, len(commit))] + dirty + ")"
	}
	return v
}

// inputFlags are the flags of everything that reads a transcript.
type inputFlags struct {
	From        string   `enum:"auto,text,claude,codex,opencode,gemini,cursor,copilot,goose" default:"auto" placeholder:"FORMAT" help:"Input format, instead of detecting it: ${enum}."`
	Role        []string `enum:"assistant,tool,user,thinking,system" placeholder:"ROLE" help:"Whose text in a transcript to scan (assistant): ${enum}. Repeatable."`
	Code        string   `enum:"skip,strict,emit" default:"skip" placeholder:"skip" help:"Signals in code: skip, strict (wrapped status blocks too), or emit and mark them."`
	Namespace   []string `sep:"none" placeholder:"NAME" help:"Another namespace besides jackin and multicode. Repeatable."`
	Tag         []string `sep:"none" placeholder:"NAME" help:"Take plain <NAME>VALUE</NAME> tags too. Repeatable."`
	StripPrefix []string `sep:"none" placeholder:"RE" help:"Remove what RE matches at the start of each line. Repeatable."`
	MaxRecord   int      `default:"${maxRecord}" placeholder:"BYTES" help:"Pass over transcript records larger than this (16 MiB)."`
	All         bool     `help:"Show repeated tags too, marked."`
}

// options checks the flags and makes the scanner's options of them.
func (f *inputFlags) options() (o scan.Options, err error) {
	o = scan.Options{All: f.All, Code: f.Code, Parse: parse.Options{
		From: f.From, Roles: f.Role, Namespaces: f.Namespace, Tags: f.Tag, MaxRecord: f.MaxRecord,
	}}
	for _, ns := range f.Namespace {
		if err := parse.CheckNamespace(ns); err != nil {
			return o, usage("--namespace %q: %w", ns, err)
		}
	}
	for _, t := range f.Tag {
		if err := parse.CheckPlainTag(t); err != nil {
			return o, usage("--tag %q: %w", t, err)
		}
	}
	for _, re := range f.StripPrefix {
		c, err := parse.CompilePrefix(re)
		if err != nil {
			return o, usage("--strip-prefix %q: %w", re, err)
		}
		o.Parse.Prefixes = append(o.Parse.Prefixes, c)
	}
	if f.MaxRecord < 1 {
		return o, usage("--max-record=%d: give a size in bytes, at least 1", f.MaxRecord)
	}
	return o, nil
}

// viewFlags are the flags of what may be shown to a person.
type viewFlags struct {
	Format string `enum:"auto,ndjson,text" default:"auto" placeholder:"auto" help:"ndjson, text, or auto: text on a terminal."`
	Color  string `enum:"auto,always,never" default:"auto" placeholder:"auto" help:"Colour: auto, always or never."`
}

type scanCmd struct {
	Files []string `arg:"" optional:"" name:"FILE" help:"Files to read instead of standard input; - is standard input."`

	JQ         string `short:"q" name:"jq" placeholder:"EXPR" help:"Print what the jq expression makes of each event; strings raw."`
	ExitStatus bool   `short:"e" help:"Exit with 1 when there was no event."`
	Skipped    bool   `help:"Show what looked like a signal and was skipped, and why."`
	inputFlags `embed:""`
	viewFlags  `embed:""`
	Verbose    bool `short:"v" help:"Say on stderr what was skipped and why."`
	Stats      bool `help:"Print counters at the end, on stderr."`
	Quiet      bool `help:"No hints."`
}

func (c *scanCmd) Run(a *app, ctx *kong.Context) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	o.Skipped = c.Skipped
	if c.Verbose {
		o.Verbose = a.stderr
	}
	if len(c.Files) == 0 && isatty.IsTerminal(a.stdin.Fd()) {
		ctx.PrintUsage(false)
		return usage("standard input is a terminal: pipe a transcript in, or name a FILE")
	}
	view, err := emit.Mode(c.Format, c.Color, a.stdout, a.getenv)
	if err != nil {
		return err
	}
	var sink emit.Sink
	var end func() error
	switch {
	case c.JQ != "":
		f, err := jq.NewFilter(c.JQ, jq.FilterOptions{Flag: "-q", Terminal: view.Text && isatty.IsTerminal(a.stdout.Fd())}, a.out, a.stderr)
		if err != nil {
			return err
		}
		sink, end = emit.NewWriter(f), f.Close
	case view.Text:
		sink = term.New(emit.NewWriter(a.out), view)
	default:
		sink = emit.NewWriter(a.out)
	}
	status, stats, err := c.files(a, sink, o)
	if err == nil {
		err = sink.Flush()
	}
	if end != nil {
		if e := end(); err == nil {
			err = e
		}
	}
	if err != nil {
		return err
	}
	events := stats.Tags + stats.Blocks + stats.Artifacts
	if !c.Quiet && events == 0 {
		if h := stats.Skipped.SkippedHint(); h != "" {
			fmt.Fprintf(a.stderr, "tagscan: %s\n", h)
		}
	}
	if c.Stats {
		stats.WriteTo(a.stderr)
	}
	if c.ExitStatus && events == 0 {
		status = max(status, exit.Negative)
	}
	if status != exit.OK {
		return exit.With(status, nil)
	}
	return nil
}

// files scans the inputs one after the other. A file that cannot be read is
// said at once, and the others are read.
func (c *scanCmd) files(a *app, sink emit.Sink, o scan.Options) (status int, stats emit.Stats, err error) {
	start := time.Now()
	files := c.Files
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if err := c.file(a, name, sink, o, &stats); err != nil {
			var bad *inputError
			if !errors.As(err, &bad) {
				return 0, stats, err
			}
			a.complain(err)
			status = exit.IO
		}
	}
	stats.Elapsed = time.Since(start)
	return status, stats, nil
}

// An inputError is of reading, not of writing.
type inputError struct{ error }

func (c *scanCmd) file(a *app, name string, sink emit.Sink, o scan.Options, stats *emit.Stats) error {
	f, file := a.stdin, ""
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return &inputError{a.suggest(name, err)}
		}
		defer f.Close()
	}
	if len(c.Files) > 0 {
		file = name
	}
	conv := scan.New(file, sink, o)
	err := scan.Read(conv, inputReader{f}, sink.Flush)
	if e := conv.Close(); err == nil {
		err = e
	}
	conv.Add(stats)
	if h := conv.Unclosed(); h.Hid > 0 && !c.Quiet {
		hint := emit.FenceHint(h.Line, int64(h.Hid))
		if file != "" {
			hint = term.Safe(file) + ": " + hint
		}
		fmt.Fprintf(a.stderr, "tagscan: %s\n", hint)
	}
	return err
}

// inputReader marks the errors of reading.
type inputReader struct{ r io.Reader }

func (r inputReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		err = &inputError{err}
	}
	return n, err
}

// suggest adds to the error of a FILE that is not there what may be meant.
func (a *app) suggest(name string, err error) error { return err }

type validateCmd struct {
	Tags       []string `arg:"" optional:"" name:"TAG" help:"Tags of one list. Without any, a list a line is read from standard input; so is -."`
	Convention string   `placeholder:"handoff" help:"Check a convention's vocabulary too: handoff."`
	viewFlags  `embed:""`
	Quiet      bool `help:"Print nothing; the exit status tells."`
}

func (c *validateCmd) Run(a *app) error {
	if c.Convention != "" && !slices.Contains(taglist.Conventions(), c.Convention) {
		return usage("--convention %q: there is %s", c.Convention, strings.Join(taglist.Conventions(), ", "))
	}
	sink, err := a.sink(c.viewFlags)
	if err != nil {
		return err
	}
	if c.Quiet {
		sink = emit.NewWriter(io.Discard)
	}
	if len(c.Tags) > 0 && !slices.Equal(c.Tags, []string{"-"}) {
		err = validate.Args(c.Tags, c.Convention, sink)
	} else if err = a.piped("validate", "lists of tags"); err == nil {
		err = validate.Lines(a.stdin, c.Convention, sink)
	}
	if e := sink.Flush(); e != nil {
		err = e
	}
	return err
}

// sink is where events go: to a person at the terminal, or as NDJSON.
func (a *app) sink(f viewFlags) (emit.Sink, error) {
	view, err := emit.Mode(f.Format, f.Color, a.stdout, a.getenv)
	if err != nil {
		return nil, err
	}
	w := emit.NewWriter(a.out)
	if view.Text {
		return term.New(w, view), nil
	}
	return w, nil
}

// piped says that a command cannot wait for a person to type its input.
func (a *app) piped(command, what string) error {
	if isatty.IsTerminal(a.stdin.Fd()) {
		return usage("%s: standard input is a terminal: pipe %s in (see tagscan %s --help)", command, what, command)
	}
	return nil
}

// eventFlags are the input flags of commands that read events, or with --scan a
// transcript.
type eventFlags struct {
	Scan       bool `help:"Read a transcript instead of events; takes the flags of scan below."`
	inputFlags `embed:""`
}

// events is the input of a command that reads events: standard input, or what
// a scan of it gives. wait returns the error of the scan.
func (a *app) events(f *eventFlags) (in io.Reader, wait func() error, err error) {
	if !f.Scan {
		return a.stdin, func() error { return nil }, nil
	}
	o, err := f.options()
	if err != nil {
		return nil, nil, err
	}
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		sink := emit.NewWriter(w)
		conv := scan.New("", sink, o)
		err := scan.Read(conv, inputReader{a.stdin}, sink.Flush)
		if e := conv.Close(); err == nil {
			err = e
		}
		if e := sink.Flush(); err == nil {
			err = e
		}
		w.Close()
		done <- err
	}()
	return r, func() error {
		r.Close()
		err := <-done
		if errors.Is(err, io.ErrClosedPipe) {
			err = nil // its reader has ended
		}
		return err
	}, nil
}

// highest is the error with the highest exit status; the others are said.
func (a *app) highest(errs ...error) error {
	slices.SortStableFunc(errs, func(x, y error) int { return exit.Status(y) - exit.Status(x) })
	for _, err := range errs[1:] {
		a.complain(err)
	}
	return errs[0]
}

type snapshotCmd struct {
	Format string `enum:",json,md,env,github,table" default:"" placeholder:"FORMAT" help:"json, md, env, github or table. Default: table on a terminal, else json."`
	Follow bool   `help:"Print it again whenever it changes."`
	Agent  string `placeholder:"ID" help:"Whose status counts: a sub-agent's ID, or any; the main agent's by default."`
	Color  string `enum:"auto,always,never" default:"auto" placeholder:"auto" help:"Colour of the table: auto, always or never."`

	eventFlags `embed:""`
}

func (c *snapshotCmd) Run(a *app) error {
	if err := a.piped("snapshot", "events"); err != nil {
		return err
	}
	view, err := emit.Mode("auto", c.Color, a.stdout, a.getenv)
	if err != nil {
		return err
	}
	in, wait, err := a.events(&c.eventFlags)
	if err != nil {
		return err
	}
	err = state.RunSnapshot(state.SnapshotOptions{
		Format: c.Format, Follow: c.Follow, Agent: c.Agent, Scanned: c.Scan,
		Terminal: isatty.IsTerminal(a.stdout.Fd()), Color: view.Color,
	}, in, a.out, a.stderr)
	return a.highest(err, wait())
}

type gateCmd struct {
	Require       []string `placeholder:"STATUS" help:"The status that passes (COMPLETE); repeatable."`
	ExitReady     bool     `help:"Require EXIT_READY: true."`
	MinConfidence string   `placeholder:"LEVEL" help:"Require this confidence at least: LOW, MEDIUM or HIGH."`
	MaxFailed     *int     `placeholder:"N" help:"Fail after more than N reports of FAILED in a row."`
	MaxNoProgress *int     `placeholder:"N" help:"Fail after more than N reports without progress in a row."`
	Agent         string   `placeholder:"ID" help:"Whose reports count: a sub-agent's ID, or any; the main agent's by default."`
	GateTag       string   `name:"tag" placeholder:"NAME=VALUE" help:"Judge this plain tag instead of the status block."`

	Scan        bool     `help:"Read a transcript instead of events; takes the flags of scan below."`
	From        string   `enum:"auto,text,claude,codex,opencode,gemini,cursor,copilot,goose" default:"auto" placeholder:"FORMAT" help:"Input format."`
	Role        []string `enum:"assistant,tool,user,thinking,system" placeholder:"ROLE" help:"Whose text to scan."`
	Code        string   `enum:"skip,strict,emit" default:"skip" placeholder:"skip" help:"Signals in code."`
	Namespace   []string `sep:"none" placeholder:"NAME" help:"Another namespace."`
	StripPrefix []string `sep:"none" placeholder:"RE" help:"Remove what RE matches at the start of each line."`
	MaxRecord   int      `default:"${maxRecord}" placeholder:"BYTES" help:"Pass over larger records."`
	All         bool     `help:"Show repeated tags too."`
}

func (c *gateCmd) Run(a *app) error {
	if err := a.piped("gate", "events"); err != nil {
		return err
	}
	o := state.GateOptions{
		Require: c.Require, ExitReady: c.ExitReady, MinConfidence: c.MinConfidence,
		MaxFailed: c.MaxFailed, MaxNoProgress: c.MaxNoProgress, Agent: c.Agent, Tag: c.GateTag,
		Terminal: isatty.IsTerminal(a.stdout.Fd()),
	}
	f := eventFlags{Scan: c.Scan, inputFlags: inputFlags{From: c.From, Role: c.Role, Code: c.Code,
		Namespace: c.Namespace, StripPrefix: c.StripPrefix, MaxRecord: c.MaxRecord, All: c.All}}
	if c.GateTag != "" && c.Scan {
		name, _, err := state.ParseTag(c.GateTag)
		if err != nil {
			return err
		}
		f.Tag = []string{name}
		// A sub-agent may have given the value first: the main agent's own
		// tag is a repeat then, and counts.
		o.HideRepeats, f.All = !c.All, true
	}
	in, wait, err := a.events(&f)
	if err != nil {
		return err
	}
	err = state.RunGate(o, in, a.out, a.stderr)
	return a.highest(err, wait())
}

type repairCmd struct {
	Set struct {
		Kind  string `arg:"" name:"KIND" help:"repo, issue, pr, link or status."`
		Value string `arg:"" name:"VALUE" help:"What it is."`
	} `cmd:"" help:"Replace the agent's values of a kind."`
	Unset struct {
		Kind  string `arg:"" name:"KIND" help:"repo, issue, pr, link or status."`
		Value string `arg:"" optional:"" name:"VALUE" help:"The value to hide; without it, the whole kind."`
	} `cmd:"" help:"Hide a value, or the kind."`
}

func (c *repairCmd) Run(a *app, ctx *kong.Context) error {
	op, kind, value := "unset", c.Unset.Kind, c.Unset.Value
	if strings.HasPrefix(ctx.Command(), "repair set") {
		op, kind, value = "set", c.Set.Kind, c.Set.Value
	}
	line, err := state.Repair(op, kind, value)
	if err != nil {
		return err
	}
	return a.print(line)
}

// print writes to standard output.
func (a *app) print(b []byte) error {
	_, err := a.out.Write(b)
	return err
}

type skillCmd struct {
	List struct{} `cmd:"" help:"List the skills."`
	Show struct {
		Name string `arg:"" name:"NAME" help:"The skill."`
	} `cmd:"" help:"Print a skill."`
	Install struct {
		Dir   string `arg:"" optional:"" name:"DIR" default:".claude/skills" help:"Where to (${default})."`
		Force bool   `help:"Overwrite files that were changed."`
	} `cmd:"" help:"Write the skills into a directory."`
}

func (c *skillCmd) Run(a *app, ctx *kong.Context) error {
	switch strings.Fields(ctx.Command())[1] {
	case "show":
		return skill.Show(c.Show.Name, a.out)
	case "install":
		return skill.Install(c.Install.Dir, c.Install.Force, a.out, a.stderr)
	}
	return skill.List(a.out)
}

type schemaCmd struct{}

func (c *schemaCmd) Run(a *app) error { return a.print(schema.JSON) }
