// Package clean makes the clean text on which tags are recognised out of raw
// bytes: it removes escape sequences and decodes UTF-16.
//
// Both jobs are incremental: input comes in pieces cut anywhere, and what comes
// out does not depend on where they were cut. Neither holds more than a few
// bytes, whatever the input.
package clean

import "bytes"

const (
	bel = 0x07
	can = 0x18
	sub = 0x1A
	esc = 0x1B
	del = 0x7F
)

// preamble follows CSI 8 m (concealed) in a Jenkins console note: the mark, and
// the first three bytes (FF FF FF) of the signed form's header in Base64. The
// note is "\x1b[8m" + preamble + Base64 + "\x1b[0m".
const preamble = "ha:////"

type state uint8

const (
	ground       state = iota
	escape             // behind ESC
	intermediate       // behind ESC and one or more of 0x20-0x2F
	csi                // behind ESC [
	str                // in the string of an OSC, DCS, APC, PM or SOS
	noteStart          // behind CSI 8 m, seen bytes of the preamble read
	note               // in the Base64 of a console note
)

// Escapes removes the escape sequences of one line at a time: CSI and ESC
// sequences (ECMA-48 5.3 and 5.4), the control strings OSC, DCS, APC, PM and SOS
// (5.6) with what they carry, and Jenkins' console notes. The text of an OSC 8
// hyperlink stays.
//
// What is malformed is treated as terminals do, after the state machine of
// DEC's VT500 series (Williams, vt100.net/emu/dec_ansi_parser):
//
//   - CAN and SUB end any sequence and go with it, and ESC starts another;
//   - another C0 control inside a CSI or ESC sequence takes effect as if it
//     stood outside: it stays in the text, and the sequence goes on. In a
//     control string it is part of the string;
//   - a CSI with parameters and intermediates in disorder runs to its final byte.
//
// A control string ends with BEL or ST (ESC \). The line ends CR and LF end any
// sequence and stay. Bytes from 0x80 on are UTF-8: one inside a control string is
// part of it, one inside a CSI or ESC sequence ends that and stays, and the 8-bit
// C1 controls are not recognised. BS and other C0 controls stay in the text.
//
// The zero value is ready to use. It holds nothing of a sequence, so that one may
// be of any length.
type Escapes struct {
	state state
	// eight is how far the parameters of a CSI agree with "8".
	eight eight
	seen  uint8
}

type eight uint8

const (
	noParameter eight = iota
	isEight
	isOther
)

// Has reports whether b holds an escape character at all.
func Has(b []byte) bool { return bytes.IndexByte(b, esc) >= 0 }

// Append appends to dst the text of frag, which continues what was given since
// the last EndLine, and returns the longer slice. It allocates only to grow dst.
// dst may be the beginning of the array that frag lies in, when frag does not
// start before the end of dst and nothing was given since the last EndLine.
func (e *Escapes) Append(dst, frag []byte) []byte {
	for {
		if e.state == ground {
			i := bytes.IndexByte(frag, esc)
			if i < 0 {
				return append(dst, frag...)
			}
			dst = append(dst, frag[:i]...)
			frag = frag[i+1:]
			if n := wellFormed(frag); n > 0 {
				frag = frag[n:]
				continue
			}
			e.state = escape
		}
		var n int
		dst, n = e.run(dst, frag)
		if frag = frag[n:]; len(frag) == 0 {
			return dst
		}
	}
}

// wellFormed returns the length of the rest of the CSI that b begins with behind
// its ESC, or 0 when b holds something else. Nearly all sequences of a log are
// such, and need not go through the states.
func wellFormed(b []byte) int {
	if len(b) == 0 || b[0] != '[' {
		return 0
	}
	i := 1
	for i < len(b) && ' ' <= b[i] && b[i] <= '?' {
		i++
	}
	if i == len(b) || b[i] < '@' || b[i] >= del || i == 2 && b[1] == '8' && b[2] == 'm' {
		return 0
	}
	return i + 1
}

// EndLine ends the line: a sequence that was not closed is gone, and the next
// line starts as text. It appends to dst what had been taken for the beginning of
// a console note (at most six bytes) and is text.
func (e *Escapes) EndLine(dst []byte) []byte {
	if e.state == noteStart {
		dst = append(dst, preamble[:e.seen]...)
	}
	*e = Escapes{}
	return dst
}

// run reads b inside a sequence up to the end of that. It returns how many bytes
// it has read: all of them, or those before the first byte of text.
func (e *Escapes) run(dst, b []byte) ([]byte, int) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch e.state {
		case ground:
			return dst, i
		case str:
			for class[c]&endsString == 0 {
				if i++; i == len(b) {
					return dst, i
				}
				c = b[i]
			}
			switch c {
			case esc:
				e.state = escape // ST, or a new sequence
			case '\r', '\n':
				e.state = ground
				return dst, i
			default:
				e.state = ground
			}
			continue
		case noteStart:
			if c == preamble[e.seen] {
				if e.seen++; int(e.seen) == len(preamble) {
					e.state = note
				}
				continue
			}
			dst = append(dst, preamble[:e.seen]...)
			e.state = ground
			return dst, i
		case note:
			switch {
			case class[c]&inBase64 != 0:
			case c == esc:
				e.state = escape
			default:
				e.state = ground
				return dst, i
			}
			continue
		}
		switch {
		case c == esc:
			e.state = escape
		case c == can, c == sub:
			e.state = ground
		case c == '\r', c == '\n', c > del:
			e.state = ground
			return dst, i
		case c < ' ':
			dst = append(dst, c)
		case c == del: // ignored in any sequence
		default:
			e.sequence(c)
		}
	}
	return dst, len(b)
}

// sequence reads one byte of 0x20-0x7E behind ESC or in a CSI.
func (e *Escapes) sequence(c byte) {
	switch e.state {
	case escape:
		switch {
		case c < '0':
			e.state = intermediate
		case c == '[':
			e.state, e.eight = csi, noParameter
		case c == ']', c == 'P', c == '_', c == '^', c == 'X':
			e.state = str
		default:
			e.state = ground
		}
	case intermediate:
		if c >= '0' {
			e.state = ground
		}
	case csi:
		switch {
		case c < '@':
			if c == '8' && e.eight == noParameter {
				e.eight = isEight
			} else {
				e.eight = isOther
			}
		case c == 'm' && e.eight == isEight:
			e.state, e.seen = noteStart, 0
		default:
			e.state = ground
		}
	}
}

// Skip returns the length of the escape sequences that b starts with, 0 when it
// starts with text, and -1 when b ends before it is certain. A sequence that
// leaves a control character in the text is not skipped.
func Skip(b []byte) int {
	n := 0
	for n < len(b) && b[n] == esc {
		if k := wellFormed(b[n+1:]); k > 0 {
			n += 1 + k
			continue
		}
		var room [len(preamble)]byte
		e := Escapes{state: escape}
		left, read := e.run(room[:0], b[n+1:])
		switch {
		case e.state != ground:
			return -1
		case len(left) > 0 && left[0] < ' ':
			return n
		}
		n += 1 + read - len(left)
	}
	return n
}

const (
	endsString = 1 << iota
	inBase64
)

// class is a table, as control strings may be long.
var class = func() (t [256]uint8) {
	for _, c := range []byte{bel, can, sub, esc, '\r', '\n'} {
		t[c] |= endsString
	}
	for c := range t {
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c == '+' || c == '/' || c == '=' {
			t[c] |= inBase64
		}
	}
	return t
}()
