package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"

	"tagscan/emit/exit"
	"tagscan/emit/schema"
	"tagscan/emit/state"
	"tagscan/emit/usage"
	"tagscan/parse"
	"tagscan/parse/transcript"
)

// TestScripts runs the command lines of testdata/cli.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/cli"})
}

// TestHelpFits holds the help of every command to a screen of 24 lines of 80
// columns.
func TestHelpFits(t *testing.T) {
	var check func(n *kong.Node)
	check = func(n *kong.Node) {
		var b bytes.Buffer
		if err := usage.Help(&b, n); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) > 24 {
			t.Errorf("%s --help has %d lines", n.FullPath(), len(lines))
		}
		for _, line := range lines {
			if w := utf8.RuneCountInString(line); w > 80 {
				t.Errorf("%s --help: %d columns: %s", n.FullPath(), w, line)
			}
		}
		for _, f := range n.Flags {
			if f.Help == "" {
				t.Errorf("%s %s has no help", n.FullPath(), f.Name)
			}
		}
		for _, c := range n.Children {
			check(c)
		}
	}
	check(new(app).parser("").Model.Node)
}

// TestOneCommand holds the parser of one command to what it is in that of all.
func TestOneCommand(t *testing.T) {
	whole := new(app).parser("").Model
	for i, c := range commands {
		alone := new(app).parser(c.name).Model
		if len(alone.Children) != 1 {
			t.Fatalf("%s: %d commands", c.name, len(alone.Children))
		}
		var a, b bytes.Buffer
		usage.Help(&a, alone.Children[0])
		usage.Help(&b, whole.Children[i])
		if a.String() != b.String() {
			t.Errorf("%s: the help differs:\n%s\n%s", c.name, &a, &b)
		}
	}
}

// TestVocabularies holds the words in the grammar and in the schema, which are
// text, to the lists that the packages know.
func TestVocabularies(t *testing.T) {
	var roles []string
	for r := transcript.Assistant; r <= transcript.System; r <<= 1 {
		roles = append(roles, r.String())
	}
	for _, v := range []struct {
		command, name string // of a flag or of an argument
		want          []string
	}{
		{"scan", "from", parse.Formats()},
		{"scan", "role", roles},
		{"snapshot", "format", append([]string{"auto"}, state.Formats...)},
		{"completion", "SHELL", usage.Shells},
	} {
		found := false
		node := new(app).parser(v.command).Model.Children[0]
		values := slices.Clone(node.Positional)
		for _, f := range node.Flags {
			values = append(values, f.Value)
		}
		for _, value := range values {
			if value.Name == v.name {
				found = true
				if !slices.Equal(value.EnumSlice(), v.want) {
					t.Errorf("%s, %s: %q, want %q", v.command, v.name, value.EnumSlice(), v.want)
				}
			}
		}
		if !found {
			t.Errorf("%s has no %s", v.command, v.name)
		}
	}
	var s struct {
		Defs struct{ Format struct{ Enum []string } } `json:"$defs"`
	}
	if err := json.Unmarshal(schema.JSON, &s); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Defs.Format.Enum, parse.Formats()[2:]; !slices.Equal(got, want) { // without auto and text
		t.Errorf("the schema's formats are %q, want %q", got, want)
	}
}

// TestMaxRecord holds the default in the grammar, which is text, to parse's.
func TestMaxRecord(t *testing.T) {
	ctx, err := new(app).parser("scan").Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := ctx.Selected().Target.Addr().Interface().(*scanCmd).MaxRecord; got != parse.DefaultMaxRecord {
		t.Errorf("--max-record is %d, want %d", got, parse.DefaultMaxRecord)
	}
}

// TestPrefixes: of more prefixes than can be told apart none is taken off twice.
func TestPrefixes(t *testing.T) {
	f := scanFlags{MaxRecord: 1, StripPrefix: make([]string, parse.MaxPrefixes)}
	if _, err := f.options(nil); err != nil {
		t.Error(err)
	}
	f.StripPrefix = append(f.StripPrefix, "x")
	if _, err := f.options(nil); exit.Status(err) != exit.Usage || !strings.Contains(err.Error(), "--strip-prefix is given 65 times") {
		t.Errorf("%d prefixes: %v", len(f.StripPrefix), err)
	}
}
