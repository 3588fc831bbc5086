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
	fresh     bool // in docRuin, at the start of a line
	broken    bool // the array has been torn: each of its lines stands for itself
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
	docRuin         // behind an object over many lines that is no JSON: to a line that is not indented
	docAgain        // on the line behind that, which an element of the array may begin
	docDone         // from here on nothing is taken
	docText
)

// excerptLen is how much of a record that is too large is kept to show it.
const excerptLen = 256

// NewDocument makes a Document whose first byte is on that line.
func (d *Decoder) NewDocument(line int) *Document {
	// A piece may be held before the limit is looked at.
	return &Document{d: d, line: line, buf: store.Store{Max: d.o.MaxRecord + 1<<20}}
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
	i := 0
	for i < len(b) && x.status() == DocumentMore {
		switch s := x.state; {
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
	switch {
	case !ended:
	case x.array:
		x.state, x.broken = docAgain, true
	default:
		x.state = docDone
	}
	return n
}

// skipRuin passes over a line of an object that turned out to be no JSON. The
// first one that is not indented is none of it.
func (x *Document) skipRuin(b []byte) int {
	if x.fresh && !bytes.ContainsRune([]byte(" \t\r\n}]"), rune(b[0])) {
		x.state = docDone
		return 0
	}
	n, ended := x.skipLine(b)
	x.fresh = ended
	return n
}

// skipLine passes over a line, and says whether its end was in b.
func (x *Document) skipLine(b []byte) (n int, ended bool) {
	j := bytes.IndexByte(b, '\n')
	if j < 0 {
		return len(b), false
	}
	x.line++
	return j + 1, true
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// blanks takes the blanks that b begins with, and are in no element.
func (x *Document) blanks(b []byte) int {
	for i, c := range b {
		if !isBlank(c) {
			return i
		}
		x.hold(b[i : i+1])
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
		if c == ',' || c == ']' {
			x.torn()
		} else {
			x.begin(c)
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
		switch c {
		case ',':
			x.state = docNext
			return 1
		case ']':
			x.state = docRest
			return 1
		}
		x.torn()
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
	x.start, x.startLine = x.buf.Len(), x.line
}

// record takes the next piece of an element.
func (x *Document) record(b []byte) int {
	n, st := x.check.Write(b)
	x.line += bytes.Count(b[:n], []byte{'\n'})
	if !x.dropped {
		x.buf.Append(b[:n])
		if x.buf.Len()-x.start > x.d.o.MaxRecord {
			// It is JSON so far, and more than text would be without one
			// mistake: nothing before it is held any longer.
			x.buf.Drop(x.start, min(x.buf.Len()-x.start, excerptLen))
			x.start, x.known, x.dropped = 0, true, true
		}
	}
	switch {
	case st == jsonrec.Bad && !x.known && x.d.seen && !x.array && x.line > x.startLine:
		// Behind records laid out so, one that is torn: what is indented below
		// it is of it, and no text.
		held := x.buf.Bytes()
		x.fresh = held[len(held)-1] == '\n'
		x.skipped(false)
		x.state, x.known = docRuin, true
	case st == jsonrec.Bad && !x.known:
		x.state = docText
	case st == jsonrec.Bad:
		x.torn()
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
	case !x.object:
	case x.d.element(jsonrec.Trim(rec), x.startLine) == Known:
		x.known = true
	case !x.known:
		x.state = docText
		return
	}
	x.buf.Reset()
}

// torn gives up on the element that is being read, and on what follows on its
// line.
func (x *Document) torn() {
	x.skipped(x.dropped)
	x.state = docTorn
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
