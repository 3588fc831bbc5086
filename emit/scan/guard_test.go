//go:build unix

package scan

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
)

func TestWriteError(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC},
			"writing standard output: no space left on device; the output is cut short: make room and run again"},
		{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EIO}, "writing standard output: input/output error"},
		{fs.ErrClosed, "writing standard output: file already closed"},
	} {
		err := error(&WriteError{c.err})
		if got := err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if !errors.Is(err, c.err) {
			t.Errorf("%v does not wrap what it is of", err)
		}
	}
}
