package state

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tagscan/emit/exit"
	"tagscan/emit/term"
	"tagscan/normalize"
	"tagscan/parse"
)

// The statuses of the protocol, and its confidences in rising order.
var (
	statuses    = []string{"IN_PROGRESS", "COMPLETE", "BLOCKED", "FAILED"}
	confidences = []string{"LOW", "MEDIUM", "HIGH"}
)

// GateOptions are the flags of gate. The zero value requires COMPLETE.
type GateOptions struct {
	// Require lists the statuses that pass, each item one or several separated
	// by commas, in any case; "any" is every one of them. Empty is COMPLETE.
	Require []string
	// ExitReady requires that the block says EXIT_READY: true.
	ExitReady bool
	// MinConfidence is LOW, MEDIUM or HIGH, in any case; a block without
	// confidence has less than LOW. Empty requires nothing.
	MinConfidence string
	// MaxFailed and MaxNoProgress bound the block's own streaks, nil not: so
	// many FAILED in a row, the block included, and so many reports without
	// progress still pass.
	MaxFailed, MaxNoProgress *int
	// Agent is whose blocks and tags are read: "" the main agent's, "any"
	// everyone's, else those of the sub-agent of that ID.
	Agent string
	// Tag is NAME=VALUE: that plain tag is judged instead of a block, and none of
	// the conditions above may be given.
	Tag string
	// HideRepeats judges events with "repeat":true but does not pass them
	// through. A scan that drops repeats may drop the main agent's tag because a
	// sub-agent gave the same value before; let it emit them, and hide them here.
	HideRepeats bool
	// Scanned says that the events come from a scan that was asked for Tag.
	Scanned bool
	// Terminal makes what is passed through safe to print on a terminal. It is
	// no longer byte for byte then.
	Terminal bool
	// Quiet gives no hints.
	Quiet bool
}

// ParseTag splits the NAME=VALUE of gate's --tag. NAME is a plain tag's: [a-z]
// and then at most 31 of [a-z0-9_-], and no core kind. Blanks in VALUE are
// folded as they are in a tag's. The error has the status exit.Usage.
func ParseTag(s string) (name, value string, err error) {
	name, value, ok := strings.Cut(s, "=")
	value = strings.Join(strings.FieldsFunc(value, isBlank), " ")
	switch {
	case !ok || value == "":
		err = fmt.Errorf("--tag %q: give NAME=VALUE, as in --tag promise=COMPLETE", s)
	default:
		if err = parse.CheckPlainTag(name); err == nil {
			return name, value, nil
		}
		err = fmt.Errorf("--tag %q: %w", s, err)
	}
	return "", "", exit.With(exit.Usage, errors.New(visible(err.Error(), "")))
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// fold is what a person may write for an enum's value, as the protocol spells it.
func fold(s string) string { return normalize.FoldEnum(strings.TrimFunc(s, isBlank)) }

// A gate holds the checked options and what was seen so far.
type gate struct {
	opts          GateOptions
	filter        agentFilter
	require       []string // empty is any
	min           int      // index in confidences, -1 for none
	tag, tagValue string

	seen   bool
	reason string // why what was seen does not pass; "" when it does
	other  int    // blocks, or plain tags, of agents that do not count here
}

func newGate(o GateOptions) (*gate, error) {
	g := &gate{opts: o, filter: agentFilter(o.Agent), min: -1}
	if o.Tag != "" {
		if len(o.Require) > 0 || o.ExitReady || o.MinConfidence != "" || o.MaxFailed != nil || o.MaxNoProgress != nil {
			return nil, usage("--tag is judged instead of a status block; give either, not both")
		}
		var err error
		g.tag, g.tagValue, err = ParseTag(o.Tag)
		return g, err
	}
	any := false
	for _, list := range o.Require {
		for s := range strings.SplitSeq(list, ",") {
			switch s := fold(s); {
			case s == "ANY":
				any = true
			case slices.Contains(statuses, s):
				g.require = append(g.require, s)
			default:
				return nil, usage("--require %q is none of %s, any", list, strings.Join(statuses, ", "))
			}
		}
	}
	switch {
	case any:
		g.require = statuses
	case g.require == nil:
		g.require = []string{"COMPLETE"}
	}
	if o.MinConfidence != "" {
		if g.min = slices.Index(confidences, fold(o.MinConfidence)); g.min < 0 {
			return nil, usage("--min-confidence %q is none of %s", o.MinConfidence, strings.Join(confidences, ", "))
		}
	}
	for _, bound := range []struct {
		flag string
		n    *int
	}{{"--max-failed", o.MaxFailed}, {"--max-no-progress", o.MaxNoProgress}} {
		if bound.n != nil && *bound.n < 0 {
			return nil, usage("%s %d: give 0 or more", bound.flag, *bound.n)
		}
	}
	return g, nil
}

func usage(format string, args ...any) error {
	return exit.With(exit.Usage, fmt.Errorf("gate: "+format, args...))
}

// RunGate passes the events of in through to out, byte for byte and each as it
// comes, and judges at the end. Lines that are no JSON objects are no events:
// they are left out, counted and said on errw, as are lines beyond 16 MiB.
//
// The error carries the exit status, the highest that applies: exit.Negative
// when the newest status block is not valid or does not meet the options,
// exit.Nothing when there was none, exit.IO for lines that are no events and
// for reading and writing that failed, exit.Usage for bad options (then nothing
// is read). The reason is on errw in one line.
//
// With opts.Tag, the question is whether the agent ever gave the plain tag that
// value: a promise once given is kept.
func RunGate(opts GateOptions, in io.Reader, out, errw io.Writer) error {
	g, err := newGate(opts)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 64<<10)
	r := newReader(&flusher{in, w.Flush})
	var safe []byte
	for {
		line, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			w.Flush() // what came before a failed read is complete
			return err
		}
		ev := parseEvent(line)
		g.event(&ev)
		if opts.HideRepeats && isTrue(ev[keyRepeat]) {
			continue
		}
		if opts.Terminal {
			safe = appendSafe(safe[:0], line)
			line = []byte(term.Safe(string(safe)))
		}
		w.Write(line)
		if err := w.WriteByte('\n'); err != nil { // of the line's write, too
			return writing(err)
		}
	}
	if err := w.Flush(); err != nil {
		return writing(err)
	}
	status := r.report(errw, "gate", opts.Quiet)
	return exitStatus(max(status, g.report(errw)))
}

// event takes an event in.
func (g *gate) event(ev *event) {
	switch typ := str(ev[keyType]); {
	case g.tag != "":
		if typ != "tag" || !isNull(ev[keyNamespace]) || str(ev[keyKind]) != g.tag {
			return
		}
		if !g.filter.match(ev) {
			g.other++
			return
		}
		value := str(ev[keyValue])
		switch {
		case value == g.tagValue:
			g.reason = ""
		case !g.seen || g.reason != "":
			g.reason = fmt.Sprintf("the tag %s has the value %q, want %q", g.tag, cut(value, 200), g.tagValue)
		}
		g.seen = true
	case typ == "status":
		if !g.filter.match(ev) {
			g.other++
			return
		}
		g.seen = true
		g.reason = g.judge(ev)
	}
}

// judge returns why the block does not pass, "" when it does. What is absent or
// no value of its type never passes.
func (g *gate) judge(ev *event) string {
	status := str(ev[keyStatus])
	found := status
	if found == "" {
		found = "without STATUS"
	}
	if !isValidBlock(ev) {
		return fmt.Sprintf("the newest status block (%s) is not valid", cut(found, 64))
	}
	var reasons []string
	no := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	if !slices.Contains(g.require, status) {
		no("is %s, not %s", cut(found, 64), strings.Join(g.require, " or "))
	}
	if g.opts.ExitReady && !isTrue(ev[keyExitReady]) {
		no("does not say EXIT_READY: true")
	}
	if g.min >= 0 {
		confidence := str(ev[keyConfidence])
		if slices.Index(confidences, confidence) < g.min {
			if confidence == "" {
				confidence = "none"
			}
			no("has confidence %s, not %s", cut(confidence, 64), strings.Join(confidences[g.min:], " or "))
		}
	}
	var streak event
	if raw := ev[keyStreak]; len(raw) > 0 && raw[0] == '{' {
		streak = parseEvent(raw)
	}
	if limit := g.opts.MaxFailed; limit != nil && status == "FAILED" {
		if n, ok := count(streak[keyStatus]); !ok {
			no("tells no streak.status (at most %d FAILED in a row)", *limit)
		} else if n > *limit {
			no("is FAILED number %d in a row, at most %d are allowed", n, *limit)
		}
	}
	if limit := g.opts.MaxNoProgress; limit != nil {
		if n, ok := count(streak[keyNoProgress]); !ok {
			no("tells no streak.no_progress (at most %d without progress)", *limit)
		} else if n > *limit {
			no("is report number %d without progress, at most %d are allowed", n, *limit)
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return "the newest status block " + strings.Join(reasons, "; ")
}

// count reads a streak's counter.
func count(raw []byte) (int, bool) {
	n, err := strconv.Atoi(string(raw))
	return n, err == nil && n >= 0
}

// report says the reason and returns the status that follows from it.
func (g *gate) report(w io.Writer) int {
	switch {
	case g.seen && g.reason == "":
		return exit.OK
	case g.seen:
		say(w, "gate: %s", g.reason)
		return exit.Negative
	}
	what, want := "status block", strings.Join(g.require, " or ")
	if len(g.require) == len(statuses) {
		want = "any status"
	}
	if g.tag != "" {
		what, want = "tag "+g.tag, g.tagValue
	}
	whose := "the main agent"
	switch g.filter {
	case "":
	case "any":
		whose = "any agent"
	default:
		whose = "agent " + string(g.filter)
	}
	hint := ""
	if g.other > 0 {
		hint = fmt.Sprintf(" (%d of other agents; see --agent)", g.other)
	} else if g.tag != "" && !g.opts.Scanned {
		hint = fmt.Sprintf(" (a scan takes it with --tag %s)", g.tag)
	}
	say(w, "gate: no %s of %s, require %s%s", what, cut(whose, 200), want, hint)
	return exit.Nothing
}
