package taglist

import (
	"slices"
	"strings"
	"testing"
)

// brief is what the tables below compare: field, reason and suggestion of each
// violation.
func brief(v Validation) string {
	var b strings.Builder
	for _, x := range v.Violations {
		b.WriteString(x.Field + " " + x.Reason)
		if x.Suggestion != "" {
			b.WriteString(" " + x.Suggestion)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLine(t *testing.T) {
	tests := []struct {
		name, line string
		convention string
		blank      bool
		tags       []string // of a valid list
		violations string   // a line each
	}{
		{name: "text", line: "handoff,lane:s", tags: []string{"handoff", "lane:s"}},
		{name: "text with a line end", line: "a,b\r\n", tags: []string{"a", "b"}},
		{name: "blanks are part of an item", line: "a, b", violations: "tags[1] invalid_charset\n"},
		{name: "trailing blank too", line: "a ", violations: "tags[0] invalid_charset\n"},
		{name: "trailing comma", line: "a,", violations: "tags[1] required\n"},
		{name: "empty items are one tag", line: ",,", violations: "tags[0] required\n"},
		{name: "empty line", line: "", blank: true},
		{name: "blank line", line: " \t\r\n", blank: true},
		{name: "array", line: `["a","b","a"]`, tags: []string{"a", "b"}},
		{name: "array with blanks around", line: "  [\"a\"]  \r\n", tags: []string{"a"}},
		{name: "empty array", line: `[]`, tags: []string{}},
		{name: "long escapes in an array", line: `["` + strings.Repeat(`\u0061`, 1000) + `","b"]`, violations: "tags[0] too_long\n"},
		{name: "a tag that is long in its escapes", line: `["` + strings.Repeat(`\u0061`, 64) + `"]`, tags: []string{strings.Repeat("a", 64)}},
		{name: "escapes in an array", line: `["\u0061", "lane\u003am"]`, tags: []string{"a", "lane:m"}},
		{name: "number in an array", line: `["a",1]`, violations: "tags[1] invalid_format\n"},
		{name: "null in an array", line: `[null]`, violations: "tags[0] invalid_format\n"},
		{name: "every number in an array, and what else is wrong", line: `[1,"X","2",2,"x y",null]`,
			violations: "tags[0] invalid_format\ntags[1] uppercase x\ntags[3] invalid_format\ntags[4] invalid_charset\ntags[5] invalid_format\n"},
		{name: "array in an array", line: `[["a"]]`, violations: "tags[0] invalid_format\n"},
		{name: "broken array", line: `["a",`, violations: "tags invalid_format\n"},
		{name: "two arrays", line: `["a"] ["b"]`, violations: "tags invalid_format\n"},
		{name: "event", line: `{"kind":"artifact.created","data":{"id":"x","tags":["handoff","size:M"]}}`,
			violations: "tags[1] uppercase size:m\n"},
		{name: "event with good tags", line: `{"data":{"tags":["a","a"]},"kind":"artifact.created"}`, tags: []string{"a"}},
		{name: "event without tags", line: `{"kind":"artifact.created","data":{}}`, tags: []string{}},
		{name: "event with null tags", line: `{"kind":"artifact.created","data":{"tags":null}}`, tags: []string{}},
		{name: "event with a string for tags", line: `{"kind":"artifact.created","data":{"tags":"a"}}`, violations: "tags invalid_format\n"},
		{name: "event with a number in tags", line: `{"kind":"artifact.created","data":{"tags":["a",2]}}`, violations: "tags[1] invalid_format\n"},
		{name: "keys compare exactly", line: `{"kind":"artifact.created","data":{"TAGS":["A"],"tags":["a"],"Tags":["B"]}}`, tags: []string{"a"}},
		{name: "of a repeated key the last wins", line: `{"data":{"tags":["A"]},"data":{"tags":["a"]}}`, tags: []string{"a"}},
		{name: "another object", line: `{"type":"tag","value":"a"}`, violations: "tags invalid_format\n"},
		{name: "broken object", line: `{"kind":`, violations: "tags invalid_format\n"},
		{name: "the comma is always safe", line: `"a"`, violations: "tags[0] invalid_charset\n"},
		{name: "convention", line: "handoff,lane:medium", convention: "handoff", violations: "tags[1] unknown_value lane:m\n"},
		{name: "no convention", line: "handoff,lane:medium", tags: []string{"handoff", "lane:medium"}},
		{name: "convention is last", line: "lane:q," + many(32) + ",X", convention: "handoff",
			violations: "tags[33] uppercase x\ntags too_many\ntags[0] unknown_value\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, ok := Line([]byte(tt.line), tt.convention)
			if ok == tt.blank {
				t.Fatalf("ok = %v, want %v", ok, !tt.blank)
			}
			if got := brief(v); got != tt.violations {
				t.Errorf("violations:\n%swant:\n%s", got, tt.violations)
			}
			if !slices.Equal(v.Tags, tt.tags) || (v.Tags == nil) != (tt.tags == nil) {
				t.Errorf("tags %q, want %q", v.Tags, tt.tags)
			}
			if want := tt.violations == "" && !tt.blank; v.Valid != want {
				t.Errorf("valid = %v, want %v", v.Valid, want)
			}
			for _, x := range v.Violations {
				if x.Message == "" {
					t.Errorf("%s %s says nothing to people", x.Field, x.Reason)
				}
			}
		})
	}
}

// many is n distinct tags.
func many(n int) string {
	tags := make([]string, n)
	for i := range tags {
		tags[i] = "t" + strings.Repeat("x", i)
	}
	return strings.Join(tags, ",")
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"a,b", `["a"]`, `{"data":{"tags":["a"]}}`, "lane:medium", "[", "\x00", "A,a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		v, ok := Line(line, "handoff")
		if ok && v.Valid != (len(v.Violations) == 0) || v.Valid != (v.Tags != nil) {
			t.Errorf("%q: %+v, %v", line, v, ok)
		}
		if again := Check(v.Tags, "handoff"); v.Valid && !slices.Equal(again.Tags, v.Tags) {
			t.Errorf("%q: %q is checked to %+v", line, v.Tags, again)
		}
	})
}
