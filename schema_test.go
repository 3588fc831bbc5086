package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tagscan/emit/schema/schematest"
)

// Every line that the project shows as output has a published shape: those of
// README and of the golden files. Scripts hold input, too, under names of their
// own; what they expect is in files called events, snapshot and the like.
func TestShownLines(t *testing.T) {
	n := 0
	check := func(name string, text []byte) {
		for i, line := range strings.Split(string(text), "\n") {
			if !strings.HasPrefix(line, `{"type":"`) || !strings.HasSuffix(line, "}") {
				continue
			}
			n++
			if err := schematest.Check([]byte(line)); err != nil {
				t.Errorf("%s:%d: %v", name, i+1, err)
			}
		}
	}
	files := []string{"README.md"}
	filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".ndjson") || strings.HasSuffix(path, ".txtar")) {
			files = append(files, path)
		}
		return err
	})
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		check(name, text)
	}
	if n < 100 {
		t.Errorf("only %d lines", n)
	}
}
