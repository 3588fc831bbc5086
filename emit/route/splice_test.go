package route

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func spliced(event string, drop bool) string {
	var b bytes.Buffer
	if err := splice(&b, []byte(event), []byte(`{"x":1}`), drop); err != nil {
		panic(err)
	}
	return b.String()
}

func TestSplice(t *testing.T) {
	for _, tt := range []struct {
		event string
		drop  bool
		want  string
	}{
		{`{}`, false, `{"route":{"x":1}}`},
		{` { } `, false, `{"route":{"x":1}}`},
		{`{"b":1,"a":2}`, false, `{"b":1,"a":2,"route":{"x":1}}`},
		{" {\"n\" : 1.50e+10 ,\t\"m\":123456789012345678901234567890 }\r", false, "{\"n\" : 1.50e+10 ,\t\"m\":123456789012345678901234567890,\"route\":{\"x\":1}}"},
		{`{"a":"}"}`, false, `{"a":"}","route":{"x":1}}`},
		{`{"a":{}}`, false, `{"a":{},"route":{"x":1}}`},
		{`{"a":1,"a":2}`, false, `{"a":1,"a":2,"route":{"x":1}}`},
		{"{\"a\":\"<&>\\u2028\u2028\u2029\x7f\u009b\xffé😀\"}", false, `{"a":"<&>\u2028\u2028\u2029\u007f\u009b` + "\uFFFD" + `é😀","route":{"x":1}}`},
		{`{"route":{"queue":"forged"}}`, true, `{"route":{"x":1}}`},
		{`{"route":1,"a":2}`, true, `{"a":2,"route":{"x":1}}`},
		{`{"a":2,"route":1}`, true, `{"a":2,"route":{"x":1}}`},
		{`{"a":2 , "route" : [1,{"route":2}] , "b":[1,2]}`, true, `{"a":2 ,"b":[1,2],"route":{"x":1}}`},
		{`{"r\u006fute":1,"a":"\",\"route\":1","route":2}`, true, `{"a":"\",\"route\":1","route":{"x":1}}`},
		{`{"Route":1,"route":2,"a":{"route":3}}`, true, `{"Route":1,"a":{"route":3},"route":{"x":1}}`},
		{`{"":1,"route":{"a":"x,y:z"}}`, true, `{"":1,"route":{"x":1}}`},
	} {
		if got := spliced(tt.event, tt.drop); got != tt.want+"\n" {
			t.Errorf("%s: %s, want %s", tt.event, got, tt.want)
		}
	}
}

// FuzzSplice checks that nothing changes but the route.
func FuzzSplice(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,"x"],"route":{"b":"\\\""}}`, ` {"\u0072oute" : 1, "b":{"route":2}} `, "{\"a\":\"\x7f\xff\"}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, event string) {
		var want map[string]json.RawMessage
		if json.Unmarshal([]byte(event), &want) != nil || want == nil || strings.Contains(event, "\n") {
			return // not the object of a line
		}
		_, has := want["route"]
		line := spliced(event, has)
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%q: %q: %v", event, line, err)
		}
		if !utf8.ValidString(line) || strings.Count(line, "\n") != 1 {
			t.Errorf("%q: %q", event, line)
		}
		if !reflect.DeepEqual(got["route"], map[string]any{"x": 1.0}) {
			t.Errorf("%q: route %v", event, got["route"])
		}
		delete(got, "route")
		var same map[string]any
		_ = json.Unmarshal([]byte(event), &same)
		delete(same, "route")
		if !reflect.DeepEqual(got, same) {
			t.Errorf("%q became %q", event, line)
		}
	})
}
