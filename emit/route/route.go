package route

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"tagscan/emit"
	"tagscan/emit/exit"
	"tagscan/emit/jq"
)

// Options says what routes, and what is wanted of it. Exactly one of File, Pack
// and Expr (with HasExpr) is set.
type Options struct {
	File    string // a rule file
	Pack    string // the name of an embedded pack
	Expr    string // one expression whose outputs are printed
	HasExpr bool

	Verified bool   // the caller has checked the events' signature
	Trace    bool   // print dropped events, too
	Queue    string // print only this queue
	Split    string // append to DIR/<queue>.ndjson instead of printing

	Scan     bool // the events come from a scan: no hint to use one
	Terminal bool // out is a terminal: untrusted text is shown escaped
	Quiet    bool // no hints
}

// A Router routes the events that are written to it, one a line, in pieces of
// any size. Events are written as soon as they are decided, in their order;
// nothing needs to be flushed for that.
type Router struct{ router }

type router interface {
	io.WriteCloser
	Flush() error
}

// New loads rules and starts to route to out. Errors of the options and rules
// have the status [exit.Usage]; one of an expression is a [*jq.ExprError].
func New(opts Options, out, errw io.Writer) (*Router, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if opts.HasExpr {
		f, err := jq.NewFilter(opts.Expr, jq.FilterOptions{Flag: "route EXPR", Terminal: opts.Terminal}, out, errw)
		if err != nil {
			return nil, opts.meant(err)
		}
		return &Router{&exprRouter{Filter: f, opts: &opts, errw: errw}}, nil
	}
	rules, name, err := opts.load()
	if err != nil {
		return nil, err
	}
	r := &ruleRouter{opts: opts, rules: rules, errw: errw, once: make(map[string]*subjects)}
	if opts.Terminal {
		out = &jq.TerminalWriter{W: out}
	}
	if err := rules.knows(opts.Queue); err != nil {
		return nil, err
	}
	r.out = bufio.NewWriterSize(out, 64<<10)
	r.prepare()
	if opts.Split != "" {
		r.split = &splitter{dir: opts.Split, files: make(map[string]*splitFile)}
	}
	if r.Evaluator, err = rules.evaluator(name, opts.Verified, (*ruleSink)(r)); err != nil {
		return nil, err
	}
	// Only for rules that are good, and before there is an answer.
	if opts.Split != "" {
		if err := os.MkdirAll(opts.Split, 0o777); err != nil {
			_ = r.Evaluator.Close() // it was not used
			return nil, exit.With(exit.IO, fmt.Errorf("--split: %w", err))
		}
	}
	return &Router{r}, nil
}

// Run routes everything that in holds.
func Run(opts Options, in io.Reader, out, errw io.Writer) error {
	r, err := New(opts, out, errw)
	if err != nil {
		return err
	}
	buf := make([]byte, 128<<10)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if _, err := r.Write(buf[:n]); err != nil {
				break // Close says it
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			status := max(exit.Status(r.Close()), exit.IO)
			return exit.With(status, fmt.Errorf("input: %w", err))
		}
	}
	return r.Close()
}

// Check loads the rules, or the expression, and compiles them.
func Check(opts Options) error {
	opts.Split = ""
	r, err := New(opts, io.Discard, io.Discard)
	if err != nil {
		return err
	}
	return r.Close()
}

func (o *Options) check() error {
	n := 0
	for _, given := range []bool{o.File != "", o.Pack != "", o.HasExpr} {
		if given {
			n++
		}
	}
	if n == 2 && o.HasExpr && isFile(o.Expr) {
		return usage(fmt.Sprintf("route: %q is not read: the events come on standard input, as in tagscan route … < FILE", clip(o.Expr, 200)))
	}
	if o.File == "-" {
		return usage("-r -: the events come on standard input: name a file for the rules")
	}
	if n != 1 {
		return usage("route: exactly one of -r FILE, --pack NAME and EXPR is needed")
	}
	if o.HasExpr {
		for _, f := range []struct {
			given bool
			name  string
		}{{o.Verified, "--verified"}, {o.Trace, "--trace"}, {o.Queue != "", "--queue"}, {o.Split != "", "--split"}} {
			if f.given {
				return usage("route: " + f.name + " goes with -r FILE or --pack NAME, not with EXPR")
			}
		}
	}
	if o.Queue != "" && !validQueue(o.Queue) {
		return usage(fmt.Sprintf("route: --queue: %q is no queue name", clip(o.Queue, 80)))
	}
	return nil
}

// meant is the error about an expression that cannot be used, or what was meant
// by it: a pack, or a file of rules.
func (o *Options) meant(err error) error {
	if exit.Status(err) != exit.Usage {
		return err
	}
	if slices.ContainsFunc(ListPacks(), func(p PackInfo) bool { return p.Name == o.Expr }) {
		return usage(fmt.Sprintf("route: %s is a pack: use --pack %[1]s", o.Expr))
	}
	if isFile(o.Expr) {
		return usage(fmt.Sprintf("route: %q is a file: use -r for its rules", clip(o.Expr, 200)))
	}
	return err
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// knows refuses a queue that no rule sends to: nothing would ever come out.
func (r *Rules) knows(queue string) error {
	if queue == "" {
		return nil
	}
	var queues []string
	for _, rule := range append(slices.Clone(r.Rules), Rule{Action: r.Default}) {
		if q := rule.Action.Queue; q != "" && !slices.Contains(queues, q) {
			queues = append(queues, q)
		}
	}
	switch {
	case slices.Contains(queues, queue):
		return nil
	case len(queues) == 0:
		return usage(fmt.Sprintf("route: --queue %s: the rules send to no queue, they drop everything", queue))
	}
	return usage(fmt.Sprintf("route: --queue %s: no rule sends there, but to %s", queue, strings.Join(queues, ", ")))
}

func usage(msg string) error { return exit.With(exit.Usage, errors.New(msg)) }

// load reads the rules and tells what to call them in errors.
func (o *Options) load() (*Rules, string, error) {
	name, read := o.File, func() ([]byte, error) { return readFile(o.File) }
	if o.Pack != "" {
		name, read = "pack "+o.Pack, func() ([]byte, error) { return ShowPack(o.Pack) }
	}
	text, err := read()
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return nil, "", exit.With(exit.Usage, fmt.Errorf("-r %s: %w", o.File, path.Err))
	case err != nil:
		return nil, "", exit.With(exit.Usage, fmt.Errorf("--pack: %w", err))
	}
	rules, err := Load(text)
	if err != nil {
		return nil, "", exit.With(exit.Usage, fmt.Errorf("%s: %w", name, err))
	}
	return rules, name, nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// evaluator compiles the rules; name is what errors call them.
func (r *Rules) evaluator(name string, verified bool, sink jq.RuleSink) (*jq.Evaluator, error) {
	j := jq.Rules{Params: r.Params, Verified: verified}
	for i := range r.Rules {
		j.Exprs = append(j.Exprs, r.Rules[i].Expr)
		j.Subject = append(j.Subject, r.Rules[i].Action.Once)
	}
	j.Subject = append(j.Subject, r.Default.Once)
	e, err := jq.NewEvaluator(j, sink)
	var x *jq.ExprError
	switch {
	case errors.As(err, &x):
		return nil, exit.With(exit.Usage, fmt.Errorf("%s: %s: expr: %w", name, r.Rules[x.Rule].title(x.Rule), x))
	case err != nil:
		return nil, exit.With(exit.IO, err)
	}
	return e, nil
}

// An exprRouter is a filter that looks at the first line.
type exprRouter struct {
	*jq.Filter
	opts  *Options
	errw  io.Writer
	first []byte // of the first line that is not blank, what has come
	begun bool   // it was seen
}

func (r *exprRouter) Write(p []byte) (int, error) {
	if !r.begun {
		r.begin(p)
	}
	return r.Filter.Write(p)
}

func (r *exprRouter) begin(p []byte) {
	for len(p) > 0 && !r.begun {
		part, rest, end := bytes.Cut(p, []byte{'\n'})
		if len(r.first) > 0 || len(bytes.TrimSpace(part)) > 0 {
			r.first = append(r.first, part[:min(len(part), maxFirst+1-len(r.first))]...)
			if end || len(r.first) > maxFirst {
				r.look()
			}
		}
		p = rest
	}
}

// maxFirst bounds what is kept of a first line, in bytes; none that is longer
// earns a hint.
const maxFirst = 1 << 20

func (r *exprRouter) look() {
	r.begun = true
	if line := bytes.TrimSpace(emit.TrimBOM(r.first)); 0 < len(line) && len(line) <= maxFirst {
		r.opts.hint(r.errw, line, line[0] != '{' || !json.Valid(line))
	}
	r.first = nil
}

func (r *exprRouter) Close() error {
	if len(r.first) > 0 {
		r.look() // it has no line end
	}
	return r.Filter.Close()
}

// A ruleRouter writes events where rules send them.
type ruleRouter struct {
	*jq.Evaluator
	opts  Options
	rules *Rules
	out   *bufio.Writer
	errw  io.Writer
	split *splitter
	once  map[string]*subjects // by queue

	matched   [][]byte // the route of each rule, as JSON
	byDefault []byte

	line    bytes.Buffer // one for a file
	started bool         // a line that is not blank has been seen
	bad     emit.BadLines
	faults  int64
}

// A decision is the route key of an event.
type decision struct {
	Stage  string          `json:"stage"` // rule, default or fault
	Cause  string          `json:"cause,omitempty"`
	Index  *int            `json:"rule_index,omitempty"`
	ID     string          `json:"rule_id,omitempty"`
	Action json.RawMessage `json:"action,omitempty"`
	Queue  string          `json:"queue,omitempty"`
}

func (d decision) json() []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		panic(err) // it holds an action that was parsed
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

func (r *ruleRouter) prepare() {
	for i := range r.rules.Rules {
		rule := &r.rules.Rules[i]
		r.matched = append(r.matched, decision{Stage: "rule", Index: &i, ID: rule.ID,
			Action: rule.Action.json, Queue: rule.Action.Queue}.json())
	}
	r.byDefault = decision{Stage: "default", Cause: "no_match",
		Action: r.rules.Default.json, Queue: r.rules.Default.Queue}.json()
}

// A ruleSink is the ruleRouter as its evaluator sees it.
type ruleSink ruleRouter

func (s *ruleSink) Answer(event []byte, n int64, a *jq.Answer) error {
	return (*ruleRouter)(s).answer(event, n, a)
}

func (s *ruleSink) Flush() error { return (*ruleRouter)(s).flush() }

// answer writes an event where its rule sends it.
func (r *ruleRouter) answer(event []byte, n int64, a *jq.Answer) error {
	if a.Kind == jq.Blank {
		return nil
	}
	if !r.started {
		r.started = true
		r.opts.hint(r.errw, event, a.Kind == jq.Bad)
	}
	switch a.Kind {
	case jq.Bad:
		r.bad.Add(event, n)
		return nil
	case jq.Match:
		return r.send(event, a, &r.rules.Rules[a.Rule].Action, r.matched[a.Rule])
	case jq.NoMatch:
		return r.send(event, a, &r.rules.Default, r.byDefault)
	}
	d := decision{Stage: "fault", Cause: a.Cause}
	what := a.Cause + ": " + a.Message
	if a.Rule < len(r.rules.Rules) {
		d.Index, d.ID = &a.Rule, r.rules.Rules[a.Rule].ID
		what = r.rules.Rules[a.Rule].title(a.Rule) + ": " + what
	}
	if r.faults++; r.faults == 1 {
		fmt.Fprintf(r.errw, "tagscan: line %d, %s\n", n, what)
	}
	if r.opts.Queue != "" {
		return nil
	}
	return r.print(event, d.json(), a.Route)
}

func (r *ruleRouter) send(event []byte, a *jq.Answer, action *Action, route []byte) error {
	if action.Drop {
		if !r.opts.Trace || r.opts.Queue != "" {
			return nil
		}
		return r.print(event, route, a.Route)
	}
	if action.Once && a.Subject != "" {
		seen := r.once[action.Queue]
		if seen == nil {
			seen = new(subjects)
			r.once[action.Queue] = seen
		}
		if seen.seen(a.Subject) {
			return nil
		}
	}
	if r.opts.Queue != "" && r.opts.Queue != action.Queue {
		return nil
	}
	if r.split == nil {
		return r.print(event, route, a.Route)
	}
	r.line.Reset()
	if r.line.Cap() > 4*splitBuffer {
		r.line = bytes.Buffer{}
	}
	if err := splice(&r.line, event, route, a.Route); err != nil {
		return err
	}
	return r.split.line(action.Queue, r.line.Bytes())
}

func (r *ruleRouter) print(event, route []byte, drop bool) error {
	return splice(r.out, event, route, drop)
}

// flush writes what is held to out and to the files.
func (r *ruleRouter) flush() error {
	if r.split != nil {
		if err := r.split.flush(); err != nil {
			return err
		}
	}
	return r.out.Flush()
}

// hint says of the first line that the input seems to be a transcript.
func (o *Options) hint(errw io.Writer, line []byte, bad bool) {
	if o.Quiet || o.Scan {
		return
	}
	if hint := emit.ScanHint(line, !bad); hint != "" {
		fmt.Fprintln(errw, "tagscan: "+hint)
	}
}

// Close waits until everything is routed. Its error has the exit status: of a
// failed write [exit.IO], as of lines that were no JSON objects, [exit.Fault]
// when there was an event that could not be routed.
func (r *ruleRouter) Close() error {
	err := r.Evaluator.Close()
	if r.split != nil {
		if e := r.split.close(); err == nil && e != nil {
			err = e
		}
	}
	if r.bad.N > 0 {
		fmt.Fprintf(r.errw, "tagscan: %s\n", &r.bad)
	}
	if r.faults > 1 { // the first has been said
		fmt.Fprintf(r.errw, "tagscan: %d events could not be routed\n", r.faults)
	}
	switch {
	case r.faults > 0:
		return exit.With(exit.Fault, err)
	case err != nil:
		return exit.With(exit.IO, err)
	case r.bad.N > 0:
		return exit.With(exit.IO, nil)
	}
	return nil
}
