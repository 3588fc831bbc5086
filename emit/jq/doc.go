// Package jq evaluates jq expressions on events that nobody vouches for, with
// hard bounds on processor time and memory.
//
// gojq, which does the evaluating, looks at its context between two steps, but
// bounds neither its memory nor one long step ("x" * 1e9 is one step). So
// expressions run in a worker process: the same binary started again with a
// hidden first argument, no environment, no files but its pipes, and a limit on
// its memory. The worker watches itself and says which rule went over which
// bound before it ends; what it cannot say, its parent finds out by trying the
// event alone in a new worker. The parent restarts it and sends again what had
// no answer, so that a fault in one event neither loses nor reorders another.
//
// A program that uses this package calls [WorkerMain] first thing in main.
//
// Bounds, from the specification's section 7: [RuleCPU] of processor time a
// rule, [ListCPU] for all rules on one event, [RuleWall] by the clock, and the
// memory of the worker, so that the process tree stays below 256 MiB. A line
// longer than [MaxLine] is no event.
package jq

import (
	"time"

	"tagscan/emit"
)

// The bounds of one evaluation.
const (
	RuleCPU  = 50 * time.Millisecond  // processor time of one rule on one event
	ListCPU  = 250 * time.Millisecond // processor time of all rules on one event
	RuleWall = time.Second            // time by the clock of all rules on one event

	// MaxLine is the longest line, in bytes, that is taken for an event.
	MaxLine = emit.MaxLine

	// maxDepth is how deep an event may be nested, as in encoding/json.
	maxDepth = 10_000

	// maxValue is the longest JSON text, in bytes, of one value that a filter
	// puts out: above any event, and little enough to be held whole.
	maxValue = 32 << 20

	// workerData is the memory, in bytes, a worker may map for data. The parent
	// stays below 64 MiB with an event of MaxLine in hand, so the two stay
	// below 256.
	workerData = 144 << 20

	// workerGoal is the memory, in bytes, near which the worker's collector
	// works hard, and workerHeap what may be left when it has run.
	workerGoal = 112 << 20
	workerHeap = 88 << 20

	// keptHeap is what a worker may keep from one frame to the next, and
	// freshHeap what leaves an event all the memory that it would have in a new
	// worker, as good as.
	keptHeap  = 48 << 20
	freshHeap = 8 << 20

	// workerStack bounds the recursion of one evaluation, in bytes of stack.
	workerStack = 48 << 20
)

// The causes of a fault.
const (
	CauseError   = "error"            // the expression failed
	CauseTimeout = "timeout"          // it took too long
	CauseBudget  = "budget_exhausted" // it needed too much memory
)
