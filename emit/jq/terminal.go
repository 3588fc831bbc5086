package jq

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// unprintable tells whether a character could change what a terminal shows
// besides itself: C0, DEL and C1 controls and the bidi controls.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// A TerminalWriter shows control and bidi characters escaped, \u001b for ESC,
// and bytes that are no UTF-8 as U+FFFD; tabs and line ends pass. A character
// that a Write begins and does not end waits for the next.
type TerminalWriter struct {
	W    io.Writer
	part []byte // of a character
	buf  []byte
}

func (t *TerminalWriter) Write(p []byte) (int, error) {
	n := len(p)
	if len(t.part) > 0 {
		p = append(t.part, p...)
		t.part = nil
	}
	b := t.buf[:0]
	for len(p) > 0 {
		if !utf8.FullRune(p) {
			t.part = append(t.part, p...)
			break
		}
		r, size := utf8.DecodeRune(p)
		switch {
		case r == '\n' || r == '\t':
			b = append(b, byte(r))
		case unprintable(r):
			b = fmt.Appendf(b, "\\u%04x", r)
		default:
			b = utf8.AppendRune(b, r) // U+FFFD for what is no character
		}
		p = p[size:]
	}
	if t.buf = b; cap(b) > 1<<20 {
		t.buf = nil
	}
	if _, err := t.W.Write(b); err != nil {
		return 0, err
	}
	return n, nil
}
