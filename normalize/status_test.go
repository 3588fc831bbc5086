package normalize

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tagscan/parse"
)

// block makes a mark of a status block's lines: a line that starts with a blank
// continues the field before it.
func block(text string) *parse.Block {
	b := &parse.Block{Protocol: "agent_status"}
	for i, line := range strings.Split(text, "\n") {
		if line == "" {
			continue
		}
		if n := len(b.Fields); line[0] == ' ' && n > 0 {
			b.Fields[n-1].Value = strings.TrimPrefix(b.Fields[n-1].Value+"\n"+strings.TrimSpace(line), "\n")
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		b.Fields = append(b.Fields, parse.Field{Key: key, Value: strings.TrimSpace(value), Line: i + 1})
	}
	return b
}

// fields writes a status event's fields as a row of the tables has them.
func fields(s *Status) string {
	var b strings.Builder
	for _, f := range s.Fields {
		v, err := json.Marshal(f.Value)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "%s %s\n", f.Name, v)
	}
	for _, e := range s.Extra {
		fmt.Fprintf(&b, "+%s %q\n", e.Key, e.Value)
	}
	for _, v := range s.Violations {
		fmt.Fprintf(&b, "!%s %s", v.Field, v.Reason)
		if v.Value != "" {
			fmt.Fprintf(&b, " %q", v.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestStatusFields(t *testing.T) {
	tests := []struct {
		name, in     string
		indented     bool
		unterminated bool
		want         string // a line a field, +extra, !violation
		reason       string
	}{
		// The order is the schema's, whatever the block's.
		{name: "every key", in: `
RECOMMENDATION: go on
WORK_TYPE: TESTING
TESTS_STATUS: passing
TASKS_COMPLETED_THIS_LOOP: 2
EXIT_READY: TRUE
CONFIDENCE: high
NEXT_STEPS: n
BLOCKERS: b
WORK_SUMMARY: w
COMMITS: c
TESTS_RUN: t
FILES_READ: r
FILES_MODIFIED: m
TASK: x
STATUS: complete`,
			want: `status "COMPLETE"
task "x"
files_modified ["m"]
files_modified_count 1
files_read ["r"]
tests_run "t"
commits ["c"]
work_summary "w"
blockers "b"
next_steps "n"
confidence "HIGH"
exit_ready true
tasks_completed_this_loop 2
tests_status "PASSING"
work_type "TESTING"
recommendation "go on"
`},
		{name: "no key is required", in: "TASK: x", want: "task \"x\"\n"},
		{name: "multi-line text", in: "WORK_SUMMARY: a\n  1. b\n  c", want: "work_summary \"a\\n1. b\\nc\"\n"},

		// Enums.
		{name: "case", in: "STATUS: In_Progress", want: "status \"IN_PROGRESS\"\n"},
		{name: "blank", in: "STATUS: in progress", want: "status \"IN_PROGRESS\"\n"},
		{name: "hyphen", in: "STATUS: In-Progress", want: "status \"IN_PROGRESS\"\n"},
		{name: "run of them", in: "TESTS_STATUS: not - run", want: "tests_status \"NOT_RUN\"\n"},
		{name: "not run together", in: "STATUS: INPROGRESS", want: "status \"INPROGRESS\"\n!STATUS unknown_value \"INPROGRESS\"\n"},
		{name: "unknown status", in: "STATUS: Done", want: "status \"Done\"\n!STATUS unknown_value \"Done\"\n"},
		{name: "unknown confidence", in: "CONFIDENCE: very high", want: "confidence \"very high\"\n!CONFIDENCE unknown_value \"very high\"\n"},
		{name: "unknown tests", in: "TESTS_STATUS: 4 passed", want: "tests_status \"4 passed\"\n!TESTS_STATUS unknown_value \"4 passed\"\n"},
		{name: "long", in: "STATUS: " + strings.Repeat("X", 100), want: `status "` + strings.Repeat("X", 100) + "\"\n!STATUS unknown_value \"" + strings.Repeat("X", 100) + "\"\n"},
		{name: "null confidence", in: "CONFIDENCE: N/A", want: "confidence null\n"},

		// Booleans and integers.
		{name: "false", in: "EXIT_SIGNAL: False", want: "exit_ready false\n"},
		{name: "bad boolean", in: "EXIT_SIGNAL: yes", want: "exit_ready null\n!EXIT_SIGNAL invalid_format \"yes\"\n"},
		{name: "null boolean", in: "EXIT_READY: none", want: "exit_ready null\n"},
		{name: "integer", in: "TASKS_COMPLETED_THIS_LOOP: 12", want: "tasks_completed_this_loop 12\n"},
		{name: "negative", in: "TASKS_COMPLETED_THIS_LOOP: -1", want: "tasks_completed_this_loop -1\n"},
		{name: "bad integer", in: "TASKS_COMPLETED_THIS_LOOP: 2 tasks", want: "tasks_completed_this_loop null\n!TASKS_COMPLETED_THIS_LOOP invalid_format \"2 tasks\"\n"},
		{name: "fraction", in: "TASKS_COMPLETED_THIS_LOOP: 1.5", want: "tasks_completed_this_loop null\n!TASKS_COMPLETED_THIS_LOOP invalid_format \"1.5\"\n"},
		{name: "huge integer", in: "TASKS_COMPLETED_THIS_LOOP: 99999999999999999999", want: "tasks_completed_this_loop null\n!TASKS_COMPLETED_THIS_LOOP invalid_format \"99999999999999999999\"\n"},

		// Words for nothing.
		{name: "none", in: "BLOCKERS: NONE", want: "blockers null\n"},
		{name: "n/a", in: "BLOCKERS: n/a", want: "blockers null\n"},
		{name: "dash", in: "BLOCKERS: -", want: "blockers null\n"},
		{name: "brackets", in: "BLOCKERS: []", want: "blockers null\n"},
		{name: "nothing", in: "BLOCKERS:", want: "blockers null\n"},
		{name: "only as the whole", in: "BLOCKERS: None yet", want: "blockers \"None yet\"\n"},
		{name: "null is no such word", in: "BLOCKERS: null", want: "blockers \"null\"\n"},
		{name: "empty lists", in: "FILES_MODIFIED: None\nFILES_READ: -\nCOMMITS:", want: "files_modified []\nfiles_modified_count 0\nfiles_read []\ncommits []\n"},

		// Counts.
		{name: "bare number", in: "FILES_MODIFIED: 5", want: "files_modified_count 5\n"},
		{name: "bare zero", in: "FILES_MODIFIED: 0", want: "files_modified_count 0\n"},
		{name: "no bare number", in: "FILES_MODIFIED: 5 files", want: "files_modified [\"5 files\"]\nfiles_modified_count 1\n"},
		{name: "number past all files", in: "FILES_MODIFIED: 99999999999999999999", want: "files_modified [\"99999999999999999999\"]\nfiles_modified_count 1\n"},
		{name: "a commit may be all digits", in: "COMMITS: 1234567", want: "commits [\"1234567\"]\n"},

		// Unknown and repeated keys.
		{name: "extra", in: "STATUS: FAILED\nMOOD: None\nLOOP: 3", want: "status \"FAILED\"\n+MOOD \"None\"\n+LOOP \"3\"\n"},
		{name: "repeated", in: "STATUS: FAILED\nTASK: x\nSTATUS: COMPLETE", want: "status \"COMPLETE\"\ntask \"x\"\n!STATUS duplicate \"COMPLETE\"\n"},
		{name: "repeated twice", in: "TASK: x\nTASK: y\nTASK: x", want: "task \"x\"\n!TASK duplicate \"y\"\n!TASK duplicate \"x\"\n"},
		{name: "the value that lost is not checked", in: "STATUS: bad\nSTATUS: FAILED", want: "status \"FAILED\"\n!STATUS duplicate \"FAILED\"\n"},
		{name: "the one that won is", in: "STATUS: FAILED\nSTATUS: bad", want: "status \"bad\"\n!STATUS duplicate \"bad\"\n!STATUS unknown_value \"bad\"\n"},
		{name: "repeated, the last one empty", in: "TASK: x\nTASK:\nSTATUS: FAILED", want: "status \"FAILED\"\ntask null\n!TASK duplicate\n"},
		{name: "repeated list and count", in: "FILES_MODIFIED: a\nFILES_MODIFIED: 3", want: "files_modified_count 3\n!FILES_MODIFIED duplicate \"3\"\n"},
		{name: "repeated extra", in: "TASK: x\nMOOD: a\nMOOD: b", want: "task \"x\"\n+MOOD \"b\"\n!MOOD duplicate \"b\"\n"},
		{name: "one field of two names", in: "EXIT_READY: true\nEXIT_SIGNAL: true", want: "exit_ready true\n"},
		{name: "two names that differ", in: "EXIT_SIGNAL: true\nEXIT_READY: false", want: "exit_ready false\n"},
		{name: "two names, the earlier one bad", in: "EXIT_READY: yes\nEXIT_SIGNAL: false", want: "exit_ready false\n!EXIT_READY invalid_format \"yes\"\n"},
		{name: "in the order of their lines", in: "CONFIDENCE: x\nSTATUS: y\nCONFIDENCE: z\nEXIT_READY: q", unterminated: true,
			want: "status \"y\"\nconfidence \"z\"\nexit_ready null\n!STATUS unknown_value \"y\"\n!CONFIDENCE duplicate \"z\"\n!CONFIDENCE unknown_value \"z\"\n!EXIT_READY invalid_format \"q\"\n! unterminated\n"},
		{name: "unterminated", in: "TASK: x", unterminated: true, want: "task \"x\"\n! unterminated\n"},

		// The indented form.
		{name: "any case", in: "Status: complete\ntask: x\nexit_ready: true\nMood: fine", indented: true,
			want: "status \"COMPLETE\"\ntask \"x\"\nexit_ready true\n+Mood \"fine\"\n"},
		{name: "quotes around a value", in: "status: \"COMPLETE\"\ntask: 'a \"b\" c'\nmood: \"fine\"\nblockers: \"None\"\nnext_steps: \"\"\ntests_run: \"a\" and \"b\"", indented: true,
			want: "status \"COMPLETE\"\ntask \"a \\\"b\\\" c\"\ntests_run \"\\\"a\\\" and \\\"b\\\"\"\nblockers null\nnext_steps null\n+mood \"fine\"\n"},
		{name: "quotes stay in the other", in: "TASK: \"x\"", want: "task \"\\\"x\\\"\"\n"},
		{name: "field is the protocol's spelling", in: "status: done\nStatus: finished", indented: true,
			want: "status \"finished\"\n!STATUS duplicate \"finished\"\n!STATUS unknown_value \"finished\"\n"},
		{name: "a list", in: "files_modified:\n  - a\n  - \"b\"", indented: true, want: "files_modified [\"a\",\"b\"]\nfiles_modified_count 2\n"},
		{name: "case tells keys apart in the other", in: "TASK: x\nStatus: COMPLETE", want: "task \"x\"\n+Status \"COMPLETE\"\n"},

		// What is no event.
		{name: "no field", in: "", reason: parse.ReasonNoFields},
		{name: "no known field", in: "MOOD: fine", reason: parse.ReasonNoFields},
		{name: "choice of status", in: "STATUS: IN_PROGRESS | COMPLETE | BLOCKED | FAILED", reason: parse.ReasonTemplate},
		{name: "choice with an ellipsis", in: "STATUS: IN_PROGRESS | COMPLETE | …", reason: parse.ReasonTemplate},
		{name: "choice without blanks", in: "STATUS: COMPLETE|FAILED\nTASK: x", reason: parse.ReasonTemplate},
		{name: "choice in brackets", in: "STATUS: [COMPLETE | FAILED]", reason: parse.ReasonTemplate},
		{name: "choice in the indented form", in: "status: complete | failed", indented: true, reason: parse.ReasonTemplate},
		{name: "placeholder task", in: "STATUS: COMPLETE\nTASK: [one-line task description]", reason: parse.ReasonTemplate},
		{name: "placeholder task in angles", in: "STATUS: COMPLETE\nTASK: <what you did>", reason: parse.ReasonTemplate},
		{name: "a name in angles", in: "STATUS: COMPLETE\nTASK: <LoginForm>\nBLOCKERS: <none>\nNEXT_STEPS: <none>",
			want: `status "COMPLETE"
task "\u003cLoginForm\u003e"
blockers "\u003cnone\u003e"
next_steps "\u003cnone\u003e"
`},
		{name: "two placeholders", in: "STATUS: IN_PROGRESS\nTASKS_COMPLETED_THIS_LOOP: <0 or 1>\nRECOMMENDATION: <next task>", reason: parse.ReasonTemplate},
		{name: "other choices", in: "TESTS_STATUS: PASSING | FAILING\nEXIT_SIGNAL: false | true", reason: parse.ReasonTemplate},
		{name: "one that was forgotten", in: "STATUS: COMPLETE\nTASK: x\nCONFIDENCE: HIGH | MEDIUM | LOW",
			want: "status \"COMPLETE\"\ntask \"x\"\nconfidence \"HIGH | MEDIUM | LOW\"\n!CONFIDENCE unknown_value \"HIGH | MEDIUM | LOW\"\n"},
		{name: "a bar is no choice", in: "STATUS: COMPLETE | all good", want: "status \"COMPLETE | all good\"\n!STATUS unknown_value \"COMPLETE | all good\"\n"},
		{name: "brackets are no placeholder", in: "TASK: [Fix login]\nNEXT_STEPS: [Write tests]", want: "task \"[Fix login]\"\nnext_steps \"[Write tests]\"\n"},
	}
	var typer typer
	var s Status // reused, so that nothing of a block may stay for the next
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := block(tt.in)
			b.Indented, b.Unterminated = tt.indented, tt.unterminated
			reason := typer.typeBlock(b, &s)
			if reason != tt.reason {
				t.Fatalf("reason %q, want %q", reason, tt.reason)
			}
			if reason != "" {
				return
			}
			if got := fields(&s); got != tt.want {
				t.Errorf("got:\n%swant:\n%s", got, tt.want)
			}
			for _, v := range s.Violations {
				if v.Message == "" {
					t.Errorf("%s %s says nothing to people", v.Field, v.Reason)
				}
			}
		})
	}
}

// What parse takes for a known field has a type here.
func TestKeysAreParses(t *testing.T) {
	for _, k := range statusKeys {
		if !parse.KnownField(k.key) {
			t.Errorf("%s is unknown to parse", k.key)
		}
	}
}

func TestParseList(t *testing.T) {
	tests := []struct{ in, want string }{
		{``, `[]`},
		{`[]`, `[]`},
		{`[ ]`, `[]`},
		{`[None]`, `[]`},
		{`- None`, `[]`},
		{`n/a`, `[]`},
		{`a`, `["a"]`},
		{`a, b`, `["a","b"]`},
		{`a,b,`, `["a","b"]`},
		{`,, a`, `["a"]`},
		{`[a, b]`, `["a","b"]`},
		{`[a]`, `["a"]`},
		{`[a, b`, `["[a","b"]`},
		{`a, b]`, `["a","b]"]`},
		{`[a], [b]`, `["[a]","[b]"]`},
		{`[[a, b], c]`, `["[a, b]","c"]`},
		{`[src/app/[id]/page.tsx, src/[...slug].ts]`, `["src/app/[id]/page.tsx","src/[...slug].ts"]`},
		// Quotes protect commas, and are dropped when they enclose the item.
		{`["a", 'b']`, `["a","b"]`},
		{`"a, b", c`, `["a, b","c"]`},
		{`'a, b', c`, `["a, b","c"]`},
		{`abc123: "feat: x, y", def: z`, `["abc123: \"feat: x, y\"","def: z"]`},
		{`"a" and "b"`, `["\"a\" and \"b\""]`},
		{`"a"b"`, `["\"a\"b\""]`},
		{`"a \" b, c", d`, `["a \\\" b, c","d"]`},
		{`"a, b`, `["\"a","b"]`},
		{`a", b`, `["a\"","b"]`},
		{`don't, can't`, `["don't","can't"]`},
		{`users' a, dogs' b`, `["users' a","dogs' b"]`},
		{`'it's, ok', b`, `["it's, ok","b"]`},
		{`'a, b`, `["'a","b"]`},
		{`""`, `[]`},
		{`"`, `["\""]`},
		// So do brackets, nested; what does not close protects nothing.
		{`f(a, b), c`, `["f(a, b)","c"]`},
		{`f{a, (b, [c, d])}, e`, `["f{a, (b, [c, d])}","e"]`},
		{`f(a, b`, `["f(a","b"]`},
		{`[a(b, c]`, `["a(b","c"]`},
		{`a(b, [c, d), e`, `["a(b, [c, d)","e"]`},
		{`(a, b], c)`, `["(a, b], c)"]`},
		{`a), (b, c`, `["a)","(b","c"]`},
		{`("a, b), c`, `["(\"a, b)","c"]`},
		{`("a)", b), c`, `["(\"a)\", b)","c"]`},
		{"f(a, b\nc, d)", `["f(a","b","c","d)"]`},
		// One item a line.
		{"- a\n- b", `["a","b"]`},
		{"- a\n* b\n+ c", `["a","b","c"]`},
		{"\n- a\n\n- b\n", `["a","b"]`},
		{"* a\n* b", `["a","b"]`},
		{"- fix a, b\n- c", `["fix a, b","c"]`},
		{"- a long\nitem\n- b", `["a long item","b"]`},
		{"- \"a, b\"\n-\n- c", `["a, b","c"]`},
		{"-a, -b", `["-a","-b"]`},
		{"a,\nb", `["a","b"]`},
		{"a\nb", `["a","b"]`},
		{"[\na,\nb\n]", `["a","b"]`},
		{"[a,\nb]", `["a","b"]`},
		{"[a]\n[b]", `["[a]","[b]"]`},
		{"two files\n- a\n- b", `["two files","a","b"]`},
		{"`a, b`", "[\"`a\",\"b`\"]"},
		{`ä, 'ö'`, `["ä","ö"]`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(parseList(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tt.want {
			t.Errorf("%q: %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzStatus(f *testing.F) {
	f.Add("STATUS: COMPLETE\nFILES_MODIFIED: [a, \"b, c\"]\nMOOD: x\nSTATUS: y", true)
	f.Add("TASK: 'x'\nCOMMITS: - a\n  - b(\nEXIT_READY: maybe", false)
	f.Add("FILES_READ: "+strings.Repeat("'a(", 50), false)
	f.Fuzz(func(t *testing.T, text string, indented bool) {
		b := block(text)
		b.Indented = indented
		var typer typer
		var s Status
		if typer.typeBlock(b, &s) != "" {
			return
		}
		if len(s.Fields) == 0 {
			t.Errorf("%q: an event without fields", text)
		}
		seen := map[string]bool{}
		for _, f := range s.Fields {
			if seen[f.Name] {
				t.Errorf("%q: %s twice", text, f.Name)
			}
			seen[f.Name] = true
			switch v := f.Value.(type) {
			case nil, bool, int64:
			case string:
				if v == "" {
					t.Errorf("%q: %s is empty", text, f.Name)
				}
			case []string:
				if v == nil {
					t.Errorf("%q: %s is a nil list", text, f.Name)
				}
				for _, item := range v {
					if item == "" || strings.Contains(item, "\n") {
						t.Errorf("%q: %s holds %q", text, f.Name, item)
					}
				}
			default:
				t.Errorf("%q: %s is a %T", text, f.Name, v)
			}
		}
	})
}
