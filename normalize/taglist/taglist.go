// Package taglist reads and lints lists of artifact tags, a list a line, as
// "tagscan validate" does (section 6 of the specification).
package taglist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tagscan/normalize"
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
	clean, violations := normalize.ArtifactTags(tags)
	if lint := conventions[convention]; lint != nil {
		violations = append(violations, lint(tags)...)
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
	tags, err := Parse(line)
	if errors.Is(err, ErrBlank) {
		return Validation{}, false
	}
	if err != nil {
		field := "tags"
		var bad *NotStringError
		if errors.As(err, &bad) {
			field = fmt.Sprintf("tags[%d]", bad.Index)
		}
		return Validation{Violations: []normalize.Violation{{
			Field: field, Reason: "invalid_format", Message: err.Error(),
		}}}, true
	}
	return Check(tags, convention), true
}

// ErrBlank is Parse's error for a blank line, which holds no list.
var ErrBlank = errors.New("a blank line")

// A NotStringError is Parse's error for a JSON list with something in it that
// is not a string.
type NotStringError struct{ Index int }

func (e *NotStringError) Error() string {
	return fmt.Sprintf("tag %d of the list is not a string", e.Index)
}

// Parse reads the list on one line: a JSON array of strings, an
// artifact.created event with its data.tags, or comma-separated text, in which
// blanks around an item are part of it. An event without tags has the empty
// list.
func Parse(line []byte) ([]string, error) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	trimmed := bytes.Trim(line, " \t\r\n")
	if len(trimmed) == 0 {
		return nil, ErrBlank
	}
	switch trimmed[0] {
	case '[':
		return parseArray(trimmed)
	case '{':
		return parseEvent(trimmed)
	}
	return strings.Split(string(line), ","), nil
}

func parseArray(data []byte) ([]string, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, notJSON(err)
	}
	tags := make([]string, len(raw))
	for i, r := range raw {
		// null would leave the string as it is.
		if len(r) == 0 || r[0] != '"' || json.Unmarshal(r, &tags[i]) != nil {
			return nil, &NotStringError{i}
		}
	}
	return tags, nil
}

// parseEvent decodes into maps, not structs: their keys compare exactly, and of
// a repeated key the last wins.
func parseEvent(data []byte) ([]string, error) {
	var event, body map[string]json.RawMessage
	if err := json.Unmarshal(data, &event); err != nil {
		return nil, notJSON(err)
	}
	// Any event with data.tags has a list; one of another kind without is none.
	_ = json.Unmarshal(event["data"], &body) // not an object: no tags
	tags, ok := body["tags"]
	switch {
	case ok && tags[0] == '[':
		return parseArray(tags)
	case ok && string(tags) != "null":
		return nil, errors.New("data.tags is not a list")
	}
	var kind string
	if json.Unmarshal(event["kind"], &kind) != nil || kind != "artifact.created" {
		return nil, errors.New("a JSON object that is no artifact.created event")
	}
	return []string{}, nil
}

func notJSON(err error) error { return fmt.Errorf("not valid JSON: %w", err) }
