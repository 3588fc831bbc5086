package state

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	gmhtml "github.com/yuin/goldmark/renderer/html"
)

// hostile are texts that try to be more than text in some format.
var hostile = []string{
	"plain",
	"it's 'quoted' \"twice\" `and` $(touch pwned) ${HOME} $HOME !! \\ \\' \\\" end\\",
	"'; touch pwned; '",
	"'\\''; touch pwned #",
	"a\nb\n::error::pwned\n##[error]pwned",
	"::set-output name=pr::x",
	"x##[add-mask]y",
	"<<EOF\nEOF\npr=https://evil.dev/",
	"pr<<D",
	"a%0A::error::pwned%25",
	"a | b || c \\| d \\\\| e",
	"| x | y |\n| --- | --- |",
	"<script>alert(1)</script><img src=x onerror=alert(1)> <!-- ",
	"[click](https://evil.dev) ![i](https://evil.dev/i.png) <https://evil.dev>",
	"https://evil.dev www.evil.dev mailto:a@evil.dev a@evil.dev @admin #1",
	"**b** _i_ ~~s~~ `code` $x^2$ &amp; &#60; # h > q - l 1. n",
	"```\nfence\n```",
	"red \x1b[31m \x1b]8;;https://evil.dev\x07link\x1b]8;;\x07 \x07 \x00 \r over \u009b31m",
	"bidi \u202e\u2066 zero\u200bwidth \ufeff line\u2028sep\u2029",
	"bad utf-8 \xff\xfe\xc3 end",
	"日本語 é 😀 \u00a0",
	"\t lead and trail \t",
	"-n",
	"=cmd|' /C calc'!A0",
}

// value puts s where an agent's free text goes.
func value(s string) string {
	ev := block("BLOCKED", `,"task":`+quote(s), `,"work_summary":`+quote(s), `,"blockers":`+quote(s))
	return ev
}

// quote is s as a JSON string that keeps invalid UTF-8 and raw C1 as they are.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func TestEnvGolden(t *testing.T) {
	out, _, err := run(SnapshotOptions{Format: "env"}, tag("pr", pull(1))+tag("pr", pull(2))+tag("repo", "/w/it's")+tag("status", "on it")+
		block("BLOCKED", `,"task":"a\nb","blockers":null,"exit_ready":false,"confidence":"LOW"`))
	want := `TAGSCAN_REPO='/w/it'\''s'
TAGSCAN_REPO_COUNT='1'
TAGSCAN_REPOS='/w/it'\''s'
TAGSCAN_ISSUE=''
TAGSCAN_ISSUE_REPO=''
TAGSCAN_ISSUE_NUMBER=''
TAGSCAN_ISSUE_COUNT='0'
TAGSCAN_ISSUES=''
TAGSCAN_PR='https://github.com/acme/core/pull/2'
TAGSCAN_PR_REPO='acme/core'
TAGSCAN_PR_NUMBER='2'
TAGSCAN_PR_COUNT='2'
TAGSCAN_PRS='https://github.com/acme/core/pull/1
https://github.com/acme/core/pull/2'
TAGSCAN_LINK=''
TAGSCAN_LINK_COUNT='0'
TAGSCAN_LINKS=''
TAGSCAN_STATUS='on it'
TAGSCAN_AGENT_STATUS='BLOCKED'
TAGSCAN_TASK='a
b'
TAGSCAN_CONFIDENCE='LOW'
TAGSCAN_EXIT_READY='false'
TAGSCAN_WORK_SUMMARY=''
TAGSCAN_BLOCKERS=''
TAGSCAN_NEXT_STEPS=''
TAGSCAN_TESTS_RUN=''
TAGSCAN_STREAK='1'
TAGSCAN_NO_PROGRESS='0'
`
	if out != want || err != nil {
		t.Errorf("error %v, got\n%s", err, out)
	}
}

// What a shell makes of the env form is the value, and nothing runs.
func TestEnvEval(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine")
	}
	dir := t.TempDir()
	for _, s := range hostile {
		out, _, err := run(SnapshotOptions{Format: "env"}, tag("pr", pull(1))+value(s)+tag("status", strings.TrimSpace(s)))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(sh, "-c", `eval "$OUT"; printf '%s\0' "$TAGSCAN_TASK" "$TAGSCAN_BLOCKERS" "$TAGSCAN_PR"; ls`)
		cmd.Dir = dir
		cmd.Env = []string{"OUT=" + out, "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
		got, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v: %s", s, err, got)
			continue
		}
		want := visible(s, "\n\t")
		if want := want + "\x00" + want + "\x00" + pull(1) + "\x00"; string(got) != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func FuzzShellQuote(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// Read as a POSIX shell does: quoted parts, and between them \' alone.
		q := shellQuote(s)
		var got strings.Builder
		for rest := q; rest != ""; {
			if strings.HasPrefix(rest, `\'`) {
				got.WriteByte('\'')
				rest = rest[2:]
				continue
			}
			part, after, ok := strings.Cut(rest[1:], "'")
			if rest[0] != '\'' || !ok {
				t.Fatalf("%q: not quoted at %q", q, rest)
			}
			got.WriteString(part)
			rest = after
		}
		if got.String() != visible(s, "\n\t") {
			t.Fatalf("%q reads as %q", q, got.String())
		}
		// Nor is a line a workflow command, should it be printed to a job's log.
		for line := range strings.Lines(q) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
				t.Fatalf("%q is a command", line)
			}
		}
		for _, r := range q {
			if hidden(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q holds %U", q, r)
			}
		}
	})
}

var outputLine = regexp.MustCompile(`^[a-z_]+=[^\x00-\x1f\x7f]*$`)

func TestGitHub(t *testing.T) {
	names := func(out string) (names []string) {
		for line := range strings.Lines(out) {
			name, _, _ := strings.Cut(line, "=")
			names = append(names, name)
		}
		return names
	}
	plain, _, _ := run(SnapshotOptions{Format: "github"}, "")
	for _, s := range hostile {
		out, errs, err := run(SnapshotOptions{Format: "github"}, tag("pr", pull(1))+tag("status", s)+value(s))
		if err != nil {
			t.Fatal(err)
		}
		// Outputs: the same names however hostile the values, a line each, and no
		// command in any should they come to the log.
		if !reflect.DeepEqual(names(out), names(plain)) {
			t.Errorf("%q: outputs %q", s, names(out))
		}
		for line := range strings.Lines(out) {
			if !outputLine.MatchString(strings.TrimSuffix(line, "\n")) || strings.Contains(line, "##[") {
				t.Errorf("%q: output line %q", s, line)
			}
		}
		// Commands: exactly ours, which the runner reads back as they were.
		lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "::warning title=agent status BLOCKED::") ||
			lines[1] != "::notice title=pull request (agent)::"+pull(1) {
			t.Errorf("%q: commands %q", s, lines)
			continue
		}
		message := strings.TrimPrefix(lines[0], "::warning title=agent status BLOCKED::")
		message = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(message)
		if want := visible(s+"\nBlockers: "+s, "\n\t"); message != want {
			t.Errorf("%q: message %q, want %q", s, message, want)
		}
	}

	out, errs, _ := run(SnapshotOptions{Format: "github"}, tag("link", "https://a.dev/?q=##[x]")+tag("link", "https://b.dev/")+
		block("FAILED", `,"task":"a\n b"`)+block("COMPLETE", `,"task":"50%: done, ok"`))
	for _, want := range []string{
		"task=50%: done, ok\n", "agent_status=COMPLETE\n", "pr=\n", "prs=[]\n", "link_count=2\n", "link=https://b.dev/\n",
		`links=["https://a.dev/?q=##\u005bx]","https://b.dev/"]` + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if want := "::notice title=agent status COMPLETE::50%25: done, ok\n"; errs != want {
		t.Errorf("commands %q, want %q", errs, want)
	}
	if got := string(appendCommand(nil, "error", "a: b, c%\n", "m")); got != "::error title=a%3A b%2C c%25\\u000a::m\n" {
		t.Errorf("property %q", got)
	}
}

var (
	cell = regexp.MustCompile(`(?s)<td>(.*?)</td>`)
	mark = regexp.MustCompile(`<[^>]*>`)
)

// cells renders Markdown as GitHub does, raw HTML passed through, and returns
// the cells of the table's body; nothing may stand outside the table.
func cells(t *testing.T, md string) (cells []string) {
	t.Helper()
	var b bytes.Buffer
	g := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(gmhtml.WithUnsafe()))
	if err := g.Convert([]byte(md), &b); err != nil {
		t.Fatal(err)
	}
	out := strings.TrimSpace(b.String())
	if strings.Count(out, "<table>") != 1 || !strings.HasPrefix(out, "<table>") || !strings.HasSuffix(out, "</table>") {
		t.Fatalf("not one table:\n%s\nof\n%s", out, md)
	}
	for _, m := range cell.FindAllStringSubmatch(out, -1) {
		cells = append(cells, m[1])
	}
	return cells
}

func TestMarkdown(t *testing.T) {
	for _, s := range hostile {
		out, _, err := run(SnapshotOptions{Format: "md"}, value(s))
		if err != nil {
			t.Fatal(err)
		}
		got := cells(t, out)
		text := func(cell string) string {
			cell = strings.ReplaceAll(strings.ReplaceAll(cell, "<br>", "\n"), "\u200c", "")
			return html.UnescapeString(cell)
		}
		if len(got) != 12 || got[0] != "agent status" || got[2] != "BLOCKED" {
			t.Errorf("%q: cells %q", s, got)
			continue
		}
		for _, i := range []int{5, 8, 11} {
			if m := mark.FindAllString(strings.ReplaceAll(got[i], "<br>", ""), -1); m != nil {
				t.Errorf("%q: markup %q", s, m)
			}
			want := strings.ReplaceAll(visible(strings.ReplaceAll(s, "\r\n", "\n"), "\n\t"), "\t", " ")
			if got := text(got[i]); strings.Trim(got, " ") != strings.Trim(want, " ") {
				t.Errorf("%q: reads %q", s, got)
			}
		}
	}

	// URLs, which are checked, are links; to what they say and nothing else.
	for _, tt := range []struct{ kind, value, href string }{
		{"pr", pull(1), pull(1)},
		{"link", "https://a.dev/?a=1&b=*x*&amp;", "https://a.dev/?a=1&amp;b=%2Ax%2A&amp;amp;"},
		{"link", "https://a.dev/x)](https://evil.dev", "https://a.dev/x)%5D(https://evil.dev"},
		{"link", "https://a.dev/|`x`|", "https://a.dev/%7C%60x%60%7C"},
		{"link", "https://a.dev/>[x](https://evil.dev)<", "https://a.dev/%3E%5Bx%5D(https://evil.dev)%3C"},
		{"link", `https://a.dev/"onclick="x`, "https://a.dev/%22onclick=%22x"},
		{"link", "https://a.dev/é", "https://a.dev/%C3%A9"},
		{"repo", "/w/core", ""},
		{"repo", "/w/[x](https:/evil.dev)", ""},
		{"repo", "//evil.dev/x", ""},
	} {
		out, _, err := run(SnapshotOptions{Format: "md"}, tag(tt.kind, tt.value))
		if err != nil {
			t.Fatal(err)
		}
		got := cells(t, out)
		if len(got) != 3 || strings.Contains(out, "none yet") {
			t.Errorf("%s: no row: %s", tt.value, out)
			continue
		}
		links := regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(got[2], -1)
		switch {
		case tt.href == "" && links != nil:
			t.Errorf("%s: links %q", tt.value, links)
		case tt.href != "" && (len(links) != 1 || links[0][1] != tt.href):
			t.Errorf("%s: links %q, want %q", tt.value, links, tt.href)
		}
		want, _ := check(tt.kind, tt.value)
		if text := html.UnescapeString(mark.ReplaceAllString(got[2], "")); text != want.value {
			t.Errorf("%s: reads %q", tt.value, text)
		}
	}

	out, _, _ := run(SnapshotOptions{Format: "md"}, "")
	if want := []string{"none yet", "", ""}; !reflect.DeepEqual(cells(t, out), want) {
		t.Errorf("empty: %s", out)
	}
	var in strings.Builder
	for i := range maxRows + 7 {
		in.WriteString(tag("pr", pull(i+1)))
	}
	out, _, _ = run(SnapshotOptions{Format: "md"}, in.String())
	if got := cells(t, out); len(got) != 3*(maxRows+1) || got[2] != "(7 older ones are not shown)" || strings.Contains(out, "/7)") {
		t.Errorf("many: %s", out)
	}
}

func TestTable(t *testing.T) {
	in := tag("pr", pull(1)) + tag("repo", "/w/a") + tag("issue", "https://git.dev/a/b/issues/2", `,"agent":"s"`) + setTo("status", "held") +
		block("COMPLETE", `,"task":"a\nb"`)
	plain := "repo          agent      /w/a\n" +
		"issue         sub-agent  https://git.dev/a/b/issues/2\n" +
		"pr            agent      https://github.com/acme/core/pull/1\n" +
		"status        operator   held\n" +
		"agent status  agent      COMPLETE\n" +
		"task          agent      a b\n"
	link := func(u string) string { return "\x1b]8;;" + u + "\x1b\\" + u + "\x1b]8;;\x1b\\" }
	linked := strings.NewReplacer("https://git.dev/a/b/issues/2", link("https://git.dev/a/b/issues/2"), pull(1), link(pull(1))).Replace(plain)
	for _, tt := range []struct {
		name string
		opts SnapshotOptions
		want string
	}{
		{"on a pipe", SnapshotOptions{Format: "table"}, plain},
		{"on a terminal", SnapshotOptions{Terminal: true}, linked},
	} {
		if out, _, err := run(tt.opts, in); out != tt.want || err != nil {
			t.Errorf("%s: error %v, got\n%q\nwant\n%q", tt.name, err, out, tt.want)
		}
	}
	out, _, _ := run(SnapshotOptions{Terminal: true, Color: true}, block("FAILED"))
	if want := "\x1b[1magent status\x1b[0m  agent  \x1b[31mFAILED\x1b[0m\n"; out != want {
		t.Errorf("coloured: %q", out)
	}
	// What an agent says reaches no terminal as it is.
	for _, s := range hostile {
		out, _, _ := run(SnapshotOptions{Format: "table"}, value(s)+block("FAILED", `,"session":`+quote(s)))
		for _, r := range out {
			if hidden(r) && r != '\n' {
				t.Errorf("%q: %U in %q", s, r, out)
			}
		}
	}
}

func TestHref(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"https://a.dev/x?y#z", "https://a.dev/x?y#z"},
		{"http://[::1]:8080/", "http://[::1]:8080/"},
		{"https://a.dev", "https://a.dev"},
		{"https://a.dev/\x1b\\é", "https://a.dev/%1B%5C%C3%A9"},
		{"https://b\u00fccher.dev/", ""},
		{"https://a.dev\x1b/", ""},
		{"https:///x", ""},
		{"javascript://a.dev/", ""},
		{"/w/core", ""},
		{"", ""},
	} {
		if got := href(tt.value); got != tt.want {
			t.Errorf("href(%q) = %q, want %q", tt.value, got, tt.want)
		}
	}
}

// No format holds a control character that came out of an event, none is lost
// in JSON, and all take any input.
func FuzzSnapshot(f *testing.F) {
	for _, s := range hostile {
		f.Add([]byte(tag("pr", pull(1)) + value(s) + tag("status", s) + setTo("repo", "/w") + "noise\n"))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, format := range Formats {
			var out bytes.Buffer
			err := RunSnapshot(SnapshotOptions{Format: format, Agent: "any"}, bytes.NewReader(in), &out, io.Discard)
			if out.Len() == 0 {
				t.Fatalf("%s: nothing, error %v", format, err)
			}
			for _, r := range out.String() {
				switch {
				case r == '\n' || r == '\t' && format == "env":
				case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, hidden(r) && format != "json":
					t.Fatalf("%s: %U in %q", format, r, out.String())
				}
			}
			if format == "json" {
				if n := bytes.Count(out.Bytes(), []byte("\n")); n != 1 || !isObject(bytes.TrimSuffix(out.Bytes(), []byte("\n"))) {
					t.Fatalf("not one JSON line: %q", out.String())
				}
			}
		}
		if err := RunGate(GateOptions{}, bytes.NewReader(in), io.Discard, io.Discard); err != nil && err.Error() != "" {
			t.Fatal(err)
		}
	})
}
