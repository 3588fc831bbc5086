//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"tagscan/scripts/corpus/gen"
)

// compare compares the events of a run of tagscan with the truth about the file
// called name, and says what the first difference is. It reads line by line: this
// process must stay small.
func compare(events, corpus, name string) (tags int, diff string, err error) {
	out, err := os.Open(events)
	if err != nil {
		return 0, "", err
	}
	defer out.Close()
	truth, err := os.Open(filepath.Join(corpus, "truth-"+name+".tsv"))
	if err != nil {
		return 0, "", err
	}
	defer truth.Close()
	text, err := os.ReadFile(filepath.Join(corpus, "truth-"+name+".json"))
	if err != nil {
		return 0, "", err
	}
	var n gen.Counts
	if err := json.Unmarshal(text, &n); err != nil {
		return 0, "", err
	}
	want := bufio.NewScanner(truth)
	got := bufio.NewScanner(out)
	got.Buffer(nil, 1<<20)
	status := map[string]int{}
	for got.Scan() {
		var e struct {
			Type, Namespace, Kind, Value, Protocol string
			Line                                   int
		}
		if err := json.Unmarshal(got.Bytes(), &e); err != nil {
			return tags, fmt.Sprintf("not JSON: %.200q", got.Bytes()), nil
		}
		if e.Type != "tag" {
			status[e.Protocol]++
			continue
		}
		tags++
		line := fmt.Sprintf("%s\t%s\t%s\t%d", e.Kind, e.Value, e.Namespace, e.Line)
		if !want.Scan() {
			return tags, fmt.Sprintf("one tag too many: %q", line), want.Err()
		}
		if want.Text() != line {
			return tags, fmt.Sprintf("tag %d is %q, not %q", tags, line, want.Text()), nil
		}
	}
	if err := got.Err(); err != nil {
		return tags, "", err
	}
	switch {
	case want.Scan():
		diff = fmt.Sprintf("%d tags; the next would be %q", tags, want.Text())
	case status["agent_status"] != n.AgentStatus || status["ralph_status"] != n.RalphStatus:
		diff = fmt.Sprintf("status blocks: %v; want %d of AGENT_STATUS and %d of RALPH_STATUS", status, n.AgentStatus, n.RalphStatus)
	}
	return tags, diff, want.Err()
}
