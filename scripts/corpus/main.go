// Command corpus writes the inputs that tagscan is measured on, and what a
// right reader finds in them:
//
//	go run ./scripts/corpus -out DIR [-size-mb 256] [-seed 1] [-only text,ci,json]
//
//	text.md      prose, lists and fenced code, as agents write them
//	ci.log       the same as a GitHub Actions log: timestamps, colours, step groups
//	stream.jsonl the same as `claude --output-format stream-json` prints it, most of
//	             it tool results
//
// Beside each NAME stand truth-NAME.tsv, a line for every tag (kind, value,
// namespace, line; in order, repeats included, as `tagscan --all` prints them),
// and truth-NAME.json, counters: bytes, lines, tags, status blocks, decoys.
//
// The same arguments give the same bytes on every machine. Everything is made up.
// The truth is known while a text is made, not found in it by reading, and holds
// only what the CommonMark rules leave no doubt of.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tagscan/scripts/corpus/gen"
)

func main() {
	out := flag.String("out", "", "the `DIR` to write to")
	size := flag.Int64("size-mb", 256, "the size of each file, in MiB")
	seed := flag.Uint64("seed", 1, "what the random numbers begin with")
	only := flag.String("only", "text,ci,json", "which files")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 || *size < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*out, *size<<20, *seed, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(dir string, size int64, seed uint64, only []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, what := range only {
		name, ok := gen.Files[what]
		if !ok {
			return fmt.Errorf("-only %s: there is text, ci and json", what)
		}
		if err := write(dir, what, name, size, seed); err != nil {
			return err
		}
	}
	return nil
}

func write(dir, what, name string, size int64, seed uint64) (err error) {
	create := func(name string) *os.File {
		f, e := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = e
		}
		return f
	}
	data, tsv, counts := create(name), create("truth-"+name+".tsv"), create("truth-"+name+".json")
	if err == nil {
		err = gen.Write(what, size, seed, data, tsv, counts)
	}
	for _, f := range []*os.File{data, tsv, counts} {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	return err
}
