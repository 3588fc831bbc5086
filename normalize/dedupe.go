package normalize

import (
	"encoding/binary"
	"hash/maphash"
	"math"

	"tagscan/parse"
)

// What is remembered of one input, in keys. Of tags "at least the newest 262,144
// keys" (section 2), of everything else that lasts across records "at least the
// newest 65,536 of each" (section 9).
const (
	tagKeys  = 1 << 18
	pastKeys = 1 << 16
)

// A memory is what a Normalizer remembers of one input. Everything is under
// keyed 64-bit hashes, so that its size depends on no text and no input can be
// made to collide. Full, it takes about 12 MB, 4 of them for the tags; none of
// it is there before it is used.
type memory struct {
	hash maphash.Hash
	seed maphash.Seed
	buf  []byte

	tags    *bounded[struct{}] // tag keys that were given
	current *bounded[uint64]   // session, agent: its current status tag
	streaks *bounded[streak]   // session, agent
	given   *bounded[struct{}] // session, what: given by a message, for its echoes
	counts  *bounded[count]    // message, what: for the rows of one message
}

// A streak is the state behind Streak.
type streak struct {
	status     uint64 // the STATUS of the newest status event
	n          uint32 // how many in a row had it
	noProgress uint32
}

// A count tells how often a message holds something: as often as the row that
// holds it most often.
type count struct {
	row          uint32 // the lower half of its number
	inRow, given uint16 // what is there more often counts as often as this
}

func newMemory() *memory {
	m := &memory{
		tags:    newBounded[struct{}](tagKeys),
		current: newBounded[uint64](pastKeys),
		streaks: newBounded[streak](pastKeys),
		given:   newBounded[struct{}](pastKeys),
		counts:  newBounded[count](pastKeys),
	}
	m.seed = maphash.MakeSeed()
	m.hash.SetSeed(m.seed)
	return m
}

// str adds s to the hash that is being made, so that no two lists of strings
// run together.
func (m *memory) str(s string) {
	m.num(uint64(len(s)))
	m.hash.WriteString(s)
}

func (m *memory) num(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	m.hash.Write(b[:])
}

// sum ends a hash and makes room for the next.
func (m *memory) sum() uint64 {
	h := m.hash.Sum64()
	m.hash.Reset()
	return h
}

// tagKey is what a tag is compared by: kind and value, whichever namespace
// carries it; the duplicates of a plain tag are its own.
func (m *memory) tagKey(plain bool, kind string, key []byte) uint64 {
	b := append(m.buf[:0], 't')
	if plain {
		b[0] = 'p'
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(kind)))
	b = append(append(b, kind...), key...)
	m.buf = b
	return maphash.Bytes(m.seed, b)
}

// blockKey is what a status block is compared by: its text.
func (m *memory) blockKey(b *parse.Block) uint64 {
	m.hash.WriteByte('b')
	m.str(b.Protocol)
	for i := range b.Fields {
		m.str(b.Fields[i].Key)
		m.str(b.Fields[i].Value)
	}
	if b.Unterminated {
		m.hash.WriteByte('u')
	}
	return m.sum()
}

func (m *memory) artifactKey(a *parse.Artifact) uint64 {
	m.hash.WriteByte('a')
	m.str(a.Tool)
	m.str(a.Title)
	for _, t := range a.Tags {
		m.str(t)
	}
	return m.sum()
}

// skipKey is what a tag in code is compared by, which was not checked.
func (m *memory) skipKey(t *parse.Tag) uint64 {
	m.hash.WriteByte('s')
	m.str(t.Namespace)
	m.str(t.Kind)
	m.hash.Write(t.Value)
	return m.sum()
}

// skippedKey is what a thing that parse skipped is compared by.
func (m *memory) skippedKey(s *parse.Skip) uint64 {
	m.hash.WriteByte('k')
	m.str(s.What)
	m.str(s.Reason)
	m.str(s.Namespace)
	m.str(s.Kind)
	m.hash.Write(s.Excerpt)
	return m.sum()
}

// speaker is whose streaks and status tags these are.
func (m *memory) speaker(p *parse.Pos) uint64 {
	m.str(p.Session)
	m.str(p.Agent)
	return m.sum()
}

// once tells whether what has key what repeats, at p of a record's row, text that
// the format itself repeats, and so is not there (section 3.2). Parts tells that it may
// stand in several parts of one message and be something else each time: then
// only a row that grew out of an earlier one repeats it.
//
//   - A text that echoes its session's messages gives only what they have not
//     given.
//   - Between the rows of one message, or of one part of it that has an id, a thing
//     counts as often as in the row that holds it most often.
func (m *memory) once(o *parse.Origin, p *parse.Pos, what uint64, parts bool) bool {
	m.hash.WriteByte('e')
	m.str(p.Session)
	m.str(p.Role) // what a prompt says is not what the agent says
	m.num(what)
	inSession := m.sum()
	if o.Echo {
		return m.given.get(inSession) != nil
	}
	m.given.add(inSession)
	if !o.Rows || p.Message == "" {
		return false
	}
	m.str(p.Session)
	m.str(p.Message)
	m.str(p.Role)
	m.num(o.Piece)
	m.num(what)
	if parts {
		m.num(uint64(o.Chain))
	}
	c, _ := m.counts.at(m.sum())
	if row := uint32(o.Row); c.row != row {
		c.row, c.inRow = row, 0
	}
	if c.inRow < math.MaxUint16 {
		c.inRow++
	}
	if c.inRow > c.given {
		c.given = c.inRow
		return false
	}
	return o.Grown || !parts
}

// repeated tells whether a tag says nothing new, and remembers it. For a status
// tag, which is a state, only the current value of its speaker says nothing.
func (m *memory) repeated(p *parse.Pos, status bool, key uint64) bool {
	if !status {
		return m.tags.add(key)
	}
	v, known := m.current.at(m.speaker(p))
	same := known && *v == key
	*v = key
	return same
}

// streak counts a status event of p's speaker. A block without a STATUS has one
// of its own, which is none.
func (m *memory) streak(p *parse.Pos, s *Status) Streak {
	status, _ := s.Get("status")
	word, _ := status.(string)
	m.str(word)
	now := m.sum()
	st, _ := m.streaks.at(m.speaker(p))
	if st.n == 0 || st.status != now {
		st.status, st.n = now, 0
	}
	st.n++
	if s.noProgress() {
		st.noProgress++
	} else {
		st.noProgress = 0
	}
	return Streak{Status: int(st.n), NoProgress: int(st.noProgress)}
}
