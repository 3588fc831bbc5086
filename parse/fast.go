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
	longBlank             // the same, behind blanks
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
	for _, c := range []byte("{[\x1b") {
		t[c] |= longWay | longBlank
	}
	for _, c := range []byte("\x00\xef") {
		t[c] |= longWay
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
	return s.joiner != nil || s.stepOpen || len(s.o.Prefixes) > 0 || s.strip.Columns() ||
		s.dec != nil && (s.dec.Holding() || s.dec.Events())
}

// lines takes what stands in lines.
func (s *Scanner) lines(b []byte) {
	if s.mode != lineNone {
		n := bytes.IndexByte(b, '\n')
		if n < 0 {
			s.fragment(b)
			return
		}
		s.fragment(b[:n])
		s.endLine()
		b = b[n+1:]
	}
	d := s.text.d
	p, fence := d.pace()
	wrapped := s.wrapped()
	lt, cr, tab := -1, -1, -1 // where the next of them is, from the line at hand on
	for i := 0; i < len(b); {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			s.fragment(b[i:])
			return
		}
		start, end := i, i+n
		i = end + 1
		s.line++
		if wrapped {
			s.whole(b[start:end])
			p, fence = d.pace()
			wrapped = s.wrapped()
			continue
		}
		if cr < start {
			cr = nextByte(b, start, '\r')
		}
		if cr == end-1 {
			end--
		}
		if tab < start {
			tab = nextByte(b, start, '\t')
		}
		line := b[start:end]
		if len(line) > 0 && isDigit(line[0]) {
			line = line[wrap.GitHubStamp(line):]
		}
		if len(line) == 0 {
			switch {
			case cr < end: // and a CR before it
				s.whole(b[start : i-1])
				p, fence = d.pace()
			case p == pacePlain:
				d.blk.Line(nil)
			case p == paceEach:
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
		if long || cr < end || len(line) > min(maxHead, s.o.MaxRecord) || tab < end && mayBeColumns(b[tab+1:end]) ||
			isDigit(c) && mayBeDate(line) || c == '#' && len(line) < end-start || mayBeLoose(line, c) {
			s.whole(b[start : i-1])
			p, fence = d.pace()
			wrapped = s.wrapped()
			continue
		}
		if class&looksOdd != 0 && looksLong(line[j:]) {
			s.whole(b[start : i-1])
			p, fence = d.pace()
			wrapped = s.wrapped()
			continue
		}
		if lt < start {
			lt = nextByte(b, start, '<')
		}
		switch {
		case p == pacePlain && class&plainLine == 0 && j == 0:
			d.blk.Text()
		case p == paceFence && class&fenceLine == 0 && c != fence:
		default:
			if bytes.IndexByte(line, 0x1b) >= 0 {
				s.text.at(s.line)
				s.text.clean(line)
			} else {
				d.pos.Line = s.line
				d.lineIn(line, d.blk.Line(line), lt < end)
			}
			p, fence = d.pace()
			continue
		}
		for lt < end {
			// There is a byte behind it: the line end.
			if c := b[lt+1]; d.g.lead[c] || c == 0x1b {
				d.pos.Line = s.line
				if bytes.IndexByte(line, 0x1b) >= 0 {
					s.text.clean(line)
				} else {
					d.plain(line, p == paceFence)
				}
				p, fence = d.pace()
				break
			}
			lt = nextByte(b, lt+1, '<')
		}
	}
}

// nextByte is where the next c is in b from i on, len(b) if there is none.
func nextByte(b []byte, i int, c byte) int {
	if n := bytes.IndexByte(b[i:], c); n >= 0 {
		return i + n
	}
	return len(b)
}

// mayBeColumns says whether the second of gh's tabs, and what may be a
// timestamp, is in the line behind its first tab.
func mayBeColumns(b []byte) bool {
	i := bytes.IndexByte(b, '\t')
	return i >= 0 && i+1 < len(b) && (b[i+1] == 0xef || isDigit(b[i+1]) && mayBeDate(b[i+1:]))
}

// mayBeDate says whether b may begin with the date of a wrapper's timestamp.
func mayBeDate(b []byte) bool { return len(b) > 4 && b[4] == '-' }

// mayBeLoose says whether a line whose first byte is c may be a record behind a
// prefix that looks like text.
func mayBeLoose(line []byte, c byte) bool {
	switch line[len(line)-1] {
	case '}', ' ', 'm', 'K': // the last two end an escape sequence
	default:
		return false
	}
	i := bytes.IndexByte(line, '{')
	return i >= 0 && (isDigit(c) || bytes.IndexByte(line[:i], '|') >= 0)
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
	// - begins a list item, too, and in a listing of files a line.
	return line[1] == '-' && (line[2] == '-' || line[2] == 0x1b)
}
