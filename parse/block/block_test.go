package block

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// structures are documents and the blocks open after each of their lines, in
// the words of Parser.String. TestReference asks the reference implementation
// for the same.
var structures = []struct{ name, doc, want string }{
	{"a fence", "```\na\n```\nb\n", "`3|`3||p"},
	{"tilde fence, longer close", "~~~~\n~~~\n~~~~~ \t\nx\n", "~4|~4||p"},
	{"close with info is body", "```\n``` x\n~~~\n```\n", "`3|`3|`3|"},
	{"close indented by 3, not by 4", "```\n    ```\n   ```\n", "`3|`3|"},
	{"close after a tab is body", "```\n\t```\n", "`3|`3"},
	{"trailing form feed keeps a fence open", "```\n```\f\n```\u00a0\n", "`3|`3|`3"},
	{"backtick in the info string", "``` a`b\n", "p"},
	{"line separator hides the backtick", "```\u2028`\n```\n", "`3|"},
	{"backtick in a tilde info string", "~~~ a`b\n", "~3"},
	{"fence interrupts a paragraph", "a\n```\n", "p|`3"},
	{"indented code hides a fence", "    ```\n\n\t~~~\n", "||"},
	{"four blanks continue a paragraph", "a\n    ```\nb\n", "p|p|p"},
	{"fence in a quote ends with it", "> ```\n> a\nb\n", ">`3|>`3|p"},
	{"fence in a quote, other one after", "> ```\n```\n", ">`3|`3"},
	{"fence in an item goes on over blanks", "- ```\n\n  a\n  ```\n", "2.`3|2.`3|2.`3|2."},
	{"fence in an item ends with it", "- ```\n  a\n b\n", "2.`3|2.`3|p"},
	{"fence in an item, next item", "- ```\n- ```\n", "2.`3|2.`3"},
	{"fence behind an empty item in an item", "* *\n\n  ```\n0\n", "2.2e|2.|2.`3|p"},
	{"no fence in a declaration", "<!a\n```\n", "h4|h4"},
	{"fence in a deep item", "> 1. - ~~~\n>      a\n>      ~~~\n", ">3.2.~3|>3.2.~3|>3.2."},
	{"lazy line", "> a\nb\n> c\n", ">p|>p|>p"},
	{"no lazy fence", "> a\n```\n", ">p|`3"},
	{"lazy underline is text", "> a\n===\n", ">p|>p"},
	{"lazy underline of dashes is a thematic break", "> a\n---\n", ">p|"},
	{"lazy number not 1 begins a list", "> a\n2. b\n", ">p|3.p"},
	{"lazy empty item begins a list", "> a\n-\n", ">p|2e"},
	{"no lazy line after a fence", "> ```\na\n", ">`3|p"},
	{"no lazy line after indented code", ">     a\nb\n", ">|p"},
	{"lazy line through two quotes and an item", "> > - a\n> b\nc\n", ">>2.p|>>2.p|>>2.p"},
	{"lazy tag alone is text", "> a\n<b>\n", ">p|>p"},
	{"lazy div begins a block", "> a\n<div>\n", ">p|h6"},
	{"number not 1 cannot interrupt", "a\n2. b\n", "p|p"},
	{"01 can interrupt", "a\n01. b\n", "p|4.p"},
	{"empty item cannot interrupt", "a\n-\nb\n*\n1.\n", "p||p|p|p"},
	{"item of a form feed cannot interrupt", "a\n* \f\n", "p|p"},
	{"ten digits are text", "1234567890. a\n123456789. a\n", "p|p"},
	{"item begins with one blank line", "-\n  a\n", "2e|2.p"},
	{"item begins with two blank lines", "-\n\n  a\n", "2e||p"},
	{"item with five blanks is indented code", "-     ```\n", "2."},
	{"item with four blanks", "-    ```\n     ```\n", "5.`3|5."},
	{"item behind a tab", "-\t```\n    ```\n", "4.`3|4."},
	{"item behind two tabs", "-\t\t```\n", "2."},
	{"tab consumed in part", ">\t\t```\n> \t```\n>\t```\n", ">|>`3|>"},
	{"tab in part, in an item", "1.\t- ```\n\t  ```\n", "4.2.`3|4.2."},
	{"tab for an item's indentation", "- a\n\n\t```\n", "2.p|2.|2.`3"},
	{"marker without blank is text", "-a\n1.a\n1)\tb\n", "p|p|4.p"},
	{"thematic break, not items", "* * *\n- - -\n- * -\n", "||2.2.2e"},
	{"thematic break in an item", "- * * *\n", "2."},
	{"underline, not an item", "a\n---\nb\n-\nc\n", "p||p||p"},
	{"headings", "# a\n#\n####### a\n#a\n", "||p|p"},
	{"heading ends a paragraph", "a\n# b\n    c\n", "p||"},
	{"html 1", "<script>\n\n```\n</SCRIPT>\n```\n", "h1|h1|h1||`3"},
	{"html 1 ends on its line", "<pre></pre>\n```\n", "|`3"},
	{"html 1 before a tab, not before a slash", "<style\t\n\n</style>\n<style/\n", "h1|h1||p"},
	{"html 1 other closing name", "<pre>\n</style> x\n```\n", "h1||`3"},
	{"html 2", "<!-- a\n\n```\n--> b\n```\n", "h2|h2|h2||`3"},
	{"html 2 shortest", "<!-->\n```\n", "|`3"},
	{"html 3", "<?a\n\n```\n?>\n```\n", "h3|h3|h3||`3"},
	{"html 4", "<!a\n\n```\n>\n```\n", "h4|h4|h4||`3"},
	{"html 5", "<![CDATA[\n\n```\n]]>\n```\n", "h5|h5|h5||`3"},
	{"html 5 in lower case is none", "<![cdata[\n", "p"},
	{"html 6", "<DIV\n```\n\n```\n", "h6|h6||`3"},
	{"html 6 interrupts a paragraph", "a\n</td >\n", "p|h6"},
	{"html 6 before a no-break space", "<div\u00a0x\n\n<div.\n", "h6||p"},
	{"html 7", "<b c d=e f='g' h=\"i\" >  \n```\n\n```\n", "h7|h7||`3"},
	{"html 7 cannot interrupt", "a\n<b>\n", "p|p"},
	{"html 7 must be alone", "<b> a\n", "p"},
	{"html 7 closing tag of a raw name", "</pre>\n```\n\n```\n", "h7|h7||`3"},
	{"html 7 bad attributes", "<b c=>\n\n<b c='d'e>\n\n<b c=d\"e>\n\n<b 1>\n\n</b c>\n", "p||p||p||p||p"},
	{"html 7 no-break space in a value", "<b c=d\u00a0e='f'>\n\n<b c=\u00a0>\n\n<b c=d\u00a0e\"f>\n", "h7||h7||p"},
	{"html 7 NUL in a value", "<b c=\u0000>\n\n<b \u0000>\n", "h7||p"},
	{"html in a quote ends with it", "> <!--\n> ```\n```\n", ">h2|>h2|`3"},
	{"html in an item, blank line", "- <div>\n\n  ```\n", "2.h6|2.|2.`3"},
	{"definition has no underline", "[a]: /b\n===\n2. c\n", "p|p|p"},
	{"definition, then a thematic break", "[a]: /b\n---\n2. c\n", "p||3.p"},
	{"definition, then dashes", "[a]: /b\n--\n===\nc\n", "p|p||p"},
	{"definition and text has one", "[a]: /b\nc\n===\n2. d\n", "p|p||3.p"},
	{"definition with title on the next line", "[a]: /b\n'c\nd'\n===\n2. d\n", "p|p|p|p|p"},
	{"definition with text behind the title", "[a]: /b 'c' d\n===\n2. d\n", "p||3.p"},
	{"definition, bad title below", "[a]: /b\n'c' d\n===\n2. d\n", "p|p||3.p"},
	{"definition over three lines", "[a]:\n/b\n(c)\n===\n2. d\n", "p|p|p|p|p"},
	{"two definitions", "[a]: /b\n[c]: <d> 'e'\n===\n2. f\n", "p|p|p|p"},
	{"definition ended by a tab", "[a]: /b\t\n===\n2. c\n", "p||3.p"},
	{"blank label", "[ \u00a0 ]: /b\n===\n2. c\n", "p||3.p"},
	{"empty destination", "[a]: <>\n===\n2. c\n", "p|p|p"},
	{"unbalanced destination", "[a]: /b(\n===\n2. c\n", "p||3.p"},
	{"escapes", "[\\]]: <\\>> '\\''\n===\n2. c\n", "p|p|p"},
	{"separator behind a backslash", "[a]: <\\\u2028>\n===\n2. c\n", "p||3.p"},
	{"definition in a quote, lazy line", "> [a]:\n/b\n> ===\n> 2. c\n", ">p|>p|>p|>p"},
	{"deep quotes", "> > > ```\n> > a\n", ">>>`3|>>p"},
	{"quote marker inside a fence", "> ```\n> > a\n>> b\n", ">`3|>`3|>`3"},
	{"blank line ends the empty item alone", "- # a\n  -\n\n  ```\n", "2.|2.2e|2.|2.`3"},
	{"other markers in a row", "- * - * ~~~\n", "2.2.2.2.~3"},
	{"longest label", "[" + strings.Repeat("a", 999) + "]: /b\n===\n2. c\n", "p|p|p"},
	{"label too long", "[" + strings.Repeat("a", 1000) + "]: /b\n===\n2. c\n", "p||3.p"},
	{"longest label in UTF-16", "[" + strings.Repeat("é", 997) + "😀]: /b\n===\n2. c\n", "p|p|p"},
	{"label too long in UTF-16", "[" + strings.Repeat("é", 998) + "😀]: /b\n===\n2. c\n", "p||3.p"},
	{"longest label over two lines", "[" + strings.Repeat("a", 900) + "\n" + strings.Repeat("a", 98) + "]: /b\n===\n2. c\n", "p|p|p|p"},
	{"label too long over two lines", "[" + strings.Repeat("a", 900) + "\n" + strings.Repeat("a", 99) + "]: /b\n===\n2. c\n", "p|p||3.p"},
}

func TestStructure(t *testing.T) {
	var p Parser
	for _, tt := range structures {
		p.Reset()
		var states []string
		for _, line := range splitLines(tt.doc) {
			p.Line([]byte(line))
			states = append(states, p.String())
		}
		if got := strings.Join(states, "|"); got != tt.want {
			t.Errorf("%s: %q\n got %s\nwant %s", tt.name, tt.doc, got, tt.want)
		}
	}
}

// letters is a short form of a Line: F fenced, O open, C close, E ended,
// 1 first, T top, B blank, and the rest of the line at Content.
func letters(l Line, line string) string {
	var s []byte
	for _, f := range []struct {
		set    bool
		letter byte
	}{{l.Fenced, 'F'}, {l.Open, 'O'}, {l.Close, 'C'}, {l.Ended, 'E'}, {l.First, '1'}, {l.Top, 'T'}, {l.Blank, 'B'}} {
		if f.set {
			s = append(s, f.letter)
		}
	}
	return string(s) + "(" + line[l.Content:] + ")"
}

func TestLine(t *testing.T) {
	for _, tt := range []struct{ doc, want string }{
		{"a\n\n```x\nb\nc\n```\n", "(a) B() FOT(```x) F1T(b) FT(c) FCT(```)"},
		{"```\n```\n", "FOT(```) FCT(```)"},
		{"```\n\n \n`\n", "FOT(```) F1TB() FTB( ) FT(`)"},
		{"> ```\n> a\n>\nb\n", "FO(```) F1(a) FB() E(b)"},
		{"> ```\n\n", "FO(```) EB()"},
		{"> ```\n```\na\n", "FO(```) FOET(```) F1T(a)"},
		{"- ```\n- ```\n  ```\n", "FO(- ```) FOE(- ```) FC(  ```)"},
		{"- ```\n\n  a\nb\n", "FO(- ```) F1B() F(  a) E(b)"},
		{"> ```\n> ```\n> a\n", "FO(```) FC(```) (a)"},
		{"> - > a\n> -\n> - >\n>   > b\n", "(a) (-) B() (b)"},
		{">\ta\n>\t\tb\n>  c\n", "(a) (\tb) ( c)"},
		{"> > a\n> b\nc\n", "(a) (b) (c)"},
		{"> ```\n> > a\n", "FO(```) F1(> a)"},
		{"-\n- \n\n", "(-) (- ) B()"},
		{"    ```\n<!--\n```\n\n-->\n~~~\n", "(    ```) (<!--) (```) B() (-->) FOT(~~~)"},
	} {
		var p Parser
		var got []string
		for _, line := range splitLines(tt.doc) {
			got = append(got, letters(p.Line([]byte(line)), line))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%q\n got %s\nwant %s", tt.doc, got, tt.want)
		}
	}
}

func TestPeek(t *testing.T) {
	for _, tt := range []struct {
		before, head string
		want         Verdict
	}{
		{"", "<a", Verdict{}},
		{"", "``` <a", Verdict{Fate: Undecided, Open: true, Top: true}},
		{"", "``` <a`", Verdict{}},
		{"", "```\u2029<a", Verdict{Fate: Fenced, Open: true, Top: true}},
		{"", "~~~ <a`", Verdict{Fate: Fenced, Open: true, Top: true}},
		{"", "    ~~~ <a", Verdict{}},
		{"", "> - ~~~ <a", Verdict{Fate: Fenced, Open: true, Content: 2}},
		{"```\n", "``` <a", Verdict{Fate: Fenced, First: true, Top: true}},
		{"```\nb\n", "<a", Verdict{Fate: Fenced, Top: true}},
		{"> ```\n", "> <a", Verdict{Fate: Fenced, First: true, Content: 2}},
		{"> ```\n", "<a", Verdict{Ended: true}},
		{"> ```\n", "``` <a", Verdict{Fate: Undecided, Open: true, Ended: true, Top: true}},
		{"- ```\n", "   <a", Verdict{Fate: Fenced, First: true}},
		{"- ```\n", " <a", Verdict{Ended: true}},
		{"<!--\n", "``` <a", Verdict{}},
	} {
		var p Parser
		for _, line := range splitLines(tt.before) {
			p.Line([]byte(line))
		}
		if got := p.Peek([]byte(tt.head)); got != tt.want {
			t.Errorf("%q, then %q: %+v, want %+v", tt.before, tt.head, got, tt.want)
		}
	}
}

// TestVerdicts holds every example of the specification, with a tag on each of
// its lines in turn, and generated documents, and what both commonmark.js and
// markdown-it say of the line with the tag.
func TestVerdicts(t *testing.T) {
	f, err := os.Open("testdata/verdicts.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var p Parser
	n := 0
	for rows := bufio.NewScanner(z); rows.Scan(); n++ {
		var row struct {
			Src, From string
			Fenced    bool
		}
		if err := json.Unmarshal(rows.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		p.Reset()
		tags := 0
		for _, line := range splitLines(row.Src) {
			at := strings.Index(line, "<jackin:x>")
			if at < 0 {
				p.Line([]byte(line))
				continue
			}
			tags++
			v := p.Peek([]byte(line[:at+len("<jackin:x>")]))
			if v.Fate != Undecided && (v.Fate == Fenced) != row.Fenced {
				t.Errorf("%s: %q: Peek says %+v", row.From, row.Src, v)
			}
			if l := p.Line([]byte(line)); l.Fenced != row.Fenced {
				t.Errorf("%s: %q: fenced is %v", row.From, row.Src, l.Fenced)
			}
		}
		if tags != 1 {
			t.Errorf("%s: %q: %d tags", row.From, row.Src, tags)
		}
	}
	if n != 4000 {
		t.Errorf("%d documents", n)
	}
}

// TestDepth checks that what is nested deeper than MaxDepth is text.
func TestDepth(t *testing.T) {
	items := func(n int) string {
		var s strings.Builder
		for i := range n {
			s.WriteString(strings.Repeat(" ", 2*i) + "- a\n")
		}
		return s.String()
	}
	in := strings.Repeat(" ", 2*MaxDepth)
	for _, tt := range []struct {
		name, doc string
		fenced    bool
	}{
		{"quotes to the limit", strings.Repeat(">", MaxDepth) + "~~~", true},
		{"quotes past the limit", strings.Repeat(">", MaxDepth+1) + "~~~", false},
		{"very many quotes", strings.Repeat(">", 100000) + "~~~", false},
		{"past the limit, once more below", strings.Repeat(">", 100000) + "a\n" + strings.Repeat(">", MaxDepth) + "~~~", true},
		{"items on a line to the limit", strings.Repeat("- ", MaxDepth) + "~~~", true},
		{"items on a line past the limit", strings.Repeat("- ", MaxDepth+1) + "~~~", false},
		{"items to the limit", items(MaxDepth) + in + "~~~", true},
		{"items past the limit", items(MaxDepth) + in + "- ~~~", false},
		{"a thematic break at the limit", items(MaxDepth) + in + "- - -\n" + in + "~~~", true},
		{"a quote below items at the limit", items(MaxDepth) + in + "> ~~~", false},
		{"an item of fewer", items(MaxDepth) + "- ~~~", true},
	} {
		var p Parser
		var l Line
		for _, line := range splitLines(tt.doc) {
			l = p.Line([]byte(line))
			if p.depth > MaxDepth {
				t.Fatalf("%s: depth %d", tt.name, p.depth)
			}
		}
		if l.Fenced != tt.fenced {
			t.Errorf("%s: %+v", tt.name, l)
		}
	}
}

// A paragraph that is longer than MaxDefinitions is taken for text.
func TestMaxDefinitions(t *testing.T) {
	line := "[a]: /bcdefghij"
	for _, tt := range []struct {
		lines int
		want  string // behind the underline
	}{
		{MaxDefinitions/(len(line)+1) - 1, "p"},
		{MaxDefinitions / (len(line) + 1), "p"},
		{MaxDefinitions/(len(line)+1) + 1, ""},
		{100 * MaxDefinitions / len(line), ""},
	} {
		var p Parser
		for range tt.lines {
			p.Line([]byte(line))
		}
		p.Line([]byte("==="))
		if got := p.String(); got != tt.want {
			t.Errorf("%d lines: %q, want %q", tt.lines, got, tt.want)
		}
		if cap(p.text) > MaxDefinitions {
			t.Errorf("%d lines: %d bytes held", tt.lines, cap(p.text))
		}
	}
}

func TestReset(t *testing.T) {
	for _, tt := range structures {
		var p Parser
		for _, line := range splitLines(tt.doc) {
			p.Line([]byte(line))
		}
		p.Reset()
		if !same(&p, new(Parser)) {
			t.Errorf("%q leaves %+v", tt.doc, p)
		}
	}
}

// corpus is all documents of structures, one behind the other.
func corpus() (lines [][]byte, size int) {
	for _, tt := range structures {
		for _, line := range splitLines(tt.doc + "\n\n") {
			lines = append(lines, []byte(line))
			size += len(line) + 1
		}
	}
	return lines, size
}

func TestAllocs(t *testing.T) {
	lines, _ := corpus()
	var p Parser
	var rest Rest
	rest.Add([]byte("` x"))
	head := bytes.Repeat([]byte("> ``` a "), MinHead/8)
	allocs := testing.AllocsPerRun(10, func() {
		p.Reset()
		for _, line := range lines {
			p.Peek(line)
			p.Line(line)
		}
		p.LongLine(head, &rest)
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
