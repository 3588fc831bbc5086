package transcript

import (
	"bytes"

	"tagscan/parse/jsonrec"
)

// Outlines are what records show by themselves, whatever has been read before
// them. They can be made before the records' turn comes, by another goroutine.
type Outlines struct {
	// Candidate is that of Options, whose other goroutine may ask it, too.
	Candidate func(raw []byte) bool

	records []outline
	members []member
}

// An outline is that of one record.
type outline struct {
	end    int32 // of its members
	broken bool  // its top level is not well-formed
	check  uint8
	barren uint8 // what Candidate says of it: checkGood is that nothing can be in it
}

// A member is one of a record's top level that some format reads: its value is
// what stands from one offset to another.
type member struct {
	f        field
	from, to int32
}

// minOutlined is how long a line is, at the least, that is worth an outline. It
// bounds what they take.
const minOutlined = 64

// Reset forgets all outlines.
func (o *Outlines) Reset() { o.records, o.members = o.records[:0], o.members[:0] }

// Add makes the outline of a line that begins with '{', and says whether it is
// worth one.
func (o *Outlines) Add(line []byte) bool {
	if len(line) < minOutlined {
		return false
	}
	v := jsonrec.Trim(line)
	var typ jsonrec.Value
	m := v.Members()
	for m.Next() {
		f := fieldOf(m.Key)
		if f == nFields {
			continue
		}
		if f == fType {
			typ = m.Value
		}
		from := len(v) - m.Rest() - len(m.Value)
		o.members = append(o.members, member{f, int32(from), int32(from + len(m.Value))})
	}
	x := outline{broken: !m.Whole()}
	// Of what a user's record says, most often nothing is wanted.
	if !x.broken && o.Candidate != nil && !bytes.Equal(typ, []byte(`"user"`)) {
		if x.barren = checkGood; o.Candidate(v) {
			x.barren, x.check = checkBad, valid(v)
		}
	}
	x.end = int32(len(o.members))
	o.records = append(o.records, x)
	return true
}

// fill makes r the record v with outline k. It is false where read is.
func (r *record) fill(v jsonrec.Value, line int, o *Outlines, k int) bool {
	x := &o.records[k]
	*r = record{raw: v, line: line, check: x.check, barren: x.barren}
	first := int32(0)
	if k > 0 {
		first = o.records[k-1].end
	}
	for _, m := range o.members[first:x.end] {
		r.f[m.f] = v[m.from:m.to]
	}
	if x.broken {
		return false
	}
	r.typ = ident(r.f[fType])
	return true
}

// Outlined is Record for a line that has outline k of o.
func (d *Decoder) Outlined(line []byte, n int, o *Outlines, k int) Verdict {
	v := jsonrec.Trim(line)
	if !d.rec.fill(v, n, o, k) {
		return d.invalid()
	}
	return d.object(d.o.Strict)
}
