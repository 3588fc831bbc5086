package parse

import (
	"bytes"

	"tagscan/parse/clean"
	"tagscan/parse/transcript"
)

// A laidOut is a JSON document at the start of the input that is laid out over
// several lines, of which each has a wrapper or an escape sequence around it. (One
// that has not is read by Scanner.begin, as it comes.)
type laidOut struct {
	doc   *transcript.Document
	first int // the line that it begins on
	count int // the lines of it so far
	// moves tells which of them do not stand on the line behind the one before.
	moves []move
}

// maxMoves bounds moves: more lines between those of a document are not of a
// log that was written around one.
const maxMoves = 4096

// layOut takes a line without its wrappers, if it may be of a document that is
// laid out over lines, and says whether it did.
func (s *Scanner) layOut(b []byte, n int) bool {
	x := s.laid
	if x == nil {
		_, c := lead(b)
		if c == 0 {
			return false // a blank line precedes nothing
		}
		s.opening = false
		if s.dec == nil || c != '{' && c != '[' {
			return false
		}
		x = &laidOut{doc: s.dec.NewDocument(n), first: n}
		x.doc.Skipped = func(line int, excerpt []byte, _ bool) { s.invalid(excerpt, line) }
	}
	if n != x.line(x.count) {
		if len(x.moves) == maxMoves {
			s.endLaidOut()
			return false
		}
		x.moves = append(x.moves, move{x.count, n})
	}
	line := b
	if clean.Has(b) {
		s.clean.Fill(len(b), func(dst []byte) []byte { return s.esc.EndLine(s.esc.Append(dst, b)) })
		line = s.clean.Bytes()
		defer s.clean.Reset()
	}
	s.laid = nil
	x.doc.At(n)
	read, st := x.doc.Write(line)
	if st == transcript.DocumentMore {
		_, st = x.doc.Write(lineEnd)
	}
	switch st {
	case transcript.DocumentMore:
		x.count++
		s.laid = x
	case transcript.DocumentText:
		s.asText(x)
		return false
	case transcript.DocumentDone:
		// Where one record was laid out so, the next may be, too: jq . does it.
		s.opening = x.count > 0
		if _, c := lead(line[read:]); c != 0 {
			s.content(bytes.Clone(line[read:]), n)
		}
	}
	return true
}

// endLaidOut ends the document that is laid out, where its next line does not
// come.
func (s *Scanner) endLaidOut() {
	x := s.laid
	s.laid, s.opening = nil, false
	if x != nil && x.doc.Close() == transcript.DocumentText {
		s.asText(x)
	}
}

// asText reads as text the lines of what turned out to be no document.
func (s *Scanner) asText(x *laidOut) {
	held := x.doc.Held()
	for i := range x.count {
		var line []byte
		line, held, _ = bytes.Cut(held, lineEnd)
		s.content(line, x.line(i))
	}
}

// line is where line number i of the document stands in the input.
func (x *laidOut) line(i int) int {
	from := move{0, x.first}
	for j := len(x.moves) - 1; j >= 0; j-- {
		if x.moves[j].at <= i {
			from = x.moves[j]
			break
		}
	}
	return from.line + i - from.at
}
