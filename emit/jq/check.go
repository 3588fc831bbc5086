package jq

import (
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"tagscan/emit/term"
)

// An ExprError says what is wrong with an expression, and where.
type ExprError struct {
	Rule   int    // index of the expression in the list it came with
	Expr   string // the expression
	Offset int    // byte offset of the place in Expr, or -1
	Msg    string
}

func (e *ExprError) Error() string { return e.Msg }

// Excerpt is the line of the expression that holds the place, and under it a
// caret; "" when the place is not known. Each of its lines begins with indent.
func (e *ExprError) Excerpt(indent string) string {
	if e.Offset < 0 || e.Offset > len(e.Expr) {
		return ""
	}
	start := strings.LastIndexAny(e.Expr[:e.Offset], "\r\n") + 1
	line := e.Expr[start:]
	if i := strings.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	at := min(e.Offset-start, len(line))
	const before, width = 48, 72 // of a long line, what is around the place
	lead := ""
	if at > before {
		cut := at - before
		for cut < at && !utf8.RuneStart(line[cut]) {
			cut++
		}
		line, at, lead = line[cut:], at-cut, "…"
	}
	tail := ""
	if len(line) > width {
		cut := width
		for cut > at && !utf8.RuneStart(line[cut]) {
			cut--
		}
		line, tail = line[:cut], "…"
	}
	if lead == "" && strings.HasPrefix(strings.TrimSpace(line), "::") {
		lead = "| " // else, in a CI job's log, it is a workflow command
	}
	// Tabs stay, and are above the caret, too.
	shown := strings.Split(line, "\t")
	for i, part := range shown {
		shown[i] = term.Safe(part)
	}
	pad := strings.Split(lead+line[:at], "\t")
	for i, part := range pad {
		pad[i] = strings.Repeat(" ", term.Width(term.Safe(part)))
	}
	return indent + lead + strings.Join(shown, "\t") + tail + "\n" + indent + strings.Join(pad, "\t") + "^"
}

// refused are the functions that reach out of the event: into the environment,
// the input, the clock, the terminal, the file system, or that stop the run.
// modulemeta belongs to import, and could do nothing but fail.
var refused = map[string]bool{
	"env": true, "$ENV": true, "input": true, "inputs": true, "input_filename": true,
	"debug": true, "stderr": true, "halt": true, "halt_error": true, "now": true,
	"localtime": true, "strflocaltime": true, "modulemeta": true,
}

// parse parses an expression and refuses what no expression may use, wherever
// in the syntax tree it stands.
func parse(expr string) (*gojq.Query, *ExprError) {
	q, err := gojq.Parse(expr)
	if err != nil {
		e := &ExprError{Expr: expr, Offset: -1, Msg: err.Error()}
		if pe, ok := err.(*gojq.ParseError); ok {
			e.Offset = max(pe.Offset-len(pe.Token), 0)
		}
		return nil, e
	}
	if len(q.Imports) > 0 {
		word := "import"
		if im := q.Imports[0]; im.ImportPath == "" && im.ImportAlias == "" {
			word = "include"
		}
		return nil, &ExprError{Expr: expr, Offset: findWord(expr, word), Msg: word + " is not allowed"}
	}
	c := checker{}
	c.query(q)
	if c.name != "" {
		return nil, &ExprError{Expr: expr, Offset: findWord(expr, c.name), Msg: c.name + " is not allowed"}
	}
	return q, nil
}

// compile compiles a parsed expression.
func compile(expr string, q *gojq.Query, opts ...gojq.CompilerOption) (*gojq.Code, *ExprError) {
	code, err := gojq.Compile(q, opts...)
	if err == nil {
		return code, nil
	}
	e := &ExprError{Expr: expr, Offset: -1, Msg: err.Error()}
	// gojq's errors name what they are about last: "function not defined: f/0".
	if what, name, ok := strings.Cut(e.Msg, " not defined: "); ok {
		if what == "function" {
			name, _, _ = strings.Cut(name, "/")
		}
		e.Offset = findWord(expr, name)
	}
	return nil, e
}

// A checker walks a syntax tree and keeps the first refused name that it meets.
// A function of the expression's own that bears a refused name is refused too:
// nobody reading a rule should have to find out which one it calls.
type checker struct{ name string }

func (c *checker) see(name string) {
	if c.name == "" && refused[name] {
		c.name = name
	}
}

func (c *checker) query(q *gojq.Query) {
	if q == nil || c.name != "" {
		return
	}
	for _, d := range q.FuncDefs {
		c.see(d.Name)
		for _, a := range d.Args {
			c.see(a)
		}
		c.query(d.Body)
	}
	c.term(q.Term)
	c.query(q.Left)
	for _, p := range q.Patterns {
		c.pattern(p)
	}
	c.query(q.Right)
}

func (c *checker) term(t *gojq.Term) {
	if t == nil {
		return
	}
	c.index(t.Index)
	if f := t.Func; f != nil {
		c.see(f.Name)
		for _, a := range f.Args {
			c.query(a)
		}
	}
	if t.Object != nil {
		for _, kv := range t.Object.KeyVals {
			if strings.HasPrefix(kv.Key, "$") {
				c.see(kv.Key)
			}
			c.str(kv.KeyString)
			c.query(kv.KeyQuery)
			c.query(kv.Val)
		}
	}
	if t.Array != nil {
		c.query(t.Array.Query)
	}
	if t.Unary != nil {
		c.term(t.Unary.Term)
	}
	c.str(t.Str)
	if t.If != nil {
		c.query(t.If.Cond)
		c.query(t.If.Then)
		for _, e := range t.If.Elif {
			c.query(e.Cond)
			c.query(e.Then)
		}
		c.query(t.If.Else)
	}
	if t.Try != nil {
		c.query(t.Try.Body)
		c.query(t.Try.Catch)
	}
	if r := t.Reduce; r != nil {
		c.query(r.Query)
		c.pattern(r.Pattern)
		c.query(r.Start)
		c.query(r.Update)
	}
	if f := t.Foreach; f != nil {
		c.query(f.Query)
		c.pattern(f.Pattern)
		c.query(f.Start)
		c.query(f.Update)
		c.query(f.Extract)
	}
	if t.Label != nil {
		c.query(t.Label.Body)
	}
	c.query(t.Query)
	for _, s := range t.SuffixList {
		c.index(s.Index)
	}
}

func (c *checker) index(i *gojq.Index) {
	if i != nil {
		c.str(i.Str)
		c.query(i.Start)
		c.query(i.End)
	}
}

func (c *checker) str(s *gojq.String) {
	if s != nil {
		for _, q := range s.Queries {
			c.query(q)
		}
	}
}

func (c *checker) pattern(p *gojq.Pattern) {
	if p == nil {
		return
	}
	c.see(p.Name)
	for _, e := range p.Array {
		c.pattern(e)
	}
	for _, o := range p.Object {
		if strings.HasPrefix(o.Key, "$") {
			c.see(o.Key)
		}
		c.str(o.KeyString)
		c.query(o.KeyQuery)
		c.pattern(o.Val)
	}
}

// findWord finds where an expression uses a name: the tree has no positions, so
// the text is read again. Strings, comments and field names are passed over; a
// key of an object ("env:") is taken only when nothing better is there.
func findWord(expr, name string) int {
	second := -1
	for at, word := range words(expr) {
		if word != name {
			continue
		}
		rest := strings.TrimLeft(expr[at+len(word):], " \t\r\n")
		if !strings.HasPrefix(rest, ":") {
			return at
		}
		if second < 0 {
			second = at
		}
	}
	return second
}

// words yields the identifiers, variables and formats of an expression and
// their offsets, those inside string interpolations included.
func words(s string) func(yield func(int, string) bool) {
	ident := func(c byte) bool {
		return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
	}
	return func(yield func(int, string) bool) {
		var nest []int // parentheses open in each interpolation that is open
		str := false   // inside a string
		for i := 0; i < len(s); {
			c := s[i]
			switch {
			case str && c == '\\':
				if i+1 < len(s) && s[i+1] == '(' {
					nest, str = append(nest, 0), false
				}
				i += 2
			case c == '"':
				str = !str
				i++
			case str:
				i++
			case c == '#':
				for i < len(s) && s[i] != '\n' && s[i] != '\r' {
					i++
				}
			case c == '(':
				if len(nest) > 0 {
					nest[len(nest)-1]++
				}
				i++
			case c == ')':
				i++
				if n := len(nest) - 1; n >= 0 {
					if nest[n]--; nest[n] < 0 {
						nest, str = nest[:n], true
					}
				}
			case c == '.' || c == '$' || c == '@' || ident(c):
				j := i + 1
				for j < len(s) && ident(s[j]) {
					j++
				}
				if c != '.' && !yield(i, s[i:j]) {
					return
				}
				i = j
			default:
				i++
			}
		}
	}
}
