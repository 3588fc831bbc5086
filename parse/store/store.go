// Package store holds the bytes of one thing at a time that is short nearly
// always and megabytes long now and then: a line, a record. What a long one
// takes is given back to the system when it is done with, and not left to the
// garbage collector, which would let twice as much pile up. An [Array] is the same
// for tables that grow.
package store

// Near is up to what length the bytes are kept on the heap.
const Near = 256 << 10

// A Store holds bytes. The zero Store is ready; it keeps all on the heap.
type Store struct {
	// Max is how many bytes it must hold outside the heap at the most.
	Max int

	b   []byte
	far []byte // memory outside the heap, where the system lends it

	used  int // of far, in bytes
	short int // how many short ones have come since the last long one
}

// Len is how many bytes are held.
func (s *Store) Len() int { return len(s.b) }

// Bytes are the bytes that are held, valid until the next call.
func (s *Store) Bytes() []byte { return s.b }

// Append adds b, which must not be a part of what is held.
func (s *Store) Append(b []byte) {
	s.room(len(b))
	s.b = append(s.b, b...)
}

// Fill holds what f appends to its argument, at most n bytes, and nothing else.
func (s *Store) Fill(n int, f func(dst []byte) []byte) {
	s.Reset()
	s.room(n)
	s.b = f(s.b)
}

// room makes room for n more bytes, if they are too many for the heap.
func (s *Store) room(n int) {
	if n += len(s.b); n <= Near || n <= cap(s.b) || n > s.Max {
		return
	}
	if s.far == nil {
		s.far = reserve(s.Max, false)
		huge(s.far)
	}
	if s.far != nil {
		s.b = append(s.far[:0], s.b...)
	}
}

// Drop takes off all but the n bytes from i on.
func (s *Store) Drop(i, n int) {
	if i > 0 || n < len(s.b) {
		keep := append([]byte(nil), s.b[i:i+n]...)
		s.Reset()
		s.Append(keep)
	}
}

// Reset forgets the bytes.
func (s *Store) Reset() {
	if cap(s.b) <= 2*Near {
		s.b = s.b[:0]
		return
	}
	if s.far == nil || len(s.b) > len(s.far) {
		s.b = nil
		return
	}
	// Another long one may come soon, and the system takes longer to lend memory
	// than the bytes take to be read.
	if s.short++; len(s.b) > Near {
		s.short, s.used = 0, max(s.used, len(s.b))
	}
	s.b = s.b[:0]
	if s.short == patience {
		giveBack(s.far[:min(len(s.far), wholePages(s.used))])
		s.b, s.short, s.used = nil, 0, 0
	}
}

// patience is for how many short ones the memory of a long one is kept.
const patience = 256

// Take gives the bytes away, on the heap, and closes the Store.
func (s *Store) Take() []byte {
	b := s.b
	if s.far != nil {
		b = append([]byte(nil), b...)
	}
	s.Close()
	return b
}

// Close gives back all memory. The Store can be used again.
func (s *Store) Close() {
	s.b, s.short, s.used = nil, 0, 0
	if s.far != nil {
		release(s.far)
		s.far = nil
	}
}
