package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tagscan/emit/exit"
	"tagscan/normalize"
	"tagscan/parse"
)

// shows says which signal each skill shows an example of.
var shows = map[string]string{
	"machine-readable-issue":  "issue",
	"machine-readable-pr":     "pr",
	"machine-readable-repo":   "repo",
	"machine-readable-link":   "link",
	"machine-readable-status": "status",
	"agent-status":            "AGENT_STATUS",
	"artifact-handoff":        "handoff",
}

func TestBundle(t *testing.T) {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
		if shows[s.Name] == "" {
			t.Errorf("%s: say in this test what it shows", s.Name)
		}
	}
	if len(names) != len(shows) || !slices.IsSorted(names) {
		t.Errorf("skills %q", names)
	}
}

var (
	skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	plainYAML = regexp.MustCompile(`^[A-Za-z][^\x00-\x1f]*[^ :]$`)
)

// The front matter is what the agents' loaders ask for: name and description,
// the name that of the directory, both plain YAML scalars.
func TestFrontMatter(t *testing.T) {
	for _, s := range All() {
		text := string(s.Text)
		front, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n\n")
		if !ok || !strings.HasPrefix(text, "---\n") || !strings.HasPrefix(body, "# ") || !strings.HasSuffix(body, "\n") {
			t.Errorf("%s: no front matter and then a heading", s.Name)
			continue
		}
		lines := strings.Split(front, "\n")
		if want := []string{"name: " + s.Name, "description: " + s.Description}; !slices.Equal(lines, want) {
			t.Errorf("%s: front matter %q, want %q", s.Name, lines, want)
		}
		if !skillName.MatchString(s.Name) || len(s.Name) > 64 {
			t.Errorf("name %q", s.Name)
		}
		d := s.Description
		if d == "" || len(d) > 200 || !plainYAML.MatchString(d) || strings.Contains(d, ": ") || strings.Contains(d, " #") {
			t.Errorf("%s: description %q is no plain scalar of one line", s.Name, d)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r > 0x7e || r < 0x20 && r != '\n' }) {
			t.Errorf("%s: more than ASCII text", s.Name)
		}
	}
}

// split takes a skill apart into its prose and what stands in its fences.
func split(text string) (prose, fenced []string) {
	in := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			in = !in
		case in:
			fenced = append(fenced, line)
		default:
			prose = append(prose, line)
		}
	}
	return prose, fenced
}

var grammar = regexp.MustCompile(`^<jackin:([a-z][a-z0-9_-]{0,31})>([^<]+)</jackin:([a-z][a-z0-9_-]{0,31})>$`)

// grammarIn finds the values of the tags in a text.
var grammarIn = regexp.MustCompile(`(?m)^<jackin:[a-z]+>(.*)</jackin:[a-z]+>$`)

// real are values that an agent would give, by kind.
var real = map[string]string{
	"issue":  "https://github.com/acme/core/issues/42",
	"pr":     "https://github.com/acme/core/pull/520",
	"repo":   "/w/core",
	"link":   "https://preview.acme.dev/520",
	"status": "running the tests",
}

// Each example is one tag on its line by the grammar; with a real value it is a
// signal, and as it stands it is none.
func TestTagExamples(t *testing.T) {
	for _, s := range All() {
		kind := shows[s.Name]
		if real[kind] == "" {
			continue
		}
		_, fenced := split(string(s.Text))
		if len(fenced) != 1 {
			t.Errorf("%s: examples %q, want one line", s.Name, fenced)
			continue
		}
		m := grammar.FindStringSubmatch(fenced[0])
		if m == nil || m[1] != kind || m[3] != kind {
			t.Errorf("%s: %q is no %s tag", s.Name, fenced[0], kind)
			continue
		}
		if c, reason := normalize.Value(kind, false, []byte(real[kind])); reason != "" || c.Value != real[kind] {
			t.Errorf("%s: %q would be refused: %s", s.Name, real[kind], reason)
		}
		if kind == "status" {
			continue // free text: only its fence tells it from a real one
		}
		if _, reason := normalize.Value(kind, false, []byte(m[2])); reason != parse.ReasonExample {
			t.Errorf("%s: the example %q is taken (%q)", s.Name, m[2], reason)
		}
	}
}

// What is not in a fence shows no signal at all.
func TestProse(t *testing.T) {
	signal := regexp.MustCompile(`</?[a-z]+:|---[A-Z]|^\s*[A-Z_]+: `)
	for _, s := range All() {
		prose, fenced := split(string(s.Text))
		if len(fenced) == 0 {
			t.Errorf("%s: no example", s.Name)
		}
		front := strings.Count(string(s.Text[:bytes.Index(s.Text[4:], []byte("---\n"))+4]), "\n") + 1
		for _, line := range prose[front:] {
			if signal.MatchString(line) {
				t.Errorf("%s: a signal outside a fence: %q", s.Name, line)
			}
		}
	}
}

// The block is the protocol's template, which is no report.
func TestBlockExample(t *testing.T) {
	s, err := Find("agent-status")
	if err != nil {
		t.Fatal(err)
	}
	_, fenced := split(string(s.Text))
	if fenced[0] != "---AGENT_STATUS---" || fenced[len(fenced)-1] != "---" ||
		fenced[1] != "STATUS: IN_PROGRESS | COMPLETE | BLOCKED | FAILED" || fenced[2] != "TASK: [one-line task description]" {
		t.Errorf("no template: %q", fenced)
	}
	key := regexp.MustCompile(`^([A-Z][A-Z0-9_]*): \S`)
	var keys []string
	for _, line := range fenced[1 : len(fenced)-1] {
		m := key.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no field: %q", line)
		}
		keys = append(keys, m[1])
	}
	want := "STATUS TASK FILES_MODIFIED FILES_READ TESTS_RUN COMMITS WORK_SUMMARY BLOCKERS NEXT_STEPS CONFIDENCE EXIT_READY"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
}

func TestFindShowList(t *testing.T) {
	for name, want := range map[string]string{
		"machine-readable-pr": "machine-readable-pr", "pr": "machine-readable-pr", "pull-requests": "machine-readable-pr",
		"issues": "machine-readable-issue", "repositories": "machine-readable-repo", "links": "machine-readable-link",
		"status": "machine-readable-status", "agent_status": "agent-status", "handoff": "artifact-handoff",
	} {
		s, err := Find(name)
		if err != nil || s.Name != want {
			t.Errorf("Find(%q) = %v, %v; want %s", name, s, err, want)
			continue
		}
		var b bytes.Buffer
		if err := Show(name, &b); err != nil || !bytes.Equal(b.Bytes(), s.Text) {
			t.Errorf("Show(%q): %v", name, err)
		}
	}
	for _, name := range []string{"", "nope", "../bundle/agent-status", "."} {
		var b bytes.Buffer
		err := Show(name, &b)
		if exit.Status(err) != exit.Usage || b.Len() != 0 || !strings.Contains(err.Error(), "agent-status, artifact-handoff, machine-readable-issue") {
			t.Errorf("Show(%q): %v, %q", name, err, b.String())
		}
	}
	var b bytes.Buffer
	if err := List(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i, s := range All() {
		if want := fmt.Sprintf("%-23s  %s", s.Name, s.Description); lines[i] != want {
			t.Errorf("line %d: %q, want %q", i, lines[i], want)
		}
	}
}

// tree is the files under dir and their contents, links as "-> target".
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			files[rel] = "-> " + target
			return err
		}
		b, err := os.ReadFile(p)
		files[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestInstall(t *testing.T) {
	const pr = "machine-readable-pr"
	prFile := filepath.Join(pr, "SKILL.md")
	write := func(t *testing.T, name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		before func(t *testing.T, dir, outside string)
		force  bool
		status int
		word   string // what is said of the pr skill, of the others it is others
		others string
		file   string // what its file is then, "" for the skill
		errs   string
	}{
		{name: "new", before: func(*testing.T, string, string) {}, word: "installed", others: "installed"},
		{name: "again", before: func(t *testing.T, dir, _ string) {
			if err := Install(dir, false, new(bytes.Buffer), os.Stderr); err != nil {
				t.Fatal(err)
			}
		}, word: "up to date", others: "up to date"},
		{name: "changed", before: func(t *testing.T, dir, _ string) { write(t, filepath.Join(dir, prFile), "mine") },
			status: exit.IO, others: "installed", file: "mine", errs: "has been changed and is left alone; --force replaces it"},
		{name: "longer", before: func(t *testing.T, dir, _ string) {
			s, _ := Find(pr)
			write(t, filepath.Join(dir, prFile), string(s.Text)+"more")
		}, force: true, word: "replaced", others: "installed"},
		{name: "changed, forced", before: func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, prFile), "mine")
			write(t, filepath.Join(dir, pr, ".SKILL.md.new"), "left by a crash")
		}, force: true, word: "replaced", others: "installed"},
		{name: "directory links out", before: func(t *testing.T, dir, outside string) {
			if err := os.Symlink(outside, filepath.Join(dir, pr)); err != nil {
				t.Skip(err)
			}
		}, force: true, status: exit.IO, others: "installed", file: "none", errs: "escapes"},
		{name: "file links out", before: func(t *testing.T, dir, outside string) {
			write(t, filepath.Join(outside, "SKILL.md"), "theirs")
			os.Mkdir(filepath.Join(dir, pr), 0o755)
			if err := os.Symlink(filepath.Join(outside, "SKILL.md"), filepath.Join(dir, prFile)); err != nil {
				t.Skip(err)
			}
		}, status: exit.IO, others: "installed", file: "link", errs: "escapes"},
		{name: "file links out, forced", before: func(t *testing.T, dir, outside string) {
			write(t, filepath.Join(outside, "SKILL.md"), "theirs")
			os.Mkdir(filepath.Join(dir, pr), 0o755)
			if err := os.Symlink(filepath.Join(outside, "SKILL.md"), filepath.Join(dir, prFile)); err != nil {
				t.Skip(err)
			}
		}, force: true, word: "replaced", others: "installed"},
		{name: "a directory in its place", before: func(t *testing.T, dir, _ string) {
			os.MkdirAll(filepath.Join(dir, prFile, "x"), 0o755)
		}, status: exit.IO, others: "installed", file: "none", errs: "is not a regular file"},
		{name: "a file in the directory's place", before: func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, pr), "mine")
		}, status: exit.IO, others: "installed", file: "none", errs: "not a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, outside := filepath.Join(t.TempDir(), "a", "skills"), t.TempDir()
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			tt.before(t, dir, outside)
			theirs := tree(t, outside)
			var out, errs bytes.Buffer
			err := Install(dir, tt.force, &out, &errs)
			if exit.Status(err) != tt.status {
				t.Errorf("status %d (%v), want %d", exit.Status(err), err, tt.status)
			}
			after := tree(t, dir)
			for _, s := range All() {
				word, want := tt.others, string(s.Text)
				if s.Name == pr {
					word = tt.word
				}
				file := filepath.Join(dir, s.Name, "SKILL.md")
				line := fmt.Sprintf("%-10s  %s\n", word, file)
				if has := strings.Contains(out.String(), line); has != (word != "") {
					t.Errorf("no line %q in %q", line, out.String())
				}
				got := after[filepath.Join(s.Name, "SKILL.md")]
				if s.Name == pr && tt.file != "" {
					switch tt.file {
					case "none":
						want = ""
					case "link":
						want = "-> " + filepath.Join(outside, "SKILL.md")
					default:
						want = tt.file
					}
				}
				if got != want {
					t.Errorf("%s is %q", s.Name, got)
				}
			}
			if want := "tagscan: skill: " + filepath.Join(dir, prFile) + ": "; tt.errs != "" &&
				(!strings.HasPrefix(errs.String(), want) || !strings.Contains(errs.String(), tt.errs) || strings.Count(errs.String(), "\n") != 1) {
				t.Errorf("stderr %q, want %q and %q", errs.String(), want, tt.errs)
			} else if tt.errs == "" && errs.Len() > 0 {
				t.Errorf("stderr %q", errs.String())
			}
			if got := tree(t, outside); fmt.Sprint(got) != fmt.Sprint(theirs) {
				t.Errorf("outside: %v, before %v", got, theirs)
			}
			for name := range after {
				if strings.HasSuffix(name, ".new") {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

func TestInstallDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := Install("", false, new(bytes.Buffer), os.Stderr); err != nil {
		t.Fatal(err)
	}
	if n := len(tree(t, ".claude/skills")); n != len(shows) {
		t.Errorf("%d files", n)
	}
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Install("file", false, new(bytes.Buffer), os.Stderr); exit.Status(err) != exit.IO {
		t.Errorf("a file for a directory: %v", err)
	}
}
