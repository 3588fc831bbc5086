package transcript

import (
	"bytes"

	"tagscan/parse/jsonrec"
	"tagscan/parse/store"
)

// A DocumentStatus says what a Document has come to.
type DocumentStatus uint8

const (
	// DocumentMore: it may go on.
	DocumentMore DocumentStatus = iota
	// DocumentText: this is no document of records. The bytes that Held gives
	// are to be read as text, and then those that were not consumed.
	DocumentText
	// DocumentDone: it has ended. What follows is read line by line.
	DocumentDone
)

// A Document cuts the document at the start of an input into records: an array
// of them, or one object, however it is laid out in lines. Its records go to the
// Decoder. It is written in pieces of any size, and holds what came until the
// first record of a known format, in case this is text after all. That is known
// at the first byte that cannot be JSON. Afterwards it holds one record, at most
// Options.MaxRecord bytes; a larger one is passed over.
type Document struct {
	// Skipped, if set, is told of each record that is passed over, because it is
	// not valid JSON or was cut off, or because it is too large: its line and its
	// beginning, which is valid during the call only.
	Skipped func(line int, excerpt []byte, tooLarge bool)

	d     *Decoder
	state uint8
	line  int
	buf   store.Store // what is held
	text  []byte      // the same, given away
	check jsonrec.Scanner

	start     int // where the record begins in buf
	startLine int
	array     bool
	object    bool // the element is an object
	known     bool // there was a record of a known format: nothing is text
	dropped   bool // the element is too large
	broken    bool // the array has been torn: each of its lines stands for itself

	fresh  bool // the line so far is blank,
	column int  // and so long
	indent int  // the column of the element, where it begins a line of the array
	laid   bool // the element goes on behind its first line, which in an array holds its brace alone
}

const (
	docStart  uint8 = iota
	docFirst        // the array's first element or its end
	docNext         // an element must come
	docRecord       // in an element
	docComma        // a comma or the array's end
	docTail         // behind an object: blanks up to the line's end
	docRest         // behind the array
	docTorn         // behind what is not JSON: to the line's end
	docRuin         // behind an element over many lines that is no JSON: to a line that is not indented
	docAgain        // where the array has been torn, on a line that an element may begin
	docDone         // from here on nothing is taken
	docText
)

// excerptLen is how much of a record that is too large is kept to show it.
const excerptLen = 256

// NewDocument makes a Document whose first byte is on that line.
func (d *Decoder) NewDocument(line int) *Document {
	// A piece may be held before the limit is looked at.
	return &Document{d: d, line: line, fresh: true, buf: store.Store{Max: d.o.MaxRecord + 1<<20}}
}

// Held is what was consumed and is text, once that is the status.
func (x *Document) Held() []byte {
	if x.text == nil {
		x.text = x.buf.Take()
	}
	return x.text
}

// Write takes the next piece, and gives how much of it was consumed: all of it
// unless the status is another than DocumentMore.
func (x *Document) Write(b []byte) (int, DocumentStatus) {
	n, st := x.write(b)
	if st == DocumentDone {
		x.buf.Close()
	}
	return n, st
}

// write goes from state to state. Each takes what is its own, which may be none.
func (x *Document) write(b []byte) (int, DocumentStatus) {
	i, next := 0, 0 // next is where a line ends
	for i < len(b) && x.status() == DocumentMore {
		switch s := x.state; {
		case s == docRecord && x.array && !x.laid:
			if next <= i {
				next = len(b)
				if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
					next = i + n + 1
				}
			}
			i += x.record(b[i:next])
		case s == docRecord:
			i += x.record(b[i:])
		case s == docTorn:
			i += x.skipTorn(b[i:])
		case s == docRuin:
			i += x.skipRuin(b[i:])
		case isBlank(b[i]):
			i += x.blanks(b[i:])
		case s == docComma || s == docTail || s == docRest:
			i += x.behind(b[i])
		default:
			i += x.before(b[i : i+1])
		}
	}
	return i, x.status()
}

func (x *Document) status() DocumentStatus {
	switch {
	case x.state < docDone:
		return DocumentMore
	case x.state == docDone:
		return DocumentDone
	}
	return DocumentText
}

// skipTorn passes over what is behind something that is not JSON, to the line's
// end.
func (x *Document) skipTorn(b []byte) int {
	n, ended := x.skipLine(b)
	if ended {
		x.again()
	}
	return n
}

// again goes on where the array has been torn, at the start of a line.
func (x *Document) again() {
	x.state, x.broken = docDone, true
	if x.array {
		x.state = docAgain
	}
}

// skipRuin passes over the lines of an element that turned out to be no JSON. The
// first one that is not indented is none of it, unless it closes something.
func (x *Document) skipRuin(b []byte) int {
	i := 0
	if x.fresh {
		i = blanks(b)
		x.line += bytes.Count(b[:i], lf)
		x.passed(b[:i])
		if i == len(b) {
			return i
		}
		if c := b[i]; x.column <= x.indent && c != '}' && (c != ']' || x.array) {
			x.again()
			return i
		}
	}
	n, _ := x.skipLine(b[i:])
	return i + n
}

// skipLine passes over a line, and says whether its end was in b.
func (x *Document) skipLine(b []byte) (n int, ended bool) {
	j := bytes.IndexByte(b, '\n')
	if j < 0 {
		x.fresh = false
		return len(b), false
	}
	x.line++
	x.passed(b[:j+1])
	return j + 1, true
}

var lf = []byte{'\n'}

// passed says that b has come of the line.
func (x *Document) passed(b []byte) {
	for i := len(b); i > 0; i-- {
		switch c := b[i-1]; {
		case c == '\n':
			x.fresh, x.column = true, len(b)-i
			return
		case !isBlank(c):
			x.fresh = false
			return
		}
	}
	x.column += len(b)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// blanks is how many blanks b begins with.
func blanks(b []byte) int {
	n := 0
	for n < len(b) && isBlank(b[n]) {
		n++
	}
	return n
}

// blanks takes the blanks that b begins with, and are in no element.
func (x *Document) blanks(b []byte) int {
	for i, c := range b {
		if !isBlank(c) {
			return i
		}
		x.hold(b[i : i+1])
		x.passed(b[i : i+1])
		if c == '\n' {
			x.endLine()
		}
		if !x.known && x.buf.Len() > x.d.o.MaxRecord {
			x.state = docText
		}
		if x.status() != DocumentMore {
			return i + 1
		}
	}
	return len(b)
}

// endLine ends a line outside the elements.
func (x *Document) endLine() {
	x.line++
	switch x.state {
	case docTail:
		x.emit()
	case docNext, docComma:
		if x.broken {
			x.state = docAgain
		}
	case docRest:
		x.state = docDone
	}
}

// before takes a byte that is no blank where an element may begin. The element
// takes its first byte itself.
func (x *Document) before(b []byte) int {
	c := b[0]
	switch x.state {
	case docStart:
		switch c {
		case '[':
			x.array, x.state = true, docFirst
			x.hold(b)
			x.passed(b)
			return 1
		case '{':
			x.begin(c)
		default:
			x.state = docText
		}
	case docFirst:
		// An array of anything else is text, and so is an empty one.
		if c == '{' {
			x.begin(c)
		} else {
			x.state = docText
		}
	case docNext:
		switch {
		case c != ',' && c != ']':
			x.begin(c)
		case x.known:
			x.torn()
		default:
			x.state = docText
		}
	case docAgain:
		switch c {
		case '{':
			x.begin(c)
		case ']':
			x.state = docRest
			return 1
		default:
			x.state = docDone
		}
	}
	return 0
}

// behind takes a byte that is no blank behind an element or behind the array.
func (x *Document) behind(c byte) int {
	switch x.state {
	case docComma:
		switch {
		case c == ',':
			x.hold([]byte{c})
			x.state, x.fresh = docNext, false
			return 1
		case !x.known:
			x.state = docText
		case c == ']':
			x.state = docRest
			return 1
		default:
			x.torn()
		}
	case docTail:
		x.state = docText // an object with something behind it is no record
		if x.known {
			x.torn() // or one that was too large
		}
	case docRest:
		x.state = docDone
	}
	return 0
}

// hold keeps b while it may turn out to be text.
func (x *Document) hold(b []byte) {
	if !x.known {
		x.buf.Append(b)
	}
}

// begin starts an element at its first byte.
func (x *Document) begin(c byte) {
	x.state, x.object, x.dropped = docRecord, c == '{', false
	x.check.Reset()
	if x.known {
		x.buf.Reset()
	}
	x.start, x.startLine, x.indent, x.laid = x.buf.Len(), x.line, 0, false
	if x.array && x.fresh {
		x.indent = x.column
	}
}

// record takes the next piece of an element: of no more than a line, until it is
// known to be laid out over several.
func (x *Document) record(b []byte) int {
	if x.array && !x.laid && x.known && x.fresh && x.line > x.startLine {
		// Behind a colon any record would go on with it.
		switch i := blanks(b); {
		case i > 0:
			b = b[:i]
		case b[0] == '{' && x.column <= x.indent:
			x.torn()
			return 0
		}
	}
	n, st := x.check.Write(b)
	first := x.line == x.startLine
	x.line += bytes.Count(b[:n], lf)
	x.passed(b[:n])
	if !x.dropped {
		x.buf.Append(b[:n])
		if x.buf.Len()-x.start > x.d.o.MaxRecord {
			// It is JSON so far, and more than text would be without one
			// mistake: nothing before it is held any longer.
			x.buf.Drop(x.start, min(x.d.o.MaxRecord+1, excerptLen))
			x.start, x.known, x.dropped = 0, true, true
		}
	}
	if first && x.line > x.startLine {
		x.laid = !x.array || len(jsonrec.Trim(x.buf.Bytes()[x.start:])) == 1
	}
	switch {
	case st == jsonrec.Bad && (x.known || x.d.seen && !x.array && x.laid):
		x.torn()
	case st == jsonrec.Bad:
		x.state = docText
	case st == jsonrec.Done && x.array:
		x.emit()
	case st == jsonrec.Done:
		x.state = docTail
	}
	return n
}

// emit hands over the element that is complete.
func (x *Document) emit() {
	rec := x.buf.Bytes()[x.start:]
	next := docComma
	if !x.array {
		next = docDone
	}
	x.state = next
	switch {
	case x.dropped:
		x.skipped(true)
	case x.object && x.d.element(jsonrec.Trim(rec), x.startLine) == Known:
		x.known = true
	case x.known:
	case !x.array || x.buf.Len() > x.d.o.MaxRecord:
		x.state = docText
		return
	default:
		return // a later element may show what the array is
	}
	x.buf.Reset()
}

// torn gives up on the element that is being read, and on what follows on its
// line. Where the element is laid out over lines, what is indented below it is of
// it, and no text; else a line that does not go on with it stands for itself.
func (x *Document) torn() {
	x.skipped(x.dropped)
	x.known = true
	switch {
	case x.state == docRecord && x.laid:
		x.state = docRuin
	case x.array && x.fresh:
		x.again()
	default:
		x.state = docTorn
	}
}

func (x *Document) skipped(tooLarge bool) {
	if x.Skipped != nil {
		rec := x.buf.Bytes()
		rec = rec[min(x.start, len(rec)):]
		x.Skipped(x.startLine, rec[:min(len(rec), excerptLen)], tooLarge)
	}
}

// At says that the next byte is on that line, where lines of the input between
// are none of the document.
func (x *Document) At(line int) { x.line = line }

// Known says whether there was a record of a known format, so that it is not text
// whatever comes.
func (x *Document) Known() bool { return x.known }

// Line is the line that the next byte is on.
func (x *Document) Line() int { return x.line }

// Close says that the input ends.
func (x *Document) Close() DocumentStatus {
	st := x.close()
	if st == DocumentDone {
		x.buf.Close()
	}
	return st
}

func (x *Document) close() DocumentStatus {
	switch x.state {
	case docText:
		return DocumentText
	case docDone, docTorn, docRuin, docRest, docAgain:
		return DocumentDone
	case docTail:
		x.emit()
		if x.state == docText {
			return DocumentText
		}
		return DocumentDone
	}
	// "Once a record of a known format has been seen", one that is cut off is
	// no text, be it in a document of its own.
	if !x.known && (!x.d.seen || x.array || x.state != docRecord) {
		return DocumentText
	}
	if x.state == docRecord {
		x.skipped(x.dropped) // cut off
	}
	return DocumentDone
}
