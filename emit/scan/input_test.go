package scan_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tagscan/emit/scan"
)

// A file is read from where it stands, and to where it ends by then.
func TestInput(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, want, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(10, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	r := scan.Input(f)
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("nothing is wanted: %d, %v", n, err)
	}
	got := make([]byte, 100)
	if _, err := io.ReadFull(r, got); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if got = append(got, rest...); !bytes.Equal(got, want[10:]) {
		t.Errorf("got %d bytes of %d, or others", len(got), len(want)-10)
	}
	for range 2 {
		if n, err := r.Read(got); n != 0 || err != io.EOF {
			t.Errorf("at the end: %d, %v", n, err)
		}
	}
	if _, err := f.WriteAt([]byte("more"), int64(len(want))); err != nil {
		t.Fatal(err)
	}
	if more, err := io.ReadAll(r); string(more) != "more" || err != nil {
		t.Errorf("of a file that grew: %q, %v", more, err)
	}
	f.Close()
	if n, err := r.Read(got); n != 0 || err == nil {
		t.Errorf("of a closed file: %d, %v", n, err)
	}
}

func TestInputErrors(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if n, err := scan.Input(dir).Read(make([]byte, 1)); n != 0 || err == nil || err == io.EOF {
		t.Errorf("of a directory: %d, %v", n, err)
	}
	name := filepath.Join(t.TempDir(), "input")
	w, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if n, err := scan.Input(w).Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("of an empty file: %d, %v", n, err)
	}
	only, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer only.Close()
	if n, err := scan.Input(only).Read(make([]byte, 1)); n != 0 || err == nil || err == io.EOF {
		t.Errorf("of a file open for writing: %d, %v", n, err)
	}
}
