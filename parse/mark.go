package parse

// A Pos says where a mark was found. Line is the physical line of the input,
// counted from 1 by LF alone, as grep -n counts; the other fields are set for
// text out of an agent's transcript, where the record has them.
type Pos struct {
	Line    int
	Format  string // claude, codex, opencode, gemini, cursor, copilot or goose
	Role    string // who wrote the text: assistant, tool, user, thinking or system
	Session string
	Message string
	Agent   string // the sub-agent's parent call, or "sidechain"
}

// Code tells what kind of code a mark stands in.
type Code uint8

const (
	CodeNone  Code = iota
	CodeFence      // in a fenced code block, the lines of the fence itself included
	CodeSpan       // in an inline code span of one line
)

// String is the word used in events: "", "fence" or "span".
func (c Code) String() string {
	switch c {
	case CodeFence:
		return "fence"
	case CodeSpan:
		return "span"
	}
	return ""
}

// Origin ties the marks of a text part to what else the transcript says of it,
// so that text which a format repeats is counted once. It is the zero Origin
// for plain text.
type Origin struct {
	// Row numbers the record within its input, from 1.
	Row uint64
	// Echo is set for text that repeats what the session's messages have said,
	// such as a final result record: what they gave already is not given again.
	Echo bool
	// Rows is set when Message names one message of the whole input, of which
	// there may be several rows.
	Rows bool
	// Grown is set for a row whose text begins with the text of an earlier row
	// of the same message.
	Grown bool
	// Chain tells the rows of a message apart that did not grow out of each other.
	Chain uint32
	// Piece is what has grown, where the parts of a message do so each by itself.
	Piece uint64
}

// A Tag is one complete <NS:KIND>VALUE</NS:KIND>, or <NAME>VALUE</NAME> for a
// plain tag. It is valid only during the call that hands it over; Value must be
// copied to be kept.
type Tag struct {
	Pos
	Origin
	Namespace string // "" for a plain tag
	Kind      string
	// Value is as emitted with ASCII blanks trimmed. It may span lines; each
	// line end in it is one '\n'. What is longer than MaxValue is no value, but
	// is handed over, up to 8192 bytes, so that it can be said why.
	Value []byte
	Code  Code
}

// Append appends the tag as written, blanks around its value aside.
func (t *Tag) Append(dst []byte) []byte {
	dst = append(appendName(append(dst, '<'), t.Namespace, t.Kind), '>')
	dst = append(dst, t.Value...)
	return append(appendName(append(dst, "</"...), t.Namespace, t.Kind), '>')
}

// A Field is one KEY: value of a status block.
type Field struct {
	// Key is as written, decoration removed.
	Key string
	// Value holds the field's lines, each trimmed, joined by '\n'.
	Value string
	Line  int
}

// A Block is one ---AGENT_STATUS--- or ---RALPH_STATUS--- block, or the
// indented form of one.
type Block struct {
	Pos
	Origin
	Protocol     string // agent_status or ralph_status
	Fields       []Field
	Indented     bool // the indented form
	Unterminated bool // no closing marker came
	Code         Code // CodeFence for a block in a fence
	// Quoted is set for a block that is not the first thing in its fence: it is
	// documentation, not a report.
	Quoted  bool
	EndLine int
}

// Append appends the beginning of the block, its opening and then its fields:
// at least size bytes if it has as many.
func (b *Block) Append(dst []byte, size int) []byte {
	n := len(dst)
	dst = appendOpening(dst, b.Protocol, b.Indented)
	for i := 0; i < len(b.Fields) && len(dst)-n < size; i++ {
		dst = append(dst, '\n')
		dst = append(append(dst, b.Fields[i].Key...), ": "...)
		dst = append(dst, b.Fields[i].Value...)
	}
	return dst
}

// An Artifact is an agent's call of a tool that creates a Cairn artifact.
type Artifact struct {
	Pos
	Origin
	Tool  string
	Title string // its first MaxValue bytes
	// Tags are as given, unchecked: the first 4096 bytes of each, and of the list
	// at most the first 4096 or 256 KiB. More says that it goes on.
	Tags []string
	// NotStrings are the indices in Tags of what is no string but another value of
	// JSON, and stands there as it is written.
	NotStrings []int
	More       bool
}

// A Skip is something that looked like a signal and is none.
type Skip struct {
	Pos
	Origin
	What      string // tag, block or record
	Reason    string // one of the Reason constants
	Namespace string
	Kind      string
	// Excerpt is the beginning of what was skipped, up to MaxExcerpt bytes or
	// more, not redacted; it is valid only during the call.
	Excerpt []byte
}

// MaxExcerpt is how many bytes there are at least of what was skipped, if it has
// as many. Behind the end of a longer Excerpt it may go on.
const MaxExcerpt = 96

// The reasons for which something is skipped: a closed registry.
const (
	ReasonFenced        = "fenced"
	ReasonCodeSpan      = "code_span"
	ReasonUnclosed      = "unclosed"
	ReasonAttributes    = "attributes"
	ReasonBadKind       = "bad_kind"
	ReasonEmpty         = "empty"
	ReasonTooLong       = "too_long"
	ReasonControl       = "control_character"
	ReasonScheme        = "scheme"
	ReasonInvalidURL    = "invalid_url"
	ReasonUserinfo      = "userinfo"
	ReasonInvalidUTF8   = "invalid_utf8"
	ReasonRelativePath  = "relative_path"
	ReasonKindMismatch  = "kind_mismatch"
	ReasonExample       = "example"
	ReasonTemplate      = "template"
	ReasonNoFields      = "no_fields"
	ReasonRole          = "role"
	ReasonInvalidRecord = "invalid_record"
)

// A Handler takes marks in the order of the input; what the end of a transcript's
// row has cut off comes when it is known that no row goes on with it. What a mark
// points to is valid only during the call.
type Handler interface {
	Tag(*Tag)
	Block(*Block)
	Artifact(*Artifact)
	Skip(*Skip)
}
