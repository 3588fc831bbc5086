package scan_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"tagscan/emit"
	"tagscan/emit/scan"
	"tagscan/parse"
	"tagscan/parse/cuttest"
)

// fuzzOptions are the options that the bits of n choose.
func fuzzOptions(n uint16) scan.Options {
	o := scan.Options{
		Skipped: n&1 != 0,
		All:     n&2 != 0,
		Code:    []string{"skip", "emit", "strict", "skip"}[n>>2&3],
		Parse: parse.Options{
			Namespaces: []string{"acme", "j"},
			Tags:       []string{"promise", "j"},
		},
	}
	if n&16 != 0 {
		o.Parse.Roles = []string{"assistant", "tool", "user", "thinking", "system"}
	}
	if n&32 != 0 {
		o.Parse.MaxRecord = 300
	}
	if n&64 != 0 {
		o.Parse.Prefixes = []*regexp.Regexp{prefix()}
	}
	if n&128 != 0 {
		o.Parse.From = parse.Formats()[int(n>>8)%len(parse.Formats())]
	}
	return o
}

var prefix = sync.OnceValue(func() *regexp.Regexp {
	re, err := parse.CompilePrefix(`[a-z]+ \| `)
	if err != nil {
		panic(err)
	}
	return re
})

// events scans b, cut into pieces, and returns the lines that come out.
func events(t *testing.T, b []byte, o scan.Options, cut cuttest.Cut) []byte {
	var out bytes.Buffer
	sink := emit.NewWriter(&out)
	c := scan.New("", sink, o)
	cut.Into(b, func(p []byte) {
		if n, err := c.Write(p); n != len(p) || err != nil {
			t.Fatalf("Write of %d bytes: %d, %v", len(p), n, err)
		}
	})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := sink.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// check scans b in several cuttings: the same lines come out, and each is a
// line of JSON that prints as one.
func check(t *testing.T, b []byte, o scan.Options, seed uint64) {
	t.Helper()
	want := events(t, b, o, cuttest.All[0])
	for line := range bytes.Lines(want) {
		if bad := badLine(line); bad != "" {
			t.Fatalf("%s: %q", bad, line)
		}
	}
	cuts := append(slices.Clone(cuttest.All[1:]), cuttest.Random(seed, 9), cuttest.Random(seed, 200))
	for _, cut := range cuts {
		o.Transient = !o.Transient // nor does it depend on what is copied
		if got := events(t, b, o, cut); !bytes.Equal(got, want) {
			t.Fatalf("cut into %s:\n%s\nwhole:\n%s", cut.Name, got, want)
		}
	}
}

// badLine says what is wrong with a line of output: "One JSON object a line,
// UTF-8, \n-terminated; U+2028, U+2029 and every control character (DEL and C1
// too) escaped."
func badLine(line []byte) string {
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	switch {
	case !ended:
		return "does not end"
	case !utf8.Valid(line):
		return "is not UTF-8"
	case !json.Valid(line) || line[0] != '{':
		return "is not a JSON object"
	case bytes.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }):
		return "has a control character"
	}
	return ""
}

// fixtures are the inputs of the golden cases and the transcripts.
var fixtures = sync.OnceValue(func() (inputs [][]byte) {
	add := func(root string, is func(name string) bool) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !is(d.Name()) {
				return err
			}
			b, err := os.ReadFile(path)
			inputs = append(inputs, b)
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	add("../../testdata/scan", func(name string) bool { return strings.HasPrefix(name, "input") })
	add("../../parse/transcript/testdata", func(name string) bool { return !strings.HasSuffix(name, ".want") })
	return inputs
})

// FuzzConverter: what comes out is lines of JSON, and does not depend on how
// the input is cut.
func FuzzConverter(f *testing.F) {
	for i, b := range fixtures() {
		if len(b) > 16<<10 {
			continue // it would be cut into bytes again and again
		}
		f.Add(b, uint16(i), uint64(i))
		f.Add(b, uint16(i|1), uint64(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, options uint16, seed uint64) {
		check(t, b, fuzzOptions(options), seed)
	})
}

// FuzzSplice is FuzzConverter of fixtures that were cut up, put together and
// damaged, which bytes by themselves seldom come to look like.
func FuzzSplice(f *testing.F) {
	for i := range 64 {
		f.Add(uint64(i), uint16(i), []byte("```\n"))
	}
	f.Fuzz(func(t *testing.T, seed uint64, options uint16, noise []byte) {
		check(t, splice(seed, noise), fuzzOptions(options), seed)
	})
}

// splice puts pieces of fixtures together, whole lines or not, with noise
// between them and some bytes changed.
func splice(seed uint64, noise []byte) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b []byte
	for range 1 + r.IntN(5) {
		in := fixtures()[r.IntN(len(fixtures()))]
		from, to := r.IntN(len(in)+1), r.IntN(len(in)+1)
		if from > to {
			from, to = to, from
		}
		to = min(to, from+4096)
		if r.IntN(2) == 0 { // from the start of a line
			from = bytes.LastIndexByte(in[:from], '\n') + 1
		}
		b = append(b, in[from:to]...)
		switch r.IntN(4) {
		case 0:
			b = append(b, noise...)
		case 1:
			b = append(b, '\n')
		}
	}
	for range r.IntN(4) {
		if len(b) > 0 {
			b[r.IntN(len(b))] = "\n\r\x1b\x00`<>{}\"\\ \xff-:"[r.IntN(15)]
		}
	}
	return b
}
