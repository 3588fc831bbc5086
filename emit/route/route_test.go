package route

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tagscan/emit/exit"
)

// write makes a file in a new directory.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rules.json")
	writeFile(t, name, text)
	return name
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

const someRules = `{"params":{"trusted":["alice","bob"]},
 "rules":[
  {"id":"num","name":"the number","expr":"(.n // 0) + 1 > 100","action":{"queue":"big","exclusive":true}},
  {"id":"noise","expr":".kind == \"link\"","action":{"drop":true}},
  {"id":"pulls","expr":".kind == \"pr\"","action":{"once":true,  "queue":"prs"}},
  {"id":"mine","expr":".by | IN($params.trusted[])","action":{"queue":"mine","work_order":true}}],
 "default_action":{"queue":"rest"}}`

func TestRun(t *testing.T) {
	rules := write(t, someRules)
	noDefault := write(t, `{"rules":[{"id":"a","expr":".a","action":{"queue":"x"}}]}`)
	dropDefault := write(t, `{"rules":[{"id":"a","expr":".a","action":{"queue":"x"}}],"default_action":{"drop":true}}`)
	onceDefault := write(t, `{"rules":[{"id":"a","expr":".a","action":{"queue":"x","once":true}}],"default_action":{"queue":"y","once":true}}`)
	heavy := write(t, `{"rules":[{"id":"m","expr":"if .n == 1 then \"x\" * 1e9 elif .n == 2 then last(range(1e12)) elif .n == 3 then error(\"no\") else false end","action":{"queue":"x"}},{"id":"t","expr":"true","action":{"queue":"y"}}]}`)
	const mine = `"route":{"stage":"rule","rule_index":3,"rule_id":"mine","action":{"queue":"mine","work_order":true},"queue":"mine"}}`
	const rest = `"route":{"stage":"default","cause":"no_match","action":{"queue":"rest"},"queue":"rest"}}`
	const prs = `"route":{"stage":"rule","rule_index":2,"rule_id":"pulls","action":{"once":true,"queue":"prs"},"queue":"prs"}}`
	const noise = `"route":{"stage":"rule","rule_index":1,"rule_id":"noise","action":{"drop":true}}}`
	fault := func(i int, id, cause string) string {
		return fmt.Sprintf(`"route":{"stage":"fault","cause":"%s","rule_index":%d,"rule_id":"%s"}}`, cause, i, id)
	}
	pr := func(repo string) string {
		return `{"type":"tag","kind":"pr","value":"https://github.com/` + repo + `/pull/1"`
	}
	for _, tt := range []struct {
		name   string
		opts   Options
		in     []string
		out    []string
		errs   string
		status int
	}{
		{"first match, in order", Options{File: rules}, []string{`{"n":100,"by":"bob"}`, `{"by":"bob"}`, `{"by":"eve"}`, `{"kind":"link","by":"bob"}`},
			[]string{`{"n":100,"by":"bob","route":{"stage":"rule","rule_index":0,"rule_id":"num","action":{"queue":"big","exclusive":true},"queue":"big"}}`, `{"by":"bob",` + mine, `{"by":"eve",` + rest}, "", exit.OK},
		{"a route that it came with goes", Options{File: rules}, []string{`{"route":{"queue":"mine"},"x":1.0e2}`, `{"by":"bob","r\u006fute":1}`}, []string{`{"x":1.0e2,` + rest, `{"by":"bob",` + mine}, "", exit.OK},
		{"dropped with trace", Options{File: rules, Trace: true}, []string{`{"kind":"link"}`}, []string{`{"kind":"link",` + noise}, "", exit.OK},
		{"one queue", Options{File: rules, Queue: "mine", Trace: true}, []string{`{"by":"bob"}`, `{}`, `{"kind":"link"}`, `{"n":"x"}`}, []string{`{"by":"bob",` + mine},
			"tagscan: line 4, rule 0 \"num\" (the number): error: cannot add: string (\"x\") and number (1)\n", exit.Fault},
		{"once", Options{File: rules}, []string{pr("a/b") + `}`, pr("a/c") + `}`, pr("A/B") + `,"again":1}`, `{"kind":"pr"}`, `{"kind":"pr"}`, pr("a/c") + `}`},
			[]string{pr("a/b") + `,` + prs, pr("a/c") + `,` + prs, `{"kind":"pr",` + prs, `{"kind":"pr",` + prs}, "", exit.OK},
		{"once for each queue", Options{File: onceDefault}, []string{pr("a/b") + `}`, pr("a/b") + `,"a":1}`, pr("a/b") + `}`, pr("a/b") + `,"a":1}`},
			[]string{pr("a/b") + `,"route":{"stage":"default","cause":"no_match","action":{"queue":"y","once":true},"queue":"y"}}`,
				pr("a/b") + `,"a":1,"route":{"stage":"rule","rule_index":0,"rule_id":"a","action":{"queue":"x","once":true},"queue":"x"}}`}, "", exit.OK},
		{"no default action", Options{File: noDefault}, []string{`{}`}, []string{`{"route":{"stage":"default","cause":"no_match","action":{"queue":"default"},"queue":"default"}}`}, "", exit.OK},
		{"default drops", Options{File: dropDefault}, []string{`{}`}, nil, "", exit.OK},
		{"default drops, trace", Options{File: dropDefault, Trace: true}, []string{`{}`}, []string{`{"route":{"stage":"default","cause":"no_match","action":{"drop":true}}}`}, "", exit.OK},
		{"a fault closes", Options{File: rules}, []string{`{"by":"bob"}`, `{"n":"x","by":"bob","route":{"queue":"mine"}}`, `{"n":[],"by":"bob"}`, `{"by":"bob"}`},
			[]string{`{"by":"bob",` + mine, `{"n":"x","by":"bob",` + fault(0, "num", "error"), `{"n":[],"by":"bob",` + fault(0, "num", "error"), `{"by":"bob",` + mine},
			"tagscan: line 2, rule 0 \"num\" (the number): error: cannot add: string (\"x\") and number (1)\ntagscan: 2 events could not be routed\n", exit.Fault},
		{"every cause", Options{File: heavy}, []string{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`},
			[]string{`{"n":1,` + fault(0, "m", "budget_exhausted"), `{"n":2,` + fault(0, "m", "timeout"), `{"n":3,` + fault(0, "m", "error"), `{"n":4,"route":{"stage":"rule","rule_index":1,"rule_id":"t","action":{"queue":"y"},"queue":"y"}}`},
			"tagscan: line 1, rule 0 \"m\": budget_exhausted: needs too much memory\ntagscan: 3 events could not be routed\n", exit.Fault},
		{"bad lines", Options{File: dropDefault}, []string{`{"b":1}`, `x`, ``, `[{}]`, `{"b":`}, nil, "tagscan: 3 lines are not JSON objects; the first is line 2\n", exit.IO},
		{"bad lines and a fault", Options{File: rules}, []string{`{"n":"x"}`, `7`}, []string{`{"n":"x",` + fault(0, "num", "error")},
			"tagscan: line 1, rule 0 \"num\" (the number): error: cannot add: string (\"x\") and number (1)\ntagscan: line 2 is not a JSON object\n", exit.Fault},
		{"text", Options{File: dropDefault}, []string{``, `I am done.`, `{}`}, nil,
			"tagscan: the input does not begin with an event; use --scan to read a transcript or text\ntagscan: line 2 is not a JSON object\n", exit.IO},
		{"text, quiet", Options{File: dropDefault, Quiet: true}, []string{`I am done.`}, nil, "tagscan: line 1 is not a JSON object\n", exit.IO},
		{"a transcript", Options{File: dropDefault}, []string{`{"type":"system","subtype":"init","session_id":"s"}`, `{"type":"assistant"}`}, nil,
			"tagscan: the input looks like an agent's transcript; use --scan to read its events\n", exit.OK},
		{"an event of Cairn's by its type", Options{Pack: "handoff"}, []string{`{"type":"artifact.created","data":{"tags":["handoff"]}}`}, nil,
			"tagscan: the input is no event of Cairn's, which has artifact.created as its kind, not as its type\n", exit.OK},
		{"events of a transcript", Options{File: dropDefault, Scan: true}, []string{`{"type":"assistant","message":{}}`}, nil, "", exit.OK},
		{"nothing", Options{File: rules}, nil, nil, "", exit.OK},
		{"verified", Options{Pack: "handoff", Verified: true}, []string{`{"type":"artifact","tags":["handoff","lane:s"]}`},
			[]string{`{"type":"artifact","tags":["handoff","lane:s"],"route":{"stage":"rule","rule_index":4,"rule_id":"lane-s","action":{"queue":"lane-s","work_order":true},"queue":"lane-s"}}`}, "", exit.OK},
		{"terminal", Options{File: noDefault, Terminal: true}, []string{"{\"a\":false,\"b\":\"\u202e\"}"},
			[]string{`{"a":false,"b":"\u202e","route":{"stage":"default","cause":"no_match","action":{"queue":"default"},"queue":"default"}}`}, "", exit.OK},
		{"expression", Options{Expr: `select(.kind=="pr") | .value, .n`, HasExpr: true}, []string{`{"kind":"pr","value":"u\u001b[1m","n":{"b":1.0,"a":[]}}`, `{}`}, []string{"u\x1b[1m", `{"a":[],"b":1.0}`}, "", exit.OK},
		{"expression, terminal", Options{Expr: `.value`, HasExpr: true, Terminal: true}, []string{`{"value":"u\u001b[1m"}`}, []string{`u\u001b[1m`}, "", exit.OK},
		{"expression sees the event as it came", Options{Expr: `.source, .artifact, .verified`, HasExpr: true}, []string{`{"source":"x"}`}, []string{"x", "null", "null"}, "", exit.OK},
		{"expression, transcript", Options{Expr: `.type`, HasExpr: true}, []string{"", ` {"type":"assistant","message":{},"session_id":"s"}`}, []string{"assistant"},
			"tagscan: the input looks like an agent's transcript; use --scan to read its events\n", exit.OK},
		{"expression, byte order mark", Options{Expr: `.type`, HasExpr: true}, []string{"\uFEFF" + `{"type":"tag"}`}, []string{"tag"}, "", exit.OK},
		{"expression, a byte order mark alone", Options{Expr: `.type`, HasExpr: true}, []string{"\uFEFF"}, nil, "", exit.OK},
		{"expression, text", Options{Expr: `.type`, HasExpr: true}, []string{"words", `{"type":"tag"}`}, []string{"tag"},
			"tagscan: the input does not begin with an event; use --scan to read a transcript or text\ntagscan: line 1 is not a JSON object\n", exit.IO},
		{"expression, quiet", Options{Expr: `.type`, HasExpr: true, Quiet: true}, []string{"words"}, nil, "tagscan: line 1 is not a JSON object\n", exit.IO},
		{"expression fails", Options{Expr: `.n + 1`, HasExpr: true}, []string{`{"n":1}`, `{"n":"x"}`, `{"n":2}`}, []string{"2", "3"},
			"tagscan: route EXPR: line 2: error: cannot add: string (\"x\") and number (1)\n", exit.Fault},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Join(tt.in, "\n")
			for _, size := range []int{1 << 20, 1} {
				var out, errw bytes.Buffer
				err := Run(tt.opts, &pieces{in, size}, &out, &errw)
				want := ""
				if tt.out != nil {
					want = strings.Join(tt.out, "\n") + "\n"
				}
				if out.String() != want {
					t.Errorf("got\n%swant\n%s", out.String(), want)
				}
				if errw.String() != tt.errs || exit.Status(err) != tt.status || err != nil && err.Error() != "" {
					t.Errorf("status %d, %v, said\n%swant %d\n%s", exit.Status(err), err, errw.String(), tt.status, tt.errs)
				}
			}
		})
	}
}

// pieces reads a text in pieces.
type pieces struct {
	rest string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.rest == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(p.size, len(b))], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func TestSplit(t *testing.T) {
	rules := write(t, someRules)
	dir := filepath.Join(t.TempDir(), "new", "queues")
	run := func(opts Options, in string) (string, string, error) {
		var out, errw bytes.Buffer
		opts.File, opts.Split = rules, dir
		err := Run(opts, strings.NewReader(in), &out, &errw)
		return out.String(), errw.String(), err
	}
	files := func() map[string]int {
		lines := make(map[string]int)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil || len(text) > 0 && text[len(text)-1] != '\n' {
				t.Fatalf("%s: %v, %q", e.Name(), err, text)
			}
			lines[e.Name()] = bytes.Count(text, []byte("\n"))
		}
		return lines
	}
	// A fault has no queue, so it is printed, as is what --trace shows.
	out, errs, err := run(Options{Trace: true}, "{\"by\":\"bob\"}\n{}\n{\"kind\":\"link\"}\n{\"n\":\"x\"}\n{\"by\":\"bob\"}\n")
	if got, want := fmt.Sprint(files()), "map[mine.ndjson:2 rest.ndjson:1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if strings.Count(out, "\n") != 2 || !strings.Contains(out, `"stage":"fault"`) || !strings.Contains(out, `"drop":true`) || exit.Status(err) != exit.Fault {
		t.Errorf("%s%s%v", out, errs, err)
	}
	// Appended to; a line of any length; one queue only.
	large := `{"by":"bob","x":"` + strings.Repeat("é", 300_000) + `"}`
	if out, errs, err := run(Options{Queue: "mine"}, "{}\n"+strings.Repeat("{\"by\":\"bob\"}\n", 3000)+large); out != "" || errs != "" || err != nil {
		t.Errorf("%s%s%v", out, errs, err)
	}
	if got, want := fmt.Sprint(files()), "map[mine.ndjson:3003 rest.ndjson:1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "mine.ndjson"))
	if !bytes.Contains(text, []byte("\n"+strings.TrimSuffix(large, "}")+`,"route":{"stage":"rule",`)) {
		t.Error("the long line is not whole")
	}
}

// TestSplitShared has several routers append to the same files.
func TestSplitShared(t *testing.T) {
	rules := write(t, someRules)
	dir := t.TempDir()
	const n, lines = 4, 3000
	errs := make(chan error)
	for i := range n {
		go func() {
			var in strings.Builder
			for j := range lines {
				fmt.Fprintf(&in, `{"by":"bob","i":%d,"j":%d,"pad":"%s"}`+"\n", i, j, strings.Repeat("p", j%200))
			}
			errs <- Run(Options{File: rules, Split: dir}, strings.NewReader(in.String()), io.Discard, io.Discard)
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "mine.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	next := make([]int, n) // the lines of each are there, in their order
	for line := range strings.Lines(string(text)) {
		var i, j int
		if _, err := fmt.Sscanf(line, `{"by":"bob","i":%d,"j":%d,"pad"`, &i, &j); err != nil || !strings.HasSuffix(line, "\"queue\":\"mine\"}}\n") {
			t.Fatalf("%v: %q", err, line)
		}
		if j != next[i] {
			t.Fatalf("router %d: line %d, want %d", i, j, next[i])
		}
		next[i]++
	}
	for i, j := range next {
		if j != lines {
			t.Errorf("router %d: %d lines", i, j)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write(p []byte) (int, error) { return 0, errBroken }

type brokenReader struct{}

func (brokenReader) Read(p []byte) (int, error) { return copy(p, "{\"n\":\"x\"}\n{"), errBroken }

func TestIOErrors(t *testing.T) {
	rules := write(t, someRules)
	err := Run(Options{File: rules}, strings.NewReader("{}\n"), brokenWriter{}, io.Discard)
	if !errors.Is(err, errBroken) || exit.Status(err) != exit.IO {
		t.Errorf("output: %v", err)
	}
	err = Run(Options{File: rules}, strings.NewReader(strings.Repeat("{}\n", 500_000)), brokenWriter{}, io.Discard)
	if !errors.Is(err, errBroken) || exit.Status(err) != exit.IO {
		t.Errorf("output: %v", err)
	}
	err = Run(Options{File: rules}, brokenReader{}, io.Discard, io.Discard)
	if !errors.Is(err, errBroken) || exit.Status(err) != exit.Fault {
		t.Errorf("input: %v, status %d", err, exit.Status(err))
	}
}
