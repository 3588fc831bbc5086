package jsonrec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var valid = []string{
	`{}`, `[]`, `0`, `-0`, `-1.5e+10`, `1E5`, `1e-2`, `"x"`, `null`, `true`, `false`, ` { } `, "\t[1, 2]\r\n",
	`{"a":1,"a":2}`, `{"a":{"b":[1,{"c":"\"\\\/\b\f\n\r\t\u00e9"}]}}`, `"\ud83d\ude00"`, `"\ud83d"`, "\"\xff\"",
	`"` + strings.Repeat("a", 100) + `\n"`, `[[],{},[{}],""]`, "\"\x7f\"",
	strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
}

var invalid = []string{
	``, ` `, `{`, `}`, `[`, `]`, `01`, `-`, `1.`, `.5`, `1e`, `1e+`, `+1`, `--1`, `tru`, `truee`, `nul`, `True`, `"`, `"\"`, `"\x"`, `"\u12"`,
	`"\u12g4"`, "\"a\nb\"", "\"12345678\x1f\"", `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1 "b":2}`, `{a:1}`, `{"a":1}}`,
	`{}{}`, `[}`, `{]`, `{"a":1]`, `[1}`, `'a'`, "\ufeff{}", `NaN`, `{"a":01}`, "[1]\x00", `{1:2}`, `"a" b`,
	strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1),
}

func TestValid(t *testing.T) {
	for want, list := range map[bool][]string{true: valid, false: invalid} {
		for _, in := range list {
			if std := json.Valid([]byte(in)); std != want {
				t.Fatalf("the row %.60q is wrong: encoding/json says %v", in, std)
			}
			if got := Valid([]byte(in)); got != want {
				t.Errorf("Valid(%.60q) = %v", in, got)
			}
		}
	}
}

// cut writes in to a Scanner in pieces of n bytes.
func cut(in []byte, n int) bool {
	var s Scanner
	for len(in) > 0 {
		k := min(n, len(in))
		m, st := s.Write(bytes.Clone(in[:k]))
		switch st {
		case Bad:
			return false
		case Done:
			return skipBlank(in, m) == len(in)
		}
		in = in[k:]
	}
	return s.Close()
}

func TestScannerPieces(t *testing.T) {
	for want, list := range map[bool][]string{true: valid, false: invalid} {
		for _, in := range list {
			for _, n := range []int{1, 2, 3, 7} {
				if got := cut([]byte(in), n); got != want {
					t.Errorf("%.60q in pieces of %d: %v", in, n, got)
				}
			}
		}
	}
}

func TestScannerSaysBadAtOnce(t *testing.T) {
	for in, at := range map[string]int{`[INFO] start`: 1, `{see docs}`: 1, `[12:00:01] x`: 3, `{"a" 1}`: 5, "{\"a\nb\"": 3, `[1/3]`: 2, `{"a":nil}`: 6} {
		var s Scanner
		if n, st := s.Write([]byte(in)); st != Bad || n != at {
			t.Errorf("%q: %d, %v; want bad at %d", in, n, st, at)
		}
	}
}

func TestMembers(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want string
	}{
		{`{}`, ``},
		{` {"a" : 1 , "b":"x\"y" ,"c":[1,{"d":"}"}],"e":null} `, `a=1;b="x\"y";c=[1,{"d":"}"}];e=null;`},
		{`{"\u0074ype":true,"t\/\n":{}}`, "type=true;t/\n={};"},
		{`{"a\\":"\\","b":"\\\""}`, `a\="\\";b="\\\"";`},
		{`{"a":1,"a":2}`, `a=1;a=2;`},
	} {
		var got strings.Builder
		m := Trim([]byte(tt.in)).Members()
		for m.Next() {
			fmt.Fprintf(&got, "%s=%s;", m.Key, string(m.Value))
		}
		if got.String() != tt.want || !m.Whole() {
			t.Errorf("%s: %s, whole %v; want %s", tt.in, got.String(), m.Whole(), tt.want)
		}
	}
	for _, in := range []string{`{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":"x`, `{"a":{}`, `{"a":1 "b":2}`, `{"a":1}x`, `{"a":1}}`, `[1]`, `{a:1}`} {
		m := Value(in).Members()
		for m.Next() {
		}
		if m.Whole() {
			t.Errorf("%s is called whole", in)
		}
	}
}

func TestGetLastWins(t *testing.T) {
	v := Value(`{"type":"user","Type":"x","TYPE":"y","\u0074ype":"assistant","z":{"type":"w"}}`)
	if got := v.Get("type"); !got.Is("assistant") {
		t.Errorf("type is %s", got)
	}
	if got := v.Get("tYPE"); got != nil {
		t.Errorf("tYPE is %s", got)
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`""`:                                  "",
		`"plain"`:                             "plain",
		`"a\nb\t\"c\"\\\/\b\f\r"`:             "a\nb\t\"c\"\\/\b\f\r",
		`"\u003cjackin:pr\u003E"`:             "<jackin:pr>",
		`"\ud83d\ude00 \ud83d \ude00x"`:       "\U0001F600 \uFFFD \uFFFDx",
		`"\ud83d\ud83d\ude00"`:                "\uFFFD\U0001F600",
		`"\ud83d\n\u0000"`:                    "\uFFFD\n\x00",
		"\"\xff\xc3\\n\"":                     "\xff\xc3\n",
		`"` + strings.Repeat(`é\n`, 99) + `"`: strings.Repeat("é\n", 99),
		`12`:                                  "",
	} {
		v := Value(in)
		if got := string(Append([]byte("> "), v)); got != "> "+want {
			t.Errorf("Append(%s) = %q", in, got)
		}
		if got := v.String(); got != want {
			t.Errorf("%s: %q", in, got)
		}
		if v.IsString() && !v.Is(want) {
			t.Errorf("%s is not %q", in, want)
		}
		for _, n := range []int{16, 17, 64, 4096} {
			var got []byte
			buf := make([]byte, 0, n)
			text := v.Text()
			for b := text.Next(buf); b != nil; b = text.Next(buf) {
				got = append(got, b...)
			}
			if string(got) != want {
				t.Errorf("%s by %d: %q", in, n, got)
			}
		}
	}
}

// members gives the object v as encoding/json sees it: the last of a repeated
// key, raw.
func members(v []byte) map[string]string {
	var m map[string]json.RawMessage
	if json.Unmarshal(v, &m) != nil {
		return nil
	}
	out := make(map[string]string)
	for k, x := range m {
		out[k] = string(x)
	}
	return out
}

func FuzzReader(f *testing.F) {
	for _, list := range [][]string{valid, invalid} {
		for _, in := range list {
			if len(in) < 1000 {
				f.Add([]byte(in))
			}
		}
	}
	f.Add([]byte(`{"a":"\u0041\ud800","\u0061":[1,2,{"x":"y"}],"b":{"c":null}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		want := json.Valid(in)
		if got := Valid(in); got != want {
			t.Fatalf("Valid(%q) = %v", in, got)
		}
		for _, n := range []int{1, 3} {
			if got := cut(in, n); got != want {
				t.Fatalf("%q in pieces of %d: %v", in, n, got)
			}
		}
		v := Trim(in)
		m := v.Members()
		got := make(map[string]string)
		for m.Next() {
			got[strings.ToValidUTF8(string(m.Key), "\uFFFD")] = string(m.Value)
			text := m.Value.Text()
			for text.Next(make([]byte, 16)) != nil {
			}
		}
		e := v.Elements()
		for e.Next() {
		}
		if !want {
			return
		}
		if v.IsObject() {
			if !m.Whole() {
				t.Fatalf("%q is not whole", in)
			}
			std := members(v)
			// Keys that are not UTF-8 differ between the two in how often U+FFFD
			// stands for them.
			if len(got) == len(std) && !bytes.ContainsRune(in, '\uFFFD') {
				for k, x := range std {
					if y, ok := got[k]; ok && x != y {
						t.Fatalf("%q: %q is %q, want %q", in, k, y, x)
					}
				}
			}
		}
		if v.IsArray() {
			var std []json.RawMessage
			if json.Unmarshal(v, &std) == nil {
				e, n := v.Elements(), 0
				for ; e.Next(); n++ {
					if string(std[n]) != string(e.Value) {
						t.Fatalf("%q: element %d is %q", in, n, e.Value)
					}
				}
				if n != len(std) {
					t.Fatalf("%q: %d elements", in, n)
				}
			}
		}
		if v.IsString() {
			var std string
			if json.Unmarshal(v, &std) == nil && strings.ToValidUTF8(v.String(), "\uFFFD") != strings.ToValidUTF8(std, "\uFFFD") {
				if !strings.Contains(std, "\uFFFD") {
					t.Fatalf("%q says %q, want %q", in, v.String(), std)
				}
			}
		}
	})
}

var line = []byte(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"` +
	strings.Repeat(`func (s *Scanner) Line() ([]byte, error) {\n\tfor i := s.r; i < s.w; i++ {\n\t\tlog.Printf(\"%d\", i)\n`, 40) +
	`"}]},"session_id":"54302fe7-3f39-be75-4ffc-7da9058b6ae1","uuid":"136370f8-0130-8697-1c7c-c982bd4de1ec"}`)

func BenchmarkMembers(b *testing.B) {
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		m := Value(line).Members()
		for m.Next() {
		}
	}
}

func BenchmarkValid(b *testing.B) {
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if !Valid(line) {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkText(b *testing.B) {
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	e := Value(line).Get("message").Get("content").Elements()
	e.Next()
	v := e.Value.Get("content")
	buf := make([]byte, 0, 32<<10)
	for b.Loop() {
		text := v.Text()
		for text.Next(buf) != nil {
		}
	}
}
