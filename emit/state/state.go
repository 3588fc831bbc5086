package state

import (
	"container/list"
	"fmt"
	"slices"
	"strings"

	"tagscan/parse"
)

// What is remembered is bounded by these, never by the input. They are
// variables so that tests can make them small.
var (
	maxItems    = 10_000  // values of a kind: "the newest 10,000 of a kind"
	maxBytes    = 2 << 20 // and bytes of text of a kind, so that 10,000 long values stay small
	maxSessions = 1_000   // sessions, those with the newest blocks
	maxBlocks   = 2 << 20 // bytes of their blocks in all
	maxBlock    = 1 << 20 // bytes of a block; of a longer one the long fields are left out
	longField   = 4 << 10 // bytes of a field that is long then
)

// The core vocabulary, in the order of a snapshot. status comes last: it is a
// state, the others are sets.
var kinds = parse.CoreKinds

const (
	kindRepo = iota
	kindIssue
	kindPR
	kindLink
	kindStatus
)

// An item is one value of a kind, checked.
type item struct {
	value, host, repo, number string
	key                       itemKey
	agent                     string // the sub-agent that gave it, "" for the main agent
	operator                  bool   // it is a manual repair
}

// An itemKey compares equal for equal values: a digest of normalize's key, so
// that no value is held twice.
type itemKey [16]byte

func (it *item) size() int {
	return len(it.value) + len(it.host) + len(it.repo) + len(it.number) + len(it.agent)
}

// A set holds the newest items, in the order in which they came first.
type set struct {
	items []item
	index map[itemKey]int // of an item's key, its number since the beginning
	first int             // the number of items[0]
	bytes int
}

// add reports whether the set changed: the item is new, or the main agent now
// gives what only a sub-agent had given.
func (s *set) add(it item, max int) bool {
	if i, ok := s.index[it.key]; ok {
		old := &s.items[i-s.first]
		if old.agent == "" || it.agent != "" {
			return false
		}
		s.bytes -= len(old.agent)
		old.agent = ""
		return true
	}
	if s.index == nil {
		s.index = make(map[itemKey]int)
	}
	s.index[it.key] = s.first + len(s.items)
	s.items = append(s.items, it)
	s.bytes += it.size()
	for len(s.items) > max || s.bytes > maxBytes {
		old := &s.items[0]
		delete(s.index, old.key)
		s.bytes -= old.size()
		*old = item{} // append moves what is left to a new array now and then
		s.items = s.items[1:]
		s.first++
	}
	return true
}

func (s *set) has(key itemKey) bool {
	_, ok := s.index[key]
	return ok
}

// A kindState is what the agents said of one kind and what the operator made
// of it.
type kindState struct {
	agent set
	// mode says whose values are shown. An operator's set or unset of the whole
	// kind holds wherever in the stream it stands, until a later override.
	mode   byte
	set    item // with showSet
	hidden set  // the keys of the values that the operator hides
}

const (
	showAgent = iota
	showSet
	showNone
)

// shown returns the items of the kind, to be read only until the next event.
func (k *kindState) shown() (dst []item) {
	switch k.mode {
	case showSet:
		return []item{k.set}
	case showNone:
		return nil
	}
	if len(k.hidden.items) == 0 {
		return k.agent.items
	}
	for _, it := range k.agent.items {
		if !k.hidden.has(it.key) {
			dst = append(dst, it)
		}
	}
	return dst
}

// counts are the numbers of a snapshot: what was read, before overrides.
type counts struct {
	events, tag, status, artifact, skipped, override, other int

	kind      [len(kinds)]int // tags of each core kind
	extension int             // and of all others
	repeat    int             // tags that scan --all marked as re-emissions
	subAgent  int             // events of sub-agents
	invalid   int             // status blocks that are not valid
	refused   int             // tags with a value that section 4 would have refused
}

// A state is all that snapshot knows. It grows to its bounds and not further.
type state struct {
	filter agentFilter
	kinds  [len(kinds)]kindState
	counts counts

	block    []byte // the newest valid status block, the JSON object of agent_status
	sessions sessions
}

// apply takes an event in and reports whether what is shown, the counts aside,
// may have changed. The error says why an override is refused.
func (s *state) apply(ev *event, scanned bool) (changed bool, err error) {
	s.counts.events++
	if ev.agent() != "" {
		s.counts.subAgent++
	}
	switch str(ev[keyType]) {
	case "tag":
		s.counts.tag++
		return s.tag(ev), nil
	case "status":
		s.counts.status++
		return s.status(ev), nil
	case "artifact":
		s.counts.artifact++
	case "skipped":
		s.counts.skipped++
	case "override":
		if scanned {
			// "A transcript can never produce an override."
			s.counts.other++
			return false, nil
		}
		s.counts.override++
		return s.override(ev)
	default:
		s.counts.other++
	}
	return false, nil
}

// tag takes a tag in. Values of every agent make the lists, since scan gives a
// value once, whoever gave it first; the status is a state, which sub-agents
// have of their own, and only the wanted agent's is taken. What the event says
// of its provenance, host, repo and number is not believed.
func (s *state) tag(ev *event) bool {
	if isTrue(ev[keyRepeat]) {
		s.counts.repeat++
	}
	k := slices.Index(kinds[:], str(ev[keyKind]))
	if k < 0 {
		s.counts.extension++
		return false
	}
	s.counts.kind[k]++
	it, reason := check(kinds[k], str(ev[keyValue]))
	if reason != "" {
		s.counts.refused++
		return false
	}
	max := maxItems
	if k == kindStatus {
		if !s.filter.match(ev) {
			return false
		}
		max = 1
	} else {
		it.agent = cut(ev.agent(), 256)
	}
	state := &s.kinds[k]
	return state.agent.add(it, max) && state.mode == showAgent && !state.hidden.has(it.key)
}

// status takes a status block in.
func (s *state) status(ev *event) bool {
	if !isValidBlock(ev) {
		s.counts.invalid++
		return false
	}
	if !s.filter.match(ev) {
		return false
	}
	s.block = appendBlock(nil, ev)
	s.sessions.put(cut(str(ev[keySession]), longField), s.block)
	return true
}

// isValidBlock does not take the block's word alone: "valid is false exactly
// when violations is present".
func isValidBlock(ev *event) bool {
	v := ev[keyViolations]
	return isTrue(ev[keyValid]) && (isNull(v) || v[0] == '[' && v[skipBlanks(v, 1)] == ']')
}

// appendBlock appends the status block without its type, the keys in the order
// of the published shape.
func appendBlock(dst []byte, ev *event) []byte {
	size := 0
	for key := keyProtocol; key <= keyAgent; key++ {
		size += len(ev[key])
	}
	dst = append(dst, '{')
	for key := keyProtocol; key <= keyAgent; key++ {
		raw := ev[key]
		if key == keyProvenance { // a block is an agent's word, whatever it says
			raw = []byte(`"agent"`)
		}
		if raw == nil || size > maxBlock && len(raw) > longField {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, keyNames[key]...)
		dst = append(dst, `":`...)
		dst = appendSafe(dst, raw)
	}
	return append(dst, '}')
}

// override takes a manual repair in. A later one wins over an earlier one of
// its kind; the place between the agents' events does not matter.
func (s *state) override(ev *event) (changed bool, err error) {
	if str(ev[keyProvenance]) != "operator" {
		return false, fmt.Errorf("provenance is not operator")
	}
	value := ""
	if ev[keyValue] != nil {
		if value = str(ev[keyValue]); value == "" {
			return false, fmt.Errorf("value is not a text, or empty")
		}
	}
	r, err := newRepair(str(ev[keyOp]), str(ev[keyKind]), value)
	if err != nil {
		return false, err
	}
	k := &s.kinds[r.kind]
	switch {
	case r.op == "set":
		r.item.operator = true
		k.mode, k.set, k.hidden = showSet, r.item, set{}
	case value == "":
		k.mode, k.set, k.hidden = showNone, item{}, set{}
	case k.mode == showSet:
		if k.set.key == r.item.key {
			k.mode, k.set = showNone, item{}
		}
	default:
		k.hidden.add(item{key: r.item.key}, maxItems)
	}
	return true, nil
}

// sessions holds the newest valid block of each session.
type sessions struct {
	byID   map[string]*list.Element
	recent list.List // of *session, that with the newest block last
	began  int
	bytes  int
}

type session struct {
	id    string
	block []byte
	began int // its place among the sessions
}

func (s *sessions) put(id string, block []byte) {
	e, ok := s.byID[id]
	if ok {
		v := e.Value.(*session)
		s.bytes += len(block) - len(v.block)
		v.block = block
		s.recent.MoveToBack(e)
	} else {
		if s.byID == nil {
			s.byID = make(map[string]*list.Element)
		}
		id = strings.Clone(id)
		s.byID[id] = s.recent.PushBack(&session{id: id, block: block, began: s.began})
		s.began++
		s.bytes += len(id) + len(block)
	}
	for s.recent.Len() > 1 && (s.recent.Len() > maxSessions || s.bytes > maxBlocks) {
		v := s.recent.Remove(s.recent.Front()).(*session)
		delete(s.byID, v.id)
		s.bytes -= len(v.id) + len(v.block)
	}
}

// blocks returns the blocks in the order in which the sessions began.
func (s *sessions) blocks() [][]byte {
	all := make([]*session, 0, s.recent.Len())
	for e := s.recent.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*session))
	}
	slices.SortFunc(all, func(a, b *session) int { return a.began - b.began })
	blocks := make([][]byte, len(all))
	for i, v := range all {
		blocks[i] = v.block
	}
	return blocks
}

// A view is what a format shows of a state.
type view struct {
	lists    [kindStatus][]item
	status   *item
	block    []byte
	fields   event // of block
	sessions [][]byte
	counts   counts
}

func (s *state) view() *view {
	v := &view{block: s.block, counts: s.counts}
	for k := range v.lists {
		v.lists[k] = s.kinds[k].shown()
	}
	if it := s.kinds[kindStatus].shown(); len(it) > 0 {
		v.status = &it[len(it)-1]
	}
	if s.block != nil {
		v.fields = parseEvent(s.block)
	}
	if s.sessions.recent.Len() > 1 {
		v.sessions = s.sessions.blocks()
	}
	return v
}

// items is the number of values that are held.
func (s *state) items() int {
	n := s.sessions.recent.Len()
	for k := range s.kinds {
		n += len(s.kinds[k].agent.items)
	}
	return n
}

func (it *item) provenance() string {
	if it.operator {
		return "operator"
	}
	return "agent"
}

// text is a block's field as one text: a list's items joined by ", ".
func text(raw []byte) string {
	switch {
	case isNull(raw):
		return ""
	case raw[0] == '"':
		return longStr(raw)
	case raw[0] != '[':
		return string(raw)
	}
	var parts []string
	for i := 1; ; {
		if i = skipBlanks(raw, i); raw[i] == ',' {
			i = skipBlanks(raw, i+1)
		}
		if raw[i] == ']' {
			return strings.Join(parts, ", ")
		}
		end := skipValue(raw, i)
		if part := raw[i:end]; part[0] == '"' {
			parts = append(parts, longStr(part))
		} else {
			parts = append(parts, string(part))
		}
		i = end
	}
}
