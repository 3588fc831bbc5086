package transcript

import (
	"bytes"
	"fmt"
	"strings"
)

// A recorder writes what it is given as one line each, in the form of the .want
// files.
type recorder struct {
	out   strings.Builder
	open  bool
	parts []gotPart
	calls []bool // Rows of each artifact
	text  []byte
	lines []int
	part  Part
	bad   []string // what a Sink must never see
}

type gotPart struct {
	Part
	text string
}

func (s *recorder) Begin(p *Part) {
	if s.open {
		s.bad = append(s.bad, "Begin within a part")
	}
	s.open, s.part, s.text, s.lines = true, *p, nil, nil
}

func (s *recorder) Text(b []byte, line int) {
	if !s.open {
		s.bad = append(s.bad, "Text outside a part")
	}
	s.text = append(s.text, b...)
	if len(s.lines) == 0 || s.lines[len(s.lines)-1] != line {
		s.lines = append(s.lines, line)
	}
}

func (s *recorder) End() {
	if !s.open {
		s.bad = append(s.bad, "End outside a part")
	}
	s.open = false
	s.parts = append(s.parts, gotPart{s.part, string(s.text)})
	fmt.Fprintf(&s.out, "%s %q", where(&s.part), s.text)
	if len(s.lines) > 1 {
		fmt.Fprintf(&s.out, " lines=%d", s.lines)
	}
	s.out.WriteByte('\n')
}

func (s *recorder) Artifact(p *Part, tool, title string, tags TagList) {
	s.calls = append(s.calls, p.Rows)
	fmt.Fprintf(&s.out, "%s artifact %s %q %q\n", where(p), tool, title, tags.Tags)
}

func (s *recorder) Line(b []byte, line int, v Verdict) { s.line(b, line, v) }

func (s *recorder) line(b []byte, line int, v Verdict) {
	switch v {
	case Text:
		if len(bytes.TrimSpace(b)) > 0 {
			fmt.Fprintf(&s.out, "%d text %q\n", line, b)
		}
	case Invalid:
		fmt.Fprintf(&s.out, "%d invalid %.20q\n", line, b)
	}
}

func where(p *Part) string {
	s := fmt.Sprintf("%d %s %s", p.Line, p.Format, p.Role)
	for _, kv := range [][2]string{{"session", p.Session}, {"message", p.Message}, {"agent", p.Agent}} {
		if kv[1] != "" {
			s += " " + kv[0] + "=" + kv[1]
		}
	}
	if p.Echo {
		s += " echo"
	}
	if p.Grown {
		s += " grown"
	}
	if !p.Wanted {
		s += " unwanted"
	}
	return s
}

// run reads a whole input as the scanner does: a Document at its start, written
// in pieces of cut bytes, then lines.
func run(in []byte, o Options, cut int) *recorder {
	s := &recorder{}
	d := New(o, s)
	rest, line := in, 1
	if t := bytes.TrimLeft(in, " \t\r\n"); len(t) > 0 && (t[0] == '{' || t[0] == '[') {
		x := d.NewDocument(1)
		x.Skipped = func(line int, excerpt []byte, tooLarge bool) {
			if tooLarge {
				fmt.Fprintf(&s.out, "%d too large %.20q\n", line, excerpt)
				return
			}
			s.line(excerpt, line, Invalid)
		}
		st := DocumentMore
		for len(rest) > 0 && st == DocumentMore {
			k := min(cut, len(rest))
			piece := bytes.Clone(rest[:k])
			var n int
			n, st = x.Write(piece)
			for i := range piece {
				piece[i] = '#' // a kept alias shows
			}
			rest = rest[n:]
		}
		if st == DocumentMore {
			st = x.Close()
		}
		line = x.Line()
		if st == DocumentText {
			rest = append(bytes.Clone(x.Held()), rest...)
			line = 1
		}
	}
	for len(rest) > 0 {
		b := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			b, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		b = bytes.Clone(b)
		v := Text
		if t := bytes.TrimLeft(b, " \t"); d.Holding() || d.IsSSE(b) {
			v = d.SSE(b, line)
		} else if len(t) > 0 && (t[0] == '{' || t[0] == '[') {
			v = d.Record(b, line)
		}
		s.line(b, line, v)
		for i := range b {
			b[i] = '#'
		}
		line++
	}
	d.Close()
	if s.open {
		s.bad = append(s.bad, "a part is open at the end")
	}
	return s
}
