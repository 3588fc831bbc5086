package block

import "bytes"

// A move is what a line does to the innermost block.
type move uint8

const (
	moveBlank     move = iota // a blank line, or a list item with nothing in it yet
	moveLeaf                  // a heading, a thematic break or indented code
	moveParagraph             // begins a paragraph
	moveContinue              // continues the paragraph
	moveLazy                  // continues the paragraph, its containers' markers left out
	moveHTML                  // begins an HTML block
	moveHTMLBody              // continues it
	moveOpen                  // opens a fence
	moveBody                  // a line of its body
	moveClose                 // closes it
)

// A step is what one line does to the Parser, found out without changing it.
type step struct {
	move      move
	html      uint8 // start condition of moveHTML
	htmlEnd   bool  // the line meets the end condition of its HTML block
	marker    byte  // of moveOpen
	spent     bool  // the held paragraph is nothing but link reference definitions
	undecided bool  // moveOpen, unless a backtick follows
	blank     bool
	matched   int // how many of the open containers go on
	fresh     int // how many containers the line begins, in Parser.fresh
	content   int // as in Line
	text      int // offset of the first byte that is not blank
	length    int // of moveOpen
}

// decide finds out what a line does. Rest is what follows of it, nil for
// nothing; with peek, what follows is unknown.
//
// It is the algorithm of the specification's appendix: first the open blocks
// that the line continues, then the blocks that it begins, then its text.
func (p *Parser) decide(s *step, line []byte, rest *Rest, peek bool) {
	var c cursor // field by field: a composite literal is built elsewhere and copied
	c.line, c.rest, c.next = line, rest, -1
	for ; s.matched < p.depth; s.matched++ {
		c.find()
		width := int(p.stack[s.matched])
		if width == quote {
			if c.indent() >= 4 || c.byte() != '>' {
				break
			}
			s.content = c.quote()
		} else if c.blank {
			// A list item can begin with at most one blank line.
			if p.empty && s.matched == p.depth-1 {
				break
			}
			c.skip()
		} else if c.indent() >= width {
			c.advance(width)
		} else {
			break
		}
	}
	c.find()
	s.blank, s.text = c.blank, c.next

	whole := s.matched == p.depth
	if whole {
		switch p.leaf {
		case leafFence:
			s.move = moveBody
			if c.closes(p.marker, p.length) {
				s.move = moveClose
			}
			return
		case leafHTML:
			if c.blank && p.html >= 6 {
				break
			}
			s.move = moveHTMLBody
			s.htmlEnd = htmlEnds(p.html, line[c.off:], rest)
			return
		}
	}

	// open is set as long as the paragraph is the innermost block and the line
	// has begun nothing else; direct, as long as its containers go on as well.
	open := p.leaf == leafParagraph
	direct := open && whole
	for !c.blank {
		if c.indent() >= 4 {
			// Indented code cannot interrupt a paragraph, not even lazily.
			if !open {
				s.move = moveLeaf
				return
			}
			break
		}
		b := c.byte()
		if !Starts[b] {
			break
		}
		width := -1
		switch b {
		case '>':
			if s.matched+s.fresh < MaxDepth {
				width = quote
				s.content = c.quote()
			}
		case '#':
			if c.heading() {
				s.move = moveLeaf
				return
			}
		case '`', '~':
			if c.fence(s, peek) {
				s.move = moveOpen
				return
			}
		case '<':
			if s.html = htmlStart(line[c.next:], !open, rest); s.html != 0 {
				s.move = moveHTML
				s.htmlEnd = htmlEnds(s.html, line[c.off:], rest)
				return
			}
		case '=', '-', '*', '_', '+', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if direct && (b == '=' || b == '-') && c.run(b, 1) > 0 {
				// Link reference definitions cannot be underlined (example 216
				// of the specification): with nothing else in the paragraph,
				// the line is looked at as any other. From then on the
				// paragraph begins with what comes behind them.
				if s.spent = p.held && onlyDefinitions(p.text); !s.spent {
					s.move = moveLeaf
					return
				}
			}
			if (b == '-' || b == '*' || b == '_') && c.thematic(b) {
				s.move = moveLeaf
				return
			}
			if s.matched+s.fresh < MaxDepth {
				width = c.item(direct)
			}
		}
		if width < 0 {
			break
		}
		open, direct = false, false
		p.fresh[s.fresh] = uint8(width)
		s.fresh++
		c.find()
		s.blank = c.blank && width == quote
	}
	s.text = c.next
	switch {
	case c.blank:
		s.move = moveBlank
	case direct:
		s.move = moveContinue
	case open:
		s.move = moveLazy
	default:
		s.move = moveParagraph
	}
}

// commit does what decide found out, and tells it in l, which is zero.
func (p *Parser) commit(l *Line, s *step, line []byte, rest *Rest) {
	l.Ended = p.leaf == leafFence && s.matched < p.depth
	l.Blank = s.blank
	l.Content = s.content
	if s.spent {
		p.held = false
	}
	switch s.move {
	case moveBody:
		l.Fenced, l.First, l.Top = true, p.first, p.depth == 0
		p.first = false
		return
	case moveClose:
		l.Fenced, l.Close, l.Top = true, true, p.depth == 0
		p.leaf, p.first = leafNone, false
		return
	case moveHTMLBody:
		if s.htmlEnd {
			p.leaf = leafNone
		}
		return
	case moveContinue, moveLazy:
		p.hold(line[s.text:], rest)
		return
	}

	copy(p.stack[s.matched:], p.fresh[:s.fresh])
	p.depth = s.matched + s.fresh
	p.leaf = leafNone
	p.empty = s.move == moveBlank && s.fresh > 0 && p.fresh[s.fresh-1] != quote
	p.held, p.first = false, false
	switch s.move {
	case moveParagraph:
		p.leaf = leafParagraph
		if rest == nil && mayDefine(line[s.text:]) {
			p.text, p.held = p.text[:0], true
			p.hold(line[s.text:], rest)
		}
	case moveHTML:
		if !s.htmlEnd {
			p.leaf, p.html = leafHTML, s.html
		}
	case moveOpen:
		p.leaf, p.first = leafFence, true
		p.marker, p.length = s.marker, s.length
		l.Fenced, l.Open, l.Top = true, true, p.depth == 0
	}
}

// hold keeps one more line of the paragraph if the ones before it are kept.
func (p *Parser) hold(text []byte, rest *Rest) {
	if !p.held {
		return
	}
	if rest != nil || len(p.text)+len(text) >= MaxDefinitions {
		p.held = false
		return
	}
	if p.text == nil {
		p.text = make([]byte, 0, MaxDefinitions)
	}
	p.text = append(p.text, text...)
	p.text = append(p.text, '\n')
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// A cursor is a place in a line. Columns count from 0, with a tab stop at each
// multiple of 4; a tab of which only some columns have been consumed is still
// ahead.
type cursor struct {
	line []byte
	rest *Rest // what follows the line, nil for nothing

	off, col      int
	next, nextCol int  // the first byte from off on that is not blank
	blank         bool // there is none

	// Before stop, and from the place on where a thematic break was looked for,
	// there is one marker and blanks only; at stop there is something else.
	// Kept, so that a line of list markers is not looked through for each.
	stop int
}

// find sets next. What it found last time holds as long as only blanks have
// been consumed since.
func (c *cursor) find() {
	if c.next >= c.off {
		return
	}
	i, col := c.off, c.col
	for ; i < len(c.line); i++ {
		if c.line[i] == ' ' {
			col++
		} else if c.line[i] == '\t' {
			col += 4 - col%4
		} else {
			break
		}
	}
	c.next, c.nextCol = i, col
	c.blank = i == len(c.line) && (c.rest == nil || !c.rest.nonblank)
}

// indent is the number of columns of blanks that are ahead.
func (c *cursor) indent() int { return c.nextCol - c.col }

// byte is the first byte that is not blank, 0 at the end of the line.
func (c *cursor) byte() byte {
	if c.next < len(c.line) {
		return c.line[c.next]
	}
	return 0
}

// skip consumes all blanks that are ahead.
func (c *cursor) skip() { c.off, c.col = c.next, c.nextCol }

// advance consumes n columns of blanks, of which there are that many.
func (c *cursor) advance(n int) {
	for n > 0 && c.off < len(c.line) {
		w := 1
		if c.line[c.off] == '\t' {
			w = 4 - c.col%4
		}
		if w > n {
			c.col += n
			return
		}
		c.off++
		c.col += w
		n -= w
	}
}

// quote consumes a block quote marker and the column of blank that may follow,
// and returns the offset behind both.
func (c *cursor) quote() int {
	c.off, c.col = c.next+1, c.nextCol+1
	end := c.off
	if end < len(c.line) && isBlank(c.line[end]) {
		c.advance(1)
		end++
	}
	return end
}

// count is the length of the run of b that is next, which may go on in rest.
func (c *cursor) count(b byte) (n int, atEnd bool) {
	i := c.next
	for i < len(c.line) && c.line[i] == b {
		i++
	}
	n = i - c.next
	if atEnd = i == len(c.line); atEnd && c.rest != nil && c.rest.lead[0] == b {
		n += c.rest.run
	}
	return n, atEnd
}

// run returns the length of the run of b that is next, if it is min or more
// and nothing but blanks follows, or else 0.
func (c *cursor) run(b byte, min int) int {
	n, atEnd := c.count(b)
	if n < min {
		return 0
	}
	if !atEnd {
		for _, x := range c.line[c.next+n:] {
			if !isBlank(x) {
				return 0
			}
		}
	}
	if r := c.rest; r != nil && r.nonblank && !(atEnd && r.lead[0] == b && r.runOnly) {
		return 0
	}
	return n
}

// closes reports whether the line closes the fence of n times marker.
func (c *cursor) closes(marker byte, n int) bool {
	return c.indent() < 4 && c.byte() == marker && c.run(marker, n) > 0
}

// heading reports whether an ATX heading is next.
func (c *cursor) heading() bool {
	n, _ := c.count('#')
	end := c.next + n
	return n <= 6 && (end >= len(c.line) || isBlank(c.line[end]))
}

// thematic reports whether a thematic break made of b is next.
func (c *cursor) thematic(b byte) bool {
	if c.next < c.stop {
		return false
	}
	n := 0
	for i := c.next; i < len(c.line); i++ {
		if c.line[i] == b {
			n++
		} else if !isBlank(c.line[i]) {
			c.stop = i
			return false
		}
	}
	if r := c.rest; r != nil && r.nonblank {
		if r.mixed || r.only != b {
			return false
		}
		n += r.onlyCount
	}
	return n >= 3
}

// fence sets marker and length of a fence that is next.
func (c *cursor) fence(s *step, peek bool) bool {
	s.marker = c.byte()
	n, atEnd := c.count(s.marker)
	s.length = n
	if n < 3 || s.marker == '~' {
		return n >= 3
	}
	// A backtick fence has no backtick in its info string. The reference
	// implementation looks no further than a Unicode line separator.
	if atEnd {
		s.undecided = peek
		return c.rest == nil || !c.rest.tick
	}
	info := c.line[c.next+n:]
	tick := bytes.IndexByte(info, '`')
	if tick >= 0 {
		info = info[:tick]
	}
	if indexSeparator(info) >= 0 {
		return true
	}
	if tick >= 0 {
		return false
	}
	s.undecided = peek
	return c.rest == nil || c.rest.splitsSeparator(info) || !(c.rest.tick || c.rest.lead[0] == '`')
}

// item consumes a list item's marker and what belongs to it of the blanks
// behind, and returns the columns that its content is indented by, or -1 if
// there is none. Direct says that it would interrupt a paragraph.
func (c *cursor) item(direct bool) int {
	end := c.next
	switch b := c.line[end]; b {
	case '-', '+', '*':
		end++
	case '=', '_':
		return -1
	default:
		number := 0
		for end < len(c.line) && end < c.next+9 && isDigit(c.line[end]) {
			number = number*10 + int(c.line[end]-'0')
			end++
		}
		if end == len(c.line) || c.line[end] != '.' && c.line[end] != ')' || direct && number != 1 {
			return -1
		}
		end++
	}
	if end < len(c.line) && !isBlank(c.line[end]) {
		return -1
	}
	if direct && !hasText(c.line[end:]) && (c.rest == nil || !c.rest.text) {
		return -1
	}

	marker := end - c.next
	width := c.indent() + marker
	c.off, c.col = end, c.nextCol+marker
	c.find()
	if n := c.indent(); n < 1 || n > 4 || c.blank {
		// The content is a blank line or begins with indented code: it is one
		// column behind the marker.
		c.advance(1)
		return width + 1
	} else {
		c.skip()
		return width + n
	}
}

// hasText reports whether b holds more than white space. Only the rule that an
// empty list item cannot interrupt a paragraph counts VT and FF as such.
func hasText(b []byte) bool {
	for _, x := range b {
		if !isBlank(x) && x != '\v' && x != '\f' {
			return true
		}
	}
	return false
}

// indexSeparator is the offset of the first U+2028 or U+2029, or -1.
func indexSeparator(b []byte) int {
	for i := 0; ; i += 2 {
		n := bytes.Index(b[i:], []byte("\u2028"[:2]))
		if n < 0 {
			return -1
		}
		if i += n; i+2 < len(b) && (b[i+2] == 0xa8 || b[i+2] == 0xa9) {
			return i
		}
	}
}
