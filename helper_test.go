package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tagscan/emit/jq"
)

func TestMain(m *testing.M) {
	// A rule's worker is the executable run again: here, this test binary.
	if jq.WorkerMain() {
		return
	}
	if measure != nil && measure() {
		return
	}
	testscript.Main(m, map[string]func(){"tagscan": main})
}

// measure, where there is one, runs a program and tells what it took, if that is
// what the test binary was started for.
var measure func() bool

// binary is the program built as it ships, for what only a process of its own
// can show: signals, memory, a full disk.
func binary(t testing.TB) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tagscan-test")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "tagscan.exe")
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Stderr = os.Stderr
	return path, cmd.Run()
})
