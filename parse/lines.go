package parse

import (
	"bytes"

	"tagscan/parse/clean"
)

// lines cuts text into the clean lines of a document: a line ends with \n,
// \r\n or a lone \r, and escape sequences are removed from it.
type lines struct {
	d   *document
	esc clean.Escapes
	buf []byte
	mid bool // a line has begun and not ended
	cr  bool // the line ended with \r, so that a \n is part of its end
	crs int  // how many more \r came behind that
}

// at says that what comes stands on line n of the input.
func (l *lines) at(n int) { l.d.at(n) }

// write takes text with line ends in it, cut anywhere. What is in hardly any line
// is looked for in all of them at once.
func (l *lines) write(b []byte) {
	plain := bytes.IndexByte(b, '\r') < 0 && !clean.Has(b)
	lt := bytes.IndexByte(b, '<')
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n')
		switch {
		case n < 0:
			l.fragment(b)
			return
		case l.mid || l.cr:
			l.fragment(b[:n])
			l.newline()
		case plain:
			l.d.text(padding(b[:n]), uint(lt) >= uint(n))
		default:
			l.whole(b[:n])
		}
		b = b[n+1:]
		if lt >= 0 {
			if lt -= n + 1; lt < 0 {
				lt = bytes.IndexByte(b, '<')
			}
		}
	}
}

// whole takes one whole line up to its \n, while no other has begun. CRs in
// front of the \n are part of the line end: some terminals' logs have \r\r\n.
func (l *lines) whole(b []byte) {
	if bytes.IndexByte(b, '\r') < 0 {
		l.clean(b)
		return
	}
	b = bytes.TrimRight(b, "\r")
	for {
		i := bytes.IndexByte(b, '\r')
		if i < 0 {
			l.clean(b)
			return
		}
		l.clean(b[:i])
		b = b[i+1:]
	}
}

func (l *lines) clean(b []byte) {
	b = padding(b)
	if !clean.Has(b) {
		l.d.text(b, false)
		return
	}
	l.buf = l.esc.EndLine(l.esc.Append(l.buf[:0], b))
	l.d.text(l.buf, false)
}

// fragment takes a part of a line, with no \n in it.
func (l *lines) fragment(b []byte) {
	for len(b) > 0 {
		if b[0] == '\r' {
			if l.cr {
				l.crs++
			} else {
				l.end()
				l.cr = true
			}
			b = b[1:]
			continue
		}
		l.lone()
		i := bytes.IndexByte(b, '\r')
		if i < 0 {
			i = len(b)
		}
		l.append(b[:i])
		b = b[i:]
	}
}

// lone ends the lines that CRs with no \n behind them end.
func (l *lines) lone() {
	for ; l.crs > 0; l.crs-- {
		l.d.text(nil, true)
	}
	l.cr = false
}

// padding drops the NULs at the start of a line, which a crash leaves in a log.
func padding(b []byte) []byte {
	for len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	return b
}

func (l *lines) append(b []byte) {
	if !l.mid {
		if b = padding(b); len(b) == 0 {
			return
		}
		l.mid = true
	}
	l.buf = l.esc.Append(l.buf[:0], b)
	l.d.part(l.buf)
}

// newline takes a \n.
func (l *lines) newline() {
	if l.cr {
		l.cr, l.crs = false, 0
		return
	}
	l.end()
}

func (l *lines) end() {
	l.mid = false
	if l.buf = l.esc.EndLine(l.buf[:0]); len(l.buf) > 0 {
		l.d.part(l.buf)
	}
	l.d.end()
}

// close ends the text: the line that has begun and the document.
func (l *lines) close() {
	if l.mid {
		l.d.closing = true
		l.end()
	}
	l.cr, l.crs = false, 0
	l.d.close()
}
