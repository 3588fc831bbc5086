package jq

// A RuleSink takes what became of each line. Its methods are called in one
// goroutine; an error ends the evaluation.
type RuleSink interface {
	// Answer is called once for each line, in order. The line, without its
	// line end, is valid only during the call; it is not the line as it came
	// for an answer of kind Bad.
	Answer(line []byte, number int64, a *Answer) error
	// Flush is called when no further answer is there yet; it may be before
	// NewEvaluator returns.
	Flush() error
}

// An Evaluator finds, for each of a stream of events, the first rule that
// matches it.
type Evaluator struct{ e *engine }

// NewEvaluator compiles rules. An error of a rule is an [*ExprError].
func NewEvaluator(r Rules, s RuleSink) (*Evaluator, error) {
	e, err := start(&job{Exprs: r.Exprs, Subject: r.Subject, Params: r.Params, Verified: r.Verified}, ruleSink{s})
	if err != nil {
		return nil, err
	}
	return &Evaluator{e}, nil
}

// Write takes a piece of a stream of events, one a line, of any size.
func (v *Evaluator) Write(p []byte) (int, error) { return v.e.Write(p) }

// Flush waits until the sink has all answers so far and has flushed them.
func (v *Evaluator) Flush() error { return v.e.Flush() }

// Close waits for the last answer and ends the worker.
func (v *Evaluator) Close() error { return v.e.Close() }

type ruleSink struct{ RuleSink }

func (s ruleSink) answer(line []byte, n int64, a *Answer) error { return s.Answer(line, n, a) }
func (s ruleSink) output([]byte) error                          { return nil }
func (s ruleSink) flush() error                                 { return s.Flush() }
