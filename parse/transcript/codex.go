package transcript

import (
	"slices"

	"tagscan/parse/jsonrec"
)

// Codex: what exec --json prints, and the rollout files it keeps.

type codexState struct {
	session string // of thread.started or session_meta
	agent   string // set in a rollout of a sub-agent
	// parents are the sessions that a rollout's beginning names as where its
	// history comes from, while nothing but such beginnings has come.
	parents []string
	run     uint64 // counts thread.started: item ids begin again in each process

	// Of a rollout. Every message is written several times, by sources of its
	// own: a text counts as often as the source that has it most often.
	given map[codexText]int // in the turn
	had   map[codexSource]int
	held  []codexHeld
	plans []codexHeld // the message that holds one too may come behind it
	size  int         // bytes held
	// user is set while the newest message is the user's.
	user bool
}

type codexText struct {
	role Role
	sum  uint64
}

type codexSource struct {
	text   codexText
	source uint8
}

const (
	codexItem      uint8 = iota // response_item
	codexEvent                  // event_msg agent_message, agent_reasoning
	codexCompleted              // event_msg item_completed
)

type codexHeld struct {
	part   Part
	text   []byte
	source codexSource
	n      int // which of this text from this source it is, from 1
}

func isCodexExec(r *record) bool {
	return among(r.typ, "thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.updated", "item.completed", "item.plan.delta") ||
		// Expect more types, where a transcript has begun.
		r.seen && dotted(r.typ, "thread", "turn", "item") && !r.has(fProperties) && !r.has(fData)
}

func takeCodexExec(d *Decoder, r *record) {
	c := &d.codex
	switch string(r.typ) {
	case "thread.started":
		if r.ok() {
			c.session, c.agent = string(ident(r.f[fThreadID])), ""
			c.run++
		}
		return
	case "turn.failed":
		d.whole(origin{format: "codex", role: System, sessionName: c.session}, r, r.f[fError].Get("message"))
		return
	case "item.started", "item.updated", "item.completed":
	default:
		return
	}
	item := r.f[fItem]
	var typ, id, text, message, tool, arguments, output, failure, agents jsonrec.Value
	for m := item.Members(); m.Next(); {
		switch string(m.Key) {
		case "type":
			typ = m.Value
		case "id":
			id = m.Value
		case "text":
			text = m.Value
		case "message":
			message = m.Value
		case "tool":
			tool = m.Value
		case "arguments":
			arguments = m.Value
		case "aggregated_output", "result":
			output = m.Value
		case "error":
			failure = m.Value
		case "agents_states":
			agents = m.Value
		}
	}
	o := origin{format: "codex", role: Assistant, sessionName: c.session, message: id}
	if typ.Is("mcp_tool_call") {
		d.call(o, r, tool, d.codexCall(id), arguments)
	}
	// Of a message there is only item.completed; of a tool it is the last.
	if string(r.typ) != "item.completed" {
		return
	}
	switch string(ident(typ)) {
	case "agent_message", "plan":
		d.whole(o, r, text)
	case "reasoning":
		o.role = Thinking
		d.whole(o, r, text)
	case "error":
		o.role = System
		d.whole(o, r, message)
	case "command_execution", "mcp_tool_call":
		if o.role = Tool; d.want(Tool) {
			d.texts(o, r, output, 0)
			d.whole(o, r, failure.Get("message"))
		}
	case "collab_tool_call":
		if o.role = Tool; d.want(Tool) {
			for m := agents.Members(); m.Next(); {
				d.whole(o, r, m.Value.Get("message"))
			}
		}
	}
}

// codexCall is the id of a call, made unique by the process it is of.
func (d *Decoder) codexCall(id jsonrec.Value) jsonrec.Value {
	if id.Empty() {
		return nil
	}
	b := append([]byte{'"'}, ident(id)...)
	for n := d.codex.run; n > 0; n >>= 4 {
		b = append(b, "0123456789abcdef"[n&15])
	}
	return append(b, '"')
}

func isCodexRollout(r *record) bool {
	return r.f[fPayload].IsObject() && r.has(fTimestamp) && (among(r.typ, "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state") ||
		hasPrefix(r.typ, "inter_agent_communication") ||
		r.seen && len(r.typ) > 0) // expect more types, where a transcript has begun
}

// A codexPayload is what the payload of a rollout's record holds.
type codexPayload struct {
	typ, role, content, id, text, message, name, arguments, call, output, summary, item jsonrec.Value
}

func readCodexPayload(v jsonrec.Value) (p codexPayload) {
	for m := v.Members(); m.Next(); {
		switch string(m.Key) {
		case "type":
			p.typ = m.Value
		case "role":
			p.role = m.Value
		case "content":
			p.content = m.Value
		case "id":
			p.id = m.Value
		case "text":
			p.text = m.Value
		case "message":
			p.message = m.Value
		case "name":
			p.name = m.Value
		case "arguments", "input":
			p.arguments = m.Value
		case "call_id":
			p.call = m.Value
		case "output":
			p.output = m.Value
		case "summary":
			p.summary = m.Value
		case "item":
			p.item = m.Value
		}
	}
	return p
}

func takeCodexRollout(d *Decoder, r *record) {
	v := r.f[fPayload]
	p := readCodexPayload(v)
	if len(d.codex.parents) > 0 && string(r.typ) != "session_meta" && r.ok() {
		d.codex.parents = nil
	}
	o := origin{format: "codex", role: System, sessionName: d.codex.session, message: p.id, agentName: d.codex.agent}
	switch string(r.typ) {
	case "session_meta":
		d.codexSession(r, o, p)
	case "turn_context":
		d.texts(o, r, v.Get("user_instructions"), 0)
		d.texts(o, r, v.Get("developer_instructions"), 0)
	case "compacted":
		// Written by the model, but for itself.
		d.whole(o, r, p.message)
	case "response_item":
		d.codexResponseItem(r, o, p)
	case "event_msg":
		d.codexEventMsg(r, o, p)
	}
}

// codexSession begins a session, and takes the instructions that it begins with.
// A fork, and a sub-agent that knows what its parent knows, has the parent's
// history behind its own beginning, with the parent's: that begins no session.
func (d *Decoder) codexSession(r *record, o origin, p codexPayload) {
	if !r.ok() {
		return
	}
	v, c := r.f[fPayload], &d.codex
	id, source := string(ident(p.id)), v.Get("source")
	if !slices.Contains(c.parents, id) {
		d.flushCodex(true)
		c.session, c.agent, c.parents = id, codexParent(source), nil
	}
	if len(c.parents) < maxCodexParents {
		for _, parent := range [...]jsonrec.Value{v.Get("forked_from_id"), codexSpawner(source)} {
			if !parent.Empty() {
				c.parents = append(c.parents, string(ident(parent)))
			}
		}
	}
	o.sessionName, o.message, o.agentName = c.session, nil, c.agent
	d.texts(o, r, v.Get("base_instructions"), 0)
	d.texts(o, r, v.Get("instructions"), 0)
}

// codexResponseItem takes what the model was told, and what it said and called.
func (d *Decoder) codexResponseItem(r *record, o origin, p codexPayload) {
	switch string(ident(p.typ)) {
	case "message", "": // a payload may lack its type
		if o.role = codexRole(p.role); o.role != 0 {
			d.codexMessage(r, o, p.content, codexItem)
		}
	case "reasoning":
		o.role = Thinking
		d.codexMessage(r, o, p.summary, codexItem)
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "web_search_call", "mcp_tool_call":
		o.message = nil
		d.call(o, r, p.name, p.call, p.arguments)
	case "function_call_output", "custom_tool_call_output", "mcp_tool_call_output":
		if o.role, o.message = Tool, nil; d.want(Tool) {
			d.texts(o, r, d.codexOutput(p.output), 0)
		}
	}
}

// codexRole is whose a message is; 0 for a role that is not known.
func codexRole(role jsonrec.Value) Role {
	switch string(ident(role)) {
	case "assistant":
		return Assistant
	case "user":
		return User
	case "developer", "system":
		return System
	}
	return 0
}

// codexEventMsg takes an event, most of which repeat a response item.
func (d *Decoder) codexEventMsg(r *record, o origin, p codexPayload) {
	o.message = nil
	switch string(ident(p.typ)) {
	case "agent_message":
		o.role = Assistant
		d.codexMessage(r, o, p.message, codexEvent)
	case "user_message":
		o.role = User
		d.codexMessage(r, o, p.message, codexEvent)
	case "agent_reasoning":
		o.role = Thinking
		d.codexMessage(r, o, p.text, codexEvent)
	case "item_completed":
		d.codexItemCompleted(r, o, p.item)
	case "turn_complete", "task_complete", "turn_aborted":
		// last_agent_message is one more copy.
		if r.ok() {
			d.flushCodex(true)
		}
	case "error":
		d.whole(o, r, p.message)
	}
}

func (d *Decoder) codexItemCompleted(r *record, o origin, item jsonrec.Value) {
	body := item.Get("content")
	if body == nil {
		body = item.Get("text")
	}
	switch string(ident(item.Get("type"))) {
	case "AgentMessage":
		o.role = Assistant
	case "UserMessage":
		o.role = User
	case "Reasoning":
		o.role = Thinking
		body = item.Get("summary_text")
	case "Plan":
		o.role, o.echo = Assistant, true
		d.codexPlan(r, o, body)
		return
	default:
		return
	}
	d.codexMessage(r, o, body, codexCompleted)
}

// isCodexBare is a line of a very old rollout: a response item without anything
// around it, behind a line with the session.
func isCodexBare(r *record) bool {
	switch string(r.typ) {
	case "":
		return !r.has(fType) && r.f[fID].IsString() && r.f[fTimestamp].IsString() && r.raw.Get("instructions") != nil
	case "message":
		e := r.f[fContent].Elements()
		return r.f[fRole].IsString() && e.Next() && among(ident(e.Value.Get("type")), "input_text", "output_text")
	case "function_call", "function_call_output", "local_shell_call":
		return r.f[fCallID].IsString()
	case "reasoning":
		return r.f[fSummary].IsArray()
	}
	return false
}

func takeCodexBare(d *Decoder, r *record) {
	item := "response_item"
	if !r.has(fType) {
		item = "session_meta"
	}
	r.f[fPayload], r.typ = r.raw, []byte(item)
	takeCodexRollout(d, r)
}

// codexOutput is the output of a call, which older versions put, with other
// things, into an object in a string. What only begins so is output as any.
func (d *Decoder) codexOutput(v jsonrec.Value) jsonrec.Value {
	if len(v) < 2 || v[1] != '{' || len(v) > d.maxHeld() {
		return v
	}
	object := jsonrec.Trim(v.Bytes())
	if in := object.Get("output"); in.IsString() && jsonrec.Valid(object) {
		return in
	}
	return v
}

// maxCodexParents bounds the parents that are remembered: forks of forks are few.
const maxCodexParents = 64

// codexParent is the parent of a sub-agent's session, of which only the newer
// versions name the thread.
func codexParent(source jsonrec.Value) string {
	if source.Get("subagent").Empty() {
		return ""
	}
	if id := codexSpawner(source); id != nil {
		return string(ident(id))
	}
	return "sidechain"
}

// codexSpawner is the thread that began a sub-agent's, if it is named.
func codexSpawner(source jsonrec.Value) jsonrec.Value {
	for m := source.Get("subagent").Members(); m.Next(); {
		if id := m.Value.Get("parent_thread_id"); id.IsString() {
			return id
		}
	}
	return nil
}

// codexMessage takes a message from one of the sources. Of each text as many
// come out, in a turn, as the source that has most of it has. What the response
// items say comes at once, what the events say when it is clear that no response
// item says it.
func (d *Decoder) codexMessage(r *record, o origin, body jsonrec.Value, source uint8) {
	c := &d.codex
	if !r.ok() {
		return
	}
	switch {
	case o.role == User && !c.user:
		d.flushCodex(false)
		c.given, c.had, c.user = nil, nil, true
	case o.role == Assistant || o.role == Thinking:
		if c.user {
			d.flushCodex(true)
			c.user = false
		}
		if o.role == Assistant && source == codexItem {
			defer d.flushCodex(false)
		}
	}
	if body.IsString() {
		d.codexText(r, o, body, source)
		return
	}
	for e := body.Elements(); e.Next(); {
		if e.Value.IsString() {
			d.codexText(r, o, e.Value, source)
		} else {
			d.codexText(r, o, e.Value.Get("text"), source)
		}
	}
}

// codexPlan takes a plan. The message that proposes it holds it too, and comes
// before it or behind it: what the plan says alone is given when that is clear.
func (d *Decoder) codexPlan(r *record, o origin, v jsonrec.Value) {
	c := &d.codex
	if !d.want(o.role) || !d.candidate(v) || !d.admit(r) {
		return
	}
	if c.user {
		d.flushCodex(true)
		c.user = false
	}
	if len(v) > d.maxHeld() {
		d.whole(o, r, v)
		return
	}
	text := jsonrec.Append(nil, v)
	if c.size += len(text) + heldCost; c.size > d.maxHeld() {
		d.flushCodex(false)
		c.size = len(text) + heldCost
	}
	c.plans = append(c.plans, codexHeld{part: d.partOf(r, &o), text: text})
}

func (d *Decoder) codexText(r *record, o origin, v jsonrec.Value, source uint8) {
	c := &d.codex
	if !d.want(o.role) || !d.candidate(v) || !d.admit(r) {
		return
	}
	key := codexSource{codexText{o.role, d.hash(v)}, source}
	if c.had == nil || len(c.had) >= remember {
		c.had, c.given = make(map[codexSource]int), make(map[codexText]int)
	}
	c.had[key]++
	// What is very long is not held: it comes at once, and its copy then not.
	if source != codexItem && len(v) <= d.maxHeld() {
		text := jsonrec.Append(nil, v)
		if c.size += len(text) + heldCost; c.size > d.maxHeld() {
			d.flushCodex(false)
			c.size = len(text) + heldCost
		}
		c.held = append(c.held, codexHeld{d.partOf(r, &o), text, key, c.had[key]})
		return
	}
	// The events that came before this and say something else come first.
	for o.role == Assistant && len(c.held) > 0 && c.held[0].source.text != key.text {
		d.giveCodex(c.held[0])
		c.held = c.held[1:]
	}
	copied := source == codexItem && d.codexCopied(o.message, v)
	if c.had[key] > c.given[key.text] {
		c.given[key.text]++
		if !copied {
			d.whole(o, r, v)
		}
	}
}

// codexCopied reports whether the message with that id has said v before: resumed
// and forked sessions copy what was said.
func (d *Decoder) codexCopied(id, v jsonrec.Value) bool {
	if id.Empty() {
		return false
	}
	g := d.startRow(d.hash(id))
	g.writeValue(v, d.buf)
	d.endRow(g)
	return g.same
}

// giveCodex delivers what was held unless it has come from elsewhere.
func (d *Decoder) giveCodex(h codexHeld) {
	c := &d.codex
	c.size -= len(h.text) + heldCost
	if h.n > c.given[h.source.text] {
		c.given[h.source.text]++
		d.held(h.part, h.text)
	}
}

// flushCodex settles what is held. end also begins a new turn.
func (d *Decoder) flushCodex(end bool) {
	c := &d.codex
	for _, h := range c.held {
		d.giveCodex(h)
	}
	for _, p := range c.plans {
		d.held(p.part, p.text)
	}
	c.held, c.plans, c.size = nil, nil, 0
	if end {
		c.given, c.had = nil, nil
	}
}

// isBareError is an error without anything that names its format. It is Codex's
// form, and taken for it where a transcript has begun: no agent wrote it.
func isBareError(r *record) bool {
	return r.seen && string(r.typ) == "error" && r.f[fMessage].IsString()
}

func takeBareError(d *Decoder, r *record) {
	d.whole(origin{format: "codex", role: System, sessionName: d.codex.session}, r, r.f[fMessage])
}
