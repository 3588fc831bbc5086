package block

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// seeds gives a fuzz target, and so every test run, n random documents.
func seeds(f *testing.F, n int) {
	r := rand.New(rand.NewPCG(42, 0))
	for range n {
		f.Add([]byte(randomDocument(r)))
	}
}

// slow is Line without the short cuts.
func (p *Parser) slow(line []byte) (l Line) {
	var s step
	p.decide(&s, line, nil, false)
	p.commit(&l, &s, line, nil)
	return l
}

func (p *Parser) clone() *Parser {
	q := *p
	q.text = slices.Clone(p.text)
	return &q
}

// same reports whether two parsers are in the same state; what neither will
// look at is left out.
func same(p, q *Parser) bool {
	return p.leaf == q.leaf && p.empty == q.empty && p.held == q.held && p.first == q.first &&
		bytes.Equal(p.stack[:p.depth], q.stack[:q.depth]) &&
		(!p.held || bytes.Equal(p.text, q.text)) &&
		(p.leaf != leafFence || p.marker == q.marker && p.length == q.length) &&
		(p.leaf != leafHTML || p.html == q.html)
}

// FuzzFastPath does what the package comment allows in place of Line, and
// checks what a Line says of itself.
func FuzzFastPath(f *testing.F) {
	seeds(f, 2000)
	f.Fuzz(func(t *testing.T, doc []byte) {
		var p, q, fast Parser
		for _, line := range splitLines(string(doc)) {
			line := []byte(line)
			want := p.slow(line)
			if got := q.Line(line); got != want {
				t.Fatalf("%q, line %q: Line says %+v, not %+v", doc, line, got, want)
			}
			if !same(&q, &p) {
				t.Fatalf("%q, line %q: Line leaves %+v, not %+v", doc, line, q, p)
			}

			marker, top := fast.InTopFence()
			switch {
			case fast.Plain() && len(line) > 0 && !Starts[line[0]]:
				fast.Text()
				if !fast.Plain() || want != (Line{}) {
					t.Fatalf("%q, line %q: plain, but %+v", doc, line, want)
				}
			case fast.Plain() && len(line) == 0:
				fast.Gap()
				if !fast.Plain() || want != (Line{Blank: true}) {
					t.Fatalf("%q: an empty line, but %+v", doc, want)
				}
			case top && !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte{marker}):
				first := fast.first
				fast.Body()
				if want != (Line{Fenced: true, Top: true, First: first, Blank: len(bytes.Trim(line, " \t")) == 0}) {
					t.Fatalf("%q, line %q: body, but %+v", doc, line, want)
				}
			default:
				fast.Line(line)
			}
			if !same(&fast, &p) {
				t.Fatalf("%q, line %q: the fast path leaves %+v, not %+v", doc, line, fast, p)
			}
			if want.Blank != (len(bytes.Trim(line[want.Content:], " \t")) == 0) {
				t.Fatalf("%q, line %q: %+v", doc, line, want)
			}
			if head := bytes.TrimRight(line[:want.Content], " \t"); len(line[:want.Content])-len(head) > 1 ||
				want.Content > 0 && !bytes.HasSuffix(head, []byte(">")) {
				t.Fatalf("%q, line %q: no block quote marker before %d", doc, line, want.Content)
			}
		}
	})
}

// FuzzPeek checks that what Peek says of a head holds whatever follows.
func FuzzPeek(f *testing.F) {
	seeds(f, 1000)
	f.Add([]byte("``` <a> `"))
	f.Add([]byte("> ~~~\n``` <a>\u2028 `"))
	endings := []string{"", "`", " ```", "\u2028`", ">", "-->"}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var p Parser
		for _, line := range splitLines(string(doc)) {
			at := strings.IndexByte(line, '<')
			if at < 0 {
				// Tags are what Peek is for: put one there.
				at = len(line)
				line += "<a>"
			}
			for i := at + 1; i < len(line) && i < 200; i++ {
				if line[i-1] != '<' || !isLetter(line[i]) {
					continue
				}
				head := line[:i+1]
				before := p.clone()
				v := p.Peek([]byte(head))
				if !same(before, &p) {
					t.Fatalf("%q: Peek of %q changes the state", doc, head)
				}
				for _, rest := range append(endings, line[i+1:]) {
					l := p.clone().Line([]byte(head + rest))
					fenced := v.Fate == Fenced || v.Fate == Undecided && l.Fenced
					if v.Fate == Undecided && (rest == "" && !l.Fenced || rest == "`" && l.Fenced) {
						t.Fatalf("%q, line %q: undecided, but %+v", doc, head+rest, l)
					}
					want := Line{
						Fenced: fenced, Open: fenced && v.Open, Ended: v.Ended, First: v.First,
						Top: fenced && v.Top, Content: v.Content,
					}
					if l != want {
						t.Fatalf("%q, line %q: Peek of %q says %+v, Line %+v", doc, head+rest, head, v, l)
					}
				}
			}
			p.Line([]byte(line))
		}
	})
}

// goldmarkErrs matches what goldmark is known to take for something else than
// the reference implementation does. Tabs behind containers' markers, control
// characters and what is not ASCII are left out besides.
var goldmarkErrs = regexp.MustCompile(`(?i)[^\n -~]|</?(pre|script|style|textarea)|<!(?-i:[a-z])|([-*+]|\d[.)])[ >]*\n[ >]*\n`)

// FuzzAgainstGoldmark compares the lines of fences' bodies with what goldmark
// takes for them.
func FuzzAgainstGoldmark(f *testing.F) {
	seeds(f, 2000)
	parser := goldmark.DefaultParser()
	f.Fuzz(func(t *testing.T, doc []byte) {
		if goldmarkErrs.Match(doc) || len(doc) > 4096 {
			t.Skip("goldmark is known to differ")
		}
		if !bytes.HasSuffix(doc, []byte("\n")) {
			// goldmark leaves out a last line that is empty behind "> ".
			doc = append(bytes.Clone(doc), '\n')
		}
		want := make([]bool, bytes.Count(doc, []byte("\n"))+1)
		tree := parser.Parse(text.NewReader(doc))
		ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if n.Kind() == ast.KindFencedCodeBlock && entering {
				for i := range n.Lines().Len() {
					want[bytes.Count(doc[:n.Lines().At(i).Start], []byte("\n"))] = true
				}
			}
			return ast.WalkContinue, nil
		})
		var p Parser
		for i, line := range splitLines(string(doc)) {
			l := p.Line([]byte(line))
			if l.Blank && l.Fenced && !l.Top {
				continue // goldmark leaves out some of these, commonmark.js does not
			}
			if got := l.Fenced && !l.Open && !l.Close; got != want[i] {
				t.Errorf("%q: line %d %q is in a fence's body: %v, says goldmark %v", doc, i+1, line, got, want[i])
			}
		}
	})
}
