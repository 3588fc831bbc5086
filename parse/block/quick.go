package block

import "bytes"

// quick is Next for the lines that most of those are that reach it, and says
// whether the line was one. It does nothing that decide and commit would not. l
// is zero.
func (p *Parser) quick(l *Line, line []byte) bool {
	if p.depth == 0 && p.leaf == leafFence {
		p.inFence(l, line)
		return true
	}
	if len(line) == 0 {
		return p.quickBlank(l)
	}
	c := line[0]
	if p.depth == 0 && p.leaf <= leafParagraph && !p.held {
		switch {
		case !Starts[c]:
			p.leaf = leafParagraph
			return true
		case c == '`' || c == '~':
			return p.quickFence(l, line)
		}
	}
	// A bullet at the margin ends all that is open, but a fence at top level or
	// an HTML block, and begins an item with a paragraph in it.
	if (c == '-' || c == '*' || c == '+') && len(line) > 2 && line[1] == ' ' &&
		!Starts[line[2]] && line[2] != '\v' && line[2] != '\f' && (p.depth > 0 || p.leaf <= leafParagraph) {
		l.Ended = p.leaf == leafFence
		p.stack[0], p.depth = 2, 1
		p.leaf, p.empty, p.held, p.first = leafParagraph, false, false, false
		return true
	}
	return false
}

// inFence takes a line while a fence at top level is open.
func (p *Parser) inFence(l *Line, line []byte) {
	l.Fenced, l.Top = true, true
	l.First, p.first = p.first, false
	i := firstText(line)
	if i < 0 {
		l.Blank = true
		return
	}
	// A tab would go to the fourth column.
	if line[i] == p.marker && i < 4 && bytes.IndexByte(line[:i], '\t') < 0 {
		n := 1
		for i+n < len(line) && line[i+n] == p.marker {
			n++
		}
		if n >= p.length && firstText(line[i+n:]) < 0 {
			p.leaf = leafNone
			l.First, l.Close = false, true
		}
	}
}

// quickBlank takes an empty line, if it ends no container.
func (p *Parser) quickBlank(l *Line) bool {
	if p.leaf > leafParagraph || p.empty || bytes.IndexByte(p.stack[:p.depth], quote) >= 0 {
		return false
	}
	p.leaf, p.held = leafNone, false
	l.Blank = true
	return true
}

// quickFence takes a line that begins with a fence's marker while nothing is
// open but a paragraph.
func (p *Parser) quickFence(l *Line, line []byte) bool {
	c, n := line[0], 1
	for n < len(line) && line[n] == c {
		n++
	}
	if n < 3 || c == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return false
	}
	p.leaf, p.empty, p.first = leafFence, false, true
	p.marker, p.length = c, n
	l.Fenced, l.Open, l.Top = true, true, true
	return true
}

// firstText is the offset of the first byte of b that is no blank, or -1.
func firstText(b []byte) int {
	for i, c := range b {
		if !isBlank(c) {
			return i
		}
	}
	return -1
}
