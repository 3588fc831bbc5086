package jq

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tagscan/emit"
	"tagscan/emit/term"
)

// Rules is a list of expressions to be asked in order, and what they see.
type Rules struct {
	Exprs []string
	// Subject tells for each expression, and last for none, whether an Answer
	// that it decides needs its Subject.
	Subject  []bool
	Params   []byte // the value of $params, a JSON object; nil is {}
	Verified bool   // the value of .verified
}

// A Kind is what became of a line.
type Kind uint8

const (
	Blank   Kind = iota // nothing on it
	Bad                 // no JSON object, or longer than MaxLine
	Match               // Rule is the first that matches
	NoMatch             // no rule does
	Fault               // Rule could not be evaluated
	Done                // a filter's output is complete
)

// An Answer says what became of a line.
type Answer struct {
	Kind    Kind
	Rule    int
	Cause   string // of a fault: CauseError, CauseTimeout or CauseBudget
	Message string // of a fault: one short line without control characters
	Subject string // what the event is about, when asked for
	Route   bool   // the event has a key "route"
}

// A sink takes what becomes of the lines, in their order, in one goroutine.
// Its errors end the engine.
type sink interface {
	// answer is called once for each line, which is valid only during the call.
	answer(line []byte, number int64, a *Answer) error
	// output takes a piece of a filter's output for the line in work.
	output(p []byte) error
	// flush is called when nothing more is there to be answered at once.
	flush() error
}

// An engine hands lines to a worker and its answers to a sink.
//
// Lines are sent as soon as the worker has nothing to do, else when there are
// frameSize bytes of them, so that a slow stream is answered line by line and a
// fast one keeps both processes busy.
type engine struct {
	frame0 []byte // the job
	sink   sink

	mu      sync.Mutex
	changed sync.Cond
	pending []byte // lines to send; the last may be incomplete
	whole   int    // how many bytes of pending are whole lines
	long    bool   // the rest of a line that is too long is passed over
	flight  []*frame
	sent    int // how many of flight were written to the worker
	free    [][]byte
	large   []byte // a buffer for a line of any length: there is never more than one
	careful bool   // send the frames of flight one by one, with care
	closing bool
	err     error // ends everything
	gen     int   // counts workers
	w       *process

	dirty  bool // the sink has answers that are not flushed
	barren int  // workers, one after the other, that ended without an answer

	lines   int64
	passed  int         // bytes of output of the line in work that the sink has
	skip    int         // bytes of it that a new worker makes again
	reading atomic.Bool // waiting for the worker
	beats   atomic.Uint64
	over    chan struct{} // closed when the receiver has ended
}

type frame struct {
	data  []byte
	off   int  // what has been answered
	whole int  // the capacity of data
	done  bool // written to the worker, which has no more use for data
}

const (
	frameSize = 128 << 10 // bytes; what is sent while the worker is busy
	maxFlight = 3         // frames
	backlog   = 256 << 10 // bytes of whole lines for which Write does not wait
	maxBarren = 5         // workers
	keepFrame = 1 << 20   // bytes; larger buffers are not kept for reuse
)

// start starts an engine. The error is an *ExprError when an expression is at
// fault.
func start(j *job, s sink) (*engine, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	e := &engine{sink: s, over: make(chan struct{})}
	e.changed.L = &e.mu
	e.frame0 = make([]byte, frameHead, frameHead+len(text))
	putFrameHead(e.frame0, len(text), 0)
	e.frame0 = append(e.frame0, text...)
	if e.w, err = e.spawn(); err != nil {
		var le *loadError
		if errors.As(err, &le) && 0 <= le.Rule && le.Rule < len(j.Exprs) {
			return nil, &ExprError{Rule: le.Rule, Expr: j.Exprs[le.Rule], Offset: le.Offset, Msg: le.Msg}
		}
		return nil, err
	}
	go e.send()
	go e.receive()
	go e.watch()
	return e, nil
}

func (e *loadError) Error() string { return e.Msg }

// A process is a running worker.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said *head

	killed  atomic.Bool // by watch
	answers int         // lines it has ended
	rule    int         // the rule it began last, in a careful frame
	memory  bool        // it says that it needs too much memory
	fault   bool        // its last record was a fault
}

// A head keeps the beginning of what is written to it.
type head struct{ b bytes.Buffer }

func (t *head) Write(p []byte) (int, error) {
	if n := 4096 - t.b.Len(); n > 0 {
		t.b.Write(p[:min(n, len(p))])
	}
	return len(p), nil
}

// spawn starts a worker and loads the job.
func (e *engine) spawn() (*process, error) {
	bin, err := self()
	if err != nil {
		return nil, fmt.Errorf("cannot start the worker: %w", err)
	}
	privateFiles()
	p := &process{cmd: exec.Command(bin, workerArg), said: new(head)}
	p.cmd.Env = []string{}
	p.cmd.Stderr = p.said
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("cannot start the worker: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start the worker: %w", err)
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the worker: %w", err)
	}
	// A worker that is stuck beyond its own limits is ended from here.
	timer := time.AfterFunc(20*time.Second, func() { p.cmd.Process.Kill() })
	defer timer.Stop()
	err = e.loadJob(p)
	if err != nil {
		p.stop()
	}
	return p, err
}

func (e *engine) loadJob(p *process) error {
	if _, err := p.in.Write(e.frame0); err != nil {
		return fmt.Errorf("the worker does not answer: %w", err)
	}
	for {
		switch kind, err := p.out.ReadByte(); {
		case err != nil:
			p.stop()
			if p.outOfMemory() {
				return &loadError{Rule: p.rule, Offset: -1, Msg: "needs too much memory to compile"}
			}
			return fmt.Errorf("the worker ended: %s", p.reason())
		case kind == recStart:
			p.rule, _ = p.number()
		case kind == recMemory:
			p.rule, _ = p.number()
			p.memory = true
		case kind == recReady:
			p.rule = 0
			return nil
		case kind == recRefused:
			text, err := p.text(1 << 20)
			if err != nil {
				return err
			}
			le := new(loadError)
			if err := json.Unmarshal(text, le); err != nil {
				return err
			}
			return le
		default:
			return fmt.Errorf("the worker answers with %q", kind)
		}
	}
}

// errWorker is the error of everything that reads a record, when the worker ends
// before the record does.
var errWorker = errors.New("the worker ended")

// broken makes an errWorker of an error of reading.
func broken(err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %w", errWorker, err)
	}
	return err
}

func (p *process) number() (int, error) {
	n, err := binary.ReadUvarint(p.out)
	return int(n), broken(err)
}

func (p *process) text(limit int) ([]byte, error) {
	n, err := p.number()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > limit {
		return nil, broken(errors.New("the worker's answer is too long"))
	}
	b := make([]byte, n)
	_, err = io.ReadFull(p.out, b)
	return b, broken(err)
}

// stop ends the worker and waits for it.
func (p *process) stop() {
	p.in.Close()
	p.cmd.Process.Kill()
	_, _ = io.Copy(io.Discard, p.out)
	_ = p.cmd.Wait() // that it was killed is no news
}

// finish waits for a worker that has closed its output by itself.
func (p *process) finish() (clean bool) {
	p.in.Close()
	timer := time.AfterFunc(time.Second, func() { p.cmd.Process.Kill() })
	defer timer.Stop()
	return p.cmd.Wait() == nil
}

// outOfMemory tells whether the worker ended for want of memory: it said so, or
// Go's runtime broke off. Panics are caught in the worker, and no Go code of it
// is unsafe, so the runtime has no other reason; it words it in many ways, and
// where it does not expect a failure it stumbles over a nil pointer.
func (p *process) outOfMemory() bool {
	s := p.said.b.String()
	return p.memory || strings.Contains(s, "fatal error: ") || strings.Contains(s, "runtime: ") || strings.Contains(s, "SIGSEGV")
}

// reason is how the worker ended, in one line.
func (p *process) reason() string {
	if s, _, _ := strings.Cut(p.said.b.String(), "\n"); s != "" {
		return term.Safe(s)
	}
	return p.cmd.ProcessState.String()
}

// Write takes a piece of the stream, of any size. It waits while the worker is
// far behind. The error is the sink's, or says that there is no worker.
func (e *engine) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for rest := p; len(rest) > 0; {
		// All whole lines of a piece at once, or a part of a line.
		piece := rest[:min(len(rest), backlog)]
		i := bytes.LastIndexByte(piece, '\n')
		if i >= 0 {
			piece = piece[:i+1]
		}
		rest = rest[len(piece):]
		e.add(piece, i >= 0)
		for e.err == nil && (e.whole > backlog || e.whole > 0 && len(e.pending)-e.whole > keepFrame) {
			e.changed.Wait()
		}
		// A long line is gathered when nothing else is held.
		for e.err == nil && len(e.pending) > keepFrame && len(e.flight) > 0 {
			e.changed.Wait()
		}
		if e.err != nil {
			return 0, e.err
		}
	}
	return len(p), nil
}

// add appends a piece that ends with a line end when whole is set, and holds
// none when it is not.
func (e *engine) add(piece []byte, whole bool) {
	if e.long {
		if !whole {
			return
		}
		e.long = false
		piece = piece[bytes.IndexByte(piece, '\n'):]
	}
	first := len(piece) // of the line that is open
	if whole {
		first = bytes.IndexByte(piece, '\n')
	}
	if len(e.pending)-e.whole+first > MaxLine {
		e.pending = append(e.pending[:e.whole], emit.LongLine...)
		if !whole {
			e.long = true
			return
		}
		piece = piece[first:]
	}
	if n := len(e.pending) + len(piece); n > cap(e.pending) && n > keepFrame {
		if e.large == nil {
			e.large = make([]byte, 0, MaxLine+2*keepFrame)
		}
		e.pending, e.large = append(e.large, e.pending...), nil
	}
	e.pending = append(e.pending, piece...)
	if whole {
		e.whole = len(e.pending)
		e.changed.Broadcast()
	}
}

// Flush waits until all whole lines have been answered and what the sink made
// of them is flushed.
func (e *engine) Flush() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.err == nil && (e.whole > 0 || len(e.flight) > 0 || e.dirty) {
		e.changed.Wait()
	}
	return e.err
}

// Close ends the last line, waits for the answers and ends the worker.
func (e *engine) Close() error {
	e.mu.Lock()
	if e.closing {
		e.mu.Unlock()
		return e.err
	}
	if len(e.pending) > e.whole {
		e.pending = append(e.pending, '\n')
		e.whole = len(e.pending)
		e.changed.Broadcast()
	}
	e.mu.Unlock()
	err := e.Flush()
	e.mu.Lock()
	e.closing = true
	w := e.w
	e.changed.Broadcast()
	e.mu.Unlock()
	if w != nil {
		w.in.Close()
		w.cmd.Process.Kill()
	}
	<-e.over
	return err
}

// fail ends the engine; e.mu is not held.
func (e *engine) fail(err error) {
	e.mu.Lock()
	if e.err == nil {
		e.err = err
	}
	e.changed.Broadcast()
	e.mu.Unlock()
}

// send writes frames to the worker.
func (e *engine) send() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		e.take()
		if e.closing || e.err != nil {
			return
		}
		if e.sent >= len(e.flight) || e.careful && e.sent > 0 {
			e.changed.Wait()
			continue
		}
		f, w, gen := e.flight[e.sent], e.w, e.gen
		e.sent++
		data := f.data[f.off:]
		f.done = false
		var head [frameHead]byte
		flags := byte(0)
		if e.careful {
			flags = flagCareful
		}
		putFrameHead(head[:], len(data), flags)
		e.mu.Unlock()
		_, err := w.in.Write(head[:])
		if err == nil {
			_, err = w.in.Write(data)
		}
		e.mu.Lock()
		f.done = true
		for err != nil && e.gen == gen && !e.closing && e.err == nil {
			e.changed.Wait() // the receiver sees the end of the worker, too
		}
	}
}

// take makes a frame of the pending lines when one can be sent.
func (e *engine) take() {
	if e.whole == 0 || len(e.flight) >= maxFlight || len(e.flight) > 0 && e.whole < frameSize ||
		len(e.flight) > 0 && e.whole > keepFrame {
		return
	}
	f := &frame{data: e.pending[:e.whole], whole: cap(e.pending)}
	rest := e.pending[e.whole:]
	e.pending = nil
	if n := len(e.free); n > 0 {
		e.pending, e.free = e.free[n-1], e.free[:n-1]
	}
	e.pending = append(e.pending, rest...)
	e.whole = 0
	e.flight = append(e.flight, f)
	e.changed.Broadcast()
}

// receive reads the worker's answers, and replaces the worker when it ends.
func (e *engine) receive() {
	defer close(e.over)
	for {
		err := e.answers()
		e.mu.Lock()
		w, closing := e.w, e.closing
		e.mu.Unlock()
		if closing {
			w.stop()
			return
		}
		if err == nil {
			err = e.replace(w)
		}
		if err != nil {
			w.stop()
			e.fail(err)
			return
		}
	}
}

// answers reads what the worker writes until it ends; an error is the sink's.
func (e *engine) answers() error {
	w := e.w
	var a Answer
	for {
		if w.out.Buffered() == 0 {
			if err := e.idle(); err != nil {
				return err
			}
		}
		ends, err := e.record(w, &a)
		if errors.Is(err, errWorker) {
			return nil
		}
		if err != nil {
			return err
		}
		if !ends {
			continue
		}
		w.answers++
		w.rule = 0
		if err := e.ended(&a); err != nil {
			return err
		}
		a = Answer{}
	}
}

// record reads one record of the worker's, and hands output on. What it says of
// the line in work goes to a; ends tells whether that is all.
func (e *engine) record(w *process, a *Answer) (ends bool, err error) {
	e.reading.Store(true)
	kind, err := w.out.ReadByte()
	e.reading.Store(false)
	e.beats.Add(1)
	if err != nil {
		return false, broken(err)
	}
	w.fault = false
	switch kind {
	case recStart:
		w.rule, err = w.number()
		return false, err
	case recMemory:
		w.rule, err = w.number()
		w.memory = w.memory || err == nil
		return false, err
	case recRoute:
		a.Route = true
		return false, nil
	case recSubject:
		b, err := w.text(MaxLine)
		a.Subject = string(b)
		return false, err
	case recOutput:
		n, err := w.number()
		if err != nil {
			return false, err
		}
		return false, e.pass(w, n)
	}
	return true, w.end(kind, a)
}

// end reads a record that ends a line.
func (p *process) end(kind byte, a *Answer) (err error) {
	switch kind {
	case recBlank:
		a.Kind = Blank
	case recBad:
		a.Kind = Bad
	case recNoMatch:
		a.Kind = NoMatch
	case recDone:
		a.Kind = Done
	case recMatch:
		a.Kind = Match
		a.Rule, err = p.number()
	case recFault:
		a.Kind = Fault
		if a.Rule, err = p.number(); err != nil {
			return err
		}
		cause, err := p.out.ReadByte()
		if err != nil {
			return broken(err)
		}
		msg, err := p.text(1 << 16)
		if err != nil {
			return err
		}
		a.Cause, a.Message = causes[cause], string(msg)
		p.fault = true
	default:
		return fmt.Errorf("the worker answers with %q", kind)
	}
	return err
}

// pass hands output on as it comes.
func (e *engine) pass(w *process, n int) error {
	for n > 0 {
		b, err := w.out.Peek(min(n, w.out.Size()))
		if len(b) == 0 && err != nil {
			return errWorker
		}
		k := min(e.skip, len(b))
		e.skip -= k
		if k < len(b) {
			if err := e.sink.output(b[k:]); err != nil {
				return err
			}
			e.passed += len(b) - k
		}
		w.out.Discard(len(b))
		n -= len(b)
	}
	return nil
}

// ended gives the answer for the line in work to the sink.
func (e *engine) ended(a *Answer) error {
	e.mu.Lock()
	if len(e.flight) == 0 {
		e.mu.Unlock()
		return errors.New("the worker answers without being asked")
	}
	f := e.flight[0]
	e.dirty = true
	e.mu.Unlock()
	e.passed, e.skip = 0, 0
	line, _, _ := bytes.Cut(f.data[f.off:], []byte("\n"))
	e.lines++
	if err := e.sink.answer(emit.TrimBOM(line), e.lines, a); err != nil {
		return err
	}
	f.off += len(line) + 1
	if f.off < len(f.data) {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.flight = e.flight[1:]
	e.sent = max(e.sent-1, 0)
	e.careful = false
	switch {
	case !f.done:
	case f.whole > MaxLine:
		e.large = f.data[:0:f.whole]
	case len(e.free) <= maxFlight:
		e.free = append(e.free, f.data[:0])
	}
	e.changed.Broadcast()
	return nil
}

// idle flushes the sink when it may take a while until the next answer.
func (e *engine) idle() error {
	if err := e.sink.flush(); err != nil {
		return err
	}
	e.mu.Lock()
	if e.dirty {
		e.dirty = false
		e.changed.Broadcast()
	}
	e.mu.Unlock()
	return nil
}

// replace starts a new worker behind one that has ended, and finds out why it
// has. A line is only blamed when a new worker had nothing to do but it.
func (e *engine) replace(w *process) error {
	clean := w.finish()
	e.mu.Lock()
	waiting, careful := len(e.flight) > 0, e.careful
	e.mu.Unlock()
	switch {
	case !waiting, w.fault && clean, clean && w.answers > 0 && !w.killed.Load():
		// It said why, or had nothing to do, or wished to begin anew.
		careful = false
	case careful && w.answers == 0:
		a := Answer{Kind: Fault, Rule: w.rule, Cause: CauseError, Message: "the evaluation broke off: " + w.reason()}
		switch {
		case w.killed.Load():
			a.Cause, a.Message = CauseTimeout, "took too long"
		case w.outOfMemory():
			a.Cause, a.Message = CauseBudget, "needs too much memory"
		}
		e.barren = 0
		if err := e.ended(&a); err != nil {
			return err
		}
		if err := e.idle(); err != nil {
			return err
		}
	default:
		careful = true
	}
	if w.answers > 0 {
		e.barren = 0
	} else if e.barren++; e.barren > maxBarren && !careful {
		return fmt.Errorf("the worker keeps ending: %s", w.reason())
	}
	e.skip, e.passed = e.passed, 0
	n, err := e.spawn()
	if err != nil {
		return fmt.Errorf("cannot restart the worker: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		n.stop()
	}
	e.w = n
	e.gen++
	e.sent = 0
	e.careful = careful && len(e.flight) > 0
	e.changed.Broadcast()
	return nil
}

// stuckRounds is for how many looks, ten a second, a worker may do nothing. A
// test makes it less.
var stuckRounds = 300

// watch ends a worker that is silent for much longer than its own watcher
// allows: it is stuck where that one cannot run. On a busy machine much time may
// pass and little be done, so what counts is the worker's processor time.
func (e *engine) watch() {
	const longest = 3 * time.Second // processor time: reading the largest event takes less
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	var (
		beats  uint64
		silent int
		start  time.Duration
	)
	for {
		select {
		case <-e.over:
			return
		case <-t.C:
		}
		e.mu.Lock()
		waiting, w := len(e.flight) > 0, e.w
		e.mu.Unlock()
		spent, _ := timeOf(w.cmd.Process.Pid)
		if b := e.beats.Load(); b != beats || !waiting || !e.reading.Load() {
			beats, silent, start = b, 0, spent
			continue
		}
		if silent++; silent > stuckRounds || spent-start > longest {
			silent, start = 0, spent
			w.killed.Store(true)
			w.cmd.Process.Kill()
		}
	}
}
