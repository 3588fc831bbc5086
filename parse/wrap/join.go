package wrap

import (
	"bytes"
	"cmp"
	"slices"
)

// DefaultMax is the Max of a Joiner that has none.
const DefaultMax = 16 << 20

// A Part is a line of a GitLab stream, whole when both First and Last are set. A
// line longer than a Joiner may hold comes in several parts: those of other
// streams may come between them, and the last may be empty.
type Part struct {
	Text        []byte // valid only during the call
	Stream      [3]byte
	Line        int // the number of the line's first physical line
	First, Last bool
}

// A Joiner puts the lines that GitLab's runner has cut together again: the runner
// ends a line in its middle after 8 KiB, or at a write with a CR and without LF,
// and marks the next physical line of that stream as its continuation. Streams
// interleave.
//
// A line comes out when the next line of its stream starts, as only that tells
// that it is complete; or before a line that has begun behind it, unless it looks
// cut: the runner's own stream may be silent for all of a job.
type Joiner struct {
	// Emit takes the lines.
	Emit func(Part)
	// Max is how many bytes of text are held, of all streams; 0 is DefaultMax.
	Max int

	streams [512]*stream
	order   []*stream // those with an open line, by its first physical line
	held    int       // bytes of their text
}

type stream struct {
	id     [3]byte
	text   []byte
	line   int
	pieces int
	open   bool
	cut    bool // the line comes out as it comes
	begun  bool // a part of the line has come out
	looks  look // of text
}

// A look is what a held line looks like.
type look uint8

const (
	unknown look = iota
	complete
	unfinished
)

// Add takes a line that a Stripper has stripped, of which info is, and its number.
// It keeps nothing of text. A line without GitLab's header is none of a stream:
// the lines before it come out, and then it as it is.
func (j *Joiner) Add(text []byte, info Info, line int) {
	if !info.GitLab {
		j.Flush()
		j.Emit(Part{Text: text, Line: line, First: true, Last: true})
		return
	}
	s := j.stream(info.Stream)
	if !info.Continued || !s.open {
		j.settle(s)
		j.end(s)
		*s = stream{id: info.Stream, text: s.text[:0], line: line, open: true}
		j.order = append(j.order, s)
	}
	s.pieces++
	max := j.max()
	if len(s.text)+len(text) > max {
		j.spill(s)
	}
	for !s.cut && j.held+len(text) > max {
		// Many streams, and each within the bound: the longest makes room.
		j.spill(slices.MaxFunc(j.order, func(a, b *stream) int { return cmp.Compare(len(a.text), len(b.text)) }))
	}
	if s.cut {
		j.emit(s, text, false)
		return
	}
	s.text = append(s.text, text...)
	s.looks = unknown
	j.held += len(text)
}

// settle has the lines come out that have begun before s's and look complete.
func (j *Joiner) settle(s *stream) {
	if !s.open {
		return
	}
	for i := 0; j.order[i] != s; {
		o := j.order[i]
		if o.looks == unknown {
			o.looks = complete
			if o.cut || looksCut(o.text) {
				o.looks = unfinished
			}
		}
		if o.looks == unfinished {
			i++
			continue
		}
		j.end(o)
	}
}

// looksCut says whether a line may be what the runner has cut and what makes a
// difference: it is as long as what is cut for that, or ends in a record, a tag or
// a section mark.
func looksCut(text []byte) bool {
	const cut = 8<<10 - 32 // with its header
	if len(text) >= cut {
		return true
	}
	if i := bytes.LastIndexByte(text, '<'); i >= 0 {
		closed := bytes.IndexByte(text[i:], '>') > 0
		if !closed || text[i+1] != '/' {
			return true
		}
	}
	if bytes.HasSuffix(text, []byte("\r")) && bytes.Contains(text, []byte("section_")) {
		return true
	}
	count := func(s string) int { return bytes.Count(text, []byte(s)) }
	return count("{") != count("}") || count("[")-count("\x1b[") != count("]")
}

// Flush has all lines come out that are held, in the order of their beginnings:
// at the end of the input, and where the log is known to end.
func (j *Joiner) Flush() {
	for len(j.order) > 0 {
		j.end(j.order[0])
	}
}

func (j *Joiner) max() int {
	if j.Max > 0 {
		return j.Max
	}
	return DefaultMax
}

func (j *Joiner) stream(id [3]byte) *stream {
	i := hex(id[0])<<5 | hex(id[1])<<1
	if id[2] == 'E' {
		i |= 1
	}
	i &= len(j.streams) - 1
	if j.streams[i] == nil {
		j.streams[i] = new(stream)
	}
	return j.streams[i]
}

func hex(c byte) int {
	if c <= '9' {
		return int(c - '0')
	}
	return int(c-'a') + 10
}

// end has the rest of s's line come out, if one is open.
func (j *Joiner) end(s *stream) {
	if !s.open {
		return
	}
	j.release(s, true)
	s.open = false
	i := slices.Index(j.order, s)
	j.order = slices.Delete(j.order, i, i+1)
}

// spill has what is held of s's line come out, as a part of it.
func (j *Joiner) spill(s *stream) {
	if len(s.text) > 0 {
		j.release(s, false)
	}
	s.cut = true
}

func (j *Joiner) release(s *stream, last bool) {
	text := s.text
	j.held -= len(text)
	// The runner may have cut a section mark at its CR.
	if s.pieces > 1 && bytes.Contains(text, sectionEnd) {
		var marks Sections
		text = marks.EndLine(marks.Append(text[:0], text))
	}
	s.text = s.text[:0]
	j.emit(s, text, last)
	const keep = 16 << 10 // of a buffer, and there are up to 512
	if cap(s.text) > keep {
		s.text = nil
	}
}

func (j *Joiner) emit(s *stream, text []byte, last bool) {
	j.Emit(Part{Text: text, Stream: s.id, Line: s.line, First: !s.begun, Last: last})
	s.begun = true
}
