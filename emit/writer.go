package emit

import (
	"io"

	"tagscan/emit/exit"
	"tagscan/normalize"
)

// bufferSize is a pipe's usual capacity: more would not leave in one go. It is
// a variable so that tests can force every boundary.
var bufferSize = 64 << 10

// A Sink takes events in their order. Flush passes on what it still holds.
type Sink interface {
	Event(normalize.Event) error
	Flush() error
}

// A Writer is the NDJSON sink: it gathers whole lines in a buffer of 64 KiB
// and writes them when it is full, and at [Writer.Flush]. A line that fits the
// buffer is never split between two writes, a longer one is written in one of
// its own.
//
// The first failed write ends it: every later call returns the same error,
// which has the exit status [exit.IO]. A closed pipe downstream shows only
// where writing to it does not end the process with SIGPIPE, as it does on
// standard output.
type Writer struct {
	w   io.Writer
	buf []byte
	err error
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, buf: make([]byte, 0, bufferSize)}
}

// Event adds the JSON line of e.
func (w *Writer) Event(e normalize.Event) error {
	if w.err != nil {
		return w.err
	}
	mark := len(w.buf)
	w.buf = AppendEvent(w.buf, e)
	return w.added(mark)
}

// Write adds p, which is one or more whole lines, and keeps them together. It
// does not keep p.
func (w *Writer) Write(p []byte) (int, error) {
	if len(w.buf)+len(p) > bufferSize {
		w.Flush()
	}
	switch {
	case w.err != nil:
		return 0, w.err
	case len(p) > bufferSize:
		w.send(p) // not by way of the buffer, which would have to grow
	default:
		w.buf = append(w.buf, p...)
	}
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// added makes room after the lines from mark on were added to the buffer.
func (w *Writer) added(mark int) error {
	if len(w.buf) <= bufferSize {
		return nil
	}
	w.send(w.buf[:mark])
	last := w.buf[mark:]
	if len(last) > bufferSize {
		w.send(last)
		last = nil
	}
	// The buffer has grown past its bound: begin a new one of the right size.
	w.buf = append(make([]byte, 0, bufferSize), last...)
	return w.err
}

// Flush writes what the buffer holds.
func (w *Writer) Flush() error {
	w.send(w.buf)
	w.buf = w.buf[:0]
	return w.err
}

func (w *Writer) send(p []byte) {
	if w.err != nil || len(p) == 0 {
		return
	}
	n, err := w.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.err = exit.With(exit.IO, err)
	}
}
