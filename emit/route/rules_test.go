package route

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tagscan/emit/exit"
	"tagscan/emit/jq"
)

// rule makes a rule file of one rule.
func rule(members string) string { return `{"rules":[{` + members + `}]}` }

const okRule = `"id":"a","expr":"true","action":{"queue":"q"}`

func TestLoadErrors(t *testing.T) {
	x := strings.Repeat
	for _, tt := range []struct{ text, want string }{
		{`{"rules":[]}`, ""},
		{rule(okRule), ""},
		{"\uFEFF" + rule(okRule), ""},
		{rule(`"id":"` + x("a", 64) + `","name":"` + x("n", 128) + `","expr":"` + x(" ", 4092) + `true","action":{"queue":"` + x("q", 64) + `","exclusive":true,"once":false,"work_order":true}`), ""},
		{rule(`"id":"A-z_0","expr":"true","action":{"drop":true}`), ""},
		{rule(`"id":"a","expr":"true","action":{"queue":"q","drop":false}`), ""},
		{`{"params":{"s":"x","n":1e400,"b":true,"l":["a","b"],"e":[],"k":[1,2.5],"t":[true]},"rules":[],"default_action":{"drop":true}}`, ""},
		{`{"params":{"s":"` + x("x", 16<<10-8) + `"},"rules":[]}`, ""},
		{`{"rules":[` + strings.TrimSuffix(many(32), ",") + `]}`, ""},

		{``, "line 1, column 1: unexpected end of the JSON value"},
		{`{"rules":[`, "line 1, column 10: unexpected end of the JSON value"},
		{"{\n \"rules\": [}", "line 2, column 12: invalid character '}' looking for beginning of value"},
		{`{"rules":[]} x`, "text behind the JSON value"},
		{`{"rules":[]} {}`, "text behind the JSON value"},
		{"{\"rules\":[], \"\xff\":1}", "not UTF-8"},
		{`[]`, `is a list, want an object with "rules"`},
		{`{}`, `has no "rules"`},
		{`{"rules":{}}`, "rules: is an object, want a list"},
		{`{"rules":[],"rule":[]}`, `unknown key "rule", should it be "rules"?`},
		{"\uFEFF" + `{"rules":[],"rule":[]}`, `line 1, column 13: unknown key "rule",`},
		{`{"Rules":[]}`, `unknown key "Rules", should it be "rules"?`},
		{"{\"rules\":[],\n \"defaults\":{}}", `line 2, column 2: unknown key "defaults" (known: params, rules, default_action)`},
		{`{"rules":[],"rules":[]}`, `line 1, column 13: the key "rules" is there twice`},
		{`{"rules":` + x("[", 200) + x("]", 200) + `}`, "nested too deep"},
		{`{"rules":[` + strings.TrimSuffix(many(33), ",") + `]}`, "rules: 33 rules, at most 32 are allowed"},
		{`{"rules":[1]}`, "rule 0: is a number, want an object"},
		{rule(`"expr":"true","action":{"queue":"q"}`), `rule 0: has no "id"`},
		{rule(`"id":"a","action":{"queue":"q"}`), `rule 0 "a": has no "expr"`},
		{rule(`"id":"a","name":"the first","expr":"true"`), `rule 0 "a" (the first): has no "action"`},
		{rule(`"id":"a","name":"a \"b\"\u001b","expr":1,"action":{"queue":"q"}`), `rule 0 "a" (a \"b\"\x1b): expr: is a number, want a string`},
		{rule(`"id":"","expr":"true","action":{"queue":"q"}`), `rule 0: id: "", want 1 to 64 of A-Z a-z 0-9 _ -`},
		{rule(`"id":"a b","expr":"true","action":{"queue":"q"}`), `rule 0 "a b": id: "a b", want`},
		{rule(`"id":"a\n","expr":"true","action":{"queue":"q"}`), `rule 0 "a\n": id: "a\n", want`},
		{rule(`"id":"` + x("a", 65) + `","expr":"true","action":{"queue":"q"}`), `want 1 to 64`},
		{rule(`"id":"a","name":"` + x("n", 129) + `","expr":"true","action":{"queue":"q"}`), `name: 129 bytes, at most 128 are allowed`},
		{rule(`"id":"a","name":null,"expr":"true","action":{"queue":"q"}`), `name: is null, want a string`},
		{rule(`"id":"a","expr":"` + x(" ", 4093) + `true","action":{"queue":"q"}`), `expr: 4097 bytes, at most 4096 are allowed`},
		{rule(okRule + `,"Id":"b"`), `rule 0 "a": unknown key "Id", should it be "id"?`},
		{rule(okRule + `,"when":"b"`), `rule 0 "a": unknown key "when" (known: id, name, expr, action)`},
		{rule(okRule + `,"id":"b"`), `the key "id" is there twice`},
		{`{"rules":[{` + okRule + `},{` + okRule + `}]}`, `rule 1 "a": id: rule 0 has it already`},
		{rule(`"id":"a","expr":"true","action":"q"`), `action: is a string, want an object`},
		{rule(`"id":"a","expr":"true","action":{}`), `action: has neither a queue nor "drop": true`},
		{rule(`"id":"a","expr":"true","action":{"drop":false}`), `action: has neither a queue nor "drop": true`},
		{rule(`"id":"a","expr":"true","action":{"queue":"q","drop":true}`), `action: has both a queue and drop`},
		{rule(`"id":"a","expr":"true","action":{"drop":true,"once":true}`), `action: once: goes with a queue only`},
		{rule(`"id":"a","expr":"true","action":{"drop":"yes"}`), `action: drop: is a string, want a boolean`},
		{rule(`"id":"a","expr":"true","action":{"queue":"q","exclusive":1}`), `action: exclusive: is a number, want a boolean`},
		{rule(`"id":"a","expr":"true","action":{"queue":"q","work-order":true}`), `action: unknown key "work-order", should it be "work_order"?`},
		{rule(`"id":"a","expr":"true","action":{"queue":1}`), `action: queue: is a number, want a string`},
		{rule(`"id":"a","expr":"true","action":{"queue":""}`), `action: queue: "", want`},
		{rule(`"id":"a","expr":"true","action":{"queue":".."}`), `action: queue: "..", want`},
		{rule(`"id":"a","expr":"true","action":{"queue":".q"}`), `action: queue: ".q", want`},
		{rule(`"id":"a","expr":"true","action":{"queue":"a/b"}`), `action: queue: "a/b", want`},
		{rule(`"id":"a","expr":"true","action":{"queue":"q\n"}`), `action: queue: "q\n", want`},
		{rule(`"id":"a","expr":"true","action":{"queue":"` + x("q", 65) + `"}`), `want 1 to 64`},
		{`{"rules":[],"default_action":{}}`, `default_action: has neither`},
		{`{"rules":[],"default_action":null}`, `default_action: is null, want an object`},
		{`{"params":[],"rules":[]}`, `params: is a list, want an object`},
		{`{"params":{"a":null},"rules":[]}`, `params: "a" is null, want a string, a number, a boolean or a list of one of these`},
		{`{"params":{"a":{}},"rules":[]}`, `params: "a" is an object, want`},
		{`{"params":{"a":[1,"x"]},"rules":[]}`, `params: "a": want a list of strings, of numbers or of booleans`},
		{`{"params":{"a":[[1]]},"rules":[]}`, `params: "a": want a list of`},
		{`{"params":{"a":1,"a":2},"rules":[]}`, `the key "a" is there twice`},
		{`{"params":{"s":"` + x("x", 16<<10-7) + `"},"rules":[]}`, `params: 16385 bytes, at most 16384 are allowed`},
	} {
		_, err := Load([]byte(tt.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || tt.want == "" && err != nil {
			t.Errorf("%.100s:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"r%d","expr":"true","action":{"queue":"q"}},`, i)
	}
	return b.String()
}

// said is what there is to say of err: where in an expression, too.
func said(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	var x *jq.ExprError
	if errors.As(err, &x) && x.Offset >= 0 {
		text += "\n" + x.Excerpt("    ")
	}
	return text
}

// TestCheck has what --check says of a file and of an expression.
func TestCheck(t *testing.T) {
	two := func(expr string) string {
		return `{"rules":[{"id":"ok","expr":"true","action":{"queue":"q"}},{"id":"second","name":"the 2nd","expr":` + fmt.Sprintf("%q", expr) + `,"action":{"queue":"q"}}]}`
	}
	dir := t.TempDir()
	for _, tt := range []struct{ text, want string }{
		{two(`.a`), ""},
		{two(`.a ==`), "FILE: rule 1 \"second\" (the 2nd): expr: unexpected EOF\n    .a ==\n         ^"},
		{two(`any(.tags[]; foo(.))`), "FILE: rule 1 \"second\" (the 2nd): expr: function not defined: foo/1\n    any(.tags[]; foo(.))\n                 ^"},
		{two(`$trusted[]`), "FILE: rule 1 \"second\" (the 2nd): expr: variable not defined: $trusted\n    $trusted[]\n    ^"},
		{two(`"\(env.HOME)"`), "FILE: rule 1 \"second\" (the 2nd): expr: env is not allowed\n    \"\\(env.HOME)\"\n       ^"},
		{two(``), "FILE: rule 1 \"second\" (the 2nd): expr: missing query (try \".\")"},
		{two(`.a`) + "x", "FILE: text behind the JSON value"},
	} {
		name := filepath.Join(dir, "rules.json")
		if err := os.WriteFile(name, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		err := Check(Options{File: name})
		got := strings.ReplaceAll(said(err), name, "FILE")
		if i := strings.Index(got, "column"); i >= 0 { // of the syntax error
			_, rest, _ := strings.Cut(got[i:], ": ")
			got = "FILE: " + rest
		}
		if got != tt.want || err != nil && exit.Status(err) != exit.Usage {
			t.Errorf("%s:\n%s (status %d), want\n%s", tt.text, got, exit.Status(err), tt.want)
		}
	}
	for _, tt := range []struct {
		opts Options
		want string
	}{
		{Options{Expr: ".a", HasExpr: true}, ""},
		{Options{Expr: ".a | foo", HasExpr: true}, "route EXPR: function not defined: foo/0\n    .a | foo\n         ^"},
		{Options{}, "route: exactly one of -r FILE, --pack NAME and EXPR is needed"},
		{Options{Pack: "links", HasExpr: true, Expr: "rules_test.go"}, `route: "rules_test.go" is not read: the events come on standard input, as in tagscan route … < FILE`},
		{Options{Pack: "links", HasExpr: true}, "route: exactly one of -r FILE, --pack NAME and EXPR is needed"},
		{Options{Pack: "handof"}, `--pack: no pack "handof", there are handoff, status, circuit-breaker, links, todo`},
		{Options{File: filepath.Join(dir, "none")}, "-r " + filepath.Join(dir, "none") + ": no such file or directory"},
		{Options{Pack: "links", Queue: "../x"}, `route: --queue: "../x" is no queue name`},
		{Options{Expr: ".", HasExpr: true, Trace: true}, "route: --trace goes with -r FILE or --pack NAME, not with EXPR"},
	} {
		err := Check(tt.opts)
		if got := said(err); got != tt.want || err != nil && exit.Status(err) != exit.Usage {
			t.Errorf("%+v: %s, want %s", tt.opts, got, tt.want)
		}
	}
}
