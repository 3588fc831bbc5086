package jq

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestWorkerHasNothing looks at what a worker was given.
func TestWorkerHasNothing(t *testing.T) {
	t.Setenv("SECRET", "x")
	secret, err := os.Open("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	// As if the shell had given it.
	if _, _, e := syscall.Syscall(syscall.SYS_FCNTL, secret.Fd(), syscall.F_SETFD, 0); e != 0 {
		t.Fatal(e)
	}
	f, err := NewFilter(`.`, FilterOptions{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	proc := fmt.Sprintf("/proc/%d/", f.e.w.cmd.Process.Pid)
	if env, err := os.ReadFile(proc + "environ"); err != nil || len(env) > 0 {
		t.Errorf("environment %q, %v", env, err)
	}
	fds, err := os.ReadDir(proc + "fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		to, _ := os.Readlink(proc + "fd/" + fd.Name())
		if !strings.HasPrefix(to, "pipe:") && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/sys/fs/cgroup/") {
			// Go's runtime opens the last two itself.
			t.Errorf("descriptor %s is %s", fd.Name(), to)
		}
	}
}

// TestStuckWorker stops the worker: it is replaced, and nothing is lost.
func TestStuckWorker(t *testing.T) {
	defer func(n int) { stuckRounds = n }(stuckRounds)
	stuckRounds = 2
	out := make(chanWriter, 10)
	f, err := NewFilter(`.n`, FilterOptions{}, out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.e.w.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := f.Process(fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
			t.Fatal(err)
		}
	}
	got := ""
	for len(got) < len("0\n1\n2\n") {
		got += <-out
	}
	if err := f.Close(); got != "0\n1\n2\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
