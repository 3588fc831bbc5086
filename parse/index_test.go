package parse

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tagscan/parse/cuttest"
)

// longMarks is scanMarks with each line going the long way: nothing is passed
// over, and no record has an outline.
func longMarks(b []byte, o Options) []string {
	r := &recorder{excerpts: o.Skips}
	s := NewScanner(r, o)
	s.n.Bytes += int64(len(b))
	if !s.utf.Passthrough() {
		b = s.utf.Close(s.utf.Append(nil, b))
	}
	for len(b) > 0 && !s.begun {
		b = s.begin(b)
	}
	if len(b) > 0 {
		x := s.index(b)
		for i := range x.class {
			x.class[i] = classLong
		}
		x.outlined = nil
		s.lines(b, x)
	}
	s.Close()
	n := s.Counts()
	return append(r.got, fmt.Sprintf("%d lines, %d records, %d invalid, %+v", n.Lines, n.Records, n.Invalid, s.Unclosed()))
}

func checkIndex(t *testing.T, b []byte, options uint8) {
	t.Helper()
	o := scanOptions(options)
	s := NewScanner(&recorder{}, o)
	x := s.Index()
	x.Make(b)
	if n := strings.Count(string(b), "\n"); len(x.ends) != n || len(x.class) != n {
		t.Fatalf("%q: %d lines end, %d classes, want %d", b, len(x.ends), len(x.class), n)
	}
	for i, end := range x.ends {
		if b[end] != '\n' || i > 0 && end <= x.ends[i-1] {
			t.Fatalf("%q: lines end at %d", b, x.ends)
		}
	}
	got := scanMarks(b, o, cuttest.All[0])
	if want := longMarks(b, o); !slices.Equal(got, want) {
		t.Fatalf("%q:\n%q\nthe long way:\n%q", b, got, want)
	}
}

// TestIndex has a line of each class in each state that lines are passed over
// in, with what is around it.
func TestIndex(t *testing.T) {
	lines := []string{
		"", " ", "\t", "text", "  text", "\ttext", "- item", "-- text", "---", "---AGENT_STATUS---", "  ---AGENT_STATUS---", "**---AGENT_STATUS---**",
		"* AGENT_STATUS:", "AGENT_STATUS:", "AGENT", "A text", "RALPH_STATUS:", "Road", "STATUS: COMPLETE", "  STATUS: COMPLETE", "_AGENT_STATUS:_",
		"```", "   ```", "\t```", "    ```", "``` go", "~~~", "> ~~~", "> text", "1. one", "2026", "1234-text", "# head", "##[group]x", "##[endgroup]",
		"<jackin:pr>https://a.dev/1</jackin:pr>", "  <j:note>x</j:note>", "`<j:note>x</j:note>`", "a <j:note>x", "y</j:note>", "<div>", "</div>", "<!--", "-->",
		"\x1b[1mtext\x1b[0m", "\x1b[1m  text", "\x1b[1m```", "\x1b[1m- item", "\x1b[31;1m---AGENT_STATUS---", "-\x1b[1m--AGENT_STATUS---", "A\x1b[0mGENT_STATUS:", "\x1b[1;", "\x1b", "  \x1b[1m```",
		"\x1b[32m2026-03-01T10:00:00.1234567Z <j:note>x</j:note>",
		"2\x1b[1m026-03-01T10:00:00.1234567Z ```", "\x1b[32m2026\x1b[1m-03-01T10:00:00.1234567Z\x1b[0m <j:note>x</j:note>", "2026-03-01T10:00:00.1234567Z\x1b[0m ```",
		"data: {}", "data", "date", "{", "}", "[x]", "  { x }", "a | b", "web-1 | {", `web-1 | {"type":"system","session_id":"s"}`, `web-1 | {"type":"system","session_id":"s"}` + "\t", `21:51:15 {"type":"system","session_id":"s"}` + " \t\r", "a\tb\t2026-x", "a\tb\t\ufeffc",
		"job\tstep\t2026-03-01T10:00:00.1234567Z <j:note>x</j:note>", "job\tstep\t\x1b[2m2026-03-01T10:00:00.1234567Z\x1b[0m ```", "job\tstep\t2\x1b[1m026-03-01T10:00:00.1234567Z ```", "a\tb\t\x1b[1mc", "\ufefftext", "\x00text", "\x00```", "\u2028", "[ref]: /url", "=", "===",
		`{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"<j:note>r</j:note>"}]},"session_id":"s","uuid":"u"}`,
		`{"type":"user","message":{"role":"user","content":"a long enough prompt with <j:note>p</j:note>"},"session_id":"s"}`,
		`{"type":"system","session_id":"s","filler":"no more than this ....................................."}`, `{"type":"assistant","message":` + strings.Repeat("[", 80),
	}
	for _, n := range []int{7, 8, 9, 15, 16, 17, 24} {
		for _, text := range []string{"", "text", "```", "---AGENT_STATUS---", "AGENT_STATUS:", "{", "data: {}"} {
			lines = append(lines, strings.Repeat(" ", n)+text, strings.Repeat("\t ", n/2)+text)
		}
	}
	states := []string{"", "text\n", "```\n\n", "~~~~\nbody\n", "- item\n\n", "> ```\n", "<div>\n", "<j:note>", "---AGENT_STATUS---\n", "AGENT_STATUS:\n"}
	for _, line := range lines {
		for _, stamp := range []string{"", "2026-03-01T10:00:00.1234567Z ", "2026-03-01T10:00:00.123Z "} {
			for _, end := range []string{"\n", "\r\n", "\r\r\n", "x\rx\n"} {
				for _, state := range states {
					// Behind it there is enough for it to be looked at in one go.
					in := state + stamp + line + end + "<jackin:link>https://a.dev/2</jackin:link>\n" + strings.Repeat("text that goes on and on\n", 4)
					checkIndex(t, []byte(in), 0)
					checkIndex(t, []byte(in), 3)
				}
			}
		}
	}
}

// FuzzIndex: what an Index says of lines changes nothing but the time it takes.
func FuzzIndex(f *testing.F) {
	for i, s := range scannerSeeds {
		f.Add(program(s), s, uint8(i))
	}
	f.Fuzz(func(t *testing.T, program []byte, tail string, options uint8) {
		if len(program) <= 200 && len(tail) <= 2000 {
			checkIndex(t, append(assemble(program), tail...), options)
		}
	})
}
