package normalize

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func violations(list []Violation) string {
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, "%s %s", v.Field, v.Reason)
		if v.Value != "" {
			fmt.Fprintf(&b, " %q", v.Value)
		}
		if v.Limit != 0 || v.Unit != "" {
			fmt.Fprintf(&b, " %d %s", v.Limit, v.Unit)
		}
		if v.Suggestion != "" {
			b.WriteString(" -> " + v.Suggestion)
		}
		b.WriteByte('\n')
		if v.Message == "" {
			b.WriteString("without a message\n")
		}
	}
	return b.String()
}

func numbered(n int) (tags []string) {
	for i := range n {
		tags = append(tags, fmt.Sprint("t", i))
	}
	return tags
}

func TestArtifactTags(t *testing.T) {
	long := strings.Repeat("a", 65)
	tests := []struct {
		name  string
		tags  []string
		clean []string
		want  string
	}{
		{"none", nil, []string{}, ""},
		{"good", []string{"handoff", "lane:m", "a.b_c:/#-9"}, []string{"handoff", "lane:m", "a.b_c:/#-9"}, ""},
		{"repeats", []string{"b", "a", "b", "a", "b"}, []string{"b", "a"}, ""},
		{"longest", []string{long[1:]}, []string{long[1:]}, ""},
		{"empty", []string{""}, nil, "tags[0] required\n"},
		{"too long", []string{long}, nil, fmt.Sprintf("tags[0] too_long %q 64 bytes\n", long)},
		{"too long and worse", []string{"A b" + long}, nil, fmt.Sprintf("tags[0] too_long %q 64 bytes\n", "A b"+long)},
		{"blank", []string{"a b"}, nil, "tags[0] invalid_charset \"a b\"\n"},
		{"comma", []string{"a,b"}, nil, "tags[0] invalid_charset \"a,b\"\n"},
		{"uppercase", []string{"Lane:M"}, nil, "tags[0] uppercase \"Lane:M\" -> lane:m\n"},
		{"uppercase and worse", []string{"A b"}, nil, "tags[0] invalid_charset \"A b\"\n"},
		{"other letters", []string{"ä", "Ä"}, nil, "tags[0] invalid_charset \"ä\"\ntags[1] invalid_charset \"Ä\"\n"},
		{"invalid UTF-8", []string{"\xff"}, nil, "tags[0] invalid_charset \"\\xff\"\n"},
		{"64 characters, 65 bytes", []string{long[2:] + "é"}, nil, fmt.Sprintf("tags[0] too_long %q 64 bytes\n", long[2:]+"é")},
		{"all of them", []string{"ok", "A", "", "b c", "A", "ok"}, nil,
			"tags[1] uppercase \"A\" -> a\ntags[2] required\ntags[3] invalid_charset \"b c\"\n"},
		{"32", numbered(32), numbered(32), ""},
		{"32 and repeats", append(numbered(32), numbered(32)...), numbered(32), ""},
		{"33", numbered(33), nil, "tags too_many 32 tags\n"},
		{"33 and a bad one", append([]string{"A"}, numbered(33)...), nil, "tags[0] uppercase \"A\" -> a\ntags too_many 32 tags\n"},
		{"bad ones count", append(numbered(32), "A", "A"), nil, "tags[32] uppercase \"A\" -> a\ntags too_many 32 tags\n"},
	}
	for _, tt := range tests {
		given := slices.Clone(tt.tags)
		clean, v := ArtifactTags(tt.tags, nil, false)
		if got := violations(v); got != tt.want {
			t.Errorf("%s: violations\n%swant\n%s", tt.name, got, tt.want)
		}
		if !slices.Equal(clean, tt.clean) || (clean == nil) != (tt.clean == nil) {
			t.Errorf("%s: %q, want %q", tt.name, clean, tt.clean)
		}
		if !slices.Equal(given, tt.tags) {
			t.Errorf("%s: the list was changed to %q", tt.name, tt.tags)
		}
	}
}

func TestHandoffConvention(t *testing.T) {
	tests := []struct{ tags, want string }{
		{"handoff lane:m size:xl repo:acme/core issue:acme/core#42 source:claude/run-1 reply:signal", ""},
		{"lane:s", ""}, {"lane:l", ""}, {"lane:vision", ""}, {"lane:auto", ""},
		{"size:s", ""}, {"size:m", ""}, {"size:l", ""}, {"reply:cairn-comment", ""},
		{"color:red lane handoffs lanes:q", ""},
		{"lane:medium", "tags[0] unknown_value \"lane:medium\" -> lane:m\n"},
		{"lane:small", "tags[0] unknown_value \"lane:small\" -> lane:s\n"},
		{"lane:large", "tags[0] unknown_value \"lane:large\" -> lane:l\n"},
		{"lane:visions", "tags[0] unknown_value \"lane:visions\" -> lane:vision\n"},
		{"lane:vison", "tags[0] unknown_value \"lane:vison\" -> lane:vision\n"},
		{"lane:visino", "tags[0] unknown_value \"lane:visino\" -> lane:vision\n"},
		{"lane:aut", "tags[0] unknown_value \"lane:aut\" -> lane:auto\n"},
		{"lane:xl", "tags[0] unknown_value \"lane:xl\" -> lane:l\n"},
		{"lane:q", "tags[0] unknown_value \"lane:q\"\n"}, // as near to s as to m and l
		{"lane:", "tags[0] unknown_value \"lane:\"\n"},
		{"lane:triage", "tags[0] unknown_value \"lane:triage\"\n"},
		{"size:xxl", "tags[0] unknown_value \"size:xxl\" -> size:xl\n"},
		{"size:xs", "tags[0] unknown_value \"size:xs\"\n"}, // as near to s as to xl
		{"size:xlarge", "tags[0] unknown_value \"size:xlarge\" -> size:xl\n"},
		{"size:huge", "tags[0] unknown_value \"size:huge\"\n"},
		{"reply:signals", "tags[0] unknown_value \"reply:signals\" -> reply:signal\n"},
		{"reply:cairn", "tags[0] unknown_value \"reply:cairn\"\n"},
		{"lane:m lane:s", "tags[1] duplicate \"lane:s\"\n"},
		{"lane:m lane:m", ""},
		{"lane:m lane:s lane:m lane:l", "tags[1] duplicate \"lane:s\"\ntags[3] duplicate \"lane:l\"\n"},
		{"lane:q lane:s", "tags[0] unknown_value \"lane:q\"\ntags[1] duplicate \"lane:s\"\n"},
		{"lane:s lane:q", "tags[1] unknown_value \"lane:q\"\n"},
		{"size:s lane:s size:m", "tags[2] duplicate \"size:m\"\n"},
		{"reply:signal reply:cairn-comment repo:a/b repo:c/d", ""},
		{"repo:core", "tags[0] invalid_format \"repo:core\"\n"},
		{"repo:", "tags[0] invalid_format \"repo:\"\n"},
		{"repo:acme/", "tags[0] invalid_format \"repo:acme/\"\n"},
		{"repo:a/b/c", "tags[0] invalid_format \"repo:a/b/c\"\n"},
		{"repo:a/b#1", "tags[0] invalid_format \"repo:a/b#1\"\n"},
		{"repo:a/..", "tags[0] invalid_format \"repo:a/..\"\n"},
		{"issue:42", "tags[0] invalid_format \"issue:42\"\n"},
		{"issue:#42", "tags[0] invalid_format \"issue:#42\"\n"},
		{"issue:acme/core", "tags[0] invalid_format \"issue:acme/core\"\n"},
		{"issue:acme/core#", "tags[0] invalid_format \"issue:acme/core#\"\n"},
		{"issue:acme/core#x", "tags[0] invalid_format \"issue:acme/core#x\"\n"},
		{"issue:acme/core#0", "tags[0] invalid_format \"issue:acme/core#0\"\n"},
		{"issue:core#4", "tags[0] invalid_format \"issue:core#4\"\n"},
		{"source:claude", "tags[0] invalid_format \"source:claude\"\n"},
		{"source:claude/", "tags[0] invalid_format \"source:claude/\"\n"},
		{"source:/run", "tags[0] invalid_format \"source:/run\"\n"},
		{"source:claude/a/b:c#1", ""},
		// What is malformed has its violation from ArtifactTags.
		{"Lane:medium lane:ä", ""},
	}
	for _, tt := range tests {
		if got := violations(HandoffConvention(strings.Fields(tt.tags))); got != tt.want {
			t.Errorf("%s: violations\n%swant\n%s", tt.tags, got, tt.want)
		}
	}
}

func TestHandoffFields(t *testing.T) {
	tests := []struct{ tags, want string }{
		{"lane:m repo:a/b", ""},
		{"handoff", ""},
		{"reply:signal source:c/1 lane:m handoff lane:s issue:a/b#1 repo:a/b size:xl color:red",
			"lane=m size=xl repo=a/b issue=a/b#1 source=c/1 reply=signal"},
		{"handoff lane: lane:q", "lane=q"},
	}
	for _, tt := range tests {
		var got []string
		for _, f := range HandoffFields(strings.Fields(tt.tags)) {
			got = append(got, f.Name+"="+f.Value)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.tags, s, tt.want)
		}
	}
}
