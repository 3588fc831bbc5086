package normalize

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tagscan/parse"
)

// at is a mark's place: row, session, message and agent of a transcript.
type at struct {
	row                     uint64
	session, message, agent string
	echo, grown             bool
}

func (a at) origin() parse.Origin {
	return parse.Origin{Row: a.row, Rows: true, Echo: a.echo, Grown: a.grown}
}
func (a at) pos() parse.Pos {
	return parse.Pos{Line: int(a.row), Session: a.session, Message: a.message, Agent: a.agent}
}

// A mark is a tag "kind value" or "ns:kind value", a block "---" with its
// lines, or an artifact "+" with its tags.
func feed(n *Normalizer, a at, code parse.Code, mark string) {
	switch {
	case strings.HasPrefix(mark, "---"):
		b := block(strings.ReplaceAll(mark[3:], ";", "\n"))
		b.Pos, b.Origin, b.Code = a.pos(), a.origin(), code
		b.Quoted = code == parse.CodeSpan // no block is in a span
		if b.Quoted {
			b.Code = parse.CodeFence
		}
		n.Block(b)
	case strings.HasPrefix(mark, "+"):
		n.Artifact(&parse.Artifact{Pos: a.pos(), Origin: a.origin(), Tool: "artifact_create", Tags: strings.Fields(mark[1:])})
	default:
		kind, value, _ := strings.Cut(mark, " ")
		ns := "jackin"
		if i := strings.IndexByte(kind, ':'); i >= 0 {
			ns, kind = kind[:i], kind[i+1:]
		}
		n.Tag(&parse.Tag{Pos: a.pos(), Origin: a.origin(), Code: code, Namespace: ns, Kind: kind, Value: []byte(value)})
	}
}

// short writes an event as the tables have it.
func short(e Event) string {
	switch e := e.(type) {
	case *Tag:
		s := e.Kind + " " + e.Value
		if e.Namespace != "jackin" {
			s = e.Namespace + ":" + s
		}
		if e.Repeat {
			s += " again"
		}
		if e.Code != "" {
			s += " in " + e.Code
		}
		return s
	case *Status:
		v, _ := e.Get("status")
		s := fmt.Sprintf("---%v %d %d", v, e.Streak.Status, e.Streak.NoProgress)
		if e.Code != "" {
			s += " in " + e.Code
		}
		return s
	case *Artifact:
		return fmt.Sprintf("+%s %d", strings.Join(e.Tags, " "), len(e.Violations))
	case *Skipped:
		return "skipped " + e.What + " " + e.Reason + " " + e.Excerpt
	}
	panic("an event of another type")
}

func TestNormalizer(t *testing.T) {
	type marks struct {
		at
		marks []string
	}
	text := at{}
	row := func(n uint64, session, message string) at { return at{row: n, session: session, message: message} }
	grown := func(n uint64, session, message string) at {
		return at{row: n, session: session, message: message, grown: true}
	}
	echo := func(n uint64, session string) at { return at{row: n, session: session, echo: true} }
	agent := func(n uint64, session, agent string) at { return at{row: n, session: session, agent: agent} }
	m := func(a at, s ...string) marks { return marks{a, s} }

	tests := []struct {
		name string
		opts Options
		code parse.Code
		in   []marks
		want []string
	}{
		// Duplicates.
		{name: "kind and value, whichever namespace", in: []marks{m(text, "deploy x", "multicode:deploy x", "deploy y", "other x")},
			want: []string{"deploy x", "deploy y", "other x"}},
		{name: "forms of one URL", in: []marks{m(text, "pr https://github.com/acme/core/pull/5", "pr https://github.com/ACME/core/pull/5/files",
			"link https://github.com/acme/core/pull/5")},
			want: []string{"pr https://github.com/acme/core/pull/5", "link https://github.com/acme/core/pull/5"}},
		{name: "a plain tag's are its own", in: []marks{m(text, ":done x", "done x", ":done x", "jackin:done x")},
			want: []string{":done x", "done x"}},
		{name: "a plain status is no state", in: []marks{m(text, ":deploy a", ":deploy b", ":deploy a")},
			want: []string{":deploy a", ":deploy b"}},
		{name: "all, marked", opts: Options{All: true}, in: []marks{m(text, "deploy x", "multicode:deploy x")},
			want: []string{"deploy x", "multicode:deploy x again"}},
		{name: "status is a state", in: []marks{m(text, "status a", "status a", "status b", "multicode:status b", "status a")},
			want: []string{"status a", "status b", "status a"}},
		{name: "of each session and sub-agent", in: []marks{
			m(row(1, "s", ""), "status a"), m(row(2, "t", ""), "status a"), m(agent(3, "s", "x"), "status a"),
			m(row(4, "s", ""), "status a", "status b"), m(row(5, "t", ""), "status a"), m(agent(6, "s", "x"), "status a")},
			want: []string{"status a", "status a", "status a", "status b"}},
		{name: "other tags of one input are one set", in: []marks{m(row(1, "s", "m"), "deploy x"), m(row(2, "t", "n"), "deploy x")},
			want: []string{"deploy x"}},

		// What a format repeats.
		{name: "an echo gives nothing again", opts: Options{All: true}, in: []marks{
			m(row(1, "s", "m"), "deploy x", "status a", "status b", "---STATUS: COMPLETE"),
			m(echo(2, "s"), "deploy x", "status a", "status b", "---STATUS: COMPLETE")},
			want: []string{"deploy x", "status a", "status b", "---COMPLETE 1 0"}},
		{name: "but what stands in it alone", in: []marks{
			m(row(1, "s", "m"), "deploy x", "---STATUS: FAILED"),
			m(echo(2, "s"), "deploy y", "---STATUS: COMPLETE")},
			want: []string{"deploy x", "---FAILED 1 1", "deploy y", "---COMPLETE 1 0"}},
		{name: "an echo is its session's", in: []marks{
			m(row(1, "s", "m"), "---STATUS: COMPLETE"), m(echo(2, "t"), "---STATUS: COMPLETE")},
			want: []string{"---COMPLETE 1 0", "---COMPLETE 1 0"}},
		{name: "an echo of another form of a URL", opts: Options{All: true}, in: []marks{
			m(row(1, "s", "m"), "pr https://github.com/acme/core/pull/5/files"), m(echo(2, "s"), "pr https://github.com/Acme/core/pull/5")},
			want: []string{"pr https://github.com/acme/core/pull/5"}},
		{name: "two results that stand alone", in: []marks{m(echo(1, "s"), "---STATUS: FAILED"), m(echo(2, "s"), "---STATUS: FAILED")},
			want: []string{"---FAILED 1 1", "---FAILED 2 2"}},
		{name: "rows of one message", in: []marks{
			m(row(1, "s", "m"), "---STATUS: FAILED"), m(row(2, "s", "m"), "---STATUS: FAILED", "---STATUS: COMPLETE")},
			want: []string{"---FAILED 1 1", "---COMPLETE 1 0"}},
		{name: "as often as the row that has most", in: []marks{
			m(row(1, "s", "m"), "---STATUS: FAILED"), m(row(2, "s", "m"), "---STATUS: FAILED", "---STATUS: FAILED"),
			m(row(3, "s", "m"), "---STATUS: FAILED", "---STATUS: FAILED")},
			want: []string{"---FAILED 1 1", "---FAILED 2 2"}},
		{name: "two messages", in: []marks{m(row(1, "s", "m"), "---STATUS: FAILED"), m(row(2, "s", "n"), "---STATUS: FAILED")},
			want: []string{"---FAILED 1 1", "---FAILED 2 2"}},
		{name: "messages of two sessions", in: []marks{m(row(1, "s", "m"), "---STATUS: FAILED"), m(row(2, "t", "m"), "---STATUS: FAILED")},
			want: []string{"---FAILED 1 1", "---FAILED 1 1"}},
		{name: "rows without a message", in: []marks{m(row(1, "s", ""), "---STATUS: FAILED"), m(row(2, "s", ""), "---STATUS: FAILED")},
			want: []string{"---FAILED 1 1", "---FAILED 2 2"}},
		{name: "text", in: []marks{m(text, "---STATUS: FAILED", "---STATUS: FAILED")}, want: []string{"---FAILED 1 1", "---FAILED 2 2"}},
		{name: "a growing row", opts: Options{All: true}, in: []marks{
			m(row(1, "s", "m"), "deploy x", "status a"), m(grown(2, "s", "m"), "deploy x", "status a", "status b", "deploy x"),
			m(grown(3, "s", "m"), "deploy x", "status a", "status b", "deploy x", "status a")},
			want: []string{"deploy x", "status a", "status b", "deploy x again", "status a"}},
		{name: "parts are no growth", opts: Options{All: true}, in: []marks{
			m(row(1, "s", "m"), "deploy x"), m(row(2, "s", "m"), "deploy x")},
			want: []string{"deploy x", "deploy x again"}},
		{name: "artifacts", in: []marks{
			m(row(1, "s", "m"), "+handoff lane:m handoff"), m(grown(2, "s", "m"), "+handoff lane:m handoff"), m(row(3, "s", "n"), "+handoff lane:m handoff"),
			m(row(4, "s", "o"), "+A A")},
			want: []string{"+handoff lane:m 0", "+handoff lane:m 0", "+A A 1"}},

		// Streaks.
		{name: "of each session and sub-agent too", in: []marks{
			m(row(1, "s", "a"), "---STATUS: FAILED"), m(row(2, "t", "b"), "---STATUS: FAILED"), m(row(3, "s", "c"), "---STATUS: FAILED"),
			m(agent(4, "s", "x"), "---STATUS: FAILED")},
			want: []string{"---FAILED 1 1", "---FAILED 1 1", "---FAILED 2 2", "---FAILED 1 1"}},
		{name: "progress", in: []marks{m(text,
			"---STATUS: in progress;FILES_MODIFIED: 0", "---STATUS: IN_PROGRESS;FILES_MODIFIED: 2", "---STATUS: IN_PROGRESS;FILES_MODIFIED: a",
			"---STATUS: IN_PROGRESS;FILES_MODIFIED: None", "---STATUS: IN_PROGRESS;EXIT_SIGNAL: true", "---STATUS: IN_PROGRESS;EXIT_SIGNAL: false",
			"---STATUS: COMPLETE", "---TASK: x", "---TASK: y")},
			want: []string{"---IN_PROGRESS 1 1", "---IN_PROGRESS 2 0", "---IN_PROGRESS 3 0", "---IN_PROGRESS 4 1", "---IN_PROGRESS 5 0", "---IN_PROGRESS 6 1",
				"---COMPLETE 1 0", "---<nil> 1 1", "---<nil> 2 2"}},
		{name: "what is no event is in none", in: []marks{m(text, "---STATUS: FAILED", "---STATUS: FAILED | COMPLETE", "---STATUS: FAILED")},
			want: []string{"---FAILED 1 1", "---FAILED 2 2"}},

		// Code.
		{name: "fenced", code: parse.CodeFence, in: []marks{m(text, "deploy x", "---STATUS: FAILED")}, want: []string{"---FAILED 1 1 in fence"}},
		{name: "fenced, skipped", opts: Options{Skipped: true}, code: parse.CodeFence, in: []marks{m(text, "deploy x")},
			want: []string{"skipped tag fenced <jackin:deploy>x</jackin:deploy>"}},
		{name: "in a span, skipped", opts: Options{Skipped: true}, code: parse.CodeSpan, in: []marks{m(text, ":done x")},
			want: []string{"skipped tag code_span <done>x</done>"}},
		{name: "emitted", opts: Options{Code: CodeEmit}, code: parse.CodeFence, in: []marks{m(text, "deploy x", "deploy x", "---STATUS: FAILED")},
			want: []string{"deploy x in fence", "---FAILED 1 1 in fence"}},
		{name: "emitted span", opts: Options{Code: CodeEmit}, code: parse.CodeSpan, in: []marks{m(text, "deploy x")}, want: []string{"deploy x in span"}},
		{name: "strict", opts: Options{Code: CodeStrict, Skipped: true}, code: parse.CodeFence, in: []marks{m(text, "deploy x", "---STATUS: FAILED;TASK: x")},
			want: []string{"skipped tag fenced <jackin:deploy>x</jackin:deploy>", "skipped block fenced ---AGENT_STATUS---\nSTATUS: FAILED\nTASK: x"}},
		{name: "a block further down in a fence", opts: Options{Skipped: true}, code: parse.CodeSpan, in: []marks{m(text, "---STATUS: FAILED")},
			want: []string{"skipped block fenced ---AGENT_STATUS---\nSTATUS: FAILED"}},
		{name: "emitted too", opts: Options{Code: CodeEmit}, code: parse.CodeSpan, in: []marks{m(text, "---STATUS: FAILED")},
			want: []string{"---FAILED 1 1 in fence"}},
		{name: "skipped text that is echoed", opts: Options{Skipped: true}, code: parse.CodeFence, in: []marks{
			m(row(1, "s", "m"), "deploy x"), m(grown(2, "s", "m"), "deploy x"), m(echo(3, "s"), "deploy x", "deploy y")},
			want: []string{"skipped tag fenced <jackin:deploy>x</jackin:deploy>", "skipped tag fenced <jackin:deploy>y</jackin:deploy>"}},

		// Skipped.
		{name: "bad values", opts: Options{Skipped: true}, in: []marks{m(text, "link ftp://a.dev/", "link https://u:p@a.dev/", "deploy ", "pr https://github.com/a/b/issues/1", "---MOOD: x", "---STATUS: FAILED | COMPLETE")},
			want: []string{"skipped tag scheme <jackin:link>ftp://a.dev/</jackin:link>", "skipped tag userinfo <jackin:link>https://***@a.dev/</jackin:link>",
				"skipped tag empty <jackin:deploy></jackin:deploy>", "skipped tag kind_mismatch <jackin:pr>https://github.com/a/b/issues/1</jackin:pr>",
				"skipped block no_fields ---AGENT_STATUS---\nMOOD: x", "skipped block template ---AGENT_STATUS---\nSTATUS: FAILED | COMPLETE"}},
		{name: "silently", in: []marks{m(text, "link ftp://a.dev/", "---MOOD: x")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			n := New(tt.opts, func(e Event) { got = append(got, short(e)) })
			for _, in := range tt.in {
				for _, mark := range in.marks {
					feed(n, in.at, tt.code, mark)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestEventsAreWhole(t *testing.T) {
	pos := parse.Pos{Line: 7, Format: "claude", Role: "assistant", Session: "s", Message: "m", Agent: "a"}
	want := Position{File: "a.log", Pos: pos}
	var got Event
	n := New(Options{File: "a.log", Skipped: true}, func(e Event) { got = e })

	n.Tag(&parse.Tag{Pos: pos, Namespace: "jackin", Kind: "pr", Value: []byte("https://GitHub.com/acme/core/pull/520/files")})
	tag := Tag{Namespace: "jackin", Kind: "pr", Value: "https://github.com/acme/core/pull/520", Raw: "https://GitHub.com/acme/core/pull/520/files",
		Host: "github.com", Repo: "acme/core", Number: "520", Provenance: Agent, Position: want}
	if got, ok := got.(*Tag); !ok || *got != tag {
		t.Errorf("got %+v\nwant %+v", got, tag)
	}

	n.Skip(&parse.Skip{Pos: pos, What: "tag", Reason: parse.ReasonAttributes, Namespace: "jackin", Kind: "pr", Excerpt: []byte(`<jackin:pr v="2">`)})
	skipped := Skipped{What: "tag", Reason: "attributes", Namespace: "jackin", Kind: "pr", Excerpt: `<jackin:pr v="2">`, Position: want}
	if got, ok := got.(*Skipped); !ok || *got != skipped {
		t.Errorf("got %+v\nwant %+v", got, skipped)
	}

	b := block("STATUS: FAILED")
	b.Pos, b.EndLine, b.Protocol = pos, 9, "ralph_status"
	n.Block(b)
	if s, ok := got.(*Status); !ok || s.Protocol != "ralph_status" || s.EndLine != 9 || s.Provenance != Agent || *s.Where() != want {
		t.Errorf("got %+v", got)
	}

	n.Artifact(&parse.Artifact{Pos: pos, Tool: "x_bundle_create", Title: "T", Tags: []string{"handoff", "lane:m"}})
	a, ok := got.(*Artifact)
	if !ok || a.Tool != "x_bundle_create" || a.Title != "T" || a.Provenance != Agent || *a.Where() != want ||
		!slices.Equal(a.Handoff, []HandoffField{{"lane", "m"}}) {
		t.Errorf("got %+v", got)
	}
}

func TestCounts(t *testing.T) {
	var got []string
	var n *Normalizer
	for _, file := range []string{"a", "b"} {
		n = New(Options{File: file}, func(e Event) { got = append(got, e.Where().File+" "+short(e)) })
		feed(n, at{}, 0, "deploy x")
		feed(n, at{}, 0, "deploy x")
		feed(n, at{}, 0, "status a")
		feed(n, at{}, 0, "---STATUS: FAILED")
		feed(n, at{}, 0, "+a")
		feed(n, at{}, parse.CodeFence, "deploy y")
		feed(n, at{}, 0, "---MOOD: x")
		n.Skip(&parse.Skip{What: "record", Reason: parse.ReasonInvalidRecord})
	}
	want := []string{"a deploy x", "a status a", "a ---FAILED 1 1", "a +a 0", "b deploy x", "b status a", "b ---FAILED 1 1", "b +a 0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	c := n.Counts()
	if c.Tags != 2 || c.Repeats != 1 || c.Status != 1 || c.Artifacts != 1 {
		t.Errorf("counts %+v", c)
	}
	for kind, n := range map[SkipKind]int{{"tag", "fenced"}: 1, {"block", "no_fields"}: 1, {"record", "invalid_record"}: 1} {
		if c.Skipped[kind] != n {
			t.Errorf("%v: %d, want %d", kind, c.Skipped[kind], n)
		}
	}
	if len(c.Skipped) != 3 {
		t.Errorf("skipped %v", c.Skipped)
	}
	c.Skipped[SkipKind{"tag", "fenced"}] = 0
	if n.Counts().Skipped[SkipKind{"tag", "fenced"}] != 1 {
		t.Error("the counts that were handed out are not a copy")
	}
}

// TestEveryReasonIsExplained: the registry is what is declared.
func TestEveryReasonIsExplained(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../parse/mark.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	reasons := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Reason") {
			return true
		}
		reasons++
		reason, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || explanations[reason] == "" {
			t.Errorf("%s has no explanation (%v)", spec.Names[0].Name, err)
		}
		return true
	})
	if reasons == 0 || len(explanations) != reasons {
		t.Errorf("%d explanations for the registry's %d reasons", len(explanations), reasons)
	}
	if got := Explain("scheme"); got != "not an http or https URL" {
		t.Errorf("scheme: %q", got)
	}
	if got := Explain("other"); got != "other" {
		t.Errorf("other: %q", got)
	}
}

func TestRepeatsAndSkipsCostNoMemory(t *testing.T) {
	n := New(Options{}, func(Event) {})
	tag := &parse.Tag{Pos: parse.Pos{Session: "s", Message: "m"}, Origin: parse.Origin{Row: 1, Rows: true}, Namespace: "jackin", Kind: "deploy", Value: []byte("x")}
	n.Tag(tag)
	skip := &parse.Skip{What: "tag", Reason: parse.ReasonFenced, Excerpt: []byte("<jackin:pr>")}
	if got := testing.AllocsPerRun(100, func() { n.Skip(skip) }); got != 0 {
		t.Errorf("%v allocations for a skip that nobody wants", got)
	}
	// The value itself is one.
	if got := testing.AllocsPerRun(100, func() { n.Tag(tag) }); got > 1 {
		t.Errorf("%v allocations for a repeat", got)
	}
}

func BenchmarkTag(b *testing.B) {
	n := New(Options{}, func(Event) {})
	value := []byte("https://github.com/acme/core/pull/000000")
	tag := &parse.Tag{Pos: parse.Pos{Session: "s", Message: "m"}, Origin: parse.Origin{Row: 1, Rows: true}, Namespace: "jackin", Kind: "pr", Value: value}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		copy(value[len(value)-6:], fmt.Sprintf("%06d", 100000+i%900000))
		tag.Row = uint64(i)
		n.Tag(tag)
	}
}

func BenchmarkBlock(b *testing.B) {
	n := New(Options{}, func(Event) {})
	mark := block("STATUS: COMPLETE\nTASK: x\nFILES_MODIFIED: [a.go, b.go]\nCOMMITS: abc: \"feat: x, y\"\nEXIT_READY: true")
	b.ReportAllocs()
	for b.Loop() {
		n.Block(mark)
	}
}

// Codex counts its items anew in each process: two records with one id are two
// messages, and may hold the same block.
func TestSameIDOtherMessage(t *testing.T) {
	n := 0
	nz := New(Options{}, func(Event) { n++ })
	for row := range uint64(2) {
		nz.Block(&parse.Block{
			Pos:      parse.Pos{Line: 1 + int(row), Format: "codex", Message: "item_1"},
			Origin:   parse.Origin{Row: 1 + row},
			Protocol: "agent_status", Fields: []parse.Field{{Key: "STATUS", Value: "FAILED", Line: 1}},
		})
	}
	if n != 2 {
		t.Errorf("%d events, want 2", n)
	}
}
