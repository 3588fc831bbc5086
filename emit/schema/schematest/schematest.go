// Package schematest checks events in tests against the published schema,
// closed: a key that the schema does not name fails, where a reader would pass
// over it.
package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tagscan/emit/schema"
)

// Validate fails the test when line is not one event in the schema's shape.
func Validate(t testing.TB, line []byte) {
	t.Helper()
	if err := Check(line); err != nil {
		t.Errorf("%v\nin %s", err, line)
	}
}

// ValidateLines is Validate for NDJSON: each line of data is an event, and the
// last line is whole.
func ValidateLines(t testing.TB, data []byte) {
	t.Helper()
	for line := range bytes.Lines(data) {
		if line[len(line)-1] != '\n' {
			t.Errorf("the last line does not end: %s", line)
		}
		Validate(t, line)
	}
}

// Check tells what is wrong with line, nil when it is an event.
func Check(line []byte) error {
	s, err := closed()
	if err != nil {
		return err
	}
	event, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return err
	}
	// Against the shape that its type names, so that what is said is of use.
	object, ok := event.(map[string]any)
	if !ok {
		return fmt.Errorf("not an object")
	}
	kind, _ := object["type"].(string)
	if kind == "" || s[kind] == nil {
		return fmt.Errorf("no such type of event: %q", kind)
	}
	if err := s[kind].Validate(event); err != nil {
		return err
	}
	return s[""].Validate(event)
}

// closed compiles the closed schema: of every event under its type, and the
// whole under "".
var closed = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.JSON))
	if err != nil {
		return nil, err
	}
	Close(doc)
	const name = "closed.json"
	root := doc.(map[string]any)
	delete(root, "$id")
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	all := map[string]*jsonschema.Schema{}
	if all[""], err = c.Compile(name); err != nil {
		return nil, err
	}
	for _, ref := range root["oneOf"].([]any) {
		pointer := ref.(map[string]any)["$ref"].(string)
		s, err := c.Compile(name + pointer)
		if err != nil {
			return nil, err
		}
		all[pointer[len("#/$defs/"):]] = s
	}
	return all, nil
})

// Close makes every object of a schema that names its properties refuse
// others. A schema that only refines another, having no type, stays open.
func Close(schema any) {
	switch s := schema.(type) {
	case []any:
		for _, v := range s {
			Close(v)
		}
	case map[string]any:
		_, named := s["properties"]
		_, said := s["additionalProperties"]
		if s["type"] == "object" && named && !said {
			s["additionalProperties"] = false
		}
		for _, v := range s {
			Close(v)
		}
	}
}

// Event is the event that line holds, for tests that look into it. It fails
// the test as Validate does.
func Event(t testing.TB, line []byte) map[string]any {
	t.Helper()
	Validate(t, line)
	var event map[string]any
	if err := json.Unmarshal(line, &event); err != nil {
		t.Error(err)
	}
	return event
}
