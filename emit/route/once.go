package route

import (
	"hash/maphash"
	"math/bits"
)

// newestSubjects is how many subjects are remembered for each queue.
const newestSubjects = 65536

// A subjects remembers the newest subjects of a queue, 8 bytes each and at least
// twice that in a table: the sums of a hash that is seeded anew in every process.
// Two subjects with one sum would be taken for the same: among 65,536, the chance
// is one in four billion.
type subjects struct {
	seed  maphash.Seed
	ring  []uint64 // in the order they came
	next  int      // where the oldest is, once the ring is full
	table []uint64 // open addressing, linear probing; 0 is free
	shift int
}

// seen remembers a subject, and tells whether it was remembered already.
func (s *subjects) seen(subject string) bool {
	if s.table == nil {
		s.seed = maphash.MakeSeed()
		s.grow(1 << 8)
	}
	sum := maphash.String(s.seed, subject) | 1 // never 0
	i := s.find(sum)
	if s.table[i] == sum {
		return true
	}
	if len(s.ring) < newestSubjects {
		s.table[i] = sum
		if s.ring = append(s.ring, sum); len(s.ring) > len(s.table)/2 {
			s.grow(2 * len(s.table))
		}
		return false
	}
	s.remove(s.ring[s.next])
	s.ring[s.next] = sum
	s.next = (s.next + 1) % newestSubjects
	s.table[s.find(sum)] = sum
	return false
}

// find is where a sum is, or the free place where it belongs.
func (s *subjects) find(sum uint64) int {
	i := s.home(sum)
	for s.table[i] != 0 && s.table[i] != sum {
		i = (i + 1) & (len(s.table) - 1)
	}
	return i
}

func (s *subjects) home(sum uint64) int { return int(sum >> s.shift) }

func (s *subjects) grow(size int) {
	s.table = make([]uint64, size)
	s.shift = 65 - bits.Len(uint(size))
	for _, sum := range s.ring {
		s.table[s.find(sum)] = sum
	}
}

// remove takes a sum out and moves back those that had to give way to it.
func (s *subjects) remove(sum uint64) {
	mask := len(s.table) - 1
	hole := s.find(sum)
	for i := (hole + 1) & mask; s.table[i] != 0; i = (i + 1) & mask {
		// What is at i may move to the hole unless its home lies behind it.
		if (i-s.home(s.table[i]))&mask >= (i-hole)&mask {
			s.table[hole] = s.table[i]
			hole = i
		}
	}
	s.table[hole] = 0
}
