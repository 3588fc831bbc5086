package block

import "bytes"

// quick is Next for the lines that most of those are that reach it, and says
// whether the line was one. It does nothing that decide and commit would not. l
// is zero.
func (p *Parser) quick(l *Line, line []byte) bool {
	if p.depth == 0 && p.leaf == leafFence {
		l.Top = true
		p.inFence(l, line)
		return true
	}
	if len(line) == 0 {
		return p.quickBlank(l)
	}
	c := line[0]
	if p.depth == 1 && p.leaf == leafFence && (c == ' ' || c == '>') {
		return p.quickBody(l, line)
	}
	// Without a paragraph that could go on, what is at the margin ends all
	// containers, but for a block quote's own marker.
	if p.leaf == leafNone || p.depth == 0 && p.leaf == leafParagraph && !p.held {
		switch {
		case !Starts[c]:
			p.depth, p.empty, p.leaf = 0, false, leafParagraph
			return true
		case c == '`' || c == '~':
			return p.quickFence(l, line)
		case c == '#':
			return p.quickHeading(line)
		}
	}
	// A bullet at the margin ends all that is open, but a fence at top level or
	// an HTML block, and begins an item with a paragraph in it.
	if bullet(line) && (p.depth > 0 || p.leaf <= leafParagraph) {
		l.Ended = p.leaf == leafFence
		p.item(0, 2)
		return true
	}
	// Where it interrupts no paragraph, a number may be any.
	if isDigit(c) && (p.depth > 0 || p.leaf == leafNone) {
		if width := numbered(line); width > 0 {
			l.Ended = p.leaf == leafFence
			p.item(0, width)
			return true
		}
	}
	// One that is indented by two columns does the same in such an item.
	if c == ' ' && p.depth > 0 && p.stack[0] == 2 && p.leaf <= leafParagraph && len(line) > 2 && line[1] == ' ' && bullet(line[2:]) {
		p.item(1, 2)
		return true
	}
	return false
}

// bullet says whether a line is at the margin a list item's first, with text in
// it: a bullet, one space, and what begins nothing but a paragraph.
func bullet(line []byte) bool {
	return len(line) > 0 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && texted(line)
}

// texted says whether behind line's first byte there is one space and what begins
// nothing but a paragraph.
func texted(line []byte) bool {
	return len(line) > 2 && line[1] == ' ' && !Starts[line[2]] && line[2] != '\v' && line[2] != '\f'
}

// numbered is the width of what line begins with if it is as a bullet's, with a
// number in place of the bullet; 0 if it is not.
func numbered(line []byte) int {
	n := 1
	for n < len(line) && n <= 9 && isDigit(line[n]) {
		n++
	}
	if n > 9 || n == len(line) || line[n] != '.' && line[n] != ')' || !texted(line[n:]) {
		return 0
	}
	return n + 2
}

// item leaves a paragraph open in an item of so many columns, in the n outermost
// of the containers.
func (p *Parser) item(n, width int) {
	p.stack[n], p.depth = uint8(width), n+1
	p.leaf, p.empty, p.held, p.first = leafParagraph, false, false, false
}

// quickBody takes a line that goes on with the one container that is open, and
// with the fence in it.
func (p *Parser) quickBody(l *Line, line []byte) bool {
	n, content := int(p.stack[0]), 0
	if n == quote {
		if n = 1; line[0] != '>' {
			return false
		}
		if len(line) > 1 && line[1] == ' ' {
			n = 2
		}
		content = n
	} else if len(line) < n || firstText(line[:n]) >= 0 {
		return false
	}
	// A tab may stand for columns of the container and of what is in it.
	if bytes.IndexByte(line[:min(len(line), n+4)], '\t') >= 0 || firstText(line[n:]) < 0 {
		return false
	}
	l.Content = content
	p.inFence(l, line[n:])
	return true
}

// quickHeading is quickFence for one that begins with a '#'.
func (p *Parser) quickHeading(line []byte) bool {
	n := 1
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n > 6 || n < len(line) && !isBlank(line[n]) {
		return false
	}
	p.depth, p.empty, p.leaf = 0, false, leafNone
	return true
}

// inFence takes a line while a fence is open, without what its containers take.
func (p *Parser) inFence(l *Line, line []byte) {
	l.Fenced = true
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

// quickFence takes a line that begins with a fence's marker while nothing that is
// open can go on in it.
func (p *Parser) quickFence(l *Line, line []byte) bool {
	c, n := line[0], 1
	for n < len(line) && line[n] == c {
		n++
	}
	if n < 3 || c == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return false
	}
	p.depth, p.leaf, p.empty, p.first = 0, leafFence, false, true
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

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
