package route_test

import (
	"fmt"
	"os"
	"strings"

	"tagscan/emit/exit"
	"tagscan/emit/route"
)

// One of the embedded packs. A program that routes has called jq.WorkerMain
// first thing in main.
func ExampleRun() {
	events := strings.NewReader(`{"type":"status","status":"COMPLETE","valid":true}
{"type":"tag","kind":"pr","value":"https://github.com/acme/core/pull/520"}
{"type":"status","status":"BLOCKED","valid":true,"blockers":"no key"}
`)
	err := route.Run(route.Options{Pack: "status"}, events, os.Stdout, os.Stderr)
	fmt.Println(exit.Status(err))
	// Output:
	// {"type":"status","status":"COMPLETE","valid":true,"route":{"stage":"rule","rule_index":2,"rule_id":"complete","action":{"queue":"done"},"queue":"done"}}
	// {"type":"status","status":"BLOCKED","valid":true,"blockers":"no key","route":{"stage":"rule","rule_index":4,"rule_id":"blocked","action":{"queue":"blocked"},"queue":"blocked"}}
	// 0
}

// A single expression prints what it makes of each event.
func ExampleNew() {
	r, err := route.New(route.Options{Expr: `select(.kind == "pr") | .number`, HasExpr: true}, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprintln(r, `{"type":"tag","kind":"pr","number":520}`)
	fmt.Fprintln(r, `{"type":"tag","kind":"issue","number":42}`)
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 520
}

// A rule file is checked when it is loaded, its expressions by Check and New.
func ExampleLoad() {
	_, err := route.Load([]byte(`{"rules":[{"id":"lane-m","expr":"any(.artifact.tags[]?; . == \"lane:m\")","action":{"queue":"lane-m","drop":true}}]}`))
	fmt.Println(err)
	// Output:
	// rule 0 "lane-m": action: has both a queue and drop
}
