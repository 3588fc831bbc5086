package transcript

import (
	"bytes"

	"tagscan/parse/jsonrec"
)

// GitHub Copilot CLI: --output-format json, and session logs of the same lines.

type copilotState struct {
	session string // of session.start
}

func isCopilot(r *record) bool {
	return r.f[fData].IsObject() && dotted(r.typ, "assistant", "user", "tool", "session", "hook", "subagent", "permission", "system", "abort", "skill") ||
		string(r.typ) == "result" && r.has(fSessionId) && r.has(fExitCode) ||
		// Expect more types, where a transcript has begun: external_tool and command are.
		r.seen && r.f[fData].IsObject() && r.has(fID) && r.f[fTimestamp].IsString() && bytes.IndexByte(r.typ, '.') > 0
}

func takeCopilot(d *Decoder, r *record) {
	r.id = r.f[fID]
	switch string(r.typ) {
	case "assistant.message", "assistant.reasoning", "user.message", "system.message", "tool.execution_start", "tool.execution_complete",
		"session.start", "session.resume", "session.error":
	default: // deltas among them: what they say comes whole
		return
	}
	var content, message, phase, parent, id, requests, name, tool, arguments, result, reasoning, session jsonrec.Value
	for m := r.f[fData].Members(); m.Next(); {
		switch string(m.Key) {
		case "content":
			content = m.Value
		case "messageId":
			message = m.Value
		case "phase":
			phase = m.Value
		case "parentToolCallId":
			parent = m.Value
		case "toolCallId":
			id = m.Value
		case "toolRequests":
			requests = m.Value
		case "toolName":
			name = m.Value
		case "mcpToolName":
			tool = m.Value
		case "arguments":
			arguments = m.Value
		case "result":
			result = m.Value
		case "reasoningText":
			reasoning = m.Value
		case "sessionId":
			session = m.Value
		case "message":
			if string(r.typ) == "session.error" {
				content = m.Value
			}
		}
	}
	o := origin{format: "copilot", role: Assistant, sessionName: d.copilot.session, message: message, rows: true, agent: r.f[fAgentID]}
	if o.agent.Empty() { // older versions
		o.agent = parent
	}
	switch string(r.typ) {
	case "session.start", "session.resume":
		if session.IsString() && r.ok() {
			d.copilot.session = string(ident(session))
		}
	case "assistant.message":
		if phase.Is("thinking") {
			o.role = Thinking
		}
		// The same row may come again under another id, and grown.
		if !message.Empty() && d.want(o.role) && d.candidate(content) && d.admit(r) {
			g := d.startRow(d.hash(message))
			g.writeValue(content, d.buf)
			d.endRow(g)
			o.grown, o.chain = g.grown, g.chain
		}
		d.whole(o, r, content)
		o.grown = false
		for e := requests.Elements(); e.Next(); {
			d.call(o, r, e.Value.Get("name"), e.Value.Get("toolCallId"), e.Value.Get("arguments"))
		}
		o.role = Thinking
		d.whole(o, r, reasoning)
	case "assistant.reasoning":
		o.role = Thinking
		d.whole(o, r, content)
	case "user.message":
		o.role = User
		d.whole(o, r, content)
	case "system.message", "session.error":
		o.role = System
		d.whole(o, r, content)
	case "tool.execution_start":
		if tool.IsString() {
			name = tool
		}
		d.call(o, r, name, id, arguments)
	case "tool.execution_complete":
		if o.role = Tool; d.want(Tool) {
			d.texts(o, r, result, 0)
		}
	}
}
