package jq

import (
	"math/big"

	"github.com/itchyny/gojq"
)

// A program is a compiled expression that is run over event after event.
//
// Starting gojq's machine makes a dozen allocations. A program starts it once,
// on an endless list of events as it were ($events[] | (EXPR), end), and asks
// for the outputs of one event at a time; an error ends the machine, and the
// next event starts another.
type program struct {
	code   *gojq.Code
	params []any // the values of the variables
	single bool  // it has one output at most, and nothing happens behind it
	feed   *feed
	iter   gojq.Iter // nil: to be started
}

// A feed is the list of events.
type feed struct{ event any }

func (f *feed) Next() (any, bool) { return f.event, true }

// eventsFunc is a name that no expression can call.
const eventsFunc = "events!"

// end is what comes behind the last output of an event. It is told by its
// address, and no expression sees it.
var end = new(big.Int)

// newProgram compiles a parsed expression.
func newProgram(expr string, q *gojq.Query, vars []string, values ...any) (*program, *ExprError) {
	p := &program{feed: new(feed), params: values, single: single(q)}
	call := func(name string) *gojq.Query {
		return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name}}}
	}
	const endFunc = "end!"
	outputs := &gojq.Query{
		Left:  &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeQuery, Query: q}},
		Op:    gojq.OpComma,
		Right: call(endFunc),
	}
	all := &gojq.Query{Left: call(eventsFunc), Op: gojq.OpPipe, Right: outputs}
	var err *ExprError
	p.code, err = compile(expr, all, gojq.WithVariables(vars),
		gojq.WithIterFunction(eventsFunc, 0, 0, func(any, []any) gojq.Iter { return p.feed }),
		gojq.WithFunction(endFunc, 0, 0, func(any, []any) any { return end }))
	return p, err
}

// start begins with an event; next gives its outputs.
func (p *program) start(event any) {
	p.feed.event = event
	if p.iter == nil {
		p.iter = p.code.Run(nil, p.params...)
	}
}

// next is the next output of the event; false when there is none.
func (p *program) next() (v any, ok bool, err error) {
	fine := false
	defer func() {
		if !fine {
			p.iter = nil
		}
		recovered(&err)
	}()
	v, _ = p.iter.Next()
	if e, failed := v.(error); failed {
		return nil, false, e
	}
	fine = true
	return v, v != any(end), nil
}

// first is the first output for an event; what would come behind it is not
// computed.
//
// gojq's own first is of no use for that: its way out, break, passes for an
// error where a ?// pattern is open.
func (p *program) first(event any) (v any, ok bool, err error) {
	p.start(event)
	v, ok, err = p.next()
	if !ok || err != nil {
		return v, ok, err
	}
	if !p.single {
		p.iter = nil
		return v, true, nil
	}
	if _, more, err := p.next(); more || err != nil {
		p.iter = nil
	}
	return v, true, nil
}

// forget lets go of what the machine holds of earlier events.
func (p *program) forget() {
	p.iter = nil
	p.feed.event = nil
}

// single tells whether an expression has one output at most, so that asking for
// another one ends at once. It follows what it knows, and answers no for the
// rest, which costs time only.
func single(q *gojq.Query) bool {
	switch {
	case q == nil:
		return true
	case len(q.FuncDefs) > 0 || len(q.Patterns) > 1:
		return false
	case q.Term != nil:
		return singleTerm(q.Term)
	case len(q.Patterns) == 1 && !singlePattern(q.Patterns[0]):
		return false
	}
	switch q.Op {
	case gojq.OpPipe, gojq.OpAlt, gojq.OpAnd, gojq.OpOr, gojq.OpAdd, gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpMod,
		gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe:
		return single(q.Left) && single(q.Right)
	}
	return false
}

func singlePattern(p *gojq.Pattern) bool {
	for _, e := range p.Array {
		if !singlePattern(e) {
			return false
		}
	}
	for _, o := range p.Object {
		if o.KeyQuery != nil || !singleString(o.KeyString) || o.Val != nil && !singlePattern(o.Val) {
			return false
		}
	}
	return true
}

func singleTerm(t *gojq.Term) bool {
	for _, s := range t.SuffixList {
		if s.Iter || s.Index != nil && !singleIndex(s.Index) {
			return false
		}
	}
	switch t.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber:
		return true
	case gojq.TermTypeIndex:
		return singleIndex(t.Index)
	case gojq.TermTypeString, gojq.TermTypeFormat:
		return singleString(t.Str)
	case gojq.TermTypeUnary:
		return singleTerm(t.Unary.Term)
	case gojq.TermTypeQuery:
		return single(t.Query)
	case gojq.TermTypeArray:
		return plain(t.Array.Query)
	case gojq.TermTypeObject:
		for _, kv := range t.Object.KeyVals {
			if !singleString(kv.KeyString) || !single(kv.KeyQuery) || !single(kv.Val) {
				return false
			}
		}
		return true
	case gojq.TermTypeIf:
		ok := single(t.If.Cond) && single(t.If.Then) && single(t.If.Else)
		for _, e := range t.If.Elif {
			ok = ok && single(e.Cond) && single(e.Then)
		}
		return ok
	case gojq.TermTypeFunc:
		return singleCall(t.Func)
	}
	return false
}

func singleIndex(i *gojq.Index) bool {
	return singleString(i.Str) && single(i.Start) && single(i.End)
}

func singleString(s *gojq.String) bool {
	if s != nil {
		for _, q := range s.Queries {
			if !single(q) {
				return false
			}
		}
	}
	return true
}

// functions are builtin functions that have one output for one of each of their
// arguments.
var functions = map[string]bool{
	"abs": true, "add": true, "all": true, "any": true, "ascii_downcase": true, "ascii_upcase": true, "ceil": true, "contains": true,
	"empty": true, "endswith": true, "explode": true, "flatten": true, "floor": true, "fromjson": true, "getpath": true, "has": true,
	"implode": true, "index": true, "indices": true, "inside": true, "join": true, "keys": true, "last": true, "length": true, "ltrimstr": true,
	"max": true, "min": true, "not": true, "reverse": true, "rindex": true, "round": true, "rtrimstr": true, "select": true, "sort": true,
	"split": true, "startswith": true, "test": true, "to_entries": true, "from_entries": true, "tojson": true, "tonumber": true, "tostring": true,
	"trim": true, "type": true, "unique": true, "utf8bytelength": true, "values": true, "first": true, "toboolean": true,
}

func singleCall(f *gojq.Func) bool {
	switch {
	case f.Name[0] == '$':
		return true
	case f.Name == "map" && len(f.Args) == 1, f.Name == "IN", (f.Name == "any" || f.Name == "all") && len(f.Args) > 0:
		// They ask for as many outputs as they need.
		for _, a := range f.Args {
			if !plain(a) {
				return false
			}
		}
		return true
	case (f.Name == "first" || f.Name == "last" || f.Name == "add") && len(f.Args) > 0:
		return false
	}
	for _, a := range f.Args {
		if !single(a) {
			return false
		}
	}
	return functions[f.Name]
}

// plain tells whether any number of outputs of an expression can be asked for,
// and be broken off, without a surprise: nothing but paths and what is single.
func plain(q *gojq.Query) bool {
	if q == nil || single(q) {
		return true
	}
	if len(q.FuncDefs) > 0 || len(q.Patterns) > 0 {
		return false
	}
	if q.Term == nil {
		return (q.Op == gojq.OpPipe || q.Op == gojq.OpComma) && plain(q.Left) && plain(q.Right)
	}
	t := *q.Term
	t.SuffixList = nil
	for _, s := range q.Term.SuffixList {
		if !s.Iter {
			t.SuffixList = append(t.SuffixList, s)
		}
	}
	return singleTerm(&t)
}
