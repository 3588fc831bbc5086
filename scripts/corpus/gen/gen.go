// Package gen makes the texts of the corpus together with the truth about them.
package gen

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
)

// Files are the names of the files by what they hold.
var Files = map[string]string{"text": "text.md", "ci": "ci.log", "json": "stream.jsonl"}

// Counts are the counters of a file.
type Counts struct {
	Bytes       int64 `json:"bytes"`
	Lines       int   `json:"lines"`
	Tags        int   `json:"tags"`
	AgentStatus int   `json:"agent_status"`
	RalphStatus int   `json:"ralph_status"`
	Decoys      int   `json:"decoys"` // what looks like a signal and is none
	// Of stream.jsonl alone.
	BigLines     int `json:"lines_over_1mb,omitempty"`
	EscapedLines int `json:"lines_with_u003c,omitempty"`
	TypeLast     int `json:"lines_with_type_last,omitempty"`
	Nested       int `json:"nested_transcripts,omitempty"`
}

// Write writes a file of about size bytes to data, its tags to tsv and its
// counters to counts. What is one of "text", "ci" and "json".
func Write(what string, size int64, seed uint64, data, tsv, counts io.Writer) error {
	o := &output{data: bufio.NewWriterSize(data, 1<<20), tsv: bufio.NewWriterSize(tsv, 1<<16)}
	g := newGenerator(seed)
	switch what {
	case "text":
		writeText(g, o, size)
	case "ci":
		writeCI(g, o, size)
	case "json":
		writeJSON(g, o, size)
	default:
		return fmt.Errorf("%q: there is text, ci and json", what)
	}
	o.n.Decoys = g.decoys
	for _, w := range []*bufio.Writer{o.data, o.tsv} {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(&o.n, "", " ")
	if err != nil {
		return err
	}
	_, err = counts.Write(append(b, '\n'))
	return err
}

// An output is where a file and its truth go. Write errors are kept by the
// buffers and come out when they are flushed.
type output struct {
	data, tsv *bufio.Writer
	n         Counts
}

// write writes whole lines.
func (o *output) write(b []byte) {
	o.data.Write(b)
	o.n.Bytes += int64(len(b))
	o.n.Lines += bytes.Count(b, []byte{'\n'})
}

// found notes the signals of t, which begins on the next line; or, when all of
// it is one record, stands on it.
func (o *output) found(t *text, record bool) {
	line, from := o.n.Lines+1, 0
	for _, tag := range t.tags {
		if !record {
			line += bytes.Count(t.b[from:tag.at], []byte{'\n'})
			from = tag.at
		}
		fmt.Fprintf(o.tsv, "%s\t%s\t%s\t%d\n", tag.kind, tag.value, tag.namespace, line)
	}
	o.n.Tags += len(t.tags)
	o.n.AgentStatus += t.agent
	o.n.RalphStatus += t.ralph
}

// A random is a source of random numbers whose methods are our own, so that
// they stay the same with every version of Go.
type random struct{ src *rand.PCG }

// n returns a number in [0,n).
func (r random) n(n int) int {
	hi, _ := bits.Mul64(r.src.Uint64(), uint64(n))
	return int(hi)
}

// in returns a number in [lo,hi].
func (r random) in(lo, hi int) int { return lo + r.n(hi-lo+1) }

// once is true once in n times.
func (r random) once(n int) bool { return r.n(n) == 0 }

// size returns a size of which the half are below mid, and few near max.
func (r random) size(mid, max int) int {
	n := mid
	for range 6 {
		switch r.n(4) {
		case 0:
			n /= 2
		case 1:
			n *= 2
		}
	}
	return min(n+r.n(mid), max)
}

func pick[T any](r random, of []T) T { return of[r.n(len(of))] }

func writeText(g *generator, o *output, size int64) {
	for o.n.Bytes < size {
		g.t.reset()
		g.segment()
		o.found(&g.t, false)
		o.write(g.t.b)
	}
}
