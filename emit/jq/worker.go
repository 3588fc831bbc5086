package jq

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"tagscan/emit"
	"tagscan/emit/term"
)

// workerArg is the hidden first argument that makes the binary a worker.
const workerArg = "--tagscan-jq-worker"

// WorkerMain runs the worker and ends the process when it was started as one;
// else it returns false. It is to be called first thing in main, and in
// TestMain: everything done before it is done again for every worker.
func WorkerMain() bool {
	if len(os.Args) != 2 || os.Args[1] != workerArg {
		return false
	}
	// A signal from the terminal goes to both processes. The parent decides;
	// its end is the end of the worker's input.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	// The watcher needs a processor besides the one it watches.
	runtime.GOMAXPROCS(2)
	if !raceEnabled {
		limitMemory()
	}
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(workerGoal)
	debug.SetMaxStack(workerStack)
	debug.SetTraceback("none")
	w := &worker{in: os.Stdin, out: os.Stdout, exit: os.Exit, wake: make(chan struct{}, 1)}
	w.run()
	os.Exit(0)
	return true
}

// A worker evaluates the lines of its input, one after the other.
type worker struct {
	in   io.Reader
	out  io.Writer
	exit func(int)

	rules  []rule
	job    job
	params any
	view   *view
	dec    decoder
	text   []byte // the output value being made

	mark    atomic.Uint64 // what is being done: the number of the line, and the phase
	line    uint64
	loading atomic.Bool
	fresh   atomic.Bool // hardly any memory was in use before this frame
	hurry   atomic.Bool // records have waited: write them after this line
	busy    atomic.Bool // there is a frame in work
	parked  atomic.Bool // the watcher sleeps, for there is none
	wake    chan struct{}
	careful bool

	mu      sync.Mutex // guards records, and who writes the last one
	records []byte
	live    []metrics.Sample
}

type rule struct {
	*program
	native native
}

// The phases of a line are 0 (waiting, or passing on), the index of a rule from
// 1, reading the event and encoding output, which are charged to no rule.
const (
	phaseBits   = 16
	phaseMask   = 1<<phaseBits - 1
	phaseEncode = phaseMask
	phaseDecode = phaseMask - 1
)

func (w *worker) phase(p int) { w.mark.Store(w.line<<phaseBits | uint64(p)) }

const largeFrame = 1 << 20 // bytes; buffers that were large for once are let go

const recordsFull = 64 << 10 // records are written when there are as many bytes of them

func (w *worker) run() {
	runtime.LockOSThread() // its processor time is what is measured
	go w.watch(threadClock())
	var head [frameHead]byte
	var buf []byte
	for first := true; ; first = false {
		if _, err := io.ReadFull(w.in, head[:]); err != nil {
			return
		}
		n := int(binary.LittleEndian.Uint32(head[:]))
		if cap(buf) < n {
			buf = make([]byte, n)
		}
		buf = buf[:n]
		if _, err := io.ReadFull(w.in, buf); err != nil {
			return
		}
		w.careful = head[4]&flagCareful != 0
		w.busy.Store(true)
		if w.parked.Load() {
			select {
			case w.wake <- struct{}{}:
			default:
			}
		}
		if first {
			if !w.load(buf) {
				return
			}
			w.fresh.Store(true)
			w.busy.Store(false)
			continue
		}
		for rest := buf; len(rest) > 0; {
			line, after, _ := bytes.Cut(rest, []byte("\n"))
			line, rest = emit.TrimBOM(line), after
			w.line++
			w.phase(phaseDecode)
			if w.job.Filter {
				w.filter(line)
			} else {
				w.route(line)
			}
			if w.careful {
				w.forget()
			}
		}
		w.mu.Lock()
		w.flush()
		w.mu.Unlock()
		w.busy.Store(false)
		if n > largeFrame {
			// The next event has all the memory again.
			w.forget()
			runtime.GC()
		} else if cap(buf) > 2*largeFrame {
			buf = nil
		}
		// gojq never forgets a regular expression. When what is kept leaves
		// too little for the next event, a new worker begins with nothing.
		live := w.liveHeap()
		if live > keptHeap {
			w.forget()
			runtime.GC()
			if live = w.liveHeap(); live > keptHeap {
				return
			}
		}
		w.fresh.Store(live < freshHeap)
	}
}

// forget lets go of what is held of earlier events.
func (w *worker) forget() {
	w.text = nil
	clear(w.view.raw)
	clear(w.view.root)
	for i := range w.rules {
		w.rules[i].forget()
	}
}

// flush writes the records; w.mu is held.
func (w *worker) flush() {
	w.hurry.Store(false)
	if len(w.records) == 0 {
		return
	}
	if _, err := w.out.Write(w.records); err != nil {
		w.exit(0) // the parent has gone
	}
	if w.records = w.records[:0]; cap(w.records) > 4*recordsFull {
		w.records = nil
	}
}

// record appends records and writes them when it is time to.
func (w *worker) record(add func(b []byte) []byte) {
	w.mu.Lock()
	w.records = add(w.records)
	if w.careful || w.hurry.Load() || len(w.records) >= recordsFull {
		w.flush()
	}
	w.mu.Unlock()
}

// load compiles the job and answers for it.
func (w *worker) load(frame []byte) bool {
	w.loading.Store(true)
	defer w.loading.Store(false)
	w.line++
	err := func() *loadError {
		if err := json.Unmarshal(frame, &w.job); err != nil {
			return &loadError{Rule: -1, Offset: -1, Msg: err.Error()}
		}
		var vars []string
		var values []any
		if !w.job.Filter {
			w.params = map[string]any{}
			d := decoder{b: w.job.Params}
			if v, ok := d.value(); ok && v != nil {
				w.params = v
			}
			vars, values = []string{"$params"}, []any{w.params}
		}
		var u usage
		for i, expr := range w.job.Exprs {
			w.phase(i + 1)
			w.careful = true
			w.starting(i)
			q, err := parse(expr)
			if err == nil {
				var r rule
				if r.program, err = newProgram(expr, q, vars, values...); err == nil {
					if u.add(q) && w.job.Filter {
						u.all = true
					}
					if !w.job.Filter {
						c := nativeCompiler{params: w.params}
						r.native = c.compile(q)
					}
					w.rules = append(w.rules, r)
				}
			}
			if err != nil {
				return &loadError{Rule: i, Offset: err.Offset, Msg: err.Msg}
			}
		}
		if !w.job.Filter {
			subject := false
			for _, s := range w.job.Subject {
				subject = subject || s
			}
			w.view = newView(u, w.job.Verified, subject)
		} else if w.view = (&view{raw: map[string]any{}}); !u.all {
			w.view.want = u.keys
		}
		return nil
	}()
	w.phase(0)
	w.careful = true
	w.record(func(b []byte) []byte {
		if err == nil {
			return append(b, recReady)
		}
		text, _ := json.Marshal(err)
		return appendText(append(b, recRefused), string(text))
	})
	return err == nil
}

// starting tells, in a careful frame, which rule comes next.
func (w *worker) starting(i int) {
	if w.careful {
		w.record(func(b []byte) []byte {
			return binary.AppendUvarint(append(b, recStart), uint64(i))
		})
	}
}

func (w *worker) end(kind byte) {
	w.record(func(b []byte) []byte { return append(b, kind) })
}

// fault ends a line with a fault. The message may hold parts of the event.
func (w *worker) fault(i int, cause byte, msg string) {
	w.record(func(b []byte) []byte { return appendFault(b, i, cause, msg) })
}

func appendFault(b []byte, i int, cause byte, msg string) []byte {
	b = binary.AppendUvarint(append(b, recFault), uint64(i))
	return appendText(append(b, cause), msg)
}

// route finds the first rule that matches the event of a line.
func (w *worker) route(line []byte) {
	root, route, ok := w.view.decode(&w.dec, line)
	w.phase(0)
	if !ok {
		w.noEvent(line)
		return
	}
	decided := len(w.rules)
	for i := range w.rules {
		if w.careful {
			w.phase(0)
			w.starting(i)
		}
		w.phase(i + 1)
		match, err := w.rules[i].match(root)
		if err != nil {
			w.phase(0)
			w.record(func(b []byte) []byte {
				if route {
					b = append(b, recRoute)
				}
				return appendFault(b, i, 'e', message(err))
			})
			return
		}
		if match {
			decided = i
			break
		}
	}
	w.phase(0)
	subject := ""
	if decided < len(w.job.Subject) && w.job.Subject[decided] {
		subject = subjectOf(w.view.raw)
	}
	w.record(func(b []byte) []byte {
		if route {
			b = append(b, recRoute)
		}
		if subject != "" {
			b = appendText(append(b, recSubject), subject)
		}
		if decided == len(w.rules) {
			return append(b, recNoMatch)
		}
		return binary.AppendUvarint(append(b, recMatch), uint64(decided))
	})
}

func (w *worker) noEvent(line []byte) {
	if len(bytes.TrimLeft(line, " \t\r")) == 0 {
		w.end(recBlank)
	} else {
		w.end(recBad)
	}
}

// match tells whether the first output of a rule is anything but false and null.
func (r *rule) match(root map[string]any) (bool, error) {
	if r.native != nil {
		if v, known := r.native(root); known {
			return truthy(v), nil
		}
	}
	v, ok, err := r.first(root)
	return ok && truthy(v), err
}

// recovered makes an error of a panic inside gojq.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("cannot evaluate: %v", r)
	}
}

// message is the message of an error in one short line.
func message(err error) (msg string) {
	defer func() {
		if recover() != nil {
			msg = "the expression failed"
		}
	}()
	msg = err.Error()
	const limit = 300
	if len(msg) > limit {
		msg = strings.ToValidUTF8(msg[:limit], "") + "…"
	}
	return term.Safe(strings.ReplaceAll(msg, "\n", " "))
}

// filter puts out what the expression makes of the event of a line.
func (w *worker) filter(line []byte) {
	clear(w.view.raw)
	if w.view.want == nil {
		w.view.raw = make(map[string]any)
	}
	_, ok := w.dec.event(line, w.view.want, w.view.raw)
	w.phase(0)
	if !ok {
		w.noEvent(line)
		return
	}
	w.starting(0)
	err := func() (err error) {
		defer func() {
			if err != nil {
				w.rules[0].forget()
			}
			w.phase(0)
		}()
		w.phase(1)
		p := w.rules[0].program
		p.start(w.view.raw)
		for {
			v, ok, err := p.next()
			if !ok {
				return err
			}
			w.phase(phaseEncode)
			s, raw := v.(string)
			if !raw {
				if w.text, ok = encode(w.text[:0], v); !ok {
					return errTooLong
				}
				s = unsafe.String(unsafe.SliceData(w.text), len(w.text)) // until the next value
			}
			w.phase(0)
			w.output(s)
			w.phase(1)
		}
	}()
	switch {
	case err == errTooLong:
		w.fault(0, 'b', err.Error())
	case err != nil:
		w.fault(0, 'e', message(err))
	default:
		w.end(recDone)
	}
}

// output writes a value and a line end.
func (w *worker) output(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records = binary.AppendUvarint(append(w.records, recOutput), uint64(len(s)+1))
	if len(s) < recordsFull {
		w.records = append(w.records, s...)
	} else {
		w.flush() // a long one is not copied
		if _, err := io.WriteString(w.out, s); err != nil {
			w.exit(0)
		}
	}
	w.records = append(w.records, '\n')
	if w.careful || w.hurry.Load() || len(w.records) >= recordsFull {
		w.flush()
	}
}

var errTooLong = fmt.Errorf("a value of more than %d MiB", maxValue>>20)

func (w *worker) liveHeap() uint64 {
	if w.live == nil {
		w.live = []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	}
	metrics.Read(w.live)
	return w.live[0].Value.Uint64()
}

const (
	watchEvery = 2 * time.Millisecond
	loadCPU    = 2 * time.Second // processor time of compiling one expression
)

// watch ends the worker when what it does goes over a bound.
func (w *worker) watch(clock func() time.Duration) {
	const (
		idleLooks  = 20 // in a row, then the watcher sleeps
		hurryLooks = 5
	)
	m := newMeter(clock)
	idle, looks := 0, 0
	for {
		time.Sleep(watchEvery)
		mark := w.mark.Load()
		if !m.look(mark) {
			idle, looks = 0, 0
			continue
		}
		waiting := mark&phaseMask == 0
		if !waiting {
			idle = 0
		} else if idle++; idle > idleLooks {
			w.park()
			idle = 0
			m.resume()
		}
		if looks++; looks == hurryLooks {
			looks = 0
			w.hasten()
		}
		if m.overTime(w.loading.Load()) {
			w.overTime(mark, m.blamed())
			m.forgive()
			continue
		}
		if waiting || !m.overMemory() {
			continue
		}
		// What became garbage while the collector ran counts as alive.
		if runtime.GC(); m.overMemory() {
			w.overMemory(mark, m.blamed())
		}
	}
}

// hasten writes the records that there are, and that of the line in work as
// soon as it has one: what has an answer does not wait for what has none.
func (w *worker) hasten() {
	w.hurry.Store(true)
	if w.mu.TryLock() {
		w.flush()
		w.mu.Unlock()
	}
}

// overMemory ends the worker, and the line in work with a fault if it is the
// line that needs the memory. Otherwise the line is tried again in a new worker.
func (w *worker) overMemory(mark uint64, rule int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mark.Load()>>phaseBits != mark>>phaseBits || w.loading.Load() || !w.fresh.Load() {
		w.records = binary.AppendUvarint(append(w.records, recMemory), uint64(rule))
		w.flush()
		w.exit(3)
	}
	w.records = appendFault(w.records, rule, 'b', "needs too much memory")
	w.flush()
	w.exit(0)
}

// overTime ends the line in work with a fault, and the worker, unless the line
// has been left in the meantime.
func (w *worker) overTime(mark uint64, rule int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mark.Load()>>phaseBits != mark>>phaseBits || w.mark.Load()&phaseMask == 0 {
		return
	}
	if w.loading.Load() {
		text, _ := json.Marshal(loadError{Rule: rule, Offset: -1, Msg: "takes too long to compile"})
		w.records = appendText(append(w.records, recRefused), string(text))
	} else {
		w.records = appendFault(w.records, rule, 't', "took too long")
	}
	w.flush()
	w.exit(0)
}

// park waits for the next frame. Either the frame's reader sees that the
// watcher is parked, or the watcher that there is a frame.
func (w *worker) park() {
	w.parked.Store(true)
	if !w.busy.Load() {
		<-w.wake
	}
	w.parked.Store(false)
}
