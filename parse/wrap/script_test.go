package wrap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func ExampleScript() {
	var s Script
	var held []string
	for _, line := range []string{
		"##[group]Run claude -p \"$PROMPT\"",
		"\x1b[36;1mclaude -p \"$PROMPT\"\x1b[0m",
		"##[endgroup]",
		"Opened it.",
	} {
		before, verdict := s.Line([]byte(line), true)
		switch before {
		case Text:
			fmt.Println("held lines are text:", held)
			held = nil
		case OwnScript:
			held = nil
		}
		switch verdict {
		case Text:
			fmt.Println(line)
		case Hold:
			held = append(held, line)
		}
	}
	// Output: Opened it.
}

// output feeds lines to a Script, holds what it says to hold, and returns those
// that are text. A '~' before a line says that it has no timestamp.
func output(t *testing.T, lines []string) []string {
	t.Helper()
	var s Script
	var out, held []string
	size := 0
	decide := func(v Verdict) {
		switch v {
		case Text:
			out = append(out, held...)
		case Hold:
			return
		}
		held, size = nil, 0
	}
	for _, line := range lines {
		raw := strings.TrimPrefix(line, "~")
		before, verdict := s.Line([]byte(raw), raw == line)
		decide(before)
		switch verdict {
		case Text:
			out = append(out, raw)
		case Hold:
			held = append(held, raw)
			size += len(raw) + 1
		}
		if verdict != Hold && len(held) > 0 && !(verdict == OwnScript && before == Hold) {
			t.Errorf("%q comes out before %d held lines", raw, len(held))
		}
		if len(held) > MaxHeldLines || size > MaxHeldBytes {
			t.Fatalf("%d lines, %d bytes are held", len(held), size)
		}
	}
	decide(s.End())
	if len(held) > 0 {
		t.Errorf("%d lines are held behind the end", len(held))
	}
	return out
}

func repeat(n int, line string) []string {
	return slices.Repeat([]string{line}, n)
}

func concat(parts ...any) (out []string) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, p)
		case []string:
			out = append(out, p...)
		}
	}
	return out
}

func TestScript(t *testing.T) {
	const (
		run   = "##[group]Run claude"
		end   = "##[endgroup]"
		color = "\x1b[36;1mecho '<jackin:pr>x</jackin:pr>'\x1b[0m"
		sh    = "shell: /usr/bin/bash -e {0}"
	)
	for _, row := range []struct {
		name     string
		in, want []string
	}{
		{"no group", []string{"a", "##[error]b", end, "~c"}, []string{"a", "##[error]b", end, "c"}},
		{"script", []string{"a", run, color, color, sh, "env:", "  A: b", end, "text"}, []string{"a", "text"}},
		{"shortest", []string{run, end, "text"}, []string{"text"}},
		{"action", []string{run, "with:", "  prompt: one", "~two", "~", "~##[group]three", "~##[endgroup]", "  b: c", "env:", "  A: b", end, "text"}, []string{"text"}},
		{"action with stamped input", []string{run, "with:", "  prompt: one", "two", "", "  b: c", end, "text"}, []string{"text"}},
		{"crlf", []string{run + "\r", color + "\r", "env:\r", "  a: b\r", "~c\r", end + "\r", "text\r"}, []string{"text\r"}},
		{"two steps", []string{run, color, end, "a", run, color, end, "b"}, []string{"a", "b"}},
		{"other group", []string{"##[group]Run", "a", end, "##[group]Fetching", "b", end}, []string{"##[group]Run", "a", end, "##[group]Fetching", "b", end}},
		{"not at the start", []string{" " + run, "a", end}, []string{" " + run, "a", end}},
		{"not GitHub's", []string{"~" + run, "a"}, []string{run, "a"}},
		{"never closed", []string{run, "a", "b", "  c", ""}, []string{"a", "b", "  c", ""}},
		{"never closed, next step", []string{run, "a", run, "b", end, "c"}, []string{"a", "c"}},
		{"never closed, other group", []string{run, "a", "##[group]Fetching", "b"}, []string{"a", "##[group]Fetching", "b"}},
		{"never closed, coloured output", []string{run, "a", color, "b"}, []string{"a", color, "b"}},
		{"never closed, coloured output first", []string{run, color, "a"}, []string{color, "a"}},
		{"never closed, no timestamps", []string{run, "~a", "~b"}, []string{"a", "b"}},
		{"never closed, long", concat(run, repeat(1000, "a"), "b"), concat(repeat(1000, "a"), "b")},
		{"never closed, large", []string{run, "a", strings.Repeat("b", MaxHeldBytes), "c"}, []string{"a", strings.Repeat("b", MaxHeldBytes), "c"}},
		{"closed too late", concat(run, repeat(MaxOddLines+1, "a"), end), concat(repeat(MaxOddLines+1, "a"), end)},
		{"closed in time", concat(run, repeat(MaxOddLines, "a"), end), nil},
		{"cut in the script", []string{"a", run, color, color}, []string{"a"}},
		{"cut in the inputs", []string{run, "with:", "  prompt: one", "~two"}, nil},
		{"long script", concat(run, repeat(1000, color), sh, end, "text"), []string{"text"}},
		{"long input", concat(run, "with:", "  prompt: one", repeat(1000, "~two"), end, "text"), []string{"text"}},
		{"large script", concat(run, repeat(20, "\x1b[36;1m"+strings.Repeat("x", 10000)), sh, end, "text"), []string{"text"}},
		{"script larger than any", concat(run, "with:", repeat(2, "~"+strings.Repeat("x", maxScript)), "text"), []string{strings.Repeat("x", maxScript), strings.Repeat("x", maxScript), "text"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := output(t, row.in); !slices.Equal(got, row.want) {
				t.Errorf("got  %.500q\nwant %.500q", got, row.want)
			}
		})
	}
}

func BenchmarkScript(b *testing.B) {
	var s Script
	line := []byte("plain words of an agent")
	b.ReportAllocs()
	for b.Loop() {
		s.Line(line, true)
	}
}
