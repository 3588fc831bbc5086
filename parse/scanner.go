package parse

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"tagscan/parse/clean"
	"tagscan/parse/store"
	"tagscan/parse/transcript"
	"tagscan/parse/wrap"
)

// DefaultMaxRecord bounds a transcript record, in bytes.
const DefaultMaxRecord = transcript.DefaultMaxRecord

// Options say what a Scanner looks for and where.
type Options struct {
	// Namespaces are looked for besides jackin and multicode; each passes
	// CheckNamespace.
	Namespaces []string
	// Tags are the names of plain tags, <NAME>VALUE</NAME>; each passes
	// CheckPlainTag.
	Tags []string
	// Roles are those whose text in a transcript is scanned; nil means
	// assistant.
	Roles []string
	// From forces an input format: one of Formats; "" and "auto" detect.
	From string
	// Prefixes are removed from the beginning of a physical line, as CI
	// wrappers are. CompilePrefix makes suitable ones.
	Prefixes []*regexp.Regexp
	// MaxRecord bounds a transcript record in bytes; 0 means DefaultMaxRecord.
	MaxRecord int
	// Skips is set when every Skip is wanted, with its excerpt, whatever it
	// costs: also those of roles not asked for, and of records that are not
	// valid.
	Skips bool
	// Transient is set when the strings of a Field need be valid only during the
	// call that hands it over: those of text are not copied then.
	Transient bool
}

// Formats are what Options.From takes.
func Formats() []string { return append([]string{"auto", "text"}, transcript.Formats...) }

// Counts are what a Scanner has read.
type Counts struct {
	Bytes   int64
	Lines   int
	Records int // of known formats
	Invalid int // records passed over: not valid, or too large
}

// A Scanner finds the marks in the bytes written to it, which may be cut
// anywhere: what it hands over depends on the bytes alone. Write never fails
// and keeps nothing of its argument; Close says that the input has ended.
//
// A mark is handed over during the Write that brings its last byte, unless
// what follows on its line can turn it into code.
type Scanner struct {
	o Options
	h Handler
	n Counts

	utf  clean.Decoder
	utf8 []byte // what utf made of a chunk
	idx  *Index // of the chunk at hand, where nobody else has made it

	begun  bool                 // something that is no blank was read
	json   *transcript.Document // while the input may begin with a JSON document
	indent []byte               // the blanks before it on its line
	lf     bool                 // the last byte of it so far is an LF

	opening bool     // but for blank lines nothing has come
	laid    *laidOut // a document behind wrappers that has begun
	bare    bare     // the line of it that is being read
	bared   bool     // the physical line that has begun comes by way of bare

	text   lines // lines of text
	part   lines // text parts of records
	other  lines // the same of roles not asked for, for their Skips alone
	script lines // a CI step's own script
	open   *lines
	torn   []torn // what parts' ends have cut off, the oldest first

	dec      *transcript.Decoder
	loose    bool // a record has stood behind a prefix that looks like text
	strip    wrap.Stripper
	joiner   *wrap.Joiner // once a line of GitLab's was seen
	passing  [3]byte      // the stream of GitLab's of which a record over MaxRecord is passed over
	steps    wrap.Script
	stepOpen bool
	waiting  []heldLine // lines that are a step's script if its end comes
	heldText []byte     // their text

	maxLine int // a longer line is not held to see whether it is a record

	line  int         // number of the physical line that is being read
	mode  lineMode    // of the physical line that has begun
	pend  store.Store // its bytes, where they must be held
	skip  int         // the length of its wrappers, once it is known what it is
	sect  wrap.Sections
	buf   []byte      // a fragment without section marks
	clean store.Store // a record without escape sequences
	esc   clean.Escapes
}

// A heldLine is a line of text that waits for what comes behind it.
type heldLine struct {
	end  int // of its text in heldText
	line int
}

// A Fence is a fenced code block at top level, and what stands in it.
type Fence struct {
	Line    int // of its opening
	Tags    int
	Wrapped int // status blocks that are the first thing in it
	Quoted  int // those that are not
}

type lineMode uint8

const (
	lineNone    lineMode = iota // no line has begun
	lineUnknown                 // what it is depends on bytes to come
	lineText                    // text, which streams
	lineHeld                    // held until it is whole
	lineLaid                    // a document's
	lineRecord                  // the same, and a record
	linePassed                  // a record over MaxRecord, passed over
)

// around is how much of a line that may be a record may be something else: "data:",
// blanks, a CR, colours, a prefix that looks like text.
const around = 64

// maxUnknown bounds how much of a line may pass before it is taken for text.
const maxUnknown = 64 << 10

// NewScanner returns a Scanner that hands what it finds to h. Roles, From,
// Namespaces and Tags of the options must be valid.
func NewScanner(h Handler, o Options) *Scanner {
	if o.MaxRecord <= 0 {
		o.MaxRecord = DefaultMaxRecord
	}
	g := newGrammar(o.Namespaces, o.Tags)
	s := &Scanner{o: o, h: h, begun: o.From == "text"}
	// What is held besides a record: its wrappers, and what shows that it is
	// too large.
	s.maxLine = o.MaxRecord + around
	s.pend.Max = s.maxLine + maxUnknown + 1<<20
	s.clean.Max = s.pend.Max
	s.text.d = newDocument(g, h, o.Skips)
	s.text.d.transient = o.Transient // what is in a record may wait for the next row
	s.part.d = newDocument(g, nil, o.Skips)
	s.part.d.h = &tail{s, s.part.d, h}
	s.other.d = newDocument(g, nil, o.Skips)
	s.other.d.h = &tail{s, s.other.d, unheard{h}}
	s.script.d = newDocument(g, unheard{h}, o.Skips)
	s.strip.Prefixes = o.Prefixes
	if o.From != "text" {
		s.opening = true
		var roles transcript.Role
		for _, r := range o.Roles {
			role, _ := transcript.ParseRole(r)
			roles |= role
		}
		s.dec = transcript.New(transcript.Options{
			From: o.From, Roles: roles, WantOther: true, Strict: o.Skips,
			MaxRecord: o.MaxRecord, Candidate: g.candidate,
		}, (*sink)(s))
	}
	return s
}

// Counts returns what has been read so far.
func (s *Scanner) Counts() Counts {
	n := s.n
	n.Lines = s.line
	if s.dec != nil {
		n.Records = s.dec.Records()
	}
	return n
}

// SkipOthers ends the reading of text of roles not asked for, of which nothing
// comes but Skips, unless Options.Skips asks for these.
func (s *Scanner) SkipOthers() {
	if s.dec != nil && !s.o.Skips {
		s.dec.SkipOthers()
	}
}

// Unclosed tells of the top-level fence that is open in the text: at the end of
// the input, one that was never closed. Its Line is 0 when there is none.
func (s *Scanner) Unclosed() Fence {
	if s.text.d.fence.Line == 0 {
		return Fence{}
	}
	return s.text.d.fence
}

// Write takes the next bytes of the input.
func (s *Scanner) Write(p []byte) (int, error) {
	s.n.Bytes += int64(len(p))
	if s.utf.Passthrough() {
		s.write(p)
	} else {
		s.utf8 = s.utf.Append(s.utf8[:0], p)
		s.write(s.utf8)
	}
	return len(p), nil
}

// Close ends the input: what was held comes out.
func (s *Scanner) Close() error {
	if !s.utf.Passthrough() {
		s.write(s.utf.Close(nil))
	}
	if s.json != nil {
		if s.json.Close() == transcript.DocumentText {
			s.replay(false)
		} else if s.line = s.json.Line(); s.lf {
			s.line--
		}
	}
	if s.mode != lineNone {
		s.endLine()
	}
	s.flushHeld()
	s.endLaidOut()
	if s.dec != nil {
		s.dec.Close()
	}
	for i := range s.torn {
		s.torn[i].give()
	}
	s.torn = nil
	s.text.close()
	s.script.close()
	s.pend.Close()
	s.clean.Close()
	return nil
}

// WriteIndexed is Write for a chunk of which x is the Index.
func (s *Scanner) WriteIndexed(p []byte, x *Index) {
	if !s.begun || !s.utf.Passthrough() {
		s.Write(p)
		return
	}
	s.n.Bytes += int64(len(p))
	s.lines(p, x)
}

func (s *Scanner) write(b []byte) {
	for len(b) > 0 && !s.begun {
		b = s.begin(b)
	}
	if len(b) > 0 {
		s.lines(b, s.index(b))
	}
}

// index is the Index of b, until the next call.
func (s *Scanner) index(b []byte) *Index {
	if s.idx == nil {
		s.idx = s.Index()
	}
	s.idx.Make(b)
	return s.idx
}

// begin reads the beginning of the input, where JSON documents may stand that
// are laid out over many lines. It returns what is to be read behind that.
func (s *Scanner) begin(b []byte) []byte {
	if s.json == nil {
		i := 0
		for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
			i++
		}
		if i == len(b) {
			s.lines(b, s.index(b))
			return nil
		}
		if b[i] != '{' && b[i] != '[' {
			s.begun = true
			return b
		}
		s.lines(b[:i], s.index(b[:i]))
		if s.mode == lineText { // more blanks than a line may wait behind
			s.begun = true
			return b[i:]
		}
		if s.mode != lineNone {
			s.mode = lineNone
			s.line--
			s.indent = bytes.Clone(s.pend.Bytes())
			s.pend.Reset()
		}
		s.opening = false
		s.json = s.dec.NewDocument(s.line + 1)
		s.json.Skipped = func(line int, excerpt []byte, _ bool) { s.invalid(excerpt, line) }
		b = b[i:]
	}
	if s.lf {
		b = padding(b)
	}
	end, padded := len(b), false
	if i := bytes.Index(b, paddedLine); i >= 0 {
		end, padded = i+1, true
	}
	if i := bytes.IndexByte(b[:end], 0x1b); i >= 0 {
		end, padded = i, false
	}
	if end > 0 {
		s.lf = b[end-1] == '\n'
	}
	n, st := s.json.Write(b[:end])
	switch {
	case st == transcript.DocumentMore && (padded || end == len(b)):
		return b[end:]
	case st == transcript.DocumentMore && s.json.Known():
		s.coloured()
	case st == transcript.DocumentMore:
		s.replay(true)
	case st == transcript.DocumentText:
		s.replay(false)
	default:
		// Where one record was laid out so, the next may be, too: jq . does it.
		last := s.json.Line() - 1
		s.begun = last <= s.line+1
		s.opening = !s.begun
		s.line, s.json, s.indent = last, nil, nil
	}
	return b[n:]
}

// paddedLine is where a line begins with padding.
var paddedLine = []byte("\n\x00")

// replay reads as lines what turned out to be no document, or may be a coloured
// one. It may be one all the same, too, behind timestamps, which begin with a
// bracket.
func (s *Scanner) replay(coloured bool) {
	const most = 1 << 20 // colours would have come
	b := append(s.indent, s.json.Held()...)
	s.json, s.indent, s.begun = nil, nil, true
	s.opening = string(bytes.TrimSpace(b)) == "[" || coloured && len(b) <= most
	s.lines(b, s.index(b))
}

// coloured goes on with a document without the escape sequences in it, of which
// the first comes now. Records of it have come out, so that it cannot be read
// again; but it has no wrappers in front of it, either.
func (s *Scanner) coloured() {
	first := s.line + 1
	s.line = s.json.Line()
	s.setLaidOut(&laidOut{doc: s.json, first: first, count: s.line - first})
	s.json, s.indent, s.begun = nil, nil, true
	if s.lf {
		s.line-- // it is yet to begin
		return
	}
	s.mode, s.skip, s.bared = lineLaid, 0, true
}

// whole takes a whole physical line without its LF.
func (s *Scanner) whole(b []byte) {
	b = bytes.TrimLeft(b, "\x00") // as of a line that comes in fragments
	// Most lines of a transcript begin with their record, and need no looking
	// for what may be around it.
	if len(b) > 0 && b[0] == '{' && len(b) <= s.o.MaxRecord && s.dec != nil && s.dec.Seen() && !s.wrapped() && !clean.Has(b) &&
		s.dec.Record(b, s.line) == transcript.Known {
		return
	}
	if len(b) > s.maxLine {
		// As fragments are measured: with the section marks in it.
		if n, _ := s.strip.Begin(b); len(b)-n > s.maxLine {
			s.tooLong(b, n)
			return
		}
	}
	rest, info := s.strip.Strip(b)
	switch {
	case s.joiner != nil || info.GitLab:
		s.gitlab(rest, info)
	case s.held(info, rest):
		s.step(rest, info.GitHub)
	default:
		s.content(rest, s.line)
	}
}

// tooLong takes a whole line over maxLine, of which n bytes are wrappers, as
// pass does one that has only begun.
func (s *Scanner) tooLong(b []byte, n int) {
	rest, info := s.strip.Strip(b)
	held := s.held(info, rest)
	if held {
		s.flushHeld() // a document may begin in it
	}
	if (s.laid != nil || s.opening && !held) && s.layOut(rest, s.line) {
		return
	}
	s.opening = false
	if s.record(rest, false) || !held && s.dec != nil && s.dec.Holding() {
		s.invalid(b[n:], s.line)
	} else {
		s.textLine(rest, s.line)
	}
}

// held says whether a line has to be whole before it can be read: it may be
// continued, or be of a step's script.
func (s *Scanner) held(info wrap.Info, rest []byte) bool {
	return s.joiner != nil || info.GitLab || s.stepOpen || info.GitHub && len(rest) > 0 && rest[0] == '#'
}

// flushHeld reads the lines that wait for what comes behind them.
func (s *Scanner) flushHeld() {
	if s.joiner != nil {
		s.joiner.Flush()
	}
	s.release(s.steps.End())
	s.stepOpen = false
}

// gitlab puts lines that GitLab's runner has cut together.
func (s *Scanner) gitlab(rest []byte, info wrap.Info) {
	if s.joiner == nil {
		s.joiner = &wrap.Joiner{Max: s.maxLine, Emit: s.joined}
	}
	s.joiner.Add(rest, info, s.line)
}

// joined takes a line of GitLab's, or a part of one that is too large to be
// held.
func (s *Scanner) joined(p wrap.Part) {
	if s.laid != nil && (!p.First || !p.Last) && s.layPart(p) {
		return
	}
	if p.First {
		if s.text.mid || s.text.cr {
			s.text.newline() // the line of another stream, in parts, gives way
		}
		if p.Last {
			s.content(p.Text, p.Line)
			return
		}
		if s.record(p.Text, false) {
			s.passing = p.Stream
			s.invalid(p.Text, p.Line)
			return
		}
	}
	if p.Stream == s.passing {
		if p.Last {
			s.passing = [3]byte{}
		}
		return
	}
	s.text.at(p.Line)
	s.text.fragment(p.Text)
	if p.Last {
		s.text.newline()
	}
}

// step takes a line of a log in which a step's own script is shown.
func (s *Scanner) step(rest []byte, github bool) {
	held, v := s.steps.Line(rest, github)
	s.release(held)
	s.stepOpen = v != wrap.Text
	switch v {
	case wrap.Hold:
		s.heldText = append(s.heldText, rest...)
		s.waiting = append(s.waiting, heldLine{len(s.heldText), s.line})
	case wrap.OwnScript:
		s.script.at(s.line)
		s.script.whole(rest)
	default:
		s.content(rest, s.line)
	}
}

// release gives what was held to where it turned out to belong.
func (s *Scanner) release(v wrap.Verdict) {
	if v == wrap.Hold {
		return
	}
	waiting, text, start := s.waiting, s.heldText, 0
	s.waiting, s.heldText = nil, nil
	for _, l := range waiting {
		if b := text[start:l.end]; v == wrap.OwnScript {
			s.script.at(l.line)
			s.script.whole(b)
		} else {
			s.content(b, l.line)
		}
		start = l.end
	}
	s.waiting, s.heldText = waiting[:0], text[:0]
}

// content takes a line without its wrappers: a record, or else text.
func (s *Scanner) content(b []byte, n int) {
	if (s.opening || s.laid != nil) && s.layOut(b, n) {
		return
	}
	if (s.record(b, true) || s.dec != nil && s.dec.Holding()) && s.tryRecord(b, n) {
		return
	}
	s.textLine(b, n)
}

func (s *Scanner) textLine(b []byte, n int) {
	s.text.at(n)
	s.text.whole(b)
}

// record says whether a line may be a record of a transcript. ended is set when
// b is all of it.
func (s *Scanner) record(b []byte, ended bool) bool {
	if s.dec == nil {
		return false
	}
	i, c := lead(b)
	if i > maxUnknown {
		return false
	}
	switch c {
	case '{':
		if ended && !s.dec.Seen() && !endsLikeJSON(b) && !clean.Has(b) {
			return false
		}
		// "Once a record of a known format has been seen, a line that starts
		// with { and is not valid JSON is such a record."
		_, c = lead(b[i+1:])
		return s.dec.Seen() || c == '"' || c == '}' || undecided(c)
	case '[':
		if isList(b[i:]) {
			return true
		}
	case 'd', 'e', 'i', 'r', ':':
		if s.dec.IsSSE(b[i:]) {
			_, p := lead(bytes.TrimPrefix(b[i:], []byte("data:")))
			return s.dec.Events() || c == 'd' && (p == '{' || p == '[' || undecided(p))
		}
	}
	// With a prefix that looks like text, it ends as JSON does.
	if len(b) > 0 && ended && !s.loose && !endsLikeJSON(b) {
		return false
	}
	_, ok := s.strip.Loose(b)
	return ok
}

// endsLikeJSON says whether a line ends as an object does, or with an escape
// sequence.
func endsLikeJSON(b []byte) bool {
	n := len(b)
	for n > 0 && (b[n-1] == '\r' || isBlank(b[n-1])) {
		n--
	}
	return n > 0 && endsJSON[b[n-1]]
}

// endsJSON are the last bytes of an object, and of the escape sequences that are
// written behind one: a colour's, an erasure's, a link's, the cursor's.
var endsJSON = [256]bool{'}': true, 'm': true, 'K': true, '\\': true, 0x07: true, 'h': true, 'l': true}

// isList says whether b, which begins with '[', may be a list of records, and
// not a line such as [INFO] that begins with a prefix.
func isList(b []byte) bool {
	_, c := lead(b[1:])
	return c == '{' || undecided(c)
}

// undecided says that what lead found is not there yet: nothing, or an escape
// sequence that has not ended.
func undecided(c byte) bool { return c == 0 || c == 0x1b }

// beginsField says whether b may become the name of a field of an event stream.
func beginsField(b []byte) bool {
	for _, name := range []string{"data:", "event:", "id:", "retry:"} {
		if len(b) < len(name) && string(b) == name[:len(b)] {
			return true
		}
	}
	return false
}

// lead finds the first byte of b behind blanks and escape sequences, 0 if there
// is none.
func lead(b []byte) (int, byte) {
	for i := 0; i < len(b); {
		switch c := b[i]; c {
		case ' ', '\t', '\r':
			i++
		case 0x1b:
			n := clean.Skip(b[i:])
			if n <= 0 {
				return i, c
			}
			i += n
		default:
			return i, c
		}
	}
	return len(b), 0
}

// tryRecord reads a line that may be a record, and says whether it was one.
func (s *Scanner) tryRecord(b []byte, n int) bool {
	line := b
	if clean.Has(line) {
		s.clean.Fill(len(line), func(dst []byte) []byte { return s.esc.EndLine(s.esc.Append(dst, b)) })
		line = s.clean.Bytes()
		defer s.clean.Reset()
	}
	i, c := lead(line)
	event := s.dec.Holding() || s.dec.IsSSE(line[i:])
	object := c == '{' || c == '[' && isList(line[i:])
	record := line
	switch {
	case event:
		record = bytes.TrimPrefix(line[i:], []byte("data:"))
	case !object:
		var ok bool
		if record, ok = s.strip.Loose(line); !ok {
			return false
		}
	}
	var v transcript.Verdict
	switch {
	case len(record) > s.o.MaxRecord && len(bytes.Trim(record, " \t\r\n")) > s.o.MaxRecord:
		v = transcript.Invalid
	case event:
		v = s.dec.SSE(line[i:], n)
	case object:
		v = s.dec.Record(line, n)
	default:
		// What such a prefix has stood before once is no text when it is cut off.
		switch v = s.dec.Record(record, n); {
		case v == transcript.Known:
			s.loose = true
		case !s.loose:
			return false
		}
	}
	if v == transcript.Invalid {
		s.invalid(line, n)
	}
	return v != transcript.Text
}

// invalid passes over a record that cannot be read. Some come as they stand in the
// input, and some as clean text: what is shown is clean text, of as much as is
// there of a line over MaxRecord however it is cut.
func (s *Scanner) invalid(b []byte, n int) {
	s.n.Invalid++
	k := Skip{Pos: Pos{Line: n}, What: "record", Reason: ReasonInvalidRecord}
	var l bare
	for b = b[:min(len(b), s.o.MaxRecord)]; len(b) > 0 && len(k.Excerpt) < excerpt; {
		size := min(len(b), excerpt)
		k.Excerpt = append(k.Excerpt, l.piece(b[:size])...)
		b = b[size:]
	}
	k.Excerpt = append(k.Excerpt, l.end()...)
	k.Excerpt = bytes.TrimRight(bytes.ReplaceAll(k.Excerpt, []byte("\r\n"), lineEnd), " \t\r\n")
	s.h.Skip(&k)
}

// fragment takes a part of a physical line, with no LF in it.
func (s *Scanner) fragment(b []byte) {
	if s.mode == lineNone {
		s.line++
		s.mode, s.skip, s.bared = lineUnknown, 0, false
	}
	if s.bared {
		b = s.bare.piece(b)
	}
	s.take(b)
}

// take is fragment behind what the line is bared of.
func (s *Scanner) take(b []byte) {
	switch s.mode {
	case lineUnknown:
		if s.pend.Len() == 0 {
			b = bytes.TrimLeft(b, "\x00") // padding, however long
		}
		s.pend.Append(b)
		if s.laid != nil || bytes.IndexByte(b, '>') >= 0 || s.pend.Len() > maxUnknown {
			s.decide()
		}
	case lineText:
		s.stream(b)
	case lineLaid:
		s.layPiece(b)
	case lineHeld, lineRecord:
		s.pend.Append(b)
		if s.pend.Len()-s.skip > s.maxLine {
			s.pass()
		}
	}
}

// decide finds out what a line is of which only pend has come.
func (s *Scanner) decide() {
	var n int
	var info wrap.Info
	if !s.bared {
		if _, more := s.strip.Head(s.pend.Bytes()); more && s.pend.Len() <= maxUnknown {
			return
		}
		n, info = s.strip.Begin(s.pend.Bytes())
	}
	rest := s.pend.Bytes()[n:]
	s.skip = n
	if s.laid == nil && len(rest) <= maxUnknown && bytes.IndexByte(rest, '>') < 0 {
		return // no tag has ended yet: the '>' was of a job's name or a step's
	}
	shown := s.unmarked(rest)
	i, c := lead(shown)
	next := c // what tells a record from text
	switch {
	case c == '{' || c == '[':
		_, next = lead(shown[i+1:])
	case c == 'd' && s.dec != nil && s.dec.IsSSE(shown[i:]):
		_, next = lead(bytes.TrimPrefix(shown[i:], []byte("data:")))
	}
	held := !s.bared && s.held(info, rest)
	switch {
	case s.laid != nil && !held:
		s.startLaid(rest)
		return
	case (undecided(next) || beginsField(shown[i:]) || s.strip.LooseUndecided(shown)) && len(rest) <= maxUnknown:
	case held:
		s.mode = lineHeld
	case s.opening && s.beginsLaidOut(c, s.line):
		s.startLaid(rest)
		return
	case s.record(shown, false), s.dec != nil && s.dec.Holding():
		s.mode = lineRecord
	default:
		s.startText(rest)
		return
	}
	if s.mode != lineUnknown && len(rest) > s.maxLine {
		s.pass()
	}
}

// unmarked is b, which a line begins with, without section marks and without
// what may be the beginning of one at its end.
func (s *Scanner) unmarked(b []byte) []byte {
	if len(b) > 1 && b[0] == '{' && (b[1] == '"' || b[1] == '}') {
		return b // it is a record whatever is in it
	}
	const mark = "section_"
	found := bytes.Contains(b, []byte(mark))
	for n := 1; n < len(mark) && !found; n++ {
		found = bytes.HasSuffix(b, []byte(mark[:n]))
	}
	if !found {
		return b
	}
	var marks wrap.Sections
	s.buf = marks.Append(s.buf[:0], b)
	return s.buf
}

// startText reads a line as text that streams from here on.
func (s *Scanner) startText(rest []byte) {
	s.mode, s.opening = lineText, false
	s.text.at(s.line)
	s.stream(rest)
	s.pend.Reset()
}

// pass lets go of a line that is too large to be held: a record is passed over,
// text streams.
func (s *Scanner) pass() {
	rest := s.pend.Bytes()[min(s.skip, s.pend.Len()):]
	if s.mode == lineHeld {
		s.flushHeld() // a document may begin in it
		switch {
		case s.laid != nil:
			s.startLaid(rest)
			return
		case !s.record(s.unmarked(rest), false):
			s.startText(rest)
			return
		}
	}
	s.invalid(rest, s.line)
	s.mode, s.opening = linePassed, false
	s.pend.Reset()
}

// stream takes a fragment of a line of text.
func (s *Scanner) stream(b []byte) {
	s.buf = s.sect.Append(s.buf[:0], b)
	s.text.fragment(s.buf)
}

// endLine ends the physical line that has begun.
func (s *Scanner) endLine() {
	if s.bared {
		s.take(s.bare.end())
	}
	if s.mode == lineLaid {
		s.layPiece(lineEnd)
	}
	mode := s.mode
	s.mode = lineNone
	switch mode {
	case lineLaid:
		s.laid.count++
	case lineText:
		s.buf = s.sect.EndLine(s.buf[:0])
		s.text.fragment(s.buf)
		s.text.newline()
	case lineUnknown, lineHeld, lineRecord:
		if !s.bared {
			s.whole(s.pend.Bytes())
		} else {
			s.bareLine(s.pend.Bytes(), s.line)
		}
		s.pend.Reset()
	}
}

// A sink takes what a Decoder finds in a Scanner's records.
type sink Scanner

func pos(p *transcript.Part) Pos {
	return Pos{Line: p.Line, Format: p.Format, Role: p.Role.String(), Session: p.Session, Message: p.Message, Agent: p.Agent}
}

func origin(p *transcript.Part) Origin {
	return Origin{Row: p.Row, Echo: p.Echo, Grown: p.Grown, Rows: p.Rows, Chain: p.Chain, Piece: p.Piece}
}

func (s *sink) Begin(p *transcript.Part) {
	s.settle(p)
	s.open = &s.part
	if !p.Wanted {
		s.open = &s.other
	}
	s.open.d.begin(pos(p), origin(p))
}

func (s *sink) Text(b []byte, line int) {
	s.open.at(line)
	s.open.write(b)
}

func (s *sink) End() { s.open.close() }

func (s *sink) Artifact(p *transcript.Part, tool, title string, tags transcript.TagList) {
	if len(title) > MaxValue {
		n := MaxValue
		for n > MaxValue-utf8.UTFMax && !utf8.RuneStart(title[n]) {
			n--
		}
		title = title[:n]
	}
	if p.Wanted {
		s.h.Artifact(&Artifact{Pos: pos(p), Origin: origin(p), Tool: tool, Title: title,
			Tags: tags.Tags, NotStrings: tags.NotStrings, More: tags.More})
	}
}

func (s *sink) Line(b []byte, line int, v transcript.Verdict) {
	if v == transcript.Invalid {
		(*Scanner)(s).invalid(b, line)
		return
	}
	s.text.at(line)
	s.text.whole(b)
}

// unheard is the Handler of text whose author was not asked for: what is found
// in it is skipped.
type unheard struct{ h Handler }

func (u unheard) Tag(t *Tag) {
	u.h.Skip(&Skip{Pos: t.Pos, Origin: t.Origin, What: "tag", Reason: ReasonRole, Namespace: t.Namespace, Kind: t.Kind, Excerpt: t.Append(nil)})
}

func (u unheard) Block(b *Block) {
	u.h.Skip(&Skip{Pos: b.Pos, Origin: b.Origin, What: "block", Reason: ReasonRole, Excerpt: b.Append(nil, excerpt)})
}

func (u unheard) Artifact(*Artifact) {}
func (u unheard) Skip(*Skip)         {}
