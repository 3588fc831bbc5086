package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tagscan/emit"
	"tagscan/emit/scan"
	"tagscan/emit/schema/schematest"
	"tagscan/parse/cuttest"
)

var update = flag.Bool("update", false, "write what comes out over the expectations of testdata/scan")

// TestGolden scans the input of each case of testdata/scan, cut in every way:
// what comes out is expect.ndjson to the byte. A case has its flags in cmd and,
// in note.md, what it shows.
func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob("testdata/scan/*/input.*")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, input := range inputs {
		dir := filepath.Dir(input)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if len(read(t, filepath.Join(dir, "note.md"))) == 0 {
				t.Error("note.md says nothing")
			}
			args, err := os.ReadFile(filepath.Join(dir, "cmd"))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			golden(t, string(args), read(t, input), filepath.Join(dir, "expect.ndjson"))
		})
	}
}

// TestDemo scans the transcripts that the README shows.
func TestDemo(t *testing.T) {
	for _, name := range []string{"testdata/demo.md", "testdata/demo.jsonl"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			golden(t, "", read(t, name), name+".ndjson")
		})
	}
}

func golden(t *testing.T, args string, input []byte, expect string) {
	if *update {
		if err := os.WriteFile(expect, scanned(t, args, input, cuttest.All[0]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := read(t, expect)
	schematest.ValidateLines(t, want)
	for _, cut := range append(cuttest.All, cuttest.Random(uint64(len(input)), 99)) {
		equal(t, "cut into "+cut.Name, scanned(t, args, input, cut), want)
	}
	// "\r\n or lone \r turned into line ends": an input that has a CR of its own
	// has no other form, nor has UTF-16.
	if !bytes.ContainsAny(input, "\r\x00") {
		crlf := bytes.ReplaceAll(input, []byte("\n"), []byte("\r\n"))
		equal(t, "with CRLF", scanned(t, args, crlf, cuttest.All[0]), want)
		equal(t, "with CRLF, cut into bytes", scanned(t, args, crlf, cuttest.All[1]), want)
	}
}

// scanned is what a scan with the flags args makes of input.
func scanned(t *testing.T, args string, input []byte, cut cuttest.Cut) []byte {
	t.Helper()
	ctx, err := new(app).parser("scan").Parse(append([]string{"scan"}, strings.Fields(args)...))
	if err != nil {
		t.Fatal(err)
	}
	flags := ctx.Selected().Target.Addr().Interface().(*scanCmd)
	o, err := flags.options(flags.Tag)
	if err != nil {
		t.Fatal(err)
	}
	o.Skipped = flags.Skipped
	var out bytes.Buffer
	sink := emit.NewWriter(&out)
	c := scan.New("", sink, o)
	cut.Into(input, func(p []byte) { c.Write(p) })
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := sink.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// equal compares line by line, so that a difference can be read.
func equal(t *testing.T, how string, got, want []byte) {
	t.Helper()
	g, w := strings.SplitAfter(string(got), "\n"), strings.SplitAfter(string(want), "\n")
	for i := range max(len(g), len(w)) {
		var gi, wi string
		if i < len(g) {
			gi = g[i]
		}
		if i < len(w) {
			wi = w[i]
		}
		if gi != wi {
			t.Fatalf("%s, line %d:\n got %swant %s", how, i+1, gi, wi)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
