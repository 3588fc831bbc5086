package scan

import (
	"errors"
	"io"
)

// The input is read ahead in a goroutine of its own, so that the next chunk is
// there when this one is done with. Larger chunks gain nothing.
const (
	chunkSize = 256 << 10
	chunks    = 3
)

type chunk struct {
	b   []byte
	n   int
	err error
}

// Read writes what r gives to w and calls flush whenever everything that has
// been read so far was written, before it waits for more. It returns the first
// error of r, io.EOF aside, of w or of flush.
func Read(w io.Writer, r io.Reader, flush func() error) error {
	full := make(chan chunk, chunks)
	free := make(chan []byte, chunks)
	done := make(chan struct{})
	defer close(done)
	go func() {
		made := 0
		for {
			var b []byte
			select {
			case b = <-free:
			default:
				if made < chunks {
					made++
					b = make([]byte, chunkSize)
					break
				}
				select {
				case b = <-free:
				case <-done:
					return
				}
			}
			n, err := r.Read(b)
			select {
			case full <- chunk{b, n, err}:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for c := range full {
		if c.n > 0 {
			if _, err := w.Write(c.b[:c.n]); err != nil {
				return err
			}
			if err := flush(); err != nil {
				return err
			}
		}
		if errors.Is(c.err, io.EOF) {
			return nil
		}
		if c.err != nil {
			return c.err
		}
		free <- c.b
	}
	return nil
}
