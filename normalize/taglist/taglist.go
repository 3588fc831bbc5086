// Package taglist reads and lints lists of artifact tags, a list a line, as
// "tagscan validate" does (section 6 of the specification).
package taglist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tagscan/normalize"
	"tagscan/parse/jsonrec"
	"tagscan/parse/transcript"
)

// A Validation is the verdict on one list.
type Validation struct {
	Valid      bool
	Tags       []string              // the distinct tags of a valid list, never nil; else nil
	Violations []normalize.Violation // all there are, none for a valid list
}

// conventions are the vocabularies that --convention knows.
var conventions = map[string]func([]string) []normalize.Violation{
	"handoff": normalize.HandoffConvention,
}

// Conventions are the names that Check takes, sorted.
func Conventions() []string {
	names := make([]string, 0, len(conventions))
	for name := range conventions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Check judges one list: the rules of ADR-0018, and then those of the
// convention. No convention is "", and so is one that is unknown.
func Check(tags []string, convention string) Validation {
	var l transcript.TagList
	for _, tag := range tags {
		if !l.Add([]byte(tag)) {
			break
		}
	}
	return check(l, convention)
}

func check(l transcript.TagList, convention string) Validation {
	clean, violations := normalize.ArtifactTags(l.Tags, l.NotStrings, l.More)
	if lint := conventions[convention]; lint != nil {
		violations = append(violations, lint(l.Tags)...)
	}
	if len(violations) > 0 {
		return Validation{Violations: violations}
	}
	return Validation{Valid: true, Tags: clean}
}

// Line judges the list on one line of input. A blank line has none: ok is
// false. A line that should be JSON and is not is an invalid list with one
// violation.
func Line(line []byte, convention string) (v Validation, ok bool) {
	l, err := parse(line)
	if errors.Is(err, errBlank) {
		return Validation{}, false
	}
	if err != nil {
		return Validation{Violations: []normalize.Violation{{
			Field: "tags", Reason: "invalid_format", Message: err.Error(),
		}}}, true
	}
	return check(l, convention), true
}

// errBlank is parse's error for a blank line, which holds no list.
var errBlank = errors.New("a blank line")

// parse reads the list on one line: a JSON array of strings, an event with its
// data.tags, or comma-separated text, in which blanks around an item are part of
// it. An artifact.created event without tags has the empty list.
func parse(line []byte) (l transcript.TagList, err error) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	trimmed := bytes.Trim(line, " \t\r\n")
	if len(trimmed) == 0 {
		return l, errBlank
	}
	l.Tags = []string{}
	if c := trimmed[0]; c == '[' || c == '{' {
		// What is not valid is said by the standard library, which copies what is.
		if !json.Valid(trimmed) {
			return l, fmt.Errorf("not valid JSON: %w", json.Unmarshal(trimmed, new(json.RawMessage)))
		}
		if c == '[' {
			l.AddArray(trimmed)
			return l, nil
		}
		return l, addEvent(&l, trimmed)
	}
	for more := true; more; {
		var item []byte
		item, line, more = bytes.Cut(line, []byte(","))
		more = l.Add(item) && more
	}
	return l, nil
}

// addEvent adds the tags of v, which is valid JSON.
func addEvent(l *transcript.TagList, v jsonrec.Value) error {
	// Any event with data.tags has a list; one of another kind without is none.
	tags := v.Get("data").Get("tags")
	switch {
	case tags.IsArray():
		l.AddArray(tags)
	case len(tags) > 0 && string(tags) != "null":
		return errors.New("data.tags is not a list")
	case !v.Get("kind").Is("artifact.created"):
		return errors.New("a JSON object that is no artifact.created event")
	}
	return nil
}
