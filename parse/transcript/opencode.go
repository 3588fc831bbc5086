package transcript

import (
	"bytes"
	"slices"

	"tagscan/parse/jsonrec"
)

// OpenCode: run --format json, and the server's events of both versions.

type opencodeState struct {
	roles   recent[Role]   // of messages, by id; 0 for one that is nobody's
	parents recent[string] // of child sessions; such an id has 30 bytes
	done    recent[struct{}]
	held    map[uint64]*opencodePart
	order   []*opencodePart // the held parts, oldest first
	waiting map[uint64]int  // how many are held of a session, and of a message
	current recent[uint64]  // the part that a session is at
	size    int             // bytes held
}

// An opencodePart is a part whose text is not final, or whose message's role is
// not known.
type opencodePart struct {
	part    Part
	id      uint64
	message uint64
	session uint64
	text    []byte
	known   bool // the part's type is known
	ended   bool // it had time.end
	left    bool // the stream has gone on to another part
	gone    bool // it is not held any more
}

func isOpencodeGlobal(r *record) bool {
	if !r.f[fPayload].IsObject() || r.has(fType) {
		return false
	}
	typ := ident(r.f[fPayload].Get("type"))
	return string(typ) == "sync" || bytes.IndexByte(typ, '.') > 0
}

// takeOpencodeGlobal unwraps an event of /global/event. Each comes again as a
// sync event, which is dropped.
func takeOpencodeGlobal(d *Decoder, r *record) {
	v := r.f[fPayload]
	if v.Get("type").Is("sync") || !r.ok() || !r.read(v, r.line) {
		return
	}
	r.check = checkGood
	switch {
	case isOpencodeEvent(r):
		takeOpencodeEvent(d, r)
	case isOpencodeV2(r):
		takeOpencodeV2(d, r)
	}
}

func isOpencodeRun(r *record) bool {
	return r.f[fSessionCaps].IsString() && r.f[fTimestamp].IsNumber() &&
		among(r.typ, "step_start", "step_finish", "text", "reasoning", "tool_use", "error", "done")
}

func takeOpencodeRun(d *Decoder, r *record) {
	o := origin{format: "opencode", role: Assistant, session: r.f[fSessionCaps]}
	p := readOpencodePart(r.f[fPart])
	o.message, o.rows = p.message, true
	switch string(r.typ) {
	case "text":
		if p.synthetic {
			o.role = System
		}
		d.opencodeFinal(o, r, p)
	case "reasoning":
		o.role = Thinking
		d.opencodeFinal(o, r, p)
	case "tool_use":
		d.opencodeTool(o, r, p)
	case "error":
		o.role = System
		d.whole(o, r, r.f[fError].Get("data").Get("message"))
	}
}

// An ocPart is what a part object holds.
type ocPart struct {
	id, message, session, typ, text, tool, call, state jsonrec.Value
	ended                                              bool
	synthetic                                          bool // injected, not written
}

func readOpencodePart(v jsonrec.Value) (p ocPart) {
	for m := v.Members(); m.Next(); {
		switch string(m.Key) {
		case "id":
			p.id = m.Value
		case "messageID":
			p.message = m.Value
		case "sessionID":
			p.session = m.Value
		case "type":
			p.typ = m.Value
		case "text":
			p.text = m.Value
		case "tool":
			p.tool = m.Value
		case "callID":
			p.call = m.Value
		case "state":
			p.state = m.Value
		case "synthetic":
			p.synthetic = m.Value.IsTrue()
		case "time":
			p.ended = !m.Value.Get("end").Empty()
		}
	}
	return p
}

// opencodeTool takes a tool's call and, when it has ended, what came of it.
func (d *Decoder) opencodeTool(o origin, r *record, p ocPart) {
	var status, input, output, failure jsonrec.Value
	for m := p.state.Members(); m.Next(); {
		switch string(m.Key) {
		case "status":
			status = m.Value
		case "input":
			input = m.Value
		case "output":
			output = m.Value
		case "error":
			failure = m.Value
		}
	}
	id := p.call
	if id.Empty() {
		id = p.id
	}
	if p.id.Empty() {
		p.id = id
	}
	d.call(o, r, p.tool, id, input)
	if o.role = Tool; !d.want(Tool) || !status.Is("completed") && !status.Is("error") {
		return
	}
	// The last update may come twice.
	if (d.candidate(output) || d.candidate(failure)) && r.ok() && (id.Empty() || d.opencode.done.add(d.hash(p.id))) {
		d.texts(o, r, output, 0)
		d.texts(o, r, failure, 0)
	}
}

// opencodeFinal delivers the final text of a part.
func (d *Decoder) opencodeFinal(o origin, r *record, p ocPart) {
	if !d.want(o.role) || !d.candidate(p.text) || !r.ok() {
		return
	}
	if !p.id.Empty() {
		o.piece = d.hash(p.id)
		g := d.startRow(o.piece)
		g.writeValue(p.text, d.buf)
		d.endRow(g)
		if g.same {
			return
		}
		o.grown, o.chain = g.grown, g.chain
	}
	d.whole(o, r, p.text)
}

func isOpencodeEvent(r *record) bool {
	return r.f[fProperties].IsObject() && bytes.IndexByte(r.typ, '.') > 0
}

func takeOpencodeEvent(d *Decoder, r *record) {
	v := r.f[fProperties]
	switch string(r.typ) {
	case "message.updated":
		if r.ok() {
			d.opencodeMessage(v.Get("info"))
		}
	case "message.part.updated":
		d.opencodePart(r, v.Get("part"))
	case "message.part.delta":
		d.opencodeDelta(r, v)
	case "session.created", "session.updated":
		info := v.Get("info")
		if parent := info.Get("parentID"); parent.IsString() && len(parent) <= 64 && r.ok() {
			d.opencode.parents.put(d.hash(info.Get("id")), parent.String())
		}
	case "session.idle":
		if r.ok() {
			d.flushOpencode(d.hash(v.Get("sessionID")))
		}
	case "session.status":
		if v.Get("status").Get("type").Is("idle") && r.ok() {
			d.flushOpencode(d.hash(v.Get("sessionID")))
		}
	case "session.error":
		o := origin{format: "opencode", role: System, session: v.Get("sessionID")}
		d.whole(o, r, v.Get("error").Get("data").Get("message"))
	}
}

// opencodeMessage learns who wrote a message: this is the only event that says
// it, and it may come behind the message's parts.
func (d *Decoder) opencodeMessage(info jsonrec.Value) {
	var id, role jsonrec.Value
	for m := info.Members(); m.Next(); {
		switch string(m.Key) {
		case "id":
			id = m.Value
		case "role":
			role = m.Value
		}
	}
	if id.Empty() {
		return
	}
	var who Role
	switch string(ident(role)) {
	case "assistant":
		who = Assistant
	case "user":
		who = User
	}
	oc := &d.opencode
	h := d.hash(id)
	// It is sent again and again; what could be settled by it has been.
	was, ok := oc.roles.get(h)
	oc.roles.put(h, who)
	if ok && was == who || who == 0 || oc.waiting[h] == 0 {
		return
	}
	for _, p := range slices.Clone(oc.order) {
		if !p.gone && p.message == h && (p.ended || p.left) {
			d.settleOpencode(p)
		}
	}
}

func (d *Decoder) opencodePart(r *record, v jsonrec.Value) {
	p := readOpencodePart(v)
	o := origin{format: "opencode", role: Assistant, session: p.session, message: p.message, rows: true}
	oc := &d.opencode
	session := d.hash(p.session)
	if parent, ok := oc.parents.get(session); ok {
		o.agentName = parent
	}
	// One without an id is a part of its own when it has ended; until then it is
	// known by its message.
	id, named := d.hash(p.id), !p.id.Empty()
	if !named {
		id = d.hash(p.message)
	}
	d.leaveOpencode(r, session, id)
	switch string(ident(p.typ)) {
	case "text":
		if p.synthetic {
			o.role = System
		}
	case "reasoning":
		o.role = Thinking
	case "tool":
		d.opencodeTool(o, r, p)
		return
	default:
		return
	}
	if !r.ok() {
		return
	}
	if !named && p.ended {
		d.dropOpencode(oc.held[id])
		id += d.row
	}
	if _, ok := oc.done.get(id); ok {
		return
	}
	who, known := oc.roles.get(d.hash(p.message))
	if p.ended && known && who == Assistant {
		d.dropOpencode(oc.held[id])
		oc.done.add(id)
		d.opencodeFinal(o, r, p)
		return
	}
	h := d.holdOpencode(r, &o, id)
	h.known, h.ended, h.left = true, p.ended, false
	h.part.Line, h.part.Row = r.line, d.row // the newest update has the text
	if len(p.text) > d.maxHeld() && known && who == Assistant {
		// Too long to be held: what comes behind has grown.
		d.dropOpencode(h)
		d.opencodeFinal(o, r, p)
		return
	}
	if p.text.IsString() && len(p.text) <= d.maxHeld() {
		oc.size -= len(h.text)
		h.text = jsonrec.Append(h.text[:0], p.text)
		oc.size += len(h.text)
		d.boundOpencode()
	}
}

// opencodeDelta adds to the text of a part that is held. The final update will
// replace it; if none comes, this is what there was.
func (d *Decoder) opencodeDelta(r *record, v jsonrec.Value) {
	var session, message, part, delta, name jsonrec.Value
	for m := v.Members(); m.Next(); {
		switch string(m.Key) {
		case "sessionID":
			session = m.Value
		case "messageID":
			message = m.Value
		case "partID":
			part = m.Value
		case "field":
			name = m.Value
		case "delta":
			delta = m.Value
		}
	}
	id := d.hash(part)
	oc := &d.opencode
	if _, ok := oc.done.get(id); ok || !name.Is("text") || !delta.IsString() || !r.ok() {
		return
	}
	d.leaveOpencode(r, d.hash(session), id)
	h := oc.held[id]
	if h == nil {
		// The text of a part whose type is not known may be a thought.
		o := origin{format: "opencode", role: Assistant, session: session, message: message, rows: true}
		o.agentName, _ = oc.parents.get(d.hash(session))
		h = d.holdOpencode(r, &o, id)
	}
	h.left = false
	n := len(h.text)
	h.text = jsonrec.Append(h.text, delta)
	oc.size += len(h.text) - n
	d.boundOpencode()
}

// leaveOpencode notes that a session is at a part. The part that it was at
// before is final, as far as anyone can tell.
func (d *Decoder) leaveOpencode(r *record, session, id uint64) {
	oc := &d.opencode
	was, ok := oc.current.get(session)
	p := oc.held[was]
	if ok && was == id || p != nil && !r.ok() {
		return
	}
	oc.current.put(session, id)
	if ok && p != nil {
		p.left = true
		if who, known := oc.roles.get(p.message); known && who != 0 {
			d.settleOpencode(p)
		}
	}
}

func (d *Decoder) holdOpencode(r *record, o *origin, id uint64) *opencodePart {
	oc := &d.opencode
	h := oc.held[id]
	if h == nil {
		if oc.held == nil {
			oc.held, oc.waiting = make(map[uint64]*opencodePart), make(map[uint64]int)
		}
		h = &opencodePart{id: id, message: d.hash(o.message), session: d.hash(o.session)}
		oc.held[id] = h
		oc.order = append(oc.order, h)
		oc.waiting[h.message]++
		oc.waiting[h.session]++
	}
	h.part = d.partOf(r, o)
	return h
}

// maxHeldParts bounds the parts that are held. A stream has one that is not
// final, and a few of messages that it has not named yet.
const maxHeldParts = 4096

// boundOpencode settles the oldest parts when too much is held, as at the end
// of the input.
func (d *Decoder) boundOpencode() {
	oc := &d.opencode
	for (oc.size > d.maxHeld() || len(oc.held) > maxHeldParts) && len(oc.order) > 0 {
		d.settleOpencode(oc.order[0])
	}
}

// dropOpencode takes a part from those that are held.
func (d *Decoder) dropOpencode(p *opencodePart) {
	if p == nil || p.gone {
		return
	}
	oc := &d.opencode
	p.gone = true
	delete(oc.held, p.id)
	oc.size -= len(p.text)
	p.text = nil
	for _, h := range [...]uint64{p.message, p.session} {
		if oc.waiting[h]--; oc.waiting[h] <= 0 {
			delete(oc.waiting, h)
		}
	}
	d.compactOpencode()
}

// compactOpencode shortens the order by what is not held any more: at its start,
// and everywhere when that is most of it.
func (d *Decoder) compactOpencode() {
	oc := &d.opencode
	for len(oc.order) > 0 && oc.order[0].gone {
		oc.order = oc.order[1:]
	}
	if len(oc.order) > 2*len(oc.held)+64 {
		keep := oc.order[:0:0]
		for _, p := range oc.order {
			if !p.gone {
				keep = append(keep, p)
			}
		}
		oc.order = keep
	}
}

// settleOpencode delivers a part that is held, or drops it. A part of a message
// of nobody known is the assistant's if it has ended: a user's prompt never does.
func (d *Decoder) settleOpencode(p *opencodePart) {
	if p.gone {
		return
	}
	oc := &d.opencode
	who, known := oc.roles.get(p.message)
	text := p.text
	d.dropOpencode(p)
	if p.ended {
		oc.done.add(p.id)
	}
	switch {
	case known && who == User:
		p.part.Role = User
	case !p.known || known && who != Assistant || !known && !p.ended:
		return
	}
	if !d.want(p.part.Role) || len(text) == 0 {
		return
	}
	g := d.startRow(p.id)
	g.write(text)
	d.endRow(g)
	if g.same {
		return
	}
	p.part.Grown, p.part.Chain, p.part.Piece, p.part.Wanted = g.grown, g.chain, p.id, d.o.Roles&p.part.Role != 0
	d.held(p.part, text)
}

// flushOpencode settles what is held of a session, or with 0 of all.
func (d *Decoder) flushOpencode(session uint64) {
	if session != 0 && d.opencode.waiting[session] == 0 {
		return
	}
	for _, p := range slices.Clone(d.opencode.order) {
		if session == 0 || p.session == session {
			d.settleOpencode(p)
		}
	}
}

// isOpencodeV2 is an event of version 2.
func isOpencodeV2(r *record) bool {
	return r.f[fData].IsObject() && (dotted(r.typ, "session.text", "session.tool", "session.reasoning", "session.execution", "session.inbox") || string(r.typ) == "server.connected")
}

// takeOpencodeV2 takes the event that ends a text, and holds all of it.
func takeOpencodeV2(d *Decoder, r *record) {
	var session, message, text, call, tool, input, output, ordinal jsonrec.Value
	for m := r.f[fData].Members(); m.Next(); {
		switch string(m.Key) {
		case "sessionID":
			session = m.Value
		case "assistantMessageID":
			message = m.Value
		case "text":
			text = m.Value
		case "callID":
			call = m.Value
		case "tool", "name":
			tool = m.Value
		case "input":
			input = m.Value
		case "output", "content", "error":
			output = m.Value
		case "ordinal":
			ordinal = m.Value
		}
	}
	o := origin{format: "opencode", role: Assistant, session: session, message: message, rows: true}
	p := ocPart{text: text}
	if !message.Empty() {
		p.id = append(append(append(jsonrec.Value{'"'}, ident(message)...), ordinal...), '"')
	}
	switch string(r.typ) {
	case "session.text.ended":
		d.opencodeFinal(o, r, p)
	case "session.reasoning.ended":
		o.role = Thinking
		d.opencodeFinal(o, r, p)
	case "session.tool.called":
		d.call(o, r, tool, call, input)
	case "session.tool.success", "session.tool.failed":
		if o.role = Tool; d.want(Tool) {
			d.texts(o, r, output, 0)
		}
	}
}
