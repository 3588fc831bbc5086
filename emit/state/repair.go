package state

import (
	"fmt"
	"slices"
	"strings"

	"tagscan/emit"
	"tagscan/emit/exit"
	"tagscan/normalize"
	"tagscan/parse"
)

// A repair is a checked override.
type repair struct {
	op   string // set or unset
	kind int
	item item // empty when the whole kind is unset
}

// newRepair checks an override. An empty value with unset means the whole kind.
func newRepair(op, kind, value string) (*repair, error) {
	if op != "set" && op != "unset" {
		return nil, fmt.Errorf("op %q is neither set nor unset", op)
	}
	r := &repair{op: op, kind: slices.Index(kinds[:], kind)}
	if r.kind < 0 {
		return nil, fmt.Errorf("kind %q is none of %s", kind, strings.Join(kinds[:], ", "))
	}
	if op == "unset" && value == "" {
		return r, nil
	}
	it, reason := check(kind, value)
	if op == "set" && reason == "" && len(it.value) > parse.MaxValue {
		reason = parse.ReasonTooLong // an event's may be longer, with U+FFFD in it
	}
	if reason != "" {
		return nil, fmt.Errorf("%s %q is refused (%s): %s", kind, cut(redact(value), 200), reason, mend(kind, reason))
	}
	r.item = it
	return r, nil
}

// redact hides what may be a password: it must never reach a log. In a value
// that is no URL, a slash or a blank ends no password: everything behind the
// scheme and in front of the last @ may be one, and where there is no @ yet,
// what normalize takes for one.
func redact(s string) string {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		start := 0
		if i := strings.Index(s[:at], "://"); i >= 0 {
			start = i + len("://")
		}
		return s[:start] + "***" + s[at:]
	}
	return normalize.Excerpt([]byte(s))
}

// mend says what to do about a value that was refused for reason.
func mend(kind, reason string) string {
	switch reason {
	case parse.ReasonEmpty:
		return "give a value"
	case parse.ReasonTooLong:
		return "keep it within 4096 bytes"
	case parse.ReasonControl:
		return "take the control and bidirectional characters out"
	case parse.ReasonInvalidUTF8:
		return "write it as UTF-8"
	case parse.ReasonScheme:
		return "begin it with https:// or http://"
	case parse.ReasonUserinfo:
		return "take the user name and password out"
	case parse.ReasonRelativePath:
		return "give an absolute path, or an https:// URL"
	case parse.ReasonKindMismatch:
		if kind == "pr" {
			return "it is an issue's URL; use the kind issue"
		}
		return "it is a pull request's URL; use the kind pr"
	case parse.ReasonExample:
		return "it is a documentation example; give the real one"
	}
	if kind == "repo" {
		return "give an absolute path, or a URL such as https://github.com/acme/core"
	}
	return "give an absolute URL with a host, and no blanks in it"
}

// Repair returns the override event of a manual repair, one NDJSON line with
// its line end. Op is set or unset, kind one of the core vocabulary (repo,
// issue, pr, link, status); value is normalised as a tag's value is, and may be
// empty with unset, which then means the whole kind. Anything else is an error
// with the status exit.Usage that names the mend.
//
//	{"type":"override","op":"set","kind":"pr","value":"https://github.com/acme/core/pull/520","provenance":"operator"}
//
// A snapshot has no place for the values of other kinds, so that there is
// nothing in it to repair.
func Repair(op, kind, value string) ([]byte, error) {
	r, err := newRepair(op, kind, value)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("repair: %s", visible(err.Error(), "")))
	}
	line := emit.AppendString([]byte(`{"type":"override","op":`), r.op)
	line = emit.AppendString(append(line, `,"kind":`...), kinds[r.kind])
	if r.item.value != "" {
		line = emit.AppendString(append(line, `,"value":`...), r.item.value)
	}
	return append(line, `,"provenance":"operator"}`+"\n"...), nil
}
