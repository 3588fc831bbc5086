// Package exit names tagscan's exit statuses and carries them in errors. The
// highest status that applies to a run wins; main turns it into the process's.
package exit

import "errors"

// The exit statuses, as in the specification's section "Being a good filter".
const (
	OK       = 0
	Negative = 1 // the negative answer of validate, gate and -e
	Usage    = 2 // bad flags, bad rules, a refused repair
	IO       = 3 // input or output failed
	Fault    = 4 // a rule or an expression faulted
	Nothing  = 5 // gate found nothing to judge
)

// An Error is an error with an exit status. Err may be nil when everything that
// there is to say was said already.
type Error struct {
	Status int
	Err    error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// With gives err an exit status.
func With(status int, err error) error { return &Error{Status: status, Err: err} }

// Status is the exit status of err: OK for nil, the status it carries, or IO
// for an error that carries none.
func Status(err error) int {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return IO
}
