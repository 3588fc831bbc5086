package jq_test

import (
	"errors"
	"fmt"
	"os"

	"tagscan/emit/exit"
	"tagscan/emit/jq"
)

// A filter goes on behind an event on which its expression fails. A program
// that uses one has called jq.WorkerMain first thing in main.
func ExampleFilter() {
	f, err := jq.NewFilter(`.value * 2`, jq.FilterOptions{Flag: "-q"}, os.Stdout, os.Stdout)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, event := range []string{`{"value":21}`, `{"value":{}}`, `{"value":[1]}`, `{"value":4}`} {
		if err := f.Process([]byte(event)); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(exit.Status(f.Close()))
	// Output:
	// 42
	// tagscan: -q: line 2: error: cannot multiply: object ({}) and number (2)
	// tagscan: -q: line 3: error: cannot multiply: array ([1]) and number (2)
	// 8
	// 4
}

// An error knows where in the expression it is.
func ExampleNewFilter() {
	_, err := jq.NewFilter(`select(.kind == "pr") | valeu`, jq.FilterOptions{Flag: "-q"}, os.Stdout, os.Stderr)
	fmt.Println(err)
	var x *jq.ExprError
	if errors.As(err, &x) {
		fmt.Println(x.Excerpt("    "))
	}
	// Output:
	// -q: function not defined: valeu/0
	//     select(.kind == "pr") | valeu
	//                             ^
}

// An Evaluator is what rules are made of: it tells the first that matches.
func ExampleEvaluator() {
	rules := jq.Rules{Exprs: []string{`.n < 10`, `.n < 100`}}
	e, err := jq.NewEvaluator(rules, printer{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprintln(e, `{"n":50}`)
	fmt.Fprintln(e, `{"n":5}`)
	if err := e.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"n":50}: rule 1
	// {"n":5}: rule 0
}

type printer struct{}

func (printer) Answer(line []byte, _ int64, a *jq.Answer) error {
	_, err := fmt.Printf("%s: rule %d\n", line, a.Rule)
	return err
}

func (printer) Flush() error { return nil }
