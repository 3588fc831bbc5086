package parse_test

import (
	"fmt"

	"tagscan/parse"
)

type printer struct{}

func (printer) Tag(t *parse.Tag) { fmt.Printf("line %d: %s %s\n", t.Line, t.Kind, t.Value) }
func (printer) Block(b *parse.Block) {
	fmt.Printf("lines %d to %d: %s, %d fields\n", b.Line, b.EndLine, b.Protocol, len(b.Fields))
}
func (printer) Artifact(a *parse.Artifact) { fmt.Println(a.Tool, a.Tags) }
func (printer) Skip(s *parse.Skip)         { fmt.Printf("line %d: skipped: %s\n", s.Line, s.Reason) }

func Example() {
	s := parse.NewScanner(printer{}, parse.Options{})
	fmt.Fprint(s, "Opened <jackin:pr>https://github.com/acme/core/pu")
	fmt.Fprint(s, "ll/520</jackin:pr>.\n\nA stray <jackin:issue> tag.\n\n")
	fmt.Fprint(s, "---AGENT_STATUS---\nSTATUS: COMPLETE\nTASK: open a pull request\n---\n")
	s.Close()
	// Output:
	// line 1: pr https://github.com/acme/core/pull/520
	// line 3: skipped: unclosed
	// lines 5 to 8: agent_status, 2 fields
}
