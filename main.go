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
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"tagscan/emit"
	"tagscan/emit/exit"
	"tagscan/emit/jq"
	"tagscan/emit/scan"
	"tagscan/emit/term"
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

	Scan scanCmd `cmd:"" default:"withargs" help:"Find tags and status blocks in transcripts (the default)."`
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

// suggest adds to the error of a FILE that is not there what else may be meant.
func (a *app) suggest(name string, err error) error { return err }
