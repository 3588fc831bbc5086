package jq

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"tagscan/emit"
	"tagscan/emit/exit"
	"tagscan/emit/term"
)

// FilterOptions are the options of a Filter.
type FilterOptions struct {
	// Flag is how errors call the expression: "-q", say; "expression" when empty.
	Flag string
	// Terminal says that out is a terminal: control and bidi characters of raw
	// strings are shown escaped.
	Terminal bool
}

// A Filter applies one expression to a stream of events and prints its outputs
// in gojq's form: strings raw, all else as compact JSON with sorted keys, a
// line each. Outputs are written as soon as they are there, in the order of the
// events; nothing needs to be flushed for that.
//
// A failing expression is said on errw, and the next event is read.
type Filter struct {
	e      *engine
	out    *bufio.Writer
	errw   io.Writer
	flag   string
	bad    emit.BadLines
	faults int64
}

// NewFilter starts a Filter that writes to out. An error of the expression is an
// [*ExprError] and has the exit status [exit.Usage].
func NewFilter(expr string, opts FilterOptions, out, errw io.Writer) (*Filter, error) {
	f := &Filter{errw: errw, flag: opts.Flag}
	if f.flag == "" {
		f.flag = "expression"
	}
	if opts.Terminal {
		out = &TerminalWriter{W: out}
	}
	f.out = bufio.NewWriterSize(out, 64<<10)
	e, err := start(&job{Exprs: []string{expr}, Filter: true}, (*filterSink)(f))
	if err != nil {
		var x *ExprError
		if errors.As(err, &x) {
			return nil, exit.With(exit.Usage, fmt.Errorf("%s: %w", f.flag, x))
		}
		return nil, exit.With(exit.IO, err)
	}
	f.e = e
	return f, nil
}

// Write takes a piece of a stream of events, one a line, of any size.
func (f *Filter) Write(p []byte) (int, error) { return f.e.Write(p) }

// Process takes one event, with or without a line end.
func (f *Filter) Process(event []byte) error {
	if _, err := f.e.Write(event); err != nil {
		return err
	}
	if n := len(event); n == 0 || event[n-1] != '\n' {
		_, err := f.e.Write([]byte("\n"))
		return err
	}
	return nil
}

// Flush waits until the output of all events so far is written.
func (f *Filter) Flush() error { return f.e.Flush() }

// Close waits for the output of all events and ends the worker. Its error has
// the exit status: [exit.IO] for a failed write and for lines that were no JSON
// objects, [exit.Fault] when the expression failed on an event.
func (f *Filter) Close() error {
	if err := f.e.Close(); err != nil {
		return exit.With(exit.IO, err)
	}
	if f.bad.N > 0 {
		fmt.Fprintf(f.errw, "tagscan: %s\n", &f.bad)
	}
	switch {
	case f.faults > 0:
		return exit.With(exit.Fault, nil)
	case f.bad.N > 0:
		return exit.With(exit.IO, nil)
	}
	return nil
}

// filterSink is the Filter as its engine sees it.
type filterSink Filter

func (f *filterSink) output(p []byte) error {
	_, err := f.out.Write(p)
	return err
}

func (f *filterSink) flush() error { return f.out.Flush() }

func (f *filterSink) answer(event []byte, n int64, a *Answer) error {
	switch a.Kind {
	case Bad:
		f.bad.Add(event, n)
	case Fault:
		f.faults++
		// What came out before belongs before the message.
		if err := f.out.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(f.errw, "tagscan: %s: %s: %s: %s\n", f.flag, place(event, n), a.Cause, strings.TrimPrefix(a.Message, a.Cause+": "))
	}
	return nil
}

// place is where the input of a scan has what became event number n.
func place(event []byte, n int64) string {
	var at struct {
		File string
		Line int64
	}
	if json.Unmarshal(event, &at) != nil || at.Line <= 0 {
		return fmt.Sprintf("line %d", n)
	}
	where := fmt.Sprintf("line %d", at.Line)
	if at.File != "" {
		where = term.Safe(at.File) + ": " + where
	}
	return where
}
