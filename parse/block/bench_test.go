package block

import (
	"bytes"
	"strings"
	"testing"
)

func benchmark(b *testing.B, doc string) {
	var lines [][]byte
	for _, line := range splitLines(doc) {
		lines = append(lines, []byte(line))
	}
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	var p Parser
	for b.Loop() {
		p.Reset()
		for _, line := range lines {
			p.Line(line)
		}
	}
}

func BenchmarkLine(b *testing.B) {
	var deep, quotes strings.Builder
	for i := range 3000 {
		deep.WriteString(strings.Repeat(" ", 2*min(i, 2*MaxDepth)) + "- a\n")
		quotes.WriteString(strings.Repeat(">", 2*MaxDepth) + "\n")
	}
	var mixed strings.Builder
	for _, tt := range structures {
		mixed.WriteString(tt.doc + "\n\n")
	}
	prose := "A line of prose as an agent writes it, with a word or two of `code` in it.\n"
	for _, bb := range []struct{ name, doc string }{
		{"prose", strings.Repeat(prose+prose+prose+"\n", 250)},
		{"fence", "```go\n" + strings.Repeat("\tif err := f(x, y); err != nil {\n\t\treturn err\n\t}\n", 300) + "```\n"},
		{"list", strings.Repeat("- An item of a list, with **bold** words in it.\n  It goes on, and:\n  - more\n", 300)},
		{"quote", strings.Repeat("> "+prose, 1000)},
		{"html", "<!--\n" + strings.Repeat(prose, 1000)},
		{"mixed", mixed.String()},
		// Each of these would be quadratic where a marker looks at its whole line.
		{"quotes in a line", strings.Repeat(">", 100000)},
		{"items in a line", strings.Repeat("- ", 100000) + "a"},
		{"mixed items in a line", strings.Repeat("- * + 1. ", 30000) + "a"},
		{"items with blanks behind", strings.Repeat("- ", 999) + strings.Repeat(" ", 100000) + "a"},
		{"tags in a line", strings.Repeat("<a b=c ", 30000)},
		{"closing tags in a line", "<pre>" + strings.Repeat("</pre </scripts>", 10000)},
		{"definitions", strings.Repeat(strings.Repeat("[a]: /b\n", 1000)+"===\n\n", 10)},
		// These cost up to MaxDepth for a line.
		{"items in each other", deep.String()},
		{"quotes in each other", quotes.String()},
	} {
		b.Run(strings.ReplaceAll(bb.name, " ", "-"), func(b *testing.B) { benchmark(b, bb.doc) })
	}
}

func BenchmarkPeek(b *testing.B) {
	var p Parser
	head := []byte("- Opened <jackin:pr>https://github.com/acme/core/pull/520</jackin:pr>")
	b.SetBytes(int64(len(head)))
	b.ReportAllocs()
	for b.Loop() {
		p.Peek(head)
	}
}

func BenchmarkRest(b *testing.B) {
	part := bytes.Repeat([]byte("{\"a\": [\"<b>x</b>\", \"“c”\"]} "), 2400)
	b.SetBytes(int64(len(part)))
	b.ReportAllocs()
	for b.Loop() {
		var r Rest
		r.Add(part)
	}
}
