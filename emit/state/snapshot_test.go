package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"tagscan/emit/exit"
)

// set makes a bound small for one test.
func setBound(t *testing.T, bound *int, n int) {
	old := *bound
	*bound = n
	t.Cleanup(func() { *bound = old })
}

func tag(kind, value string, more ...string) string {
	line, _ := json.Marshal(map[string]string{"v": value})
	return fmt.Sprintf(`{"type":"tag","namespace":"jackin","kind":%q,"value":%s,"provenance":"agent"%s}`+"\n",
		kind, line[len(`{"v":`):len(line)-1], strings.Join(more, ""))
}

func block(status string, more ...string) string {
	return fmt.Sprintf(`{"type":"status","protocol":"agent_status","status":%q,"valid":true,"streak":{"status":1,"no_progress":0},"provenance":"agent"%s}`+"\n",
		status, strings.Join(more, ""))
}

func setTo(kind, value string) string { return mustRepair("set", kind, value) }
func unset(kind, value string) string { return mustRepair("unset", kind, value) }
func pull(n int) string               { return fmt.Sprintf("https://github.com/acme/core/pull/%d", n) }
func run(o SnapshotOptions, in string) (out, errs string, err error) {
	var stdout, stderr bytes.Buffer
	err = RunSnapshot(o, strings.NewReader(in), &stdout, &stderr)
	return stdout.String(), stderr.String(), err
}

func mustRepair(op, kind, value string) string {
	b, err := Repair(op, kind, value)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// shown is the part of a snapshot that the table below compares: values, those
// of the operator marked with !, those of sub-agents alone with ~.
func shown(t *testing.T, out string) map[string]string {
	t.Helper()
	type val struct {
		Value, Provenance, Agent string
	}
	var s struct {
		Type                  string
		Repo, Issue, PR, Link []val
		Status                *val
		AgentStatus           map[string]any `json:"agent_status"`
		Sessions              []map[string]any
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil || s.Type != "snapshot" {
		t.Fatalf("no snapshot: %v: %s", err, out)
	}
	got := map[string]string{}
	put := func(kind string, vals ...val) {
		for _, v := range vals {
			mark := map[string]string{"agent": "", "operator": "!"}[v.Provenance]
			if v.Agent != "" {
				mark += "~"
			}
			got[kind] = strings.TrimSpace(got[kind] + " " + mark + v.Value)
		}
	}
	put("repo", s.Repo...)
	put("issue", s.Issue...)
	put("pr", s.PR...)
	put("link", s.Link...)
	if s.Status != nil {
		put("status", *s.Status)
	}
	if s.AgentStatus != nil {
		got["block"] = fmt.Sprint(s.AgentStatus["status"])
	}
	for _, b := range s.Sessions {
		got["sessions"] = strings.TrimSpace(got["sessions"] + fmt.Sprintf(" %v:%v", b["session"], b["status"]))
	}
	return got
}

func TestSnapshot(t *testing.T) {
	type want = map[string]string
	sub := `,"agent":"toolu_1"`
	for _, tt := range []struct {
		name string
		opts SnapshotOptions
		in   string
		want want
	}{
		{"nothing", SnapshotOptions{}, "", want{}},
		{"all kinds", SnapshotOptions{},
			tag("repo", "/w/core") + tag("issue", "https://github.com/acme/core/issues/42") + tag("pr", pull(520)) +
				tag("link", "https://a.dev/x") + tag("status", "testing") + tag("other", "x") + block("IN_PROGRESS"),
			want{"repo": "/w/core", "issue": "https://github.com/acme/core/issues/42", "pr": pull(520),
				"link": "https://a.dev/x", "status": "testing", "block": "IN_PROGRESS"}},
		{"a repeat keeps its place", SnapshotOptions{},
			tag("pr", pull(1)) + tag("pr", pull(2)) + tag("pr", "https://github.com/ACME/Core/pull/1", `,"repeat":true`),
			want{"pr": pull(1) + " " + pull(2)}},
		{"the path of another host keeps its case", SnapshotOptions{},
			tag("repo", "https://git.dev/A/b") + tag("repo", "https://git.dev/a/b"),
			want{"repo": "https://git.dev/A/b https://git.dev/a/b"}},
		{"the status is the newest", SnapshotOptions{},
			tag("status", "a") + tag("status", "b") + tag("status", "a"), want{"status": "a"}},
		{"no value is believed", SnapshotOptions{},
			tag("pr", "javascript:alert(1)") + tag("pr", "https://u:p@a.dev/") + tag("pr", "https://github.com/acme/core/issues/1") +
				tag("repo", "rel/path") + tag("link", "") + tag("pr", "https://github.com/example/example-core/pull/12345") +
				tag("status", "a\u202eb") + `{"type":"tag","kind":"pr","value":7}` + "\n",
			want{}},
		{"a value is made canonical", SnapshotOptions{}, tag("pr", pull(1)+"/files#x"), want{"pr": pull(1)}},
		{"entities are not decoded again", SnapshotOptions{}, tag("link", "https://a.dev/?a=&lt;&b=&amp;"),
			want{"link": "https://a.dev/?a=&lt;&b=&amp;"}},
		{"a value whose bytes were invalid is longer than it was", SnapshotOptions{}, tag("status", strings.Repeat("\ufffd", 4096)),
			want{"status": strings.Repeat("\ufffd", 4096)}},
		{"provenance is not believed", SnapshotOptions{},
			`{"type":"tag","kind":"pr","value":"` + pull(1) + `","provenance":"operator"}` + "\n", want{"pr": pull(1)}},

		{"the newest valid block", SnapshotOptions{},
			block("IN_PROGRESS") + block("COMPLETE") + `{"type":"status","status":"FAILED","valid":false,"violations":[{"reason":"duplicate"}]}` + "\n",
			want{"block": "COMPLETE"}},
		{"valid with violations is not", SnapshotOptions{},
			block("BLOCKED") + block("COMPLETE", `,"violations":[{}]`) + `{"type":"status","status":"COMPLETE"}` + "\n" +
				`{"type":"status","status":"COMPLETE","valid":"true"}` + "\n", want{"block": "BLOCKED"}},
		{"of a repeated key the last wins, keys are exact", SnapshotOptions{},
			`{"type":"x","TYPE":"status","type":"status","Valid":false,"valid":true,"st\u0061tus":"FAILED","STATUS":"COMPLETE"}` + "\n",
			want{"block": "FAILED"}},

		{"a sub-agent's block and status are its own", SnapshotOptions{},
			block("IN_PROGRESS") + block("COMPLETE", sub) + tag("status", "main") + tag("status", "sub", sub),
			want{"block": "IN_PROGRESS", "status": "main"}},
		{"its values are the run's", SnapshotOptions{},
			tag("pr", pull(1), sub) + tag("pr", pull(2)) + tag("pr", pull(3), sub) + tag("pr", pull(3)),
			want{"pr": "~" + pull(1) + " " + pull(2) + " " + pull(3)}},
		{"--agent any", SnapshotOptions{Agent: "any"},
			block("IN_PROGRESS") + block("COMPLETE", sub) + tag("status", "main") + tag("status", "sub", sub),
			want{"block": "COMPLETE", "status": "sub"}},
		{"--agent ID", SnapshotOptions{Agent: "toolu_1"},
			block("COMPLETE", sub) + block("IN_PROGRESS") + block("FAILED", `,"agent":"sidechain"`) + tag("status", "main"),
			want{"block": "COMPLETE"}},
		{"nor is one whose name is endless", SnapshotOptions{},
			block("BLOCKED", `,"agent":""`) + block("COMPLETE", `,"agent":"`+strings.Repeat("x", maxString)+`"`), want{"block": "BLOCKED"}},
		{"an agent that is no text is not the main agent", SnapshotOptions{},
			block("BLOCKED", `,"agent":null`) + block("COMPLETE", `,"agent":{"id":1}`), want{"block": "BLOCKED"}},

		{"one session is not several", SnapshotOptions{},
			block("IN_PROGRESS", `,"session":"a"`) + block("COMPLETE", `,"session":"a"`), want{"block": "COMPLETE"}},
		{"sessions in their order", SnapshotOptions{},
			block("IN_PROGRESS", `,"session":"a"`) + block("FAILED", `,"session":"b"`) + block("COMPLETE", `,"session":"a"`),
			want{"block": "COMPLETE", "sessions": "a:COMPLETE b:FAILED"}},
		{"a sub-agent's session is none", SnapshotOptions{},
			block("IN_PROGRESS", `,"session":"a"`) + block("COMPLETE", sub, `,"session":"b"`), want{"block": "IN_PROGRESS"}},

		{"set replaces", SnapshotOptions{}, tag("pr", pull(1)) + tag("pr", pull(2)) + setTo("pr", pull(9)), want{"pr": "!" + pull(9)}},
		{"set before", SnapshotOptions{}, setTo("pr", pull(9)) + tag("pr", pull(1)), want{"pr": "!" + pull(9)}},
		{"set of what an agent said", SnapshotOptions{}, setTo("pr", pull(1)) + tag("pr", pull(1)), want{"pr": "!" + pull(1)}},
		{"the later set wins", SnapshotOptions{}, setTo("pr", pull(8)) + setTo("pr", pull(9)), want{"pr": "!" + pull(9)}},
		{"of its kind", SnapshotOptions{}, setTo("pr", pull(8)) + setTo("status", "held"),
			want{"pr": "!" + pull(8), "status": "!held"}},
		{"unset a value", SnapshotOptions{}, tag("pr", pull(1)) + tag("pr", pull(2)) + unset("pr", "https://github.com/Acme/core/pull/1/files"),
			want{"pr": pull(2)}},
		{"unset a value before", SnapshotOptions{}, unset("pr", pull(1)) + tag("pr", pull(1)) + tag("pr", pull(2)), want{"pr": pull(2)}},
		{"unset two", SnapshotOptions{}, tag("pr", pull(1)) + unset("pr", pull(1)) + unset("pr", pull(2)) + tag("pr", pull(2)) + tag("pr", pull(3)),
			want{"pr": pull(3)}},
		{"unset a kind", SnapshotOptions{}, tag("pr", pull(1)) + unset("pr", "") + tag("pr", pull(2)) + tag("link", "https://a.dev/"),
			want{"link": "https://a.dev/"}},
		{"unset the operator's", SnapshotOptions{}, tag("pr", pull(1)) + setTo("pr", pull(9)) + unset("pr", pull(9)), want{}},
		{"unset of another than the operator's", SnapshotOptions{}, setTo("pr", pull(9)) + unset("pr", pull(1)), want{"pr": "!" + pull(9)}},
		{"set after unset", SnapshotOptions{}, unset("pr", "") + setTo("pr", pull(9)), want{"pr": "!" + pull(9)}},
		{"set of a hidden value", SnapshotOptions{}, unset("pr", pull(9)) + setTo("pr", pull(9)), want{"pr": "!" + pull(9)}},
		{"set the status", SnapshotOptions{}, tag("status", "a") + setTo("status", " on  hold ") + tag("status", "b"), want{"status": "!on hold"}},
		{"unset the status it is", SnapshotOptions{}, tag("status", "a") + tag("status", "b") + unset("status", "b"), want{}},
		{"unset a status it is not", SnapshotOptions{}, tag("status", "a") + tag("status", "b") + unset("status", "a"), want{"status": "b"}},
		{"no override out of a transcript", SnapshotOptions{Scanned: true}, tag("pr", pull(1)) + setTo("pr", pull(9)) + unset("pr", ""),
			want{"pr": pull(1)}},
		{"other objects", SnapshotOptions{}, "{}\n{\"type\":7}\n  \n\n{\"type\":\"validation\",\"valid\":true}\r\n" + tag("pr", pull(1)),
			want{"pr": pull(1)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errs, err := run(tt.opts, tt.in)
			if err != nil || errs != "" {
				t.Fatalf("error %v, stderr %q", err, errs)
			}
			if got := shown(t, out); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %v\nwant %v", got, tt.want)
			}
		})
	}
}

// The whole line, to the byte.
func TestSnapshotJSON(t *testing.T) {
	in := tag("pr", pull(520), `,"host":"evil.dev","repo":"x/y","number":1`) +
		tag("repo", "https://git.dev/a/b.git", `,"agent":"s"`) +
		`{"agent":null,"extra":{"X":"<&>` + "\u2028\x7f\xff" + `"},"type":"status","status":"COMPLETE","files_modified_count":12345678901234567890,` +
		` "violations": [ ] , "unknown":[1],"valid":true,"provenance":"operator","line":4,"files_modified":["a" , "b"]}` + "\n" +
		setTo("status", "done") +
		`{"type":"artifact"}` + "\n" + `{"type":"skipped"}` + "\n" + `{"n":1}` + "\n" +
		tag("x", "y") + tag("pr", "nope") + tag("pr", pull(520), `,"repeat":true`)
	want := `{"type":"snapshot",` +
		`"repo":[{"value":"https://git.dev/a/b","provenance":"agent","host":"git.dev","repo":"a/b","agent":"s"}],"issue":[],` +
		`"pr":[{"value":"https://github.com/acme/core/pull/520","provenance":"agent","host":"github.com","repo":"acme/core","number":520}],"link":[],` +
		`"status":{"value":"done","provenance":"operator"},` +
		`"agent_status":{"status":"COMPLETE","files_modified":["a","b"],"files_modified_count":12345678901234567890,` +
		`"extra":{"X":"<&>\u2028\u007f` + "\ufffd" + `"},"valid":true,"violations":[],"provenance":"agent","line":4,"agent":null},` +
		`"counts":{"events":10,"tag":5,"status":1,"artifact":1,"skipped":1,"override":1,"other":1,"repeat":1,"refused":1,"invalid_status":0,"sub_agent":1,` +
		`"kind":{"repo":1,"issue":0,"pr":3,"link":0,"status":0,"extension":1}}}` + "\n"
	out, errs, err := run(SnapshotOptions{}, in)
	if out != want || errs != "" || err != nil {
		t.Errorf("got  %swant %sstderr %q, error %v", out, want, errs, err)
	}
}

func TestSnapshotBounds(t *testing.T) {
	setBound(t, &maxItems, 3)
	setBound(t, &maxSessions, 2)
	var in strings.Builder
	for i := 1; i <= 5; i++ {
		in.WriteString(tag("pr", pull(i)))
		in.WriteString(block("COMPLETE", fmt.Sprintf(`,"session":"s%d"`, i)))
	}
	in.WriteString(tag("pr", pull(3)) + tag("pr", pull(1))) // one it knows, one it has forgotten
	out, _, _ := run(SnapshotOptions{}, in.String())
	got := shown(t, out)
	if want := pull(4) + " " + pull(5) + " " + pull(1); got["pr"] != want {
		t.Errorf("got %s, want %s", got["pr"], want)
	}
	if want := "s4:COMPLETE s5:COMPLETE"; got["sessions"] != want {
		t.Errorf("got %s, want %s", got["sessions"], want)
	}

	// The session that reported last stays, not the one that began last.
	out, _, _ = run(SnapshotOptions{}, block("BLOCKED", `,"session":"a"`)+block("BLOCKED", `,"session":"b"`)+
		block("FAILED", `,"session":"a"`)+block("BLOCKED", `,"session":"c"`))
	if got, want := shown(t, out)["sessions"], "a:FAILED c:BLOCKED"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSnapshotByteBounds(t *testing.T) {
	setBound(t, &maxBytes, 3000)
	setBound(t, &maxBlocks, 2000)
	var in strings.Builder
	for i := range 50 {
		in.WriteString(tag("link", fmt.Sprintf("https://a.dev/%d?%s", i, strings.Repeat("x", 400))))
		in.WriteString(block("COMPLETE", fmt.Sprintf(`,"session":"s%d","task":%q`, i, strings.Repeat("x", 400))))
	}
	s := &state{}
	for line := range strings.Lines(in.String()) {
		ev := parseEvent([]byte(line))
		if _, err := s.apply(&ev, false); err != nil {
			t.Fatal(err)
		}
		if set := &s.kinds[kindLink].agent; set.bytes > maxBytes || len(set.items) != len(set.index) {
			t.Fatalf("a set of %d bytes, %d items, %d keys", set.bytes, len(set.items), len(set.index))
		}
		if n := s.sessions.bytes; n > maxBlocks {
			t.Fatalf("sessions of %d bytes", n)
		}
	}
	if n := len(s.kinds[kindLink].agent.items); n != 7 {
		t.Errorf("%d links, want the 7 that fit", n)
	}
	if n := s.sessions.recent.Len(); n != 3 {
		t.Errorf("%d sessions, want the 3 that fit", n)
	}

	// Of a block beyond its bound the long fields are left out.
	setBound(t, &maxBlock, 1000)
	setBound(t, &longField, 100)
	out, _, _ := run(SnapshotOptions{}, block("FAILED", `,"task":"t","work_summary":"`+strings.Repeat("x", 1000)+`"`))
	if !strings.Contains(out, `"status":"FAILED","task":"t","valid":true`) || strings.Contains(out, "work_summary") {
		t.Errorf("got %s", out)
	}
}

func TestSnapshotBadInput(t *testing.T) {
	setBound(t, &maxLine, 100<<10)
	long := `{"x":"` + strings.Repeat("y", 100<<10) + "\"}\n"
	for _, tt := range []struct {
		name, in, stderr string
		status           int
		pr               string
	}{
		{"no object", tag("pr", pull(1)) + "[1]\n" + tag("pr", pull(2)),
			"tagscan: snapshot: line 2 is not a JSON object\n", exit.IO, pull(1) + " " + pull(2)},
		{"byte order marks", "\uFEFF" + tag("pr", pull(1)) + "\uFEFF\n\uFEFF" + tag("pr", pull(2)), "", 0, pull(1) + " " + pull(2)},
		{"several", "\n{\n" + tag("pr", pull(1)) + "noise\n7\n{\"a\":1}x",
			"tagscan: snapshot: the input is JSON over many lines; jq -c . puts an event on one, and --scan reads a transcript\n" +
				"tagscan: snapshot: 4 lines are not JSON objects; the first is line 2\n", exit.IO, pull(1)},
		{"a line too long", tag("pr", pull(1)) + long + tag("pr", pull(2)),
			"tagscan: snapshot: line 2 is too long for an event: more than 16 MiB\n", exit.IO, pull(1) + " " + pull(2)},
		{"a line just short enough", tag("pr", pull(1)) + `{"x":"` + strings.Repeat("y", 100<<10-8) + "\"}\n", "", 0, pull(1)},
		{"a transcript", `{"type":"assistant","message":{"content":[]},"session_id":"s"}` + "\n",
			"tagscan: snapshot: the input looks like an agent's transcript; use --scan to read its events\n", 0, ""},
		{"no line end", strings.TrimSpace(tag("pr", pull(1))), "", 0, pull(1)},
		{"overrides that no repair makes", tag("pr", pull(1)) +
			`{"type":"override","op":"set","kind":"pr","value":"` + pull(9) + `","provenance":"agent"}` + "\n" +
			`{"type":"override","op":"drop","kind":"pr","provenance":"operator"}` + "\n" +
			`{"type":"override","op":"set","kind":"promise","value":"x","provenance":"operator"}` + "\n" +
			`{"type":"override","op":"set","kind":"pr","provenance":"operator"}` + "\n" +
			`{"type":"override","op":"unset","kind":"pr","value":7,"provenance":"operator"}` + "\n" +
			`{"type":"override","op":"set","kind":"pr","value":"ftp://a.dev/##[x]\u001b","provenance":"operator"}` + "\n",
			"tagscan: snapshot: line 2: override refused: provenance is not operator\n" +
				`tagscan: snapshot: line 3: override refused: op "drop" is neither set nor unset` + "\n" +
				`tagscan: snapshot: line 4: override refused: kind "promise" is none of repo, issue, pr, link, status` + "\n" +
				`tagscan: snapshot: line 5: override refused: pr "" is refused (empty): give a value` + "\n" +
				"tagscan: snapshot: line 6: override refused: value is not a text, or empty\n" +
				`tagscan: snapshot: line 7: override refused: pr "ftp://a.dev/## [x]\x1b" is refused (control_character): take the control and bidirectional characters out` + "\n",
			exit.IO, pull(1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errs, err := run(SnapshotOptions{}, tt.in)
			if exit.Status(err) != tt.status {
				t.Errorf("status %d (%v), want %d", exit.Status(err), err, tt.status)
			}
			if errs != tt.stderr {
				t.Errorf("stderr %q\n  want %q", errs, tt.stderr)
			}
			if got := shown(t, out)["pr"]; got != tt.pr {
				t.Errorf("got %q, want %q", got, tt.pr)
			}
		})
	}
	if _, _, err := run(SnapshotOptions{Format: "yaml"}, ""); exit.Status(err) != exit.Usage {
		t.Errorf("--format yaml: %v", err)
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestStreamErrors(t *testing.T) {
	in := tag("pr", pull(1)) + block("COMPLETE")
	broken := io.MultiReader(strings.NewReader(in), errReader{})
	for name, err := range map[string]error{
		"snapshot write": RunSnapshot(SnapshotOptions{}, strings.NewReader(in), brokenWriter{}, io.Discard),
		"follow write":   RunSnapshot(SnapshotOptions{Follow: true}, strings.NewReader(in), brokenWriter{}, io.Discard),
		"snapshot read":  RunSnapshot(SnapshotOptions{}, broken, io.Discard, io.Discard),
		"gate write":     RunGate(GateOptions{}, strings.NewReader(in), brokenWriter{}, io.Discard),
		"gate read":      RunGate(GateOptions{}, io.MultiReader(strings.NewReader(in), errReader{}), io.Discard, io.Discard),
	} {
		if exit.Status(err) != exit.IO || !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errBroken }

// lockstep feeds one line at a time and takes down what was written before the
// next was asked for.
type lockstep struct {
	lines []string
	out   *bytes.Buffer
	got   []string
}

func (l *lockstep) Read(p []byte) (int, error) {
	l.got = append(l.got, l.out.String())
	l.out.Reset()
	if len(l.lines) == 0 {
		return 0, io.EOF
	}
	n := copy(p, l.lines[0])
	l.lines = l.lines[1:]
	return n, nil
}

func TestFollow(t *testing.T) {
	lines := []string{
		tag("pr", pull(1)),
		tag("pr", pull(1)), // no change
		tag("other", "x"),  // none
		tag("pr", pull(2)) + tag("pr", pull(3)),
		setTo("pr", pull(9)),
		tag("pr", pull(4)), // hidden by the override
		block("COMPLETE"),
	}
	prs := func(out string) (all []string) {
		for line := range strings.Lines(out) {
			all = append(all, shown(t, line)["pr"])
		}
		return all
	}
	var out bytes.Buffer
	l := &lockstep{lines: lines, out: &out}
	if err := RunSnapshot(SnapshotOptions{Follow: true}, l, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		nil, {pull(1)}, nil, nil, {pull(1) + " " + pull(2), pull(1) + " " + pull(2) + " " + pull(3)},
		{"!" + pull(9)}, nil, {"!" + pull(9)},
	}
	for i, w := range want {
		if got := prs(l.got[i]); !reflect.DeepEqual(got, w) {
			t.Errorf("before read %d: got %q, want %q", i, got, w)
		}
	}
	if out.Len() != 0 {
		t.Errorf("at the end once more: %s", out.String())
	}

	// On a terminal it is drawn again, once for all that came at a time.
	out.Reset()
	l = &lockstep{lines: lines, out: &out}
	if err := RunSnapshot(SnapshotOptions{Follow: true, Terminal: true}, l, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if n := strings.Count(l.got[i], "\x1b[H\x1b[2J"); n != min(len(w), 1) {
			t.Errorf("before read %d: drawn %d times: %q", i, n, l.got[i])
		}
	}

	// What never changes is printed once.
	if got, _, _ := run(SnapshotOptions{Follow: true}, ""); strings.Count(got, "\n") != 1 {
		t.Errorf("nothing, followed: %q", got)
	}
}
