package term

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"tagscan/emit"
	"tagscan/normalize"
	"tagscan/parse"
)

func at(line int) normalize.Position {
	return normalize.Position{Pos: parse.Pos{Line: line}}
}

func show(v emit.View, events ...normalize.Event) string {
	var b bytes.Buffer
	v.Text = true
	if v.Width == 0 {
		v.Width = 80
	}
	p := New(emit.NewWriter(&b), v)
	for _, e := range events {
		p.Event(e)
	}
	p.Flush()
	return b.String()
}

var (
	pr = &normalize.Tag{Namespace: "jackin", Kind: "pr", Value: "https://github.com/acme/core/pull/520",
		Host: "github.com", Repo: "acme/core", Number: "520", Provenance: normalize.Agent, Position: at(12)}
	mr = &normalize.Tag{Namespace: "jackin", Kind: "pr", Value: "https://gitlab.example.com/platform/infra/deploy-tools/-/merge_requests/1187",
		Host: "gitlab.example.com", Repo: "platform/infra/deploy-tools", Number: "1187", Provenance: normalize.Agent, Position: at(14)}
	complete = &normalize.Status{Protocol: "agent_status", Fields: []normalize.StatusField{
		{Name: "status", Value: "COMPLETE"}, {Name: "task", Value: "Implement login"},
		{Name: "files_modified", Value: []string{"src/auth/login.ts", "src/auth/types.ts", "src/auth/session/refresh_token_store.ts", "src/routes/index.ts"}},
		{Name: "files_modified_count", Value: int64(4)}, {Name: "files_read", Value: []string{}},
		{Name: "tests_run", Value: "npm test (4 passed)"},
		{Name: "work_summary", Value: "Created login function with email/password validation,\nJWT token generation, and error handling. Follows patterns from\nexisting register.ts.\nNOTE: nothing"},
		{Name: "blockers"}, {Name: "confidence", Value: "HIGH"}, {Name: "exit_ready", Value: true},
	}, Streak: normalize.Streak{Status: 1}, Provenance: normalize.Agent, Position: at(84), EndLine: 99}
)

func TestPrinter(t *testing.T) {
	tag := func(kind, value string, line int) *normalize.Tag {
		return &normalize.Tag{Namespace: "jackin", Kind: kind, Value: value, Provenance: normalize.Agent, Position: at(line)}
	}
	ext := func(kind, value string, line int) *normalize.Tag {
		e := tag(kind, value, line)
		e.Extension = true
		return e
	}
	in := func(e *normalize.Tag, change func(*normalize.Tag)) *normalize.Tag {
		c := *e
		change(&c)
		return &c
	}
	for _, tt := range []struct {
		name   string
		view   emit.View
		events []normalize.Event
		want   string
	}{
		{"tags", emit.View{}, []normalize.Event{
			tag("repo", "/workspace/core", 3), pr, mr, tag("link", "https://a.dev/x", 15), tag("status", "testing", 18), ext("plan", "go on", 20), pr,
		}, `
   3  repo      /workspace/core
  12  pr        acme/core#520  https://github.com/acme/core/pull/520
  14  pr        platform/infra/deploy-tools!1187
  https://gitlab.example.com/platform/infra/deploy-tools/-/merge_requests/1187
  15  link      https://a.dev/x
  18  status    testing
  20  plan      go on
  12  pr        acme/core#520  https://github.com/acme/core/pull/520
`},
		{"short names are aligned as they come", emit.View{Width: 200}, []normalize.Event{
			pr,
			in(pr, func(e *normalize.Tag) {
				e.Kind, e.Repo, e.Number, e.Value = "issue", "acme/core-library", "9", "https://github.com/acme/core-library/issues/9"
			}),
			in(pr, func(e *normalize.Tag) {
				e.Kind, e.Number, e.Value = "repo", "", "https://github.com/acme/core"
			}),
			mr,
		}, `
  12  pr        acme/core#520  https://github.com/acme/core/pull/520
  12  issue     acme/core-library#9  https://github.com/acme/core-library/issues/9
  12  repo      acme/core            https://github.com/acme/core
  14  pr        platform/infra/deploy-tools!1187  https://gitlab.example.com/platform/infra/deploy-tools/-/merge_requests/1187
`},
		{"a URL moves to where it need not be broken", emit.View{Width: 50}, []normalize.Event{
			tag("link", "https://a.dev/"+strings.Repeat("x", 30), 1), // 44: from the left
			tag("link", "https://a.dev/"+strings.Repeat("x", 34), 2), // 48: from the margin
			tag("link", "https://a.dev/"+strings.Repeat("x", 35), 3), // 49: nowhere
			pr,
		}, `
   1  link
      https://a.dev/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
   2  link
  https://a.dev/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
   3  link      https://a.dev/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
  12  pr        acme/core#520
      https://github.com/acme/core/pull/520
`},
		{"line numbers grow", emit.View{}, []normalize.Event{tag("status", "a", 9999), tag("status", "b", 123456), tag("status", "c", 0), tag("status", "d", 1)}, `
9999  status    a
123456  status    b
        status    c
     1  status    d
`},
		{"no line numbers", emit.View{}, []normalize.Event{tag("status", "a", 0)}, `
status    a
`},
		{"long kinds", emit.View{}, []normalize.Event{ext("needs-a-decision", "which?", 1)}, `
   1  needs-a-decision  which?
`},
		{"folded, wide characters two columns each", emit.View{Width: 36}, []normalize.Event{
			ext("plan", "use 認証を新しい方式に切り替える and 🚀🚀🚀🚀🚀🚀 go", 1),
		}, `
   1  plan      use 認証を新しい方式
                に切り替える and 🚀
                🚀🚀🚀🚀🚀 go
`},
		{"a word longer than the line stays whole", emit.View{Width: 30}, []normalize.Event{
			ext("plan", "see src/auth/session/refresh_token_store.ts there", 1),
		}, `
   1  plan      see
                src/auth/session/refresh_token_store.ts
                there
`},
		{"notes", emit.View{}, []normalize.Event{
			in(pr, func(e *normalize.Tag) { e.Repeat, e.Code = true, "fence" }),
			in(tag("status", "x", 2), func(e *normalize.Tag) { e.Code, e.Agent = "span", "sidechain" }),
			in(tag("status", "x", 3), func(e *normalize.Tag) { e.Role, e.Agent = "tool", "toolu_1" }),
			in(tag("status", "x", 4), func(e *normalize.Tag) { e.Role, e.Provenance = "assistant", normalize.Operator }),
		}, `
  12  pr        acme/core#520  https://github.com/acme/core/pull/520
                (repeat, in a fence)
   2  status    x  (in a code span, sub-agent)
   3  status    x  (role tool, sub-agent toolu_1)
   4  status    x  (by the operator)
`},
		{"files and sessions", emit.View{}, []normalize.Event{
			in(pr, func(e *normalize.Tag) { e.File, e.Format, e.Session = "a.jsonl", "claude", "s-1" }),
			in(pr, func(e *normalize.Tag) { e.File, e.Format, e.Session = "a.jsonl", "claude", "s-1" }),
			in(pr, func(e *normalize.Tag) { e.File, e.Format, e.Session = "a.jsonl", "claude", "s-2" }),
			in(pr, func(e *normalize.Tag) { e.File = "b\x1b.log" }),
		}, `
a.jsonl
claude session s-1
  12  pr        acme/core#520  https://github.com/acme/core/pull/520
  12  pr        acme/core#520  https://github.com/acme/core/pull/520
claude session s-2
  12  pr        acme/core#520  https://github.com/acme/core/pull/520

b\x1b.log
  12  pr        acme/core#520  https://github.com/acme/core/pull/520
`},
		{"a status block", emit.View{}, []normalize.Event{pr, complete, pr}, `
  12  pr        acme/core#520  https://github.com/acme/core/pull/520

  84  ● COMPLETE  Implement login
      │ HIGH confidence · exit ready
      │ modified  src/auth/login.ts, src/auth/types.ts,
      │           src/auth/session/refresh_token_store.ts, src/routes/index.ts
      │ tests     npm test (4 passed)
      │ summary   Created login function with email/password validation,
      │           JWT token generation, and error handling. Follows patterns
      │           from existing register.ts.
      │           NOTE: nothing

  12  pr        acme/core#520  https://github.com/acme/core/pull/520
`},
		{"an invalid block, in ASCII", emit.View{ASCII: true}, []normalize.Event{&normalize.Status{
			Protocol: "ralph_status",
			Fields: []normalize.StatusField{{Name: "status", Value: "DONE"}, {Name: "tasks_completed_this_loop", Value: int64(2)},
				{Name: "files_modified_count", Value: int64(1)}, {Name: "exit_ready", Value: nil}, {Name: "next_steps", Value: "a\tb"}},
			Extra: []normalize.ExtraField{{Key: "PHASE", Value: "2\x1b[2J"}},
			Violations: []normalize.Violation{
				{Field: "STATUS", Reason: "unknown_value", Value: "DO\u202eNE", Message: "STATUS is not a status", Suggestion: "COMPLETE"},
				{Reason: "unterminated"},
			},
			Streak: normalize.Streak{Status: 2, NoProgress: 3}, Code: "fence", Position: at(1),
		}}, `
   1  * DONE
      | ralph, in a fence, 2 in a row, 3 reports without progress
      | tasks     2
      | modified  1 file
      | next      a b
      | PHASE     2\x1b[2J
      | x STATUS "DO\u202eNE": is not a status; did you mean COMPLETE?
      | x unterminated
`},
		{"a block without a status", emit.View{}, []normalize.Event{&normalize.Status{Protocol: "agent_status", Streak: normalize.Streak{Status: 1, NoProgress: 1},
			Fields: []normalize.StatusField{{Name: "exit_ready", Value: false}}, Position: at(1)}}, `
   1  ● no status
      │ not exit ready · 1 report without progress
`},
		{"artifacts", emit.View{}, []normalize.Event{
			&normalize.Artifact{Tool: "mcp__cairn__artifact_create", Title: "Order\nnow", Tags: []string{"handoff", "lane:m"}, Position: at(40)},
			&normalize.Artifact{Tool: "bundle_create", Tags: []string{"Handoff"}, Position: at(41), Violations: []normalize.Violation{
				{Field: "tags[0]", Reason: "uppercase", Value: "Handoff", Message: "upper case", Suggestion: "handoff"}}},
		}, `
  40  artifact  Order\nnow
      │ tool      mcp__cairn__artifact_create
      │ tags      handoff  lane:m

  41  artifact  untitled
      │ tool      bundle_create
      │ tags      Handoff
      │ ✗ tags[0] "Handoff": upper case; did you mean handoff?
`},
		{"skipped", emit.View{}, []normalize.Event{
			&normalize.Skipped{What: "tag", Reason: "fenced", Kind: "pr", Excerpt: "<jackin:pr>x", Position: at(31)},
			&normalize.Skipped{What: "record", Reason: "invalid_record", Excerpt: "{\"a\n\x9b", Position: at(32)},
			&normalize.Skipped{What: "block", Reason: "template", Position: at(33)},
			&normalize.Skipped{What: "block", Reason: "odd", Position: at(34)},
		}, `
  31  skipped   fenced: inside a code fence  <jackin:pr>x
  32  skipped   record invalid_record: a record that is malformed or too large
                {"a\n\x9b
  33  skipped   block template: the protocol's template, not filled in
  34  skipped   block odd
`},
		{"validations", emit.View{Width: 40}, []normalize.Event{
			&emit.Validation{Tags: []string{"handoff", "lane:m", "issue:acme/core#42"}},
			&emit.Validation{},
			&emit.Validation{Violations: []normalize.Violation{
				{Field: "tags[1]", Value: "Lane:M", Message: "upper case", Suggestion: "lane:m"},
				{Field: "tags[3]", Message: "empty"},
				{Field: "tags", Limit: 32, Unit: "tags", Message: "too many"},
			}},
			&emit.Validation{Tags: []string{"a"}, Position: at(7)},
		}, `
valid     handoff  lane:m
          issue:acme/core#42
valid     no tags
invalid   3 violations
│ ✗ tags[1] "Lane:M": upper case; did
│   you mean lane:m?
│ ✗ tags[3] empty
│ ✗ tags too many
   7  valid     a
`},
		{"no event", emit.View{}, []normalize.Event{&normalize.Position{}, nil}, "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := "\n" + show(tt.view, tt.events...); got != tt.want {
				t.Errorf("got:%s\nwant:%s", got, tt.want)
			}
		})
	}
}

func TestListsEnd(t *testing.T) {
	var e normalize.Artifact
	e.Tool = "t"
	for i := range 1000 {
		e.Tags = append(e.Tags, fmt.Sprint("tag", i))
		e.Violations = append(e.Violations, normalize.Violation{Field: fmt.Sprint("tags[", i, "]"), Message: "m"})
	}
	got := show(emit.View{Width: 200}, &e)
	for _, want := range []string{"  tag19  … and 980 more\n", "│ ✗ tags[19] m\n│ … and 980 more\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// No line is a command to the runner of a CI job, wherever one is folded.
func TestCommands(t *testing.T) {
	pos := at(1)
	pos.File, pos.Agent = " ::error::file", "::error::agent"
	value := "words ::error::here " + strings.Repeat("x", 60) + " ::error::there \u00a0::error::x"
	for width := 20; width < 120; width++ {
		out := show(emit.View{Width: width}, &normalize.Tag{Kind: "note", Value: value, Extension: true, Position: pos},
			&normalize.Status{Fields: []normalize.StatusField{{Name: "status", Value: "COMPLETE"}, {Name: "task", Value: value + "\n ::error::task"}}, Position: at(2)},
			&normalize.Skipped{What: "tag", Reason: "fenced", Excerpt: value[:64], Position: at(3)},
			&normalize.Artifact{Tool: value, Title: value, Tags: []string{"::error::a", value}, Position: at(4)})
		for line := range strings.Lines(out) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") {
				t.Errorf("width %d: %q", width, line)
			}
		}
	}
}

func TestColor(t *testing.T) {
	for _, tt := range []struct {
		view  emit.View
		event normalize.Event
		want  string
	}{
		{emit.View{Color: true}, pr, "  \x1b[2m12\x1b[0m  \x1b[1;32mpr\x1b[0m        \x1b[1macme/core#520\x1b[0m  https://github.com/acme/core/pull/520\n"},
		{emit.View{Links: true}, pr, "  12  pr        " +
			"\x1b]8;;https://github.com/acme/core/pull/520\x1b\\acme/core#520\x1b]8;;\x1b\\  " +
			"\x1b]8;;https://github.com/acme/core/pull/520\x1b\\https://github.com/acme/core/pull/520\x1b]8;;\x1b\\\n"},
		// Free text is no link, whatever it looks like.
		{emit.View{Links: true}, &normalize.Tag{Kind: "docs", Value: "https://a.dev/", Extension: true}, "docs      https://a.dev/\n"},
		{emit.View{Links: true}, &normalize.Tag{Kind: "status", Value: "https://a.dev/"}, "status    https://a.dev/\n"},
		{emit.View{Color: true}, &normalize.Skipped{What: "tag", Reason: "fenced", Excerpt: "<a b>"}, "\x1b[2mskipped\x1b[0m   \x1b[33mfenced\x1b[0m\x1b[2m: inside a code fence\x1b[0m  <a b>\n"},
	} {
		if got := show(tt.view, tt.event); got != tt.want {
			t.Errorf("%+v:\n got %q\nwant %q", tt.view, got, tt.want)
		}
	}
}

func TestSafe(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain text", "plain text"},
		{`a\b`, `a\b`},
		{"##[x] #[y] [z]", "## [x] #[y] [z]"},
		{"\x00\x07\x1b[31m\x7f", `\x00\x07\x1b[31m\x7f`},
		{"a\tb\nc\rd", `a\tb\nc\rd`},
		{"\u0085\u009b\u00a0", `\u0085\u009b` + "\u00a0"},
		{"\x9b\xff\xc3", `\x9b\xff\xc3`},
		{"\u202e\u2066\u061c\u200f", `\u202e\u2066\u061c\u200f`},
		{"a\u200bb\u200d\ufeff\u2060\u00ad", `a\u200bb\u200d\ufeff\u2060\u00ad`},
		{"\u2028\u2029", `\u2028\u2029`},
		{"\U000e0041\U000e0101", `\U000e0041\U000e0101`},                     // tags, a variation selector
		{"\u115f\u3164\u034f\ufe00\ue000", `\u115f\u3164\u034f\ufe00\ue000`}, // fillers, joiner, private use
		{"❤\ufe0f", "❤\ufe0f"},
		{"❤\ufe0f\ufe0f", "❤\ufe0f" + `\ufe0f`},
		{"a\ufe0f", `a\ufe0f`},
		{"日本 é ñ 😀", "日本 é ñ 😀"},
		{"e\u0301", "e\u0301"},
		{"z" + strings.Repeat("\u0301", 6), "z" + strings.Repeat("\u0301", 4) + `\u0301\u0301`},
		{"\ufffd", "\ufffd"},
	} {
		if got := Safe(tt.in); got != tt.want {
			t.Errorf("Safe(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestWidth(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want int
	}{
		{"", 0}, {"abc", 3}, {"é", 1}, {"e\u0301", 1}, {"日本", 4}, {"한글", 4}, {"ｆｕｌｌ", 8}, {"ﾊﾝｶｸ", 4},
		{"😀", 2}, {"🚀x", 3}, {"✅", 2}, {"✗", 1}, {"│●·…", 4}, {"❤\ufe0f", 1}, {"\u1112\u1161\u11ab", 2}, {"\U00020000", 2},
	} {
		if got := Width(tt.s); got != tt.want {
			t.Errorf("Width(%q) = %d, want %d", tt.s, got, tt.want)
		}
	}
	for i := 1; i < len(wide); i++ {
		if wide[i-1][1] >= wide[i][0] || wide[i][0] > wide[i][1] {
			t.Errorf("the table is out of order at %#x", wide[i][0])
		}
	}
}

func TestAppendLink(t *testing.T) {
	for _, tt := range []struct{ target, want string }{
		{"https://a.dev/x?y=1#z", "https://a.dev/x?y=1#z"},
		{"http://[::1]:80/", "http://[::1]:80/"},
		{"https://a.dev/日", "https://a.dev/%E6%97%A5"},
		{"https://日.dev/", ""},
		{"https://u:p@a.dev/", ""},
		{"https://a.dev/ x", ""},
		{"https://a.dev/\x1b\\x", ""},
		{"https://a.dev/\u202e", ""},
		{"https://a.dev/\u3000", ""},
		{"https://a.dev/\xff", ""},
		{"https://a.dev/%zz", ""},
		{"https://", ""},
		{"javascript:alert(1)", ""},
		{"file:///etc/passwd", ""},
		{"/workspace", ""},
		{"", ""},
	} {
		want := "text"
		if tt.want != "" {
			want = "\x1b]8;;" + tt.want + "\x1b\\text\x1b]8;;\x1b\\"
		}
		if got := string(AppendLink(nil, tt.target, "text")); got != want {
			t.Errorf("%q: %q, want %q", tt.target, got, want)
		}
	}
}

// ours are the escape sequences that a Printer itself writes.
var ours = regexp.MustCompile("\x1b\\[[0-9;]+m|\x1b\\]8;;(https?://[!-~]+)?\x1b\\\\")

func FuzzPrinter(f *testing.F) {
	f.Add("https://a.dev/\x1b]8;;x\x07", "\u202eabc\x9b2J", 80)
	f.Add("日本語 🚀 \xff", "a\nb\n c", 1)
	f.Add("", "z\u0301\u0301\u0301\u0301\u0301\u0301", 20)
	f.Fuzz(func(t *testing.T, a, b string, width int) {
		pos := normalize.Position{File: a, Pos: parse.Pos{Line: width, Format: b, Role: a, Session: b, Message: a, Agent: b}}
		violations := []normalize.Violation{{Field: a, Reason: b, Value: a, Message: b, Suggestion: a}}
		got := show(emit.View{Color: true, Links: true, Width: max(width&0xff, 20)},
			&normalize.Tag{Kind: "pr", Value: a, Repo: b, Number: "1", Position: pos},
			&normalize.Tag{Kind: "link", Value: b, Position: pos},
			&normalize.Tag{Kind: a, Value: b, Extension: true, Provenance: normalize.Operator, Position: pos},
			&normalize.Status{Protocol: a, Fields: []normalize.StatusField{{Name: "status", Value: a}, {Name: "task", Value: b},
				{Name: "confidence", Value: a}, {Name: "work_summary", Value: b}, {Name: "commits", Value: []string{a, b}}},
				Extra: []normalize.ExtraField{{Key: a, Value: b}}, Violations: violations, Position: pos},
			&normalize.Artifact{Tool: a, Title: b, Tags: []string{a, b}, Violations: violations},
			&normalize.Skipped{What: a, Reason: b, Excerpt: a, Position: pos},
			&emit.Validation{Violations: violations},
			&emit.Validation{Tags: []string{b, a}},
		)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		for _, r := range ours.ReplaceAllString(got, "") {
			if r != '\n' && (r < ' ' || r >= 0x7f && hidden(r) && r != 0xfe0f) {
				t.Fatalf("%U came through raw: %q", r, got)
			}
		}
		if plain := show(emit.View{}, &normalize.Tag{Kind: "k", Value: a, Extension: true}); strings.ContainsRune(plain, 0x1b) {
			t.Fatalf("an escape sequence without colour: %q", plain)
		}
	})
}

func Example() {
	w := emit.NewWriter(os.Stdout)
	p := New(w, emit.View{Text: true, Width: 80})
	p.Event(&normalize.Tag{Namespace: "jackin", Kind: "issue", Value: "https://github.com/acme/core/issues/42",
		Host: "github.com", Repo: "acme/core", Number: "42", Provenance: normalize.Agent,
		Position: normalize.Position{Pos: parse.Pos{Line: 1201}}})
	p.Event(&normalize.Tag{Namespace: "jackin", Kind: "status", Value: "testing \x1b[31mred", Provenance: normalize.Agent,
		Position: normalize.Position{Pos: parse.Pos{Line: 1204}}})
	p.Flush()
	// Output:
	// 1201  issue     acme/core#42  https://github.com/acme/core/issues/42
	// 1204  status    testing \x1b[31mred
}
