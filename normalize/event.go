package normalize

import "tagscan/parse"

// An Event is one of *Tag, *Status, *Artifact and *Skipped. The field order of
// each type is the key order of its JSON form; an empty field is left out.
type Event interface{ Where() *Position }

// A Position says where an event was found: the FILE argument if there was
// one, and parse's place in it.
type Position struct {
	File string
	parse.Pos
}

// Where returns p itself, so that everything that embeds one is an Event.
func (p *Position) Where() *Position { return p }

// Provenance of an event: who wrote it.
const (
	Agent    = "agent"
	Operator = "operator" // a manual repair
)

// A Tag is a checked tag.
type Tag struct {
	Namespace string // "" for a plain tag
	Kind      string
	Value     string // the normalised value
	Raw       string // the value as emitted, trimmed; "" when it equals Value
	Host      string
	Repo      string
	Number    string // decimal digits without leading zeros; "" when there is none
	Extension bool
	Repeat    bool
	Code      string
	// Provenance is Agent for everything that was scanned.
	Provenance string
	Position
}

// A Status is a typed status block.
type Status struct {
	Protocol string
	// Fields are the known fields, in the order of the schema.
	Fields     []StatusField
	Extra      []ExtraField // unknown keys as written, in their order
	Violations []Violation  // valid is false exactly when there are any
	Streak     Streak
	Code       string
	Provenance string
	Position
	EndLine int
}

// A StatusField is a known field of a status block under its JSON name.
type StatusField struct {
	Name string
	// Value is nil (JSON null), string, bool, int64 or []string.
	Value any
}

// An ExtraField is a field that the protocol does not know.
type ExtraField struct{ Key, Value string }

// A Streak counts consecutive status events of one session and sub-agent, the
// event that carries it included.
type Streak struct{ Status, NoProgress int }

// A Violation says what is wrong with a field of a status block or with an
// artifact tag.
type Violation struct {
	Field      string
	Reason     string
	Value      string
	Limit      int // 0 when there is none
	Unit       string
	Message    string
	Suggestion string
}

// An Artifact is an artifact call with its tags checked.
type Artifact struct {
	Tool       string
	Title      string
	Tags       []string // as given when Violations is not empty, else without repeats
	Handoff    []HandoffField
	Violations []Violation
	Provenance string
	Position
}

// A HandoffField is one of lane, size, repo, issue, source and reply, in this
// order.
type HandoffField struct{ Name, Value string }

// A Skipped tells why something that looked like a signal is none.
type Skipped struct {
	What      string
	Reason    string
	Namespace string
	Kind      string
	Excerpt   string // at most 64 bytes, user information in a URL shown as ***
	Position
}
