// Package validate is the command that lints lists of artifact tags: those of
// its arguments, or a list a line of its input.
package validate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"tagscan/emit"
	"tagscan/emit/exit"
	"tagscan/normalize"
	"tagscan/normalize/taglist"
)

// MaxLine bounds a line of input, in bytes. A longer one is no list.
const MaxLine = 16 << 20

// Args judges one list and gives the verdict to sink. The error has the status
// exit.Negative when it is not valid.
func Args(tags []string, convention string, sink emit.Sink) error {
	return verdicts(give(sink, taglist.Check(tags, convention), 0))
}

// Lines judges a list a line, each as it comes, and passes over blank lines.
// The error has the status exit.Negative when one of them is not valid.
func Lines(in io.Reader, convention string, sink emit.Sink) error {
	r := bufio.NewReaderSize(in, 64<<10)
	valid := true
	for n := 1; ; n++ {
		line, err := readLine(r)
		if err != nil && err != io.EOF && err != errTooLong {
			return exit.With(exit.IO, fmt.Errorf("reading lists: %w", err))
		}
		if n == 1 {
			line = emit.TrimBOM(line)
		}
		var v taglist.Validation
		ok := true
		if err == errTooLong {
			v.Violations = []normalize.Violation{{Field: "tags", Reason: "too_long", Limit: MaxLine, Unit: "bytes",
				Message: "the line is too long to be a list of tags"}}
		} else {
			v, ok = taglist.Line(line, convention)
		}
		if ok {
			good, e := give(sink, v, n)
			if e != nil {
				return e
			}
			valid = valid && good
			if r.Buffered() == 0 {
				if e := sink.Flush(); e != nil {
					return e
				}
			}
		}
		if err == io.EOF {
			return verdicts(valid, nil)
		}
	}
}

func verdicts(valid bool, err error) error {
	if err == nil && !valid {
		err = exit.With(exit.Negative, nil)
	}
	return err
}

func give(sink emit.Sink, v taglist.Validation, line int) (bool, error) {
	e := &emit.Validation{Tags: v.Tags, Violations: v.Violations}
	e.Line = line
	return v.Valid, sink.Event(e)
}

var errTooLong = errors.New("line too long")

// readLine reads one line without its line end. What is longer than MaxLine is
// passed over and is errTooLong. The last line has io.EOF with it.
func readLine(r *bufio.Reader) ([]byte, error) {
	var long []byte
	size := 0
	for {
		b, err := r.ReadSlice('\n')
		size += len(b)
		if size > MaxLine {
			long = nil
		}
		switch {
		case err == bufio.ErrBufferFull:
			if size <= MaxLine {
				long = append(long, b...)
			}
			continue
		case size > MaxLine && (err == nil || err == io.EOF):
			return nil, errTooLong
		case long != nil:
			b = append(long, b...)
		}
		return bytes.TrimSuffix(b, []byte{'\n'}), err
	}
}
