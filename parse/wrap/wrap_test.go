package wrap

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const (
	gh     = "2026-01-18T05:46:00.1234567Z "
	gl     = "2021-01-01T01:00:00.020010Z ffE "
	glMore = "2021-01-01T01:00:00.020010Z ffE+"
	docker = "2026-01-18T05:46:00.123456789Z "
	erase  = "\r\x1b[0K"
)

func ExampleStripper() {
	var s Stripper
	for _, line := range []string{
		"build\tRun agent\t\ufeff2026-01-18T05:46:00.1234567Z Opened it",
		"build\tRun agent\tin two lines",
		"2026-01-18 is a date",
	} {
		rest, _ := s.Strip([]byte(line))
		fmt.Printf("%s\n", rest)
	}
	// Output:
	// Opened it
	// in two lines
	// 2026-01-18 is a date
}

func ExampleStripper_Loose() {
	var s Stripper
	for _, line := range []string{`agent-1  | {"type":"result"}`, `agent-1  | text`} {
		rest, ok := s.Loose([]byte(line))
		fmt.Println(string(rest), ok)
	}
	// Output:
	// {"type":"result"} true
	// agent-1  | text false
}

func prefixes(exprs ...string) (res []*regexp.Regexp) {
	for _, expr := range exprs {
		re, err := CompilePrefix(expr)
		if err != nil {
			panic(err)
		}
		res = append(res, re)
	}
	return res
}

// Each row is one input: lines in, lines out.
var stripRows = []struct {
	name     string
	prefixes []string
	in, want []string
}{
	{"text", nil,
		[]string{"", "text", "  indented", "\tx", "<jackin:pr>x</jackin:pr>", "\r", "crlf\r"},
		[]string{"", "text", "  indented", "\tx", "<jackin:pr>x</jackin:pr>", "\r", "crlf\r"}},
	{"GitHub", nil,
		[]string{gh + "text", gh + "  indented", gh, gh[:28], gh[:28] + "\r", gh + "crlf\r", gh + gh + "twice", gh + "\x1b[36;1mecho\x1b[0m"},
		[]string{"text", "  indented", "", "", "\r", "crlf\r", "twice", "\x1b[36;1mecho\x1b[0m"}},
	{"no GitHub timestamp", nil,
		[]string{"2026-01-18T05:46:00.123456Z six", "2026-01-18T05:46:00.12345678Z eight", "2026-01-18T05:46:00Z none",
			"2026-01-18T05:46:00.1234567Ztext", "2026-01-18 05:46:00.1234567Z t", "2026-01-18T05:46:00.1234567+ t",
			"2026-01-18T05:46:00.123456:Z t", "2026-01-1/T05:46:00.1234567Z t", "2026-01-18: done", "2026", " " + gh + "t", "x " + gh + "t"},
		[]string{"2026-01-18T05:46:00.123456Z six", "2026-01-18T05:46:00.12345678Z eight", "2026-01-18T05:46:00Z none",
			"2026-01-18T05:46:00.1234567Ztext", "2026-01-18 05:46:00.1234567Z t", "2026-01-18T05:46:00.1234567+ t",
			"2026-01-18T05:46:00.123456:Z t", "2026-01-1/T05:46:00.1234567Z t", "2026-01-18: done", "2026", " " + gh + "t", "x " + gh + "t"}},
	{"byte order mark", nil,
		[]string{"\ufefftext", "\ufeff" + gh + "text", gh + "\ufefftext", "a\ufeffb", "\xef\xbbx", "\ufeff"},
		[]string{"text", "text", "text", "a\ufeffb", "\xef\xbbx", ""}},
	{"NUL padding", nil,
		[]string{"\x00\x00\x00text", "\x00\x00" + gh + "\x00text", "a\x00b", "\x00", strings.Repeat("\x00", 3*MaxHead) + gh + "text"},
		[]string{"text", "text", "a\x00b", "", "text"}},
	{"gh columns", nil,
		[]string{"before\tany\ttext", "build (a/b)\tRun agent\t\ufeff" + gh + "one", "build (a/b)\tRun agent\ttwo", "build (a/b)\tRun agent\t\ufeffthree",
			"build (a/b)\tRun agent\t", "build (a/b)\tOther\tno columns", "test (numpy<2)\tUNKNOWN STEP\t" + gh + "four", "test (numpy<2)\tUNKNOWN STEP\t  five",
			"build (a/b)\tRun agent\tno longer", "text"},
		[]string{"before\tany\ttext", "one", "two", "three", "", "build (a/b)\tOther\tno columns", "four", "  five", "build (a/b)\tRun agent\tno longer", "text"}},
	{"no gh columns", nil,
		[]string{"a\t" + gh + "t", "a\tb\tc\t" + gh + "t", "a\t<jackin:pr>\t" + gh + "t", "<promise>\tb\t" + gh + "t", "a\r\tb\t" + gh + "t",
			strings.Repeat("a", 256) + "\t" + strings.Repeat("b", 255) + "\t" + gh + "t", strings.Repeat("a", 256) + "\t" + strings.Repeat("b", 254) + "\t" + gh + "t"},
		[]string{"a\t" + gh + "t", "a\tb\tc\t" + gh + "t", "a\t<jackin:pr>\t" + gh + "t", "<promise>\tb\t" + gh + "t", "a\r\tb\t" + gh + "t",
			strings.Repeat("a", 256) + "\t" + strings.Repeat("b", 255) + "\t" + gh + "t", "t"}},
	{"GitLab", nil,
		[]string{gl + "text", gl + "  indented", gl, gl[:31], glMore + "text", glMore + " 2026", glMore + gh + "text", gl + gh + "text", gl + glMore + "text"},
		[]string{"text", "  indented", "", "", "text", " 2026", gh + "text", "text", "text"}},
	{"no GitLab header", nil,
		[]string{"2021-01-01T01:00:00.020010Z 00Otext", "2021-01-01T01:00:00.020010Z 0FO text", "2021-01-01T01:00:00.020010Z 00A text", "2021-01-01T01:00:00.020010Z text", "00O text"},
		[]string{"2021-01-01T01:00:00.020010Z 00Otext", "2021-01-01T01:00:00.020010Z 0FO text", "2021-01-01T01:00:00.020010Z 00A text", "2021-01-01T01:00:00.020010Z text", "00O text"}},
	{"GitLab sections", nil,
		[]string{"\x1b[0Ksection_start:1540587289:prepare_script" + erase + "Running", "section_end:15:get_sources" + erase + "section_start:16:build.a-b[collapsed=true,hide_duration=false]" + erase + "\x1b[32;1mtext",
			"text section_end:1:a" + erase + "more", gl + "section_start:1:a" + erase + "text\r", gl + "section_start:1:a" + erase + gh + "text",
			"section_end:1:a" + erase, "sectionsection_end:1:a" + erase + "b", "section_end:1:section_end:1:a" + erase + "b"},
		[]string{"Running", "\x1b[32;1mtext", "text more", "text\r", "text", "", "sectionb", "section_end:1:b"}},
	{"no GitLab sections", nil,
		[]string{"section_start:1:a", "section_start:1:a\r", "section_start:x:a" + erase, "section_start::a" + erase, "section_start:1:" + erase, "section_stop:1:a" + erase,
			"section_start:1:a b" + erase, "section_start:1:a[b" + erase, "section_end:1:a\r\x1b[K", "section_end:1:" + strings.Repeat("a", maxSection) + erase},
		[]string{"section_start:1:a", "section_start:1:a\r", "section_start:x:a" + erase, "section_start::a" + erase, "section_start:1:" + erase, "section_stop:1:a" + erase,
			"section_start:1:a b" + erase, "section_start:1:a[b" + erase, "section_end:1:a\r\x1b[K", "section_end:1:" + strings.Repeat("a", maxSection) + erase}},
	{"Buildkite", nil,
		[]string{"\x1b_bk;t=1729032357206\x07~~~ Running", "\x1b_bk;t=1729032357206\x07" + docker + "text", "\x1b_bk;t=1\x07\x1b[90m" + gh + "\x1b[0mtext"},
		[]string{"\x1b_bk;t=1729032357206\x07~~~ Running", "text", "\x1b[0mtext"}},
	{"colour in a prefix", nil,
		[]string{"\x1b[32m" + gh[:28] + "\x1b[0m text", docker[:4] + "\x1b[1m" + docker[4:] + "\x1b[0mtext", "\x1b[2m" + gl[:31] + "\x1b[0m  text", "[\x1b[2m2026-01-18T05:46:00.123Z\x1b[0m] text",
			"\x1b[36m[pod/a/b]\x1b[0m " + docker[:30] + "\x1b[0m text", gh[:28] + "\x1b[0m", "[\x1b[32mOK\x1b[0m] text", "2026\x1b[0m text", gh[:28] + "\x1b[0mtext", gh[:28] + "\x1b]0; text"},
		[]string{"text", "\x1b[0mtext", " text", "text",
			"text", "\x1b[0m", "[\x1b[32mOK\x1b[0m] text", "2026\x1b[0m text", gh[:28] + "\x1b[0mtext", "\x1b]0; text"}},
	{"colour behind gh columns", nil,
		[]string{"a\tb\t\x1b[2m" + gh[:28] + "\x1b[0m text", "a\tb\tmore", "a\tc\t\ufeff" + gh[:4] + "\x1b[1m" + gh[4:] + "text", "a\td\t\x1b[2mtext", "a\td\t\x1b[2m" + gh[:20] + "\x1b[0mtext", "a\td\t\x1b]0;" + gh},
		[]string{"text", "more", "text", "a\td\t\x1b[2mtext", "a\td\t\x1b[2m" + gh[:20] + "\x1b[0mtext", "a\td\t\x1b]0;" + gh}},
	{"Jenkins", nil,
		[]string{"[2026-01-18T05:46:00.123Z] text", "[2026-01-18T05:46:00.123Z]", "[2026-01-18T05:46:00.123Z] [Pipeline] sh", "[2026-01-18T05:46:00.123Z] \x1b[8mha:////4A==\x1b[0m" + gh + "text",
			"[2026-01-18T05:46:00.1234Z] text", "[2026-01-18T05:46:00.123Z]text", "[2026-01-18] text", "[Pipeline] sh", "[branch] text", "21:51:15  text"},
		[]string{"text", "", "[Pipeline] sh", "text",
			"[2026-01-18T05:46:00.1234Z] text", "[2026-01-18T05:46:00.123Z]text", "[2026-01-18] text", "[Pipeline] sh", "[branch] text", "21:51:15  text"}},
	{"kubectl", nil,
		[]string{"[pod/agent-7f9c/main] text", "[pod/agent-7f9c/main]", "[pod/a/b] " + docker + "text", "[pod] x", "[pod/a] x", "[pod/a/] x", "[pod//b] x", "[pod/a/b]x", "[pod/a b/c] x", "[pod/a/b/c] x",
			"[pod/" + strings.Repeat("a", maxName) + "/b] x"},
		[]string{"text", "", "text", "[pod] x", "[pod/a] x", "[pod/a/] x", "[pod//b] x", "[pod/a/b]x", "[pod/a b/c] x", "[pod/a/b/c] x",
			"[pod/" + strings.Repeat("a", maxName) + "/b] x"}},
	{"docker", nil,
		[]string{docker + "text", docker, "2026-01-18T05:46:00.123456789+02:00 text", "2026-01-18T05:46:00.123456789 text"},
		[]string{"text", "", "text", "2026-01-18T05:46:00.123456789 text"}},
	{"looks like a wrapper", nil,
		[]string{"a | b", "| a | b |", "web-1  | text", "2026-01-18 text", "05:46:00 text", "1. item", "[x] done", "[link](url)", "sections", "- [pod/a/b] x"},
		[]string{"a | b", "| a | b |", "web-1  | text", "2026-01-18 text", "05:46:00 text", "1. item", "[x] done", "[link](url)", "sections", "- [pod/a/b] x"}},
	{"own prefix", []string{`svc \| `},
		[]string{"svc | text", "svc | svc | text", "svc |text", " svc | text", gh + "svc | text", "svc | " + gh + "text", "\x1b[36msvc | \x1b[0mtext", "\x1b[33msvc |\x1b[0m text", "text svc | "},
		[]string{"text", "svc | text", "svc |text", " svc | text", "text", "text", "\x1b[0mtext", "text", "text svc | "}},
	{"own prefixes, nested", []string{`\w+: `, `\d\d:\d\d  `},
		[]string{"a: 05:46  text", "05:46  a: text", "05:46  " + gh + "a: text", "a: b: text", "05:46 a: text"},
		[]string{"text", "text", "text", "b: text", "05:46 a: text"}},
	{"own prefix, empty", []string{``, `x*`},
		[]string{"text", "xxtext"},
		[]string{"text", "text"}},
	{"own prefix, alternatives", []string{`a|b`},
		[]string{"a b", "b a", "cb"},
		[]string{" b", " a", "cb"}},
	{"own prefix, greedy", []string{`.*> `},
		[]string{"a> b> text", strings.Repeat("x", maxRegexp-2) + "> text", strings.Repeat("x", maxRegexp-1) + "> text"},
		[]string{"text", "text", strings.Repeat("x", maxRegexp-1) + "> text"}},
	{"own prefix, UTF-8", []string{`[^ ]+ │ `},
		[]string{"w\u00e9b │ text", "\xff │ text", "w\u00e9b"},
		[]string{"text", "text", "w\u00e9b"}},
	{"nested", []string{`svc +\| `},
		[]string{"job\tstep\t\ufeff" + gh + "svc  | " + `{"type":"x"}`, "job\tstep\t\ufeff\x00" + gh + "[pod/a/b] " + docker + "\x1b[1m[2026-01-18T05:46:00.123Z] svc | text", strings.Repeat("\ufeff", maxRounds-1) + gh + "t"},
		[]string{`{"type":"x"}`, "text", "t"}},
	{"beyond the bounds", nil,
		[]string{strings.Repeat("\ufeff", maxRounds) + gh + "t", "\x1b]" + strings.Repeat("x", MaxHead) + "\x07" + gh + "t"},
		[]string{gh + "t", "\x1b]" + strings.Repeat("x", MaxHead) + "\x07" + gh + "t"}},
}

func TestStrip(t *testing.T) {
	for _, row := range stripRows {
		t.Run(row.name, func(t *testing.T) {
			s := Stripper{Prefixes: prefixes(row.prefixes...)}
			for i, line := range row.in {
				in := []byte(line)
				checkHead(t, &s, in)
				rest, _ := s.Strip(in)
				if string(rest) != row.want[i] {
					t.Errorf("%q: %q, want %q", line, rest, row.want[i])
				}
				if string(in) != line {
					t.Errorf("%q was changed to %q", line, in)
				}
			}
		})
	}
}

// checkHead checks that Head tells of each beginning of line what it tells of the
// whole, or that it needs more.
func checkHead(t *testing.T, s *Stripper, line []byte) {
	t.Helper()
	whole := s.head(line, true)
	pad := nuls(line)
	for n := range len(line) + 1 {
		got, more := s.Head(line[:n])
		switch {
		case more && got != min(n, pad):
			t.Fatalf("%q: with %d bytes, %d are certain, want %d", line, n, got, min(n, pad))
		case more && n > pad+MaxHead:
			t.Fatalf("%q: %d bytes are not enough", line, n)
		case !more && got != whole.n:
			t.Fatalf("%q: with %d bytes, Head is %d, whole %d", line, n, got, whole.n)
		}
		if !more {
			t2 := Stripper{Prefixes: s.Prefixes, columns: bytes.Clone(s.columns)}
			if got, info := t2.Begin(line[:n]); got != whole.n || info != whole.Info {
				t.Fatalf("%q: with %d bytes, Begin is %d %v, whole %d %v", line, n, got, info, whole.n, whole.Info)
			}
		}
	}
}

// As soon as a tag has been read it must be certain that it is no wrapper.
func TestHeadLatency(t *testing.T) {
	for _, row := range []struct {
		prefixes []string
		in       string
		n        int
		more     bool
	}{
		{nil, "<jackin:pr>https://a.dev/1</jackin:pr>", 0, false},
		{nil, "done: <promise>COMPLETE</promise>", 0, false},
		{nil, gh + "<jackin:pr>x</jackin:pr>", len(gh), false},
		{nil, gl + "<jackin:pr>x</jackin:pr>", len(gl), false},
		{nil, "\x1b[1m<jackin:pr>x</jackin:pr>", 0, false},
		{nil, "[x] see <jackin:pr>x</jackin:pr>", 0, false},
		{[]string{`svc \| `}, "<jackin:pr>x</jackin:pr>", 0, false},
		{[]string{`svc \| `}, "svc | <jackin:pr>x</jackin:pr>", 6, false},
		{[]string{`svc \| `}, "sv", 0, true},
		{nil, "step", 0, true},
		{nil, "\x00\x00", 2, true},
		{nil, "\x00\x002026", 2, true},
		{nil, glMore, 0, true}, // another header may follow
		{nil, glMore + "x", len(gl), false},
		{nil, strings.Repeat("x", maxColumns), 0, false},
	} {
		s := Stripper{Prefixes: prefixes(row.prefixes...)}
		if n, more := s.Head([]byte(row.in)); n != row.n || more != row.more {
			t.Errorf("Head(%q) = %d, %v, want %d, %v", row.in, n, more, row.n, row.more)
		}
	}
}

func TestInfo(t *testing.T) {
	stream := [3]byte{'f', 'f', 'E'}
	for _, row := range []struct {
		in   string
		want Info
	}{
		{"text", Info{}},
		{gh + "text", Info{GitHub: true}},
		{gh[:28], Info{GitHub: true}},
		{"job\tstep\t" + gh + "text", Info{GitHub: true}},
		{docker + "text", Info{}},
		{gl + "text", Info{GitLab: true, Stream: stream}},
		{glMore + "text", Info{GitLab: true, Stream: stream, Continued: true}},
		{gh + gl + "text", Info{GitHub: true, GitLab: true, Stream: stream}},
		// The line that the second header continues is the one that the first starts.
		{gl + glMore + "text", Info{GitLab: true, Stream: stream}},
		{glMore + gl + "text", Info{GitLab: true, Stream: stream}},
		{glMore + glMore + "text", Info{GitLab: true, Stream: stream, Continued: true}},
		{"2021-01-01T01:00:00.020010Z 00O " + glMore + "text", Info{GitLab: true, Stream: stream, Continued: true}},
	} {
		var s Stripper
		rest, got := s.Strip([]byte(row.in))
		if got != row.want {
			t.Errorf("%q: %+v, want %+v", row.in, got, row.want)
		}
		if got.GitLab && string(rest) != "text" {
			t.Errorf("%q: rest is %q", row.in, rest)
		}
	}
}

func TestCompilePrefix(t *testing.T) {
	for _, expr := range []string{`(`, `a)(b`, `*`} {
		if _, err := CompilePrefix(expr); err == nil || !strings.Contains(err.Error(), "error parsing regexp") {
			t.Errorf("%q: error is %v", expr, err)
		}
	}
	if re := prefixes(`(?m)^b`)[0]; re.MatchString("a\nb") {
		t.Error("a flag undoes the anchor")
	}
	// One that is not anchored still matches at the start only.
	s := Stripper{Prefixes: []*regexp.Regexp{regexp.MustCompile(`svc: `)}}
	for in, want := range map[string]string{"svc: a": "a", "a svc: b": "a svc: b"} {
		checkHead(t, &s, []byte(in))
		if rest, _ := s.Strip([]byte(in)); string(rest) != want {
			t.Errorf("%q: %q, want %q", in, rest, want)
		}
	}
}

func TestLoose(t *testing.T) {
	const object = `{"type":"result"}`
	wrapped := []string{
		"web-1  | ", "agent | ", "my_svc.a-1 |", "\x1b[36mweb-1  | \x1b[0m", "\x1b[33mweb-1  |\x1b[0m ", "\x1b[2m2026-01-18T05:46:00.123456Z\x1b[0m ", "web-1  | 2026-01-18T05:46:00.1Z ", "web-1  | " + docker,
		"2026-01-18T05:46:00Z ", "2026-01-18T05:46:00.123+02:00 ", "2026-01-18T05:46:00+0200 ", "2026-01-18 ", "2026-01-18 05:46:00,123 ", "2026-01-18 05:46:00 ",
		"[2026-01-18 05:46:00] ", "[2026-01-18T05:46:00Z]", "[linux-build] ", "[a] [b] ", "21:51:15  ", "21:51:15.123  [agent] ", "[pod/a/b] 2026-01-18T05:46:00.12Z ", "  [agent]  ",
		"agent | " + gh, "agent | " + gl, "Loading\r", "50%\r100%\r\x1b[K", "\x1b[?25l|\r\x1b[2K \r  ", "Loading\ragent | ",
	}
	for _, prefix := range wrapped {
		var s Stripper
		if rest, ok := s.Loose([]byte(prefix + object + "\r")); !ok || string(rest) != object+"\r" {
			t.Errorf("%q: %q, %v", prefix, rest, ok)
		}
	}
	for _, line := range []string{
		"", "{", object, "  " + object, "text " + object, "a | b", "a | b " + object, "| a | " + object, "2026-01-18" + object, "12:00 " + object, "[]" + object, `["a",` + object + `]`, `[` + object + `]`,
		"2026-01-18T" + object, "a b | " + object, "web-1", "a -> b\r" + object, "Loading\rx " + object, "Loading\r{}", "Loading\r{", "Loading\r{x}", "[" + strings.Repeat("a", 200) + "] " + object, strings.Repeat("[a] ", maxRounds+1) + object, strings.Repeat(" ", MaxHead) + "a | " + object,
	} {
		var s Stripper
		if rest, ok := s.Loose([]byte(line)); ok || string(rest) != line {
			t.Errorf("%q: %q, %v", line, rest, ok)
		}
	}
}

func TestSections(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"", ""},
		{"text", "text"},
		{"section_start:1:a" + erase + "text", "text"},
		{"a section_end:1:a" + erase + "section_start:2:b[c=d]" + erase + "b", "a b"},
		{"sssection_section_end:1:a" + erase + "section", "sssection_section"},
		{"section_end:1:section_end:1:a" + erase + "b", "section_end:1:b"},
		{"section_end:1:a[section_,section_=" + erase + "section_end:1:a" + erase, "section_end:1:a[section_,section_=" + erase},
		{"section_end:1:a\r\x1b[0", "section_end:1:a\r\x1b[0"},
		{"section_end:1:a\rsection_end:1:a" + erase, "section_end:1:a\r"},
		{"section_end:1:" + strings.Repeat("a", 493) + erase + "b", "b"}, // 512 bytes
		{"section_end:1:" + strings.Repeat("a", 494) + erase + "b", "section_end:1:" + strings.Repeat("a", 494) + erase + "b"},
		{"section_end:1:" + strings.Repeat("a", 500) + "section_end:2:a" + erase + "b", "section_end:1:" + strings.Repeat("a", 500) + "b"},
	} {
		var s Sections
		in := []byte(row.in)
		for i := range len(in) + 1 {
			out := s.Append(nil, bytes.Clone(in[:i]))
			out = s.EndLine(s.Append(out, in[i:]))
			if string(out) != row.want {
				t.Errorf("%q cut at %d: %q, want %q", in, i, out, row.want)
			}
		}
		var out []byte
		for i := range in {
			out = s.Append(out, in[i:i+1])
		}
		if out = s.EndLine(out); string(out) != row.want {
			t.Errorf("%q in single bytes: %q, want %q", row.in, out, row.want)
		}
		if out = s.EndLine(s.Append(in[:0], in)); string(out) != row.want {
			t.Errorf("%q in place: %q, want %q", row.in, out, row.want)
		}
	}
}

func FuzzStrip(f *testing.F) {
	for _, row := range stripRows {
		f.Add([]byte(strings.Join(row.in, "\n")), strings.Join(row.prefixes, "\n"))
	}
	f.Fuzz(func(t *testing.T, in []byte, exprs string) {
		var s Stripper
		for expr := range strings.SplitSeq(exprs, "\n") {
			if re, err := CompilePrefix(expr); err == nil && expr != "" && len(expr) < 50 {
				s.Prefixes = append(s.Prefixes, re)
			}
		}
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			if len(line) < 1000 {
				checkHead(t, &s, line)
			}
			rest, _ := s.Strip(line)
			if len(rest) > len(line) {
				t.Fatalf("%q grows to %q", line, rest)
			}
			if rest, ok := s.Loose(rest); ok && rest[0] != '{' {
				t.Fatalf("%q is %q behind its prefix", line, rest)
			}
		}
	})
}

var sectionMark = regexp.MustCompile(`section_(start|end):[0-9]+:[A-Za-z0-9_.-]+(\[[A-Za-z0-9_.=,-]*\])?\r\x1b\[0K`)

func FuzzSections(f *testing.F) {
	f.Add([]byte("section_start:1:a"+erase+"text"), uint8(1), uint8(2))
	f.Add([]byte("section_end:1:section_end:1:a[b=c]"+erase+"b"), uint8(3), uint8(0))
	f.Fuzz(func(t *testing.T, in []byte, a, b uint8) {
		if len(in) > maxSection {
			t.Skip("the judge knows no bound")
		}
		want := sectionMark.ReplaceAll(in, nil)
		var s Sections
		var out []byte
		step := []int{1 + int(a), 1 + int(b)}
		for i, rest := 0, in; len(rest) > 0; i++ {
			n := min(step[i%2], len(rest))
			out = s.Append(out, rest[:n])
			rest = rest[n:]
		}
		if out = s.EndLine(out); !bytes.Equal(out, want) {
			t.Fatalf("%q is %q, want %q", in, out, want)
		}
	})
}

func BenchmarkStrip(b *testing.B) {
	text := strings.Repeat("plain words of an agent ", 4)
	for _, bm := range []struct{ name, line string }{
		{"none", text},
		{"digit", "1. " + text},
		{"crlf", text + "\r"},
		{"GitHub", gh + text},
		{"GitHub, coloured", gh + "\x1b[32m" + text + "\x1b[0m"},
		{"gh", "build\tRun agent\t" + gh + text},
		{"GitLab", gl + text},
		{"section", "section_end:1540587291:prepare_script" + erase + "section_start:1540587291:get_sources" + erase + text},
		{"docker", docker + text},
		{"kubectl", "[pod/agent-7f9c/main] " + text},
		{"Buildkite", "\x1b_bk;t=1729032357206\x07" + text},
	} {
		b.Run(bm.name, func(b *testing.B) {
			var s Stripper
			line := []byte(bm.line)
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				s.Strip(line)
			}
		})
	}
	b.Run("own prefix", func(b *testing.B) {
		s := Stripper{Prefixes: prefixes(`svc +\| `)}
		line := []byte("svc  | " + text)
		b.SetBytes(int64(len(line)))
		b.ReportAllocs()
		for b.Loop() {
			s.Strip(line)
		}
	})
}
