// Package transcript decodes what coding agents write with their JSON output
// options, and what they keep as session logs, into text parts of known role.
//
// A [Decoder] is given records, one line each, and hands to a [Sink] what was
// written: each text part is a document of its own. It needs no flag to tell one
// format from another: the whole record is read and the table in formats.go is
// asked, row by row. A row is a format in a file of its own.
//
// Text that a format repeats is told apart here as far as a record's ids and the
// texts themselves tell (the same row, a copy of a message, cumulative updates);
// Part.Echo and Part.Grown mark what only the events can settle.
//
// A [Document] cuts a pretty-printed document, or an array, into records.
//
// All input is untrusted. Memory is bounded by Options.MaxRecord and by a fixed
// number of remembered ids, time is linear in the input.
package transcript

import (
	"bytes"
	"hash/maphash"

	"tagscan/parse/jsonrec"
)

// Role says who wrote a text. Roles are a set: they can be or-ed.
type Role uint8

const (
	Assistant Role = 1 << iota
	Tool
	User
	Thinking
	System
)

// String is the role's name in events.
func (r Role) String() string {
	switch r {
	case Assistant:
		return "assistant"
	case Tool:
		return "tool"
	case User:
		return "user"
	case Thinking:
		return "thinking"
	case System:
		return "system"
	}
	return ""
}

// ParseRole is the role of that name.
func ParseRole(name string) (Role, bool) {
	for r := Assistant; r <= System; r <<= 1 {
		if r.String() == name {
			return r, true
		}
	}
	return 0, false
}

// A Part is one text part, or one tool call, of a transcript.
type Part struct {
	Format  string // one of Formats
	Role    Role
	Session string
	Message string
	Agent   string // the sub-agent's parent call, or "sidechain"
	// Row numbers the record that the part came in, from 1.
	Row uint64
	// Line is the physical line of that record, from 1.
	Line int
	// Wanted is false for a role that was not asked for (Options.WantOther).
	Wanted bool
	// Echo is set for text that repeats what the session's messages have said.
	Echo bool
	// Grown is set when the text of the row begins with the text of an earlier
	// row of the same message.
	Grown bool
	// Rows is set when Message names one message of the whole input, of which
	// this format may write several rows. Where it is not set, two records with
	// the same Message are two messages: Codex counts its items from 0 again in
	// each process.
	Rows bool
	// Chain tells the rows of a message apart that did not grow out of each other.
	Chain uint32
	// Piece tells the parts of a message apart that grow each by itself; it is 0
	// where the format has no ids for them.
	Piece uint64
}

// A Sink takes what a Decoder finds, in the order of the input. One part is open
// at a time. A part of a format that streams stays open between records: other
// lines of the input may come while it is.
//
// Slices and the Part are valid only during the call.
type Sink interface {
	// Begin starts a part.
	Begin(p *Part)
	// Text is a piece of its text, as decoded: it may hold anything, and may end
	// within a UTF-8 sequence. line is the line of the record it came in.
	Text(b []byte, line int)
	// End completes the part.
	End()
	// Artifact is a call of a tool that creates an artifact. Role is Assistant.
	Artifact(p *Part, tool, title string, tags TagList)
	// Line gives back a line that was held because it could have been the
	// beginning of a record (server-sent events) and is none: it is Text, or
	// Invalid.
	Line(b []byte, line int, v Verdict)
}

// A Verdict says what a line was.
type Verdict uint8

const (
	// Text: the line is no record. It is not valid JSON, or JSON of no known
	// format, and is to be read as text.
	Text Verdict = iota
	// Known: the line was a record, or a part of one, and is done with.
	Known
	// Invalid: the line is to be skipped and counted. It starts like a record,
	// is not valid JSON, and a record of a known format has been seen before.
	Invalid
)

// Options of a Decoder. The zero Options are the defaults.
type Options struct {
	// From restricts the decoder to one format; "" and "auto" mean any.
	From string
	// Roles are those whose text is wanted; none means Assistant.
	Roles Role
	// WantOther asks for the text of the other roles too, not Wanted.
	WantOther bool
	// Strict asks for every record to be checked byte by byte, so that Invalid
	// is exact. Without it a record out of which nothing can come may be Known
	// although it is not valid JSON.
	Strict bool
	// Candidate, if set, is given a text as written in JSON, its escapes
	// included, or a longer stretch that holds some, and says whether there can
	// be something in it: if it says so of a text, it must say so of all that
	// holds it. What has a \u escape must be one: the escape may stand for
	// anything, a tool's name too. If not, the part is not delivered. It is not
	// asked about text that comes in chunks.
	Candidate func(raw []byte) bool
	// MaxRecord is how large a record may be, in bytes; 0 means 16 MiB. A
	// Document passes over a larger one. What a format makes the decoder hold,
	// until it is known whose text it is, is one text or a quarter of this.
	MaxRecord int
}

// DefaultMaxRecord is the MaxRecord of the zero Options, in bytes.
const DefaultMaxRecord = 16 << 20

// remember is how many ids of a kind are remembered at least.
const remember = 65536

// A Decoder turns records into text parts. One input needs one Decoder.
type Decoder struct {
	o    Options
	s    Sink
	seed maphash.Seed
	sum  maphash.Hash // see hash
	seen bool
	row  uint64
	rec  record
	part Part
	buf  []byte

	names    [4]string // the newest session names and the like, see intern
	nextName int

	uuids    recent[struct{}] // records by their own id
	calls    recent[struct{}] // tool calls
	rows     rows             // rows of messages
	messages recent[struct{}] // those that are written whole each time, by id

	growth  growth
	reading bool // the text at hand is that of the row in growth

	stream   stream
	sse      sse
	claude   claudeState
	codex    codexState
	cursor   cursorState
	opencode opencodeState
	gemini   geminiState
	copilot  copilotState
}

// New makes a Decoder that delivers to s.
func New(o Options, s Sink) *Decoder {
	if o.Roles == 0 {
		o.Roles = Assistant
	}
	if o.From == "auto" {
		o.From = ""
	}
	if o.MaxRecord <= 0 {
		o.MaxRecord = DefaultMaxRecord
	}
	return &Decoder{o: o, s: s, seed: maphash.MakeSeed(), buf: make([]byte, 0, 32<<10)}
}

// Seen reports whether a record of a known format has been seen. From then on a
// line that starts with { and is not valid JSON is no text.
func (d *Decoder) Seen() bool { return d.seen }

// Record reads one line that starts, blanks aside, with { or [. n is its number.
func (d *Decoder) Record(line []byte, n int) Verdict {
	v := jsonrec.Trim(line)
	switch {
	case v.IsObject():
		if !d.rec.read(v, n) {
			return d.invalid()
		}
		return d.object(d.o.Strict)
	case v.IsArray():
		return d.array(v, n)
	}
	return Text
}

// object takes the record that was read. strict asks for it to be checked in any
// case.
func (d *Decoder) object(strict bool) Verdict {
	r := &d.rec
	r.seen = d.seen
	// Before the first known record the check decides whether this is text.
	if (strict || !d.seen) && !r.ok() {
		return d.invalid()
	}
	f := d.find(r)
	if f == nil {
		// What is not valid JSON is no JSON of an unknown format.
		if !r.ok() {
			return d.invalid()
		}
		return Text
	}
	d.row++
	d.take(f, r)
	if r.check == checkBad {
		d.row-- // nothing came of it
		return d.invalid()
	}
	d.seen = true
	return Known
}

func (d *Decoder) invalid() Verdict {
	if d.seen {
		return Invalid
	}
	return Text
}

// array reads a line that holds a whole array of records, such as Claude's json
// output with --verbose. One of a known format makes it one.
func (d *Decoder) array(v jsonrec.Value, n int) Verdict {
	e := v.Elements()
	if !e.Next() || !e.Value.IsObject() || !jsonrec.Valid(v) {
		return Text
	}
	verdict := d.element(e.Value, n)
	for e.Next() {
		if d.element(e.Value, n) == Known {
			verdict = Known
		}
	}
	return verdict
}

// element reads a record that is known to be valid JSON.
func (d *Decoder) element(v jsonrec.Value, n int) Verdict {
	r := &d.rec
	if !v.IsObject() || !r.read(v, n) {
		return Text
	}
	r.check, r.seen = checkGood, d.seen
	f := d.find(r)
	if f == nil {
		return Text
	}
	d.row++
	d.seen = true
	d.take(f, r)
	return Known
}

// take gives r to its format. A record of another format ends the message whose
// chunks are coming, whether something comes of it or not.
func (d *Decoder) take(f *format, r *record) {
	if d.stream.open && d.stream.format != f.name && r.ok() {
		d.endStream()
	}
	f.take(d, r)
}

// find is the format of r, or nil.
func (d *Decoder) find(r *record) *format {
	for i := range formats {
		f := &formats[i]
		if (d.o.From == "" || f.name == d.o.From || f.alias == d.o.From) && f.match(r) {
			return f
		}
	}
	return nil
}

// Close says that the input ends: what was held comes out.
func (d *Decoder) Close() {
	d.flushSSE()
	d.endStream()
	d.flushCodex(true)
	d.flushCursor()
	d.flushOpencode(0)
}

// heldCost is what a held text costs beside its bytes, about.
const heldCost = 256

// maxHeld bounds the texts that are held, in bytes.
func (d *Decoder) maxHeld() int { return d.o.MaxRecord / 4 }

// want reports whether text of a role is to be delivered.
func (d *Decoder) want(r Role) bool { return d.o.WantOther || d.o.Roles&r != 0 }

// candidate reports whether the string v, as written, can hold anything.
func (d *Decoder) candidate(v jsonrec.Value) bool {
	return v.IsString() && len(v) > 2 && (d.o.Candidate == nil || d.o.Candidate(v[1:len(v)-1]))
}

// barren reports whether nothing can come out of r, whatever is in it: no text,
// and if there may be calls in it, no artifact. Only a \u escape can hide a
// letter of a tool's name, and what has one is a candidate.
func (d *Decoder) barren(r *record, calls bool) bool {
	switch {
	case d.o.Candidate == nil, r.barren == checkBad, r.barren == checkNone && d.o.Candidate(r.raw):
		return false
	}
	return !calls || !hasCreate(r.raw)
}

// hasCreate says whether b holds the end of an artifact tool's name.
func hasCreate(b []byte) bool {
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '_')
		if n < 0 {
			return false
		}
		if i += n + 1; bytes.HasPrefix(b[i:], []byte("create")) {
			return true
		}
	}
}

// admit reports whether something may come out of r. It must be valid JSON, and
// a record with an id of its own comes once: resumed and forked sessions copy
// earlier lines.
func (d *Decoder) admit(r *record) bool {
	if !r.admitted {
		r.admitted = true
		r.refused = !r.ok() || !r.id.Empty() && !d.uuids.add(d.hash(r.id))
	}
	return !r.refused
}

// hash is the hash of what the string v says; of anything else, which is no id but
// may stand where one should, of how it is written.
func (d *Decoder) hash(v jsonrec.Value) uint64 {
	d.sum.SetSeed(d.seed)
	if !v.IsString() {
		d.sum.WriteByte(0)
		d.sum.Write(v)
	}
	t := v.Text()
	for b := t.Next(d.buf); b != nil; b = t.Next(d.buf) {
		d.sum.Write(b)
	}
	return d.sum.Sum64()
}

// maxIdent bounds the ids that are shown and remembered as text, in bytes. None
// that an agent makes is half as long.
const maxIdent = 256

// ident is the text of the id v, at most maxIdent bytes of it.
func ident(v jsonrec.Value) []byte {
	if len(v) > 6*maxIdent && v.IsString() {
		var b []byte
		t := v.Text()
		for len(b) < maxIdent {
			piece := t.Next(make([]byte, 0, maxIdent))
			if piece == nil {
				break
			}
			b = append(b, piece[:min(len(piece), maxIdent)]...)
		}
		return b[:min(len(b), maxIdent)]
	}
	b := v.Bytes()
	return b[:min(len(b), maxIdent)]
}

// intern is the text of the id v as a string. The same few come again and again.
func (d *Decoder) intern(v jsonrec.Value) string {
	b := ident(v)
	if len(b) == 0 {
		return ""
	}
	for _, s := range d.names {
		if s == string(b) {
			return s
		}
	}
	s := string(b)
	d.names[d.nextName] = s
	d.nextName = (d.nextName + 1) % len(d.names)
	return s
}

// An origin is what is known of a text before it is sure that it is delivered:
// ids as spans, so that a record that yields nothing costs nothing.
type origin struct {
	format      string
	role        Role
	session     jsonrec.Value
	sessionName string // where the session is named by an earlier record
	message     jsonrec.Value
	agent       jsonrec.Value
	agentName   string
	echo        bool
	grown       bool
	chain       uint32
	rows        bool
	piece       uint64
}

// partOf is the part of r with that origin.
func (d *Decoder) partOf(r *record, o *origin) Part {
	p := Part{Format: o.format, Role: o.role, Session: d.intern(o.session), Message: string(ident(o.message)), Agent: d.intern(o.agent),
		Row: d.row, Line: r.line, Wanted: d.o.Roles&o.role != 0, Echo: o.echo, Grown: o.grown, Chain: o.chain, Piece: o.piece}
	if p.Session == "" {
		p.Session = o.sessionName
	}
	if p.Agent == "" {
		p.Agent = o.agentName
	}
	p.Rows = o.rows && p.Message != ""
	return p
}

// begin starts a part.
func (d *Decoder) begin(p Part) {
	d.endStream()
	d.part = p
	d.s.Begin(&d.part)
}

// whole delivers the string v of r as one part, if there can be something in it.
func (d *Decoder) whole(o origin, r *record, v jsonrec.Value) (delivered bool) {
	if !d.want(o.role) || !d.candidate(v) || !d.admit(r) {
		return false
	}
	d.begin(d.partOf(r, &o))
	d.text(v, r.line)
	d.s.End()
	return true
}

// text delivers the string v.
func (d *Decoder) text(v jsonrec.Value, line int) {
	t := v.Text()
	for b := t.Next(d.buf); b != nil; b = t.Next(d.buf) {
		d.s.Text(b, line)
		if d.reading {
			d.growth.write(b)
		}
	}
}

// held delivers a text that was held.
func (d *Decoder) held(p Part, text []byte) {
	if !d.want(p.Role) || len(text) == 0 {
		return
	}
	d.begin(p)
	d.s.Text(text, p.Line)
	d.s.End()
}

// texts delivers the texts in v, which is a string, a list of strings and of
// blocks, or a block with text or content. Formats write a tool's output in each
// of these shapes. Nothing is nested deeper than four in any of them.
func (d *Decoder) texts(o origin, r *record, v jsonrec.Value, depth int) {
	switch {
	case v.IsString():
		d.whole(o, r, v)
	case depth == 4:
	case v.IsArray():
		for e := v.Elements(); e.Next(); {
			d.texts(o, r, e.Value, depth+1)
		}
	case v.IsObject():
		var text, content jsonrec.Value
		for m := v.Members(); m.Next(); {
			switch string(m.Key) {
			case "text":
				text = m.Value
			case "content", "value", "output":
				content = m.Value
			}
		}
		if text.IsString() {
			d.whole(o, r, text)
			return
		}
		d.texts(o, r, content, depth+1)
	}
}

// A stream is a part that comes in chunks, one record each.
type stream struct {
	open   bool
	format string
	role   Role
	key    uint64
}

// chunk delivers v as the next piece of the open part if that has the same
// format, role and key, else of a new one. It comes out at once: the next chunk
// may be long in coming.
func (d *Decoder) chunk(o origin, r *record, v jsonrec.Value, key uint64) {
	st := &d.stream
	if !st.open || st.format != o.format || st.role != o.role || st.key != key {
		if !d.want(o.role) || !v.IsString() || len(v) == 2 || !d.admit(r) {
			return
		}
		d.begin(d.partOf(r, &o))
		*st = stream{open: true, format: o.format, role: o.role, key: key}
	} else if !d.admit(r) {
		return
	}
	d.text(v, r.line)
}

// endStream completes the part that is open, if any.
func (d *Decoder) endStream() {
	if d.stream.open {
		d.stream.open = false
		d.s.End()
	}
}

// leaveStream is endStream for a record that ends a message of a format. A
// record that is not valid JSON ends nothing.
func (d *Decoder) leaveStream(r *record, format string) {
	if d.stream.open && d.stream.format == format && r.ok() {
		d.endStream()
	}
}

// call looks at a tool call: one whose name ends in artifact_create or
// bundle_create, with a list of tags in its input, is an artifact. The input is
// an object, or a string that holds one. Formats write a call several times, as
// it starts and ends: its id is remembered, and what it asks for, since there are
// models that count their calls from 0 again in each session.
func (d *Decoder) call(o origin, r *record, name, id, input jsonrec.Value) {
	if len(name) > maxIdent {
		return
	}
	tool := name.Bytes()
	if !bytes.HasSuffix(tool, []byte("artifact_create")) && !bytes.HasSuffix(tool, []byte("bundle_create")) {
		return
	}
	if d.o.Roles&Assistant == 0 {
		return
	}
	if input.IsString() {
		if input = jsonrec.Trim(input.Bytes()); !jsonrec.Valid(input) {
			return
		}
	}
	list := input.Get("tags")
	if !list.IsArray() || !d.admit(r) {
		return
	}
	title := input.Get("title")
	tags := TagList{Tags: []string{}}
	tags.AddArray(list)
	if !id.Empty() && !d.calls.add(d.hash(id)^d.hashCall(title, &tags)) {
		return
	}
	o.role = Assistant
	if !id.Empty() {
		o.rows = false // another id is another call, in whichever row
	}
	d.endStream()
	d.part = d.partOf(r, &o)
	d.s.Artifact(&d.part, string(tool), title.String(), tags)
}

// hashCall is the hash of what a call asks for.
func (d *Decoder) hashCall(title jsonrec.Value, tags *TagList) uint64 {
	h := d.hash(title)
	d.sum.SetSeed(d.seed)
	for _, t := range tags.Tags {
		d.sum.WriteString(t)
		d.sum.WriteByte(0)
	}
	return h*31 + d.sum.Sum64()
}
