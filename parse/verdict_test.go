package parse

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// codes remembers where the tags stood.
type codes struct {
	nobody
	got []Code
}

func (c *codes) Tag(t *Tag) { c.got = append(c.got, t.Code) }

// The reference implementation of CommonMark is the judge of what is fenced, in
// text and in the message of a transcript.
func TestVerdicts(t *testing.T) {
	name := "block/testdata/verdicts.jsonl.gz"
	if all := os.Getenv("VERDICTS"); all != "" {
		name = all // a longer list, not compressed
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		lines = bufio.NewScanner(z)
	}
	n := 0
	for lines.Scan() {
		var d struct {
			Src    string
			Fenced bool
		}
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		n++
		record, _ := json.Marshal(map[string]any{
			"type": "assistant", "session_id": "s",
			"message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": d.Src}}},
		})
		for _, in := range []struct {
			name string
			text string
			from string
		}{{"text", d.Src, "text"}, {"transcript", string(record) + "\n", ""}} {
			var c codes
			s := NewScanner(&c, Options{From: in.from})
			s.Write([]byte(in.text))
			s.Close()
			if len(c.got) != 1 || (c.got[0] == CodeFence) != d.Fenced {
				t.Errorf("%s: fenced should be %t: %v\n%q", in.name, d.Fenced, c.got, d.Src)
			}
		}
	}
	if n == 0 {
		t.Error("no verdicts")
	}
}
