package parse

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"tagscan/parse/cuttest"
)

// recorder writes down what it is handed.
type recorder struct {
	excerpts bool // they depend on the cuts when they are not asked for
	got      []string
}

func (r *recorder) Tag(t *Tag) {
	r.got = append(r.got, fmt.Sprintf("%d tag %s:%s %q %s", t.Line, t.Namespace, t.Kind, t.Value, t.Code))
}

func (r *recorder) Block(b *Block) {
	r.got = append(r.got, fmt.Sprintf("%d-%d %s %+v indented=%t unterminated=%t quoted=%t %s",
		b.Line, b.EndLine, b.Protocol, b.Fields, b.Indented, b.Unterminated, b.Quoted, b.Code))
}

func (r *recorder) Artifact(a *Artifact) {
	r.got = append(r.got, fmt.Sprintf("%d artifact %s %q %q", a.Line, a.Tool, a.Title, a.Tags))
}

func (r *recorder) Skip(s *Skip) {
	if !r.excerpts {
		s.Excerpt = nil
	}
	r.got = append(r.got, fmt.Sprintf("%d skip %s %s %s:%s %q", s.Line, s.What, s.Reason, s.Namespace, s.Kind, s.Excerpt[:min(64, len(s.Excerpt))]))
}

func textMarks(b []byte, excerpts bool, cut cuttest.Cut) []string {
	r := &recorder{excerpts: excerpts}
	l := lines{d: newDocument(newGrammar([]string{"acme", "j"}, []string{"promise"}), r, excerpts)}
	l.d.begin(Pos{}, Origin{})
	cut.Into(b, l.write)
	l.close()
	return r.got
}

func FuzzText(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, excerpts bool) {
		want := textMarks(b, excerpts, cuttest.All[0])
		for _, c := range cuttest.All[1:] {
			if got := textMarks(b, excerpts, c); !slices.Equal(got, want) {
				t.Fatalf("cut into %s:\n%q\nwhole:\n%q", c.Name, got, want)
			}
		}
	})
}

var seeds = func() (s []string) {
	d := os.Getenv("SEEDS")
	es, _ := os.ReadDir(d)
	for _, e := range es {
		b, err := os.ReadFile(d + "/" + e.Name() + "/input")
		if err == nil {
			s = append(s, string(b))
		}
	}
	s = append(s, "``` <jackin:pr>a</jackin:pr>\nx", "``` <jackin:pr>a</jackin:pr> `\nx", "> ```\n> <promise>a</promise>\n<promise>b</promise>", "- ~~~\n  ---AGENT_STATUS---\n  STATUS: x\n<j:a>b</j:a>", "AGENT_STATUS:\n  status: COMPLETE\n  x: y\n<jackin:pr>x</jackin:pr>", "`<j:a>` ` <j:a>x</j:a> `` ` \\` <j:a>b</j:a>`", "a <jackin:pr x>  <jackin:PR>y <j:status>a\r\nb\x1b[1mc</j:status>")
	return
}()
