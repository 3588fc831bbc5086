package jq

import (
	"bytes"
	"io"
	"testing"
)

var benchEvent = []byte(`{"type":"tag","namespace":"jackin","kind":"pr","value":"https://github.com/acme/core/pull/520","host":"github.com","repo":"acme/core","number":520,"provenance":"agent","line":12}`)

func BenchmarkDecode(b *testing.B) {
	for name, want := range map[string]map[string]bool{"all": nil, "two": {"kind": true, "repo": true}} {
		b.Run(name, func(b *testing.B) {
			var d decoder
			m := make(map[string]any)
			b.SetBytes(int64(len(benchEvent)))
			b.ReportAllocs()
			for b.Loop() {
				clear(m)
				if _, ok := d.event(benchEvent, want, m); !ok {
					b.Fatal("no event")
				}
			}
		})
	}
}

func BenchmarkFilter(b *testing.B) {
	const events = 20_000
	in := bytes.Repeat(append(bytes.Clone(benchEvent), '\n'), events)
	for _, expr := range []string{`.value`, `.`, `select(.kind == "pr") | {repo, number}`} {
		b.Run(expr, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				f, err := NewFilter(expr, FilterOptions{}, io.Discard, io.Discard)
				if err != nil {
					b.Fatal(err)
				}
				f.Write(in)
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
		})
	}
}
