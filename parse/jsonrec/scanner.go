package jsonrec

import (
	"encoding/binary"
	"math/bits"

	"tagscan/parse/masks"
)

// MaxDepth is how deep arrays and objects may nest, as in encoding/json. What is
// nested deeper is taken for invalid.
const MaxDepth = 10000

// Valid reports whether b is one valid JSON value with nothing but blanks around
// it.
func Valid(b []byte) bool {
	var s Scanner
	n, st := s.Write(b)
	switch st {
	case Bad:
		return false
	case More:
		return s.Close()
	}
	return skipBlank(b, n) == len(b)
}

// A Status says how far a Scanner is.
type Status uint8

const (
	More Status = iota // the value goes on
	Done               // the value is complete
	Bad                // this is not JSON
)

// A Scanner checks one JSON value that comes in pieces. The zero Scanner is
// ready. It holds no input.
type Scanner struct {
	state uint8
	hex   uint8 // digits still to come
	key   bool  // the string being read is a key
	lit   string
	depth int
	// stack has a bit for each open container, set for an object.
	stack [(MaxDepth + 63) / 64]uint64
}

const (
	sValue      uint8 = iota // a value must come
	sFirstValue              // a value or ]
	sFirstKey                // a key or }
	sKey                     // a key
	sColon
	sAfter // a comma or the container's end
	sString
	sEscape
	sHex
	sLiteral
	sMinus // the states of a number, up to sExp
	sZero
	sInt
	sDot
	sFrac
	sE
	sESign
	sExp
	sDone
	sBad
)

// Reset makes s ready for another value.
func (s *Scanner) Reset() {
	s.state, s.hex, s.key, s.lit, s.depth = sValue, 0, false, "", 0
}

// Close says that nothing more comes, and reports whether the value is complete:
// a number at the top level has no other end.
func (s *Scanner) Close() bool {
	if s.depth > 0 {
		return false
	}
	switch s.state {
	case sZero, sInt, sFrac, sExp, sDone:
		return true
	}
	return false
}

func (s *Scanner) object() bool {
	d := s.depth - 1
	return s.stack[d>>6]&(1<<(d&63)) != 0
}

func (s *Scanner) push(object bool) bool {
	if s.depth == MaxDepth {
		return false
	}
	d := s.depth
	if object {
		s.stack[d>>6] |= 1 << (d & 63)
	} else {
		s.stack[d>>6] &^= 1 << (d & 63)
	}
	s.depth++
	return true
}

// Write takes the next piece of the value, and gives how much of it belongs to
// the value, up to its end or to the first byte that cannot be JSON.
func (s *Scanner) Write(b []byte) (int, Status) {
	for i := 0; i < len(b); {
		c := b[i]
		switch s.state {
		case sString:
			// The commonest escapes do not leave the loop.
			for i += plain(b[i:]); i+1 < len(b) && b[i] == '\\' && escape[b[i+1]]; {
				i += 2
				i += plain(b[i:])
			}
			if i == len(b) {
				return i, More
			}
			switch b[i] {
			case '"':
				i++
				if s.key {
					s.key = false
					s.state = sColon
				} else if s.after() {
					return i, Done
				}
			case '\\':
				i++
				s.state = sEscape
			default:
				return s.bad(i)
			}
			continue
		case sEscape:
			switch {
			case escape[c]:
				s.state = sString
			case c == 'u':
				s.state, s.hex = sHex, 4
			default:
				return s.bad(i)
			}
		case sHex:
			if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
				return s.bad(i)
			}
			if s.hex--; s.hex == 0 {
				s.state = sString
			}
		case sLiteral:
			if c != s.lit[0] {
				return s.bad(i)
			}
			if s.lit = s.lit[1:]; s.lit == "" && s.after() {
				return i + 1, Done
			}
		case sMinus, sZero, sInt, sDot, sFrac, sE, sESign, sExp:
			next := number(s.state, c)
			if next == sBad {
				return s.bad(i)
			}
			if next == sDone {
				if s.after() {
					return i, Done
				}
				continue // c is still to be read
			}
			s.state = next
		case sDone:
			return i, Done
		case sBad:
			return i, Bad
		default:
			if blank(c) {
				i++
				continue
			}
			if !s.token(c) {
				return s.bad(i)
			}
			if s.state == sDone {
				return i + 1, Done
			}
		}
		i++
	}
	if s.state == sDone {
		return len(b), Done
	}
	return len(b), More
}

func (s *Scanner) bad(i int) (int, Status) {
	s.state = sBad
	return i, Bad
}

// after is the state behind a value, and reports whether that was the last.
func (s *Scanner) after() bool {
	if s.depth == 0 {
		s.state = sDone
		return true
	}
	s.state = sAfter
	return false
}

// token takes a byte that is neither blank nor within a string, number or
// literal.
func (s *Scanner) token(c byte) bool {
	switch s.state {
	case sFirstKey:
		if c == '}' {
			s.depth--
			s.after()
			return true
		}
		fallthrough
	case sKey:
		if c != '"' {
			return false
		}
		s.key, s.state = true, sString
		return true
	case sColon:
		if c != ':' {
			return false
		}
		s.state = sValue
		return true
	case sAfter:
		switch {
		case c == ',' && s.object():
			s.state = sKey
		case c == ',':
			s.state = sValue
		case c == '}' && s.object(), c == ']' && !s.object():
			s.depth--
			s.after()
		default:
			return false
		}
		return true
	case sFirstValue:
		if c == ']' {
			s.depth--
			s.after()
			return true
		}
	}
	switch {
	case c == '{':
		s.state = sFirstKey
		return s.push(true)
	case c == '[':
		s.state = sFirstValue
		return s.push(false)
	case c == '"':
		s.state = sString
	case c == '-':
		s.state = sMinus
	case c == '0':
		s.state = sZero
	case '1' <= c && c <= '9':
		s.state = sInt
	case c == 't':
		s.state, s.lit = sLiteral, "rue"
	case c == 'f':
		s.state, s.lit = sLiteral, "alse"
	case c == 'n':
		s.state, s.lit = sLiteral, "ull"
	default:
		return false
	}
	return true
}

// number is the state of a number behind c: sDone if c is not part of it, sBad
// if the number cannot go on so.
func number(state, c byte) uint8 {
	digit := '0' <= c && c <= '9'
	switch state {
	case sMinus:
		if c == '0' {
			return sZero
		}
		if digit {
			return sInt
		}
		return sBad
	case sInt:
		if digit {
			return sInt
		}
		fallthrough
	case sZero:
		if c == '.' {
			return sDot
		}
		if c == 'e' || c == 'E' {
			return sE
		}
		return sDone
	case sDot:
		if digit {
			return sFrac
		}
		return sBad
	case sFrac:
		if digit {
			return sFrac
		}
		if c == 'e' || c == 'E' {
			return sE
		}
		return sDone
	case sE:
		if c == '+' || c == '-' {
			return sESign
		}
		fallthrough
	case sESign:
		if digit {
			return sExp
		}
		return sBad
	}
	if digit {
		return sExp
	}
	return sDone
}

var escape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain is the length of a run at the start of b that holds no quote, no
// backslash and no control character, but for escapes where the run is long.
// Eight bytes are looked at in a step; a borrow can only raise a false alarm above
// a true one, and the lowest is taken.
func plain(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if i == 16 {
			if i += masks.Text(b[i-2:]) - 2; i+8 > len(b) {
				break
			}
		}
		x := binary.LittleEndian.Uint64(b[i:])
		q := x ^ ones*'"'
		e := x ^ ones*'\\'
		m := ((q - ones) &^ q) | ((e - ones) &^ e) | ((x - ones*0x20) &^ x)
		if m &= highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < 0x20 {
			break
		}
	}
	return i
}
