package parse

import (
	"bytes"
	"slices"

	"tagscan/parse/transcript"
)

// A torn is a tag or a block that the end of its part has cut off. It waits for
// what comes next in its conversation: that may be the same text, grown, with the
// tag or the block whole.
type torn struct {
	h     Handler
	skip  *Skip // of the tag, or
	block *Block
}

// What waits is bounded: how many, of 64 KiB of text each, and how many fields of
// blocks there are in all. More agents than that do not speak at once.
const (
	maxTorn       = 16
	maxTornFields = 8192
)

func (t *torn) give() {
	if t.block != nil {
		t.h.Block(t.block)
	} else {
		t.h.Skip(t.skip)
	}
}

func (t *torn) fields() int {
	if t.block == nil {
		return 0
	}
	return len(t.block.Fields)
}

// of says in which part it stood.
func (t *torn) of() (*Pos, *Origin) {
	if t.block != nil {
		return &t.block.Pos, &t.block.Origin
	}
	return &t.skip.Pos, &t.skip.Origin
}

// settle ends the waiting of what p, which begins now, tells of.
func (s *sink) settle(p *transcript.Part) {
	wait := s.torn[:0]
	for _, t := range s.torn {
		switch at, from := t.of(); {
		case at.Session == p.Session && at.Message == p.Message && at.Role != p.Role.String():
			wait = append(wait, t) // what else is in the message says nothing of it
		case at.Session == p.Session && at.Message == p.Message && p.Grown && from.Piece == p.Piece && from.Row != p.Row:
			// The row that has grown brings it again.
		case at.Session == p.Session && (at.Message == p.Message || at.Agent == p.Agent):
			t.give()
		default:
			wait = append(wait, t)
		}
	}
	clear(s.torn[len(wait):])
	s.torn = wait
}

// tail is the Handler of text parts: h, but for what is torn.
type tail struct {
	s *Scanner
	d *document
	h Handler
}

func (t *tail) Tag(tag *Tag)         { t.h.Tag(tag) }
func (t *tail) Artifact(a *Artifact) { t.h.Artifact(a) }

// Block holds a block that is not closed. The indented form, which needs no closing
// marker, may go on in a row that has grown, too, but comes out at once: what comes
// next may be long in coming.
func (t *tail) Block(b *Block) {
	if !t.d.closing || !b.Rows || !b.Unterminated {
		t.h.Block(b)
		return
	}
	c := *b
	c.Fields = slices.Clone(b.Fields)
	t.hold(torn{h: t.h, block: &c})
}

func (t *tail) Skip(k *Skip) {
	if !t.d.closing || !k.Rows {
		t.h.Skip(k)
		return
	}
	c := *k
	c.Excerpt = bytes.Clone(k.Excerpt)
	t.hold(torn{h: t.h, skip: &c})
}

func (t *tail) hold(x torn) {
	s := t.s
	s.torn = append(s.torn, x)
	fields := 0
	for i := range s.torn {
		fields += s.torn[i].fields()
	}
	for len(s.torn) > 1 && (len(s.torn) > maxTorn || fields > maxTornFields) {
		s.torn[0].give()
		fields -= s.torn[0].fields()
		s.torn = slices.Delete(s.torn, 0, 1)
	}
}
