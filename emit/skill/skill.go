// Package skill is the bundle of agent skills that is embedded in the binary:
// one SKILL.md for each kind of tag, one for the status block and one for the
// tags of an artifact. They teach an agent to emit what scan reads.
//
// The examples in them stand in code fences and have values that are
// documentation to a scanner, so that neither a transcript in which an agent
// reads a skill nor a copy that lost its fences gives an event.
package skill

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tagscan/emit/exit"
	"tagscan/emit/term"
)

//go:embed bundle
var bundle embed.FS

// DefaultDir is where Claude Code looks for a project's skills.
const DefaultDir = ".claude/skills"

// fileName is the file of a skill, by the convention of agent skills.
const fileName = "SKILL.md"

// A Skill is one of the bundle.
type Skill struct {
	Name        string // also of its directory
	Description string // one line
	Text        []byte // of SKILL.md, front matter included
	short       []string
}

// short are the other names of the skills, for Show.
var short = map[string][]string{
	"machine-readable-issue":  {"issue", "issues"},
	"machine-readable-pr":     {"pr", "prs", "pull-request", "pull-requests"},
	"machine-readable-repo":   {"repo", "repos", "repository", "repositories"},
	"machine-readable-link":   {"link", "links"},
	"machine-readable-status": {"status"},
	"agent-status":            {"agent_status", "block", "status-block"},
	"artifact-handoff":        {"artifact", "handoff"},
}

// All returns the skills of the bundle, by name.
func All() []Skill {
	dirs, err := bundle.ReadDir("bundle")
	if err != nil {
		panic(err) // embedded: it is there
	}
	var all []Skill
	for _, d := range dirs {
		text, err := bundle.ReadFile(path.Join("bundle", d.Name(), fileName))
		if err != nil {
			panic(err)
		}
		all = append(all, Skill{Name: d.Name(), Description: field(text, "description"), Text: text, short: short[d.Name()]})
	}
	return all
}

// field returns a field of the front matter, which has one a line.
func field(text []byte, key string) string {
	front, _, _ := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
	for line := range strings.SplitSeq(front, "\n") {
		if v, ok := strings.CutPrefix(line, key+": "); ok {
			return v
		}
	}
	return ""
}

// Find returns the skill of that name, or of the kind or signal it teaches:
// "pr" is "machine-readable-pr". For any other name the error has the status
// exit.Usage and lists those there are.
func Find(name string) (*Skill, error) {
	var names []string
	for _, s := range All() {
		if s.Name == name {
			return &s, nil
		}
		for _, other := range s.short {
			if other == name {
				return &s, nil
			}
		}
		names = append(names, s.Name)
	}
	return nil, exit.With(exit.Usage, fmt.Errorf("skill: no skill %q; there are %s", name, strings.Join(names, ", ")))
}

// List writes a line for each skill: its name and what it is for.
func List(w io.Writer) error {
	var b bytes.Buffer
	width := 0
	for _, s := range All() {
		width = max(width, len(s.Name))
	}
	for _, s := range All() {
		fmt.Fprintf(&b, "%-*s  %s\n", width, s.Name, s.Description)
	}
	_, err := w.Write(b.Bytes())
	return writing(err)
}

// Show writes the SKILL.md of the skill that Find finds.
func Show(name string, w io.Writer) error {
	s, err := Find(name)
	if err != nil {
		return err
	}
	_, err = w.Write(s.Text)
	return writing(err)
}

func writing(err error) error {
	if err == nil {
		return nil
	}
	return exit.With(exit.IO, fmt.Errorf("writing: %w", err))
}

// Install writes the bundle to dir/NAME/SKILL.md, DefaultDir when dir is empty,
// and a line about each file to w. It makes the directories that are missing. A
// file that is there and differs is left alone, unless force is set; then it is
// replaced in one step. Nothing is written outside dir, whatever symbolic links
// are in it.
//
// A file that is left alone or that cannot be written does not keep the others
// from being installed; it is said on errw, and the error then has the status
// exit.IO and nothing more to say.
func Install(dir string, force bool, w, errw io.Writer) error {
	if dir == "" {
		dir = filepath.FromSlash(DefaultDir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return exit.With(exit.IO, fmt.Errorf("skill: %w", err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return exit.With(exit.IO, fmt.Errorf("skill: %w", err))
	}
	defer root.Close()
	failed := false
	for _, s := range All() {
		name := filepath.Join(dir, s.Name, fileName)
		what, err := s.install(root, force)
		if err != nil {
			failed = true
			fmt.Fprintf(errw, "tagscan: skill: %s: %s\n", term.Safe(name), term.Safe(err.Error()))
			continue
		}
		if _, err := fmt.Fprintf(w, "%-10s  %s\n", what, term.Safe(name)); err != nil {
			return writing(err)
		}
	}
	if failed {
		return &exit.Error{Status: exit.IO}
	}
	return nil
}

var errChanged = errors.New("has been changed and is left alone; --force replaces it")

// install writes the skill and says in a word what was done.
func (s *Skill) install(root *os.Root, force bool) (what string, err error) {
	if err := root.Mkdir(s.Name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", plain(err)
	}
	name := path.Join(s.Name, fileName)
	err = s.write(root, name)
	if err == nil {
		return "installed", nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", plain(err)
	}
	same, err := s.same(root, name)
	switch {
	case same:
		return "up to date", nil
	case !force && err != nil:
		return "", plain(err)
	case !force:
		return "", errChanged
	}
	// By way of a file beside it: what is there is whole at every moment, and if
	// it is a link, the link is replaced and not what it points to.
	temp := path.Join(s.Name, "."+fileName+".new")
	if err := root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", plain(err)
	}
	if err := s.write(root, temp); err != nil {
		return "", plain(err)
	}
	if err := root.Rename(temp, name); err != nil {
		root.Remove(temp)
		return "", plain(err)
	}
	return "replaced", nil
}

// write makes a new file of that name; a failure leaves none.
func (s *Skill) write(root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(s.Text)
	if err := errors.Join(err, f.Close()); err != nil {
		root.Remove(name)
		return err
	}
	return nil
}

// same tells whether the file has the skill's text already.
func (s *Skill) same(root *os.Root, name string) (bool, error) {
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		if err == nil {
			err = errors.New("is not a regular file")
		}
		return false, err
	}
	f, err := root.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(len(s.Text))+1))
	return err == nil && bytes.Equal(text, s.Text), err
}

// plain is err without the operation and the path, which the message has.
func plain(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	var linkErr *os.LinkError
	if errors.As(err, &linkErr) {
		return linkErr.Err
	}
	return err
}
