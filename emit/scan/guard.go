package scan

import (
	"io"
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
	return g.f.Write(p)
}
