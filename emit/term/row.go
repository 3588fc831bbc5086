package term

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A row lays safe text out in lines and keeps count of the columns.
type row struct {
	dst    []byte
	color  bool
	ascii  bool
	width  int
	col    int // of what comes next, from 0
	indent int // where a line that is folded goes on

	left          int    // the column behind the line numbers
	bar, barStyle string // at left in front of each line of a card
}

// put appends s, which must not hold a line end.
func (r *row) put(style, s string) {
	if s != "" {
		r.styled(style, s, Width(s))
	}
}

// styled appends s, which takes n columns and may hold escape sequences. In the
// log of a CI job, a line that begins with "::" is a command to the runner: a
// backslash in front of it shows that it is none of ours.
func (r *row) styled(style, s string, n int) {
	if strings.HasPrefix(strings.TrimSpace(s), "::") {
		line := r.dst[bytes.LastIndexByte(r.dst, '\n')+1:]
		if len(bytes.TrimSpace(line)) == 0 {
			r.dst = append(r.dst, '\\')
			r.col++
		}
	}
	if r.color && style != "" {
		r.dst = append(r.dst, "\x1b["...)
		r.dst = append(r.dst, style...)
		r.dst = append(r.dst, 'm')
		r.dst = append(r.dst, s...)
		r.dst = append(r.dst, "\x1b[0m"...)
	} else {
		r.dst = append(r.dst, s...)
	}
	r.col += n
}

// pad appends n blanks.
func (r *row) pad(n int) {
	for range n {
		r.dst = append(r.dst, ' ')
		r.col++
	}
}

// end ends the line, without blanks at its end.
func (r *row) end() {
	for len(r.dst) > 0 && r.dst[len(r.dst)-1] == ' ' {
		r.dst = r.dst[:len(r.dst)-1]
	}
	r.dst = append(r.dst, '\n')
	r.col = 0
}

// turn goes on in the next line, at the indentation.
func (r *row) turn() {
	r.end()
	if r.bar != "" {
		r.pad(r.left)
		r.put(r.barStyle, r.bar)
	}
	r.pad(r.indent - r.col)
}

// limit is the column that prose ends before.
func (r *row) limit() int { return min(r.width, r.indent+proseColumns) }

// glyph is the ornament that the terminal can show.
func (r *row) glyph(unicode, ascii string) string {
	if r.ascii {
		return ascii
	}
	return unicode
}

// prose appends text, folded between words, or beside a wide character, where
// it would pass the limit. A longer word stays whole. Line ends are kept, but
// for one in the middle of a sentence whose line had to be folded already.
func (r *row) prose(style, text string) {
	for {
		line, rest, more := strings.Cut(text, "\n")
		folded := r.fold(style, line)
		if !more {
			return
		}
		if folded && rest != "" && 'a' <= rest[0] && rest[0] <= 'z' {
			rest = " " + rest
		} else {
			r.turn()
		}
		text = rest
	}
}

// fold appends a line and tells whether it had to be folded.
func (r *row) fold(style, line string) (folded bool) {
	limit := r.limit()
	// What goes on one line is put in one piece, not a word at a time.
	start, end, width := 0, 0, 0
	for end < len(line) {
		blanks := len(line[end:]) - len(strings.TrimLeft(line[end:], " "))
		n, columns := segment(line[end+blanks:])
		at := r.col + width
		if n > 0 && at > r.indent && at+blanks+columns > limit {
			if end > start {
				r.styled(style, line[start:end], width)
			}
			r.turn()
			folded = true
			start, end, width = end+blanks, end+blanks+n, columns
			continue
		}
		end += blanks + n
		width += blanks + columns
	}
	if end > start {
		r.styled(style, line[start:end], width)
	}
	return folded
}

// segment is the length and the columns of what begins s and is not to be
// broken: a wide character, or a run of others up to a blank or wide one.
func segment(s string) (length, columns int) {
	for length < len(s) && s[length] != ' ' {
		c, n := utf8.DecodeRuneInString(s[length:])
		w := runeWidth(c)
		if w == 2 && length > 0 {
			break
		}
		length += n
		columns += w
		if w == 2 {
			for length < len(s) { // the marks on it
				c, n := utf8.DecodeRuneInString(s[length:])
				if runeWidth(c) != 0 {
					break
				}
				length += n
			}
			break
		}
	}
	return length, columns
}
