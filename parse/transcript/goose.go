package transcript

import "tagscan/parse/jsonrec"

// Goose: run --output-format stream-json and json.

func isGooseStream(r *record) bool {
	switch string(r.typ) {
	case "message":
		return r.f[fMessage].IsObject()
	case "notification":
		return r.has(fExtensionID)
	case "complete":
		return r.has(fTotalTokens)
	case "model_change":
		return r.has(fModel)
	case "error": // of several formats, and of none is it a text of the assistant
		return r.seen && r.f[fError].IsString() && !r.has(fSessionID) && !r.has(fSessionCaps)
	}
	return false
}

// takeGooseStream joins the chunks of a message, which have the same id or none,
// and no end mark.
func takeGooseStream(d *Decoder, r *record) {
	switch string(r.typ) {
	case "message":
		d.gooseMessage(r, r.f[fMessage], true)
	case "complete":
		d.leaveStream(r, "goose")
	case "error":
		d.leaveStream(r, "goose")
		d.whole(origin{format: "goose", role: System}, r, r.f[fError])
	}
}

func isGooseJSON(r *record) bool {
	return !r.has(fType) && r.f[fMessages].IsArray() && r.has(fMetadata)
}

// takeGooseJSON takes a session, which is written again from its beginning when it
// is resumed.
func takeGooseJSON(d *Decoder, r *record) {
	d.leaveStream(r, "goose")
	for e := r.f[fMessages].Elements(); e.Next(); {
		d.gooseMessage(r, e.Value, false)
	}
}

func (d *Decoder) gooseMessage(r *record, v jsonrec.Value, chunks bool) {
	m := readMessage(v)
	o := origin{format: "goose", role: User, message: m.id}
	if m.role.Is("assistant") {
		o.role = Assistant
	}
	if !chunks && !m.id.Empty() && r.ok() {
		o.rows, o.grown = true, !d.messages.add(d.hash(m.id))
	}
	for e := m.content.Elements(); e.Next(); {
		p := o
		var typ, text, thinking, id, call, result, msg jsonrec.Value
		for w := e.Value.Members(); w.Next(); {
			switch string(w.Key) {
			case "type":
				typ = w.Value
			case "text":
				text = w.Value
			case "thinking":
				thinking = w.Value
			case "id":
				id = w.Value
			case "toolCall":
				call = w.Value
			case "toolResult":
				result = w.Value
			case "msg":
				msg = w.Value
			}
		}
		if thought := typ.Is("thinking"); chunks && o.role == Assistant && (thought || typ.Is("text")) {
			if thought {
				p.role, text = Thinking, thinking
			}
			if d.stream.role != p.role {
				d.leaveStream(r, "goose") // also for one that is not wanted
			}
			var key uint64
			if !m.id.Empty() {
				key = d.hash(m.id)
			}
			d.chunk(p, r, text, key)
			continue
		}
		d.leaveStream(r, "goose")
		switch string(ident(typ)) {
		case "text":
			d.whole(p, r, text)
		case "thinking":
			p.role = Thinking
			d.whole(p, r, thinking)
		case "toolRequest":
			if value := call.Get("value"); value.IsObject() {
				call = value
			}
			if p.role == Assistant {
				d.call(p, r, call.Get("name"), id, call.Get("arguments"))
			}
		case "toolResponse":
			if p.role = Tool; d.want(Tool) {
				d.texts(p, r, result, 0)
			}
		case "systemNotification":
			p.role = System
			d.whole(p, r, msg)
		}
	}
}
