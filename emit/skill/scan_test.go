package skill

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"tagscan/normalize"
	"tagscan/parse"
)

// scan returns what the scanner makes of text, an event a line, as scan does
// with no flags.
func scan(t *testing.T, text string) (events []string) {
	t.Helper()
	n := normalize.New(normalize.Options{}, func(e normalize.Event) {
		switch e := e.(type) {
		case *normalize.Tag:
			events = append(events, fmt.Sprintf("%s %s", e.Kind, e.Value))
		case *normalize.Status:
			for _, f := range e.Fields {
				if f.Name == "status" {
					events = append(events, fmt.Sprintf("%s %v valid=%v", e.Protocol, f.Value, len(e.Violations) == 0))
				}
			}
		case *normalize.Artifact:
			events = append(events, fmt.Sprintf("artifact %v", e.Tags))
		}
	})
	s := parse.NewScanner(n, parse.Options{})
	io.WriteString(s, text)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return events
}

// unfenced is a skill whose fences were lost on the way.
func unfenced(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "```") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// A skill gives no event, with or without its fences; an agent that does what
// it says gives one.
func TestScanned(t *testing.T) {
	block := strings.NewReplacer(
		"IN_PROGRESS | COMPLETE | BLOCKED | FAILED", "COMPLETE", "[one-line task description]", "Fix the login",
		"[path, path]", "[a.go]", "[command and result]", "go test (ok)", `[hash: "message"]`, `[abc123: "fix"]`,
		"[what you did, several lines if need be]", "Did this\n  and that", "[what stops you, or None]", "None",
		"[what should happen next, or None]", "None", "HIGH | MEDIUM | LOW", "HIGH", "true | false", "true")
	for _, s := range All() {
		text := string(s.Text)
		if got := scan(t, text); got != nil {
			t.Errorf("%s gives %q", s.Name, got)
		}
		kind := shows[s.Name]
		switch {
		case kind == "status":
			// Free text: without its fence, the example is like any other.
			text = strings.ReplaceAll(unfenced(text), "example status", real[kind])
		default:
			if got := scan(t, unfenced(text)); got != nil {
				t.Errorf("%s without fences gives %q", s.Name, got)
			}
			text = unfenced(text)
		}
		var want []string
		switch {
		case real[kind] != "":
			for _, m := range grammarIn.FindAllStringSubmatch(text, -1) {
				text = strings.Replace(text, m[1], real[kind], 1)
			}
			want = []string{kind + " " + real[kind]}
		case kind == "AGENT_STATUS":
			text = block.Replace(text)
			want = []string{"agent_status COMPLETE valid=true"}
		default:
			continue // a tool call, which has no text
		}
		if got := scan(t, text); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s with real values gives %q, want %q", s.Name, got, want)
		}
	}
}
