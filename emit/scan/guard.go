package scan

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// Guard returns a writer to f that SIGINT and SIGTERM do not cut: the process
// dies of them between two writes, so that what came out is whole lines. A
// reader that does not read cannot keep it alive for longer than a second.
func Guard(f *os.File) io.Writer {
	g := &guard{f: f}
	c := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if !signal.Ignored(s) { // as in a shell's background jobs
			signal.Notify(c, s)
		}
	}
	go func() {
		s := <-c
		locked := make(chan struct{})
		go func() {
			g.mu.Lock()
			close(locked)
		}()
		select {
		case <-locked:
		case <-c: // a second one means it
		case <-time.After(time.Second):
		}
		signal.Reset()
		if p, err := os.FindProcess(os.Getpid()); err != nil || p.Signal(s) != nil {
			os.Exit(130)
		}
		time.Sleep(time.Second) // the signal is on its way
		os.Exit(130)
	}()
	return g
}

type guard struct {
	mu sync.Mutex
	f  *os.File
}

func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, err := g.f.Write(p)
	if err != nil {
		err = &WriteError{err}
	}
	return n, err
}

// A WriteError is a failed write to standard output: of a [Guard].
type WriteError struct{ Err error }

func (e *WriteError) Error() string {
	err := e.Err
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the name in it is not the user's
	}
	mend := ""
	if errors.Is(err, syscall.ENOSPC) {
		mend = "; the output is cut short: make room and run again"
	}
	return "writing standard output: " + err.Error() + mend
}

func (e *WriteError) Unwrap() error { return e.Err }
