package jq

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/itchyny/gojq"
)

// nativeSeeds are expressions that are evaluated natively, all or in part.
var nativeSeeds = []string{
	`.kind == "pr"`, `.kind == "pr" and (.repo // "" | startswith("acme/"))`, `.n > 3 or .n < -1`, `.n >= 2 and .n <= 2`,
	`any(.tags[]?; . == "lane:m")`, `any(.tags[]; . == "lane:m")`, `all(.tags[]?; type == "string")`, `any(.tags[].x?; .)`,
	`.tags | index("lane:m")`, `.tags | any(. == "lane:m")`, `.tags | all(. != "x")`, `(.tags | length) > 1`, `.valid | not`, `.valid == false`,
	`.a.b.c == null`, `.a["b"]`, `."a".b?`, `has("n")`, `.a | has("b")`, `.repo | test("^acme/")`, `.repo | test("^(acme")`, `.repo | contains("me")`,
	`if .n == 1 then "one" elif .n == 2 then false else null end`, `if .valid then 1 end`, `.n % 2 == 0`, `.n != null`, `.kind | IN("pr", "issue")`,
	`IN(.kind, .repo; "pr")`, `.kind == ("pr", "issue")`, `.n == $params.n`, `$params.list[0]`, `any($params.list[]; . == 2)`,
	`.n | type == "number"`, `.repo | endswith($params.s)`, `.x.y // .n // "d"`, `.tags[0] == "a"`, `.n + 1 > 2`, `..`, `. as $x | $x.kind`,
	`select(.kind == "pr")`, `[.tags[]?] | length`, `.source == "tagscan"`, `.artifact.tags | index("handoff")`, `.verified`, `.issue`, `.payload.n`,
	`{kind, n: .n} | .kind`, `{a: .}.a.kind`, `try error("x") catch .`, `.[.kind]`, `.tags[:1]`, `reduce .tags[]? as $t (0; . + 1)`, `first(.tags[]?)`,
	`label $f | .n, break $f`, `keys`, `to_entries | length`, `"\(.kind)-\(.n)" == "pr-1"`, `@json "x\(.)"`, `-.n`, `.a.b = 1`, `empty`, `error`, `not`,
	`.kind as {a: $x} | $x`, `.a as {b: $x} | $x`, `.a as {b: $x} ?// $x | $x`, `path(.kind)`, `. == .`, `isempty(.tags[]?)`, `def f: .kind; f`, `.kind, .n`,
	`[.kind, .n]`, `getpath(["kind"])`, `.n as $n | .tags | length > $n`, `try .a.b.c.d`, `.["ki" + "nd"]`, `.n | . as $x | $x`, `input_line_number`,
}

var nativeEvents = []string{
	`{}`, `{"kind":"pr","n":1,"repo":"acme/x","type":"tag","tags":["a","lane:m"],"valid":true}`, `{"kind":"pr","n":2.5,"tags":"lane:m"}`,
	`{"kind":7,"n":"1","repo":5,"tags":{"a":"lane:m"}}`, `{"n":123456789012345678901234567890,"tags":[]}`, `{"n":-3,"a":{"b":{"c":null}}}`,
	`{"kind":null,"n":null,"a":[1],"valid":false,"tags":[1,null,"lane:m"]}`, `{"kind":"artifact.created","data":{"id":"x","tags":["handoff"]},"n":2}`,
	`{"type":"artifact","tags":["handoff"],"title":"t","source":"forged","payload":1,"verified":true,"issue":5,"artifact":{"tags":["handoff"]}}`,
	`{"n":2,"n":1,"kind":"pr","x":{"y":false}}`, `{"n":1.0,"repo":"é\ud800","tags":["é"],"s":"x"}`, `{"a":"str","x":"y","tags":[{"x":1},{"x":null}]}`,
	`{"a":{"b":7},"kind":"issue","n":1e400}`, `{"a":null,"tags":[[]],"n":-0}`, `{"source":"cairn","kind":"artifact.created","data":{"tags":"x"},"event_id":9}`,
}

// verdict is what a rule says of an event.
func verdict(match bool, err error) string {
	if err != nil {
		return "error: " + message(err)
	}
	return fmt.Sprint(match)
}

// checkRule compares the fast ways to the plain one: gojq on the whole event
// with all keys laid over it.
func checkRule(t *testing.T, expr string, events []string) {
	t.Helper()
	const params = `{"n":1,"s":"x","list":[1,2,"a"]}`
	q, xerr := parse(expr)
	if xerr != nil {
		return
	}
	d := decoder{b: []byte(params)}
	values, _ := d.value()
	var u usage
	u.add(q)
	p, xerr := newProgram(expr, q, []string{"$params"}, values)
	if xerr != nil {
		return
	}
	fast := rule{p, (&nativeCompiler{params: values}).compile(q)}
	code, xerr := compile(expr, q, gojq.WithVariables([]string{"$params"}))
	if xerr != nil {
		t.Fatalf("%s: a program, but not by itself: %v", expr, xerr)
	}
	if fast.native != nil {
		// What is native is left to gojq now and then: both have to be right.
		checkProgram(t, expr, &rule{program: p}, code, values, events)
	}
	some, all := newView(u, true, true), newView(usage{all: true}, true, true)
	for _, e := range events {
		var d decoder
		whole, _, ok := all.decode(&d, []byte(e))
		if !ok {
			continue
		}
		part, _, ok := some.decode(&d, []byte(e))
		if !ok {
			t.Fatalf("%s: read whole, but not in part", e)
		}
		v, ok := code.Run(whole, values).Next()
		err, _ := v.(error)
		want := verdict(ok && truthy(v), err)
		if got := verdict(fast.match(part)); got != want {
			t.Errorf("%s on %s:\n got %s\nwant %s (native %v, keys %v, all %v)", expr, e, got, want, fast.native != nil, u.keys, u.all)
		}
		if got, want := subjectOf(some.raw), subjectOf(all.raw); got != want {
			t.Errorf("subject of %s: %q, want %q", e, got, want)
		}
	}
}

// checkProgram compares a program, which goes on from event to event, to code
// that is run for each.
func checkProgram(t *testing.T, expr string, r *rule, code *gojq.Code, params any, events []string) {
	t.Helper()
	for range 2 {
		for _, e := range events {
			var d decoder
			m := make(map[string]any)
			if _, ok := d.event([]byte(e), nil, m); !ok {
				continue
			}
			v, ok := code.Run(m, params).Next()
			err, _ := v.(error)
			if got, want := verdict(r.match(m)), verdict(ok && truthy(v), err); got != want {
				t.Errorf("%s on %s:\n got %s\nwant %s (a program, single %v)", expr, e, got, want, r.single)
			}
		}
	}
}

// TestFilterProgram compares all outputs of a program, too.
func TestFilterProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	exprs := nativeSeeds
	for n := range 3000 {
		exprs = append(exprs, randomExpr(r, 1+n%4))
	}
	outputs := func(next func() (any, bool)) (s string) {
		for range 1000 {
			v, ok := next()
			if err, failed := v.(error); failed {
				return s + "error: " + message(err)
			}
			if !ok {
				return s
			}
			b, _ := encode(nil, v)
			s += string(b) + "\n"
		}
		return s
	}
	for _, expr := range exprs {
		q, xerr := parse(expr)
		if xerr != nil {
			continue
		}
		p, xerr := newProgram(expr, q, []string{"$params"}, nil)
		if xerr != nil {
			continue
		}
		code, _ := compile(expr, q, gojq.WithVariables([]string{"$params"}))
		for _, e := range nativeEvents {
			var d decoder
			m := make(map[string]any)
			d.event([]byte(e), nil, m)
			want := outputs(code.Run(m, nil).Next)
			p.start(m)
			got := outputs(func() (any, bool) {
				v, ok, err := p.next()
				if err != nil {
					return err, true
				}
				return v, ok
			})
			if got != want {
				t.Errorf("%s on %s:\n got %s\nwant %s", expr, e, got, want)
			}
		}
	}
}

func TestFastIsPlain(t *testing.T) {
	for _, expr := range nativeSeeds {
		checkRule(t, expr, nativeEvents)
	}
}

// TestNative tells that what is meant to be native is: every rule of an
// ordinary file.
func TestNative(t *testing.T) {
	for _, expr := range nativeSeeds[:24] {
		if strings.Contains(expr, ".x?") { // one of several outputs
			continue
		}
		q, err := parse(expr)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		if strings.Contains(expr, "(acme") {
			continue // an error for gojq to tell
		}
		if (&nativeCompiler{}).compile(q) == nil {
			t.Errorf("%s is not native", expr)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		expr string
		want []string // nil: all
		out  bool
	}{
		{`.kind == "pr" and (.repo // "" | startswith("a"))`, []string{"kind", "repo"}, false},
		{`select(.kind == "pr").value`, []string{"kind", "value"}, false},
		{`select(.kind == "pr")`, []string{"kind"}, true},
		{`any(.artifact.tags[]?; . == "x")`, []string{"artifact"}, false},
		{`"\(.a) \(.b.c)"`, []string{"a", "b"}, false},
		{`{kind, "n", x: .y, (.z): 1}`, []string{"kind", "n", "y", "z"}, false},
		{`.a as [$x, {b: $y}] | .c`, []string{"a", "c"}, false},
		{`if .a then .b elif .c then . else .d end`, []string{"a", "b", "c", "d"}, true},
		{`.`, []string{}, true},
		{`has("a")`, []string{"a"}, false},
		{`.["a"] | .b`, []string{"a"}, false},
		{`.a[.b]`, []string{"a", "b"}, false},
		{`. as $x | 1`, nil, true},
		{`..`, nil, true}, {`.[]`, nil, true}, {`keys`, nil, true}, {`.[.a]`, nil, true}, {`tojson`, nil, true}, {`. == 1`, nil, true},
		{`def f: .; f`, nil, true}, {`[.]`, nil, true}, {`{a: .}`, nil, true}, {`"\(.)"`, nil, true}, {`.a = 1`, nil, true}, {`reduce . as $x (0; 1)`, nil, true},
	} {
		q, err := parse(tt.expr)
		if err != nil {
			t.Fatalf("%s: %v", tt.expr, err)
		}
		var u usage
		out := u.add(q)
		if tt.want == nil {
			if !u.all {
				t.Errorf("%s: not all, but %v", tt.expr, u.keys)
			}
			continue
		}
		want := map[string]bool{}
		for _, k := range tt.want {
			want[k] = true
		}
		if u.all || !reflect.DeepEqual(u.keys, want) || out != tt.out {
			t.Errorf("%s: %v (all %v), out %v, want %v, %v", tt.expr, u.keys, u.all, out, tt.want, tt.out)
		}
	}
}

// randomExpr makes an expression out of what the fast ways know and some of
// what they do not.
func randomExpr(r *rand.Rand, depth int) string {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	sub := func() string { return randomExpr(r, depth-1) }
	if depth <= 0 {
		return pick(".kind", ".n", ".tags", ".a.b", ".a", ".valid", ".repo", "null", "true", "false", `"pr"`, `"lane:m"`, "1", "2", "0.5", ".", "$params.n",
			"$params.list", ".source", ".artifact", ".payload", ".verified", "empty", "[]", "{}", ".x?", ".tags[]?", `.["n"]`, ".route")
	}
	switch r.IntN(24) {
	case 0:
		return "(" + sub() + " and " + sub() + ")"
	case 1:
		return "(" + sub() + " or " + sub() + ")"
	case 2, 3:
		return "(" + sub() + pick(" == ", " != ", " < ", " >= ", " > ", " <= ") + sub() + ")"
	case 4:
		return "(" + sub() + " // " + sub() + ")"
	case 5, 6:
		return "(" + sub() + " | " + sub() + ")"
	case 7:
		return "any(" + sub() + "[]?; " + sub() + ")"
	case 8:
		return pick("any", "all") + "(" + sub() + "; " + sub() + ")"
	case 9:
		return "if " + sub() + " then " + sub() + " else " + sub() + " end"
	case 10:
		return "(" + sub() + "|" + pick("not", "length", "type", "keys", "tojson", "tostring", "first", "any", "all", "floor", "ascii_downcase") + ")"
	case 11:
		return "(" + sub() + "|" + pick("startswith", "endswith", "contains", "index", "has", "select", "test", "IN", "map", "any", "all", "isempty", "first", "last") + "(" + sub() + "))"
	case 12:
		return "(" + sub() + pick(" + ", " % ", " - ", " * ", " / ") + sub() + ")"
	case 13:
		return "(" + sub() + ", " + sub() + ")"
	case 14:
		return "(" + sub() + " as $v | " + sub() + pick(" | $v", "") + ")"
	case 15:
		return "[" + sub() + "]"
	case 16:
		return "{kind, a: " + sub() + "}"
	case 17:
		return "(try " + sub() + " catch " + sub() + ")"
	case 18:
		return `"x\(` + sub() + `)"`
	case 19:
		return "(" + sub() + ")" + pick(".a", ".kind", ".b?", "[]?", ".a.n", "[0]?", "[1:]?")
	case 20:
		return "(" + sub() + " as {kind: $k, $n} | [$k, $n, " + sub() + "])"
	case 21:
		return "(label $f | " + sub() + ", break $f)"
	case 22:
		return "first(" + sub() + ")"
	}
	return "(reduce " + sub() + " as $v (" + sub() + "; " + sub() + "))"
}

// TestRandomFastIsPlain compares them on random expressions.
func TestRandomFastIsPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	end := time.Now().Add(3 * time.Second)
	n := 0
	for ; time.Now().Before(end) && !t.Failed(); n++ {
		checkRule(t, randomExpr(r, 1+n%5), nativeEvents)
	}
	t.Logf("%d expressions", n)
}

func FuzzFastIsPlain(f *testing.F) {
	for _, expr := range nativeSeeds {
		for _, e := range nativeEvents[:4] {
			f.Add(expr, e)
		}
	}
	f.Fuzz(func(t *testing.T, expr, event string) {
		if len(expr) > 200 || strings.ContainsAny(expr, "*0123456789") || strings.Contains(expr, "def") ||
			strings.Contains(expr, "re") || strings.Contains(expr, "range") || strings.Contains(expr, "until") || strings.Contains(expr, "while") {
			return // could take for ever
		}
		checkRule(t, expr, []string{event})
	})
}
