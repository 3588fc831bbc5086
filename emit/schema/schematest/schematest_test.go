package schematest_test

import (
	"fmt"
	"reflect"
	"testing"

	"tagscan/emit/schema/schematest"
)

func TestClose(t *testing.T) {
	type object = map[string]any
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"an object's keys are all named",
			object{"type": "object", "properties": object{"a": object{}}},
			object{"type": "object", "properties": object{"a": object{}}, "additionalProperties": false}},
		{"what it says itself stands",
			object{"type": "object", "properties": object{}, "additionalProperties": true},
			object{"type": "object", "properties": object{}, "additionalProperties": true}},
		{"a refinement stays open",
			object{"if": object{"properties": object{"a": object{}}}},
			object{"if": object{"properties": object{"a": object{}}}}},
		{"wherever it is",
			object{"oneOf": []any{object{"type": "object", "properties": object{}}}},
			object{"oneOf": []any{object{"type": "object", "properties": object{}, "additionalProperties": false}}}},
		{"a map stays a map",
			object{"type": "object"},
			object{"type": "object"}},
	} {
		schematest.Close(tt.got)
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestEvent(t *testing.T) {
	got := schematest.Event(t, []byte(`{"type":"override","op":"unset","kind":"pr","provenance":"operator"}`))
	if got["op"] != "unset" {
		t.Errorf("got %v", got)
	}
}

func ExampleCheck() {
	fmt.Println(schematest.Check([]byte(`{"type":"validation","valid":true,"tags":["handoff"]}`)))
	err := schematest.Check([]byte(`{"type":"validation","valid":true,"tags":[],"time":"now"}`))
	fmt.Println(err != nil)
	// Output:
	// <nil>
	// true
}
