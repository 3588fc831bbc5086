// Package emit writes events out: as NDJSON, one object a line, through a
// [Writer] with a bounded buffer. Its sub-packages are what the commands are made
// of: scan makes the events, term shows them to people, jq filters them, route and
// state decide on them, validate judges lists, schema describes the shapes; usage,
// skill and exit serve all of them.
//
// The shapes are a published interface ("fields are only ever added"): keys
// come in a fixed order, what is absent is left out, and a line holds no raw
// control character, so that every line parses, and prints, on its own.
package emit

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"tagscan/normalize"
)

// A Validation is the verdict on one list of artifact tags, an event like the
// others. Its line is 0, and left out, for a list given as arguments.
type Validation struct {
	Tags       []string // without repeats; meaningful only when there is no violation
	Violations []normalize.Violation
	normalize.Position
}

// AppendEvent appends the JSON line of e, its line end included, to dst. It
// takes the events of normalize and *[Validation], and appends
// nothing for any other. It allocates only to grow dst.
func AppendEvent(dst []byte, e normalize.Event) []byte {
	switch e := e.(type) {
	case *normalize.Tag:
		dst = appendTag(dst, e)
	case *normalize.Status:
		dst = appendStatus(dst, e)
	case *normalize.Artifact:
		dst = appendArtifact(dst, e)
	case *normalize.Skipped:
		dst = appendSkipped(dst, e)
	case *Validation:
		dst = appendValidation(dst, e)
		return dst
	default:
		return dst
	}
	return append(dst, "}\n"...)
}

// appendValidation appends the JSON line of v, its line end included, to dst.
func appendValidation(dst []byte, v *Validation) []byte {
	dst = append(dst, `{"type":"validation"`...)
	dst = appendVerdict(dst, v.Violations)
	if len(v.Violations) == 0 {
		dst = append(dst, `,"tags":`...)
		dst = appendStrings(dst, v.Tags)
	}
	dst = appendPosition(dst, &v.Position, 0)
	return append(dst, "}\n"...)
}

func appendTag(dst []byte, e *normalize.Tag) []byte {
	dst = append(dst, `{"type":"tag"`...)
	dst = appendMember(dst, `,"namespace":`, e.Namespace)
	dst = appendMember(dst, `,"kind":`, e.Kind)
	dst = appendMember(dst, `,"value":`, e.Value)
	dst = appendMember(dst, `,"raw":`, e.Raw)
	dst = appendMember(dst, `,"host":`, e.Host)
	dst = appendMember(dst, `,"repo":`, e.Repo)
	if e.Number != "" {
		// As it is: a number may be longer than any integer type.
		dst = append(dst, `,"number":`...)
		dst = append(dst, e.Number...)
	}
	if e.Extension {
		dst = append(dst, `,"extension":true`...)
	}
	if e.Repeat {
		dst = append(dst, `,"repeat":true`...)
	}
	dst = appendMember(dst, `,"code":`, e.Code)
	dst = appendMember(dst, `,"provenance":`, e.Provenance)
	return appendPosition(dst, &e.Position, 0)
}

func appendStatus(dst []byte, e *normalize.Status) []byte {
	dst = append(dst, `{"type":"status"`...)
	dst = appendMember(dst, `,"protocol":`, e.Protocol)
	for i := range e.Fields {
		dst = append(dst, ',')
		dst = AppendString(dst, e.Fields[i].Name)
		dst = append(dst, ':')
		dst = appendValue(dst, e.Fields[i].Value)
	}
	if len(e.Extra) > 0 {
		dst = append(dst, `,"extra":{`...)
		for i := range e.Extra {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, e.Extra[i].Key)
			dst = append(dst, ':')
			dst = AppendString(dst, e.Extra[i].Value)
		}
		dst = append(dst, '}')
	}
	dst = appendVerdict(dst, e.Violations)
	dst = append(dst, `,"streak":{"status":`...)
	dst = strconv.AppendInt(dst, int64(e.Streak.Status), 10)
	dst = append(dst, `,"no_progress":`...)
	dst = strconv.AppendInt(dst, int64(e.Streak.NoProgress), 10)
	dst = append(dst, '}')
	dst = appendMember(dst, `,"code":`, e.Code)
	dst = appendMember(dst, `,"provenance":`, e.Provenance)
	return appendPosition(dst, &e.Position, e.EndLine)
}

func appendArtifact(dst []byte, e *normalize.Artifact) []byte {
	dst = append(dst, `{"type":"artifact"`...)
	dst = appendMember(dst, `,"tool":`, e.Tool)
	dst = appendMember(dst, `,"title":`, e.Title)
	dst = append(dst, `,"tags":`...)
	dst = appendStrings(dst, e.Tags)
	// "handoff is there when handoff is among the tags", though it be empty.
	if len(e.Handoff) > 0 || slices.Contains(e.Tags, "handoff") {
		dst = append(dst, `,"handoff":{`...)
		for i := range e.Handoff {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, e.Handoff[i].Name)
			dst = append(dst, ':')
			dst = AppendString(dst, e.Handoff[i].Value)
		}
		dst = append(dst, '}')
	}
	dst = appendVerdict(dst, e.Violations)
	dst = appendMember(dst, `,"provenance":`, e.Provenance)
	return appendPosition(dst, &e.Position, 0)
}

func appendSkipped(dst []byte, e *normalize.Skipped) []byte {
	dst = append(dst, `{"type":"skipped"`...)
	dst = appendMember(dst, `,"what":`, e.What)
	dst = appendMember(dst, `,"reason":`, e.Reason)
	dst = appendMember(dst, `,"namespace":`, e.Namespace)
	dst = appendMember(dst, `,"kind":`, e.Kind)
	dst = appendMember(dst, `,"excerpt":`, e.Excerpt)
	return appendPosition(dst, &e.Position, 0)
}

// appendVerdict appends valid, which is false exactly when there are
// violations, and the violations.
func appendVerdict(dst []byte, violations []normalize.Violation) []byte {
	if len(violations) == 0 {
		return append(dst, `,"valid":true`...)
	}
	dst = append(dst, `,"valid":false,"violations":[`...)
	for i := range violations {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendViolation(dst, &violations[i])
	}
	return append(dst, ']')
}

func appendViolation(dst []byte, v *normalize.Violation) []byte {
	dst = append(dst, '{')
	open := len(dst)
	dst = appendMember(dst, `,"field":`, v.Field)
	dst = appendMember(dst, `,"reason":`, v.Reason)
	dst = appendMember(dst, `,"value":`, v.Value)
	if v.Limit != 0 {
		dst = append(dst, `,"limit":`...)
		dst = strconv.AppendInt(dst, int64(v.Limit), 10)
	}
	dst = appendMember(dst, `,"unit":`, v.Unit)
	dst = appendMember(dst, `,"message":`, v.Message)
	dst = appendMember(dst, `,"suggestion":`, v.Suggestion)
	if len(dst) > open { // any member may be the first, so each brings a comma
		dst = append(dst[:open], dst[open+1:]...)
	}
	return append(dst, '}')
}

// appendPosition appends the keys every event ends with. endLine is 0 but for
// a status block.
func appendPosition(dst []byte, p *normalize.Position, endLine int) []byte {
	dst = appendMember(dst, `,"file":`, p.File)
	if p.Line > 0 {
		dst = append(dst, `,"line":`...)
		dst = strconv.AppendInt(dst, int64(p.Line), 10)
	}
	if endLine > 0 {
		dst = append(dst, `,"end_line":`...)
		dst = strconv.AppendInt(dst, int64(endLine), 10)
	}
	dst = appendMember(dst, `,"format":`, p.Format)
	dst = appendMember(dst, `,"role":`, p.Role)
	dst = appendMember(dst, `,"session":`, p.Session)
	dst = appendMember(dst, `,"message":`, p.Message)
	return appendMember(dst, `,"agent":`, p.Agent)
}

// appendMember appends key, which brings its comma, quotes and colon, and s,
// or nothing when s is empty: "an absent field is left out, never emitted
// empty".
func appendMember(dst []byte, key, s string) []byte {
	if s == "" {
		return dst
	}
	dst = append(dst, key...)
	return AppendString(dst, s)
}

// appendValue appends a status block's field; a type that StatusField does not
// name is null.
func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return AppendString(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case []string:
		return appendStrings(dst, v)
	}
	return append(dst, "null"...)
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

// plain holds the bytes that stand for themselves in a JSON string.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x7f; c++ {
		t[c] = c != '"' && c != '\\' && c != '['
	}
	return
}()

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string with its quotes. <, > and & stay as
// they are; control characters (DEL and C1 too) and the line separators U+2028
// and U+2029 are escaped, and each byte of invalid UTF-8 becomes U+FFFD. So is
// the bracket of "##[", which GitHub's runner would take for the beginning of a
// command when the line is printed to a job's log.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; ; {
		for i < len(s) && plain[s[i]] {
			i++
		}
		if i == len(s) {
			break
		}
		c := s[i]
		if c < utf8.RuneSelf {
			if c == '[' && (i < 2 || s[i-2:i] != "##") {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\b':
				dst = append(dst, `\b`...)
			case '\t':
				dst = append(dst, `\t`...)
			case '\n':
				dst = append(dst, `\n`...)
			case '\f':
				dst = append(dst, `\f`...)
			case '\r':
				dst = append(dst, `\r`...)
			default:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\ufffd"...)
			start = i + 1
		case r < 0xa0:
			dst = append(dst, s[start:i]...)
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
			start = i + n
		case r == '\u2028' || r == '\u2029':
			dst = append(dst, s[start:i]...)
			dst = append(dst, '\\', 'u', '2', '0', '2', hex[r&15])
			start = i + n
		}
		i += n
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
