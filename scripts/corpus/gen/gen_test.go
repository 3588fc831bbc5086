package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"tagscan/emit"
	"tagscan/emit/scan"
)

// TestTruth compares what tagscan finds with what was put in.
func TestTruth(t *testing.T) {
	for what := range Files {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s/%d", what, seed), func(t *testing.T) {
				var data, tsv, counts bytes.Buffer
				if err := Write(what, 2<<20, seed, &data, &tsv, &counts); err != nil {
					t.Fatal(err)
				}
				got, status := found(t, data.Bytes())
				want := strings.SplitAfter(tsv.String(), "\n")
				for i := range max(len(got), len(want)-1) {
					if i >= len(got) || i >= len(want)-1 || got[i] != want[i] {
						t.Fatalf("tag %d:\n%q\nwant\n%q", i, got[min(i, len(got)):min(i+1, len(got))], want[i])
					}
				}
				var n Counts
				if err := json.Unmarshal(counts.Bytes(), &n); err != nil {
					t.Fatal(err)
				}
				want2 := map[string]int{"agent_status": n.AgentStatus, "ralph_status": n.RalphStatus}
				if fmt.Sprint(status) != fmt.Sprint(want2) {
					t.Errorf("status blocks: %v, want %v", status, want2)
				}
				if n.Tags != len(got) || n.Tags < 40 || n.Decoys < 40 {
					t.Errorf("counters: %+v, and %d tags", n, len(got))
				}
				if n.Bytes != int64(data.Len()) || n.Lines != bytes.Count(data.Bytes(), []byte("\n")) {
					t.Errorf("counters: %+v; there are %d bytes and %d lines", n, data.Len(), bytes.Count(data.Bytes(), []byte("\n")))
				}
			})
		}
	}
}

// found returns the lines of the truth as a Converter sees them, and how many
// status blocks there are of each protocol.
func found(t *testing.T, data []byte) (tags []string, status map[string]int) {
	var out bytes.Buffer
	sink := emit.NewWriter(&out)
	c := scan.New("", sink, scan.Options{All: true})
	if _, err := c.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := sink.Flush(); err != nil {
		t.Fatal(err)
	}
	status = map[string]int{"agent_status": 0, "ralph_status": 0}
	for l := range bytes.Lines(out.Bytes()) {
		var e struct {
			Type, Kind, Value, Namespace, Protocol string
			Line                                   int
		}
		if err := json.Unmarshal(l, &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "tag" {
			tags = append(tags, fmt.Sprintf("%s\t%s\t%s\t%d\n", e.Kind, e.Value, e.Namespace, e.Line))
		} else {
			status[e.Protocol]++
		}
	}
	return tags, status
}

// TestSame writes a file twice.
func TestSame(t *testing.T) {
	for what := range Files {
		var a, b, truth, truth2 bytes.Buffer
		Write(what, 256<<10, 7, &a, &truth, io.Discard)
		Write(what, 256<<10, 7, &b, &truth2, io.Discard)
		if !bytes.Equal(a.Bytes(), b.Bytes()) || !bytes.Equal(truth.Bytes(), truth2.Bytes()) {
			t.Errorf("%s: the same arguments gave other bytes", what)
		}
		b.Reset()
		Write(what, 256<<10, 8, &b, io.Discard, io.Discard)
		if bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: another seed gave the same bytes", what)
		}
	}
}

// TestJSON reads the records as encoding/json does.
func TestJSON(t *testing.T) {
	var data bytes.Buffer
	if err := Write("json", 4<<20, 1, &data, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	types := map[string]int{}
	for l := range bytes.Lines(data.Bytes()) {
		var r struct{ Type string }
		if err := json.Unmarshal(l, &r); err != nil {
			t.Fatalf("%v: %.200s", err, l)
		}
		types[r.Type]++
	}
	if len(types) != 4 || types["system"] != types["result"] {
		t.Errorf("records: %v; want system, assistant, user and result", types)
	}
}
