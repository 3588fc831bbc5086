package parse

// A store is the bytes of one line. Lines of a transcript have megabytes, a few
// of them, so what a long one takes is given back when it is done with, and not
// left to the garbage collector, which would let twice as much pile up.
type store struct {
	b   []byte
	far []byte // memory for long lines, where the system lends it
	max int    // what it must hold at the most
}

// nearSize is how long a line may be that is kept on the heap.
const nearSize = 256 << 10

func (s *store) len() int { return len(s.b) }

func (s *store) append(b []byte) {
	s.room(len(b))
	s.b = append(s.b, b...)
}

// room makes room for n more bytes, if they are too many for the heap.
func (s *store) room(n int) {
	if n += len(s.b); n <= nearSize || n <= cap(s.b) || n > s.max {
		return
	}
	if s.far == nil {
		s.far = reserve(s.max)
	}
	if s.far != nil {
		s.b = append(s.far[:0], s.b...)
	}
}

// reset forgets the line.
func (s *store) reset() {
	if cap(s.b) <= nearSize*2 {
		s.b = s.b[:0]
		return
	}
	if s.far != nil {
		giveBack(s.far[:len(s.b)])
	}
	s.b = nil
}

// close gives back all memory.
func (s *store) close() {
	s.b = nil
	if s.far != nil {
		release(s.far)
		s.far = nil
	}
}
