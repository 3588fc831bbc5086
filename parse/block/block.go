// Package block tells, line by line and in bounded memory, which lines of a
// document are fenced code.
//
// It follows the block structure of CommonMark 0.31.2 as its reference
// implementation, commonmark.js, decides it: block quotes and list items as a
// stack of containers, and in the innermost of them one open leaf that a later
// line can still change (a paragraph, a fenced code block or an HTML block).
// Headings, thematic breaks and indented code need no state: once their line
// is over, a document with one goes on as a document without.
//
// What the inline phase would make of a paragraph is never asked, with one
// exception: a paragraph of nothing but link reference definitions does not
// become a setext heading. The text of a paragraph that begins with '[' is
// therefore kept, up to [MaxDefinitions] bytes, until it is known to be
// something else.
//
// The caller splits the document into lines at \n, \r\n and \r. Nothing else
// ends a line: VT, FF, U+0085, U+2028 and U+2029 are part of it, and NUL is a
// byte like others. A blank is a space or a tab.
//
// # The fast path
//
// Most lines of most documents need no call that looks at them. With p a
// Parser, these hold:
//
//   - When p.Plain() is true, a line whose first byte b has !Starts[b] is
//     paragraph text whatever follows: p.Text() commits it as p.Line(line)
//     would, which would return the zero Line. Plain stays true after it, and
//     further such lines need no call at all: Text twice is Text once.
//   - When p.InTopFence() returns (marker, true), a line whose first byte that
//     is not a blank is not marker, and a line of nothing but blanks, is a line
//     of the fence's body whatever follows: p.Body() commits it as p.Line(line)
//     would, which would return Fenced, Top, for a line of nothing but blanks
//     Blank, and directly after the opening line First. The fence goes on, and
//     further such lines need no call at all.
//   - Every other line needs Line, Next, LongLine, or a Peek before one of them.
//
// An empty line is not plain: it ends a paragraph. When p.Plain() is true, p.Gap()
// commits one as p.Line(nil) would, which would return Blank. Starts holds '\n'
// and '\r', so that looking at the first byte of a line with its line end is
// enough.
package block

// Limits, which bound what a Parser holds.
const (
	// MaxDepth is how deep containers nest. Where a document is as deep as
	// this, the marker of a further block quote or list item is text.
	MaxDepth = 1000

	// MaxDefinitions is how many bytes of a paragraph that begins with '[' are
	// kept, to see whether it is nothing but link reference definitions. A
	// longer one is taken for something else.
	MaxDefinitions = 16 << 10

	// MinHead is how many bytes of a long line LongLine wants to see, at the
	// least. The markers and the indentation of MaxDepth containers take at
	// most 18 bytes each, so what a line is always shows in these.
	MinHead = 32 << 10
)

// A Line is what the structure of the document says of one line.
type Line struct {
	// Fenced is set for each line of a fenced code block, the opening line with
	// its info string and the closing line included.
	Fenced bool
	Open   bool // the line opens a fence
	Close  bool // the line is a closing fence
	// Ended is set when a fence that was open before the line ended here
	// without a closing line, because its container ended. The line itself is
	// not part of that fence, but may open another.
	Ended bool
	First bool // the first line of a fence's body, directly behind the opening line
	Top   bool // the line is fenced, and its fence is in no container
	// Blank is set when nothing but blanks is left of the line at Content.
	Blank bool
	// Content is the offset in bytes behind the last block quote marker that
	// belongs to the line and the one blank that may follow it, which may be a
	// tab of several columns. It is 0 where there is no such marker. A list
	// item's marker is removed only in front of a block quote's, its
	// indentation too.
	Content int
}

// A Fate is what the beginning of a line tells of the whole.
type Fate uint8

const (
	Text      Fate = iota // not fenced, whatever follows
	Fenced                // fenced, whatever follows
	Undecided             // opens a fence unless a backtick follows in its info string
)

// A Verdict is what Peek can say of a line that is not complete. Content,
// Ended, First and Top are what Line will say of the line (when Undecided, Top
// is said of the fence that the line may open).
type Verdict struct {
	Fate    Fate
	Open    bool // the line opens a fence, if it is fenced at all
	Ended   bool
	First   bool
	Top     bool
	Content int
}

// A leaf is the kind of the innermost open block, where it is no container and
// a later line can continue it.
type leaf uint8

const (
	leafNone leaf = iota
	leafParagraph
	leafFence
	leafHTML
)

// A Parser tracks the block structure of one document. The zero Parser is at
// the start of one. It is about 2 KiB, holds at most MaxDefinitions bytes
// besides, and allocates for nothing else.
type Parser struct {
	// stack holds the open containers, outermost first: quote for a block
	// quote, or else the columns that the content of a list item is indented by.
	stack [MaxDepth]uint8
	fresh [MaxDepth]uint8 // the containers that the line at hand begins
	depth int

	leaf   leaf
	empty  bool  // the innermost container is a list item without content yet
	held   bool  // text holds all of the open paragraph
	first  bool  // the open fence has no line but its first
	marker byte  // of the open fence
	html   uint8 // start condition of the open HTML block, 1 to 7
	length int   // of the open fence's opening run
	text   []byte
}

// quote is the entry of a block quote in the stack. A list item's is 2 or more.
const quote = 0

// Starts holds the bytes that can begin something other than paragraph text
// when they are the first of a line and the parser is Plain.
var Starts = func() (t [256]bool) {
	for _, b := range []byte("\n\r\t #`~*+-_=<>0123456789[") {
		t[b] = true
	}
	return t
}()

// Reset starts a new document and keeps the memory.
func (p *Parser) Reset() {
	p.depth = 0
	p.leaf = leafNone
	p.empty, p.held, p.first = false, false, false
}

// Plain reports that no container, fence or HTML block is open, nor a
// paragraph whose text still matters. See the package comment.
func (p *Parser) Plain() bool {
	return p.depth == 0 && p.leaf <= leafParagraph && !p.held
}

// Text commits a line of which only the first byte b is known, when Plain is
// true and Starts[b] is false.
func (p *Parser) Text() { p.leaf = leafParagraph }

// Gap commits an empty line, when Plain is true.
func (p *Parser) Gap() { p.leaf = leafNone }

// InTopFence reports whether a fence that is in no container is open, and the
// byte that it is made of. At the end of a document this is an unclosed one.
func (p *Parser) InTopFence() (marker byte, ok bool) {
	return p.marker, p.depth == 0 && p.leaf == leafFence
}

// Body commits a line of which it is known only that its first byte that is not
// a blank is not the marker, or that it has none, when InTopFence is true.
func (p *Parser) Body() { p.first = false }

// Line commits one whole line, given without its line end.
func (p *Parser) Line(line []byte) (l Line) {
	p.Next(&l, line)
	return l
}

// Next is Line that fills l. What is returned is copied as a whole, for which
// the processor waits until all its parts are written: on short lines that takes
// as long as all the rest.
func (p *Parser) Next(l *Line, line []byte) {
	*l = Line{}
	if !p.quick(l, line) {
		var s step
		p.decide(&s, line, nil, false)
		p.commit(l, &s, line, nil)
	}
}

// LongLine commits a line of which the caller holds only the head, MinHead
// bytes or more, and has given the rest to rest.Add. It says what Line would
// say of the whole, with two exceptions: an HTML tag alone on its line (start
// condition 7) is not seen when it does not end in the head, and a paragraph
// with a long line is not taken for link reference definitions.
func (p *Parser) LongLine(head []byte, rest *Rest) (l Line) {
	if rest.n == 0 {
		return p.Line(head)
	}
	var s step
	p.decide(&s, head, rest, false)
	p.commit(&l, &s, head, rest)
	return l
}

// Peek says of a line that begins with head what is certain already, and
// commits nothing. Head must hold a '<' with a letter behind it: a line with
// one is not blank and neither a closing fence nor a thematic break.
func (p *Parser) Peek(head []byte) Verdict {
	var s step
	p.decide(&s, head, nil, true)
	v := Verdict{
		Ended:   p.leaf == leafFence && s.matched < p.depth,
		Content: s.content,
	}
	switch s.move {
	case moveBody:
		v.Fate, v.First, v.Top = Fenced, p.first, p.depth == 0
	case moveOpen:
		v.Fate, v.Open, v.Top = Fenced, true, s.matched+s.fresh == 0
		if s.undecided {
			v.Fate = Undecided
		}
	}
	return v
}
