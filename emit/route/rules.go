package route

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"tagscan/emit"
)

// The limits of a rule file.
const (
	MaxRules  = 32
	MaxName   = 128      // bytes
	MaxExpr   = 4096     // bytes
	MaxParams = 16 << 10 // bytes of JSON

	maxFile = 4 << 20 // bytes; more than any file within the limits needs
)

// DefaultQueue is where an event goes that no rule matches, when the file has
// no default_action.
const DefaultQueue = "default"

// Rules is a loaded rule file.
type Rules struct {
	Params  []byte // a JSON object, compact; nil when there are none
	Rules   []Rule
	Default Action
}

// A Rule sends the events that Expr matches where Action says.
type Rule struct {
	ID     string // [A-Za-z0-9_-]{1,64}, unique
	Name   string // at most MaxName bytes; may be empty
	Expr   string // at most MaxExpr bytes
	Action Action
}

// An Action says what becomes of an event. Either Queue or Drop is set; the
// others go with a queue.
type Action struct {
	Queue     string // [A-Za-z0-9._-]{1,64}, not starting with "."
	Drop      bool
	Exclusive bool
	Once      bool // a second event about the same subject is left out
	WorkOrder bool

	json []byte // as written, compact
}

func validID(s string) bool { return validQueue(s) && !strings.Contains(s, ".") }

func validQueue(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '.' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

// Load reads a rule file. Keys are compared exactly; an unknown one, and one
// that is there twice, is an error. The expressions are not looked at.
func Load(text []byte) (*Rules, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("more than %d MiB", maxFile>>20)
	}
	text = emit.TrimBOM(text)
	top, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if top.value != delim('{') {
		return nil, fmt.Errorf("is %s, want an object with \"rules\"", top.what())
	}
	r := &Rules{Default: Action{Queue: DefaultQueue, json: []byte(`{"queue":"` + DefaultQueue + `"}`)}}
	haveRules := false
	for i := range top.members {
		m := &top.members[i]
		switch m.key {
		case "params":
			if r.Params, err = loadParams(&m.node); err != nil {
				return nil, fmt.Errorf("params: %w", err)
			}
		case "rules":
			haveRules = true
			if r.Rules, err = loadRules(&m.node); err != nil {
				return nil, err
			}
		case "default_action":
			if r.Default, err = loadAction(&m.node); err != nil {
				return nil, fmt.Errorf("default_action: %w", err)
			}
		default:
			return nil, fmt.Errorf("%s: %s", place(text, m.at), unknownKey(m.key, "params", "rules", "default_action"))
		}
	}
	if !haveRules {
		return nil, fmt.Errorf("has no \"rules\"")
	}
	return r, nil
}

// unknownKey names the key, and the one that was meant when it is plain.
func unknownKey(key string, known ...string) string {
	for _, k := range known {
		if strings.EqualFold(k, key) || strings.EqualFold(k, strings.ReplaceAll(key, "-", "_")) || k == key+"s" || k+"s" == key {
			return fmt.Sprintf("unknown key %q, should it be %q?", key, k)
		}
	}
	return fmt.Sprintf("unknown key %q (known: %s)", key, strings.Join(known, ", "))
}

func loadParams(n *node) ([]byte, error) {
	if n.value != delim('{') {
		return nil, fmt.Errorf("is %s, want an object", n.what())
	}
	for _, m := range n.members {
		switch {
		case scalar(&m.node):
		case m.value == delim('['):
			for i := range m.items {
				if !scalar(&m.items[i]) || m.items[i].what() != m.items[0].what() {
					return nil, fmt.Errorf("%q: want a list of strings, of numbers or of booleans", m.key)
				}
			}
		default:
			return nil, fmt.Errorf("%q is %s, want a string, a number, a boolean or a list of one of these", m.key, m.what())
		}
	}
	text := compact(n.raw)
	if len(text) > MaxParams {
		return nil, fmt.Errorf("%d bytes, at most %d are allowed", len(text), MaxParams)
	}
	return text, nil
}

func scalar(n *node) bool {
	switch n.value.(type) {
	case string, json.Number, bool:
		return true
	}
	return false
}

func compact(raw []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw // it was parsed: cannot happen
	}
	return b.Bytes()
}

func loadRules(n *node) ([]Rule, error) {
	if n.value != delim('[') {
		return nil, fmt.Errorf("rules: is %s, want a list", n.what())
	}
	if len(n.items) > MaxRules {
		return nil, fmt.Errorf("rules: %d rules, at most %d are allowed", len(n.items), MaxRules)
	}
	rules := make([]Rule, len(n.items))
	index := make(map[string]int)
	for i := range n.items {
		r := &rules[i]
		if err := r.load(&n.items[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", r.title(i), err)
		}
		if first, ok := index[r.ID]; ok {
			return nil, fmt.Errorf("%s: id: rule %d has it already", r.title(i), first)
		}
		index[r.ID] = i
	}
	return rules, nil
}

// title names a rule by its index, id and name, as far as it has them.
func (r *Rule) title(i int) string {
	s := fmt.Sprintf("rule %d", i)
	if r.ID != "" {
		s += fmt.Sprintf(" %q", clip(r.ID, 64))
	}
	if r.Name != "" {
		s += fmt.Sprintf(" (%s)", strings.Trim(fmt.Sprintf("%q", clip(r.Name, MaxName)), `"`))
	}
	return s
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

func (r *Rule) load(n *node) error {
	if n.value != delim('{') {
		return fmt.Errorf("is %s, want an object", n.what())
	}
	// First what the errors name the rule by.
	for _, m := range n.members {
		s, _ := m.value.(string)
		switch m.key {
		case "id":
			r.ID = s
		case "name":
			r.Name = s
		}
	}
	have := make(map[string]bool)
	for i := range n.members {
		m := &n.members[i]
		have[m.key] = true
		s, isString := m.value.(string)
		switch m.key {
		case "id", "name", "expr":
			if !isString {
				return fmt.Errorf("%s: is %s, want a string", m.key, m.what())
			}
		case "action":
		default:
			return fmt.Errorf("%s", unknownKey(m.key, "id", "name", "expr", "action"))
		}
		switch m.key {
		case "id":
			if !validID(s) {
				return fmt.Errorf("id: %q, want 1 to 64 of A-Z a-z 0-9 _ -", clip(s, 80))
			}
		case "name":
			if len(s) > MaxName {
				return fmt.Errorf("name: %d bytes, at most %d are allowed", len(s), MaxName)
			}
		case "expr":
			if len(s) > MaxExpr {
				return fmt.Errorf("expr: %d bytes, at most %d are allowed", len(s), MaxExpr)
			}
			r.Expr = s
		case "action":
			a, err := loadAction(&m.node)
			if err != nil {
				return fmt.Errorf("action: %w", err)
			}
			r.Action = a
		}
	}
	for _, key := range []string{"id", "expr", "action"} {
		if !have[key] {
			return fmt.Errorf("has no %q", key)
		}
	}
	return nil
}

func loadAction(n *node) (a Action, err error) {
	if n.value != delim('{') {
		return a, fmt.Errorf("is %s, want an object", n.what())
	}
	queue, flag := false, ""
	for _, m := range n.members {
		if m.key == "queue" {
			queue = true
			s, ok := m.value.(string)
			if !ok {
				return a, fmt.Errorf("queue: is %s, want a string", m.what())
			}
			if !validQueue(s) {
				return a, fmt.Errorf("queue: %q, want 1 to 64 of A-Z a-z 0-9 . _ -, not starting with \".\"", clip(s, 80))
			}
			a.Queue = s
			continue
		}
		b, ok := m.value.(bool)
		var to *bool
		switch m.key {
		case "drop":
			to = &a.Drop
		case "exclusive":
			to = &a.Exclusive
		case "once":
			to = &a.Once
		case "work_order":
			to = &a.WorkOrder
		default:
			return a, fmt.Errorf("%s", unknownKey(m.key, "queue", "drop", "exclusive", "once", "work_order"))
		}
		if !ok {
			return a, fmt.Errorf("%s: is %s, want a boolean", m.key, m.what())
		}
		if *to = b; m.key != "drop" && flag == "" {
			flag = m.key
		}
	}
	switch {
	case queue && a.Drop:
		return a, fmt.Errorf("has both a queue and drop")
	case !queue && !a.Drop:
		return a, fmt.Errorf("has neither a queue nor \"drop\": true")
	case a.Drop && flag != "":
		return a, fmt.Errorf("%s: goes with a queue only", flag)
	}
	if !utf8.Valid(n.raw) {
		return a, fmt.Errorf("not UTF-8")
	}
	a.json = compact(n.raw)
	return a, nil
}
