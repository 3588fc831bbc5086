package parse

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// nobody hears nothing.
type nobody struct{}

func (nobody) Tag(*Tag)           {}
func (nobody) Block(*Block)       {}
func (nobody) Artifact(*Artifact) {}
func (nobody) Skip(*Skip)         {}

// prose is text as agents write it, without any signal.
var prose = func() []byte {
	var b bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&b, "Paragraph %d goes on about `parseLine()`, a Vec<String> and p95 < 20 ms.\n", i)
		b.WriteString("It has a second line, as most do.\n\n")
		b.WriteString("- a list item\n- and another <div>\n\n")
		b.WriteString("```go\nfunc (s *Scanner) Line() ([]byte, error) {\n\tfor i := s.r; i < s.w; i++ {\n\t\tif s.buf[i] == '\\n' {\n\t\t}\n\t}\n}\n```\n\n")
	}
	return b.Bytes()
}()

// wrapped is prose as a GitHub log has it.
var wrapped = func() []byte {
	var b bytes.Buffer
	for i, l := range bytes.SplitAfter(prose, []byte{'\n'}) {
		fmt.Fprintf(&b, "2026-01-18T05:46:%02d.%07dZ ", i/1000%60, i%1000*9999)
		if i%10 == 0 {
			fmt.Fprintf(&b, "\x1b[32m%s\x1b[0m\n", bytes.TrimSuffix(l, []byte{'\n'}))
			continue
		}
		b.Write(l)
	}
	return b.Bytes()
}()

// results is a transcript of tool results.
var results = func() []byte {
	var b bytes.Buffer
	b.WriteString(`{"type":"system","subtype":"init","session_id":"s"}` + "\n")
	body := strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`).Replace(string(prose[:6000]))
	for range 50 {
		b.WriteString(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"` + body + `"}]},"session_id":"s"}` + "\n")
	}
	return b.Bytes()
}()

func benchmark(b *testing.B, in []byte) {
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	s := NewScanner(nobody{}, Options{})
	s.SkipOthers()
	for b.Loop() {
		feed(s, in)
	}
}

func feed(s *Scanner, in []byte) {
	for len(in) > 0 {
		n := min(len(in), 256<<10)
		s.Write(in[:n])
		in = in[n:]
	}
}

func BenchmarkProse(b *testing.B)   { benchmark(b, prose) }
func BenchmarkWrapped(b *testing.B) { benchmark(b, wrapped) }
func BenchmarkResults(b *testing.B) { benchmark(b, results) }

// BenchmarkFile reads the file that BENCH_FILE names, such as one of a corpus.
func BenchmarkFile(b *testing.B) {
	name := os.Getenv("BENCH_FILE")
	if name == "" {
		b.Skip("BENCH_FILE names no file")
	}
	in, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, in)
}

// "Bytes that hold no signal are passed over without copying or allocating."
func TestNoAllocation(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []byte
	}{{"prose", prose}, {"wrapped", wrapped}, {"results", results}} {
		s := NewScanner(nobody{}, Options{})
		s.SkipOthers()
		feed(s, c.in) // buffers grow to what the longest line needs
		if n := testing.AllocsPerRun(5, func() { feed(s, c.in) }); n > 0 {
			t.Errorf("%s: %v allocations for %d bytes without a signal", c.name, n, len(c.in))
		}
	}
}
