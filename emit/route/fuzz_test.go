package route

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tagscan/emit/exit"
)

// checkRoute routes events and checks what holds for every file and every
// input: with --trace each JSON object comes out once, in its order, with a
// route; where a rule faulted there is no queue and no action.
func checkRoute(t *testing.T, rules, input []byte) {
	t.Helper()
	r, err := Load(rules)
	if err != nil {
		return
	}
	name := write(t, string(rules))
	var out, errw bytes.Buffer
	start := time.Now()
	err = Run(Options{File: name, Trace: true, Quiet: true}, bytes.NewReader(input), &out, &errw)
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v", d)
	}
	if exit.Status(err) == exit.Usage {
		return // an expression is wrong
	}
	if err != nil && err.Error() != "" {
		t.Fatalf("%v", err)
	}
	once := r.Default.Once
	for _, rule := range r.Rules {
		once = once || rule.Action.Once
	}
	var want []map[string]json.RawMessage
	bad := 0
	for line := range bytes.Lines(input) {
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		var m map[string]json.RawMessage
		if len(bytes.TrimLeft(line, " \t\r\n")) == 0 {
			continue
		}
		if json.Unmarshal(line, &m) != nil || m == nil {
			bad++
			continue
		}
		want = append(want, m)
	}
	faults := 0
	i := 0
	for line := range strings.Lines(out.String()) {
		var m map[string]json.RawMessage
		var e struct {
			Route struct {
				Stage, Cause, Queue string
				Action              json.RawMessage
				Rule                *int `json:"rule_index"`
			}
		}
		if json.Unmarshal([]byte(line), &m) != nil || json.Unmarshal(m["route"], &e.Route) != nil {
			t.Fatalf("no event: %q", line)
		}
		if i++; !once {
			if i > len(want) {
				t.Fatalf("more events than came: %q", line)
			}
			if n := want[i-1]["n"]; !bytes.Equal(bytes.ToValidUTF8(n, nil), n) {
				continue
			} else if a, b := string(m["n"]), string(n); a != b && !strings.ContainsAny(b, "\u007f\u0080\u2028") {
				t.Fatalf("event %d: n is %q, was %q", i, a, b)
			}
		}
		switch e.Route.Stage {
		case "fault":
			faults++
			if e.Route.Queue != "" || e.Route.Action != nil || e.Route.Cause == "" || e.Route.Rule == nil {
				t.Errorf("a fault with a queue, or without a cause: %s", line)
			}
		case "rule", "default":
			if e.Route.Action == nil || (e.Route.Stage == "rule") != (e.Route.Rule != nil) {
				t.Errorf("without an action or a rule: %s", line)
			}
		default:
			t.Errorf("stage: %s", line)
		}
	}
	if !once && i != len(want) {
		t.Errorf("%d events came out, %d came in", i, len(want))
	}
	wantStatus := exit.OK
	if bad > 0 {
		wantStatus = exit.IO
	}
	if faults > 0 {
		wantStatus = exit.Fault
	}
	if exit.Status(err) != wantStatus {
		t.Errorf("status %d, want %d: %s", exit.Status(err), wantStatus, errw.String())
	}
}

func FuzzRoute(f *testing.F) {
	f.Add([]byte(someRules), []byte("{\"n\":1}\n{\"n\":\"x\"}\nx\n{\"kind\":\"pr\"}"))
	for _, p := range ListPacks() {
		text, _ := ShowPack(p.Name)
		f.Add(text, []byte(`{"type":"artifact","tags":["handoff","lane:m"]}`))
	}
	f.Add([]byte(rule(`"id":"a","expr":"\"x\" * 1e9","action":{"queue":"q"}`)), []byte("{}\n{}"))
	f.Add([]byte(rule(`"id":"a","expr":"def f: [f]; f","action":{"drop":true}`)), []byte("{}\n{\"route\":1}"))
	f.Fuzz(checkRoute)
}

// TestRandomRoutes routes random events by random rules, those included that
// would not end or would fill the memory.
func TestRandomRoutes(t *testing.T) {
	exprs := []string{`.n == 1`, `.n > 2`, `.k`, `.k == "a"`, `.l[]?`, `any(.l[]?; . == 1)`, `.n + 1 > 3`, `.k | test("a+")`, `error`, `empty`, `false`, `true, error`,
		`if .n == 3 then "x" * 1e9 else false end`, `if .n == 2 then last(range(1e12)) else false end`, `if .n == 1 then reduce range(60) as $i ("ab"; . + .) else null end`,
		`$params.p == .n`, `.payload.n == .n | not`, `.source == "generic" | not`, `.a.b.c`, `.l | length > 2`, `tojson | length > 100`, `def f: f; .n == 9 and f`}
	r := rand.New(rand.NewPCG(3, 4))
	pick := func(s []string) string { return s[r.IntN(len(s))] }
	for range 12 {
		var rules []string
		for i := range r.IntN(8) {
			action := pick([]string{`{"queue":"q"}`, `{"drop":true}`, `{"queue":"p","exclusive":true}`})
			rules = append(rules, fmt.Sprintf(`{"id":"r%d","expr":%q,"action":%s}`, i, pick(exprs), action))
		}
		file := `{"params":{"p":1},"rules":[` + strings.Join(rules, ",") + `],"default_action":` + pick([]string{`{"drop":true}`, `{"queue":"d"}`}) + `}`
		var in strings.Builder
		for range r.IntN(60) {
			in.WriteString(pick([]string{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4,"l":[1,2,3]}`, `{"k":"a","n":7}`, `{"k":false,"route":{"queue":"q"},"n":1.50}`, `{"l":{"a":1},"n":5}`,
				`{"a":{"b":{"c":1}},"n":[1]}`, `{}`, `x`, ``, `[1]`, `{"n":12345678901234567890123}`, `{"n":9}`}) + "\n")
		}
		checkRoute(t, []byte(file), []byte(in.String()))
		if t.Failed() {
			t.Fatalf("%s\n%s", file, in.String())
		}
	}
}
