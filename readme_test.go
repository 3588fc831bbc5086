package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tagscan/emit/route"
	"tagscan/emit/schema"
	"tagscan/parse"
)

// TestReadme runs README.md from top to bottom, in a copy of testdata/readme
// whose bin holds what stands for agents:
//
//   - in a block that is marked console, what is behind "$ " is run by sh (by
//     one sh for a block), and all else is what it prints, errors included;
//   - a block that is marked with a language and a name is that file;
//   - the steps of agent.yml are run, and so are the loop and the gate where
//     they fail.
//
// With -update, what comes out is written into README.md.
func TestReadme(t *testing.T) {
	r := newReader(t)
	blocks := codeBlocks(read(t, "README.md"))
	sessions := 0
	for i := range blocks {
		b := &blocks[i]
		lang, name, _ := strings.Cut(b.info, " ")
		switch {
		case name != "":
			r.file(name, b)
		case lang == "console":
			sessions++
			t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) { r.session(t, b) })
		case lang != "":
			t.Errorf("line %d: a block marked %s is not run: give it a name or make it console", b.line, lang)
		}
	}
	if sessions < 10 {
		t.Errorf("%d sessions: the commands are not found any more", sessions)
	}
	if *update {
		var text []byte
		for _, b := range blocks {
			text = append(text, b.before+b.text...)
		}
		if err := os.WriteFile("README.md", text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("actions", r.actions)
	t.Run("breaker", func(t *testing.T) {
		got, err := r.sh(r.dir, "rm -f turn; sh loop.sh", "TURNS=stuck")
		if want := "\nstopped after 3 turns\n"; !strings.HasSuffix(got, want) || exitStatus(err) != 1 {
			t.Errorf("three failures: %q, %v, want it to end with %q, and exit status 1", got, err, want)
		}
	})
}

// TestReadmeNames looks for what README.md names in what the program has.
func TestReadmeNames(t *testing.T) {
	text := ""
	for _, b := range codeBlocks(read(t, "README.md")) {
		text += b.before
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(link[1]); err != nil && !strings.Contains(link[1], "://") {
			t.Errorf("a link is broken: %v", err)
		}
	}
	r := newReader(t)
	manual, err := r.sh(r.dir, "tagscan man")
	if err != nil {
		t.Error(err)
	}
	manual = strings.ReplaceAll(manual, `\-`, "-")
	ours := regexp.MustCompile(`^(tagscan|--[a-z]|(validate|route|snapshot|gate|repair|skill)\b)`)
	for _, code := range regexp.MustCompile("`[^`\n]+`").FindAllString(text, -1) {
		code = strings.Trim(code, "`")
		if strings.HasPrefix(code, "tagscan ") {
			if out, err := r.sh(r.dir, code+" < /dev/null"); err != nil {
				t.Errorf("%s: %v: %s", code, err, out)
			}
		}
		if !ours.MatchString(code) {
			continue // a flag of gh, say
		}
		for _, flag := range regexp.MustCompile(`--[a-z]+(-[a-z]+)*`).FindAllString(code, -1) {
			if !regexp.MustCompile(flag + `\b`).MatchString(manual) {
				t.Errorf("%s: %s is not in the manual", code, flag)
			}
		}
	}
	// The first column of a table, the names in its second, by its heading.
	for heading, known := range map[string][]string{
		"format": parse.Formats(),
		"type":   {"tag", "status", "artifact", "skipped"},
		"status": {"0", "1", "2", "3", "4", "5"},
	} {
		known = slices.DeleteFunc(slices.Clone(known), func(s string) bool { return s == "auto" || s == "text" })
		slices.Sort(known)
		var got []string
		for _, row := range table(text, heading) {
			name := strings.Trim(row[0], "`")
			if name != "(none)" && name != "all" {
				got = append(got, name)
			}
			if heading != "type" {
				continue
			}
			for _, field := range regexp.MustCompile("`[a-z_.]+`").FindAllString(row[1], -1) {
				for part := range strings.SplitSeq(strings.Trim(field, "`"), ".") {
					if !bytes.Contains(schema.JSON, []byte(`"`+part+`"`)) {
						t.Errorf("the schema has no %s", field)
					}
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, known) {
			t.Errorf("the table of %s has %q, want %q", heading, got, known)
		}
	}
	for _, pack := range route.ListPacks() {
		if !strings.Contains(text, "`"+pack.Name+"`") {
			t.Errorf("the pack %s is not named", pack.Name)
		}
	}
}

// table is the rows of the table in text whose first column has the heading.
func table(text, heading string) (rows [][]string) {
	head := regexp.MustCompile("(?m)^\\| `?" + heading + "`? \\|.*\n\\|[-|]+\n").FindStringIndex(text)
	if head == nil {
		return nil
	}
	for line := range strings.Lines(text[head[1]:]) {
		cells := strings.Split(strings.Trim(line, "|\n"), " | ")
		if !strings.HasPrefix(line, "|") {
			break
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// A block is a fenced code block of README.md.
type block struct {
	before string // what stands in front of its text
	line   int    // of its fence
	info   string
	text   string
}

// codeBlocks cuts text at its code blocks. The last one has no text: it is what
// stands behind the others.
func codeBlocks(text []byte) (blocks []block) {
	b := block{}
	inside := false
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		info, fence := strings.CutPrefix(line, "```")
		if fence && inside {
			blocks, b, inside = append(blocks, b), block{}, false
		}
		if inside {
			b.text += line
			continue
		}
		b.before += line
		// What closes a fence stands first in before.
		if info = strings.TrimSpace(info); fence && (info != "" || b.before != line) {
			b.line, b.info, inside = n, info, true
		}
	}
	return append(blocks, b)
}

// A reader does what README.md says.
type reader struct {
	t         *testing.T
	root, dir string
	env       []string
}

func newReader(t *testing.T) *reader {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &reader{t: t, root: root, dir: dir, env: append(os.Environ(),
		"PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"HOME="+dir, "LC_ALL=C.UTF-8", "GOBIN="+filepath.Join(dir, "gobin"),
		// A git that does not know this HOME may refuse to tell the commit.
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -buildvcs=false")}
	// Where Go keeps things does not depend on the HOME above.
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		r.env = append(r.env, name+"="+strings.TrimSpace(string(value)))
	}
	if err := os.CopyFS(r.dir, os.DirFS("testdata/readme")); err != nil {
		t.Fatal(err)
	}
	for _, demo := range []string{"testdata/demo.md", "testdata/demo.jsonl"} {
		r.write(demo, read(t, demo))
	}
	if err := os.Symlink(binary(t), filepath.Join(r.dir, "bin", "tagscan")); err != nil {
		t.Skip(err)
	}
	return r
}

func (r *reader) write(name string, text []byte) {
	path := filepath.Join(r.dir, name)
	if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o666)); err != nil {
		r.t.Fatal(err)
	}
}

// sh runs script in dir and returns what it prints.
func (r *reader) sh(dir, script string, env ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second // for what is left of a pipeline
	cmd.Env = append(slices.Clip(r.env), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// file gives the block b as the file name: of this module, if it has one of
// this name, which is to be the same.
func (r *reader) file(name string, b *block) {
	if text, err := os.ReadFile(name); err == nil {
		if *update {
			b.text = string(text)
		}
		equal(r.t, fmt.Sprintf("line %d: %s", b.line, name), []byte(b.text), text)
		return
	}
	r.write(name, []byte(b.text))
}

// missingTool is what command needs and is not here, of what a reader may not
// have.
func missingTool(command string) string {
	for _, tool := range []string{"jq", "parallel", "xargs"} {
		if slices.Contains(strings.Fields(command), tool) {
			if _, err := exec.LookPath(tool); err != nil {
				return tool
			}
		}
	}
	return ""
}

// session runs the commands of b, and compares what they print.
func (r *reader) session(t *testing.T, b *block) {
	// A blank line in front of a command is not printed by the one before.
	type command struct{ layout, text, printed string }
	var commands []command
	blank := ""
	for line := range strings.Lines(b.text) {
		if text, ok := strings.CutPrefix(line, "$ "); ok {
			commands = append(commands, command{layout: blank, text: text})
			blank = ""
			continue
		}
		if len(commands) == 0 {
			t.Fatalf("line %d: a session begins with a command", b.line)
		}
		commands[len(commands)-1].printed += blank
		if blank = ""; line == "\n" {
			blank = line
			continue
		}
		commands[len(commands)-1].printed += line
	}
	dir := r.dir
	const mark = "\036\n" // between what one command prints and the next
	script, missing := "", ""
	for i, c := range commands {
		// What follows may need what was not run.
		missing = cmp.Or(missing, missingTool(c.text))
		switch {
		case missing != "":
			t.Logf("no %s: not run: %s", missing, c.text)
			c.text = "cat <<'\036'\n" + c.printed + mark
		case strings.HasPrefix(c.text, "go test"):
			c.text = "" // is what runs this
		case strings.HasPrefix(c.text, "go "):
			dir = r.root
		}
		if i > 0 {
			script += "printf '\\036\\n'\n"
		}
		script += c.text
	}
	out, err := r.sh(dir, script)
	if err != nil {
		t.Errorf("line %d: %v", b.line, err)
	}
	got := ""
	printed := strings.Split(out, mark)
	for i, c := range commands {
		got += c.layout + "$ " + c.text
		if i < len(printed) {
			got += printed[i]
		}
	}
	if *update {
		b.text = got
	}
	equal(t, fmt.Sprintf("line %d", b.line), []byte(got), []byte(b.text))
}

// actions runs the steps of agent.yml as the runner does, with an agent that
// is done and with one that is not.
func (r *reader) actions(t *testing.T) {
	steps := runSteps(string(read(t, filepath.Join(r.dir, "agent.yml"))))
	if len(steps) != 3 {
		t.Fatalf("%d steps with run, want 3: %q", len(steps), steps)
	}
	for _, c := range []struct {
		transcript, output, summary, annotation string
		status                                  int // of the last step
	}{
		{"testdata/demo.md", "pr=https://github.com/acme/core/pull/520\n", "| agent status | agent | COMPLETE |\n",
			"::notice title=agent status COMPLETE::Keep the session cookie on downloads\n", 0},
		{"gh.log", "agent_status=BLOCKED\n", "| agent status | agent | BLOCKED |\n",
			"::warning title=agent status BLOCKED::", 1},
		{"/dev/null", "agent_status=\n", "| signal | by | value |\n", "", 5},
	} {
		env := []string{"TRANSCRIPT=" + c.transcript, "GITHUB_OUTPUT=output", "GITHUB_STEP_SUMMARY=summary"}
		r.write("output", nil)
		r.write("summary", nil)
		for i, step := range steps {
			got, err := r.sh(r.dir, "set -e\n"+step, env...)
			want := 0
			if i == len(steps)-1 {
				want = c.status
			}
			if exitStatus(err) != want {
				t.Errorf("%s: step %d: %v, want exit status %d: %s", c.transcript, i, err, want, got)
			}
			if i == 1 && !strings.Contains(got, c.annotation) {
				t.Errorf("%s: annotations are %q, want %q", c.transcript, got, c.annotation)
			}
		}
		for name, want := range map[string]string{"output": c.output, "summary": c.summary} {
			if got := string(read(t, filepath.Join(r.dir, name))); !strings.Contains("\n"+got, "\n"+want) {
				t.Errorf("%s: the %s is %q, want a line %q", c.transcript, name, got, want)
			}
		}
	}
}

// runSteps are the scripts of a workflow's steps, written as "run: script" or
// "run: |" and deeper lines.
func runSteps(workflow string) (steps []string) {
	indent := -1 // of a run: | that is read
	for line := range strings.Lines(workflow) {
		text := strings.TrimLeft(line, " ")
		depth := len(line) - len(text)
		if indent >= 0 && depth > indent {
			steps[len(steps)-1] += text
			continue
		}
		indent = -1
		script, ok := strings.CutPrefix(text, "run: ")
		if !ok {
			continue
		}
		if script == "|\n" {
			script, indent = "", depth
		}
		steps = append(steps, script)
	}
	return steps
}

// exitStatus is that of a command which ended with err, -1 when it did not
// run.
func exitStatus(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return -1
}
