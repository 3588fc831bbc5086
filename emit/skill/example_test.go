package skill_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"tagscan/emit/skill"
)

func ExampleFind() {
	s, err := skill.Find("pr")
	fmt.Println(s.Name, err)
	fmt.Println(strings.Contains(string(s.Text), "<jackin:pr>"))
	_, err = skill.Find("none")
	fmt.Println(err)
	// Output:
	// machine-readable-pr <nil>
	// true
	// skill: no skill "none"; there are agent-status, artifact-handoff, machine-readable-issue, machine-readable-link, machine-readable-pr, machine-readable-repo, machine-readable-status
}

func ExampleInstall() {
	dir, _ := os.MkdirTemp("", "skills")
	defer os.RemoveAll(dir)
	var out bytes.Buffer
	err := skill.Install(dir, false, &out, os.Stderr)
	fmt.Println(strings.Count(out.String(), "installed"), err)
	// Output: 7 <nil>
}
