package normalize

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tagscan/parse"
)

// TestTornRows: where the rows of a message grow, what comes of them is what comes
// of the last one, wherever an earlier one ends, whoever speaks between them: but
// for the order, as what is whole comes out at once.
func TestTornRows(t *testing.T) {
	const text = "Intro <jackin:pr>https://github.com/acme/core/pull/1</jackin:pr> and <jackin:note x> more\n" +
		"<jackin:note>over\nlines</jackin:note>\n```\n<jackin:repo>/w/x</jackin:repo>\n```\n" +
		"---AGENT_STATUS---\nSTATUS: IN_PROGRESS\nTASK: a <jackin:status>b</jackin:status>\nFILES_MODIFIED: [a, b]\n---\n" +
		"<jackin:status>open\n\n---RALPH_STATUS---\nSTATUS: COMPLETE\nTASK: y\n"
	const report = "---AGENT_STATUS---\nSTATUS: BLOCKED\n---\n"
	between := map[string][]string{
		"nothing":               nil,
		"a sub-agent":           {row("sub", "call", "<jackin:note>sub</jackin:note>\n"+report)},
		"a torn sub-agent":      {row("sub", "call", report+"<jackin:note>sub</jackin:note>\n<jackin:link>x")},
		"two sub-agents":        {row("sub", "call", report), row("sub2", "call2", report)},
		"another session":       {strings.Replace(row("sub", "", report), `"session_id":"s"`, `"session_id":"z"`, 1)},
		"thoughts in a message": {strings.NewReplacer(`"type":"text","text"`, `"type":"thinking","thinking"`).Replace(row("m", "", report))},
	}
	for _, roles := range [][]string{nil, {"thinking"}, {"assistant", "thinking"}} {
		for name, lines := range between {
			want := eventsOf(roles, append(lines, row("m", "", text))...)
			slices.Sort(want)
			for i := range len(text) + 1 {
				in := append([]string{row("m", "", text[:i])}, append(lines, row("m", "", text))...)
				got := eventsOf(roles, in...)
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Fatalf("roles %q, %s behind %q:\n%q\nwant\n%q", roles, name, text[max(0, i-40):i], got, want)
				}
			}
		}
	}
}

// TestTornParts: what a part's end has cut off comes out when it is known that it
// does not go on, before what is said next in its conversation.
func TestTornParts(t *testing.T) {
	const block = "---AGENT_STATUS---\nSTATUS: FAILED\n"
	const tag = "<jackin:note>a</jackin:note>"
	large := block + strings.Repeat("X: y\n", 5000)
	two := func(a, b string) string {
		return strings.Replace(row("m", "", a), "}]}", fmt.Sprintf(`},{"type":"text","text":%s}]}`, quoted(b)), 1)
	}
	var agents, want []string
	for i := range 40 {
		agents = append(agents, row(fmt.Sprint("m", i), fmt.Sprint("call", i), fmt.Sprintf("%sTASK: %d", block, i)))
		want = append(want, fmt.Sprintf("block FAILED %d", i))
	}
	for _, tt := range []struct {
		name string
		in   []string
		want []string
	}{
		{"the next part of a row that has grown", []string{row("m", "", "a"+tag), two("a"+tag+"\n"+block, tag)}, []string{"tag a", "block FAILED", "tag a again"}},
		{"the next row of a message", []string{row("m", "", block), row("m", "", tag)}, []string{"block FAILED", "tag a"}},
		{"one of two rows that has grown by what is in the other", []string{row("m", "", state("A")), row("m", "", state("B")), row("m", "", state("B")+state("A")), row("m", "", state("B")+state("A")+tag)},
			[]string{"tag A", "tag B", "tag A", "tag a"}},
		{"rows by turns, both of which have grown", []string{row("m", "", state("A")), row("m", "", state("B")), row("m", "", state("A")+tag), row("m", "", state("B")+state("C"))},
			[]string{"tag A", "tag B", "tag a", "tag C"}},
		{"a block in two rows of which one has grown", []string{row("m", "", block+"---\n"), row("m", "", tag), row("m", "", tag+"\n"+block+"---\n")}, []string{"block FAILED", "tag a"}},
		{"the next message", []string{row("m", "", block), row("n", "", tag)}, []string{"block FAILED", "tag a"}},
		{"a sub-agent, then the next message", []string{row("m", "", block), row("n", "call", tag), row("o", "", "<jackin:note>b</jackin:note>")}, []string{"tag a", "block FAILED", "tag b"}},
		{"the end", []string{row("m", "", block)}, []string{"block FAILED"}},
		{"many at once", agents, want},
		{"much at once", []string{row("m", "", large), row("n", "call", large), row("o", "call2", tag)}, []string{"block FAILED", "tag a", "block FAILED"}},
	} {
		got := eventsOf(nil, tt.in...)
		for i := range got {
			got[i] = strings.TrimSpace(strings.TrimSuffix(got[i], " <nil>"))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func state(s string) string { return "<jackin:status>" + s + "</jackin:status>" }

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// row is one of Claude's, of a message of a sub-agent's call or of the main agent.
func row(message, call, text string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"role":"assistant","content":[{"type":"text","text":%s}]},"parent_tool_use_id":%q,"session_id":"s"}`, message, quoted(text), call)
}

// eventsOf is what comes of lines, the positions left out.
func eventsOf(roles []string, lines ...string) (got []string) {
	n := New(Options{Skipped: true, All: true}, func(e Event) {
		switch e := e.(type) {
		case *Tag:
			again := ""
			if e.Repeat {
				again = " again"
			}
			got = append(got, "tag "+e.Value+again)
		case *Status:
			status, _ := e.Get("status")
			task, _ := e.Get("task")
			got = append(got, fmt.Sprintf("block %v %v", status, task))
		case *Skipped:
			got = append(got, fmt.Sprintf("skip %s %s %s", e.What, e.Reason, e.Excerpt))
		}
	})
	s := parse.NewScanner(n, parse.Options{Roles: roles, Skips: true})
	s.Write([]byte(strings.Join(lines, "\n")))
	s.Close()
	return got
}

// TestPiecesOfMessages: OpenCode's parts have ids, and each grows by itself: one that
// the stream comes back to repeats what it held, and ends nothing of another's.
func TestPiecesOfMessages(t *testing.T) {
	const block, open = "---AGENT_STATUS---\nSTATUS: FAILED\n---\n", "---AGENT_STATUS---\nSTATUS: FAILED\n"
	const tag = "<jackin:note>a</jackin:note>"
	piece := func(id, typ, text string) string {
		return fmt.Sprintf(`{"type":"message.part.updated","properties":{"part":{"id":%q,"messageID":"m","sessionID":"s","type":%q,"text":%s}}}`, id, typ, quoted(text))
	}
	both := []string{"assistant", "thinking"}
	for _, tt := range []struct {
		name  string
		roles []string
		in    []string
		want  []string
	}{
		{"come back to", nil, []string{piece("p", "text", block), piece("q", "text", tag), piece("p", "text", block+"x")}, []string{"block FAILED", "tag a"}},
		{"come back to twice", nil, []string{piece("p", "text", block), piece("q", "text", tag), piece("p", "text", block+"x"), piece("q", "text", tag+"x"), piece("p", "text", block+"xy")}, []string{"block FAILED", "tag a"}},
		{"come back to with one more", nil, []string{piece("p", "text", block), piece("q", "text", "x"), piece("p", "text", block+block)}, []string{"block FAILED", "block FAILED"}},
		{"the same in two parts", nil, []string{piece("p", "text", block), piece("q", "text", block), piece("p", "text", block+"x")}, []string{"block FAILED", "block FAILED"}},
		{"torn, and whole behind a tool", nil, []string{piece("p", "text", open), piece("q", "tool", ""), piece("p", "text", block)}, []string{"block FAILED"}},
		{"torn, and another grows", nil, []string{piece("q", "text", tag), piece("p", "text", open), piece("q", "text", tag+"x")}, []string{"tag a", "block FAILED"}},
		{"a thought and what is said", both, []string{piece("q", "reasoning", block), piece("p", "text", block)}, []string{"block FAILED", "block FAILED"}},
	} {
		got := eventsOf(tt.roles, append([]string{`{"type":"message.updated","properties":{"info":{"id":"m","role":"assistant","sessionID":"s"}}}`}, tt.in...)...)
		for i := range got {
			got[i] = strings.TrimSuffix(got[i], " <nil>")
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
