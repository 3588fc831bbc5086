package parse

import (
	"bytes"

	"tagscan/parse/block"
	"tagscan/parse/wrap"
)

// Most lines of most inputs hold no signal and change nothing that matters. The
// loop in lines looks at the first byte of a line and at where the next '<' is,
// and passes over it. Everything else goes the long way, through whole, which
// would make the same of every line.

// What a line's first byte, or in a fence its first that is no blank, says.
const (
	longPlain  = 1 << iota // needs the long way at top level
	longFence              // needs it in a top-level fence
	longIndent             // needs it there behind blanks
	firstLook              // needs it if the line goes on like a marker or an event
)

var firstByteClass = func() (t [256]uint8) {
	for c := range t {
		if block.Starts[c] || markerStarts[c] {
			t[c] |= longPlain
		}
	}
	for _, c := range []byte("-*_`{[\x1b") {
		t[c] |= longFence | longIndent // a marker or a record
	}
	for _, c := range []byte("0123456789[{\x00\xef\x1b") {
		t[c] |= longPlain | longFence // a wrapper
	}
	for _, c := range []byte("ARd") {
		t[c] = firstLook
	}
	return t
}()

// A pace is how lines are passed over in the state that the text is in.
type pace uint8

const (
	paceLong  pace = iota // not at all
	pacePlain             // at top level: nothing is open but a paragraph
	paceFence             // in the body of a fence at top level
)

// pace says how the next lines can be passed over.
func (s *Scanner) pace() (p pace, fence byte) {
	d := s.text.d
	switch {
	case s.joiner != nil, s.stepOpen, len(s.o.Prefixes) > 0, s.strip.Columns(),
		s.dec != nil && (s.dec.Holding() || s.dec.Events()),
		d.tag.on, d.st.on, d.st.pending:
		return paceLong, 0
	case d.blk.Plain():
		return pacePlain, 0
	}
	if c, ok := d.blk.InTopFence(); ok && !d.st.fenceFresh {
		return paceFence, c
	}
	return paceLong, 0
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
	// Where the next of these bytes is, at or behind the line at hand.
	lt, esc, cr, tab := -1, -1, -1, -1
	d := s.text.d
	p, fence := s.pace()
	for i := 0; i < len(b); {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			s.fragment(b[i:])
			return
		}
		start, end := i, i+n
		next := end + 1
		if p != paceLong {
			if cr < i {
				cr = nextByte(b, i, '\r')
			}
			if cr == end-1 {
				end = cr
			}
			if tab < i {
				tab = nextByte(b, i, '\t')
			}
			if esc < i {
				esc = nextByte(b, i, 0x1b)
			}
			if esc >= end && cr >= end && (tab >= end || !mayBeColumns(b[tab+1:end])) {
				if i < end && '0' <= b[i] && b[i] <= '9' {
					i += wrap.GitHubStamp(b[i:end])
				}
				line := b[i:end]
				if len(line) == 0 {
					if p == pacePlain {
						d.blk.Line(nil)
					}
					s.line++
					i = next
					continue
				}
				c, bit := line[0], uint8(longPlain)
				if p == paceFence {
					bit = longFence
					if c == ' ' || c == '\t' {
						c, bit = firstByte(line), longIndent
					}
				}
				if class := firstByteClass[c]; class&bit == 0 && (p != paceFence || c != fence) && len(line) <= maxHead &&
					(class&firstLook == 0 || !looksLong(line)) && !mayBeLoose(line) {
					s.line++
					if p == pacePlain {
						d.blk.Text()
					}
					if lt < i {
						lt = nextByte(b, i, '<')
					}
					for lt < end {
						if d.g.lead[b[lt+1]] { // there is a byte: the line end
							d.pos.Line = s.line
							d.plain(line, p == paceFence)
							lt = end
							if d.tag.on {
								p, fence = s.pace()
							}
							break
						}
						lt = nextByte(b, lt+1, '<')
					}
					i = next
					continue
				}
			}
		}
		s.line++
		s.whole(b[start : next-1])
		p, fence = s.pace()
		i = next
	}
}

// mayBeLoose says whether a line may be a record behind a prefix that looks
// like text.
func mayBeLoose(line []byte) bool {
	c := line[len(line)-1]
	return (c == '}' || c == ' ') && bytes.IndexByte(line, '{') >= 0
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
	return i >= 0 && i+1 < len(b) && (b[i+1] == 0xef || '0' <= b[i+1] && b[i+1] <= '9')
}

// looksLong says whether a line goes on like one that needs the long way.
func looksLong(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	if len(line) < 5 {
		return false
	}
	switch string(line[:5]) {
	case "AGENT", "RALPH", "data:":
		return true
	}
	return false
}
