package normalize

import (
	"fmt"
	"strconv"
	"strings"

	"tagscan/parse"
)

// fieldType is how the value of a known key is read.
type fieldType uint8

const (
	textField fieldType = iota
	enumField
	boolField
	intField
	listField
	countedField // a list, or a bare number that gives its count alone
)

// A statusKey is a known key of the status protocols.
type statusKey struct {
	key, name string
	typ       fieldType
	enum      []string
}

// statusKeys are the known keys of both protocols. The names in their order are
// the schema's; a name that two keys share stands where the first of them is.
var statusKeys = []statusKey{
	{key: "STATUS", name: "status", typ: enumField, enum: []string{"IN_PROGRESS", "COMPLETE", "BLOCKED", "FAILED"}},
	{key: "TASK", name: "task"},
	{key: "FILES_MODIFIED", name: "files_modified", typ: countedField},
	{key: "FILES_READ", name: "files_read", typ: listField},
	{key: "TESTS_RUN", name: "tests_run"},
	{key: "COMMITS", name: "commits", typ: listField},
	{key: "WORK_SUMMARY", name: "work_summary"},
	{key: "BLOCKERS", name: "blockers"},
	{key: "NEXT_STEPS", name: "next_steps"},
	{key: "CONFIDENCE", name: "confidence", typ: enumField, enum: []string{"HIGH", "MEDIUM", "LOW"}},
	{key: "EXIT_READY", name: "exit_ready", typ: boolField},
	{key: "EXIT_SIGNAL", name: "exit_ready", typ: boolField},
	{key: "TASKS_COMPLETED_THIS_LOOP", name: "tasks_completed_this_loop", typ: intField},
	{key: "TESTS_STATUS", name: "tests_status", typ: enumField, enum: []string{"PASSING", "FAILING", "NOT_RUN"}},
	{key: "WORK_TYPE", name: "work_type"},
	{key: "RECOMMENDATION", name: "recommendation"},
}

var statusKeyIndex = func() map[string]int {
	m := make(map[string]int, len(statusKeys))
	for i, k := range statusKeys {
		m[k.key] = i
	}
	return m
}()

// The keys that are looked at by themselves.
var (
	keyStatus     = statusKeyIndex["STATUS"]
	keyTask       = statusKeyIndex["TASK"]
	keyExitReady  = statusKeyIndex["EXIT_READY"]
	keyExitSignal = statusKeyIndex["EXIT_SIGNAL"]
)

// keyIndex is the place of key among statusKeys, or -1. In the indented form
// it may have any case.
func keyIndex(key string, indented bool) int {
	if indented {
		if len(key) > len("TASKS_COMPLETED_THIS_LOOP") {
			return -1
		}
		key = strings.ToUpper(key)
	}
	if i, ok := statusKeyIndex[key]; ok {
		return i
	}
	return -1
}

// A typer turns the fields of one block into those of a Status. It is reused
// from block to block.
type typer struct {
	last  []int          // for each known key, its winning field, or -1
	extra map[string]int // for each unknown key, its place in Extra
	keys  []fieldKey     // of each field
}

// A fieldKey is what is known of a field's key.
type fieldKey struct {
	known int  // its place among statusKeys, or -1
	dup   bool // it came before
}

// typeBlock fills s from b: the fields, extra fields and violations of section
// 5. The reason is "" or why the block is no event.
func (t *typer) typeBlock(b *parse.Block, s *Status) (reason string) {
	s.Fields, s.Extra, s.Violations = s.Fields[:0], s.Extra[:0], s.Violations[:0]
	if known := t.gather(b, s); known == 0 {
		return parse.ReasonNoFields
	}
	if t.isTemplate(b) {
		return parse.ReasonTemplate
	}
	t.addViolations(b, s)
	t.addFields(b, s)
	return ""
}

// gather finds the field of each known key that counts, the last one, and fills
// s.Extra. It returns how many fields have a known key.
func (t *typer) gather(b *parse.Block, s *Status) (known int) {
	t.last = t.last[:0]
	for range statusKeys {
		t.last = append(t.last, -1)
	}
	t.keys = t.keys[:0]
	clear(t.extra)
	for i := range b.Fields {
		f := &b.Fields[i]
		k := keyIndex(f.Key, b.Indented)
		if k < 0 {
			t.keys = append(t.keys, fieldKey{k, t.addExtra(b, f, s)})
			continue
		}
		known++
		t.keys = append(t.keys, fieldKey{k, t.last[k] >= 0})
		t.last[k] = i
	}
	return known
}

// addExtra puts a field with an unknown key in s.Extra, in the place of an
// earlier one if there is one, which it tells.
func (t *typer) addExtra(b *parse.Block, f *parse.Field, s *Status) (dup bool) {
	if at, seen := t.extra[f.Key]; seen {
		s.Extra[at].Value = fieldText(b, f)
		return true
	}
	if t.extra == nil {
		t.extra = make(map[string]int)
	}
	t.extra[f.Key] = len(s.Extra)
	s.Extra = append(s.Extra, ExtraField{f.Key, fieldText(b, f)})
	return false
}

// addViolations fills s.Violations, in the order of the block's lines.
func (t *typer) addViolations(b *parse.Block, s *Status) {
	for i := range b.Fields {
		f, k := &b.Fields[i], t.keys[i].known
		if t.keys[i].dup {
			key := f.Key
			if k >= 0 {
				key = statusKeys[k].key
			}
			s.Violations = append(s.Violations, Violation{
				Field: key, Reason: "duplicate", Value: f.Value,
				Message: key + " is given more than once; the last one counts",
			})
		}
		if k < 0 || t.last[k] != i {
			continue
		}
		if v := checkField(&statusKeys[k], fieldText(b, f)); v != nil {
			s.Violations = append(s.Violations, *v)
		}
	}
	if b.Unterminated {
		s.Violations = append(s.Violations, Violation{
			Reason: "unterminated", Message: "the block has no closing marker (---)",
		})
	}
}

// addFields fills s.Fields, in the order of the schema.
func (t *typer) addFields(b *parse.Block, s *Status) {
	// EXIT_READY and EXIT_SIGNAL are one field under two names, the later one.
	if r, g := t.last[keyExitReady], t.last[keyExitSignal]; r > g {
		t.last[keyExitSignal] = -1
	} else if g >= 0 {
		t.last[keyExitReady] = -1
	}
	for k := range statusKeys {
		if i := t.last[k]; i >= 0 {
			s.Fields = appendField(s.Fields, &statusKeys[k], fieldText(b, &b.Fields[i]))
		}
	}
}

// fieldText is a field's value, without the quotes around it that the indented
// form allows.
func fieldText(b *parse.Block, f *parse.Field) string {
	v := trimBlanks(f.Value)
	if b.Indented {
		v = unquote(v)
	}
	return v
}

// trimBlanks removes ASCII blanks. Other Unicode space is content.
func trimBlanks(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t' || s[0] == '\n') {
		s = s[1:]
	}
	for n := len(s); n > 0 && (s[n-1] == ' ' || s[n-1] == '\t' || s[n-1] == '\n'); n-- {
		s = s[:n-1]
	}
	return s
}

// appendField appends the JSON form of a known field. Null words are null
// whatever the type, for a list the empty one; what cannot be read stays as
// written for an enum and is null for a boolean or an integer.
func appendField(fields []StatusField, k *statusKey, v string) []StatusField {
	if k.typ == countedField && allDigits(v) {
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return append(fields, StatusField{k.name + "_count", n})
		}
	}
	if k.typ == listField || k.typ == countedField {
		list := parseList(v)
		fields = append(fields, StatusField{k.name, list})
		if k.typ == countedField {
			fields = append(fields, StatusField{k.name + "_count", int64(len(list))})
		}
		return fields
	}
	var value any
	if !isNull(v) {
		switch k.typ {
		case textField:
			value = v
		case enumField:
			value = v
			if e, ok := foldEnum(k.enum, v); ok {
				value = e
			}
		case boolField:
			if x, ok := parseBool(v); ok {
				value = x
			}
		case intField:
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				value = n
			}
		}
	}
	return append(fields, StatusField{k.name, value})
}

// checkField is what is wrong with a known field's value, or nil.
func checkField(k *statusKey, v string) *Violation {
	if isNull(v) {
		return nil
	}
	reason, message := "invalid_format", ""
	switch k.typ {
	case enumField:
		if _, ok := foldEnum(k.enum, v); ok {
			return nil
		}
		reason, message = "unknown_value", fmt.Sprintf("%s must be one of %s", k.key, strings.Join(k.enum, ", "))
	case boolField:
		if _, ok := parseBool(v); ok {
			return nil
		}
		message = k.key + " must be true or false"
	case intField:
		if _, err := strconv.ParseInt(v, 10, 64); err == nil {
			return nil
		}
		message = k.key + " must be an integer"
	default:
		return nil
	}
	return &Violation{Field: k.key, Value: v, Reason: reason, Message: message}
}

// isNull tells whether v is one of the words for nothing.
func isNull(v string) bool {
	switch len(v) {
	case 0:
		return true
	case 1:
		return v == "-"
	case 2:
		return v == "[]"
	case 3:
		return strings.EqualFold(v, "n/a")
	case 4:
		return strings.EqualFold(v, "none")
	}
	return false
}

// foldEnum finds v in enum, folded.
func foldEnum(enum []string, v string) (string, bool) {
	if len(v) > 64 {
		return "", false
	}
	v = FoldEnum(v)
	for _, e := range enum {
		if e == v {
			return e, true
		}
	}
	return "", false
}

// FoldEnum is the value of an enum as the status protocols spell it: in upper
// case, each run of blanks, hyphens and underscores an underscore.
func FoldEnum(v string) string {
	b := make([]byte, 0, 64)
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case isBlank(c) || c == '-' || c == '_':
			if len(b) == 0 || b[len(b)-1] != '_' {
				b = append(b, '_')
			}
		case 'a' <= c && c <= 'z':
			b = append(b, c-'a'+'A')
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

func parseBool(v string) (value, ok bool) {
	switch {
	case strings.EqualFold(v, "true"):
		return true, true
	case strings.EqualFold(v, "false"):
		return false, true
	}
	return false, false
}

// isTemplate tells whether the block is the protocol's template, or a prompt's
// version of one: STATUS gives the choice of its values, TASK is the
// placeholder, or at least two of the fields were left as one. A single other
// field that an agent did not fill in is a violation of a real report.
func (t *typer) isTemplate(b *parse.Block) bool {
	placeholders := 0
	for k := range statusKeys {
		i := t.last[k]
		if i < 0 {
			continue
		}
		v := fieldText(b, &b.Fields[i])
		switch typ := statusKeys[k].typ; {
		case isChoice(&statusKeys[k], v):
			if k == keyStatus {
				return true
			}
			placeholders++
		case enclosed(v, '<', '>') && (typ != textField || strings.Contains(v, " ")):
			// One word in angles may be a component's name, or <none>.
			if k == keyTask {
				return true
			}
			placeholders++
		case typ == textField && enclosed(v, '[', ']'):
			// Some agents bracket what they write, too.
			if k == keyTask && strings.Contains(strings.ToLower(v), "description") {
				return true
			}
			if strings.Contains(v, " | ") {
				placeholders++
			}
		}
	}
	return placeholders >= 2
}

// isChoice tells whether v lists at least two values of k between bars.
func isChoice(k *statusKey, v string) bool {
	if strings.IndexByte(v, '|') < 0 || k.typ != enumField && k.typ != boolField {
		return false
	}
	n := 0
	for part := range strings.SplitSeq(v, "|") {
		part = strings.Trim(part, " \t\n`[]<>{}\"'")
		_, ok := foldEnum(k.enum, part)
		if k.typ == boolField {
			_, ok = parseBool(part)
		}
		if ok {
			n++
		}
	}
	return n >= 2
}

// enclosed tells whether v is words between one pair of brackets on one line.
func enclosed(v string, open, end byte) bool {
	if len(v) < 3 || v[0] != open || v[len(v)-1] != end {
		return false
	}
	in := v[1 : len(v)-1]
	return strings.IndexByte(in, '\n') < 0 && strings.IndexByte(in, open) < 0 && strings.IndexByte(in, end) < 0
}

// noProgress tells whether a status event shows none: FILES_MODIFIED absent,
// empty or 0, and neither COMPLETE nor ready to exit.
func (s *Status) noProgress() bool {
	for _, f := range s.Fields {
		switch v := f.Value.(type) {
		case int64:
			if f.Name == "files_modified_count" && v != 0 {
				return false
			}
		case string:
			if f.Name == "status" && v == "COMPLETE" {
				return false
			}
		case bool:
			if f.Name == "exit_ready" && v {
				return false
			}
		}
	}
	return true
}

// Get returns the value of the known field of that JSON name, and whether the
// block has it.
func (s *Status) Get(name string) (any, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return nil, false
}
