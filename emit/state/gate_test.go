package state

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tagscan/emit/exit"
)

func TestGate(t *testing.T) {
	n := func(n int) *int { return &n }
	rich := func(status, confidence string, ready bool, failed, idle int) string {
		return fmt.Sprintf(`{"type":"status","status":%q,"confidence":%s,"exit_ready":%v,"valid":true,"streak":{"status":%d,"no_progress":%d}}`+"\n",
			status, confidence, ready, failed, idle)
	}
	plain := func(name, value, more string) string {
		return fmt.Sprintf(`{"type":"tag","kind":%q,"value":%q,"extension":true%s}`+"\n", name, value, more)
	}
	sub := `,"agent":"toolu_1"`
	good := rich("COMPLETE", `"HIGH"`, true, 1, 0)
	for _, tt := range []struct {
		name   string
		opts   GateOptions
		in     string
		status int
		reason string
	}{
		{"complete", GateOptions{}, good, 0, ""},
		{"blocked", GateOptions{}, block("BLOCKED"), 1, "the newest status block is BLOCKED, not COMPLETE"},
		{"none", GateOptions{}, tag("pr", pull(1)), 5, "no status block of the main agent, require COMPLETE"},
		{"the newest counts", GateOptions{}, good + block("IN_PROGRESS"), 1, "the newest status block is IN_PROGRESS, not COMPLETE"},
		{"the newest counts, too", GateOptions{}, block("FAILED") + good, 0, ""},
		{"an invalid newest", GateOptions{}, good + `{"type":"status","status":"COMPLETE","valid":false,"violations":[{"reason":"unterminated"}]}` + "\n",
			1, "the newest status block (COMPLETE) is not valid"},
		{"valid with violations", GateOptions{}, block("COMPLETE", `,"violations":[{"reason":"duplicate"}]`),
			1, "the newest status block (COMPLETE) is not valid"},
		{"without status", GateOptions{}, `{"type":"status","task":"t","valid":true}` + "\n",
			1, "the newest status block is without STATUS, not COMPLETE"},
		{"status of no text", GateOptions{}, `{"type":"status","status":["COMPLETE"],"valid":true}` + "\n",
			1, "the newest status block is without STATUS, not COMPLETE"},
		{"require one", GateOptions{Require: []string{"blocked"}}, block("BLOCKED"), 0, ""},
		{"require as written with blanks", GateOptions{Require: []string{"In - Progress"}}, block("IN_PROGRESS"), 0, ""},
		{"require a list", GateOptions{Require: []string{"complete, in-progress", "Blocked"}}, block("IN_PROGRESS"), 0, ""},
		{"require another", GateOptions{Require: []string{"BLOCKED", "COMPLETE"}}, block("FAILED"), 1,
			"the newest status block is FAILED, not BLOCKED or COMPLETE"},
		{"require any", GateOptions{Require: []string{"any"}}, block("FAILED"), 0, ""},
		{"any is one of the protocol's", GateOptions{Require: []string{"any"}}, block("DONE\u009b"), 1,
			`the newest status block is DONE\u009b, not IN_PROGRESS or COMPLETE or BLOCKED or FAILED`},
		{"exit ready", GateOptions{ExitReady: true}, good, 0, ""},
		{"not exit ready", GateOptions{ExitReady: true}, rich("COMPLETE", `"HIGH"`, false, 1, 0), 1,
			"the newest status block does not say EXIT_READY: true"},
		{"exit ready absent", GateOptions{ExitReady: true}, block("COMPLETE", `,"exit_ready":null`), 1,
			"the newest status block does not say EXIT_READY: true"},
		{"confidence", GateOptions{MinConfidence: "medium"}, rich("COMPLETE", `"MEDIUM"`, true, 1, 0), 0, ""},
		{"confidence higher", GateOptions{MinConfidence: "LOW"}, good, 0, ""},
		{"confidence lower", GateOptions{MinConfidence: "HIGH"}, rich("COMPLETE", `"MEDIUM"`, true, 1, 0), 1,
			"the newest status block has confidence MEDIUM, not HIGH"},
		{"confidence none", GateOptions{MinConfidence: "LOW"}, rich("COMPLETE", "null", true, 1, 0), 1,
			"the newest status block has confidence none, not LOW or MEDIUM or HIGH"},
		{"all that is wrong", GateOptions{ExitReady: true, MinConfidence: "HIGH"}, rich("FAILED", `"LOW"`, false, 1, 0), 1,
			"the newest status block is FAILED, not COMPLETE; does not say EXIT_READY: true; has confidence LOW, not HIGH"},

		{"failed at the bound", GateOptions{Require: []string{"any"}, MaxFailed: n(2)}, rich("FAILED", "null", false, 2, 9), 0, ""},
		{"failed beyond", GateOptions{Require: []string{"any"}, MaxFailed: n(2)}, rich("FAILED", "null", false, 3, 0), 1,
			"the newest status block is FAILED number 3 in a row, at most 2 are allowed"},
		{"another status' streak", GateOptions{Require: []string{"any"}, MaxFailed: n(0)}, rich("BLOCKED", "null", false, 3, 0), 0, ""},
		{"no progress at the bound", GateOptions{Require: []string{"any"}, MaxNoProgress: n(3)}, rich("IN_PROGRESS", "null", false, 9, 3), 0, ""},
		{"no progress beyond", GateOptions{Require: []string{"any"}, MaxNoProgress: n(3)}, rich("IN_PROGRESS", "null", false, 4, 4), 1,
			"the newest status block is report number 4 without progress, at most 3 are allowed"},
		{"no streak", GateOptions{MaxNoProgress: n(3)}, `{"type":"status","status":"COMPLETE","valid":true}` + "\n", 1,
			"the newest status block tells no streak.no_progress (at most 3 without progress)"},
		{"a streak of no number", GateOptions{Require: []string{"any"}, MaxFailed: n(3)},
			`{"type":"status","status":"FAILED","valid":true,"streak":{"status":"1"}}` + "\n", 1,
			"the newest status block tells no streak.status (at most 3 FAILED in a row)"},

		{"a sub-agent does not speak", GateOptions{}, block("BLOCKED") + block("COMPLETE", sub), 1,
			"the newest status block is BLOCKED, not COMPLETE"},
		{"nor against", GateOptions{}, good + block("FAILED", sub), 0, ""},
		{"only a sub-agent", GateOptions{}, block("COMPLETE", sub), 5,
			"no status block of the main agent, require COMPLETE (1 of other agents; see --agent)"},
		{"--agent any", GateOptions{Agent: "any"}, block("BLOCKED") + block("COMPLETE", sub), 0, ""},
		{"--agent ID", GateOptions{Agent: "toolu_1"}, block("COMPLETE", sub) + block("BLOCKED") + block("FAILED", `,"agent":"sidechain"`), 0, ""},
		{"--agent other", GateOptions{Agent: "toolu_2"}, block("COMPLETE", sub), 5,
			"no status block of agent toolu_2, require COMPLETE (1 of other agents; see --agent)"},

		{"tag", GateOptions{Tag: "promise=COMPLETE"}, plain("promise", "COMPLETE", ""), 0, ""},
		{"tag with blanks", GateOptions{Tag: "promise= all  done=yes "}, plain("promise", "all done=yes", ""), 0, ""},
		{"tag, another value", GateOptions{Tag: "promise=COMPLETE"}, plain("promise", "LATER", "") + good, 1,
			`the tag promise has the value "LATER", want "COMPLETE"`},
		{"tag, none", GateOptions{Tag: "promise=COMPLETE"}, good + plain("other", "COMPLETE", ""), 5,
			"no tag promise of the main agent, require COMPLETE (a scan takes it with --tag promise)"},
		{"tag, once given", GateOptions{Tag: "promise=COMPLETE"}, plain("promise", "COMPLETE", "") + plain("promise", "LATER", ""), 0, ""},
		{"tag, at last given", GateOptions{Tag: "promise=COMPLETE"}, plain("promise", "LATER", "") + plain("promise", "COMPLETE", ""), 0, ""},
		{"tag of a namespace", GateOptions{Tag: "promise=COMPLETE"}, plain("promise", "COMPLETE", `,"namespace":"jackin"`), 5,
			"no tag promise of the main agent, require COMPLETE (a scan takes it with --tag promise)"},
		{"tag of a sub-agent", GateOptions{Tag: "promise=COMPLETE"}, plain("promise", "COMPLETE", sub), 5,
			"no tag promise of the main agent, require COMPLETE (1 of other agents; see --agent)"},
		{"tag, --agent any", GateOptions{Tag: "promise=COMPLETE", Agent: "any"}, plain("promise", "COMPLETE", sub), 0, ""},
		{"tag as a repeat", GateOptions{Tag: "promise=COMPLETE"}, plain("promise", "COMPLETE", sub) + plain("promise", "COMPLETE", `,"repeat":true`), 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			err := RunGate(tt.opts, strings.NewReader(tt.in), &out, &errs)
			if got := exit.Status(err); got != tt.status {
				t.Errorf("status %d, want %d", got, tt.status)
			}
			want := ""
			if tt.reason != "" {
				want = "tagscan: gate: " + tt.reason + "\n"
			}
			if errs.String() != want {
				t.Errorf("stderr %q\n  want %q", errs.String(), want)
			}
			if out.String() != tt.in {
				t.Errorf("passed through %q", out.String())
			}
		})
	}
}

func TestGateUsage(t *testing.T) {
	negative := -1
	for _, tt := range []struct {
		opts GateOptions
		want string
	}{
		{GateOptions{Require: []string{"COMPLETE,DONE"}}, `gate: --require "COMPLETE,DONE" is none of IN_PROGRESS, COMPLETE, BLOCKED, FAILED, any`},
		{GateOptions{Require: []string{""}}, `gate: --require "" is none of IN_PROGRESS, COMPLETE, BLOCKED, FAILED, any`},
		{GateOptions{MinConfidence: "SURE"}, `gate: --min-confidence "SURE" is none of LOW, MEDIUM, HIGH`},
		{GateOptions{MaxFailed: &negative}, "gate: --max-failed -1: give 0 or more"},
		{GateOptions{MaxNoProgress: &negative}, "gate: --max-no-progress -1: give 0 or more"},
		{GateOptions{Tag: "promise"}, `--tag "promise": give NAME=VALUE, as in --tag promise=COMPLETE`},
		{GateOptions{Tag: "promise= "}, `--tag "promise= ": give NAME=VALUE, as in --tag promise=COMPLETE`},
		{GateOptions{Tag: "Promise=x"}, `--tag "Promise=x": give a lower-case letter, then at most 31 of a-z, 0-9, _ and -`},
		{GateOptions{Tag: "status=x"}, `--tag "status=x": status is a kind of the tag protocol; give a plain tag another name`},
		{GateOptions{Tag: "promise=x", ExitReady: true}, "gate: --tag is judged instead of a status block; give either, not both"},
	} {
		in := strings.NewReader(block("COMPLETE"))
		err := RunGate(tt.opts, in, new(bytes.Buffer), new(bytes.Buffer))
		if exit.Status(err) != exit.Usage || err.Error() != tt.want {
			t.Errorf("status %d, %v; want %s", exit.Status(err), err, tt.want)
		}
		if in.Len() != len(block("COMPLETE")) {
			t.Errorf("%v: the input was read", err)
		}
	}
}

// Events pass byte for byte and each before the next is asked for; what is no
// event does not.
func TestGatePassesThrough(t *testing.T) {
	setBound(t, &maxLine, 100<<10)
	odd := " {\"type\" : \"status\", \"status\":\"COMPLETE\" ,\"valid\":true,\"x\":\"\xff<&>\\u0041\"} \r\n"
	long := `{"x":"` + strings.Repeat("y", 90<<10) + "\"}\n"
	var out, errs bytes.Buffer
	l := &lockstep{lines: []string{tag("pr", pull(1)), "noise\n\n", odd, "{}\n" + `{"a":`, "1}\n"}, out: &out}
	err := RunGate(GateOptions{}, l, &out, &errs)
	want := []string{"", tag("pr", pull(1)), "", odd, "{}\n", `{"a":1}` + "\n"}
	if !reflect.DeepEqual(l.got, want) {
		t.Errorf("got %q\nwant %q", l.got, want)
	}
	if exit.Status(err) != exit.IO || errs.String() != "tagscan: gate: line 2 is not a JSON object\n" {
		t.Errorf("error %v, stderr %q", err, errs.String())
	}

	for _, tt := range []struct {
		name, in, want string
		opts           GateOptions
		status         int
	}{
		{"long lines", long + block("COMPLETE"), long + block("COMPLETE"), GateOptions{}, 0},
		{"too long", long[:6] + long[6:] + `{"x":"` + strings.Repeat("y", 110<<10) + "\"}\n" + block("COMPLETE"),
			long + block("COMPLETE"), GateOptions{}, 3},
		{"no line end", strings.TrimSpace(block("COMPLETE")), block("COMPLETE"), GateOptions{}, 0},
		{"the highest status", "noise\n" + block("FAILED"), block("FAILED"), GateOptions{}, 3},
		{"nothing is higher", "noise\n", "", GateOptions{}, 5},
		{"hidden repeats", tag("pr", pull(1), `,"repeat":true`) + block("COMPLETE"), block("COMPLETE"), GateOptions{HideRepeats: true}, 0},
		{"on a terminal", `{"type":"x", "a":"` + "\u009b\u202e" + `"}` + "\n" + block("COMPLETE"),
			`{"type":"x","a":"\u009b\u202e"}` + "\n" + block("COMPLETE"), GateOptions{Terminal: true}, 0},
	} {
		var out bytes.Buffer
		err := RunGate(tt.opts, strings.NewReader(tt.in), &out, &errs)
		if out.String() != tt.want || exit.Status(err) != tt.status {
			t.Errorf("%s: status %d, got %.300q", tt.name, exit.Status(err), out.String())
		}
	}
}
