package state_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"tagscan/emit/exit"
	"tagscan/emit/state"
)

const events = `{"type":"tag","namespace":"jackin","kind":"pr","value":"https://github.com/acme/core/pull/520","provenance":"agent","line":1}
{"type":"status","protocol":"agent_status","status":"BLOCKED","task":"Deploy","valid":true,"streak":{"status":1,"no_progress":1},"provenance":"agent","line":2}
`

func ExampleRunSnapshot() {
	repair, _ := state.Repair("set", "pr", "https://github.com/acme/core/pull/521/files")
	in := strings.NewReader(events + string(repair))
	err := state.RunSnapshot(state.SnapshotOptions{Format: "table"}, in, os.Stdout, os.Stderr)
	fmt.Println(exit.Status(err))
	// Output:
	// pr            operator  https://github.com/acme/core/pull/521
	// agent status  agent     BLOCKED
	// task          agent     Deploy
	// 0
}

func ExampleRunSnapshot_json() {
	state.RunSnapshot(state.SnapshotOptions{}, strings.NewReader(""), os.Stdout, os.Stderr)
	// Output:
	// {"type":"snapshot","repo":[],"issue":[],"pr":[],"link":[],"counts":{"events":0,"tag":0,"status":0,"artifact":0,"skipped":0,"override":0,"other":0,"repeat":0,"refused":0,"invalid_status":0,"sub_agent":0,"kind":{"repo":0,"issue":0,"pr":0,"link":0,"status":0,"extension":0}}}
}

func ExampleRunGate() {
	var passed bytes.Buffer
	err := state.RunGate(state.GateOptions{}, strings.NewReader(events), &passed, os.Stdout)
	fmt.Println(exit.Status(err), passed.String() == events)
	// Output:
	// tagscan: gate: the newest status block is BLOCKED, not COMPLETE
	// 1 true
}

func ExampleRepair() {
	line, err := state.Repair("set", "pr", "https://github.com/acme/core/pull/520/files")
	fmt.Print(string(line), err, "\n")
	_, err = state.Repair("set", "pr", "https://github.com/acme/core/issues/9")
	fmt.Println(err)
	// Output:
	// {"type":"override","op":"set","kind":"pr","value":"https://github.com/acme/core/pull/520","provenance":"operator"}
	// <nil>
	// repair: pr "https://github.com/acme/core/issues/9" is refused (kind_mismatch): it is an issue's URL; use the kind issue
}
