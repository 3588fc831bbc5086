package route

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestPacks runs each pack over its table of events and queues. A pack is a
// rule file as a user writes one, so it is run as one, too.
func TestPacks(t *testing.T) {
	for _, p := range ListPacks() {
		t.Run(p.Name, func(t *testing.T) {
			table, err := os.ReadFile("testdata/packs/" + p.Name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			var queues []string
			var input strings.Builder
			for line := range strings.Lines(string(table)) {
				if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
					continue
				}
				queue, event, _ := strings.Cut(line, " ")
				queues = append(queues, queue)
				input.WriteString(strings.TrimSpace(event) + "\n")
			}
			for _, opts := range []Options{{Pack: p.Name}, {File: "packs/" + p.Name + ".json"}} {
				opts.Trace = true
				var out, errw bytes.Buffer
				if err := Run(opts, strings.NewReader(input.String()), &out, &errw); err != nil || errw.Len() > 0 {
					t.Fatalf("%v %s", err, errw.String())
				}
				lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
				if len(lines) != len(queues) {
					t.Fatalf("%d events came out, want %d", len(lines), len(queues))
				}
				for i, line := range lines {
					var e struct {
						Route struct {
							Queue  string
							Action struct {
								Queue string
								Drop  bool
							}
						}
					}
					if err := json.Unmarshal([]byte(line), &e); err != nil {
						t.Fatal(err)
					}
					got := e.Route.Queue
					if e.Route.Action.Drop {
						got = "-"
					}
					if got != queues[i] {
						t.Errorf("%s went to %q, want %q", line, got, queues[i])
					}
				}
			}
		})
	}
}

func TestShowPack(t *testing.T) {
	for _, p := range ListPacks() {
		text, err := ShowPack(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Load(text)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		// Every queue that the summary names is there, and every rule has a name.
		for _, rule := range r.Rules {
			if rule.Name == "" || !rule.Action.Drop && !strings.Contains(p.Summary, rule.Action.Queue) {
				t.Errorf("%s: rule %s: name %q, queue %q", p.Name, rule.ID, rule.Name, rule.Action.Queue)
			}
		}
	}
	if _, err := ShowPack("../packs/links"); err == nil {
		t.Error("shown")
	}
}
