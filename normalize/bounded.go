package normalize

import (
	"runtime"

	"tagscan/parse/store"
)

// bounded is a map from 64-bit hashes to V that remembers at least the most
// keys that were used last, and forgets older ones: memory is bounded by the
// option and never by the input. It starts small, and grows with what it holds.
//
// It is one open-addressing table without pointers. Time is cut into
// generations: the current one ends when an eighth of the bound belongs to it,
// and each slot holds the generation of its last use. When the table holds a
// quarter more than the bound, the oldest generations are swept out that leave
// the bound. As each holds an eighth at most, more than an eighth goes, and a
// sweep costs no more than sixteen slots for each key that came.
//
// Of a hash the upper 56 bits are kept. With keys that cannot be predicted
// (hash/maphash), the chance that any two of 262,144 are taken for one another
// is one in two million.
type bounded[V any] struct {
	most  int                 // a power of two, at least 64
	words store.Array[uint64] // hash &^ genMask | generation; 0 for a free slot
	vals  store.Array[V]
	n     int
	gen   uint64 // the current generation, from 1 to genMask
	size  [genMask + 1]int32
}

const (
	genMask    = 0xff
	firstSlots = 64
)

func newBounded[V any](most int) *bounded[V] { return &bounded[V]{most: most, gen: 1} }

// get returns where h's value is, or nil, and counts a use. The pointer is good
// until the next call of at.
func (m *bounded[V]) get(h uint64) *V {
	if m.n == 0 {
		return nil
	}
	i, ok := m.find(h)
	if !ok {
		return nil
	}
	return m.use(i, h)
}

// use counts a use of h, which is in slot i.
func (m *bounded[V]) use(i int, h uint64) *V {
	m.size[m.words.V[i]&genMask]--
	m.stamp(i, h)
	return &m.vals.V[i]
}

// at returns where h's value is, a zero value if it is new, and counts a use.
// The pointer is good until the next call.
func (m *bounded[V]) at(h uint64) (v *V, known bool) {
	if len(m.words.V) == 0 {
		m.grow()
	}
	i, ok := m.find(h)
	if ok {
		return m.use(i, h), true
	}
	// Fuller than three quarters probes are long; at the bound's two slots a key
	// the fill is never more than five eighths.
	switch {
	case m.n == m.most+m.most/4:
		m.sweep()
		i, _ = m.find(h)
	case m.n >= len(m.words.V)/4*3 && len(m.words.V) < 2*m.most:
		m.grow()
		i, _ = m.find(h)
	}
	var zero V
	m.vals.V[i] = zero
	m.n++
	m.stamp(i, h)
	return &m.vals.V[i], false
}

// add puts h into a set and tells whether it was there.
func (m *bounded[V]) add(h uint64) (known bool) {
	_, known = m.at(h)
	return known
}

// find returns h's slot, or the free one where it belongs.
func (m *bounded[V]) find(h uint64) (i int, ok bool) {
	words := m.words.V
	mask := len(words) - 1
	for i = home(h) & mask; words[i] != 0 && words[i]&^genMask != h&^genMask; {
		i = (i + 1) & mask
	}
	ok = words[i] != 0
	runtime.KeepAlive(m)
	return i, ok
}

// home chooses the slot from the bits that are kept.
func home(h uint64) int { return int(h >> 8 & (1<<31 - 1)) }

// stamp gives slot i to h, last used in the current generation.
func (m *bounded[V]) stamp(i int, h uint64) {
	if int(m.size[m.gen]) >= m.most/8 {
		if m.gen == genMask {
			m.renumber()
		}
		m.gen++
	}
	m.words.V[i] = h&^genMask | m.gen
	m.size[m.gen]++
}

// renumber joins neighbouring generations while they stay within the size of
// one, which leaves at most 21: of two neighbours more than an eighth.
func (m *bounded[V]) renumber() {
	var to [genMask + 1]uint64
	var size [genMask + 1]int32
	gen := uint64(1)
	for g := range m.size {
		if int(size[gen]+m.size[g]) > m.most/8 {
			gen++
		}
		size[gen] += m.size[g]
		to[g] = gen
	}
	m.gen, m.size = gen, size
	for i, w := range m.words.V {
		if w != 0 {
			m.words.V[i] = w&^genMask | to[w&genMask]
		}
	}
}

// sweep drops the oldest generations, as many as leave the bound.
func (m *bounded[V]) sweep() {
	keep, oldest := m.n, uint64(0)
	for keep-int(m.size[oldest]) >= m.most {
		keep -= int(m.size[oldest])
		m.size[oldest] = 0
		oldest++
	}
	for i := range m.words.V {
		for m.words.V[i] != 0 && m.words.V[i]&genMask < oldest {
			m.delete(i)
		}
	}
}

// delete frees slot i and closes the gap in its run, so that no probe stops
// short.
func (m *bounded[V]) delete(i int) {
	mask := len(m.words.V) - 1
	m.n--
	for j := i; ; {
		j = (j + 1) & mask
		if m.words.V[j] == 0 {
			m.words.V[i] = 0
			return
		}
		// What is in j may move to i unless its probe starts behind i.
		if from := home(m.words.V[j]) & mask; (j-from)&mask >= (j-i)&mask {
			m.words.V[i], m.vals.V[i] = m.words.V[j], m.vals.V[j]
			i = j
		}
	}
}

func (m *bounded[V]) grow() {
	words, vals := m.words, m.vals
	n := max(firstSlots, 2*len(words.V))
	m.words, m.vals = store.NewArray[uint64](n), store.NewArray[V](n)
	for i, w := range words.V {
		if w != 0 {
			j, _ := m.find(w)
			m.words.V[j], m.vals.V[j] = w, vals.V[i]
		}
		words.Done(i)
		vals.Done(i)
	}
	words.Free()
	vals.Free()
}
