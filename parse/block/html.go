package block

import "bytes"

// rawNames are the tag names of start and end condition 1.
var rawNames = map[string]bool{"script": true, "pre": true, "textarea": true, "style": true}

// blockNames are the tag names of start condition 6.
var blockNames = func() map[string]bool {
	m := make(map[string]bool)
	for _, name := range bytes.Fields([]byte(`address article aside base basefont blockquote body caption
		center col colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame
		frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav noframes
		ol optgroup option p param section search summary table tbody td tfoot th thead title tr track ul`)) {
		m[string(name)] = true
	}
	return m
}()

// longestName is the length of the longest name in either.
const longestName = len("blockquote")

// tagName returns the letters and digits that b begins with, in lower case and
// in buf; nothing when they are too many for a name.
func tagName(buf *[longestName]byte, b []byte) []byte {
	for i, x := range b {
		if 'A' <= x && x <= 'Z' {
			x |= 0x20
		}
		if !('a' <= x && x <= 'z' || isDigit(x)) {
			return buf[:i]
		}
		if i == len(buf) {
			return nil
		}
		buf[i] = x
	}
	return buf[:len(b)]
}

// htmlStart returns the start condition, 1 to 7, that b meets, or 0. Condition
// 7, which cannot interrupt a paragraph, is tried only with seven.
func htmlStart(b []byte, seven bool, rest *Rest) uint8 {
	if len(b) < 2 {
		return 0
	}
	if b[1] == '?' {
		return 3
	}
	if b[1] == '!' {
		switch {
		case bytes.HasPrefix(b, []byte("<!--")):
			return 2
		case len(b) > 2 && isLetter(b[2]):
			return 4
		case bytes.HasPrefix(b, []byte("<![CDATA[")):
			return 5
		}
		return 0
	}
	at := 1
	if b[1] == '/' {
		at = 2
	}
	var buf [longestName]byte
	name := tagName(&buf, b[at:])
	after := b[at+len(name):]
	ends := len(after) == 0 || after[0] == '>' || spaceLen(after) > 0
	if ends && at == 1 && rawNames[string(name)] {
		return 1
	}
	if (ends || bytes.HasPrefix(after, []byte("/>"))) && blockNames[string(name)] {
		return 6
	}
	if seven && loneTag(b) && (rest == nil || !rest.text) {
		return 7
	}
	return 0
}

// htmlEnds reports whether b with the rest behind it meets the end condition of
// an HTML block that start condition kind began. Kinds 6 and 7 end with a blank
// line, which is not for here.
func htmlEnds(kind uint8, b []byte, rest *Rest) bool {
	if kind > 5 {
		return false
	}
	if rest != nil {
		if rest.ends&(1<<kind) != 0 {
			return true
		}
		var joined [2 * (longestEnd - 1)]byte
		k := copy(joined[:], b[max(0, len(b)-(longestEnd-1)):])
		m := k + copy(joined[k:], rest.lead[:min(rest.n, len(rest.lead))])
		for i := k; i < m; i++ {
			if joined[i] == '>' && htmlEndsAt(joined[:i+1])&(1<<kind) != 0 {
				return true
			}
		}
	}
	switch kind {
	case 2:
		return bytes.Contains(b, []byte("-->"))
	case 3:
		return bytes.Contains(b, []byte("?>"))
	case 4:
		return bytes.IndexByte(b, '>') >= 0
	case 5:
		return bytes.Contains(b, []byte("]]>"))
	}
	for i := 0; ; i++ {
		n := bytes.IndexByte(b[i:], '>')
		if n < 0 {
			return false
		}
		if i += n; htmlEndsAt(b[:i+1])&(1<<1) != 0 {
			return true
		}
	}
}

// htmlEndsAt returns, as bits, the end conditions that the end of b meets. B
// ends with '>'.
func htmlEndsAt(b []byte) (ends uint8) {
	ends = 1 << 4
	b = b[:len(b)-1]
	if len(b) == 0 {
		return ends
	}
	switch b[len(b)-1] {
	case '-':
		if bytes.HasSuffix(b, []byte("--")) {
			ends |= 1 << 2
		}
	case '?':
		ends |= 1 << 3
	case ']':
		if bytes.HasSuffix(b, []byte("]]")) {
			ends |= 1 << 5
		}
	default:
		i := bytes.LastIndexByte(b[max(0, len(b)-(longestEnd-1)):], '/')
		if i < 0 {
			return ends
		}
		i += max(0, len(b)-(longestEnd-1))
		var buf [longestName]byte
		if name := tagName(&buf, b[i+1:]); i > 0 && b[i-1] == '<' && i+1+len(name) == len(b) && rawNames[string(name)] {
			ends |= 1 << 1
		}
	}
	return ends
}

// The states of an automaton for condition 7, "a complete open or closing tag
// […] followed by zero or more spaces and tabs, followed by the end of the
// line". The reference implementation differs from the words in two ways, and
// is followed: it does not leave out the names of condition 1, so that </pre>
// alone on a line begins a block; and white space is JavaScript's, of which what
// is not ASCII may also be part of an unquoted value. Hence the automaton can be
// in several states at once.
const (
	inName    = 1 << iota // the tag's name
	inBlank               // white space where an attribute may come
	inAttr                // an attribute's name
	inAttrGap             // white space behind one
	inEquals              // behind =, white space or none
	inValue               // an unquoted value
	inSingle              // '…
	inDouble              // "…
	inQuoted              // behind the closing quote
	inSlash               // behind /
	inClose               // the name of a closing tag
	inCloseGap
	inTail // behind the tag
)

// loneTag reports whether b is one open or closing tag and white space.
func loneTag(b []byte) bool {
	b = b[1:]
	state := uint16(inName)
	if len(b) > 0 && b[0] == '/' {
		b = b[1:]
		state = inClose
	}
	if len(b) == 0 || !isLetter(b[0]) {
		return false
	}
	for b = b[1:]; len(b) > 0 && state != 0; {
		x, n := b[0], 1
		var to uint16
		if k := spaceLen(b); k > 0 {
			n = k
			if state&(inName|inBlank|inValue|inQuoted) != 0 {
				to |= inBlank
			}
			if state&(inAttr|inAttrGap) != 0 {
				to |= inAttrGap
			}
			if state&(inClose|inCloseGap) != 0 {
				to |= inCloseGap
			}
			to |= state & (inEquals | inTail)
			if x >= 0x80 && state&(inEquals|inValue) != 0 {
				to |= inValue
			}
		} else {
			letter := isLetter(x)
			digit := isDigit(x)
			if letter || digit || x == '-' {
				to |= state & (inName | inClose)
			}
			if state&(inBlank|inAttrGap) != 0 && (letter || x == '_' || x == ':') ||
				state&inAttr != 0 && (letter || digit || x == '_' || x == ':' || x == '.' || x == '-') {
				to |= inAttr
			}
			// NUL stands for U+FFFD here.
			if state&(inEquals|inValue) != 0 && (x == 0 || x > ' ') && bytes.IndexByte([]byte("\"'=<>`"), x) < 0 {
				to |= inValue
			}
			switch x {
			case '=':
				if state&(inAttr|inAttrGap) != 0 {
					to |= inEquals
				}
			case '/':
				if state&(inName|inBlank|inAttr|inAttrGap|inValue|inQuoted) != 0 {
					to |= inSlash
				}
			case '>':
				if state&(inName|inBlank|inAttr|inAttrGap|inValue|inQuoted|inSlash|inClose|inCloseGap) != 0 {
					to |= inTail
				}
			case '"':
				if state&inEquals != 0 {
					to |= inDouble
				}
			case '\'':
				if state&inEquals != 0 {
					to |= inSingle
				}
			}
		}
		if state&inDouble != 0 {
			if x == '"' {
				to |= inQuoted
			} else {
				to |= inDouble
			}
		}
		if state&inSingle != 0 {
			if x == '\'' {
				to |= inQuoted
			} else {
				to |= inSingle
			}
		}
		state = to
		b = b[n:]
	}
	return state&inTail != 0
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// spaceLen returns the length of the character that b begins with if it is
// white space to JavaScript (\s in its regular expressions), or else 0.
func spaceLen(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch x := b[0]; {
	case x == ' ' || '\t' <= x && x <= '\r':
		return 1
	case x == 0xc2:
		if len(b) > 1 && b[1] == 0xa0 {
			return 2
		}
	case x >= 0xe1 && len(b) > 2:
		switch [3]byte(b) {
		case [3]byte{0xe1, 0x9a, 0x80}, // U+1680
			[3]byte{0xe2, 0x80, 0xa8}, [3]byte{0xe2, 0x80, 0xa9}, // U+2028, U+2029
			[3]byte{0xe2, 0x80, 0xaf}, // U+202F
			[3]byte{0xe2, 0x81, 0x9f}, // U+205F
			[3]byte{0xe3, 0x80, 0x80}, // U+3000
			[3]byte{0xef, 0xbb, 0xbf}: // U+FEFF
			return 3
		}
		if x == 0xe2 && b[1] == 0x80 && 0x80 <= b[2] && b[2] <= 0x8a { // U+2000 to U+200A
			return 3
		}
	}
	return 0
}
