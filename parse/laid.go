package parse

import (
	"bytes"

	"tagscan/parse/clean"
	"tagscan/parse/transcript"
	"tagscan/parse/wrap"
)

// A laidOut is a JSON document at the start of the input that is laid out over
// several lines, of which each has a wrapper or escape sequences around it. (One
// that has not is read by Scanner.begin, as it comes.) Its lines go to it without
// these, as they come: what it holds is all that is held of them.
type laidOut struct {
	doc   *transcript.Document
	first int // the line that it begins on
	count int // the lines of it that have ended
	// moves tells which of them do not stand on the line behind the one before.
	moves []move
}

// maxMoves bounds moves: a document with more lines of others in between is not
// of a log that was written around one.
const maxMoves = 4096

// bare is a line of which wrappers have been taken off, and from which section
// marks and escape sequences go as it comes.
type bare struct {
	sect        wrap.Sections
	esc         clean.Escapes
	marks, text []byte
}

// piece is what the next piece of the line is without them, until the next call.
func (l *bare) piece(b []byte) []byte {
	l.marks = l.sect.Append(l.marks[:0], b)
	l.text = l.esc.Append(l.text[:0], l.marks)
	return l.text
}

// end is what the line's end brings.
func (l *bare) end() []byte {
	l.marks = l.sect.EndLine(l.marks[:0])
	l.text = l.esc.EndLine(l.esc.Append(l.text[:0], l.marks))
	return l.text
}

// beginsLaidOut says whether a line that is known to be behind blank ones alone
// begins a document, and begins it. c is what it begins with.
func (s *Scanner) beginsLaidOut(c byte, n int) bool {
	s.opening = false
	if s.dec == nil || c != '{' && c != '[' {
		return false
	}
	x := &laidOut{doc: s.dec.NewDocument(n), first: n}
	x.doc.Skipped = func(line int, excerpt []byte, _ bool) { s.invalid(excerpt, line) }
	s.setLaidOut(x)
	return true
}

// setLaidOut begins or ends a document. Meanwhile a line of GitLab's is held as
// little as it takes to put it together.
func (s *Scanner) setLaidOut(x *laidOut) {
	if s.laid = x; s.joiner != nil {
		s.joiner.Max = s.maxLine
		if x != nil {
			s.joiner.Max = min(s.o.MaxRecord, 1<<20)
		}
	}
}

// layOut takes a whole line without its wrappers, if it is of a document that is
// laid out over lines, and says whether it did.
func (s *Scanner) layOut(b []byte, n int) bool {
	if s.laid == nil {
		i, c := lead(b)
		if s.opening = i <= maxUnknown; c == 0 || !s.opening || !s.beginsLaidOut(c, n) {
			return false // a blank line begins nothing, and ends nothing
		}
	}
	if !s.laidLine(n) {
		return false
	}
	const size = 64 << 10
	line := &s.bare
	rest, st := []byte(nil), transcript.DocumentMore
	for done := false; st == transcript.DocumentMore && !done; {
		var text []byte
		switch {
		case len(b) > 0:
			text = line.piece(b[:min(len(b), size)])
			b = b[min(len(b), size):]
		default:
			text, done = line.end(), true
		}
		rest, st = s.lay(text)
	}
	if st == transcript.DocumentMore {
		rest, st = s.lay(lineEnd)
	}
	if st == transcript.DocumentMore {
		s.laid.count++
		return true
	}
	// What is left is a line of its own: all of it, or what stands behind the end.
	rest = append(bytes.TrimSuffix(rest, lineEnd), line.piece(b)...)
	s.bareLine(append(rest, line.end()...), n)
	return true
}

// bareLine reads what is left of a line that a document has ended in.
func (s *Scanner) bareLine(b []byte, n int) {
	b = bytes.TrimLeft(b, "\x00") // as of a line that comes in fragments
	switch {
	case len(b) == 0:
	case len(b) <= s.maxLine:
		s.content(b, n)
	case s.opening && s.layOut(b, n):
	case s.record(b, false), s.dec.Holding():
		s.invalid(b, n)
	default:
		s.textLine(b, n)
	}
}

// laidLine begins a line of the document, unless it ends in front of it.
func (s *Scanner) laidLine(n int) bool {
	x := s.laid
	if n != x.line(x.count) {
		if len(x.moves) == maxMoves {
			s.endLaidOut()
			return false
		}
		x.moves = append(x.moves, move{x.count, n})
	}
	x.doc.At(n)
	return true
}

// lay gives a piece to the document. If that has ended with it, or is none, rest
// is what has come of the line that is read as another.
func (s *Scanner) lay(text []byte) (rest []byte, st transcript.DocumentStatus) {
	x := s.laid
	n, st := x.doc.Write(text)
	switch st {
	case transcript.DocumentText:
		rest = append(s.asText(x), text[n:]...)
	case transcript.DocumentDone:
		s.setLaidOut(nil)
		// Where one record was laid out so, the next may be, too: jq . does it.
		s.opening = x.count > 0
		rest = bytes.Clone(text[n:])
	}
	return rest, st
}

// layPiece is lay for a line that comes in pieces. What is no line of the
// document goes on as one without wrappers.
func (s *Scanner) layPiece(text []byte) {
	rest, st := s.lay(text)
	if st == transcript.DocumentMore {
		return
	}
	s.mode, s.skip = lineUnknown, 0
	s.pend.Reset()
	if rest = bytes.TrimSuffix(rest, lineEnd); len(rest) > 0 {
		s.take(rest)
	}
}

// startLaid begins a line of the document of which rest has come without wrappers.
func (s *Scanner) startLaid(rest []byte) {
	if !s.laidLine(s.line) {
		s.decide()
		return
	}
	text := bytes.Clone(rest)
	if !s.bared {
		s.bared, text = true, s.bare.piece(rest)
	}
	s.mode = lineLaid
	s.pend.Reset()
	s.layPiece(text)
}

// layPart takes a part of a line of GitLab's that is too long to be held.
func (s *Scanner) layPart(p wrap.Part) bool {
	if p.First && !s.laidLine(p.Line) {
		return false
	}
	rest, st := s.lay(s.bare.piece(p.Text))
	if p.Last && st == transcript.DocumentMore {
		rest, st = s.lay(s.bare.end())
	}
	if p.Last && st == transcript.DocumentMore {
		rest, st = s.lay(lineEnd)
	}
	switch {
	case st != transcript.DocumentMore:
		s.text.at(p.Line)
		s.text.fragment(bytes.TrimSuffix(rest, lineEnd))
		if p.Last {
			s.text.newline()
		}
	case p.Last:
		s.laid.count++
	}
	return true
}

// endLaidOut ends the document where its next line does not come.
func (s *Scanner) endLaidOut() {
	x := s.laid
	s.opening = false
	if x == nil {
		return
	}
	s.setLaidOut(nil)
	if x.doc.Close() == transcript.DocumentText {
		if rest := s.asText(x); len(rest) > 0 {
			s.content(rest, x.line(x.count))
		}
	}
}

// asText reads as text the lines of what turned out to be no document, and returns
// what has come of the one that has not ended.
func (s *Scanner) asText(x *laidOut) (rest []byte) {
	s.setLaidOut(nil)
	s.opening = false
	rest = x.doc.Held()
	for i := range x.count {
		var line []byte
		line, rest, _ = bytes.Cut(rest, lineEnd)
		s.content(line, x.line(i))
	}
	return rest
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
