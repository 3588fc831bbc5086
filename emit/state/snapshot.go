package state

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"tagscan/emit/exit"
	"tagscan/emit/jq"
)

// Formats are the values of snapshot's --format.
var Formats = []string{"json", "md", "env", "github", "table"}

// SnapshotOptions are the flags of snapshot.
type SnapshotOptions struct {
	// Format is one of Formats; "" is table on a terminal and json elsewhere.
	Format string
	// Follow prints the snapshot again whenever it changes.
	Follow bool
	// Agent is whose status blocks and status tags are taken: "" the main
	// agent's, "any" everyone's, else those of the sub-agent of that ID. The
	// lists hold what every agent gave.
	Agent string
	// Scanned tells that the events come straight out of a transcript, in which
	// nothing can be an override.
	Scanned bool
	// Terminal tells that the output is one: the table has links there, Follow
	// draws it again in place, and the JSON is escaped for it.
	Terminal bool
	// Color colours the table.
	Color bool
	// Quiet gives no hints.
	Quiet bool
}

// coalesce is the number of values from which on Follow no longer prints every
// change of a large state, but what it is each time that the input pauses.
const coalesce = 1_000

// maxComplaints bounds the overrides that are complained about one by one.
const maxComplaints = 10

// RunSnapshot reads events from in and prints the state they add up to on out,
// at the end of the input or, with opts.Follow, each time that it changes. The
// format github also writes workflow commands, to errw, where a runner takes
// them too: out is then for the file GITHUB_OUTPUT.
//
// Lines that are no JSON objects, or beyond 16 MiB, are counted and said on
// errw; overrides that are refused are said with their line. Both make the
// status exit.IO, as do reading and writing that fail; a bad option is an error
// with exit.Usage.
func RunSnapshot(opts SnapshotOptions, in io.Reader, out, errw io.Writer) error {
	p := &printer{opts: opts, state: &state{filter: agentFilter(opts.Agent)}, errw: errw}
	if p.opts.Format == "" {
		p.opts.Format = "json"
		if opts.Terminal {
			p.opts.Format = "table"
		}
	}
	if !slices.Contains(Formats, p.opts.Format) {
		return exit.With(exit.Usage, fmt.Errorf("snapshot: --format %q is none of %s", opts.Format, strings.Join(Formats, ", ")))
	}
	p.redraw = opts.Follow && opts.Terminal && p.opts.Format != "json"
	if opts.Terminal && p.opts.Format == "json" {
		out = &jq.TerminalWriter{W: out}
	}
	p.w = bufio.NewWriterSize(out, 64<<10)
	r := newReader(&flusher{in, p.pause})
	refused := 0
	for {
		line, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		ev := parseEvent(line)
		changed, err := p.state.apply(&ev, opts.Scanned)
		if err != nil {
			if refused++; refused <= maxComplaints {
				say(errw, "snapshot: line %d: override refused: %s", r.line, err)
			}
		}
		if changed && opts.Follow {
			p.stale = true
			if !p.redraw && p.state.items() <= coalesce {
				if err := p.pause(); err != nil {
					return writing(err)
				}
			}
		}
	}
	if p.stale || !p.printed {
		p.stale = true
		if err := p.pause(); err != nil {
			return writing(err)
		}
	}
	status := r.report(errw, "snapshot", opts.Quiet)
	if refused > maxComplaints {
		say(errw, "snapshot: %d overrides refused in all", refused)
	}
	if refused > 0 {
		status = exit.IO
	}
	return exitStatus(status)
}

// A printer prints a state when it is stale.
type printer struct {
	opts    SnapshotOptions
	state   *state
	w       *bufio.Writer
	errw    io.Writer
	buf     []byte
	redraw  bool // in place, whenever the input pauses
	stale   bool // the state is not the one printed last
	printed bool
}

// pause prints the state if that is due, and flushes.
func (p *printer) pause() error {
	if !p.stale {
		return nil
	}
	p.stale, p.printed = false, true
	v := p.state.view()
	b := p.buf[:0]
	if p.redraw {
		b = append(b, "\x1b[H\x1b[2J"...) // home, and clear
	}
	switch p.opts.Format {
	case "json":
		v.writeJSON(p.w)
	case "md":
		b = v.appendMarkdown(b)
	case "env":
		b = v.appendEnv(b)
	case "github":
		b = v.appendOutputs(b)
		if _, err := p.errw.Write(v.appendCommands(nil)); err != nil {
			return err
		}
	case "table":
		b = v.appendTable(b, p.opts.Terminal, p.opts.Color)
	}
	p.buf = b
	if _, err := p.w.Write(b); err != nil {
		return err
	}
	return p.w.Flush()
}
