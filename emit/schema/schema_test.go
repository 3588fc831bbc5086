package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tagscan/emit"
	"tagscan/emit/schema"
	"tagscan/emit/schema/schematest"
	"tagscan/normalize"
	"tagscan/parse"
)

var everywhere = normalize.Position{File: "a.log", Pos: parse.Pos{
	Line: 7, Format: "claude", Role: "assistant", Session: "s-1", Message: "msg_1", Agent: "sidechain",
}}

var violations = []normalize.Violation{
	{Field: "STATUS", Reason: "unknown_value", Value: "v", Message: "m", Suggestion: "s"},
	{Reason: "unterminated", Message: "m"},
	{Field: "tags", Reason: "too_many", Limit: 32, Unit: "tags", Message: "m"},
}

// What AppendEvent writes, with every key there is and with as few as may be,
// is what the closed schema takes.
func TestEvents(t *testing.T) {
	for _, e := range []normalize.Event{
		&normalize.Tag{Namespace: "jackin", Kind: "pr", Value: "v", Raw: "r", Host: "h", Repo: "a/b", Number: "123456789012345678901234567890",
			Extension: true, Repeat: true, Code: "span", Provenance: normalize.Operator, Position: everywhere},
		&normalize.Tag{Kind: "promise", Value: "COMPLETE", Provenance: normalize.Agent},
		&normalize.Status{Protocol: "agent_status", Fields: []normalize.StatusField{
			{Name: "status", Value: "COMPLETE"}, {Name: "task", Value: "t"}, {Name: "files_modified", Value: []string{"a"}},
			{Name: "files_modified_count", Value: int64(1)}, {Name: "files_read", Value: []string{}}, {Name: "tests_run"},
			{Name: "commits", Value: []string{}}, {Name: "work_summary", Value: "a\nb"}, {Name: "blockers"}, {Name: "next_steps"},
			{Name: "confidence"}, {Name: "exit_ready", Value: true}, {Name: "tasks_completed_this_loop", Value: int64(-1)},
			{Name: "tests_status", Value: "PASSING"}, {Name: "work_type", Value: "x"}, {Name: "recommendation", Value: "y"}},
			Extra: []normalize.ExtraField{{Key: "PHASE", Value: ""}}, Violations: violations,
			Streak: normalize.Streak{Status: 1}, Code: "fence", Provenance: normalize.Agent, Position: everywhere, EndLine: 9},
		&normalize.Status{Protocol: "ralph_status", Provenance: normalize.Agent},
		&normalize.Artifact{Tool: "t", Title: "x", Tags: []string{"handoff", "B"}, Violations: violations, Provenance: normalize.Agent, Position: everywhere,
			Handoff: []normalize.HandoffField{{Name: "lane", Value: "m"}, {Name: "size"}, {Name: "repo"}, {Name: "issue"}, {Name: "source"}, {Name: "reply"}}},
		&normalize.Artifact{Tool: "t", Provenance: normalize.Agent},
		&normalize.Skipped{What: "tag", Reason: parse.ReasonFenced, Namespace: "n", Kind: "k", Excerpt: "<n:k>", Position: everywhere},
		&normalize.Skipped{What: "record", Reason: parse.ReasonInvalidRecord},
		&emit.Validation{Tags: []string{"handoff", "issue:acme/core#42"}},
		&emit.Validation{Violations: violations, Position: normalize.Position{File: "f", Pos: parse.Pos{Line: 2}}},
	} {
		schematest.ValidateLines(t, emit.AppendEvent(nil, e))
	}
}

func TestLines(t *testing.T) {
	const (
		tag    = `{"type":"tag","kind":"pr","value":"v","provenance":"agent"`
		status = `{"type":"status","protocol":"agent_status","valid":true,"streak":{"status":1,"no_progress":0},"provenance":"agent"`
		snap   = `{"type":"snapshot","repo":[],"issue":[],"pr":[],"link":[],"counts":{}`
	)
	for _, tt := range []struct {
		line string
		bad  string // what is said against it, "" for nothing
	}{
		{tag + `}`, ""},
		{tag + `,"route":{"stage":"rule","rule_index":3,"rule_id":"lane-m","action":{"queue":"lane-m","once":true},"queue":"lane-m"}}`, ""},
		{tag + `,"route":{"stage":"rule","rule_index":0,"rule_id":"x","action":{"drop":true}}}`, ""},
		{tag + `,"route":{"stage":"default","cause":"no_match","queue":"default"}}`, ""},
		{tag + `,"route":{"stage":"fault","cause":"timeout","rule_index":0,"rule_id":"x"}}`, ""},
		{tag + `,"route":{"stage":"fault","cause":"timeout","rule_index":0,"rule_id":"x","queue":"q"}}`, "oneOf"},
		{tag + `,"route":{"stage":"rule","rule_index":0,"rule_id":"x"}}`, "oneOf"},
		{tag + `,"route":{"stage":"rule","rule_index":0,"rule_id":"x","action":{"queue":"q","drop":true}}}`, "oneOf"},
		{tag + `,"route":{"stage":"default","cause":"error"}}`, "oneOf"},
		{tag + `,"route":{"stage":"rule","rule_index":0,"rule_id":"x","action":{"queue":".q"}}}`, "pattern"},
		{tag + `,"lines":3}`, "lines"},
		{tag + `,"line":0}`, "minimum"},
		{tag + `,"line":"3"}`, "integer"},
		{tag + `,"namespace":""}`, "minLength"},
		{tag + `,"extension":false}`, "true"},
		{tag + `,"code":"indented"}`, "code"},
		{tag + `,"number":"520"}`, "integer"},
		{tag + `,"format":"aider"}`, "format"},
		{`{"type":"tag","kind":"PR","value":"v","provenance":"agent"}`, "pattern"},
		{`{"type":"tag","kind":"pr","value":"","provenance":"agent"}`, "minLength"},
		{`{"type":"tag","kind":"pr","value":"v"}`, "provenance"},

		{status + `,"blockers":null,"status":"DONE"}`, ""},
		{status + `,"violations":[{"reason":"unterminated","message":"m"}]}`, "not"},
		{status + `,"files_modified":null}`, "array"},
		{status + `,"exit_ready":"true"}`, "exit_ready"},
		{status + `,"extra":{"A":1}}`, "string"},
		{status + `,"extra":{}}`, "minProperties"},
		{strings.Replace(status, "true", "false", 1) + `}`, "violations"},
		{strings.Replace(status, "true", "false", 1) + `,"violations":[]}`, "minItems"},
		{strings.Replace(status, "true", "false", 1) + `,"violations":[{"reason":"odd","message":"m"}]}`, "reason"},
		{strings.Replace(status, "true", "false", 1) + `,"violations":[{"reason":"duplicate","message":"m","x":1}]}`, "x"},
		{strings.Replace(status, `"no_progress":0`, `"no_progress":0,"x":0`, 1) + `}`, "x"},

		{`{"type":"artifact","tool":"t","tags":["handoff"],"handoff":{"colour":"x"},"valid":true,"provenance":"agent"}`, "colour"},
		{`{"type":"skipped","what":"line","reason":"fenced"}`, "what"},
		{`{"type":"skipped","what":"tag","reason":"ugly"}`, "reason"},

		{`{"type":"validation","valid":true,"tags":[]}`, ""},
		{`{"type":"validation","valid":true}`, "tags"},
		{`{"type":"validation","valid":true,"tags":["A"]}`, "pattern"},
		{`{"type":"validation","valid":true,"tags":["a","a"]}`, "equal"},
		{`{"type":"validation","valid":false,"tags":[],"violations":[{"reason":"required","message":"m"}]}`, "not"},

		{snap + `}`, ""},
		{snap + `,"status":{"value":"x","provenance":"operator"},"agent_status":` + status + `}}`, ""},
		{snap + `,"agent_status":` + strings.Replace(status, `"type":"status",`, ``, 1) + `}}`, ""},
		{snap + `,"agent_status":` + status + `,"x":1}}`, "x"},
		{strings.Replace(status, `"type":"status",`, ``, 1) + `}`, "no such type"},
		{snap + `,"sessions":[` + status + `,"session":"s-2"}]}`, ""},
		{strings.Replace(snap, `"pr":[]`, `"pr":[{"value":"v","provenance":"agent","host":"h","repo":"a/b","number":1}]`, 1) + `}`, ""},
		{strings.Replace(snap, `{}`, `{"tag":3,"kind":{"pr":1}}`, 1) + `}`, ""},
		{strings.Replace(snap, `{}`, `{"tag":"3"}`, 1) + `}`, "counts"},
		{strings.Replace(snap, `"pr":[],`, ``, 1) + `}`, "pr"},
		{snap + `,"agent_status":{"type":"tag"}}`, "agent_status"},

		{`{"type":"override","op":"set","kind":"pr","value":"v","provenance":"operator"}`, ""},
		{`{"type":"override","op":"unset","kind":"pr","provenance":"operator"}`, ""},
		{`{"type":"override","op":"set","kind":"pr","provenance":"operator"}`, "value"},
		{`{"type":"override","op":"set","kind":"pr","value":"v","provenance":"agent"}`, "operator"},
		{`{"type":"override","op":"set","kind":"plan","value":"v","provenance":"operator"}`, "kind"},

		{`{"type":"other"}`, "other"},
		{`{}`, "no such type"},
		{`[]`, "not an object"},
		{`{"type":"tag"`, "EOF"},
	} {
		err := schematest.Check([]byte(tt.line))
		if tt.bad == "" && err != nil {
			t.Errorf("%s\n%v", tt.line, err)
		}
		if tt.bad != "" && err == nil {
			t.Errorf("%s\npassed", tt.line)
		}
		if tt.bad != "" && err != nil && !strings.Contains(err.Error()+fmt.Sprintf("%#v", kinds(err)), tt.bad) {
			t.Errorf("%s\n%v\nsays nothing of %q: %v", tt.line, err, tt.bad, kinds(err))
		}
	}
}

// kinds are the keywords that failed.
func kinds(err error) (list []string) {
	e, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return nil
	}
	list = append(list, strings.Join(e.ErrorKind.KeywordPath(), "/"))
	for _, cause := range e.Causes {
		list = append(list, kinds(cause)...)
	}
	return list
}

// As it is published the schema is a valid one of its draft, and lets through
// what it does not know.
func TestOpen(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.JSON))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("events.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("events.json")
	if err != nil {
		t.Fatal(err)
	}
	if draft := doc.(map[string]any)["$schema"]; draft != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("$schema is %v", draft)
	}
	event, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"type":"tag","kind":"pr","value":"v","provenance":"agent","new":{"key":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(event); err != nil {
		t.Error(err)
	}
}

// The registry of skip reasons is closed: the schema has those that the code
// has, and no other.
func TestReasons(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../parse/mark.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			for i, name := range spec.Names {
				if strings.HasPrefix(name.Name, "Reason") {
					reason, err := strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, reason)
				}
			}
		}
	}
	var doc struct {
		Defs struct {
			Skipped struct {
				Properties struct {
					Reason struct{ Enum []string }
				}
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(schema.JSON, &doc); err != nil {
		t.Fatal(err)
	}
	got := doc.Defs.Skipped.Properties.Reason.Enum
	slices.Sort(got)
	slices.Sort(want)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the schema has %q, the code %q", got, want)
	}
}

func Example() {
	var doc struct{ Title string }
	if err := json.Unmarshal(schema.JSON, &doc); err != nil {
		fmt.Println(err)
	}
	fmt.Println(doc.Title)
	// Output: tagscan events
}
