package jq

import (
	"strings"
	"testing"

	"github.com/itchyny/gojq"

	"tagscan/emit/exit"
)

// TestRefused has each refused function wherever one can stand.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ expr, name string }{
		{`env`, "env"}, {`env.HOME != null`, "env"}, {`$ENV.HOME`, "$ENV"}, {`input`, "input"}, {`[inputs]`, "inputs"},
		{`input_filename`, "input_filename"}, {`debug`, "debug"}, {`debug("x")`, "debug"}, {`stderr`, "stderr"}, {`halt`, "halt"},
		{`halt_error`, "halt_error"}, {`halt_error(1)`, "halt_error"}, {`now`, "now"}, {`localtime`, "localtime"}, {`strflocaltime("%Y")`, "strflocaltime"},
		{`import "a" as a; .`, "import"}, {`include "a"; .`, "include"}, {`import "a" as $a; .`, "import"}, {`"a" | modulemeta`, "modulemeta"},
		// wherever it stands
		{`def f: env; 1`, "env"}, {`def f: def g: now; 1; f`, "now"}, {`def f(g): g; f(env)`, "env"}, {`1 | def f: env; f`, "env"},
		{`"a\(env)"`, "env"}, {`"a\("b\(now)")"`, "now"}, {`@json "x\(env)"`, "env"}, {`."a\(env)"`, "env"}, {`.a."b\(env)"`, "env"},
		{`{(env): 1}`, "env"}, {`{a: env}`, "env"}, {`{"a\(env)": 1}`, "env"}, {`{$ENV}`, "$ENV"}, {`{a: 1 | env}`, "env"}, {`{"x\(now)"}`, "now"},
		{`reduce env as $x (0; 1)`, "env"}, {`reduce . as $x (env; 1)`, "env"}, {`reduce . as $x (0; env)`, "env"}, {`reduce . as {(env): $x} (0; 1)`, "env"},
		{`foreach env as $x (0; 1)`, "env"}, {`foreach . as $x (0; 1; env)`, "env"}, {`foreach . as $x (env; 1; 2)`, "env"}, {`foreach . as [$ENV] (0; 1; 2)`, "$ENV"},
		{`try env catch 1`, "env"}, {`try 1 catch env`, "env"}, {`try env`, "env"}, {`env?`, "env"}, {`label $x | env`, "env"}, {`. as {a: [$x, {(now): $y}]} | 1`, "now"},
		{`. as [$a] ?// {(env): $a} | 1`, "env"}, {`. as {"x\(env)": $a} | 1`, "env"}, {`env as $x | 1`, "env"}, {`. as $x | env`, "env"},
		{`[env]`, "env"}, {`-now`, "now"}, {`.[env]`, "env"}, {`.[env:]`, "env"}, {`.[:env]`, "env"}, {`.[1:env]`, "env"}, {`.a[env]`, "env"}, {`1, env`, "env"},
		{`1 // env`, "env"}, {`1 + env`, "env"}, {`env + 1`, "env"}, {`.a = env`, "env"}, {`.a |= env`, "env"}, {`env |= 1`, "env"}, {`.a += env`, "env"},
		{`if env then 1 else 2 end`, "env"}, {`if 1 then env else 2 end`, "env"}, {`if 1 then 2 else env end`, "env"}, {`if 1 then 2 elif env then 3 end`, "env"},
		{`if 1 then 2 elif 3 then env end`, "env"}, {`path(env)`, "env"}, {`map(select(env))`, "env"}, {`(env)`, "env"}, {`..|env`, "env"}, {`. and env`, "env"},
		// shadowed is refused, too
		{`def env: 1; env`, "env"}, {`def env: 1; 1`, "env"}, {`def f(now): now; f(1)`, "now"}, {`def f($now): $now; f(1)`, ""}, {`def input(f): 1; 1`, "input"},
		{`. as $ENV | 1`, "$ENV"}, {`. as {$ENV} | 1`, "$ENV"},
		// harmless: not functions
		{`.env`, ""}, {`.a.env.now`, ""}, {`{env: 1}`, ""}, {`{env}`, ""}, {`{"now": 1} | .now`, ""}, {`"env \("now")"`, ""}, {`. as {env: $x} | $x`, ""},
		{`getpath(["env"])`, ""}, {`. # env`, ""}, {`@text`, ""}, {`$__prog_args`, "undefined"}, {`input_line_number`, "undefined"}, {`todate`, ""}, {`gmtime`, ""},
	} {
		q, err := parse(tt.expr)
		if err == nil {
			_, err = compile(tt.expr, q, gojq.WithVariables([]string{"$params"}))
		}
		switch {
		case tt.name == "":
			if err != nil {
				t.Errorf("%s: %v", tt.expr, err)
			}
		case tt.name == "undefined":
			if err == nil || !strings.Contains(err.Msg, "not defined: "+tt.expr) {
				t.Errorf("%s: %v, want it not defined", tt.expr, err)
			}
		case err == nil:
			t.Errorf("%s: accepted", tt.expr)
		case err.Msg != tt.name+" is not allowed":
			t.Errorf("%s: %q, want %s refused", tt.expr, err.Msg, tt.name)
		case err.Offset < 0 || !strings.HasPrefix(tt.expr[err.Offset:], tt.name):
			t.Errorf("%s: shown at %d", tt.expr, err.Offset)
		}
	}
}

// TestExcerpt has what is shown for each kind of error, and where.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 60)
	for _, tt := range []struct{ expr, msg, excerpt string }{
		{`.a | foo`, `function not defined: foo/0`, "  .a | foo\n       ^"},
		{`.a | foo(1; 2)`, `function not defined: foo/2`, "  .a | foo(1; 2)\n       ^"},
		{`.x == $y`, `variable not defined: $y`, "  .x == $y\n        ^"},
		{`break $out`, `label not defined: $out`, "  break $out\n        ^"},
		{`.a ==`, `unexpected EOF`, "  .a ==\n       ^"},
		{`.a == )`, `unexpected token ")"`, "  .a == )\n        ^"},
		{`.a | "x\(.b`, `unexpected EOF`, "  .a | \"x\\(.b\n             ^"},
		{"# é\n.é", `unexpected token "é"`, "  .é\n   ^"},
		{"\"é\" | foo", `function not defined: foo/0`, "  \"é\" | foo\n        ^"},
		{"\t| foo", `unexpected token "|"`, "  \t| foo\n  \t^"},
		{`.` + long + ` | foo | .` + long, `function not defined: foo/0`, "  …" + strings.Repeat("a", 45) + " | foo | ." + strings.Repeat("a", 17) + "…\n   " + strings.Repeat(" ", 48) + "^"},
		{"1 |\n ::error::x", `unexpected token ":"`, "  |  ::error::x\n     ^"},
		{"1 | \x1b[31m", `unexpected token "\u001b"`, "  1 | \\x1b[31m\n      ^"},
		{"\"\u202e\t日\" | foo", `function not defined: foo/0`, "  \"\\u202e\t日\" | foo\n         \t      ^"},
		{`"foo" | "\(1 | foo)"`, `function not defined: foo/0`, "  \"foo\" | \"\\(1 | foo)\"\n                 ^"},
		{``, `missing query (try ".")`, ""},
	} {
		q, err := parse(tt.expr)
		if err == nil {
			_, err = compile(tt.expr, q)
		}
		if err == nil {
			t.Errorf("%q: accepted", tt.expr)
			continue
		}
		if got := err.Excerpt("  "); err.Msg != tt.msg || got != tt.excerpt {
			t.Errorf("%q: %q\n%s\nwant %q\n%s", tt.expr, err.Msg, got, tt.msg, tt.excerpt)
		}
	}
}

// TestLoadBounds has expressions that cannot be compiled within the bounds.
func TestLoadBounds(t *testing.T) {
	for _, expr := range []string{
		strings.Repeat("(", 60_000) + "1" + strings.Repeat(")", 60_000),
		strings.Repeat("[", 60_000) + "1" + strings.Repeat("]", 60_000),
		strings.Repeat("-", 60_000) + ".",
		strings.Repeat("def f: ", 30_000) + "1" + strings.Repeat("; f", 30_000),
		`def f: def g: f, g; g; f`,
		`def f: f; def g: (f | g); g`,
		`1` + strings.Repeat(" + 1", 30_000),
	} {
		_, _, err := filterAll(t, `if .n then 1 else (`+expr+`) end`, "{\"n\":1}\n")
		// Accepted or refused, but in the end, and by itself.
		if s := exit.Status(err); s != exit.OK && s != exit.Usage {
			t.Errorf("%.40s…: %v", expr, err)
		}
	}
}
