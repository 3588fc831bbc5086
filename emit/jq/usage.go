package jq

import "github.com/itchyny/gojq"

// A usage tells which keys of its input a list of expressions can look at.
type usage struct {
	all  bool // any key
	keys map[string]bool
}

// add adds what an expression can look at. It follows the input through the
// syntax tree for as long as it can only be indexed with known keys; wherever
// the input could go anywhere else, everything counts as used. Nothing depends
// on it but the work that is saved. It tells whether q can put the input out.
func (u *usage) add(q *gojq.Query) bool {
	if u.keys == nil {
		u.keys = make(map[string]bool)
	}
	return u.query(q, true)
}

// query visits q, which is given the input when in is set, and tells whether
// what it puts out can be the input.
func (u *usage) query(q *gojq.Query, in bool) bool {
	switch {
	case q == nil || u.all:
		return in
	case len(q.FuncDefs) > 0 || len(q.Patterns) > 1:
		u.all = true
		return true
	case q.Term != nil:
		return u.term(q.Term, in)
	}
	switch q.Op {
	case gojq.OpPipe:
		l := u.query(q.Left, in)
		if len(q.Patterns) == 1 {
			u.bind(q.Patterns[0], l)
			l = in
		}
		return u.query(q.Right, l)
	case gojq.OpComma, gojq.OpAlt:
		l := u.query(q.Left, in)
		return u.query(q.Right, in) || l
	case gojq.OpAnd, gojq.OpOr: // ask only for truth
		u.query(q.Left, in)
		u.query(q.Right, in)
		return false
	case gojq.OpAdd, gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpMod,
		gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe:
		u.uses(u.query(q.Left, in))
		u.uses(u.query(q.Right, in))
		return false
	}
	u.all = true // updates
	return true
}

// uses says that a value is used in a way that is not followed.
func (u *usage) uses(input bool) {
	if input {
		u.all = true
	}
}

// bind says that a value is taken apart and bound to variables.
func (u *usage) bind(p *gojq.Pattern, input bool) {
	u.uses(input)
	if p == nil {
		return
	}
	for _, e := range p.Array {
		u.bind(e, false)
	}
	for _, o := range p.Object {
		u.uses(o.KeyQuery != nil || o.KeyString != nil && o.KeyString.Queries != nil)
		u.bind(o.Val, false)
	}
}

func (u *usage) term(t *gojq.Term, in bool) bool {
	out := u.base(t, in)
	for _, s := range t.SuffixList {
		switch {
		case s.Index != nil:
			out = u.index(s.Index, out, in)
		case s.Iter:
			u.uses(out)
			out = false
		}
	}
	return out
}

func (u *usage) base(t *gojq.Term, in bool) bool {
	switch t.Type {
	case gojq.TermTypeIdentity:
		return in
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber, gojq.TermTypeBreak:
		return false
	case gojq.TermTypeIndex:
		return u.index(t.Index, in, in)
	case gojq.TermTypeFunc:
		return u.call(t.Func, in)
	case gojq.TermTypeObject:
		for _, kv := range t.Object.KeyVals {
			u.object(kv, in)
		}
		return false
	case gojq.TermTypeArray:
		if t.Array.Query != nil {
			u.uses(u.query(t.Array.Query, in))
		}
		return false
	case gojq.TermTypeUnary:
		u.uses(u.term(t.Unary.Term, in))
		return false
	case gojq.TermTypeFormat:
		u.uses(in && t.Str == nil)
		u.str(t.Str, in)
		return false
	case gojq.TermTypeString:
		u.str(t.Str, in)
		return false
	case gojq.TermTypeIf:
		u.query(t.If.Cond, in)
		out := u.query(t.If.Then, in)
		for _, e := range t.If.Elif {
			u.query(e.Cond, in)
			out = u.query(e.Then, in) || out
		}
		return u.query(t.If.Else, in) || out
	case gojq.TermTypeTry:
		out := u.query(t.Try.Body, in)
		if t.Try.Catch != nil {
			out = u.query(t.Try.Catch, false) || out
		}
		return out
	case gojq.TermTypeQuery:
		return u.query(t.Query, in)
	case gojq.TermTypeLabel:
		return u.query(t.Label.Body, in)
	}
	u.all = true // .., reduce, foreach
	return true
}

// index visits an index into a value that is the input when of is set; the
// index itself is computed on the term's input.
func (u *usage) index(i *gojq.Index, of, in bool) bool {
	if key, ok := constKey(i); ok {
		if of {
			u.keys[key] = true
		}
		return false
	}
	u.uses(of)
	u.str(i.Str, in)
	if i.Start != nil {
		u.uses(u.query(i.Start, in))
	}
	if i.End != nil {
		u.uses(u.query(i.End, in))
	}
	return false
}

// constKey is the key of an index that is a string in so many words.
func constKey(i *gojq.Index) (string, bool) {
	switch {
	case i.Name != "":
		return i.Name, true
	case i.Str != nil:
		return i.Str.Str, i.Str.Queries == nil
	case i.Start != nil && !i.IsSlice:
		return constString(i.Start)
	}
	return "", false
}

// constString is the value of an expression that is a string in so many words.
func constString(q *gojq.Query) (string, bool) {
	t := q.Term
	if t == nil || len(q.FuncDefs) > 0 || t.Type != gojq.TermTypeString || t.Str.Queries != nil || len(t.SuffixList) > 0 {
		return "", false
	}
	return t.Str.Str, true
}

func (u *usage) str(s *gojq.String, in bool) {
	if s != nil {
		for _, q := range s.Queries {
			u.uses(u.query(q, in))
		}
	}
}

func (u *usage) object(kv *gojq.ObjectKeyVal, in bool) {
	switch {
	case kv.Val != nil:
	case kv.KeyString != nil && kv.KeyString.Queries == nil:
		if in {
			u.keys[kv.KeyString.Str] = true
		}
	case kv.Key != "" && kv.Key[0] != '$':
		if in {
			u.keys[kv.Key] = true
		}
	case kv.Key == "":
		u.uses(in)
	}
	u.str(kv.KeyString, in)
	if kv.KeyQuery != nil {
		u.uses(u.query(kv.KeyQuery, in))
	}
	if kv.Val != nil {
		u.uses(u.query(kv.Val, in))
	}
}

func (u *usage) call(f *gojq.Func, in bool) bool {
	if f.Name[0] == '$' {
		return false // nothing is bound to a variable without counting as used
	}
	switch len(f.Args) {
	case 0:
		switch f.Name {
		case "not", "empty":
			return false
		}
	case 1:
		switch f.Name {
		case "select":
			u.query(f.Args[0], in)
			return in
		case "first", "last":
			return u.query(f.Args[0], in)
		case "isempty":
			u.query(f.Args[0], in)
			return false
		case "has":
			if key, ok := constString(f.Args[0]); ok {
				if in {
					u.keys[key] = true
				}
				return false
			}
		}
	case 2:
		switch f.Name {
		case "any", "all":
			u.query(f.Args[1], u.query(f.Args[0], in))
			return false
		}
	}
	u.uses(in)
	for _, a := range f.Args {
		u.query(a, false)
	}
	return false
}
