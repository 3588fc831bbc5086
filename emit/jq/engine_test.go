package jq

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"tagscan/emit/exit"
)

// TestFilter has what a filter prints and says. Every input is written whole,
// and again byte by byte.
func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		expr, input, out, err string
		status                int
	}{
		{`.`, `{"b":1,"a":[true,null,{}],"c":1.10}`, `{"a":[true,null,{}],"b":1,"c":1.10}` + "\n", "", exit.OK},
		{`.n`, `{"n":12345678901234567890123456789}`, "12345678901234567890123456789\n", "", exit.OK},
		{`.n + 1`, `{"n":12345678901234567890123456789}`, "12345678901234567890123456790\n", "", exit.OK},
		{`.n`, `{"n":1e400}` + "\n" + `{"n":-0}` + "\n" + `{"n":1E5}`, "1e400\n-0\n1E5\n", "", exit.OK},
		{`.s`, `{"s":"a\nb\u0001<&>\u2028é\ud800"}`, "a\nb\x01<&>\u2028é\uFFFD\n", "", exit.OK},
		{`[.s]`, "{\"s\":\"a\\nb\\u0001<&>\\u2028é\x7f\xff\"}", `["a\nb\u0001<&>` + "\u2028é" + `\u007f` + "\uFFFD" + `"]` + "\n", "", exit.OK},
		{`.a, .b`, `{"a":1,"b":"x"}`, "1\nx\n", "", exit.OK},
		{`select(.n > 1).n`, `{"n":1}` + "\n" + `{"n":2}` + "\n", "2\n", "", exit.OK},
		{`empty`, `{"n":1}`, "", "", exit.OK},
		{`nan, infinite, -infinite`, `{}`, "null\n1.7976931348623157e+308\n-1.7976931348623157e+308\n", "", exit.OK},
		{`.a`, `{"a":1,"a":2,"A":3}`, "2\n", "", exit.OK},
		{`limit(2; range(1e12))`, `{}`, "0\n1\n", "", exit.OK},
		{`limit(0; error)`, `{}`, "", "", exit.OK},
		{`first(range(1e12))`, `{}`, "0\n", "", exit.OK},
		{`[.[]]`, "\n \t\n{\"a\":1}\r\n\r\n{\"a\":2}\n\n", "[1]\n[2]\n", "", exit.OK},
		{`.a`, "\uFEFF{\"a\":1}\n\uFEFF{\"a\":2}\n\uFEFF", "1\n2\n", "", exit.OK},
		{`.a`, "{\"a\":1}\nplain\n[1]\n{\"a\":2}\n{\"a\":3}x\n", "1\n2\n", "tagscan: 3 lines are not JSON objects; the first is line 2\n", exit.IO},
		{`.a`, "{\"a\":1}\n{\"a\":", "1\n", "tagscan: line 2 is not a JSON object\n", exit.IO},
		{`.n, error("no")`, `{"n":1}` + "\n" + `{"n":2}`, "1\n2\n", "tagscan: expression: line 1: error: no\ntagscan: expression: line 2: error: no\n", exit.Fault},
		{`.n, ("x" * 1e9)`, `{"n":1}` + "\n" + `{"n":2}`, "1\n2\n", "tagscan: expression: line 1: budget_exhausted: needs too much memory\ntagscan: expression: line 2: budget_exhausted: needs too much memory\n", exit.Fault},
		{`.n, last(range(1e12))`, `{"n":1}` + "\n" + `{"n":2}`, "1\n2\n", "tagscan: expression: line 1: timeout: took too long\ntagscan: expression: line 2: timeout: took too long\n", exit.Fault},
		{`.n + 1`, "{\"n\":1}\n{\"n\":\"x\\u001b[2J\\n\"}\n{\"n\":2}\nbad\n", "2\n3\n", "tagscan: expression: line 2: error: cannot add: string (\"x\\u001b[2J\\n\") and number (1)\ntagscan: line 4 is not a JSON object\n", exit.Fault},
		{`error("\u001b]0;x")`, `{}`, "", "tagscan: expression: line 1: error: \\x1b]0;x\n", exit.Fault},
		{`foo`, `{}`, "", "expression: function not defined: foo/0\n    foo\n    ^", exit.Usage},
		{`$params`, `{}`, "", "expression: variable not defined: $params\n    $params\n    ^", exit.Usage},
		{`env`, `{}`, "", "expression: env is not allowed\n    env\n    ^", exit.Usage},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			for _, size := range []int{1 << 20, 1} {
				var out, errw bytes.Buffer
				f, err := NewFilter(tt.expr, FilterOptions{}, &out, &errw)
				if err == nil {
					for p := []byte(tt.input); len(p) > 0; {
						n := min(size, len(p))
						piece := bytes.Clone(p[:n])
						if _, err := f.Write(piece); err != nil {
							t.Fatal(err)
						}
						clear(piece) // nothing of it may be kept
						p = p[n:]
					}
					err = f.Close()
				}
				said := errw.String()
				if err != nil {
					said += err.Error()
				}
				var x *ExprError
				if errors.As(err, &x) {
					said += "\n" + x.Excerpt("    ")
				}
				if out.String() != tt.out || said != tt.err || exit.Status(err) != tt.status {
					t.Errorf("in pieces of %d:\n%q\n%q\nstatus %d, want\n%q\n%q\nstatus %d", size, out.String(), said, exit.Status(err), tt.out, tt.err, tt.status)
				}
			}
		})
	}
}

// An expectation of a long stream with faults of every kind in it: nothing is
// lost, doubled or out of order.
func TestFaultsInBetween(t *testing.T) {
	const expr = `if .n % 1009 == 7 then "x" * 1e9 elif .n % 1511 == 5 then last(range(1e12)) elif .n % 101 == 3 then error else .n end`
	var in, want bytes.Buffer
	faults := 0
	for n := range 6000 {
		pad := strings.Repeat("p", n%300)
		fmt.Fprintf(&in, "{\"n\":%d,\"pad\":%q}\n", n, pad)
		if n%1009 == 7 || n%1511 == 5 || n%101 == 3 {
			faults++
		} else {
			fmt.Fprintln(&want, n)
		}
	}
	out, errs, err := filterAll(t, expr, in.String())
	if out != want.String() {
		t.Errorf("output differs: %d bytes, want %d", len(out), want.Len())
	}
	if n := strings.Count(errs, "\n"); n != faults || exit.Status(err) != exit.Fault {
		t.Errorf("%d faults, want %d; %v", n, faults, err)
	}
	for _, cause := range []string{CauseError, CauseTimeout, CauseBudget} {
		if !strings.Contains(errs, ": "+cause+": ") {
			t.Errorf("no %s", cause)
		}
	}
}

// A chanWriter tells of each write.
type chanWriter chan string

func (c chanWriter) Write(p []byte) (int, error) {
	c <- string(p)
	return len(p), nil
}

// TestStreams waits for each output before the next event is written, and does
// not flush.
func TestStreams(t *testing.T) {
	out := make(chanWriter, 100)
	f, err := NewFilter(`.n`, FilterOptions{}, out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		if err := f.Process(fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
			t.Fatal(err)
		}
		if got, want := <-out, fmt.Sprintf("%d\n", n); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	// An event that comes in the same frame as one that takes its time does not
	// wait for it.
	g, err := NewFilter(`if .n == 1 then last(range(1e12)) else .n end`, FilterOptions{}, out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(g, "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n")
	if got := <-out; got != "0\n" {
		t.Errorf("got %q first", got)
	}
	f.Close()
	g.Close()
}

func TestFlush(t *testing.T) {
	var out bytes.Buffer
	f, err := NewFilter(`.n`, FilterOptions{}, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for n := range 2000 {
		fmt.Fprintf(f, "{\"n\":%d}\n", n)
		fmt.Fprintln(&want, n)
		if n%100 == 0 {
			if err := f.Flush(); err != nil {
				t.Fatal(err)
			}
			if out.String() != want.String() {
				t.Fatalf("after event %d: %d bytes of output, want %d", n, out.Len(), want.Len())
			}
		}
	}
	if err := f.Close(); err != nil || out.String() != want.String() {
		t.Errorf("%v, %d bytes", err, out.Len())
	}
	if err := f.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// TestLongLines has lines at the limit, and what comes behind them.
func TestLongLines(t *testing.T) {
	line := func(n int) string { return `{"n":1,"s":"` + strings.Repeat("x", n-len(`{"n":1,"s":""}`)) + `"}` }
	for _, tt := range []struct {
		input string
		out   string
		bad   string
	}{
		{line(MaxLine) + "\n{\"n\":2}\n", "1\n2\n", ""},
		{line(MaxLine), "1\n", ""},
		{line(MaxLine+1) + "\n{\"n\":2}\n", "2\n", "tagscan: line 1 is too long for an event: more than 16 MiB\n"},
		{"{\"n\":0}\n" + line(3*MaxLine) + "\n{\"n\":2}", "0\n2\n", "tagscan: line 2 is too long for an event: more than 16 MiB\n"},
		{"{\"n\":0}\n" + line(MaxLine+5), "0\n", "tagscan: line 2 is too long for an event: more than 16 MiB\n"},
		{line(MaxLine+1) + "\nplain\n", "", "tagscan: 2 lines are not JSON objects, or too long (more than 16 MiB); the first is line 1\n"},
		{strings.Repeat(line(MaxLine)+"\n", 3) + "{\"n\":2}", "1\n1\n1\n2\n", ""},
		{strings.Repeat(line(2<<20)+"\n{\"n\":3}\n", 10), strings.Repeat("1\n3\n", 10), ""},
	} {
		var out, errw bytes.Buffer
		f, err := NewFilter(`.n`, FilterOptions{}, &out, &errw)
		if err != nil {
			t.Fatal(err)
		}
		for p := []byte(tt.input); len(p) > 0; {
			n := min(100_000, len(p))
			if _, err := f.Write(p[:n]); err != nil {
				t.Fatal(err)
			}
			p = p[n:]
		}
		f.Close()
		if out.String() != tt.out || errw.String() != tt.bad {
			t.Errorf("%.20q, %d bytes: %q, %q", tt.input, len(tt.input), out.String(), errw.String())
		}
	}
}

// TestKilledWorker kills the worker from outside, between events and in the
// middle of many.
func TestKilledWorker(t *testing.T) {
	var out, errw bytes.Buffer
	f, err := NewFilter(`.n`, FilterOptions{}, &out, &errw)
	if err != nil {
		t.Fatal(err)
	}
	kill := func() {
		f.e.mu.Lock()
		defer f.e.mu.Unlock()
		f.e.w.cmd.Process.Kill()
	}
	var want strings.Builder
	for n := range 20_000 {
		if n%4000 == 500 {
			kill()
		}
		fmt.Fprintf(f, "{\"n\":%d}\n", n)
		fmt.Fprintln(&want, n)
		if n == 10_000 {
			f.Flush()
			kill()
			time.Sleep(20 * time.Millisecond)
		}
	}
	if err := f.Close(); err != nil || errw.Len() > 0 {
		t.Errorf("%v %q", err, errw.String())
	}
	if out.String() != want.String() {
		t.Errorf("%d bytes of output, want %d", out.Len(), want.Len())
	}
}

type failingWriter struct{ after int }

var errFull = errors.New("no space left")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.after -= len(p); w.after < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	f, err := NewFilter(`.n`, FilterOptions{}, &failingWriter{1000}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var werr error
	for range 200_000 {
		if _, werr = io.WriteString(f, "{\"n\":1}\n"); werr != nil {
			break
		}
	}
	if !errors.Is(werr, errFull) {
		t.Errorf("Write: %v", werr)
	}
	if err := f.Close(); !errors.Is(err, errFull) || exit.Status(err) != exit.IO {
		t.Errorf("Close: %v", err)
	}
}

// A lister notes answers.
type lister struct{ answers []string }

func (l *lister) Flush() error { return nil }

func (l *lister) Answer(line []byte, n int64, a *Answer) error {
	s := fmt.Sprintf("%d %s", n, []string{"blank", "bad", "match", "none", "fault", "done"}[a.Kind])
	switch a.Kind {
	case Match:
		s += fmt.Sprintf(" %d", a.Rule)
	case Fault:
		s += fmt.Sprintf(" %d %s", a.Rule, a.Cause)
	}
	if a.Subject != "" {
		s += " <" + a.Subject + ">"
	}
	if a.Route {
		s += " route"
	}
	l.answers = append(l.answers, s)
	return nil
}

func TestEvaluator(t *testing.T) {
	cairn := `{"source":"cairn","kind":"artifact.created","event_id":"e","data":{"id":"hx1","tags":["handoff"]}}`
	manyRules := make([]string, 32)
	for i := range manyRules {
		// Each well below its own bound, and all of them above the list's.
		manyRules[i] = fmt.Sprintf(`last(range(200000)) == %d`, i)
	}
	for _, tt := range []struct {
		name  string
		rules Rules
		input string
		want  []string
	}{
		{"first match", Rules{Exprs: []string{`.n == 1`, `.n >= 1`, `true`}}, "{\"n\":1}\n{\"n\":2}\n{\"n\":0}", []string{"1 match 0", "2 match 1", "3 match 2"}},
		{"truth", Rules{Exprs: []string{`.x`}}, "{\"x\":0}\n{\"x\":\"\"}\n{\"x\":[]}\n{\"x\":null}\n{\"x\":false}\n{}", []string{"1 match 0", "2 match 0", "3 match 0", "4 none", "5 none", "6 none"}},
		{"no output", Rules{Exprs: []string{`empty`, `select(.n == 1)`}}, "{\"n\":1}\n{\"n\":2}", []string{"1 match 1", "2 none"}},
		{"first output decides", Rules{Exprs: []string{`false, true`, `true, error`, `1, last(range(1e12))`}}, "{}", []string{"1 match 1"}},
		{"lines", Rules{Exprs: []string{`true`}}, "\n{}\nx\n \n[]\n{\"route\":1}", []string{"1 blank", "2 match 0", "3 bad", "4 blank", "5 bad", "6 match 0 route"}},
		{"faults", Rules{Exprs: []string{`.n + 1 > 1`, `if .n == 2 then "x" * 1e9 else false end`, `if .n == 3 then last(range(1e12)) else false end`, `true`}},
			"{\"n\":\"x\"}\n{\"n\":0}\n{\"n\":-2}\n{\"n\":-3,\"route\":{}}\n{\"n\":[]}",
			[]string{"1 fault 0 error", "2 match 3", "3 match 3", "4 match 3 route", "5 fault 0 error"}},
		{"which rule", Rules{Exprs: []string{`false`, `if .n == 2 then "x" * 1e9 else false end`, `if .n == 3 then last(range(1e12)) else .n == 4 end`, `true`}},
			"{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n{\"n\":2}\n{\"n\":2}\n{\"n\":5}",
			[]string{"1 match 3", "2 fault 1 budget_exhausted", "3 fault 2 timeout", "4 match 2", "5 fault 1 budget_exhausted", "6 fault 1 budget_exhausted", "7 match 3"}},
		{"the whole list", Rules{Exprs: manyRules}, "{}\n{}", []string{"1 fault * timeout", "2 fault * timeout"}},
		{"null is an error", Rules{Exprs: []string{`error(null)`}}, "{}", []string{"1 fault 0 error"}},
		{"params", Rules{Exprs: []string{`.by == $params.who[]`, `$params.n == 12345678901234567890`}, Params: []byte(`{"who":["a","b"],"n":12345678901234567890}`)},
			"{\"by\":\"a\"}\n{\"by\":\"b\"}", []string{"1 match 0", "2 match 1"}},
		{"no params", Rules{Exprs: []string{`$params == {}`}}, "{}", []string{"1 match 0"}},
		{"overlay", Rules{Exprs: []string{`.source == "cairn"`, `.source == "tagscan"`, `.source == "generic"`}},
			cairn + "\n{\"type\":\"tag\"}\n{\"source\":\"cairn\"}\n{\"source\":\"tagscan\",\"kind\":\"artifact.created\",\"data\":{}}\n{\"type\":\"tag\",\"source\":\"cairn\",\"kind\":\"artifact.created\",\"data\":{}}\n{\"kind\":\"artifact.created\",\"data\":{}}\n{\"kind\":\"artifact.created\",\"data\":1}",
			[]string{"1 match 0", "2 match 1", "3 match 2", "4 match 2", "5 match 1", "6 match 0", "7 match 2"}},
		{"verified", Rules{Exprs: []string{`.verified == true`, `.verified == false`}}, "{\"verified\":true}", []string{"1 match 1"}},
		{"verified given", Rules{Exprs: []string{`.verified == true`, `.verified == false`}, Verified: true}, "{\"verified\":false}", []string{"1 match 0"}},
		{"issue", Rules{Exprs: []string{`has("issue") and .issue == null`}}, "{\"issue\":1}", []string{"1 match 0"}},
		{"payload", Rules{Exprs: []string{`.payload == {payload: 1, n: 12345678901234567890, source: "x"}`}}, "{\"payload\":1,\"n\":12345678901234567890,\"source\":\"x\"}", []string{"1 match 0"}},
		{"artifact of cairn", Rules{Exprs: []string{`.artifact == {event_id: "e", kind: "artifact.created", created_at: null, id: "hx1", handle: null, url: null, title: null,
			share_type: null, channel: null, model: null, actor_id: null, on_behalf_of: null, expires_at: null, tags: ["handoff"], metadata: null}`}}, cairn, []string{"1 match 0"}},
		{"artifact of ours", Rules{Exprs: []string{`.artifact == {tags: ["a"], title: null}`}}, "{\"type\":\"artifact\",\"tags\":[\"a\"],\"artifact\":7}", []string{"1 match 0"}},
		{"artifact of others", Rules{Exprs: []string{`.artifact == null`}}, "{\"artifact\":{\"tags\":[\"handoff\"]}}", []string{"1 match 0"}},
		{"data too", Rules{Exprs: []string{`.data.tags | index("handoff")`}}, cairn, []string{"1 match 0"}},
		{"subjects", Rules{Exprs: []string{`.n == 1`, `.n == 2`}, Subject: []bool{false, true, true}},
			"{\"n\":1,\"type\":\"tag\",\"kind\":\"pr\",\"value\":\"u\"}\n{\"n\":2,\"type\":\"tag\",\"kind\":\"pr\",\"value\":\"u\"}\n{\"type\":\"tag\",\"kind\":\"issue\",\"value\":\"https://github.com/ACME/x/issues/1\"}\n{\"type\":\"tag\",\"kind\":\"link\",\"value\":\"u\"}\n" + cairn + "\n{\"kind\":\"pr\",\"value\":\"u\"}",
			[]string{"1 match 0", "2 match 1 <u>", "3 none <https://github.com/acme/x/issues/1>", "4 none", "5 none <artifact hx1>", "6 none"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var l lister
			e, err := NewEvaluator(tt.rules, &l)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(e, tt.input)
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			for i, w := range tt.want {
				if before, after, ok := strings.Cut(w, "*"); ok && i < len(l.answers) && strings.HasPrefix(l.answers[i], before) && strings.HasSuffix(l.answers[i], after) {
					tt.want[i] = l.answers[i]
				}
			}
			if got, want := strings.Join(l.answers, "\n"), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestExprErrorNamesRule(t *testing.T) {
	_, err := NewEvaluator(Rules{Exprs: []string{`true`, `.x | foo`}}, &lister{})
	var x *ExprError
	if !errors.As(err, &x) || x.Rule != 1 || x.Offset != 5 || x.Expr != `.x | foo` {
		t.Errorf("%#v", err)
	}
}

func TestTerminalWriter(t *testing.T) {
	const in = "a\tb\x1b[31m\u202e\u009b\x7f\xffé\r\n"
	const want = "a\tb\\u001b[31m\\u202e\\u009b\\u007f\uFFFDé\\u000d\n"
	for _, size := range []int{100, 1} {
		var out bytes.Buffer
		w := &TerminalWriter{W: &out}
		for p := in; p != ""; {
			n := min(size, len(p))
			io.WriteString(w, p[:n])
			p = p[n:]
		}
		if out.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
}
