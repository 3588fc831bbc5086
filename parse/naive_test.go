package parse

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tagscan/parse/block"
	"tagscan/parse/cuttest"
)

// naiveTags is section 2 of the specification read aloud, on a text that is
// there as a whole: what the scanner, which sees it in pieces and looks at
// nothing twice, must come to as well. Which lines are fenced it is told.
func naiveTags(text string) (tags []string) {
	open := regexp.MustCompile(`^<(?:(jackin|multicode|acme|j):([a-z][a-z0-9_-]{0,31})|(promise))>`)
	var blocks block.Parser
	var at struct { // the open tag
		on                       bool
		start, ns, name, code, v string
	}
	for n, line := range strings.SplitAfter(text, "\n") {
		line, ended := strings.CutSuffix(line, "\n")
		if line == "" && !ended {
			break
		}
		ln := blocks.Line([]byte(line))
		if ln.Open || ln.Close || ln.Ended {
			at.on = false
		}
		rest := line[ln.Content:]
		in := naiveSpans(rest)
		for i := 0; i < len(rest); {
			if m := open.FindStringSubmatch(rest[i:]); m != nil {
				at.on, at.start, at.ns, at.name, at.v = true, fmt.Sprint(n+1), m[1], m[2]+m[3], ""
				at.code = ""
				if ln.Fenced {
					at.code = "fence"
				} else if in[i] {
					at.code = "span"
				}
				i += len(m[0])
				continue
			}
			name := at.name
			if at.ns != "" {
				name = at.ns + ":" + name
			}
			if end := "</" + name + ">"; at.on && strings.HasPrefix(rest[i:], end) {
				tags = append(tags, fmt.Sprintf("%s tag %s:%s %q %s", at.start, at.ns, at.name, strings.Trim(at.v, " \t\n"), at.code))
				at.on = false
				i += len(end)
				continue
			}
			at.v += rest[i : i+1]
			i++
		}
		at.v += "\n"
		if ln.Blank {
			at.on = false
		}
	}
	return tags
}

// naiveSpans says of each byte of a line whether it is in a code span.
func naiveSpans(line string) []bool {
	in := make([]bool, len(line))
	run := func(i int) (n int) {
		for i+n < len(line) && line[i+n] == '`' {
			n++
		}
		return n
	}
	for i := 0; i < len(line); {
		switch {
		case line[i] == '\\':
			i += 2 // what is behind it is text
		case line[i] == '`':
			n, end := run(i), -1
			for j := i + n; j < len(line); j += max(run(j), 1) {
				if run(j) == n {
					end = j
					break
				}
			}
			if end < 0 {
				i += n
				continue
			}
			for ; i < end+n; i++ {
				in[i] = true
			}
		default:
			i++
		}
	}
	return in
}

// FuzzNaive: the tags of a text are those that a plain reading finds.
func FuzzNaive(f *testing.F) {
	words := []string{"\n", " ", "\n\n", "a", "`", "``", "```\n", "~~~\n", "\\", "> ", "- ", "1. ", "    ", "\t", "<!--", "-->", "<div>", "#",
		"<jackin:pr>", "</jackin:pr>", "<multicode:pr>", "</multicode:pr>", "<j:note-1>", "</j:note-1>", "<promise>", "</promise>", "<", ">", "/", ":",
		"<jackin:", "pr>", "</", "</j:", "note-1>", "<j:Note>", "<promise >", "<jackin:pr x>"}
	f.Add([]byte("\x12\x03\x13\x00\x04\x18\x19\x04"))
	f.Add([]byte("\x09\x10\x00\x09\x18\x03\x00\x09\x19"))
	f.Fuzz(func(t *testing.T, program []byte) {
		var b []byte
		for _, c := range program[:min(len(program), 150)] {
			b = append(b, words[int(c)%len(words)]...)
		}
		o := scanOptions(0)
		o.From = "text"
		got := slices.DeleteFunc(scanMarks(b, o, cuttest.Random(uint64(len(b)), 9)), func(m string) bool {
			_, m, _ = strings.Cut(m, " ")
			return !strings.HasPrefix(m, "tag ")
		})
		if want := naiveTags(string(b)); !slices.Equal(got, want) {
			t.Fatalf("%q:\n%q\nwant\n%q", b, got, want)
		}
	})
}
