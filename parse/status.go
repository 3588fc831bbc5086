package parse

import (
	"bytes"
	"unsafe"
)

// The limits of a status block (specification, section 5), in bytes.
const (
	MaxBlock = 64 << 10
	MaxField = 16 << 10
)

// knownFields are the keys of the two protocols, each under itself. Only one of
// them starts a field on a line that is indented deeper than the block.
var knownFields = func() map[string]string {
	m := make(map[string]string)
	for _, key := range []string{
		"STATUS", "CONFIDENCE", "EXIT_READY", "EXIT_SIGNAL", "FILES_MODIFIED",
		"FILES_READ", "COMMITS", "TASKS_COMPLETED_THIS_LOOP", "TESTS_STATUS",
		"WORK_TYPE", "TASK", "TESTS_RUN", "WORK_SUMMARY", "BLOCKERS", "NEXT_STEPS",
		"RECOMMENDATION",
	} {
		m[key] = key
	}
	return m
}()

// KnownField says whether key, as the protocol spells it, is a field of the
// agent status protocol or of its ancestor.
func KnownField(key string) bool { return knownFields[key] != "" }

// A statusBlock is the status block that is open.
type statusBlock struct {
	on bool
	// pending is set behind a line that opens the indented form if the next
	// line is a field.
	pending    bool
	indented   bool
	fenceFresh bool // nothing but blank lines has stood in the open fence
	protocol   string
	pos        Pos
	code       Code
	quoted     bool
	indent     int // of the opening, in columns
	keyIndent  int // of the indented form's keys
	size       int
	endLine    int // the last line that is not blank
	text       []byte
	fields     []fieldSpan
	held       *heldOpening
}

// A heldOpening is a line in an open block that opens the indented form if the
// next line is a field, and else is part of the block.
type heldOpening struct {
	text     string
	protocol string
	pos      Pos
	quoted   bool
}

// A fieldSpan is a field whose value is text[start:end] of its block.
type fieldSpan struct {
	key        string
	line       int
	start, end int
}

// markerStarts are the bytes that an opening line begins with, decoration
// included.
var markerStarts = [256]bool{'-': true, 'A': true, 'R': true, '*': true, '_': true, '`': true}

// mayOpen says whether a line may be an opening, on its first bytes. There may
// be escape sequences in it.
func mayOpen(line []byte) bool {
	i, c := skipBlanks(line)
	if !markerStarts[c] || len(line) < i+len("AGENT_STATUS:") {
		return false
	}
	for ; isDecoration(c) || isBlank(c); c = line[i] {
		if i++; i+1 >= len(line) {
			return false
		}
	}
	switch next := line[i+1]; c {
	case '-':
		return dashes(line[i:])
	case 'A':
		return next == 'G' || next == 0x1b
	case 'R':
		return next == 'A' || next == 0x1b
	}
	return c == 0x1b
}

// dashes says whether what begins with a '-' may be ---AGENT_STATUS--- or its
// like, with escape sequences in it. --- begins many a line of a test's output.
func dashes(b []byte) bool {
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == 0x1b:
			return true
		case i == 3:
			return c == 'A' || c == 'R'
		case c != '-':
			return false
		}
	}
	return false
}

type markerKind uint8

const (
	noMarker markerKind = iota
	openMarker
	indentedMarker
	endMarker
)

// marker says what a line marks. Markdown decoration around it is accepted.
func marker(line []byte) (protocol string, k markerKind) {
	t := trimBlanks(line)
	if len(t) < 3 || !markerStarts[t[0]] || t[0] == '-' && t[1] != '-' {
		return "", noMarker
	}
	for len(t) > 0 && isDecoration(t[0]) {
		t = t[1:]
	}
	for len(t) > 0 && isDecoration(t[len(t)-1]) {
		t = t[:len(t)-1]
	}
	t = trimBlanks(t)
	switch {
	case len(t) < 3:
		return "", noMarker
	case t[0] == '-':
		switch {
		case string(t) == "---AGENT_STATUS---":
			return "agent_status", openMarker
		case string(t) == "---RALPH_STATUS---":
			return "ralph_status", openMarker
		case string(t) == "---", len(t) >= len("---END---") && string(t[:6]) == "---END" && bytes.HasSuffix(t, []byte("---")):
			return "", endMarker
		}
	case string(t) == "AGENT_STATUS:":
		return "agent_status", indentedMarker
	case string(t) == "RALPH_STATUS:":
		return "ralph_status", indentedMarker
	}
	return "", noMarker
}

// isDecoration says whether c may surround a marker as Markdown.
func isDecoration(c byte) bool { return c == '*' || c == '_' || c == '`' }

// openStatus opens a block if the line head is an opening.
func (d *document) openStatus(head []byte) {
	text := head[d.ln.Content:]
	p, k := marker(text)
	if k != openMarker && k != indentedMarker {
		return
	}
	d.startStatus(p, d.pos, text)
	s := &d.st
	s.on, s.pending, s.indented = k == openMarker, k == indentedMarker, k == indentedMarker
	// "A block that is the first thing inside a fence counts."
	s.quoted = d.ln.Fenced && !s.fenceFresh
}

// startStatus starts a block whose opening is text.
func (d *document) startStatus(protocol string, at Pos, text []byte) {
	s := &d.st
	s.protocol, s.pos, s.indent = protocol, at, columns(text)
	s.code = CodeNone
	if d.ln.Fenced {
		s.code = CodeFence
	}
	s.size, s.endLine = len(text)+1, at.Line
	s.text, s.fields = s.text[:0], s.fields[:0]
}

// columns is the indentation of a line: a tab goes to the next multiple of 4.
func columns(b []byte) int {
	n := 0
	for _, c := range b {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// leadStatus ends the open block where the beginning of a line does.
func (d *document) leadStatus(b []byte) {
	s, ln := &d.st, &d.ln
	text := b[ln.Content:]
	switch {
	case s.code == CodeFence && (ln.Ended || ln.Close || !ln.Fenced):
		d.finishStatus(true)
	case s.indented && firstByte(text) != 0 && columns(text) < s.keyIndent:
		d.finishStatus(false)
	}
}

// statusLine takes a line while a block is open or may be opening.
func (d *document) statusLine(head []byte) {
	s := &d.st
	text := head[d.ln.Content:]
	if s.pending {
		s.pending = false
		if _, _, ok := field(text, true); ok && columns(text) > s.indent && d.ln.Fenced == (s.code == CodeFence) {
			s.on, s.keyIndent = true, columns(text)
		}
	}
	if !s.on {
		d.openStatus(head)
		return
	}
	if h := s.held; h != nil {
		s.held = nil
		if _, _, ok := field(text, true); ok && columns(text) > columns([]byte(h.text)) && d.ln.Fenced == (s.code == CodeFence) {
			d.finishStatus(true)
			d.startStatus(h.protocol, h.pos, []byte(h.text))
			s.on, s.indented, s.keyIndent, s.quoted = true, true, columns(text), h.quoted
		} else if d.blockLine([]byte(h.text), h.pos.Line); !s.on {
			d.openStatus(head) // that line was too much for the block
			return
		}
	}
	switch p, k := marker(text); {
	case s.indented && d.ln.Blank:
		d.finishStatus(false)
		return
	case k == endMarker:
		s.endLine = d.pos.Line
		d.finishStatus(false)
		return
	case k == openMarker:
		d.finishStatus(true)
		d.openStatus(head)
		return
	case k == indentedMarker:
		s.held = &heldOpening{string(text), p, d.pos, d.ln.Fenced}
		return
	}
	d.blockLine(text, d.pos.Line)
}

// blockLine adds a line to the open block.
func (d *document) blockLine(text []byte, line int) {
	s := &d.st
	if s.size += len(text) + 1; s.size > MaxBlock {
		d.dropStatus()
		return
	}
	if firstByte(text) != 0 {
		s.endLine = line
	}
	d.fieldLine(text, line)
}

func (d *document) fieldLine(text []byte, line int) {
	s := &d.st
	key, value, ok := field(text, s.indented)
	if ok {
		deeper := columns(text) > s.indent
		if s.indented {
			deeper = columns(text) > s.keyIndent
		}
		// In the indented form, where a key may have any case, a list item is
		// one unless it names a known key.
		item := s.indented && listItem(text)
		ok = !deeper && !item || knownFields[string(fold(key, s.indented))] != ""
	}
	if ok {
		name := knownFields[string(key)]
		if name == "" {
			name = string(key)
		}
		s.fields = append(s.fields, fieldSpan{key: name, line: line, start: len(s.text)})
		s.text = append(s.text, value...)
	} else if len(s.fields) == 0 {
		return
	} else {
		s.text = append(s.text, '\n')
		s.text = append(s.text, trimBlanks(text)...)
	}
	f := &s.fields[len(s.fields)-1]
	f.end = len(s.text)
	if f.end-f.start > MaxField {
		d.dropStatus()
	}
}

// fold spells a key of the indented form, which may have any case, as the
// protocol does.
func fold(key []byte, indented bool) []byte {
	if !indented {
		return key
	}
	return bytes.ToUpper(key)
}

// field splits a line KEY: value. A list marker before the key and bold around
// it are decoration.
func field(line []byte, anyCase bool) (key, value []byte, ok bool) {
	t := trimBlanks(line)
	if listItem(t) {
		t = trimBlanks(t[1:])
	}
	var bold []byte
	if len(t) > 2 && (t[0] == '*' || t[0] == '_') && t[1] == t[0] {
		bold, t = t[:2], t[2:]
	}
	n := 0
	for n < len(t) && (isUpper(t[n]) || n > 0 && (isDigit(t[n]) || t[n] == '_') || anyCase && 'a' <= t[n] && t[n] <= 'z') {
		n++
	}
	for n > 0 && len(bold) > 0 && bytes.HasSuffix(t[:n], bold) {
		n -= 2 // __KEY__: the underscores are the bold's
	}
	if n == 0 {
		return nil, nil, false
	}
	key, t = t[:n], t[n:]
	closed := len(bold) == 0
	if !closed && bytes.HasPrefix(t, bold) {
		t, closed = t[2:], true
	}
	if len(t) == 0 || t[0] != ':' {
		return nil, nil, false
	}
	t = t[1:]
	if !closed && bytes.HasPrefix(t, bold) {
		t, closed = t[2:], true
	}
	if !closed {
		t = bytes.TrimSuffix(t, bold)
	}
	if len(t) > 0 && t[0] != ' ' && t[0] != '\t' && knownFields[string(fold(key, anyCase))] == "" {
		return nil, nil, false // such as a URL's scheme
	}
	return key, trimBlanks(t), true
}

// listItem says whether a line begins with a list marker.
func listItem(line []byte) bool {
	t := trimBlanks(line)
	return len(t) > 1 && (t[0] == '-' || t[0] == '*' || t[0] == '+') && isBlank(t[1])
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// finishStatus hands over the open block.
func (d *document) finishStatus(unterminated bool) {
	s := &d.st
	s.pending = false
	if !s.on {
		return
	}
	if h := s.held; h != nil {
		s.held = nil
		if d.blockLine([]byte(h.text), h.pos.Line); !s.on {
			return
		}
	}
	s.on = false
	b := &d.block
	fields, text := b.Fields[:0], ""
	if d.transient {
		text = unsafe.String(unsafe.SliceData(s.text), len(s.text))
	} else {
		text = string(s.text)
	}
	for _, f := range s.fields {
		fields = append(fields, Field{Key: f.key, Value: trimBlanks(text[f.start:f.end]), Line: f.line})
	}
	*b = Block{Pos: s.pos, Origin: d.org, Protocol: s.protocol, Fields: fields, Indented: s.indented,
		Unterminated: unterminated && !s.indented, Code: s.code, Quoted: s.quoted, EndLine: s.endLine}
	switch {
	case s.quoted:
		d.fence.Quoted++
	case s.code == CodeFence:
		d.fence.Wrapped++
	}
	d.h.Block(b)
}

// dropStatus gives up the open block because it is too long.
func (d *document) dropStatus() {
	s := &d.st
	s.on, s.held = false, nil
	x := appendOpening(nil, s.protocol, s.indented)
	sk := Skip{Pos: s.pos, Origin: d.org, What: "block", Reason: ReasonTooLong, Excerpt: x}
	if s.quoted {
		sk.Reason = ReasonFenced
	}
	d.h.Skip(&sk)
}

func appendOpening(b []byte, protocol string, indented bool) []byte {
	word := "AGENT_STATUS"
	if protocol == "ralph_status" {
		word = "RALPH_STATUS"
	}
	if indented {
		return append(append(b, word...), ':')
	}
	return append(append(append(b, "---"...), word...), "---"...)
}
