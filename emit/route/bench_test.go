package route

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// Rules as people write them, and some that only gojq's machine can evaluate.
var benchRules = map[string][]string{
	"keys": {
		`.kind == "pr" and (.repo // "" | startswith("acme/core1"))`, `.type == "status" and (.valid | not)`, `.number != null and .number < 10`,
		`any(.tags[]?; . == "lane:m")`, `.kind == "pr" and (.value | test("/pull/1[0-9]{5}$"))`, `(.value | length) > 100`, `.role == "tool" or .role == "user"`,
	},
	"machine": {
		`[.tags[]?] | length > 2`, `(.value | split("/") | .[3]) == "nobody"`, `.number + 1 < 5`, `[.repo, .host] | join("/") == "x"`, `keys | length > 60`,
	},
}

// BenchmarkRun counts the parent's and the worker's work together: they share
// the machine.
func BenchmarkRun(b *testing.B) {
	var in bytes.Buffer
	const events = 20_000
	for i := range events {
		fmt.Fprintf(&in, `{"type":"tag","namespace":"jackin","kind":"issue","value":"https://github.com/acme/core/issues/%d","host":"github.com","repo":"acme/core","number":%d,"provenance":"agent","line":%d}`+"\n", i, i+10, i)
	}
	for name, exprs := range benchRules {
		b.Run(name, func(b *testing.B) {
			var file bytes.Buffer
			file.WriteString(`{"rules":[`)
			for i, e := range exprs {
				if i > 0 {
					file.WriteByte(',')
				}
				fmt.Fprintf(&file, `{"id":"r%d","expr":%q,"action":{"queue":"q"}}`, i, e)
			}
			file.WriteString(`]}`)
			rules := b.TempDir() + "/rules.json"
			writeFile(b, rules, file.String())
			b.SetBytes(int64(in.Len()))
			for b.Loop() {
				if err := Run(Options{File: rules}, bytes.NewReader(in.Bytes()), io.Discard, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
		})
	}
}
