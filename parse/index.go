package parse

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"tagscan/parse/block"
	"tagscan/parse/masks"
	"tagscan/parse/transcript"
	"tagscan/parse/wrap"
)

// An Index is what can be found out about a chunk of input before its turn
// comes: where its lines end, and what each of them may be. Another goroutine
// can make it while the chunk before is scanned.
type Index struct {
	g     *grammar
	after masks.Set // what may stand behind a tag's '<'
	limit int       // of a line that is looked at whole

	transcripts bool // are there to be read
	maxRecord   int

	ends  []int32 // the offset of each \n
	class []byte  // of each line that ends
	// escapes is set when there is an escape character in what are no records.
	escapes bool
	marks   []mark // other bytes that tell of their line, in Make

	// Of the lines that have just one tag, in their order.
	lones  []lone
	tagged int32 // the last line that has a '<' with what may be a name behind it

	// Of records, the lines that have an outline, in their order.
	outlines transcript.Outlines
	outlined []int32
}

// A mark is the offset of a byte, and the number of the line that it is in.
type mark struct{ at, line int32 }

// A lone is a tag that is whole on its line, and the only one that it has.
type lone struct {
	line        int // its number
	at          int // where it begins: in the chunk, and for a document in the line
	name        *name
	kind, value []byte
}

// What a line may be, whatever has been read before it. Most lines of most
// inputs are nothing of this: they hold no signal and change nothing that
// matters. What may have a wrapper or be a record is long; it goes through
// Scanner.whole, which would make the same of every line.
const (
	classLong  = 1 << iota // it has a wrapper or is a record
	classPlain             // at top level it may begin something else than text
	classFence             // in a fence it may end it, or be a marker of a status block
	classTag               // there is a '<' with what may be a name behind it
	classEmpty             // there is nothing in it but what the next two name
	classStamp             // GitHub's timestamp is in front of it
	classCR                // there is a \r before its \n
)

// firstByteClass is what the first byte of a line tells of it that is no blank,
// in its second half of a line with blanks before it.
var firstByteClass = func() (t [512]byte) {
	for c := range 256 {
		if block.Starts[c] {
			t[c] |= classPlain
		}
	}
	for _, c := range []byte("{[\x00\xef") {
		t[c] |= classLong
	}
	for _, c := range []byte("`~") {
		t[c] |= classFence
	}
	for c := range 256 {
		t[256+c] = t[c] | classPlain
	}
	t['\n'], t[256+'\n'] = classEmpty, classPlain
	return t
}()

// lookOf and lookIf have a bit in common for a first byte and the one behind it
// if they alone do not tell of their line. An escape sequence may stand in
// between.
var lookOf, lookIf = func() (first, second [256]byte) {
	const every = 1 << 7
	for c := range 256 {
		if markerStarts[c] && c != '`' {
			first[c] = every
		}
		second[c] = every
	}
	for _, c := range []byte("\x1b#0123456789") {
		first[c] = every
	}
	for i, pair := range []string{"--", "AG", "RA", "da"} {
		first[pair[0]] = 1 << i
		second[pair[1]] |= 1 << i
	}
	second[0x1b] = 0xff
	return first, second
}()

// Index returns an Index for chunks that are written to s.
func (s *Scanner) Index() *Index {
	x := &Index{g: s.text.d.g, limit: min(maxHead, s.o.MaxRecord), maxRecord: s.o.MaxRecord, transcripts: s.dec != nil}
	x.outlines.Candidate = x.g.candidate
	x.after.Add(0x1b) // an escape sequence may stand in front of a name
	for c, lead := range x.g.lead {
		if lead {
			x.after.Add(byte(c))
		}
	}
	return x
}

// Make makes x the Index of b, which holds less than 2 GiB.
func (x *Index) Make(b []byte) {
	x.ends, x.class, x.outlined = x.ends[:0], x.class[:0], x.outlined[:0]
	x.outlines.Reset()
	x.escapes = false
	x.lones, x.tagged = x.lones[:0], -1
	first := x.records(b, 0)
	// In front of further records there may be the rest of a line that the chunk
	// before has begun.
	if n := bytes.IndexByte(b[first:], '\n') + 1; n > 0 && first+n < len(b) && b[first+n] == '{' {
		x.add(b[:first+n], first)
		first = x.records(b, first+n)
	}
	x.add(b, first)
}

// add adds the lines of b from first on.
func (x *Index) add(b []byte, first int) {
	x.cut(b, first)
	x.classify(b, first)
	for _, m := range x.marks {
		if m.line == int32(len(x.ends)) {
			break // the chunk does not end that line
		}
		x.mark(b, m)
	}
}

var carriageReturn = []byte{'\r'}

// mark adds to the class of a line what its byte at m makes of it.
func (x *Index) mark(b []byte, m mark) {
	class := &x.class[m.line]
	switch b[m.at] {
	case '<':
		*class |= classTag
		x.tag(b, m)
	case '|':
		if mayBeLoose(bytes.TrimSuffix(x.bytes(b, m.line), carriageReturn)) {
			*class |= classLong
		}
	case '\t':
		// Behind the second tab a timestamp begins, its byte order mark or its colour.
		if next := b[m.at+1:]; next[0] == 0xef || next[0] == 0x1b || mayBeDate(next) {
			*class |= classLong
		}
	case '\r':
		if m.at < x.ends[m.line]-1 {
			*class |= classLong
		} else if *class&classLong == 0 {
			line := x.bytes(b, m.line)
			*class = *class&classTag | classCR | x.look(line[:len(line)-1])
		}
	}
}

// tag takes what may be an opening tag.
func (x *Index) tag(b []byte, m mark) {
	last := len(x.lones) - 1
	if x.tagged == m.line { // not the only one
		if last >= 0 && x.lones[last].line == int(m.line) {
			x.lones = x.lones[:last]
		}
		return
	}
	x.tagged = m.line
	line := b[m.at:x.ends[m.line]]
	n, kind, size, f := x.g.opening(line, true)
	if f != foundOpen {
		return
	}
	name := line[len("<"):size] // as it is in the closing tag, too
	for i := size; ; i++ {
		j := bytes.IndexByte(line[i:], '<')
		if i += j; j < 0 || i-size > maxOpen {
			return
		}
		if rest := line[i+1:]; len(rest) > 0 && rest[0] == '/' && bytes.HasPrefix(rest[1:], name) {
			x.lones = append(x.lones, lone{int(m.line), int(m.at), n, kind, line[size:i]})
			return
		}
	}
}

// bytes is line n of b.
func (x *Index) bytes(b []byte, n int32) []byte {
	first := 0
	if n > 0 {
		first = int(x.ends[n-1]) + 1
	}
	return b[first:x.ends[n]]
}

// cut finds where the lines end from first on, and what tells of lines besides
// their first bytes.
func (x *Index) cut(b []byte, first int) {
	x.marks = x.marks[:0]
	var room masks.Words
	for base := first; base < len(b); {
		words, marked, escape := masks.Make(&room, b[base:], &x.after)
		x.escapes = x.escapes || escape
		n := len(x.ends)
		if n+64*len(words) > cap(x.ends) {
			x.ends = append(make([]int32, 0, max(2*n, len(b)/32)+64*len(room)), x.ends...)
		}
		x.ends = x.ends[:n+masks.Lines(x.ends[n:cap(x.ends)], words, base)]
		for ; marked != 0; marked &= marked - 1 {
			i := bits.TrailingZeros64(marked)
			for w := &words[i]; w.Mark != 0; w.Mark &= w.Mark - 1 {
				before := w.LF & (w.Mark&-w.Mark - 1)
				x.marks = append(x.marks, mark{
					at:   int32(base + 64*i + bits.TrailingZeros64(w.Mark)),
					line: int32(n + w.Before + bits.OnesCount64(before)),
				})
			}
		}
		base += 64 * len(words)
	}
}

// ahead is how many bytes of a line are looked at at once: a timestamp and some.
const ahead = wrap.GitHubStampLen + 8

// classify adds the classes of the lines from first on, without what stands
// behind their first bytes. Nearly all lines take the same branches: what the
// processor guesses wrong costs more than all that is reckoned here.
func (x *Index) classify(b []byte, first int) {
	if n := len(x.ends); n > cap(x.class) {
		x.class = append(make([]byte, 0, 2*n), x.class...)
	}
	n := len(x.class)
	x.class = x.class[:len(x.ends)]
	if n < len(x.ends) {
		x.class[n] = x.look(b[first:x.ends[n]])
		n++
	}
	var room [64]masks.Head
	for n < len(x.ends) {
		starts := x.ends[n-1 : min(n-1+len(room), len(x.ends)-1)]
		for len(starts) > 0 && len(b)-int(starts[len(starts)-1]) <= ahead {
			starts = starts[:len(starts)-1]
		}
		if len(starts) == 0 {
			x.class[n] = x.look(b[x.ends[n-1]+1 : x.ends[n]])
			n++
			continue
		}
		heads, ends, classes := room[:len(starts)], x.ends[n:][:len(starts)], x.class[n:][:len(starts)]
		n += len(starts)
		every := ^uint64(0) >> (64 - len(starts))
		// Where one line has a timestamp all have, but for those that are odd.
		behind, stamp, odd := 1, byte(0), every
		if isDigit(b[starts[0]+1]) {
			if fits := masks.Fits(wrap.GitHubStamp, b, starts, behind); fits&1 != 0 {
				behind, stamp, odd = 1+wrap.GitHubStampLen, classStamp, ^fits&every
			}
		}
		masks.Heads(heads, b, starts, behind)
		look := uint64(0) // those of which these bytes do not tell all
		if stamp != 0 {
			look = odd
		}
		for i, h := range heads {
			classes[i] = firstByteClass[h&(masks.HeadByte|masks.HeadBlank)] | stamp
			looks := lookOf[h&masks.HeadByte]&lookIf[h.Next()] | byte(h/masks.HeadDeep)
			look |= uint64((uint(looks)+0xff)>>8) << (i & 63)
		}
		if int(ends[len(ends)-1]-starts[0]) > x.limit {
			look = every // one of them may be too long
		}
		for ; look != 0; look &= look - 1 {
			i := bits.TrailingZeros64(look)
			if odd>>i&1 != 0 {
				classes[i] = x.look(b[starts[i]+1 : ends[i]])
			} else {
				classes[i] = x.rest(b[int(starts[i])+behind:ends[i]], stamp)
			}
		}
	}
}

const ones = 0x0101010101010101

// records adds the lines from first on as long as they are records. It returns
// where the next one begins.
func (x *Index) records(b []byte, first int) int {
	for first < len(b) && b[first] == '{' {
		n, escape := masks.Line(b[first:])
		if n < 0 {
			break
		}
		// An escape sequence may be in the middle of a key or a value.
		if x.transcripts && !escape && n <= x.maxRecord && x.outlines.Add(b[first:first+n]) {
			x.outlined = append(x.outlined, int32(len(x.ends)))
		}
		x.ends = append(x.ends, int32(first+n))
		x.class = append(x.class, classLong)
		first += n + 1
	}
	return first
}

// look is the class of the line b, without its line end, as far as its first
// bytes tell.
func (x *Index) look(b []byte) byte {
	if len(b) > 0 && isDigit(b[0]) && wrap.GitHub(b) {
		return x.rest(b[wrap.GitHubStampLen:], classStamp)
	}
	return x.rest(b, 0)
}

// rest is look for what follows the timestamp, if c says that there is one.
func (x *Index) rest(b []byte, c byte) byte {
	if len(b) == 0 {
		return c | classEmpty
	}
	if len(b) > x.limit {
		return c | classLong
	}
	j, first := skipBlanks(b)
	t := firstByteClass[first]
	if j > 0 {
		c |= classPlain
		if j == len(b) {
			return c
		}
	}
	switch {
	case lookOf[first] == 0:
	case first == 0x1b:
		if j > 0 {
			return c | classLong
		}
		return c | coloured(b)
	case isDigit(first):
		if mayBeDate(b) || mayBeLoose(b) {
			return c | classLong
		}
	case first == '#':
		if c&classStamp != 0 {
			return c | classLong
		}
	case looksLong(b[j:]):
		return c | classLong
	case mayOpen(b[j:]):
		c |= classPlain | classFence
	}
	return c | t&(classLong|classPlain|classFence)
}

// coloured is the class of a line that begins with an escape sequence.
func coloured(b []byte) byte {
	i, first := colour(b)
	if isBlank(first) {
		j, c := skipBlanks(b[i:])
		i, first = i+j, c
	}
	if first == 0x1b || first == 0 || first == '\r' {
		i, first = lead(b)
	}
	t := firstByteClass[first]
	switch {
	case first == 0, t&classLong != 0, isDigit(first) && (mayBeDate(b[i:]) || mayBeLoose(b)), first == 'd' && looksLong(b[i:]):
		return classLong
	case first == 0x1b, markerStarts[first]:
		return classPlain | classFence
	case isBlank(b[i-1]):
		t |= classPlain
	}
	return t & (classPlain | classFence)
}

// colour is lead for the escape sequence that nearly all lines with one begin
// with: ESC [ digits m. A lone 8 begins one of Jenkins' notes, which is longer.
func colour(b []byte) (int, byte) {
	if bytes.HasPrefix(b, []byte("\x1b[8m")) {
		return 0, 0x1b
	}
	i := 1
	if i < len(b) && b[i] == '[' {
		for i++; i < len(b) && (isDigit(b[i]) || b[i] == ';'); {
			i++
		}
		if i+1 < len(b) && b[i] == 'm' {
			return i + 1, b[i+1]
		}
	}
	return 0, 0x1b
}

// mayBeDate says whether b may begin with the date of a wrapper's timestamp. An
// escape sequence may stand in it.
func mayBeDate(b []byte) bool {
	return len(b) > 4 && (b[4] == '-' || bytes.IndexByte(b[1:5], 0x1b) >= 0)
}

// mayBeLoose says whether a line may be a record behind a prefix that looks
// like text: it ends as JSON does, with blanks, or with an escape sequence.
func mayBeLoose(line []byte) bool {
	c := line[len(line)-1]
	return (isBlank(c) || endsJSON[c]) && bytes.IndexByte(line, '{') >= 0
}

// looksLong says whether a line goes on like a marker of a status block or like
// a line of an event stream. An escape sequence may stand in a marker.
func looksLong(line []byte) bool {
	if len(line) < 5 {
		return false
	}
	switch c := line[1]; {
	case c == 0x1b:
		return true
	case line[0] == 'd':
		return string(line[:5]) == "data:"
	case line[0] == 'A':
		return c == 'G'
	case line[0] == 'R':
		return c == 'A'
	}
	return dashes(line)
}

// passed is how many lines class begins with that are nothing of stop.
func passed(class []byte, stop byte) int {
	i := 0
	for each := uint64(stop) * ones; i+8 <= len(class); i += 8 {
		if m := binary.LittleEndian.Uint64(class[i:]) & each; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(class) && class[i]&stop == 0 {
		i++
	}
	return i
}
