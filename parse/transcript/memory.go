package transcript

import (
	"hash/maphash"
	"runtime"

	"tagscan/parse/jsonrec"
	"tagscan/parse/store"
)

// A recent remembers what belongs to a hash: at least the newest 65,536 of them,
// at most twice as many. Two generations of an open table cost less memory than
// Go's maps, and leave no garbage when the older one is dropped.
type recent[V any] struct {
	young, old table[V]
}

// A table is an open table of hashes; the hash 0 stands for a free slot.
type table[V any] struct {
	keys store.Array[uint64]
	vals store.Array[V]
	n    int
}

// slot is where h is, or where it would be put.
func (t *table[V]) slot(h uint64) int {
	keys := t.keys.V
	mask := uint64(len(keys) - 1)
	i := h & mask
	for keys[i] != 0 && keys[i] != h {
		i = (i + 1) & mask
	}
	runtime.KeepAlive(t)
	return int(i)
}

func (t *table[V]) get(h uint64) (v V, ok bool) {
	if t.n == 0 {
		return v, false
	}
	i := t.slot(h)
	return t.vals.V[i], t.keys.V[i] == h
}

func (t *table[V]) put(h uint64, v V) {
	if 8*t.n >= 7*len(t.keys.V) {
		was := *t
		size := max(64, 2*len(was.keys.V))
		*t = table[V]{keys: store.NewArray[uint64](size), vals: store.NewArray[V](size), n: was.n}
		for i, k := range was.keys.V {
			if k != 0 {
				j := t.slot(k)
				t.keys.V[j], t.vals.V[j] = k, was.vals.V[i]
			}
			was.keys.Done(i)
			was.vals.Done(i)
		}
		was.keys.Free()
		was.vals.Free()
	}
	i := t.slot(h)
	if t.keys.V[i] == 0 {
		t.keys.V[i] = h
		t.n++
	}
	t.vals.V[i] = v
}

func (t *table[V]) clear() {
	clear(t.keys.V)
	clear(t.vals.V)
	t.n = 0
}

// get is what is remembered of h.
func (m *recent[V]) get(h uint64) (V, bool) {
	h = max(h, 1)
	if v, ok := m.young.get(h); ok {
		return v, true
	}
	return m.old.get(h)
}

// put remembers v of h.
func (m *recent[V]) put(h uint64, v V) {
	m.young.put(max(h, 1), v)
	if m.young.n >= remember {
		m.young, m.old = m.old, m.young
		m.young.clear()
	}
}

// add remembers h, and reports whether it was not remembered before.
func (m *recent[V]) add(h uint64) bool {
	var zero V
	_, ok := m.get(h)
	m.put(h, zero)
	return !ok
}

// len is how many are remembered, those in both generations twice.
func (m *recent[V]) len() int { return m.young.n + m.old.n }

const (
	// maxRows is how many rows of one message are compared with the next. A
	// message that grows does so from its newest row.
	maxRows = 16
	// ringRows is how many rows are remembered in all, the newest of them.
	ringRows  = 4 * remember
	chunkRows = 4096
)

// rows remembers the texts of the rows of messages, as hashes of the texts and
// their lengths.
type rows struct {
	newest recent[uint32] // of a message, the number of its newest row
	ring   [ringRows / chunkRows]store.Array[row]
	n      uint32 // rows so far; it may wrap around, long after they are forgotten
}

type row struct {
	sum  uint64
	len  uint32
	link uint32 // chain and back, so that there are 16 bytes
}

const (
	backBits  = 18 // enough for ringRows
	chainMask = 1<<(32-backBits) - 1
)

// back is how many rows before this the message's last one is, or 0.
func (w *row) back() uint32 { return w.link & (1<<backBits - 1) }

// chain is the number of the row that this has grown out of, or its own. Rows of
// one message that are as many rows apart as there are numbers do not matter.
func (w *row) chain() uint32 { return w.link >> backBits }

func (m *rows) at(n uint32) *row {
	i := n % ringRows
	return &m.ring[i/chunkRows].V[i%chunkRows]
}

// get appends the rows of a message to list, the newest first.
func (m *rows) get(id uint64, list []row) []row {
	n, ok := m.newest.get(id)
	for ok && m.n-n <= ringRows && len(list) < maxRows {
		w := m.at(n)
		list = append(list, *w)
		ok = w.back() != 0
		n -= w.back()
	}
	return list
}

// put adds a row of n bytes to a message.
func (m *rows) put(id, sum uint64, n int, chain uint32) {
	w := row{sum: sum, len: uint32(n), link: chain << backBits}
	if last, ok := m.newest.get(id); ok && m.n-last < ringRows {
		w.link |= m.n - last
	}
	chunk := &m.ring[m.n%ringRows/chunkRows]
	if chunk.V == nil {
		*chunk = store.NewArray[row](chunkRows)
	}
	*m.at(m.n) = w
	m.newest.put(id, m.n)
	m.n++
}

// A growth compares the text of a row with those of the earlier rows of its
// message while the text is read.
type growth struct {
	id    uint64
	list  []row
	buf   [maxRows]row
	sum   maphash.Hash
	n     int
	chain uint32 // of the longest row that it has grown out of, else a new one
	grown bool
	same  bool // an earlier row had this very text
	first bool // there is no earlier row: what is delivered is the row's text
}

// startRow begins a row of the message with that hash.
func (d *Decoder) startRow(id uint64) *growth {
	g := &d.growth
	g.id, g.n, g.grown, g.same, g.first = id, 0, false, false, false
	g.list = d.rows.get(id, g.buf[:0])
	g.sum.SetSeed(d.seed)
	g.chain = d.rows.n & chainMask
	return g
}

// write adds b to the row's text. Where an earlier row was so long the two are
// compared.
func (g *growth) write(b []byte) {
	for len(b) > 0 {
		// The next length at which to stop.
		k := len(b)
		for _, w := range g.list {
			if d := int(w.len) - g.n; d > 0 && d < k {
				k = d
			}
		}
		g.sum.Write(b[:k])
		g.n += k
		b = b[k:]
		g.same = false
		for _, w := range g.list {
			if int(w.len) == g.n && w.sum == g.sum.Sum64() {
				g.grown, g.same, g.chain = true, true, w.chain()
			}
		}
	}
}

// writeValue adds the string v.
func (g *growth) writeValue(v jsonrec.Value, buf []byte) {
	t := v.Text()
	for b := t.Next(buf); b != nil; b = t.Next(buf) {
		g.write(b)
	}
}

// endRow remembers the row. A row without text is the beginning of any text, and
// no row.
func (d *Decoder) endRow(g *growth) {
	if g.n > 0 && !g.same {
		d.rows.put(g.id, g.sum.Sum64(), g.n, g.chain)
	}
}
