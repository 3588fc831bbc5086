package block

import (
	"fmt"
	"strings"
)

// String lists the open blocks, outermost first: > a block quote, 2. a list
// item and the width of its indentation (2e one without content), p a
// paragraph, ~3 a fence, h1 an HTML block and its start condition.
func (p *Parser) String() string {
	var s strings.Builder
	for i, c := range p.stack[:p.depth] {
		switch {
		case c == quote:
			s.WriteByte('>')
		case p.empty && i == p.depth-1:
			fmt.Fprintf(&s, "%de", c)
		default:
			fmt.Fprintf(&s, "%d.", c)
		}
	}
	switch p.leaf {
	case leafParagraph:
		s.WriteByte('p')
	case leafFence:
		fmt.Fprintf(&s, "%c%d", p.marker, p.length)
	case leafHTML:
		fmt.Fprintf(&s, "h%d", p.html)
	}
	return s.String()
}
