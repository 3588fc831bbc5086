//go:build unix

package route

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tagscan/emit/exit"
)

// TestSplitRefuses has what may stand in a queue's place and is not written to.
func TestSplitRefuses(t *testing.T) {
	rules := write(t, someRules)
	for _, tt := range []struct {
		name  string
		place func(name, other string) error
		want  string
	}{
		{"a link to a file", func(name, other string) error { return os.Symlink(other, name) }, "is a symbolic link, which is not followed"},
		{"a link to nothing", func(name, other string) error { return os.Symlink(other+"x", name) }, "is a symbolic link, which is not followed"},
		{"a directory", func(name, _ string) error { return os.Mkdir(name, 0o777) }, "is a directory"},
		{"a named pipe", func(name, _ string) error { return syscall.Mkfifo(name, 0o666) }, "no such device or address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
			if err := os.WriteFile(other, []byte("precious\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(dir, "mine.ndjson")
			if err := tt.place(name, other); err != nil {
				t.Fatal(err)
			}
			err := Run(Options{File: rules, Split: dir}, strings.NewReader("{\"by\":\"bob\"}\n"), io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), tt.want) || exit.Status(err) != exit.IO {
				t.Errorf("%v, status %d", err, exit.Status(err))
			}
			if text, _ := os.ReadFile(other); string(text) != "precious\n" {
				t.Errorf("the other file is %q", text)
			}
			if _, err := os.Stat(other + "x"); err == nil {
				t.Error("a file was made through the link")
			}
		})
	}
	// A directory that cannot be made.
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Run(Options{File: rules, Split: file}, strings.NewReader(""), io.Discard, io.Discard); exit.Status(err) != exit.IO || !strings.Contains(err.Error(), file) {
		t.Errorf("%v", err)
	}
}

// TestSplitFull has a device without space.
func TestSplitFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	s := &splitter{files: map[string]*splitFile{}}
	f := &splitFile{f: full}
	s.files["q"], s.order = f, []*splitFile{f}
	if err := s.line("q", []byte("x\n")); err != nil {
		t.Fatal(err)
	}
	if err := s.flush(); err == nil || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("%v", err)
	}
	if err := s.line("q", make([]byte, 2*splitBuffer)); err == nil {
		t.Error("a long line was written")
	}
}
