package transcript

import (
	"hash/maphash"

	"tagscan/parse/jsonrec"
)

// A recent remembers what belongs to a hash: at least the newest 65,536 of them,
// at most twice as many. Two generations are cheaper than a list of what was
// used when.
type recent[V any] struct {
	young, old map[uint64]V
}

// get is what is remembered of h.
func (m *recent[V]) get(h uint64) (V, bool) {
	if v, ok := m.young[h]; ok {
		return v, true
	}
	v, ok := m.old[h]
	return v, ok
}

// put remembers v of h.
func (m *recent[V]) put(h uint64, v V) {
	if m.young == nil {
		m.young = make(map[uint64]V)
	}
	m.young[h] = v
	if len(m.young) >= remember {
		m.old, m.young = m.young, nil
	}
}

// add remembers h, and reports whether it was not remembered before.
func (m *recent[V]) add(h uint64) bool {
	var zero V
	_, ok := m.get(h)
	m.put(h, zero)
	return !ok
}

// forget drops everything.
func (m *recent[V]) forget() { m.young, m.old = nil, nil }

// maxRows is how many rows of one message are compared with the next. A message
// that grows does so from its newest row.
const maxRows = 16

// rows remembers the texts of the rows of messages, as hashes of the texts and
// their lengths. What is kept of a message is its newest maxRows rows; a
// generation ends at 65,536 messages or four times as many rows.
type rows struct {
	young, old map[uint64]rowList
	n          int // rows in young
}

type row struct {
	n   int
	sum uint64
}

type rowList struct {
	first row // most messages have one
	more  []row
}

func (l *rowList) len() int {
	if l.first.n == 0 {
		return 0
	}
	return 1 + len(l.more)
}

func (m *rows) get(id uint64) rowList {
	if l, ok := m.young[id]; ok {
		return l
	}
	return m.old[id]
}

func (m *rows) put(id uint64, l rowList, w row) {
	switch {
	case l.first.n == 0:
		l.first = w
	case len(l.more) < maxRows-1:
		l.more = append(l.more, w)
	default:
		copy(l.more, l.more[1:])
		l.more[len(l.more)-1] = w
	}
	if m.young == nil {
		m.young = make(map[uint64]rowList)
	}
	m.young[id] = l
	m.n++
	if len(m.young) >= remember || m.n >= 4*remember {
		m.old, m.young, m.n = m.young, nil, 0
	}
}

// A growth compares the text of a row with those of the earlier rows of its
// message while the text is read.
type growth struct {
	id    uint64
	list  rowList
	sum   maphash.Hash
	n     int
	grown bool
	same  bool // an earlier row had this very text
}

// startRow begins a row of the message with that hash.
func (d *Decoder) startRow(id uint64) *growth {
	g := &growth{id: id, list: d.rows.get(id)}
	g.sum.SetSeed(d.seed)
	return g
}

// write adds b to the row's text. Where an earlier row was so long the two are
// compared.
func (g *growth) write(b []byte) {
	for len(b) > 0 {
		// The next length at which to stop.
		k := len(b)
		for i := range g.list.len() {
			if w := g.list.at(i); w.n > g.n && w.n-g.n < k {
				k = w.n - g.n
			}
		}
		g.sum.Write(b[:k])
		g.n += k
		b = b[k:]
		g.same = false
		for i := range g.list.len() {
			if w := g.list.at(i); w.n == g.n && w.sum == g.sum.Sum64() {
				g.grown, g.same = true, true
			}
		}
	}
}

func (l *rowList) at(i int) row {
	if i == 0 {
		return l.first
	}
	return l.more[i-1]
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
		d.rows.put(g.id, g.list, row{g.n, g.sum.Sum64()})
	}
}
