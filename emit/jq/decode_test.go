package jq

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
)

// decodeStd is what encoding/json makes of a line, the way gojq's command reads it.
func decodeStd(line []byte) (map[string]any, bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	if _, err := d.Token(); err == nil || err.Error() != "EOF" {
		return nil, false
	}
	m, ok := v.(map[string]any)
	return m, ok
}

// numbers makes a json.Number of every number, as it is written.
func numbers(v any) any {
	switch v := v.(type) {
	case int:
		b, _ := encode(nil, v)
		return json.Number(b)
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

func checkDecode(t *testing.T, line []byte) {
	t.Helper()
	want, wantOK := decodeStd(line)
	var d decoder
	got := make(map[string]any)
	route, ok := d.event(line, nil, got)
	if ok != wantOK {
		t.Fatalf("%.200q: ok = %v, want %v", line, ok, wantOK)
	}
	// Nothing wanted: the same judgement.
	if _, ok := new(decoder).event(line, map[string]bool{}, map[string]any{}); ok != wantOK {
		t.Fatalf("%.200q: passed over, ok = %v, want %v", line, ok, wantOK)
	}
	if !ok {
		return
	}
	if _, has := want["route"]; has != route {
		t.Errorf("%.200q: route = %v", line, route)
	}
	if numbers(got); !reflect.DeepEqual(any(got), any(want)) {
		t.Errorf("%.200q:\n got %#v\nwant %#v", line, got, want)
	}
	// The encoder is gojq's, with a bound.
	text, ok := encode(nil, got)
	if std, err := gojq.Marshal(got); !ok || err != nil || !bytes.Equal(text, std) {
		t.Errorf("encoded as %.200q, by gojq as %.200q", text, std)
	}
}

var decodeSeeds = []string{
	`{}`, ` { } `, `{"a":1}`, `{"a":-0}`, `{"a":01}`, `{"a":1.}`, `{"a":-}`, `{"a":1e5}`, `{"a":1E+05,"b":0.10}`,
	`{"a":123456789012345678}`, `{"a":-123456789012345678}`, `{"a":1234567890123456789012}`, `{"a":1e400}`,
	`{"a":100000000000000000000000000000000000000000000000}`, `{"a":1,"a":2}`, `{"a":[1,[2,{"b":null}],true,false]}`,
	`{"a":"\u0041\ud83d\ude00\ud83d\u0041\udc00x\ud800"}`, `{"a":"\ud800\uzzzz"}`, `{"a":"\x"}`, "{\"a\":\"\xff\xc3\x28é\"}",
	"{\"a\":\"\x01\"}", "{\"a\":\"\x7f\u2028\"}", `{"\u0072oute":1}`, `{"route":{}}`, `{"a":{"route":1}}`, `[1]`, `1`, `"x"`, `null`, ``,
	`{"a":1}{"b":2}`, `{"a":1} x`, `{"a":1,}`, `{"a":[1,]}`, `{"a" 1}`, `{a:1}`, `{"a":tru}`, `{"a":NaN}`, `{"a":nul`, `{"a":"b`, `{"a`,
	"{\"a\":1}\r", "{\"a\":\t1\n}", "\u00a0{}", `{"a":"\b\f\n\r\t\/\\\""}`, `{"a":[]}`, `{"a":[ ]}`, `{"a":{ }}`, "{\"a\":1\x00}", `{"a":1e}`, `{"a":1e+}`,
	`{"a":0.1e-7,"b":1e21,"c":123.456}`, `{"":{"":""}}`,
}

func TestDecode(t *testing.T) {
	for _, s := range decodeSeeds {
		checkDecode(t, []byte(s))
	}
	for _, depth := range []int{9_998, 9_999, 10_000, 100_000} {
		checkDecode(t, []byte(`{"a":`+strings.Repeat("[", depth)+strings.Repeat("]", depth)+`}`))
		checkDecode(t, []byte(strings.Repeat(`{"a":`, depth)+`1`+strings.Repeat("}", depth)))
	}
	checkDecode(t, []byte(`{"a":`+strings.Repeat("7", 100_000)+`}`))
}

func FuzzDecode(f *testing.F) {
	for _, s := range decodeSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(checkDecode)
}

func TestEncodeBound(t *testing.T) {
	v := any("x")
	for range 100 {
		v = []any{v, v}
	}
	if _, ok := encode(nil, v); ok {
		t.Error("a text of 2^100 bytes was made")
	}
	if b, ok := encode([]byte("a "), strings.Repeat("x", maxValue-2)); !ok || len(b) != maxValue+2 {
		t.Errorf("maxValue bytes: %v, %d", ok, len(b))
	}
	if _, ok := encode(nil, strings.Repeat("x", maxValue)); ok {
		t.Error("two bytes too many were made")
	}
}
