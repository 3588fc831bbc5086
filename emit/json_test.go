package emit

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"tagscan/normalize"
	"tagscan/parse"
)

func at(line int) normalize.Position {
	return normalize.Position{Pos: parse.Pos{Line: line}}
}

var everywhere = normalize.Position{File: "a.log", Pos: parse.Pos{
	Line: 7, Format: "claude", Role: "assistant", Session: "s-1", Message: "msg_1", Agent: "sidechain",
}}

const everywhereJSON = `"file":"a.log","line":7,"format":"claude","role":"assistant","session":"s-1","message":"msg_1","agent":"sidechain"}`

func TestAppendEvent(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event normalize.Event
		want  string
	}{
		{"the specification's tag", &normalize.Tag{
			Namespace: "jackin", Kind: "pr", Value: "https://github.com/acme/core/pull/520",
			Host: "github.com", Repo: "acme/core", Number: "520", Provenance: normalize.Agent, Position: at(12),
		}, `{"type":"tag","namespace":"jackin","kind":"pr","value":"https://github.com/acme/core/pull/520",` +
			`"host":"github.com","repo":"acme/core","number":520,"provenance":"agent","line":12}`},
		{"every key of a tag", &normalize.Tag{
			Namespace: "n", Kind: "k", Value: "v", Raw: "r", Host: "h", Repo: "a/b", Number: "123456789012345678901234567890",
			Extension: true, Repeat: true, Code: "span", Provenance: normalize.Operator, Position: everywhere,
		}, `{"type":"tag","namespace":"n","kind":"k","value":"v","raw":"r","host":"h","repo":"a/b",` +
			`"number":123456789012345678901234567890,"extension":true,"repeat":true,"code":"span","provenance":"operator",` + everywhereJSON},
		{"a plain tag without a place", &normalize.Tag{Kind: "promise", Value: "COMPLETE", Extension: true, Provenance: normalize.Agent},
			`{"type":"tag","kind":"promise","value":"COMPLETE","extension":true,"provenance":"agent"}`},

		{"the specification's status", &normalize.Status{
			Protocol: "agent_status",
			Fields: []normalize.StatusField{
				{Name: "status", Value: "COMPLETE"}, {Name: "task", Value: "Implement login"},
				{Name: "files_modified", Value: []string{"src/auth/login.ts"}}, {Name: "files_modified_count", Value: int64(1)},
				{Name: "files_read", Value: []string{}}, {Name: "tests_run", Value: "npm test (4 passed)"},
				{Name: "commits", Value: []string{`abc123: "feat: login"`}}, {Name: "work_summary", Value: "…"},
				{Name: "blockers", Value: nil}, {Name: "next_steps", Value: "…"},
				{Name: "confidence", Value: "HIGH"}, {Name: "exit_ready", Value: true},
			},
			Streak: normalize.Streak{Status: 1}, Provenance: normalize.Agent, Position: at(3), EndLine: 15,
		}, `{"type":"status","protocol":"agent_status","status":"COMPLETE","task":"Implement login",` +
			`"files_modified":["src/auth/login.ts"],"files_modified_count":1,"files_read":[],` +
			`"tests_run":"npm test (4 passed)","commits":["abc123: \"feat: login\""],"work_summary":"…",` +
			`"blockers":null,"next_steps":"…","confidence":"HIGH","exit_ready":true,"valid":true,` +
			`"streak":{"status":1,"no_progress":0},"provenance":"agent","line":3,"end_line":15}`},
		{"a status with extra, violations and code", &normalize.Status{
			Protocol: "ralph_status",
			Fields:   []normalize.StatusField{{Name: "status", Value: "DONE"}, {Name: "exit_ready", Value: nil}},
			Extra:    []normalize.ExtraField{{Key: "PHASE", Value: "2"}, {Key: "EMPTY"}},
			Violations: []normalize.Violation{
				{Field: "STATUS", Reason: "unknown_value", Value: "DONE", Message: "no"},
				{Reason: "unterminated", Message: "m"},
				{},
			},
			Streak: normalize.Streak{Status: 2, NoProgress: 3}, Code: "fence", Provenance: normalize.Agent,
			Position: everywhere, EndLine: 9,
		}, `{"type":"status","protocol":"ralph_status","status":"DONE","exit_ready":null,"extra":{"PHASE":"2","EMPTY":""},` +
			`"valid":false,"violations":[{"field":"STATUS","reason":"unknown_value","value":"DONE","message":"no"},` +
			`{"reason":"unterminated","message":"m"},{}],"streak":{"status":2,"no_progress":3},"code":"fence","provenance":"agent",` +
			strings.Replace(everywhereJSON, `"line":7,`, `"line":7,"end_line":9,`, 1)},

		{"an artifact", &normalize.Artifact{
			Tool: "mcp__cairn__artifact_create", Title: "Order", Tags: []string{"handoff", "lane:m"},
			Handoff:    []normalize.HandoffField{{Name: "lane", Value: "m"}, {Name: "size", Value: "s"}},
			Provenance: normalize.Agent, Position: at(40),
		}, `{"type":"artifact","tool":"mcp__cairn__artifact_create","title":"Order","tags":["handoff","lane:m"],` +
			`"handoff":{"lane":"m","size":"s"},"valid":true,"provenance":"agent","line":40}`},
		{"a hand-off that says no more", &normalize.Artifact{
			Tool: "t", Tags: []string{"handoff"}, Provenance: normalize.Agent, Position: at(1),
		}, `{"type":"artifact","tool":"t","tags":["handoff"],"handoff":{},"valid":true,"provenance":"agent","line":1}`},
		{"an artifact with bad tags", &normalize.Artifact{
			Tool: "t", Tags: []string{"A", "A"},
			Violations: []normalize.Violation{{Field: "tags[0]", Reason: "uppercase", Value: "A", Message: "m", Suggestion: "a"}},
			Provenance: normalize.Agent, Position: at(1),
		}, `{"type":"artifact","tool":"t","tags":["A","A"],"valid":false,` +
			`"violations":[{"field":"tags[0]","reason":"uppercase","value":"A","message":"m","suggestion":"a"}],"provenance":"agent","line":1}`},
		{"no tags at all", &normalize.Artifact{Tool: "t", Provenance: normalize.Agent, Position: at(1)},
			`{"type":"artifact","tool":"t","tags":[],"valid":true,"provenance":"agent","line":1}`},

		{"the specification's skipped", &normalize.Skipped{
			What: "tag", Reason: parse.ReasonFenced, Namespace: "jackin", Kind: "pr", Excerpt: "<jackin:pr>https://…", Position: at(31),
		}, `{"type":"skipped","what":"tag","reason":"fenced","namespace":"jackin","kind":"pr","excerpt":"<jackin:pr>https://…","line":31}`},
		{"a skipped record", &normalize.Skipped{What: "record", Reason: parse.ReasonInvalidRecord, Position: everywhere},
			`{"type":"skipped","what":"record","reason":"invalid_record",` + everywhereJSON},

		{"a valid list", &Validation{Tags: []string{"handoff", "lane:m"}}, `{"type":"validation","valid":true,"tags":["handoff","lane:m"]}`},
		{"an empty list", &Validation{}, `{"type":"validation","valid":true,"tags":[]}`},
		{"an invalid list has no tags", &Validation{
			Tags: []string{"x"},
			Violations: []normalize.Violation{
				{Field: "tags[0]", Reason: "required", Message: "m"},
				{Field: "tags", Reason: "too_many", Limit: 32, Unit: "tags", Message: "n"},
			},
			Position: at(4),
		}, `{"type":"validation","valid":false,"violations":[{"field":"tags[0]","reason":"required","message":"m"},` +
			`{"field":"tags","reason":"too_many","limit":32,"unit":"tags","message":"n"}],"line":4}`},
		{"a violation with everything", &Validation{Violations: []normalize.Violation{
			{Field: "f", Reason: "too_long", Value: "v", Limit: 64, Unit: "bytes", Message: "m", Suggestion: "s"}}},
			`{"type":"validation","valid":false,"violations":[{"field":"f","reason":"too_long","value":"v","limit":64,"unit":"bytes","message":"m","suggestion":"s"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := AppendEvent([]byte("before"), tt.event)
			if want := "before" + tt.want + "\n"; string(got) != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			if line := got[len("before"):]; !json.Valid(line) {
				t.Errorf("not JSON: %s", line)
			}
		})
	}
	if got := AppendEvent([]byte("x"), &struct{ normalize.Position }{}); string(got) != "x" {
		t.Errorf("what is no event gave %q", got)
	}
}

func TestAppendString(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{``, `""`},
		{`plain`, `"plain"`},
		{`"q" \ /`, `"\"q\" \\ /"`},
		{`<a>&amp;</a>`, `"<a>&amp;</a>"`},
		{`[a] # [b] ##[c] ###[[`, `"[a] # [b] ##\u005bc] ###\u005b["`},
		{"\b\t\n\f\r", `"\b\t\n\f\r"`},
		{"\x00\x01\x0b\x1b\x1f\x7f", `"\u0000\u0001\u000b\u001b\u001f\u007f"`},
		{"\u0080\u0085\u009b\u009f\u00a0", `"\u0080\u0085\u009b\u009f` + "\u00a0\""},
		{"a\u2028b\u2029c\u2027\u202a", `"a\u2028b\u2029c` + "\u2027\u202a\""},
		{"\xff", "\"\ufffd\""},
		{"a\xc3", "\"a\ufffd\""},
		{"\xe2\x82x", "\"\ufffd\ufffdx\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""}, // a surrogate
		{"\ufffd", "\"\ufffd\""},
		{"日本 😀 é", `"日本 😀 é"`},
		{"é\x7fé", `"é\u007fé"`},
	} {
		got := string(AppendString(nil, tt.in))
		if got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, got, tt.want)
		}
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != valid(tt.in) {
			t.Errorf("%q: decodes to %q, %v", tt.in, back, err)
		}
	}
}

// valid is s with each invalid byte replaced, as encoding/json does it.
func valid(s string) string { return string([]rune(s)) }

func FuzzAppendEvent(f *testing.F) {
	f.Add("https://a.dev/?a=1&b=<2>", "x", 1)
	f.Add("\x00\x1b[31m\u0085\u2028\xff\u202e", "\xed\xa0\x80", 0)
	f.Add("日本", "", 1<<40)
	f.Fuzz(func(t *testing.T, a, b string, n int) {
		pos := normalize.Position{File: a, Pos: parse.Pos{Line: n, Format: b, Role: a, Session: b, Message: a, Agent: b}}
		violations := []normalize.Violation{{Field: a, Reason: b, Value: a, Limit: n, Unit: b, Message: a, Suggestion: b}}
		for _, tt := range []struct {
			event normalize.Event
			want  map[string]any
		}{
			{&normalize.Tag{Kind: a, Value: b, Raw: a, Host: b, Repo: a, Code: b, Position: pos},
				map[string]any{"type": "tag", "kind": a, "value": b, "raw": a, "host": b, "repo": a, "code": b}},
			{&normalize.Status{Fields: []normalize.StatusField{{Name: "task", Value: a}, {Name: "commits", Value: []string{a, b}}},
				Extra: []normalize.ExtraField{{Key: b, Value: a}}, Violations: violations, Position: pos, EndLine: n},
				map[string]any{"type": "status", "task": a, "commits": []any{a, b}, "extra": map[string]any{b: a}, "valid": false}},
			{&normalize.Artifact{Tool: a, Title: b, Tags: []string{b, a}, Handoff: []normalize.HandoffField{{Name: "lane", Value: a}}, Position: pos},
				map[string]any{"type": "artifact", "tool": a, "title": b, "tags": []any{b, a}, "handoff": map[string]any{"lane": a}, "valid": true}},
			{&normalize.Skipped{What: a, Reason: b, Excerpt: a, Position: pos},
				map[string]any{"type": "skipped", "what": a, "reason": b, "excerpt": a}},
			{&Validation{Violations: violations, Position: pos}, map[string]any{"type": "validation", "valid": false}},
		} {
			line := AppendEvent(nil, tt.event)
			if !utf8.Valid(line) {
				t.Fatalf("not UTF-8: %q", line)
			}
			body, ended := strings.CutSuffix(string(line), "\n")
			if !ended || strings.ContainsFunc(body, raw) {
				t.Fatalf("a raw control character, or no line end: %q", line)
			}
			var got map[string]any
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%v: %q", err, line)
			}
			for key, want := range tt.want {
				want = cleaned(want)
				if want == "" && got[key] == nil {
					continue // left out
				}
				if !reflect.DeepEqual(got[key], want) {
					t.Fatalf("%s is %q, want %q", key, got[key], want)
				}
			}
		}
	})
}

func raw(r rune) bool {
	return r < 0x20 || 0x7f <= r && r < 0xa0 || r == '\u2028' || r == '\u2029'
}

func cleaned(v any) any {
	switch v := v.(type) {
	case string:
		return valid(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = cleaned(v[i])
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for k := range v {
			m[valid(k)] = cleaned(v[k])
		}
		return m
	}
	return v
}

func sampleStatus() *normalize.Status {
	return &normalize.Status{
		Protocol: "agent_status",
		Fields: []normalize.StatusField{
			{Name: "status", Value: "COMPLETE"}, {Name: "task", Value: "Implement login"},
			{Name: "files_modified", Value: []string{"src/auth/login.ts", "src/auth/types.ts"}},
			{Name: "files_modified_count", Value: int64(2)},
			{Name: "work_summary", Value: strings.Repeat("Created login function with validation.\n", 20)},
			{Name: "blockers"}, {Name: "exit_ready", Value: true},
		},
		Extra:      []normalize.ExtraField{{Key: "PHASE", Value: "2"}},
		Violations: []normalize.Violation{{Field: "STATUS", Reason: "duplicate", Message: "given twice"}},
		Streak:     normalize.Streak{Status: 1}, Provenance: normalize.Agent, Position: everywhere, EndLine: 15,
	}
}

func sampleTag() *normalize.Tag {
	return &normalize.Tag{
		Namespace: "jackin", Kind: "pr", Value: "https://github.com/acme/core/pull/520",
		Host: "github.com", Repo: "acme/core", Number: "520", Provenance: normalize.Agent, Position: everywhere,
	}
}

func TestAppendEventAllocates(t *testing.T) {
	buf := make([]byte, 0, 64<<10)
	for _, e := range []normalize.Event{sampleTag(), sampleStatus(),
		&normalize.Artifact{Tool: "t", Tags: []string{"a", "b"}},
		&normalize.Skipped{What: "tag", Excerpt: "日本\x1b"},
		&Validation{Tags: []string{"a"}}} {
		if n := testing.AllocsPerRun(100, func() { AppendEvent(buf[:0], e) }); n != 0 {
			t.Errorf("%T: %v allocations", e, n)
		}
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	wide := sampleTag()
	wide.Kind, wide.Extension, wide.Value = "plan", true, strings.Repeat("日本語のテキスト ", 50)
	for _, bb := range []struct {
		name  string
		event normalize.Event
	}{{"tag", sampleTag()}, {"wide", wide}, {"status", sampleStatus()}} {
		b.Run(bb.name, func(b *testing.B) {
			buf := AppendEvent(nil, bb.event)
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				buf = AppendEvent(buf[:0], bb.event)
			}
		})
	}
}

func ExampleAppendEvent() {
	line := AppendEvent(nil, &normalize.Tag{
		Namespace:  "jackin",
		Kind:       "link",
		Value:      "https://a.dev/?a=1&b=2",
		Provenance: normalize.Agent,
		Position:   normalize.Position{Pos: parse.Pos{Line: 12}},
	})
	fmt.Printf("%s", line)
	// Output: {"type":"tag","namespace":"jackin","kind":"link","value":"https://a.dev/?a=1&b=2","provenance":"agent","line":12}
}
