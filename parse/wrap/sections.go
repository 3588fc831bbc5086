package wrap

import "bytes"

// maxSection is the longest section mark that is recognised.
const maxSection = 512

// sectionEnd is how every mark ends.
var sectionEnd = []byte("\r\x1b[0K")

// Sections removes GitLab's section marks from one line at a time, wherever they
// stand in it:
//
//	section_start:UNIX_TIME:NAME[OPTION=VALUE,...]\r\x1b[0K
//	section_end:UNIX_TIME:NAME\r\x1b[0K
//
// A mark is replaced by nothing: another mark or text follows it without a line
// end. The line may come in pieces cut anywhere; what may be the beginning of a
// mark, at most 512 bytes, is held back. The zero value is ready to use.
type Sections struct {
	mark mark
	held []byte
}

// Append appends to dst the text of frag, which continues what was given since
// the last EndLine, and returns the longer slice. dst may be the beginning of the
// array that frag lies in, when frag does not start before the end of dst and
// nothing is held back.
func (s *Sections) Append(dst, frag []byte) []byte {
	for len(frag) > 0 {
		if len(s.held) == 0 {
			i := candidate(frag)
			dst = append(dst, frag[:i]...)
			frag = frag[i:]
		}
		n := 0
		for n < len(frag) {
			c := frag[n]
			n++
			s.held = append(s.held, c)
			ok, done := s.mark.step(c)
			if done {
				s.reset()
				break
			}
			if !ok || len(s.held) == maxSection {
				dst = s.release(dst)
				break
			}
		}
		frag = frag[n:]
	}
	return dst
}

// release gives back what turned out to be no mark, but what in it may be the
// beginning of another.
func (s *Sections) release(dst []byte) []byte {
	var room [maxSection]byte
	failed := room[:copy(room[:], s.held)]
	s.reset()
	dst = append(dst, failed[0])
	return s.Append(dst, failed[1:])
}

// EndLine ends the line: it appends to dst what is held back, which is text.
func (s *Sections) EndLine(dst []byte) []byte {
	dst = append(dst, s.held...)
	s.reset()
	return dst
}

func (s *Sections) reset() {
	s.held = s.held[:0]
	s.mark = mark{}
}

const sectionStart = "section_"

// candidate returns where in b a mark may begin, len(b) when nowhere.
func candidate(b []byte) int {
	if i := bytes.Index(b, []byte(sectionStart)); i >= 0 {
		return i
	}
	for i := max(0, len(b)-len(sectionStart)+1); i < len(b); i++ {
		if string(b[i:]) == sectionStart[:len(b)-i] {
			return i
		}
	}
	return len(b)
}

// section returns the length of the mark that b starts with, 0 when it starts
// with none, and -1 when more of the line is needed to tell.
func section(b []byte, whole bool) int {
	var m mark
	for i, c := range b {
		ok, done := m.step(c)
		switch {
		case done:
			return i + 1
		case !ok || i+1 == maxSection:
			return 0
		}
	}
	if whole {
		return 0
	}
	return -1
}

// A mark is a section mark that has been read in part.
type mark struct {
	part part
	at   uint8 // bytes read of a fixed part, or whether there is one of a variable part
}

type part uint8

const (
	partPrefix  part = iota // section_
	partVerb                // s or e
	partStart               // tart:
	partEnd                 // nd:
	partTime                // digits, then ':'
	partName                // then '[' or CR
	partOptions             // then ']'
	partClosed              // CR
	partErase               // ESC [ 0 K
)

// step reads one byte. It reports whether the mark may go on with it, and whether
// it is complete.
func (m *mark) step(c byte) (ok, done bool) {
	switch m.part {
	case partPrefix:
		return m.fixed(c, sectionStart, partVerb), false
	case partVerb:
		switch c {
		case 's':
			m.part = partStart
		case 'e':
			m.part = partEnd
		default:
			return false, false
		}
		return true, false
	case partStart:
		return m.fixed(c, "tart:", partTime), false
	case partEnd:
		return m.fixed(c, "nd:", partTime), false
	case partTime:
		switch {
		case '0' <= c && c <= '9':
			m.at = 1
		case c == ':' && m.at == 1:
			m.part, m.at = partName, 0
		default:
			return false, false
		}
		return true, false
	case partName:
		switch {
		case dnsName(c):
			m.at = 1
		case c == '[' && m.at == 1:
			m.part = partOptions
		case c == '\r' && m.at == 1:
			m.part, m.at = partErase, 0
		default:
			return false, false
		}
		return true, false
	case partOptions:
		switch {
		case dnsName(c), c == '=', c == ',':
		case c == ']':
			m.part = partClosed
		default:
			return false, false
		}
		return true, false
	case partClosed:
		m.part, m.at = partErase, 0
		return c == '\r', false
	}
	const erase = "\x1b[0K"
	ok = c == erase[m.at]
	m.at++
	return ok, ok && int(m.at) == len(erase)
}

func (m *mark) fixed(c byte, want string, next part) bool {
	if c != want[m.at] {
		return false
	}
	if m.at++; int(m.at) == len(want) {
		m.part, m.at = next, 0
	}
	return true
}
