package scan

import (
	"errors"
	"io"
	"sync/atomic"

	"tagscan/parse"
	"tagscan/parse/store"
)

// The input is read ahead in a goroutine of its own, which makes each chunk's
// Index too, so that the next chunk is ready when this one is done with. Where that
// takes longer than what is done with it, now and then a chunk is handed over
// without. Larger chunks gain nothing.
const (
	chunkSize = 256 << 10
	chunks    = 8 // those behind the first are in one large page
)

// flushEvery is after how many chunks there is a flush at the latest, where there
// is more at hand already: a few milliseconds.
const flushEvery = 4

type chunk struct {
	b    []byte
	x    *parse.Index
	made bool // x is of b
	n    int
	err  error
}

// Read writes what r gives to c and calls flush whenever everything that has
// been read so far was written, before it waits for more. It returns the first
// error of r, io.EOF aside, of c or of flush. After one of these a read of r may
// still be going on until r is closed: nobody else can go on reading it.
func Read(c *Converter, r io.Reader, flush func() error) error {
	a := &ahead{
		r: r, index: c.index,
		full: make(chan *chunk, chunks), free: make(chan *chunk, chunks), done: make(chan struct{}),
	}
	defer close(a.done)
	go a.read()
	held := 0 // chunks since the last flush
	for {
		k := a.next()
		if k.n > 0 {
			if !k.made {
				k.x.Make(k.b[:k.n])
			}
			if _, err := c.writeIndexed(k.b[:k.n], k.x); err != nil {
				return err
			}
			held++
		}
		if held > 0 && (held == flushEvery || len(a.full) == 0 || k.err != nil) {
			held = 0
			if err := flush(); err != nil {
				return err
			}
		}
		if errors.Is(k.err, io.EOF) {
			a.rest.Free() // who reads has ended, too
			return nil
		}
		if k.err != nil {
			return k.err
		}
		a.giveBack(k)
	}
}

// An ahead reads an input ahead of what is done with it.
type ahead struct {
	r     io.Reader
	index func() *parse.Index

	full, free chan *chunk
	awaited    atomic.Bool       // nothing is in full, and somebody waits for it
	done       chan struct{}     // closed when nothing more is wanted
	spare      []*chunk          // that are not given back yet
	rest       store.Array[byte] // of the chunks behind the first
}

// next waits for the next chunk.
func (a *ahead) next() *chunk {
	select {
	case k := <-a.full:
		return k
	default:
	}
	a.awaited.Store(true)
	k := <-a.full
	a.awaited.Store(false)
	return k
}

// read fills chunks, the last one with an error, until nothing more is wanted.
func (a *ahead) read() {
	var room []byte
	early := 0 // for how many chunks this is known to be the one who waits
	for made := 0; ; {
		var k *chunk
		select {
		case k = <-a.free:
		default:
			if made < chunks {
				// A large input takes all of them, and its memory is none of the
				// garbage collector's.
				if made++; made == 1 {
					room = make([]byte, chunkSize)
				} else if made == 2 {
					a.rest = store.NewBuffer((chunks - 1) * chunkSize)
					room = a.rest.V
				}
				k = &chunk{b: room[:chunkSize:chunkSize], x: a.index()}
				room = room[chunkSize:]
				break
			}
			early = 2 * chunks
			select {
			case k = <-a.free:
			case <-a.done:
				return
			}
		}
		k.n, k.err = a.r.Read(k.b)
		if early > 0 {
			early--
		}
		if k.made = early > 0 || !a.awaited.Swap(false); k.made {
			k.x.Make(k.b[:k.n])
		}
		err := k.err
		select {
		case a.full <- k:
		case <-a.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// giveBack gives a chunk back to be filled again: in lots as long as enough of
// them lie ahead, as each time the other goroutine has to be woken.
func (a *ahead) giveBack(k *chunk) {
	if a.spare = append(a.spare, k); len(a.spare) < chunks/2 && len(a.full) >= 3 {
		return
	}
	for _, k := range a.spare {
		a.free <- k
	}
	a.spare = a.spare[:0]
}
