package transcript

import (
	"bytes"
	"hash/maphash"

	"tagscan/parse/jsonrec"
)

// Cursor: stream-json. Its lines are those of Claude, but for what it repeats.

// cursorState is the assistant's text of the session that is being read. With
// partial messages a segment comes as deltas and then whole, and one line cannot
// tell a delta from a segment: deltas are held until it is clear.
type cursorState struct {
	sessions recent[struct{}] // those of Cursor
	session  uint64
	groups   []cursorGroup // held, oldest first; a tool call begins a new one
	split    bool
	size     int
	partial  bool         // the session has had deltas
	given    maphash.Hash // of the segments that were given since the user's turn
	n        int
}

type cursorGroup struct {
	part Part
	text []byte
}

func isCursor(r *record) bool {
	switch string(r.typ) {
	case "thinking", "tool_call":
		return r.has(fSessionID)
	case "assistant":
		return r.has(fTimestampMs) || r.has(fModelCallID)
	}
	return false
}

// isCursorSession reports whether a line that could be Claude's is Cursor's.
func (d *Decoder) isCursorSession(r *record) bool {
	switch d.o.From {
	case "cursor":
		return true
	case "claude":
		return false
	}
	if d.cursor.sessions.len() == 0 {
		return false
	}
	_, ok := d.cursor.sessions.get(d.hash(r.f[fSessionID]))
	return ok
}

func takeCursor(d *Decoder, r *record) {
	if d.o.From == "claude" {
		if string(r.typ) == "assistant" {
			takeClaude(d, r)
		}
		return
	}
	c := &d.cursor
	session := d.hash(r.f[fSessionID])
	if isCursor(r) {
		if _, ok := c.sessions.get(session); !ok && r.ok() {
			c.sessions.add(session)
		}
	}
	o := claudeOrigin(r, "cursor", Assistant)
	if string(r.typ) != "thinking" {
		d.leaveStream(r, "cursor")
	}
	switch string(r.typ) {
	case "assistant":
		d.cursorAssistant(r, o, session)
	case "thinking":
		if o.role = Thinking; r.f[fSubtype].Is("delta") {
			d.chunk(o, r, r.f[fText], session)
		} else {
			d.leaveStream(r, "cursor")
			d.whole(o, r, r.f[fText])
		}
	case "tool_call":
		if len(c.groups) > 0 && r.ok() {
			c.split = true
		}
		d.cursorCall(r, o)
	case "user":
		if r.ok() {
			d.flushCursor()
			c.n = 0
			d.claudeUser(r, "cursor")
		}
	case "result":
		if r.ok() {
			d.flushCursor()
			// It is all segments put together without anything between them,
			// which can make new lines: the last of one and the first of the next.
			if c.session != session || c.n == 0 || d.hash(r.f[fResult]) != c.given.Sum64() {
				d.claudeResult(r, "cursor")
			}
			c.n = 0
		}
	default:
		d.claudeSystem(r, "cursor")
	}
}

// cursorAssistant takes a line of the assistant: (a) a delta, or a segment of a
// build that marks it the same way; (b) a segment before a tool call; (c) the
// last segment, or all of them again.
func (d *Decoder) cursorAssistant(r *record, o origin, session uint64) {
	c := &d.cursor
	if !d.want(Assistant) || !r.ok() {
		return
	}
	if session != c.session {
		d.flushCursor()
		c.session, c.n, c.partial = session, 0, false
	}
	m := readMessage(r.f[fMessage])
	o.message = m.id
	if len(m.content) > d.maxHeld() {
		// Too long to be held and compared: it is a segment.
		if d.admit(r) {
			d.flushCursor()
			c.n = 0
			for e := m.content.Elements(); e.Next(); {
				if b := readBlock(e.Value); b.typ.Is("text") {
					d.whole(o, r, b.text)
				}
			}
		}
		return
	}
	text := jsonrec.Append(nil, m.content)
	for e := m.content.Elements(); e.Next(); {
		if b := readBlock(e.Value); b.typ.Is("text") {
			text = jsonrec.Append(text, b.text)
		}
	}
	if len(text) == 0 || !d.admit(r) {
		return
	}
	p := d.partOf(r, &o)
	if r.has(fTimestampMs) && !r.has(fModelCallID) { // (a)
		c.partial = true
		if c.size += len(text) + heldCost; c.size > d.maxHeld() {
			d.flushCursor()
			c.size = len(text) + heldCost
		}
		if len(c.groups) == 0 || c.split {
			c.groups, c.split = append(c.groups, cursorGroup{part: p}), false
		}
		g := &c.groups[len(c.groups)-1]
		g.text = append(g.text, text...)
		return
	}
	rest, all := c.cutGiven(d, text)
	switch {
	case c.held(text): // the segment that the deltas made
	case all && c.held(rest): // all segments, with the one that the deltas made
		text = rest
	default:
		d.flushCursor()
		// Without partial messages every line is a segment, the same or not.
		if rest, all = c.cutGiven(d, text); all && !r.has(fModelCallID) && (c.partial || len(rest) > 0) {
			text = rest
		}
	}
	c.groups, c.size = nil, 0
	d.giveCursor(p, text)
}

// held reports whether text is what is held, all of it.
func (c *cursorState) held(text []byte) bool {
	for _, g := range c.groups {
		if !bytes.HasPrefix(text, g.text) {
			return false
		}
		text = text[len(g.text):]
	}
	return len(text) == 0 && len(c.groups) > 0
}

// cutGiven is what text has behind all that was given, if it begins with that.
func (c *cursorState) cutGiven(d *Decoder, text []byte) ([]byte, bool) {
	if c.n == 0 || len(text) < c.n || maphash.Bytes(d.seed, text[:c.n]) != c.given.Sum64() {
		return nil, false
	}
	return text[c.n:], true
}

// giveCursor delivers a segment.
func (d *Decoder) giveCursor(p Part, text []byte) {
	c := &d.cursor
	if c.n == 0 {
		c.given.SetSeed(d.seed)
		c.given.Reset()
	}
	c.given.Write(text)
	c.n += len(text)
	d.held(p, text)
}

// flushCursor delivers what is held: nothing came that repeats it.
func (d *Decoder) flushCursor() {
	c := &d.cursor
	for _, g := range c.groups {
		d.giveCursor(g.part, g.text)
	}
	c.groups, c.split, c.size = nil, false, 0
}

// cursorCall takes a tool call. What is called stands in the key, for a tool of
// an MCP server in the arguments.
func (d *Decoder) cursorCall(r *record, o origin) {
	for m := r.f[fToolCall].Members(); m.Next(); {
		name := jsonrec.Value(`"` + string(bytes.TrimSuffix(m.Key, []byte("ToolCall"))) + `"`)
		args := m.Value.Get("args")
		input := args
		if n := args.Get("toolName"); n.IsString() {
			name = n
		} else if n := args.Get("name"); n.IsString() {
			name = n
		}
		if inner := args.Get("args"); inner.IsObject() {
			input = inner
		}
		d.call(o, r, name, r.f[fCallID], input)
		if o.role = Tool; d.want(Tool) {
			d.leaves(o, r, m.Value.Get("result"), 0)
		}
	}
}
