package parse

import (
	"bytes"

	"tagscan/parse/block"
	"tagscan/parse/wrap"
)

// Most lines of most inputs hold no signal and change nothing that matters. The
// loop in lines looks at the first byte of a line and at where the next '<' is,
// and passes over it. Of the others most need no more than the document; what
// may have a wrapper or be a record goes the long way, through whole, which
// would make the same of every line.

// What a line's first byte says to the loop.
const (
	longWay   = 1 << iota // a wrapper, a record or an escape sequence
	longBlank             // the same, blanks before it or not
	plainLine             // at top level it may begin something else than text
	fenceLine             // in a fence it may be a marker of a status block
	looksOdd              // the line may be of an event stream, or a marker
)

var firstByteClass = func() (t [256]uint8) {
	for c := range t {
		if block.Starts[c] || markerStarts[c] {
			t[c] |= plainLine
		}
		if markerStarts[c] {
			t[c] |= fenceLine
		}
	}
	for _, c := range []byte("{[\x1b\x00\xef") { // 0 is a line of blanks, too
		t[c] |= longWay | longBlank
	}
	for _, c := range []byte("AR") {
		t[c] = looksOdd // see looksLong
	}
	t['d'] |= looksOdd
	t['-'] = plainLine | looksOdd
	return t
}()

// A pace is how lines are passed over in the state that the text is in.
type pace uint8

const (
	paceEach  pace = iota // not at all: the document looks at each
	pacePlain             // at top level: nothing is open but a paragraph
	paceFence             // in the body of a fence at top level
)

// pace says how the next lines can be passed over.
func (d *document) pace() (p pace, fence byte) {
	switch {
	case d.tag.on, d.st.on, d.st.pending:
		return paceEach, 0
	case d.blk.Plain():
		return pacePlain, 0
	}
	if c, ok := d.blk.InTopFence(); ok && !d.st.fenceFresh {
		return paceFence, c
	}
	return paceEach, 0
}

// wrapped says whether every line must be looked at for what may be around it.
func (s *Scanner) wrapped() bool {
	return s.joiner != nil || s.stepOpen || s.loose || len(s.o.Prefixes) > 0 || s.strip.Columns() ||
		s.dec != nil && (s.dec.Holding() || s.dec.Events())
}

// lines takes what stands in lines. x is its Index.
func (s *Scanner) lines(b []byte, x *Index) {
	ends, tags := x.ends, x.tags
	start := 0
	if s.mode != lineNone && len(ends) > 0 {
		s.fragment(b[:ends[0]])
		s.endLine()
		start = int(ends[0]) + 1
		ends = ends[1:]
	}
	d := s.text.d
	p, fence := d.pace()
	each := x.stamp || x.json // line goes the long way
	wrapped := each || s.wrapped()
	limit := min(maxHead, s.o.MaxRecord)
	for _, e := range ends {
		first, end := start, int(e)
		start = end + 1
		s.line++
		if wrapped || x.cr && bytes.IndexByte(b[first:end], '\r') >= 0 && !trailingCR(b[first:end]) {
			s.whole(b[first:end])
			p, fence = d.pace()
			wrapped = each || s.wrapped()
			continue
		}
		line := b[first:end]
		if x.cr {
			line = bytes.TrimSuffix(line, carriageReturn)
		}
		if len(line) > 0 && isDigit(line[0]) {
			line = line[wrap.GitHubStamp(line):]
		}
		if len(line) == 0 {
			switch p {
			case pacePlain:
				d.blk.Line(nil)
			case paceEach:
				d.pos.Line = s.line
				d.line(nil)
				p, fence = d.pace()
			}
			continue
		}
		// The first byte that tells what the line is.
		c, class := line[0], firstByteClass[line[0]]
		long := class&longWay != 0
		j := 0
		if c == ' ' || c == '\t' {
			j, c = skipBlanks(line)
			class = firstByteClass[c]
			long = class&longBlank != 0
		}
		if long && c == 0x1b && j == 0 {
			long = !s.coloured(line, x)
			if !long && len(line) <= limit {
				d.pos.Line = s.line
				s.text.clean(line)
				p, fence = d.pace()
				continue
			}
		}
		if long || len(line) > limit || isDigit(c) && mayBeDate(line) ||
			c == '#' && len(line) < end-first-1 || class&looksOdd != 0 && looksLong(line[j:]) || (x.pipe || isDigit(c)) && mayBeLoose(line) {
			s.whole(b[first:end])
			p, fence = d.pace()
			wrapped = each || s.wrapped()
			continue
		}
		for len(tags) > 0 && int(tags[0]) < first {
			tags = tags[1:]
		}
		lt := len(tags) > 0 && int(tags[0]) < end
		switch {
		case p == pacePlain && class&plainLine == 0 && j == 0:
			d.blk.Text()
		case p == pacePlain && c == '<' && j == 0 && d.g.notHTML(line):
			d.blk.Text()
		case p == paceFence && class&fenceLine == 0 && c != fence:
		default:
			if bytes.IndexByte(line, 0x1b) >= 0 {
				s.text.at(s.line)
				s.text.clean(line)
			} else {
				d.pos.Line = s.line
				d.lineIn(line, d.blk.Line(line), lt)
			}
			p, fence = d.pace()
			continue
		}
		if lt {
			d.pos.Line = s.line
			if bytes.IndexByte(line, 0x1b) >= 0 {
				s.text.clean(line)
			} else {
				d.plain(line, p == paceFence)
			}
			p, fence = d.pace()
		}
	}
	if start < len(b) {
		s.fragment(b[start:])
	}
}

// coloured says whether a line that begins with an escape sequence is text, as
// the first byte behind that tells.
func (s *Scanner) coloured(line []byte, x *Index) bool {
	i, c := lead(line)
	switch class := firstByteClass[c]; {
	case c == 0, class&longWay != 0, x.pipe && mayBeLoose(line):
		return false
	case isDigit(c):
		return !mayBeDate(line[i:]) && !mayBeLoose(line)
	case c == 'd':
		return !looksLong(line[i:])
	}
	return true
}

var carriageReturn = []byte{'\r'}

// trailingCR says whether the only \r of a line is its last byte.
func trailingCR(line []byte) bool { return bytes.IndexByte(line, '\r') == len(line)-1 }

// mayBeLoose says whether a line may be a record behind a prefix that looks
// like text: it ends as JSON does, or with an escape sequence.
func mayBeLoose(line []byte) bool {
	switch line[len(line)-1] {
	case '}', ' ', 'm', 'K':
		return bytes.IndexByte(line, '{') >= 0
	}
	return false
}

// looksLong says whether a line goes on like a marker of a status block or like
// a line of an event stream. An escape sequence may stand in a marker.
func looksLong(line []byte) bool {
	if len(line) < 5 {
		return false
	}
	switch c := line[1]; {
	case c == 0x1b:
		return true
	case line[0] == 'd':
		return string(line[:5]) == "data:"
	case line[0] == 'A':
		return c == 'G'
	case line[0] == 'R':
		return c == 'A'
	}
	// - begins a list item, too, and --- many a line of a test's output.
	return line[1] == '-' && (line[2] == 0x1b || line[2] == '-' && (line[3] == 'A' || line[3] == 'R' || line[3] == 0x1b))
}
