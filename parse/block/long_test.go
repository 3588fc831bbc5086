package block

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

var longFillers = []string{" ", "\t", "a", "`", "~", "-", "=", "*", "_", "#", ">", "<", "- ", "* ", " \f", "\v", "x ", "]", "\u2028", "é", "/", "\""}

// longLine is a line that goes on behind MinHead, and has its turns close to
// that place.
func longLine(r *rand.Rand) []byte {
	pick := func(s []string) string { return s[r.IntN(len(s))] }
	line := pick(randomPrefixes) + pick(randomBodies)
	if r.IntN(3) == 0 {
		line = pick(randomPrefixes) + pick([]string{"```", "~~~", "-", "---", "* *", "===", "<!--", "<pre>", "<?", "1.", "<b>", "- ", "``` x"})
	}
	filler := pick(longFillers)
	n := max(0, (MinHead-24+r.IntN(40)-len(line))/len(filler))
	line += strings.Repeat(filler, n)
	for k := r.IntN(5); k > 0; k-- {
		line += pick([]string{pick(randomBodies), pick(randomTails), "-->", "</textarea>", "</PRE>", "]]>", "`", "\u2028", filler})
	}
	return []byte(line)
}

// sevenCut reports the one difference that LongLine may make: the line begins
// an HTML block with a tag that does not end in the head.
func sevenCut(whole, long *Parser) bool {
	return whole.leaf == leafHTML && whole.html == 7 && long.leaf == leafParagraph
}

func checkLongLine(t *testing.T, r *rand.Rand, doc string) {
	t.Helper()
	var whole, long Parser
	for _, line := range splitLines(doc) {
		line := []byte(line)
		if r.IntN(3) != 0 {
			line = longLine(r)
		}
		want := whole.Line(line)
		head := min(len(line), MinHead+r.IntN(16))
		var rest Rest
		for b := line[head:]; len(b) > 0; {
			n := min(len(b), 1+r.IntN(3))
			if r.IntN(4) == 0 {
				n = len(b)
			}
			// What is handed over must not be kept.
			part := bytes.Clone(b[:n])
			rest.Add(part)
			clear(part)
			b = b[n:]
		}
		got := long.LongLine(line[:head], &rest)
		if got != want {
			t.Fatalf("%q: %q…%q\n got %+v\nwant %+v", doc, line[:min(len(line), 40)], line[max(0, len(line)-80):], got, want)
		}
		if sevenCut(&whole, &long) || whole.held && !long.held {
			long = *whole.clone()
		}
		if !same(&long, &whole) {
			t.Fatalf("%q: %q…%q\nleaves %v\n   not %v, %+v", doc, line[:min(len(line), 40)], line[max(0, len(line)-80):], &long, &whole, rest)
		}
	}
}

// TestLongLine checks that the head of a line and what Rest keeps of the rest
// tell as much as the whole line.
func TestLongLine(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		checkLongLine(t, r, randomDocument(r))
	}
}

// TestRest cuts lines at each place behind the first safe bytes, which say what
// the line is, and what is behind the cut in two once more.
func TestRest(t *testing.T) {
	for _, tt := range []struct {
		before, line string
		safe         int
	}{
		{"", "```", 3}, {"", "``````", 3}, {"", "``````x`", 3}, {"", "``` x", 3}, {"", "``` x`y`", 3},
		{"", "``` \u2028 `", 3}, {"", "``` \u2029`", 3}, {"", "``` ` \u2028", 3}, {"", "``` \u2027`\u2028", 3},
		{"", "``` é\u2028\u2028`", 3}, {"", "~~~ `", 3}, {"", "~~~~~~ `~", 3},
		{"````\n", "````", 4}, {"````\n", "``````  \t", 1}, {"````\n", "```` ``", 1}, {"````\n", "````\f", 1},
		{"````\n", "```", 1}, {"````\n", "``````a", 1},
		{"", "***", 1}, {"", "** *", 2}, {"", "* * *", 2}, {"", "*  \t *\t*", 2}, {"", "_ _  ", 1}, {"", "_ _ _a", 1}, {"", "_ _ -", 1}, {"", "__ _ a _", 1},
		{"a\n", "===", 1}, {"a\n", "==  ", 1}, {"a\n", "==  =", 1}, {"a\n", "==a", 1}, {"a\n", "---  ", 1}, {"a\n", "-- -", 1},
		{"a\n", "*  \t ", 2}, {"a\n", "* \v\f", 2}, {"a\n", "* \v\fx", 2}, {"a\n", "*  x", 3}, {"a\n", "* \f\v a", 3}, {"", "*   ", 2},
		{"", "<!--> x", 4}, {"", "<!-- x-->", 4}, {"", "<!-- - ->", 4}, {"", "<?x?>", 2}, {"", "<? ? >", 2},
		{"", "<!x > y", 3}, {"", "<![CDATA[]]>", 9}, {"", "<![CDATA[] ]>", 9},
		{"", "<pre> </textarea> y", 5}, {"", "<pre> </SCRIPT>", 5}, {"", "<pre> </pre >", 5}, {"", "<pre> <textarea>", 5},
		{"", "<pre> </textareas>", 5}, {"<pre>\n", "x </style>", 0}, {"<!--\n", "-->", 0}, {"<!--\n", "<!-- -- >", 0},
		{"", "<b>  \t\f ", 3}, {"", "<b>  \t x", 3}, {"", "<b>x", 3}, {"<div>\n", "      ", 0}, {"<div>\n", "     x", 0},
		{"a\n", "    ", 4}, {"a\n", "       x", 4}, {"", "      x", 4},
	} {
		for cut := tt.safe; cut <= len(tt.line); cut++ {
			for again := cut; again <= len(tt.line); again++ {
				var whole, long Parser
				for _, line := range splitLines(tt.before) {
					whole.Line([]byte(line))
				}
				long = *whole.clone()
				want := whole.Line([]byte(tt.line))
				var rest Rest
				rest.Add([]byte(tt.line[cut:again]))
				rest.Add([]byte(tt.line[again:]))
				if got := long.LongLine([]byte(tt.line[:cut]), &rest); got != want || !same(&long, &whole) {
					t.Errorf("%q: %q, %q, %q: %v, %+v, want %v, %+v", tt.before, tt.line[:cut], tt.line[cut:again],
						tt.line[again:], &long, got, &whole, want)
				}
			}
		}
	}
}

// A fence of more than MinHead characters is closed by none that is shorter.
func TestLongFence(t *testing.T) {
	var p Parser
	run := []byte(strings.Repeat("`", 3*MinHead))
	for i, tt := range []struct {
		n    int
		want Line
	}{
		{2*MinHead + 1, Line{Fenced: true, Open: true, Top: true}},
		{2 * MinHead, Line{Fenced: true, First: true, Top: true}},
		{2*MinHead + 1, Line{Fenced: true, Close: true, Top: true}},
		{MinHead + 2, Line{Fenced: true, Open: true, Top: true}},
		{MinHead + 1, Line{Fenced: true, First: true, Top: true}},
		{MinHead + 3, Line{Fenced: true, Close: true, Top: true}},
	} {
		var rest Rest
		rest.Add(run[MinHead:tt.n])
		if got := p.LongLine(run[:MinHead], &rest); got != tt.want {
			t.Errorf("row %d: %+v, want %+v", i, got, tt.want)
		}
	}
}
