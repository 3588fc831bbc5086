package block

import "bytes"

// maxLabel is the longest link label, in UTF-16 code units and with its
// brackets, that the reference implementation takes.
const maxLabel = 1001

// onlyDefinitions reports whether the text of a paragraph, each line trimmed at
// its left and ended by '\n', is nothing but link reference definitions.
func onlyDefinitions(text []byte) bool {
	for len(text) > 0 && text[0] == '[' {
		n := definition(text)
		if n == 0 {
			break
		}
		text = text[n:]
	}
	return len(text) == 0
}

// mayDefine reports whether the first line of a paragraph, trimmed at its left,
// can be the start of a definition. Most that begin with '[' are links or items
// of a task list.
func mayDefine(line []byte) bool {
	if line[0] != '[' {
		return false
	}
	n, open := label(line)
	return open || n > 0 && n < len(line) && line[n] == ':'
}

// definition returns the length of the link reference definition that text
// begins with, its line end included, or 0.
func definition(text []byte) int {
	n, _ := label(text)
	if n == 0 || text[n] != ':' || blankLabel(text[1:n-1]) {
		return 0
	}
	at := n + 1
	at += gap(text[at:])
	n, ok := destination(text[at:])
	if !ok {
		return 0
	}
	at += n
	// A title that is not followed by the end of its line is none: then the
	// destination must be at the end of its own.
	if n := gap(text[at:]); n > 0 {
		if t := title(text[at+n:]); t > 0 {
			if e := lineEnd(text[at+n+t:]); e > 0 {
				return at + n + t + e
			}
		}
	}
	if e := lineEnd(text[at:]); e > 0 {
		return at + e
	}
	return 0
}

// label returns the length of the link label that text begins with, or 0; open
// tells that it would go on behind the text.
func label(text []byte) (n int, open bool) {
	units := 1
	for i := 1; i < len(text); i++ {
		switch x := text[i]; {
		case x == '[':
			return 0, false
		case x == ']':
			if units+1 > maxLabel {
				return 0, false
			}
			return i + 1, false
		case x == '\\' && i+1 < len(text) && text[i+1] < 0x80:
			i++
			units += 2
		case x >= 0xf0:
			units += 2
		case x&0xc0 != 0x80:
			units++
		}
	}
	return 0, units < maxLabel
}

// blankLabel reports whether a label holds nothing but white space.
func blankLabel(b []byte) bool {
	for len(b) > 0 {
		n := spaceLen(b)
		if n == 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

// gap returns the length of the spaces, with at most one line end among them,
// that text begins with.
func gap(text []byte) int {
	i := spaces(text)
	if i < len(text) && text[i] == '\n' {
		i++
		i += spaces(text[i:])
	}
	return i
}

func spaces(text []byte) int {
	i := 0
	for i < len(text) && text[i] == ' ' {
		i++
	}
	return i
}

// lineEnd returns the length of the spaces and the line end that text begins
// with, or 0.
func lineEnd(text []byte) int {
	i := spaces(text)
	if i < len(text) && text[i] == '\n' {
		return i + 1
	}
	return 0
}

// destination returns the length of the link destination that text begins with.
func destination(text []byte) (n int, ok bool) {
	if len(text) > 0 && text[0] == '<' {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '>':
				return i + 1, true
			case '<', '\n':
				return 0, false
			case '\\':
				// A backslash takes any character with it but a line's end.
				i++
				if i == len(text) || text[i] == '\n' || indexSeparator(text[i:min(i+3, len(text))]) == 0 {
					return 0, false
				}
			}
		}
		return 0, false
	}
	depth, i := 0, 0
scan:
	for ; i < len(text); i++ {
		switch x := text[i]; {
		case x == '\\' && i+1 < len(text) && isPunctuation(text[i+1]):
			i++
		case x == '(':
			depth++
		case x == ')':
			if depth == 0 {
				break scan
			}
			depth--
		case x == ' ' || '\t' <= x && x <= '\r':
			break scan
		}
	}
	return i, i > 0 && depth == 0
}

// title returns the length of the link title that text begins with, or 0.
func title(text []byte) int {
	if len(text) == 0 || bytes.IndexByte([]byte(`"'(`), text[0]) < 0 {
		return 0
	}
	end := text[0]
	if end == '(' {
		end = ')'
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case end:
			return i + 1
		case '(':
			if end == ')' {
				return 0
			}
		}
	}
	return 0
}

func isPunctuation(b byte) bool {
	return '!' <= b && b <= '/' || ':' <= b && b <= '@' || '[' <= b && b <= '`' || '{' <= b && b <= '~'
}
