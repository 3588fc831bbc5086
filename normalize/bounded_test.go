package normalize

import (
	"hash/maphash"
	"math/rand/v2"
	"testing"
)

// lru is the plain model: keys in the order of their last use.
type lru struct {
	last map[uint64]int
	now  int
}

func (l *lru) use(h uint64) { l.now++; l.last[h] = l.now }

// newest tells whether h is among the n keys used last.
func (l *lru) newest(h uint64, n int) bool {
	at, ok := l.last[h]
	if !ok {
		return false
	}
	newer := 0
	for _, t := range l.last {
		if t > at {
			newer++
		}
	}
	return newer < n
}

func mix(x uint64) uint64 { // splitmix64: spread keys as a hash does
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func TestBoundedRemembersTheNewest(t *testing.T) {
	patterns := []struct {
		name string
		key  func(r *rand.Rand, i int) uint64
	}{
		{"ever new", func(r *rand.Rand, i int) uint64 { return uint64(i) }},
		{"few hot ones", func(r *rand.Rand, i int) uint64 { return uint64(i % 20) }},
		{"hot and new", func(r *rand.Rand, i int) uint64 {
			if i%3 > 0 {
				return uint64(i % 30)
			}
			return uint64(1000 + i)
		}},
		{"cycle of the bound", func(r *rand.Rand, i int) uint64 { return uint64(i % 64) }},
		{"cycle past the bound", func(r *rand.Rand, i int) uint64 { return uint64(i % 100) }},
		{"random", func(r *rand.Rand, i int) uint64 { return r.Uint64N(150) }},
		{"skewed", func(r *rand.Rand, i int) uint64 { return uint64(r.ExpFloat64() * 50) }},
		{"one slot", func(r *rand.Rand, i int) uint64 { return uint64(i%90) << 40 }},
	}
	for _, p := range patterns {
		t.Run(p.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			m, model := newBounded[uint64](64), &lru{last: map[uint64]int{}}
			for i := range 6000 {
				h := p.key(r, i)
				if p.name == "one slot" {
					h = h&^genMask | 1<<8
				} else {
					h = mix(h)
				}
				sure := model.newest(h&^genMask, 64)
				v, known := m.at(h)
				if known && *v != h|1 {
					t.Fatalf("use %d: value %x of key %x", i, *v, h)
				}
				if !known && *v != 0 {
					t.Fatalf("use %d: a new key has the value %x", i, *v)
				}
				if sure && !known {
					t.Fatalf("use %d: forgot a key among the newest 64", i)
				}
				if _, ever := model.last[h&^genMask]; known && !ever {
					t.Fatalf("use %d: knows a key that never was", i)
				}
				*v = h | 1
				model.use(h &^ genMask)
				if m.n > 80 || len(m.words.V) > 128 {
					t.Fatalf("use %d: %d keys in %d slots", i, m.n, len(m.words.V))
				}
			}
			live := 0
			for _, w := range m.words.V {
				if w != 0 {
					live++
				}
			}
			total := 0
			for _, n := range m.size {
				total += int(n)
			}
			if live != m.n || total != m.n {
				t.Errorf("%d slots taken, %d keys by generation, n = %d", live, total, m.n)
			}
		})
	}
}

func TestBoundedSize(t *testing.T) {
	m := newBounded[struct{}](tagKeys)
	if len(m.words.V) != 0 {
		t.Errorf("%d slots before the first key", len(m.words.V))
	}
	m.add(mix(0))
	if len(m.words.V) != firstSlots {
		t.Errorf("%d slots for one key, want %d", len(m.words.V), firstSlots)
	}
	for i := range uint64(1_000_000) {
		m.add(mix(i))
	}
	if got, most := 8*len(m.words.V), 4<<20; got > most {
		t.Errorf("%d bytes when full, want at most %d", got, most)
	}
	for i := uint64(1_000_000 - tagKeys); i < 1_000_000; i++ {
		if m.get(mix(i)) == nil {
			t.Fatalf("key %d of 1000000 is forgotten", i)
		}
	}
	if m.get(mix(1)) != nil {
		t.Error("the oldest key is still known")
	}
}

func BenchmarkBounded(b *testing.B) {
	seed := maphash.MakeSeed()
	m := newBounded[struct{}](tagKeys)
	value := []byte("https://github.com/acme/core/pull/00000000")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for j, n := len(value)-1, i; n > 0 && j > 30; j, n = j-1, n/10 {
			value[j] = byte('0' + n%10)
		}
		m.add(maphash.Bytes(seed, value))
	}
}
