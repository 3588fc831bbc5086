package transcript

import (
	"bytes"

	"tagscan/parse/jsonrec"
)

// Claude Code: stream-json, json with and without --verbose, and session logs.
// Amp and Qwen write the same lines, Cursor nearly the same.

// claudeState is the text that an API error was shown with, by session: a result
// record repeats it.
type claudeState struct {
	apiErrors recent[uint64]
}

// isClaudePartial is a partial message. Each block comes again, whole, in an
// assistant line behind its deltas.
func isClaudePartial(r *record) bool {
	return string(r.typ) == "stream_event" && r.f[fEvent].IsObject()
}

// isClaudeLog is a line of a session log. Its envelope is in camel case.
func isClaudeLog(r *record) bool {
	switch {
	case !r.f[fType].IsString():
		return false
	case among(r.typ, "user", "assistant", "system", "summary", "progress", "file-history-snapshot", "queue-operation", "attachment", "custom-title", "last-prompt"):
		return r.has(fSessionId) || r.has(fParentUUID) || r.has(fSidechain) || r.has(fLeafUUID) ||
			string(r.typ) == "file-history-snapshot" && r.f[fSnapshot].IsObject()
	}
	// Expect more types: none of them is text.
	return r.has(fParentUUID) || r.has(fSidechain) || r.has(fLeafUUID) || r.has(fSessionId) && (r.has(fUUID) || r.seen)
}

// isClaudeStream is a line of stream-json.
func isClaudeStream(r *record) bool {
	switch {
	case !r.f[fType].IsString():
		return false
	case among(r.typ, "system", "user", "assistant", "result", "rate_limit_event", "tool_progress", "tool_use_summary", "auth_status",
		"prompt_suggestion", "conversation_reset", "active_goal", "keep_alive", "command_lifecycle", "transcript_mirror", "stream_event"):
		return r.has(fSessionID) || r.f[fMessage].IsObject()
	case hasPrefix(r.typ, "control_"):
		return r.has(fSessionID) || r.has(fRequest) || r.has(fRequestID) || r.has(fResponse)
	}
	// Expect more types: what they hold is not the agent's text.
	return r.has(fSessionID) && (r.has(fUUID) || r.seen)
}

func takeClaude(d *Decoder, r *record) {
	if d.isCursorSession(r) {
		takeCursor(d, r)
		return
	}
	if string(r.typ) == "user" && !d.want(User|Tool|System) || d.barren(r, string(r.typ) == "assistant") {
		return
	}
	r.id = r.f[fUUID]
	switch string(r.typ) {
	case "assistant":
		d.claudeAssistant(r)
	case "user":
		d.claudeUser(r, "claude")
	case "result":
		d.claudeResult(r, "claude")
	default:
		d.claudeSystem(r, "claude")
	}
}

// claudeOrigin is what the envelope says.
func claudeOrigin(r *record, format string, role Role) origin {
	o := origin{format: format, role: role, session: session(r), agent: r.f[fParentTool]}
	if r.f[fSidechain].IsTrue() {
		o.agentName = "sidechain"
	}
	return o
}

// session is the session's id, in the spelling of the stream or of the log.
func session(r *record) jsonrec.Value {
	if v := r.f[fSessionID]; v != nil {
		return v
	}
	return r.f[fSessionId]
}

// A message is what the message object of a record holds.
type message struct {
	id, role, model, content jsonrec.Value
}

func readMessage(v jsonrec.Value) (m message) {
	for w := v.Members(); w.Next(); {
		switch string(w.Key) {
		case "id":
			m.id = w.Value
		case "role":
			m.role = w.Value
		case "model":
			m.model = w.Value
		case "content":
			m.content = w.Value
		}
	}
	return m
}

// A block is one element of a message's content.
type block struct {
	typ, text, thinking, name, id, input, content jsonrec.Value
}

func readBlock(v jsonrec.Value) (b block) {
	for w := v.Members(); w.Next(); {
		switch string(w.Key) {
		case "type":
			b.typ = w.Value
		case "text":
			b.text = w.Value
		case "thinking":
			b.thinking = w.Value
		case "name":
			b.name = w.Value
		case "id":
			b.id = w.Value
		case "input":
			b.input = w.Value
		case "content":
			b.content = w.Value
		}
	}
	return b
}

func (d *Decoder) claudeAssistant(r *record) {
	m := readMessage(r.f[fMessage])
	o := claudeOrigin(r, "claude", Assistant)
	o.message, o.rows = m.id, true
	// What the client says for an API that failed is not the model's.
	if r.f[fAPIError].IsTrue() || m.model.Is("<synthetic>") {
		o.role = System
		d.rememberAPIError(r, m.content)
	}
	if d.want(o.role) {
		o.grown, o.chain = d.grown(r, m)
		defer d.endFirst()
	}
	if m.content.IsString() {
		d.rowText(o, r, m.content)
		return
	}
	for e := m.content.Elements(); e.Next(); {
		b := readBlock(e.Value)
		p := o
		switch typ := ident(b.typ); string(typ) {
		case "text":
			d.rowText(p, r, b.text)
		case "thinking":
			p.role, p.grown = Thinking, false
			d.whole(p, r, b.thinking)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			d.call(p, r, b.name, b.id, b.input)
		default: // results of the tools that the API runs itself
			if string(typ) == "tool_result" || bytes.HasSuffix(typ, []byte("_tool_result")) {
				if p.role, p.grown = Tool, false; d.want(Tool) {
					d.texts(p, r, b.content, 0)
				}
			}
		}
	}
}

// grown reports whether the text of the row, all its text blocks joined, begins
// with that of an earlier row of the same message, and of which, and remembers it. A row in
// which nothing can be is not looked at: nothing came of it that could come
// again.
func (d *Decoder) grown(r *record, m message) (grown bool, chain uint32) {
	if m.id.Empty() {
		return false, 0
	}
	found := d.candidate(m.content)
	for e := m.content.Elements(); !found && e.Next(); {
		b := readBlock(e.Value)
		found = b.typ.Is("text") && d.candidate(b.text)
	}
	if !found || !d.admit(r) {
		return false, 0
	}
	g := d.startRow(d.hash(m.id))
	if g.first = len(g.list) == 0; g.first {
		return false, g.chain // it is read as it is delivered
	}
	g.writeValue(m.content, d.buf)
	for e := m.content.Elements(); e.Next(); {
		if b := readBlock(e.Value); b.typ.Is("text") {
			g.writeValue(b.text, d.buf)
		}
	}
	d.endRow(g)
	return g.grown, g.chain
}

// rowText delivers a text of a row, and remembers it of a message's first.
func (d *Decoder) rowText(o origin, r *record, v jsonrec.Value) {
	g := &d.growth
	d.reading = g.first
	delivered := d.whole(o, r, v)
	d.reading = false
	if g.first && !delivered {
		g.writeValue(v, d.buf)
	}
}

// endFirst ends a message's first row.
func (d *Decoder) endFirst() {
	if g := &d.growth; g.first {
		g.first = false
		d.endRow(g)
	}
}

func (d *Decoder) claudeUser(r *record, format string) {
	o := claudeOrigin(r, format, User)
	if r.f[fMeta].IsTrue() || r.f[fSynthetic].IsTrue() || r.f[fCompactSummary].IsTrue() {
		o.role = System
	}
	m := readMessage(r.f[fMessage])
	o.message = m.id
	d.whole(o, r, m.content)
	tool := o
	tool.role = Tool
	for e := m.content.Elements(); e.Next(); {
		b := readBlock(e.Value)
		switch {
		case e.Value.IsString():
			d.whole(o, r, e.Value)
		case b.typ.Is("text"):
			d.whole(o, r, b.text)
		case b.typ.Is("tool_result") && d.want(Tool):
			d.texts(tool, r, b.content, 0)
		}
	}
	// The same result again, in the tool's own shape.
	if tool.echo = true; d.want(Tool) {
		d.leaves(tool, r, r.f[fToolResult], 0)
	}
}

// leaves delivers every string in v, which may nest as deep as eight.
func (d *Decoder) leaves(o origin, r *record, v jsonrec.Value, depth int) {
	switch {
	case v.IsString():
		d.whole(o, r, v)
	case depth == 8:
	case v.IsArray():
		for e := v.Elements(); e.Next(); {
			d.leaves(o, r, e.Value, depth+1)
		}
	case v.IsObject():
		for m := v.Members(); m.Next(); {
			d.leaves(o, r, m.Value, depth+1)
		}
	}
}

// claudeResult is the final record: what it holds the session's messages have
// said, or else it is new.
func (d *Decoder) claudeResult(r *record, format string) {
	o := claudeOrigin(r, format, Assistant)
	o.echo = true
	if sum, ok := d.claude.apiErrors.get(d.hash(session(r))); ok && sum == d.hash(r.f[fResult]) {
		o.role = System
	}
	d.whole(o, r, r.f[fResult])
	o.role = System
	d.texts(o, r, r.f[fErrors], 0)
	d.texts(o, r, r.f[fError], 0)
}

func (d *Decoder) rememberAPIError(r *record, content jsonrec.Value) {
	if e := content.Elements(); e.Next() {
		content = readBlock(e.Value).text
	}
	if d.candidate(content) && r.ok() {
		d.claude.apiErrors.put(d.hash(session(r)), d.hash(content))
	}
}

// claudeSystem is every other type. Their prose is not the agent's, whatever
// they are: it is not looked for below the top level, where a progress record
// embeds a sub-agent's whole message.
func (d *Decoder) claudeSystem(r *record, format string) {
	if !d.want(System | User) {
		return
	}
	o := claudeOrigin(r, format, System)
	if string(r.typ) == "queue-operation" {
		o.role = User
	}
	for _, f := range [...]field{fContent, fPrompt, fSummary, fOutput, fText, fDescription, fMessage} {
		d.whole(o, r, r.f[f])
	}
}
