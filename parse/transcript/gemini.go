package transcript

import "tagscan/parse/jsonrec"

// Gemini CLI: stream-json, json, and session files.

type geminiState struct {
	session string // of init, or of a session file's first line
}

func isGeminiStream(r *record) bool {
	switch string(r.typ) {
	case "message":
		return r.f[fContent].IsString() && r.f[fRole].IsString()
	case "init":
		return r.f[fTimestamp].IsString() && r.has(fSessionID) && r.has(fModel)
	case "tool_use", "tool_result", "error", "result":
		return r.f[fTimestamp].IsString() && (r.has(fSessionID) && r.has(fModel) || r.has(fToolName) || r.has(fToolID) || r.has(fSeverity) || r.has(fStatus))
	}
	return false
}

// takeGeminiStream joins the chunks of a message. It has no end mark: it ends
// where anything else comes.
func takeGeminiStream(d *Decoder, r *record) {
	o := origin{format: "gemini", role: Assistant, sessionName: d.gemini.session}
	if string(r.typ) == "message" && r.f[fRole].Is("assistant") {
		d.chunk(o, r, r.f[fContent], 0)
		return
	}
	d.leaveStream(r, "gemini")
	switch string(r.typ) {
	case "init":
		if r.ok() {
			d.gemini.session = string(ident(r.f[fSessionID]))
		}
	case "message":
		if o.role = User; !r.f[fRole].Is("user") {
			o.role = System
		}
		d.whole(o, r, r.f[fContent])
	case "tool_use":
		d.call(o, r, r.f[fToolName], r.f[fToolID], r.f[fParameters])
	case "tool_result":
		if o.role = Tool; d.want(Tool) {
			d.texts(o, r, r.f[fOutput], 0)
			d.whole(o, r, r.f[fError].Get("message"))
		}
	case "error":
		o.role = System
		d.whole(o, r, r.f[fMessage])
	}
}

// isGeminiJSON is what --output-format json prints. A run that failed may have no
// more than its session and the error.
func isGeminiJSON(r *record) bool {
	if r.has(fType) {
		return false
	}
	if r.f[fSessionID].IsString() && r.f[fError].Get("message").IsString() {
		return true
	}
	return r.f[fResponse].IsString() || r.f[fStats].IsObject() && (r.has(fResponse) || r.has(fError) || r.has(fSessionID))
}

func takeGeminiJSON(d *Decoder, r *record) {
	d.leaveStream(r, "gemini")
	o := origin{format: "gemini", role: Assistant, session: r.f[fSessionID]}
	d.whole(o, r, r.f[fResponse])
	o.role = System
	d.whole(o, r, r.f[fError].Get("message"))
}

// isGeminiSession is a session file: one object, or in newer versions a line of
// its own for each message.
func isGeminiSession(r *record) bool {
	switch {
	case !r.has(fType):
		return r.f[fProjectHash].IsString() && r.f[fSessionId].IsString() || r.f[fSet].IsObject()
	case among(r.typ, "gemini", "user", "info", "error", "warning"):
		return r.f[fID].IsString() && r.f[fTimestamp].IsString() && r.has(fContent) && !r.has(fMessage)
	}
	return false
}

func takeGeminiSession(d *Decoder, r *record) {
	d.leaveStream(r, "gemini")
	if r.has(fType) {
		d.geminiMessage(r, r.raw)
		return
	}
	if id := r.f[fSessionId]; id.IsString() && r.ok() {
		d.gemini.session = string(ident(id))
	}
	for e := r.f[fMessages].Elements(); e.Next(); {
		d.geminiMessage(r, e.Value)
	}
}

// geminiMessage takes one message of a session file. A message that is written
// again has grown.
func (d *Decoder) geminiMessage(r *record, v jsonrec.Value) {
	var typ, id, content, calls, thoughts jsonrec.Value
	for m := v.Members(); m.Next(); {
		switch string(m.Key) {
		case "type":
			typ = m.Value
		case "id":
			id = m.Value
		case "content":
			content = m.Value
		case "toolCalls":
			calls = m.Value
		case "thoughts":
			thoughts = m.Value
		}
	}
	o := origin{format: "gemini", role: System, sessionName: d.gemini.session, message: id, rows: true}
	switch string(ident(typ)) {
	case "gemini":
		o.role = Assistant
	case "user":
		o.role = User
	}
	if o.role == Assistant && d.want(o.role) && !id.Empty() && r.ok() {
		g := d.startRow(d.hash(id))
		if content.IsString() {
			g.writeValue(content, d.buf)
		}
		for e := content.Elements(); e.Next(); {
			g.writeValue(e.Value.Get("text"), d.buf)
		}
		d.endRow(g)
		o.grown, o.chain = g.grown, g.chain
	}
	d.texts(o, r, content, 0)
	for e := calls.Elements(); o.role == Assistant && e.Next(); {
		d.call(o, r, e.Value.Get("name"), e.Value.Get("id"), e.Value.Get("args"))
	}
	if thoughts == nil && calls == nil || !d.want(Thinking|Tool) || d.o.Candidate != nil && !d.o.Candidate(v) || !r.ok() {
		return
	}
	o.grown = !id.Empty() && !d.messages.add(d.hash(id))
	o.role = Thinking
	d.leaves(o, r, thoughts, 0)
	o.role = Tool
	for e := calls.Elements(); e.Next(); {
		d.leaves(o, r, e.Value.Get("result"), 0)
	}
	// The same results again, as they were shown.
	o.echo = true
	for e := calls.Elements(); e.Next(); {
		d.leaves(o, r, e.Value.Get("resultDisplay"), 0)
	}
}
