// Package scan is the pipe from bytes to events: parse finds marks, normalize
// checks them, and a sink of emit writes them out.
//
// A [Converter] is written to, so that it can be embedded and tested without a
// process; [Read] feeds it from a file or pipe, which [Input] reads fast, and
// [Guard] keeps what leaves the process in whole lines.
package scan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tagscan/emit"
	"tagscan/emit/term"
	"tagscan/normalize"
	"tagscan/parse"
)

// Options are those of parse and normalize.
type Options struct {
	Parse parse.Options
	// Code is skip (the default), strict or emit: what becomes of signals in
	// code.
	Code    string
	All     bool // show repeats too
	Skipped bool // show what was skipped
	// Counts is set when what is skipped has to be counted to the end: a run in
	// which something came out needs no hint about it, and looks less.
	Counts bool
	// Verbose, if set, is told in one line each what was skipped and why.
	Verbose io.Writer
	// Transient is set for a sink that keeps no string of an event: values are not
	// copied then. A *emit.Writer keeps none.
	Transient bool
}

// A Converter turns the bytes of one input into events. Its Write fails only
// when the sink does.
type Converter struct {
	o    Options
	file string
	sink emit.Sink
	sc   *parse.Scanner
	n    *normalize.Normalizer
	err  error
	head []byte // the first bytes of the input
}

// New returns a Converter of one input to sink. file is the FILE argument that
// its events name, "" for standard input.
func New(file string, sink emit.Sink, o Options) *Converter {
	c := &Converter{o: o, file: file, sink: sink}
	code := normalize.CodeSkip
	switch o.Code {
	case "emit":
		code = normalize.CodeEmit
	case "strict":
		code = normalize.CodeStrict
	}
	c.n = normalize.New(normalize.Options{
		File: file, Code: code, All: o.All || o.Verbose != nil, Skipped: o.Skipped || o.Verbose != nil,
		Transient: o.Transient,
	}, c.event)
	o.Parse.Transient = o.Transient
	o.Parse.Skips = o.Skipped || o.Counts || o.Verbose != nil
	c.sc = parse.NewScanner(c.n, o.Parse)
	return c
}

func (c *Converter) event(e normalize.Event) {
	if c.err != nil {
		return
	}
	if s, ok := e.(*normalize.Skipped); ok {
		if c.o.Verbose != nil {
			c.say(&s.Position, s.What, s.Reason, s.Excerpt)
		}
		if !c.o.Skipped {
			return
		}
	} else {
		// The hint about what was skipped is for a run in which nothing came
		// out, so other roles need no reading from here on.
		c.sc.SkipOthers()
	}
	// Verbose needs the repeats, too: they are dropped here then.
	if t, ok := e.(*normalize.Tag); ok && t.Repeat && !c.o.All {
		c.say(&t.Position, "tag", "repeat", normalize.Excerpt([]byte(t.Value)))
		return
	}
	c.err = c.sink.Event(e)
}

// say tells what was skipped in one line.
func (c *Converter) say(p *normalize.Position, what, reason, excerpt string) {
	where := fmt.Sprintf("line %d", p.Line)
	if c.file != "" {
		where = term.Safe(c.file) + ": " + where
	}
	fmt.Fprintf(c.o.Verbose, "tagscan: %s: skipped %s (%s): %s\n", where, what, reason, term.Safe(excerpt))
}

// Write takes the next bytes of the input.
func (c *Converter) Write(p []byte) (int, error) { return c.writeIndexed(p, nil) }

// index returns an Index for chunks that are written to c.
func (c *Converter) index() *parse.Index { return c.sc.Index() }

// writeIndexed is Write for a chunk of which x is the Index, nil when there is
// none.
func (c *Converter) writeIndexed(p []byte, x *parse.Index) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if n := headSize - len(c.head); n > 0 {
		c.head = append(c.head, p[:min(n, len(p))]...)
	}
	if x != nil {
		c.sc.WriteIndexed(p, x)
	} else {
		c.sc.Write(p)
	}
	if c.err != nil {
		return 0, c.err
	}
	return len(p), nil
}

// Close ends the input.
func (c *Converter) Close() error {
	c.sc.Close()
	return c.err
}

// Add adds to t what the Converter has read and given.
func (c *Converter) Add(t *emit.Stats) {
	p, n := c.sc.Counts(), c.n.Counts()
	t.Bytes += p.Bytes
	t.Lines += int64(p.Lines)
	t.Records += int64(p.Records)
	t.Tags += int64(n.Tags)
	t.Blocks += int64(n.Status)
	t.Artifacts += int64(n.Artifacts)
	t.Repeats += int64(n.Repeats)
	if t.Skipped == nil {
		t.Skipped = emit.Skips{}
	}
	for k, v := range n.Skipped {
		t.Skipped[emit.Skip(k)] += int64(v)
	}
}

// eventHeads are how the events begin that scan writes.
var eventHeads = []string{`{"type":"tag",`, `{"type":"status",`, `{"type":"artifact",`}

const headSize = len(`{"type":"artifact",`)

// Events reports whether the input looks like events already, in which a scan
// finds nothing.
func (c *Converter) Events() bool {
	return c.sc.Counts().Records == 0 && slices.ContainsFunc(eventHeads, func(head string) bool {
		return strings.HasPrefix(string(c.head), head)
	})
}

// Unclosed tells of a top-level fence that was never closed: the line of its
// opening and how many signals it hid, 0 when there is none.
func (c *Converter) Unclosed() (line, hid int) {
	f := c.sc.Unclosed()
	switch c.o.Code {
	case "emit":
		return f.Line, 0
	case "strict":
		return f.Line, f.Tags + f.Wrapped + f.Quoted
	}
	return f.Line, f.Tags + f.Quoted
}
