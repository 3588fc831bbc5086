// Package term shows events to people: a coloured line a tag, a small card a
// status block, in the order they happen and as they happen. Where the line
// of an event is known it stands in front, as with grep -n; the file and the
// session are said when they change.
//
// All text of an event is untrusted and passes [AppendSafe]; a link can be
// clicked only when it is a checked URL of a tag. A long word or URL is never
// broken in two, so that it can be copied: the terminal folds what is wider
// than itself.
package term

import (
	"strconv"
	"strings"

	"tagscan/emit"
	"tagscan/normalize"
)

// A Printer is the sink for a terminal. It writes an event whole.
type Printer struct {
	w    *emit.Writer
	view emit.View
	row
	file    string
	session string
	begun   bool
	apart   bool // the last event was a card, which has an empty line around it
	gutter  int  // columns of the line numbers, 0 before the first; it only grows
	refs    int  // columns of what is short for a URL; it only grows
}

// New returns a Printer to w.
func New(w *emit.Writer, view emit.View) *Printer {
	return &Printer{w: w, view: view}
}

// Flush passes on what the Writer holds.
func (p *Printer) Flush() error { return p.w.Flush() }

// Event shows e, one of the events that [emit.AppendEvent] takes.
func (p *Printer) Event(e normalize.Event) error {
	p.row = row{dst: p.dst[:0], color: p.view.Color, ascii: p.view.ASCII, width: p.view.Width}
	switch e := e.(type) {
	case *normalize.Tag:
		p.tag(e)
	case *normalize.Status:
		p.status(e)
	case *normalize.Artifact:
		p.artifact(e)
	case *normalize.Skipped:
		p.skipped(e)
	case *emit.Validation:
		p.validation(e)
	default:
		return nil
	}
	p.begun = true
	_, err := p.w.Write(p.dst)
	if cap(p.dst) > maxKept {
		p.dst = nil
	}
	return err
}

// What is shown at most. The NDJSON has everything.
const (
	maxKept  = 64 << 10 // bytes of buffer kept from one event to the next
	maxItems = 20       // of a list
	maxText  = 16 << 10 // bytes of one text
	maxLabel = 32       // bytes of a kind, key or the like
	maxQuote = 64       // bytes of a value in a complaint
	maxRef   = 28       // columns to which the short names are aligned

	kindColumns  = 8
	labelColumns = 9
	proseColumns = 110 // wider prose is hard to read
)

// The styles, as the parameters of SGR.
const (
	plain   = ""
	bold    = "1"
	dim     = "2"
	red     = "31"
	green   = "32"
	yellow  = "33"
	blue    = "34"
	magenta = "35"
	cyan    = "36"
	strong  = "1;" // with one of the colours behind it
)

var kindStyles = map[string]string{
	"repo": strong + blue, "issue": strong + yellow, "pr": strong + green, "link": strong + cyan, "status": strong + magenta,
}

var statusStyles = map[string]string{
	"COMPLETE": green, "IN_PROGRESS": cyan, "BLOCKED": yellow, "FAILED": red,
}

// begin says the file and session where they change, and begins the event's
// line with its number.
func (p *Printer) begin(pos *normalize.Position, card bool) {
	if p.begun && (card || p.apart || pos.File != p.file) {
		p.end()
	}
	p.apart = card
	if pos.File != p.file {
		p.file = pos.File
		p.session = ""
		p.put(strong+magenta, clip(Safe(pos.File), maxText))
		p.end()
	}
	if pos.Session != p.session {
		p.session = pos.Session
		if pos.Session != "" {
			p.put(dim, clip(Safe(pos.Format), maxLabel)+" session "+clip(Safe(pos.Session), maxQuote))
			p.end()
		}
	}
	number := ""
	if pos.Line > 0 {
		number = strconv.Itoa(pos.Line)
		p.gutter = max(p.gutter, 4, len(number))
	}
	p.left = 0
	if p.gutter > 0 {
		p.pad(p.gutter - len(number))
		p.put(dim, number)
		p.left = p.gutter + 2
		p.pad(p.left - p.col)
	}
	p.indent = p.left
}

// kind puts the word a line begins with, and sets the indentation behind it.
func (p *Printer) kind(style, kind string) {
	p.put(style, clip(Safe(kind), maxLabel))
	p.indent += kindColumns + 2
	p.pad(max(p.indent-p.col, 2))
}

func (p *Printer) tag(e *normalize.Tag) {
	p.begin(&e.Position, false)
	style := bold
	if !e.Extension && kindStyles[e.Kind] != "" {
		style = kindStyles[e.Kind]
	}
	p.kind(style, e.Kind)
	value := Safe(e.Value)
	switch {
	case !isURL(e):
		p.prose(plain, value)
	case e.Repo != "":
		ref := clip(Safe(reference(e)), maxText)
		if n := Width(ref); n <= maxRef {
			p.refs = max(p.refs, n)
		}
		p.link(e.Value, bold, ref)
		p.pad(max(p.indent+p.refs-p.col, 0) + 2)
		p.url(e.Value, value)
	default:
		p.url(e.Value, value)
	}
	var notes []string
	if e.Repeat {
		notes = append(notes, "repeat")
	}
	if e.Provenance == normalize.Operator {
		notes = append(notes, "by the operator")
	}
	p.notes(append(notes, whence(&e.Position, e.Code)...))
	p.end()
}

// url puts text, the safe form of target, where it need not be broken: here,
// or below at the first of some columns that leaves it room.
func (p *Printer) url(target, text string) {
	n := Width(text)
	if p.col+n > p.width {
		for _, column := range []int{p.indent, p.left, 2} {
			if column+n <= p.width {
				p.end()
				p.pad(column)
				break
			}
		}
	}
	p.link(target, plain, text)
}

// isURL tells whether the tag's kind has had its value checked to be a URL.
func isURL(e *normalize.Tag) bool {
	if e.Extension {
		return false
	}
	switch e.Kind {
	case "issue", "pr", "link":
		return true
	}
	return e.Kind == "repo" && !strings.HasPrefix(e.Value, "/")
}

// reference is the forge's short name: acme/core#520, or group/core!7 for a
// merge request.
func reference(e *normalize.Tag) string {
	switch {
	case e.Number == "":
		return e.Repo
	case strings.Contains(e.Value, "/-/merge_requests/"):
		return e.Repo + "!" + e.Number
	}
	return e.Repo + "#" + e.Number
}

// link puts text, which is safe, to be clicked where the terminal can do so.
func (p *Printer) link(target, style, text string) {
	if p.view.Links {
		linked := AppendLink(nil, target, text)
		p.styled(style, string(linked), Width(text))
		return
	}
	p.put(style, text)
}

// whence says what is out of the ordinary about where something was found.
func whence(pos *normalize.Position, code string) (notes []string) {
	switch code {
	case "fence":
		notes = append(notes, "in a fence")
	case "span":
		notes = append(notes, "in a code span")
	}
	if pos.Role != "" && pos.Role != "assistant" {
		notes = append(notes, "role "+clip(Safe(pos.Role), maxLabel))
	}
	switch pos.Agent {
	case "":
	case "sidechain":
		notes = append(notes, "sub-agent")
	default:
		notes = append(notes, "sub-agent "+clip(Safe(pos.Agent), maxLabel))
	}
	return notes
}

// notes puts the notes behind what the line holds, or below it.
func (p *Printer) notes(notes []string) {
	if len(notes) == 0 {
		return
	}
	text := "(" + strings.Join(notes, ", ") + ")"
	if p.col+2+Width(text) > p.width {
		p.end()
		p.pad(p.indent)
	} else {
		p.pad(2)
	}
	p.put(dim, text)
}

var labels = map[string]string{
	"files_modified": "modified", "files_modified_count": "modified", "files_read": "read",
	"tests_run": "tests", "tests_status": "tests", "tasks_completed_this_loop": "tasks", "work_type": "work",
	"work_summary": "summary", "next_steps": "next", "recommendation": "advice",
}

// status puts the card of a block: what it reports, what there is to say about
// the report, and the rest of its fields.
func (p *Printer) status(e *normalize.Status) {
	p.begin(&e.Position, true)
	style := p.headline(e)
	p.card(style)
	p.about(facts(e), e.Streak)
	p.fields(e)
	p.extra(e.Extra)
	p.violations(e.Violations)
}

// headline puts the status and the task. It returns the status's colour.
func (p *Printer) headline(e *normalize.Status) (color string) {
	status, task := textOf(e, "status"), textOf(e, "task")
	if status == "" {
		status = "no status"
	}
	color, known := statusStyles[status]
	if !known {
		color = magenta
	}
	p.put(strong+color, p.glyph("●", "*")+" "+clip(Safe(status), maxLabel))
	p.indent += 2
	if task != "" {
		p.pad(2)
		p.prose(bold, paragraphs(task))
	}
	p.end()
	return color
}

// textOf is the value of a field that has text, else "".
func textOf(e *normalize.Status, name string) string {
	v, _ := e.Get(name)
	s, _ := v.(string)
	return s
}

// facts says how far the report goes, and what is out of the ordinary about it.
func facts(e *normalize.Status) (said []string) {
	if s := textOf(e, "confidence"); s != "" {
		said = append(said, clip(Safe(s), maxLabel)+" confidence")
	}
	switch ready, _ := e.Get("exit_ready"); ready {
	case true:
		said = append(said, "exit ready")
	case false:
		said = append(said, "not exit ready")
	}
	if e.Protocol == "ralph_status" {
		said = append(said, "ralph")
	}
	said = append(said, whence(&e.Position, e.Code)...)
	if e.Provenance == normalize.Operator {
		said = append(said, "by the operator")
	}
	return said
}

// about puts the facts and, in a colour that warns, the streak on one line.
func (p *Printer) about(facts []string, streak normalize.Streak) {
	var runs []string
	if n := streak.Status; n > 1 {
		runs = append(runs, strconv.Itoa(n)+" in a row")
	}
	if n := streak.NoProgress; n > 0 {
		runs = append(runs, emit.Plural(int64(n), "report")+" without progress")
	}
	if len(facts) == 0 && len(runs) == 0 {
		return
	}
	between := p.glyph(" · ", ", ")
	p.lead()
	p.prose(dim, strings.Join(facts, between))
	if len(runs) > 0 {
		if len(facts) > 0 {
			p.put(dim, between)
		}
		style := yellow
		if streak.NoProgress >= 3 {
			style = strong + red
		}
		p.prose(style, strings.Join(runs, between))
	}
	p.end()
}

// fields puts the known fields that the lines above have not said.
func (p *Printer) fields(e *normalize.Status) {
	for _, f := range e.Fields {
		switch f.Name {
		case "status", "task", "confidence", "exit_ready":
		case "files_modified_count":
			_, listed := e.Get("files_modified")
			if n, ok := f.Value.(int64); ok && !listed {
				p.field("modified", plain, emit.Plural(n, "file"))
			}
		default:
			p.typed(f)
		}
	}
}

// typed puts one known field in the way of its type.
func (p *Printer) typed(f normalize.StatusField) {
	label := labels[f.Name]
	if label == "" {
		label = f.Name
	}
	style := plain
	if f.Name == "blockers" {
		style = yellow
	}
	switch v := f.Value.(type) {
	case string:
		p.field(label, style, v)
	case int64:
		p.field(label, style, strconv.FormatInt(v, 10))
	case bool:
		p.field(label, style, strconv.FormatBool(v))
	case []string:
		p.list(label, style, v, ", ")
	}
}

// extra puts the fields that the protocol does not know.
func (p *Printer) extra(fields []normalize.ExtraField) {
	for i, f := range fields {
		if i == maxItems {
			p.field("", dim, p.more(len(fields)-i))
			return
		}
		p.field(f.Key, plain, f.Value)
	}
}

func (p *Printer) artifact(e *normalize.Artifact) {
	p.begin(&e.Position, true)
	color := blue
	if len(e.Violations) > 0 {
		color = red
	}
	p.kind(strong+color, "artifact")
	if e.Title != "" {
		p.prose(bold, clip(Safe(e.Title), maxText))
	} else {
		p.put(dim, "untitled")
	}
	p.notes(whence(&e.Position, ""))
	p.end()
	p.card(color)
	p.field("tool", dim, e.Tool)
	p.list("tags", plain, e.Tags, "  ")
	p.violations(e.Violations)
}

func (p *Printer) skipped(e *normalize.Skipped) {
	p.begin(&e.Position, false)
	p.kind(dim, "skipped")
	what := clip(Safe(e.Reason), maxLabel)
	if e.What != "tag" {
		what = clip(Safe(e.What), maxLabel) + " " + what
	}
	p.put(yellow, what)
	if why := normalize.Explain(e.Reason); why != e.Reason {
		p.prose(dim, ": "+why)
	}
	if e.Excerpt != "" {
		p.prose(plain, "  "+clip(Safe(e.Excerpt), maxText))
	}
	p.notes(whence(&e.Position, ""))
	p.end()
}

func (p *Printer) validation(e *emit.Validation) {
	p.begin(&e.Position, false)
	if len(e.Violations) == 0 {
		p.kind(strong+green, "valid")
		if len(e.Tags) == 0 {
			p.put(dim, "no tags")
		}
		p.items(plain, e.Tags, "  ")
		p.end()
		return
	}
	p.kind(strong+red, "invalid")
	p.put(plain, emit.Plural(int64(len(e.Violations)), "violation"))
	p.end()
	p.card(red)
	p.violations(e.Violations)
}

// card makes the lines that follow those of a card, with a bar of that style.
func (p *Printer) card(style string) {
	p.bar, p.barStyle = p.glyph("│", "|"), style
}

// lead begins a line of the card.
func (p *Printer) lead() {
	p.pad(p.left)
	p.put(p.barStyle, p.bar)
	p.pad(1)
	p.indent = p.left + 2
}

// field puts one field of the card, if it says something.
func (p *Printer) field(label, style, text string) {
	if text == "" {
		return
	}
	p.label(label)
	p.prose(style, paragraphs(text))
	p.end()
}

func (p *Printer) label(label string) {
	p.lead()
	p.put(dim, clip(Safe(label), maxLabel))
	p.indent += labelColumns + 1
	p.pad(max(p.indent-p.col, 1))
}

func (p *Printer) list(label, style string, items []string, between string) {
	if len(items) == 0 {
		return
	}
	p.label(label)
	p.items(style, items, between)
	p.end()
}

// items puts a list, as many to a line as fit and none of them broken.
func (p *Printer) items(style string, items []string, between string) {
	for i, item := range items {
		if i == maxItems {
			item = p.more(len(items) - i)
			style = dim
		} else {
			item = clip(Safe(item), maxText)
			if i < len(items)-1 {
				item += strings.TrimRight(between, " ")
			}
		}
		gap := 0
		if i > 0 {
			gap = len(between) - len(strings.TrimRight(between, " "))
		}
		if p.col > p.indent && p.col+gap+Width(item) > p.limit() {
			p.turn()
		} else {
			p.pad(gap)
		}
		p.prose(style, item)
		if i == maxItems {
			return
		}
	}
}

func (p *Printer) more(n int) string {
	return p.glyph("…", "...") + " and " + strconv.Itoa(n) + " more"
}

// violations puts what is wrong, one complaint a line.
func (p *Printer) violations(list []normalize.Violation) {
	for i := range list {
		v := &list[i]
		p.lead()
		if i == maxItems {
			p.put(dim, p.more(len(list)-i))
			p.end()
			return
		}
		p.put(strong+red, p.glyph("✗", "x"))
		p.pad(1)
		p.indent += 2
		if v.Field != "" {
			p.put(red, clip(Safe(v.Field), maxLabel))
			p.pad(1)
		}
		if v.Value != "" {
			p.prose(plain, `"`+clip(Safe(v.Value), maxQuote)+`"`)
			p.put(plain, ": ")
		}
		message := v.Message
		if message == "" {
			message = v.Reason
		}
		message = strings.TrimPrefix(message, v.Field+" ") // it was said already
		p.prose(plain, clip(Safe(message), maxText))
		if v.Suggestion != "" {
			p.prose(plain, "; did you mean ")
			p.prose(strong+green, clip(Safe(v.Suggestion), maxQuote)+"?")
		}
		p.end()
	}
}

// paragraphs is untrusted text of several lines made safe, the line ends kept
// and tabs as blanks.
func paragraphs(s string) string {
	lines := strings.Split(clip(s, maxText), "\n")
	for i, line := range lines {
		lines[i] = Safe(strings.ReplaceAll(line, "\t", " "))
	}
	return strings.Join(lines, "\n")
}

// clip is s, or its beginning when it is longer than n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}
