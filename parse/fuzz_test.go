package parse

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"tagscan/parse/cuttest"
)

// scanMarks is what a Scanner makes of b: the marks, the counts and the hint.
func scanMarks(b []byte, o Options, cut cuttest.Cut) []string {
	r := &recorder{excerpts: o.Skips}
	s := NewScanner(r, o)
	cut.Into(b, func(p []byte) { s.Write(p) })
	s.Close()
	n := s.Counts()
	return append(r.got, fmt.Sprintf("%d lines, %d records, %d invalid, %+v", n.Lines, n.Records, n.Invalid, s.Unclosed()))
}

func scanOptions(n uint8) Options {
	o := Options{Namespaces: []string{"acme", "j"}, Tags: []string{"promise"}, Skips: n&1 != 0}
	if n&2 != 0 {
		o.Roles = []string{"assistant", "tool", "user", "thinking", "system"}
	}
	if n&4 != 0 {
		o.MaxRecord = 200
	}
	return o
}

// pieces are what fuzzed inputs are put together from, so that short programs
// reach the wrappers, the records and the joints between them.
var pieces = []string{
	"\n", "\r\n", "\r", " ", "\t", "text ", "`", "```", "~~~\n", "> ", "- ", "\\", "\x00", "\xff", "é", "\u2028", "\n\n",
	"<jackin:pr>https://github.com/acme/core/pull/1</jackin:pr>", "<j:note>", "</j:note>", "a<", "/j:note", ">", "<promise>", "</promise>", "<j:note x>",
	"---AGENT_STATUS---\n", "STATUS: COMPLETE\n", "TASK: t\n", "---\n", "AGENT_STATUS:\n", "  status: FAILED\n", "---END_STATUS---\n",
	"\x1b[1m", "\x1b]0;t\x07", "\x1b]8;;", "\x1b\\", "\x1b_bk;t=1700000000000\x07", "\x1b", "\x1b[",
	"2026-03-01T10:00:00.1234567Z ", "job\tstep\t2026-03-01T10:00:00.1234567Z ", "job\tstep\t", "##[group]Run x\n", "##[endgroup]\n", "\ufeff",
	"2026-03-01T10:00:00.123456Z 00O ", "2026-03-01T10:00:00.123456Z 00O+", "2026-03-01T10:00:00.123456Z 01E ", "section_start:1700000000:a\r\x1b[0K", "section_end:1700000000:a\r\x1b[0K",
	"[2026-03-01T10:00:00.123Z] ", "[pod/a/b] ", "2026-03-01T10:00:00.123456789Z ", "web-1  | ",
	`{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"`, `"}]},"session_id":"s","uuid":"u"}`, `"}]},"session_id":"s"}`,
	`{"type":"user","message":{"role":"user","content":"`, `"},"session_id":"s"}`, `{"type":"result","result":"`, `","session_id":"s"}`,
	`{"type":"system","session_id":"s"}`, `\n`, `\u003cj:note\u003e`, `\u001b[1m`, `\r`,
	`{"type":"message","timestamp":"t","role":"assistant","delta":true,"content":"`, `"}`, `{"type":"result","timestamp":"t","status":"success"}`,
	"data: ", "data:", "event: x\n", ": c\n", "id: 1\n", "data: [DONE]\n",
	`{"type":"message.part.updated","properties":{"part":{"id":"p","messageID":"m","sessionID":"s","type":"text","time":{"end":1},"text":"`, `"}}}`,
	`{"type":"message.updated","properties":{"info":{"id":"m","role":"assistant","sessionID":"s"}}}`,
	"[", "]", "{", "}", ",", "[\n  {\n", "\n  }\n]\n", `"type": "x"`, "{}",
}

// assemble puts an input together: each byte of the program is a piece.
func assemble(program []byte) (b []byte) {
	for _, c := range program {
		b = append(b, pieces[int(c)%len(pieces)]...)
	}
	return b
}

// program is the program that makes s, as far as pieces go.
func program(s string) (p []byte) {
	for len(s) > 0 {
		best := -1
		for i, piece := range pieces {
			if len(s) >= len(piece) && s[:len(piece)] == piece && (best < 0 || len(piece) > len(pieces[best])) {
				best = i
			}
		}
		if best < 0 {
			s = s[1:]
			continue
		}
		p, s = append(p, byte(best)), s[len(pieces[best]):]
	}
	return p
}

var scannerSeeds = []string{
	"2026-03-01T10:00:00.1234567Z ##[group]Run x\n2026-03-01T10:00:00.1234567Z <j:note></j:note>\n2026-03-01T10:00:00.1234567Z ##[endgroup]\n",
	"2026-03-01T10:00:00.123456Z 00O " + `{"type":"system","session_id":"s"}` + "\n2026-03-01T10:00:00.123456Z 01E text \n2026-03-01T10:00:00.123456Z 00O+<j:note>",
	`{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"<j:note>text </j:note>"}]},"session_id":"s","uuid":"u"}` + "\n",
	"data: " + `{"type":"message.updated","properties":{"info":{"id":"m","role":"assistant","sessionID":"s"}}}` + "\n\nevent: x\n",
	"[\n  {\n" + `"type": "x"` + "\n  }\n]\n<j:note>text </j:note>",
	`{"type":"message","timestamp":"t","role":"assistant","delta":true,"content":"<j:note>` + `"}` + "\n" + `{"type":"message","timestamp":"t","role":"assistant","delta":true,"content":"text </j:note>` + `"}` + "\n",
	"job\tstep\t2026-03-01T10:00:00.1234567Z ```\n[pod/a/b] <promise>text </promise>`\n---AGENT_STATUS---\nSTATUS: COMPLETE\n---\n",
	"2026-03-01T10:00:00.1234567Z {\n2026-03-01T10:00:00.1234567Z " + `"type": "x"` + "\n2026-03-01T10:00:00.1234567Z }\n2026-03-01T10:00:00.1234567Z <j:note>text </j:note>\n",
	"\x1b[1m[\n" + `{"type":"system","session_id":"s"}` + "\x1b[1m,\n" + `{"type":"user","message":{"role":"user","content":"<j:note>text </j:note>"},"session_id":"s"}` + "\n]\n",
	"2026-03-01T10:00:00.123456Z 00O [\n2026-03-01T10:00:00.123456Z 00O+" + `{"type":"system","session_id":"s"}` + "\n2026-03-01T10:00:00.123456Z 00O ]\n",
	"\x1b]0;t\x07\x1b[1m<j:note>text \x1b[1m</j:note>\x1b]8;;\n",
}

// TestScannerCuts are inputs that came out one way whole and another way cut:
// lines about MaxRecord, of which only a part has come when it is passed, blanks
// about maxUnknown, which are text before it is known what they precede, what may
// be a document before an escape sequence, and what stands behind one, and a '>' in
// the name of a job.
func TestScannerCuts(t *testing.T) {
	record := `{"type":"system","session_id":"s"}`
	for _, in := range []string{
		strings.Repeat("2026-03-01T10:00:00.123456Z 01E ", 9) + "</j:note>\n",
		`{"age",` + strings.Repeat(`"k":"v",`, 20) + `}> web-1  | ` + record + "section_start:1700000000:a\r\x1b[0K",
		"web-1  | " + record + strings.Repeat("x", 200) + "\n",
		"web-1  | " + record + strings.Repeat("x", 200) + "<j:note>\n" + record + "\n",
		"\x1b[section_end:1700000000:a\r\x1b[0K\x1b]8;;" + strings.Repeat("x", 200) + ">" + record,
		strings.Repeat(" ", maxUnknown) + record,
		strings.Repeat(" ", maxUnknown+1) + record + "\n<j:note>text</j:note>",
		"\n" + strings.Repeat("\t", maxUnknown+1) + "[\n<j:note>text</j:note>",
		"[{}\x1b[1m2026-03-01T10:00:00.123456Z 01E " + record + strings.Repeat("x", 200),
		"[{}" + strings.Repeat("\x1b[1m", 60) + record + "]",
		"[" + record + "]\x1b[1m\x00{\x00",
		"[\n\x00\x00" + record + ",\n\x00\x1b[1m\x00{\n\x00" + record[1:] + "\n\x00\x00",
		">\t\t2026-03-01T10:00:00.1234567Z x\n" + strings.Repeat(">\t\tweb-1  | "+record+"\n", 9),
		"\x1b[1m[" + record + "x\nweb-1  | " + record + "<j:note>text</j:note>" + strings.Repeat(" ", 200) + "\n",
	} {
		for options := range uint8(8) {
			checkScan(t, []byte(in), options, 1)
		}
	}
}

func checkScan(t *testing.T, b []byte, options uint8, seed uint64) {
	t.Helper()
	o := scanOptions(options)
	want := scanMarks(b, o, cuttest.All[0])
	for _, c := range append(slices.Clone(cuttest.All[1:]), cuttest.Random(seed, 40)) {
		if got := scanMarks(b, o, c); !slices.Equal(got, want) {
			t.Fatalf("%q, cut into %s:\n%q\nwhole:\n%q", b, c.Name, got, want)
		}
	}
}

// FuzzScanner: what a Scanner hands over depends on the bytes alone.
func FuzzScanner(f *testing.F) {
	for i, s := range scannerSeeds {
		f.Add(program(s), uint8(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, program []byte, options uint8, seed uint64) {
		if len(program) > 200 {
			return
		}
		checkScan(t, assemble(program), options, seed)
	})
}

// FuzzScannerUTF16 is FuzzScanner of UTF-16, and of what only looks like it.
func FuzzScannerUTF16(f *testing.F) {
	f.Add([]byte("a\n<j:note>é</j:note>"), false, uint8(0))
	f.Add([]byte("\xed\xa0\x80\r<promise>\U0001f528</promise>"), true, uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, big bool, options uint8) {
		checkScan(t, toUTF16(b, big), options, 1)
		checkScan(t, append([]byte("\xff\xfe"), b...), options, 2)
		checkScan(t, append([]byte("\xfe\xff"), b...), options, 3)
	})
}

func toUTF16(b []byte, big bool) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	out := order.AppendUint16(nil, 0xfeff)
	for _, u := range utf16.Encode([]rune(string(b))) {
		out = order.AppendUint16(out, u)
	}
	return out
}

// prefixed puts a wrapper's prefix before every line.
func prefixed(prefix string) func([]byte) []byte {
	return func(b []byte) (out []byte) {
		for line := range bytes.Lines(b) {
			out = append(append(out, prefix...), line...)
		}
		return out
	}
}

// forms are what the same text comes as.
var forms = []struct {
	name string
	of   func([]byte) []byte
}{
	{"CRLF", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }},
	{"a byte order mark", func(b []byte) []byte { return append([]byte("\ufeff"), b...) }},
	{"UTF-16", func(b []byte) []byte { return toUTF16(b, false) }},
	{"big-endian UTF-16", func(b []byte) []byte { return toUTF16(b, true) }},
	{"a GitHub log", prefixed("2026-03-01T10:00:00.1234567Z ")},
	{"gh run view --log", prefixed("a job / b\tUNKNOWN STEP\t2026-03-01T10:00:00.1234567Z ")},
	{"a Jenkins log", prefixed("[2026-03-01T10:00:00.123Z] ")},
	{"a Jenkins log with notes", prefixed("\x1b[8mha:////4A==\x1b[0m")},
	{"notes in a GitHub log", prefixed("2026-03-01T10:00:00.1234567Z \x1b[8mha:////4A==\x1b[0m")},
	{"coloured lines", prefixed("\x1b[1m\x1b[0m")},
	{"kubectl logs", prefixed("[pod/a-0/main] ")},
	{"docker logs", prefixed("2026-03-01T10:00:00.123456789Z ")},
	{"Buildkite", prefixed("\x1b_bk;t=1700000000000\x07")},
	{"Buildkite in kubectl", prefixed("[pod/a-0/main] \x1b_bk;t=1700000000000\x07")},
}

// FuzzForms: the same marks stand on the same lines of a text, whatever its line
// ends, its encoding and the wrapper around its lines.
func FuzzForms(f *testing.F) {
	for _, s := range append(slices.Clone(seeds), scannerSeeds...) {
		f.Add([]byte(s), false)
		f.Add(program(s), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, pieces bool) {
		if pieces {
			b = assemble(b[:min(len(b), 200)])
		}
		// Of these there is another form, or it means something of its own: an
		// escape sequence that is open at the line's end, a wrapper that was
		// there already.
		if !utf8.Valid(b) || bytes.ContainsAny(b, "\r\x00\x1b\t\ufeff") || bytes.Contains(b, []byte("10:00")) || bytes.Contains(b, []byte("[pod/")) || bytes.Contains(b, []byte("##[")) {
			return
		}
		o := Options{Tags: []string{"promise"}, Namespaces: []string{"j"}}
		want := scanMarks(b, o, cuttest.All[0])
		for _, form := range forms {
			if got := scanMarks(form.of(b), o, cuttest.All[0]); !slices.Equal(got, want) {
				t.Fatalf("%q as %s:\n%q\nitself:\n%q", b, form.name, got, want)
			}
		}
	})
}

// TestEscapesBehindRecords: a record behind a prefix is one whatever was written
// behind it for a terminal.
func TestEscapesBehindRecords(t *testing.T) {
	record := `web-1  | {"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"<j:note>a</j:note>"}]},"session_id":"s"}`
	want := scanMarks([]byte(record), scanOptions(0), cuttest.All[0])
	for _, escape := range []string{"\x1b[0m", "\x1b[K", "\x1b]8;;\x1b\\", "\x1b]0;t\x07", "\x1b[?25h", "\x1b[?25l", " \x1b[0m \r"} {
		if got := scanMarks([]byte(record+escape), scanOptions(0), cuttest.All[0]); !slices.Equal(got, want) {
			t.Errorf("%q behind it: %q, want %q", escape, got, want)
		}
	}
}

// TestEscapesInRecords: an escape sequence in a record is not there, wherever it
// stands.
func TestEscapesInRecords(t *testing.T) {
	first := `{"type":"system","session_id":"s"}` + "\n"
	for _, record := range []string{
		`{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"<j:note>a</j:note>"}]},"session_id":"s","uuid":"u"}`,
		`{"type":"user","message":{"role":"user","content":"<j:note>a</j:note>"},"session_id":"s"}`,
		`{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"<j:note>a</j:note>"}}`,
		`{"x":"<j:note>a</j:note>"}`,
	} {
		for options := range uint8(4) {
			o := scanOptions(options)
			want := scanMarks([]byte(first+record), o, cuttest.All[0])
			for i := range len(record) + 1 {
				for _, escape := range []string{"\x1b[0m", "\x1b_bk;t=1\x07"} {
					in := first + record[:i] + escape + record[i:]
					if got := scanMarks([]byte(in), o, cuttest.All[0]); !slices.Equal(got, want) {
						t.Fatalf("%q:\n%q\nwithout the sequence:\n%q", in, got, want)
					}
				}
			}
		}
	}
}

// TestEscapesInDocuments: nor is one in a document at the start of the input,
// whatever of it has come out before.
func TestEscapesInDocuments(t *testing.T) {
	record := `{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"<j:note>a</j:note>"}]},"session_id":"s"}`
	broken := "{\n \"type\": x\n <j:note>a</j:note>\n}\n"
	for _, in := range []string{
		"[" + record + "," + record + ",\n" + record + "]\n<j:note>b</j:note>",
		"[\n  " + record + ",\n  " + record + "\n]\n{\n" + record[1:],
		"{\n" + record[1:] + "\n" + broken + record,
	} {
		for options := range uint8(4) {
			o := scanOptions(options)
			want := scanMarks([]byte(in), o, cuttest.All[0])
			for i := range len(in) + 1 {
				for _, escape := range []string{"\x1b[0m", "\x1b_bk;t=1\x07"} {
					coloured := []byte(in[:i] + escape + in[i:])
					for _, cut := range cuttest.All[:3] {
						if got := scanMarks(coloured, o, cut); !slices.Equal(got, want) {
							t.Fatalf("%q, cut into %s:\n%q\nwithout the sequence:\n%q", coloured, cut.Name, got, want)
						}
					}
				}
			}
		}
	}
}

// TestExcerptOfRecord: what is shown of a record that is passed over is clean text,
// on whichever of its ways it was found not to be one.
func TestExcerptOfRecord(t *testing.T) {
	record := `{"type":"system","session_id":"s"}`
	long := strings.Repeat("x", 200)
	esc, mark := "\x1b]0;"+strings.Repeat("t", 90)+"\x07", "section_start:1700000000:a\r\x1b[0K"
	for _, tt := range []struct{ name, in, want string }{
		{"a line", record + "\n{\"a\"" + esc + mark + ":  \r\n", `{"a":`},
		{"a line over MaxRecord", record + "\n{\"a\"" + esc + mark + `:"` + long + "\n", `{"a":"`},
		{"one of nothing else up to there", record + "\n{\"a\"" + esc + esc + esc + `:"` + long + "\n", `{"a"`},
		{"behind a wrapper", record + "\n2026-03-01T10:00:00.1234567Z {\"a\"" + esc + `:"` + long + "\n", `{"a":"`},
		{"of GitLab's", "2026-03-01T10:00:00.123456Z 00O " + record + "\n2026-03-01T10:00:00.123456Z 00O {\"a\"" + esc + ":\r\n", `{"a":`},
		{"and over MaxRecord", "2026-03-01T10:00:00.123456Z 00O " + record + "\n2026-03-01T10:00:00.123456Z 00O {\"a\"" + esc + ":\"\n2026-03-01T10:00:00.123456Z 00O+" + long + "\n", `{"a":"`},
		{"in an event", "data: " + record + "\n\ndata: {\"a\"" + esc + ":  \n\n", `data: {"a":`},
		{"in an array", "[" + record + ",{" + esc + "\"a\":\r\n \"b\" \r\n]", "{\"a\":\n \"b\""},
		{"in an array, and over MaxRecord", "[" + record + ",{" + esc + `"a":"` + long + "\n", `{"a":"`},
		{"in an array behind wrappers", string(prefixed("2026-03-01T10:00:00.1234567Z ")([]byte("[" + record + ",\n{" + esc + "\"a\":\r\n]"))), `{"a":`},
	} {
		for _, c := range cuttest.All {
			var got []string
			s := NewScanner(excerpts{&got}, scanOptions(5))
			c.Into([]byte(tt.in), func(p []byte) { s.Write(p) })
			s.Close()
			if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) || strings.Trim(got[0][len(tt.want):], "x") != "" {
				t.Errorf("%s, cut into %s: %q, want %q", tt.name, c.Name, got, tt.want)
			}
		}
	}
}

// excerpts writes down what is shown of what is skipped.
type excerpts struct{ got *[]string }

func (excerpts) Tag(*Tag)           {}
func (excerpts) Block(*Block)       {}
func (excerpts) Artifact(*Artifact) {}
func (e excerpts) Skip(k *Skip)     { *e.got = append(*e.got, string(k.Excerpt)) }
