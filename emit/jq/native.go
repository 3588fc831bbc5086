package jq

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// Most conditions of most rules are comparisons of a key or two, and starting
// gojq's machine costs more than making them. native compiles an expression to
// Go functions when it is of that kind.
//
// Nothing but speed depends on it: a native function that meets anything
// unusual (a value of another type, an error, no output) answers that it does
// not know, and the expression is evaluated by gojq. What it does answer is
// what gojq answers; a fuzz test compares them.
type native func(in any) (out any, known bool)

// A nativeCompiler compiles one expression.
type nativeCompiler struct {
	params any // the value of $params
}

// compile returns nil for an expression that is not of the simple kind.
func (c *nativeCompiler) compile(q *gojq.Query) native {
	if q == nil || len(q.FuncDefs) > 0 || len(q.Patterns) > 0 {
		return nil
	}
	if q.Term != nil {
		return c.term(q.Term)
	}
	l, r := c.compile(q.Left), c.compile(q.Right)
	if l == nil || r == nil {
		return nil
	}
	switch q.Op {
	case gojq.OpPipe:
		return func(in any) (any, bool) {
			v, ok := l(in)
			if !ok {
				return nil, false
			}
			return r(v)
		}
	case gojq.OpAnd:
		return func(in any) (any, bool) {
			v, ok := l(in)
			if !ok {
				return nil, false
			}
			if !truthy(v) {
				return false, true
			}
			v, ok = r(in)
			return truthy(v), ok
		}
	case gojq.OpOr:
		return func(in any) (any, bool) {
			v, ok := l(in)
			if !ok {
				return nil, false
			}
			if truthy(v) {
				return true, true
			}
			v, ok = r(in)
			return truthy(v), ok
		}
	case gojq.OpAlt:
		return func(in any) (any, bool) {
			v, ok := l(in)
			if !ok {
				return nil, false
			}
			if truthy(v) {
				return v, true
			}
			return r(in)
		}
	case gojq.OpEq:
		return both(l, r, func(l, r any) (any, bool) { return equal(l, r), true })
	case gojq.OpNe:
		return both(l, r, func(l, r any) (any, bool) { return !equal(l, r), true })
	case gojq.OpGt:
		return both(l, r, func(l, r any) (any, bool) { return gojq.Compare(l, r) > 0, true })
	case gojq.OpLt:
		return both(l, r, func(l, r any) (any, bool) { return gojq.Compare(l, r) < 0, true })
	case gojq.OpGe:
		return both(l, r, func(l, r any) (any, bool) { return gojq.Compare(l, r) >= 0, true })
	case gojq.OpLe:
		return both(l, r, func(l, r any) (any, bool) { return gojq.Compare(l, r) <= 0, true })
	case gojq.OpMod:
		return both(l, r, func(l, r any) (any, bool) {
			x, ok := l.(int)
			y, ok2 := r.(int)
			if !ok || !ok2 || y <= 0 {
				return nil, false
			}
			return x % y, true
		})
	}
	return nil
}

func truthy(v any) bool { return v != nil && v != false }

// both evaluates the right operand first, as gojq does.
func both(l, r native, f func(l, r any) (any, bool)) native {
	return func(in any) (any, bool) {
		y, ok := r(in)
		if !ok {
			return nil, false
		}
		x, ok := l(in)
		if !ok {
			return nil, false
		}
		return f(x, y)
	}
}

func equal(l, r any) bool {
	if x, ok := l.(string); ok {
		y, ok := r.(string)
		return ok && x == y
	}
	return gojq.Compare(l, r) == 0
}

func constant(v any) native { return func(any) (any, bool) { return v, true } }

func (c *nativeCompiler) term(t *gojq.Term) native {
	f := c.base(t)
	for i := 0; i < len(t.SuffixList) && f != nil; i++ {
		s := t.SuffixList[i]
		switch {
		case s.Optional: // what fails is not known anyway
		case s.Index != nil:
			f = pipe(f, key(s.Index))
		default: // several outputs
			return nil
		}
	}
	return f
}

func pipe(l, r native) native {
	if l == nil || r == nil {
		return nil
	}
	return func(in any) (any, bool) {
		v, ok := l(in)
		if !ok {
			return nil, false
		}
		return r(v)
	}
}

// key is .name; nil when the index is anything else.
func key(i *gojq.Index) native {
	k, ok := constKey(i)
	if !ok {
		return nil
	}
	return func(in any) (any, bool) {
		switch in := in.(type) {
		case map[string]any:
			return in[k], true
		case nil:
			return nil, true
		}
		return nil, false
	}
}

func (c *nativeCompiler) base(t *gojq.Term) native {
	switch t.Type {
	case gojq.TermTypeIdentity:
		return func(in any) (any, bool) { return in, true }
	case gojq.TermTypeNull:
		return constant(nil)
	case gojq.TermTypeTrue:
		return constant(true)
	case gojq.TermTypeFalse:
		return constant(false)
	case gojq.TermTypeString:
		if t.Str.Queries == nil {
			return constant(t.Str.Str)
		}
	case gojq.TermTypeNumber:
		return number(t.Number)
	case gojq.TermTypeUnary:
		if u := t.Unary; u.Op == gojq.OpSub && u.Term.Type == gojq.TermTypeNumber && len(u.Term.SuffixList) == 0 {
			if f := number(u.Term.Number); f != nil {
				n, _ := f(nil)
				return constant(-n.(int))
			}
		}
	case gojq.TermTypeIndex:
		return key(t.Index)
	case gojq.TermTypeQuery:
		return c.compile(t.Query)
	case gojq.TermTypeIf:
		return c.branch(t.If.Cond, t.If.Then, t.If.Elif, t.If.Else)
	case gojq.TermTypeFunc:
		return c.call(t.Func)
	}
	return nil
}

// number is an integer of a few digits; the rest is left to gojq.
func number(digits string) native {
	if len(digits) > 9 {
		return nil
	}
	n := 0
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return nil
		}
		n = n*10 + int(c-'0')
	}
	return constant(n)
}

func (c *nativeCompiler) branch(cond, then *gojq.Query, elif []*gojq.IfElif, els *gojq.Query) native {
	f, t := c.compile(cond), c.compile(then)
	var e native
	switch {
	case len(elif) > 0:
		e = c.branch(elif[0].Cond, elif[0].Then, elif[1:], els)
	case els == nil:
		e = func(in any) (any, bool) { return in, true }
	default:
		e = c.compile(els)
	}
	if f == nil || t == nil || e == nil {
		return nil
	}
	return func(in any) (any, bool) {
		v, ok := f(in)
		if !ok {
			return nil, false
		}
		if truthy(v) {
			return t(in)
		}
		return e(in)
	}
}

func (c *nativeCompiler) call(f *gojq.Func) native {
	if f.Name == "$params" {
		return constant(c.params)
	}
	switch len(f.Args) {
	case 0:
		switch f.Name {
		case "not":
			return func(in any) (any, bool) { return !truthy(in), true }
		case "type":
			return func(in any) (any, bool) { return gojq.TypeOf(in), true }
		case "length":
			return length
		}
	case 1:
		switch f.Name {
		case "any", "all":
			// any(f) is any(.[]; f).
			return each(func(in any) (any, bool) { return in, true }, c.compile(f.Args[0]), false, f.Name == "any")
		case "has":
			if k, ok := constString(f.Args[0]); ok {
				return func(in any) (any, bool) {
					m, ok := in.(map[string]any)
					_, has := m[k]
					return has, ok
				}
			}
		case "startswith":
			return ofStrings(c.compile(f.Args[0]), strings.HasPrefix)
		case "endswith":
			return ofStrings(c.compile(f.Args[0]), strings.HasSuffix)
		case "contains":
			return ofStrings(c.compile(f.Args[0]), strings.Contains)
		case "test":
			if s, ok := constString(f.Args[0]); ok {
				if re, err := regexp.Compile(s); err == nil {
					return func(in any) (any, bool) {
						s, ok := in.(string)
						return ok && re.MatchString(s), ok
					}
				}
			}
		case "IN":
			return in(c.alternatives(f.Args[0], nil))
		case "index":
			if s, ok := constString(f.Args[0]); ok {
				return indexOf(s)
			}
		}
	case 2:
		if f.Name == "any" || f.Name == "all" {
			return c.overEach(f.Args[0], f.Args[1], f.Name == "any")
		}
	}
	return nil
}

func length(in any) (any, bool) {
	switch in := in.(type) {
	case nil:
		return 0, true
	case string:
		return utf8.RuneCountInString(in), true
	case []any:
		return len(in), true
	case map[string]any:
		return len(in), true
	}
	return nil, false
}

func ofStrings(arg native, f func(s, arg string) bool) native {
	if arg == nil {
		return nil
	}
	return func(in any) (any, bool) {
		s, ok := in.(string)
		if !ok {
			return nil, false
		}
		v, ok := arg(in)
		if !ok {
			return nil, false
		}
		t, ok := v.(string)
		return ok && f(s, t), ok
	}
}

// indexOf is index("…") on a list; in a string it counts characters, which is
// left to gojq.
func indexOf(s string) native {
	return func(in any) (any, bool) {
		switch in := in.(type) {
		case nil:
			return nil, true
		case []any:
			for i, x := range in {
				if x == s {
					return i, true
				}
			}
			return nil, true
		}
		return nil, false
	}
}

// overEach is any(G; F) or all(G; F) for a G of the form X[] or X[]?.
func (c *nativeCompiler) overEach(g, f *gojq.Query, isAny bool) native {
	t := g.Term
	if t == nil || len(g.FuncDefs) > 0 {
		return nil
	}
	n := len(t.SuffixList)
	opt := n > 0 && t.SuffixList[n-1].Optional
	if opt {
		n--
	}
	if n == 0 || !t.SuffixList[n-1].Iter {
		return nil
	}
	list := *t
	list.SuffixList = t.SuffixList[:n-1]
	return each(c.term(&list), c.compile(f), opt, isAny)
}

// each asks f of each element of a list until one answers want.
func each(list, f native, optional, want bool) native {
	if list == nil || f == nil {
		return nil
	}
	return func(in any) (any, bool) {
		v, ok := list(in)
		if !ok {
			return nil, false
		}
		a, ok := v.([]any)
		if !ok {
			// X[]? has no output for what cannot be iterated over.
			_, object := v.(map[string]any)
			return !want, optional && !object
		}
		for _, x := range a {
			v, ok := f(x)
			if !ok {
				return nil, false
			}
			if truthy(v) == want {
				return want, true
			}
		}
		return !want, true
	}
}

// alternatives are the expressions of a comma list; nil when one of them is not
// simple.
func (c *nativeCompiler) alternatives(q *gojq.Query, list []native) []native {
	if q.Op == gojq.OpComma && q.Term == nil && len(q.FuncDefs) == 0 {
		if list = c.alternatives(q.Left, list); list == nil {
			return nil
		}
		return c.alternatives(q.Right, list)
	}
	f := c.compile(q)
	if f == nil {
		return nil
	}
	return append(list, f)
}

// in is IN(list): any(list == .; .).
func in(list []native) native {
	if list == nil {
		return nil
	}
	return func(in any) (any, bool) {
		for _, f := range list {
			v, ok := f(in)
			if !ok {
				return nil, false
			}
			if equal(v, in) {
				return true, true
			}
		}
		return false, true
	}
}
