package transcript_test

import (
	"fmt"
	"strings"

	"tagscan/parse/transcript"
)

// A printer prints what the assistant said.
type printer struct{}

func (printer) Begin(p *transcript.Part) { fmt.Printf("%d %s %s: ", p.Line, p.Format, p.Role) }
func (printer) Text(b []byte, line int)  { fmt.Printf("%s", b) }
func (printer) End()                     { fmt.Println() }
func (printer) Artifact(p *transcript.Part, tool, title string, tags transcript.TagList) {
	fmt.Printf("%d %s made %q with %q\n", p.Line, tool, title, tags.Tags)
}
func (printer) Line(b []byte, line int, v transcript.Verdict) { fmt.Printf("%d: %s\n", line, b) }

func Example() {
	input := `{"type":"system","subtype":"init","session_id":"s-1"}
{"type":"user","message":{"role":"user","content":"Open a pull request."},"session_id":"s-1"}
warning: this line is no record
{"type":"assistant","message":{"id":"msg_1","content":[{"type":"text","text":"Opened \u003cjackin:pr>https://github.com/acme/core/pull/1</jackin:pr>"}]},"session_id":"s-1"}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Codex was here."}}`

	d := transcript.New(transcript.Options{}, printer{})
	for i, line := range strings.Split(input, "\n") {
		if line[0] != '{' || d.Record([]byte(line), i+1) == transcript.Text {
			fmt.Printf("%d: %s\n", i+1, line)
		}
	}
	d.Close()
	// Output:
	// 3: warning: this line is no record
	// 4 claude assistant: Opened <jackin:pr>https://github.com/acme/core/pull/1</jackin:pr>
	// 5 codex assistant: Codex was here.
}

func ExampleDocument() {
	input := `[
  {
    "type": "assistant",
    "session_id": "s-1",
    "message": { "content": "A whole array." }
  }
]
text behind it
`
	d := transcript.New(transcript.Options{}, printer{})
	doc := d.NewDocument(1)
	n, status := doc.Write([]byte(input))
	fmt.Println(status == transcript.DocumentDone, doc.Line())
	fmt.Print(input[n:])
	// Output:
	// 2 claude assistant: A whole array.
	// true 8
	// text behind it
}
