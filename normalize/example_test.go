package normalize_test

import (
	"fmt"

	"tagscan/normalize"
	"tagscan/parse"
)

func Example() {
	n := normalize.New(normalize.Options{}, func(e normalize.Event) {
		switch e := e.(type) {
		case *normalize.Tag:
			fmt.Println(e.Kind, e.Value, e.Repo, e.Number)
		case *normalize.Status:
			for _, f := range e.Fields {
				fmt.Println(f.Name, f.Value)
			}
		}
	})
	// A parser would hand over what it finds.
	for _, value := range []string{
		"https://GitHub.com/acme/core/pull/520/files",
		"https://github.com/Acme/Core/pull/520", // the same
		"javascript:alert(1)",                   // not a URL to follow
	} {
		n.Tag(&parse.Tag{Namespace: "jackin", Kind: "pr", Value: []byte(value)})
	}
	n.Block(&parse.Block{Protocol: "agent_status", Fields: []parse.Field{
		{Key: "STATUS", Value: "in progress"},
		{Key: "FILES_MODIFIED", Value: "[a.go, b.go]"},
		{Key: "BLOCKERS", Value: "None"},
	}})
	// Output:
	// pr https://github.com/acme/core/pull/520 acme/core 520
	// status IN_PROGRESS
	// files_modified [a.go b.go]
	// files_modified_count 2
	// blockers <nil>
}

func ExampleValue() {
	for _, value := range []string{"/srv//core/", "work/core", "https://u:p@github.com/acme/core"} {
		c, reason := normalize.Value("repo", false, []byte(value))
		fmt.Printf("%q %q\n", c.Value, reason)
	}
	// Output:
	// "/srv/core" ""
	// "" "relative_path"
	// "" "userinfo"
}
