package jq

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tagscan/emit/exit"
)

// filterAll runs a filter over an input.
func filterAll(t *testing.T, expr, input string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errw bytes.Buffer
	f, err := NewFilter(expr, FilterOptions{}, &out, &errw)
	if err != nil {
		return "", "", err
	}
	if _, err := f.Write([]byte(input)); err != nil {
		t.Fatal(err)
	}
	err = f.Close()
	return out.String(), errw.String(), err
}

// TestBounds is the list of expressions that would not end, or would fill the
// memory. The next event is evaluated as if nothing had happened.
func TestBounds(t *testing.T) {
	if raceEnabled {
		t.Skip("the system's limits are not set under the race detector")
	}
	for _, tt := range []struct{ expr, causes string }{
		{`"x" * 1e9`, "budget_exhausted"},
		{`"x" * 2e9`, "budget_exhausted"},
		{`[range(1e9)]`, "timeout budget_exhausted"},
		{`[range(1e12)] | length`, "timeout budget_exhausted"},
		{`def f: f; f`, "timeout"},
		{`def f: [f]; f`, "timeout budget_exhausted"},
		{`def f: f + 1; f`, "timeout budget_exhausted"},
		{`reduce range(60) as $i ("ab"; . + .)`, "timeout budget_exhausted"},
		{`reduce range(60) as $i ([1,2]; . + .)`, "timeout budget_exhausted"},
		{`last(range(1e12))`, "timeout"},
		{`[limit(100000000; repeat(1))]`, "timeout budget_exhausted"},
		{`[] | .[300000000] = 0`, "budget_exhausted error"},
		{`[] | .[30000000] = 0`, "budget_exhausted timeout error"},
		{`reduce range(40) as $i (0; [., .]) | tojson`, "timeout budget_exhausted"},
		{`reduce range(40) as $i (0; [., .])`, "timeout budget_exhausted"},
		{`reduce range(40) as $i (0; {a: ., b: .}) | . == .`, "timeout"},
		{`reduce range(3000000) as $i (0; [.]) | tojson`, "timeout budget_exhausted"},
		{`reduce range(40) as $i (0; [., .]) | flatten`, "timeout budget_exhausted"},
		{`("a" * 5000000) | test("(a*)*b")`, "timeout budget_exhausted"},
		{`("a" * 200000) | [match("a*?b|a"; "g")] | length`, "timeout budget_exhausted"},
		{`"a" | test("((((a{1,100}){1,100}){1,100}){1,100})")`, "error timeout budget_exhausted"},
		{`reduce range(30) as $i (3; . * .)`, "timeout budget_exhausted"},
		{`[range(100000)] | [combinations(3)] | length`, "timeout budget_exhausted"},
		{`until(false; .)`, "timeout"},
		{`[recurse(.; true)] | length`, "timeout budget_exhausted"},
		{`("x" * 40000000) | [splits("")] | length`, "timeout budget_exhausted"},
		{`("[" * 9000) + ("]" * 9000) | fromjson | [..] | tojson`, "timeout budget_exhausted"},
		{`range(1e12) | empty`, "timeout"},
		{`[range(3e5)] | sort_by(-.) | group_by(.) | length`, "timeout budget_exhausted"},
		{`label $out | foreach repeat(1) as $i (0; . + 1; if . < 0 then ., break $out else empty end)`, "timeout"},
		{`@base64 "\("x" * 90000000)"`, "budget_exhausted timeout"},
		{`[splits("a*?"; "x" * 1e9)]`, "budget_exhausted"},
		{`error("x" * 20000000)`, "error budget_exhausted"},
		{`error(null)`, "error"},
		{`error({a: 1})`, "error"},
		{`.n | ltrimstr(1) + 1`, "error"},
		{`"%ZZ" | @urid`, "error"},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			out, errs, err := filterAll(t, `if .n == 2 then (`+tt.expr+`) else .n end`, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
			t.Logf("%v: %s", time.Since(start), errs)
			if out != "1\n3\n" {
				t.Errorf("output %.100q", out)
			}
			if exit.Status(err) != exit.Fault {
				t.Errorf("err = %v", err)
			}
			ok := false
			for _, c := range strings.Fields(tt.causes) {
				ok = ok || strings.HasPrefix(errs, "tagscan: expression: line 2: "+c+": ")
			}
			if !ok {
				t.Errorf("said %q, want one of %s", errs, tt.causes)
			}
		})
	}
}
