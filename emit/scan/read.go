package scan

import (
	"errors"
	"io"

	"tagscan/parse"
)

// The input is read ahead in a goroutine of its own, which makes each chunk's
// Index too, so that the next chunk is ready when this one is done with. Larger
// chunks gain nothing.
const (
	chunkSize = 256 << 10
	chunks    = 8
)

// flushEvery is after how many chunks there is a flush at the latest, where there
// is more at hand already: a few milliseconds.
const flushEvery = 4

type chunk struct {
	b   []byte
	x   *parse.Index
	n   int
	err error
}

// Read writes what r gives to c and calls flush whenever everything that has
// been read so far was written, before it waits for more. It returns the first
// error of r, io.EOF aside, of c or of flush. After one of these a read of r may
// still be going on until r is closed: nobody else can go on reading it.
func Read(c *Converter, r io.Reader, flush func() error) error {
	full := make(chan *chunk, chunks)
	free := make(chan *chunk, chunks)
	done := make(chan struct{})
	defer close(done)
	go func() {
		made := 0
		for {
			var k *chunk
			select {
			case k = <-free:
			default:
				if made < chunks {
					made++
					k = &chunk{b: make([]byte, chunkSize), x: c.Index()}
					break
				}
				select {
				case k = <-free:
				case <-done:
					return
				}
			}
			k.n, k.err = r.Read(k.b)
			k.x.Make(k.b[:k.n])
			err := k.err
			select {
			case full <- k:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	held := 0 // chunks since the last flush
	// Chunks go back in lots as long as enough of them lie ahead: each time the
	// other goroutine has to be woken.
	var spare []*chunk
	for k := range full {
		if k.n > 0 {
			if _, err := c.WriteIndexed(k.b[:k.n], k.x); err != nil {
				return err
			}
			if held++; held == flushEvery || len(full) == 0 {
				held = 0
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if k.err != nil {
			if held > 0 {
				if err := flush(); err != nil {
					return err
				}
			}
			if errors.Is(k.err, io.EOF) {
				return nil
			}
			return k.err
		}
		if spare = append(spare, k); len(spare) == chunks/2 || len(full) < 3 {
			for _, k := range spare {
				free <- k
			}
			spare = spare[:0]
		}
	}
	return nil
}
