package parse

import (
	"bytes"

	"tagscan/parse/block"
)

const (
	// maxSpan bounds a code span: its closing run starts at most this many
	// bytes behind the opening one. It is what a line can make the scanner hold.
	maxSpan = 8192
	// maxHead is how much of a line its block structure is decided from; the
	// rest of a longer line only adds what block.Rest remembers of it.
	maxHead = 64 << 10
	// excerpt is how much is handed over of what is skipped: more than is shown,
	// so that what may be a password is seen to be one.
	excerpt = MaxExcerpt
)

// A document finds the tags and status blocks of one text document: the text
// lines of an input, or one text part of a record. Fences, an open tag and an
// open status block end with it.
//
// Lines come clean: without their line end, escape sequences and prefixes,
// whole (line) or in fragments (part, then end).
type document struct {
	g   *grammar
	h   Handler
	pos Pos // of the current line
	org Origin
	// excerpts is set when skipped things are shown, so that they wait for the
	// bytes that their excerpt needs.
	excerpts bool
	// transient is set when a block's text is used again for the next.
	transient bool

	blk block.Parser
	tag openTag
	st  statusBlock

	// The line so far, while it comes in fragments. buf is its window: all of
	// it, or for a long line what is not decided yet.
	buf   []byte
	head  []byte // the first maxHead bytes of a long line
	rest  block.Rest
	long  bool
	begun bool // the line's fences are decided and its tags are being read
	maybe bool // a fence opener so far, unless a backtick follows
	ln    block.Line

	scan    int // where in the line tags are looked for next
	spanPos int // where in the line backticks are looked for next
	spanEnd int // end of the code span found last
	// slashPos is where the backslashes begin that can escape a backtick: behind
	// the run of backticks that was looked at last.
	slashPos int
	spanRun  bool // spanPos is in a run of backticks that is too long for a span

	// moved tells where in buf another line of the input begins, of text that
	// comes in the chunks of several records.
	moved []move

	// Handed over, and used again.
	out     Tag
	block   Block
	skipped Skip

	fence   Fence // that is open, if it is at top level
	closing bool  // the document ends, with the line at hand or without one
}

// A move says that from offset at of the line on the text stands on line of the
// input.
type move struct{ at, line int }

// An openTag is an opening tag whose closing tag has not come.
type openTag struct {
	on       bool
	ns, kind string
	pos      Pos
	code     Code
	value    []byte // of the lines before this one, and of this line up to start
	start    int    // where in the line its value goes on
}

func newDocument(g *grammar, h Handler, excerpts bool) *document {
	return &document{g: g, h: h, excerpts: excerpts}
}

// begin starts a new document at pos.
func (d *document) begin(pos Pos, org Origin) {
	d.pos, d.org = pos, org
	d.blk.Reset()
	d.fence = Fence{}
}

// at says that what comes stands on line n of the input.
func (d *document) at(n int) {
	if len(d.buf) == 0 && !d.long {
		d.pos.Line = n
		return
	}
	last := d.pos.Line
	if k := len(d.moved); k > 0 {
		last = d.moved[k-1].line
	}
	if n != last {
		d.moved = append(d.moved, move{len(d.buf), n})
	}
}

func (d *document) posAt(i int) Pos {
	p := d.pos
	p.Line = d.lineAt(i)
	return p
}

// lineAt is the input's line that byte i of the line stands on.
func (d *document) lineAt(i int) int {
	n := d.pos.Line
	for _, m := range d.moved {
		if m.at > i {
			break
		}
		n = m.line
	}
	return n
}

// close ends the document. A line that is not ended must be ended first.
func (d *document) close() {
	d.closing = true
	d.abandon()
	d.finishStatus(true)
	d.closing = false
}

// line takes one whole line. tagless says that there is no '<' in it.
func (d *document) line(b []byte, tagless bool) {
	if len(b) > maxHead {
		d.part(b)
		d.end()
		return
	}
	d.whole(b, !tagless && bytes.IndexByte(b, '<') >= 0, true, nil)
}

// text takes one whole line as line does, and passes over what cannot hold or
// change anything on its first byte.
func (d *document) text(b []byte, tagless bool) {
	if len(b) > 0 && len(b) <= maxHead {
		c := b[0]
		switch p := d.pace(); {
		case p == paceFence && c != '~' && !isBlank(c) && !markerStarts[c]:
			if !tagless && bytes.IndexByte(b, '<') >= 0 {
				d.plain(b, true, nil)
			}
			return
		case p == pacePlain && !block.Starts[c] && !markerStarts[c]:
			d.blk.Text()
			if !tagless && bytes.IndexByte(b, '<') >= 0 {
				d.plain(b, false, nil)
			}
			return
		}
	}
	d.line(b, tagless)
}

// plain reads the tags of a whole line that is at top level and changes nothing.
// only is the one that there is on it, nil for what is to be looked for.
func (d *document) plain(b []byte, fenced bool, only *lone) {
	d.ln = block.Line{Fenced: fenced}
	d.seek(0)
	d.tags(b, only)
}

// tags reads the tags of a whole line from d.scan on, while none is open.
func (d *document) tags(b []byte, only *lone) {
	if only != nil {
		d.lone(b, only)
		return
	}
	d.inline(b, true)
	if d.tag.on {
		d.hold(b[d.tag.start:])
		d.hold(lineEnd)
	}
}

// lone hands over the one tag of the whole line b.
func (d *document) lone(b []byte, t *lone) {
	code := CodeFence
	if d.ln.Fenced {
		d.fence.Tags++
	} else if in, _ := d.spanAt(b, t.at, true); in {
		code = CodeSpan
	} else {
		code = CodeNone
	}
	ns, kind := d.g.named(t.name, t.kind)
	d.give(&d.pos, ns, kind, t.value, code)
}

// give hands over a tag. It is filled field by field, as a whole it would be
// written twice.
func (d *document) give(at *Pos, ns, kind string, value []byte, code Code) {
	t := &d.out
	t.Pos, t.Origin = *at, d.org
	t.Namespace, t.Kind, t.Value, t.Code = ns, kind, trimBlanks(value), code
	d.h.Tag(t)
}

// whole takes a whole line of which the block structure can be seen. lt says
// whether there is a '<' in it, marker whether it may be one of a status block;
// only is as for plain.
func (d *document) whole(b []byte, lt, marker bool, only *lone) {
	ln := &d.ln
	d.blk.Next(ln, b)
	if d.tag.on || d.st.on || d.st.pending {
		d.enter(b)
		if d.tag.on || lt {
			d.inline(b, true)
		}
		d.leave(b, b)
		return
	}
	// Nothing is open that the line could end or go on with.
	if ln.Ended || ln.Close {
		d.fence = Fence{}
	}
	if ln.Open {
		d.openFence()
	}
	if lt {
		d.seek(ln.Content)
		d.tags(b, only)
	}
	if (marker || ln.Content > 0) && mayOpen(b[ln.Content:]) {
		d.openStatus(b)
	}
	if !ln.Blank {
		d.st.fenceFresh = ln.Open
	}
}

func (d *document) openFence() {
	d.fence = Fence{}
	if d.ln.Top {
		d.fence.Line = d.pos.Line
	}
}

// seek starts to read a line's tags at i.
func (d *document) seek(i int) {
	d.scan, d.spanPos, d.spanEnd, d.slashPos, d.tag.start = i, i, i, i, i
}

// part takes a fragment of a line.
func (d *document) part(b []byte) {
	if len(d.buf)+len(b) <= maxHead && !d.long {
		d.buf = append(d.buf, b...)
		if bytes.IndexByte(b, '>') >= 0 {
			d.early()
		}
		return
	}
	for len(b) > 0 {
		n := min(len(b), maxHead)
		if !d.long {
			n = min(len(b), maxHead-len(d.buf))
			d.buf = append(d.buf, b[:n]...)
			if b = b[n:]; len(b) == 0 {
				d.early()
				return
			}
			d.long = true
			d.head = append(d.head[:0], d.buf...)
			d.rest = block.Rest{}
			continue
		}
		d.rest.Add(b[:n])
		d.buf = append(d.buf, b[:n]...)
		b = b[n:]
		d.early()
		d.shrink()
	}
}

// early reads the tags of a line whose rest has not come, as far as nothing
// that can follow on the line changes them.
func (d *document) early() {
	if !d.begun {
		head := d.buf
		if d.long {
			head = d.head
		} else if i := bytes.IndexByte(head, '<'); i < 0 || i+1 == len(head) {
			return
		}
		v := d.blk.Peek(head)
		if v.Fate == block.Undecided {
			if !d.long {
				return
			}
			// An info string longer than the head is one, whatever follows.
			d.maybe = true
		}
		d.ln = block.Line{Fenced: v.Fate != block.Text, Open: v.Open, Ended: v.Ended, First: v.First, Top: v.Top, Content: v.Content}
		d.begun = true
		d.enter(head)
	}
	d.inline(d.buf, false)
}

// shrink drops from the window what is decided.
func (d *document) shrink() {
	if !d.begun {
		return
	}
	k := d.scan
	if !d.ln.Fenced {
		if _, known := d.spanAt(d.buf, d.scan, false); !known {
			k = min(k, d.spanPos)
		}
	}
	if k > 0 {
		k -= d.slashes(d.buf, k) % 2 // it may stand before a backtick
	}
	if k <= 0 {
		return
	}
	if d.tag.on && d.tag.start < k {
		d.hold(d.buf[d.tag.start:k])
		d.tag.start = k
	}
	d.buf = append(d.buf[:0], d.buf[k:]...)
	d.scan -= k
	d.spanPos = max(d.spanPos-k, 0)
	d.spanEnd = max(d.spanEnd-k, 0)
	d.slashPos = max(d.slashPos-k, 0)
	d.tag.start = max(d.tag.start-k, 0)
	for len(d.moved) > 0 && d.moved[0].at <= k {
		d.pos.Line = d.moved[0].line
		d.moved = d.moved[1:]
	}
	for i := range d.moved {
		d.moved[i].at -= k
	}
}

// end ends a line that came in fragments.
func (d *document) end() {
	head := d.buf
	var ln block.Line
	if d.long {
		head = d.head
		if d.maybe {
			d.rest = block.Rest{}
		}
		ln = d.blk.LongLine(head, &d.rest)
	} else {
		ln = d.blk.Line(head)
	}
	if !d.begun {
		d.ln = ln
		d.enter(head)
	}
	d.ln = ln
	d.inline(d.buf, true)
	d.leave(d.buf, head)
	d.pos.Line = d.lineAt(len(d.buf))
	d.moved = d.moved[:0]
	d.buf = d.buf[:0]
	d.long, d.begun, d.maybe = false, false, false
}

// enter applies what the beginning of a line decides.
func (d *document) enter(b []byte) {
	ln := &d.ln
	d.seek(ln.Content)
	if ln.Open || ln.Ended || ln.Close {
		// "a code fence starts"; and no tag reaches out of its fence.
		d.abandon()
	}
	if d.st.on {
		d.leadStatus(b)
	}
	if ln.Open {
		d.openFence()
	}
}

// leave applies what a line's end decides. window is what is left of the line,
// head its beginning.
func (d *document) leave(window, head []byte) {
	if d.tag.on {
		if d.ln.Blank {
			d.abandon()
		} else {
			d.hold(window[d.tag.start:])
			d.hold(lineEnd)
		}
	}
	if d.st.on || d.st.pending {
		d.statusLine(head)
	} else if mayOpen(head[d.ln.Content:]) {
		d.openStatus(head)
	}
	if !d.ln.Blank {
		d.st.fenceFresh = d.ln.Open
	}
	if d.ln.Close || d.ln.Ended && !d.ln.Open {
		d.fence = Fence{}
	}
}

var lineEnd = []byte{'\n'}

// firstByte is the first byte of b that is no blank, 0 if there is none.
func firstByte(b []byte) byte {
	_, c := skipBlanks(b)
	return c
}

// skipBlanks is where the first byte of b is that is no blank, and that byte, 0
// if there is none.
func skipBlanks(b []byte) (int, byte) {
	for i, c := range b {
		if c != ' ' && c != '\t' {
			return i, c
		}
	}
	return len(b), 0
}

// hold adds b to the open tag's value, up to what is ever needed of it.
func (d *document) hold(b []byte) {
	if n := maxOpen + 1 - len(d.tag.value); len(b) > n {
		b = b[:n]
	}
	d.tag.value = append(d.tag.value, b...)
	if len(d.tag.value) > maxOpen {
		d.abandon()
	}
}

// abandon gives up the open tag. Scanning goes on right behind it, which it
// has already: no opening tag can have passed unseen.
func (d *document) abandon() {
	if !d.tag.on {
		return
	}
	t := &d.tag
	t.on = false
	k := &d.skipped
	x := append(appendName(append(k.Excerpt[:0], '<'), t.ns, t.kind), '>')
	x = append(x, t.value[:min(len(t.value), excerpt)]...)
	*k = Skip{Pos: t.pos, Origin: d.org, What: "tag", Reason: ReasonUnclosed, Namespace: t.ns, Kind: t.kind, Excerpt: trimBlanks(x)}
	d.skip(k, t.code)
}

func appendName(b []byte, ns, kind string) []byte {
	b = append(b, ns...)
	if ns != "" {
		b = append(b, ':')
	}
	return append(b, kind...)
}

// skip hands over a Skip. What stands in code is hidden by the code before
// anything else can be wrong with it, so that is its reason.
func (d *document) skip(s *Skip, c Code) {
	switch c {
	case CodeFence:
		s.Reason = ReasonFenced
	case CodeSpan:
		s.Reason = ReasonCodeSpan
	}
	d.h.Skip(s)
}

// inline looks for tags in the line b from d.scan on. final says that the line
// ends with b; otherwise it stops where what follows could change the outcome.
func (d *document) inline(b []byte, final bool) {
	i := d.scan
	t := &d.tag
	for {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			i = len(b)
			break
		}
		i += j
		if i+1 == len(b) {
			if final {
				i++
			}
			break
		}
		c := b[i+1]
		if c == '/' {
			if t.on {
				n, f := closing(b[i:], t.ns, t.kind, final)
				if f == foundPrefix {
					break
				}
				if f == foundOpen {
					d.complete(b, i)
					i += n
					continue
				}
			}
			i++
			continue
		}
		if !d.g.lead[c] {
			i++
			continue
		}
		n, k, size, f := d.g.opening(b[i:], final)
		if f == foundNothing {
			i++
			continue
		}
		if f == foundPrefix || f != foundOpen && d.excerpts && !final && len(b)-i < excerpt {
			break
		}
		code := CodeFence
		if !d.ln.Fenced {
			in, known := d.spanAt(b, i, final)
			if !known {
				break
			}
			code = CodeNone
			if in {
				code = CodeSpan
			}
		}
		if f != foundOpen {
			d.overflow(b, i)
			ns, kind := d.g.named(n, k)
			s := Skip{Pos: d.posAt(i), Origin: d.org, What: "tag", Reason: ReasonAttributes, Namespace: ns, Kind: kind, Excerpt: b[i:min(len(b), i+excerpt)]}
			if f == foundBadKind {
				s.Reason = ReasonBadKind
			}
			d.skip(&s, code)
			i++
			continue
		}
		if t.on {
			d.hold(b[t.start:i])
			d.abandon()
		}
		t.on, t.code = true, code
		t.ns, t.kind = d.g.named(n, k)
		t.pos = d.pos
		t.pos.Line = d.lineAt(i)
		i += size
		t.value, t.start = t.value[:0], i
	}
	d.scan = i
}

// overflow abandons the open tag when its value has passed its bound before i.
func (d *document) overflow(b []byte, i int) {
	if d.tag.on && len(d.tag.value)+i-d.tag.start > maxOpen {
		d.hold(b[d.tag.start:i])
	}
}

// complete hands over the open tag, whose closing tag begins at b[i].
func (d *document) complete(b []byte, i int) {
	d.overflow(b, i)
	t := &d.tag
	if !t.on {
		return
	}
	v := b[t.start:i]
	if len(t.value) > 0 {
		t.value = append(t.value, v...)
		v = t.value
	}
	t.on = false
	if t.code == CodeFence {
		d.fence.Tags++
	}
	d.give(&t.pos, t.ns, t.kind, v, t.code)
}

// spanAt says whether b[i], which is no backtick, is in a code span: between a
// run of backticks and the next run of the same length on the line, at most
// maxSpan bytes on. known is false while bytes to come can still tell. It must
// be asked in the order of the line.
func (d *document) spanAt(b []byte, i int, final bool) (in, known bool) {
	for d.spanEnd <= i {
		if d.spanRun {
			d.spanPos += runLength(b[d.spanPos:], len(b))
			d.slashPos = d.spanPos
			if d.spanPos >= i && !final {
				return false, true
			}
			d.spanRun = false
		}
		j := -1
		if d.spanPos < i {
			j = bytes.IndexByte(b[d.spanPos:i], '`')
		}
		if j < 0 {
			d.spanPos = max(d.spanPos, i)
			return false, true
		}
		p := d.spanPos + j
		// "so is a backtick behind an odd number of backslashes"
		if d.slashes(b, p)%2 == 1 {
			d.spanPos, d.slashPos = p+1, p+1
			continue
		}
		n := runLength(b[p:], maxSpan+1)
		if n > maxSpan {
			d.spanPos, d.spanRun = p, true
			continue
		}
		q, f := closeSpan(b, p+n, n, final)
		switch f {
		case foundOpen:
			d.spanPos, d.spanEnd, d.slashPos = q+n, q+n, q+n
		case foundPrefix:
			d.spanPos = p
			return false, false
		default:
			d.spanPos, d.slashPos = p+n, p+n
		}
	}
	return true, true
}

// slashes counts the backslashes directly before b[p], from d.slashPos on.
func (d *document) slashes(b []byte, p int) int {
	n := 0
	for p-n > d.slashPos && b[p-n-1] == '\\' {
		n++
	}
	return n
}

// closeSpan finds the run of exactly n backticks that starts at most maxSpan
// bytes behind from.
func closeSpan(b []byte, from, n int, final bool) (int, found) {
	for q := from; ; {
		j := bytes.IndexByte(b[q:min(len(b), from+maxSpan+1)], '`')
		if j < 0 {
			if !final && len(b) <= from+maxSpan {
				return 0, foundPrefix
			}
			return 0, foundNothing
		}
		q += j
		m := runLength(b[q:], maxSpan+1)
		switch {
		case q+m == len(b) && m <= maxSpan && !final:
			return 0, foundPrefix
		case m == n:
			return q, foundOpen
		}
		if q += m; q > from+maxSpan || q > len(b) {
			return 0, foundNothing
		}
	}
}

// runLength is the length of the run of backticks that b begins with, or most
// when it is longer.
func runLength(b []byte, most int) int {
	n := 0
	for n < len(b) && n < most && b[n] == '`' {
		n++
	}
	return n
}
