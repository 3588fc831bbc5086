//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// latency measures how long an event takes from the last byte of its tag, in the
// middle of a line that goes on.
func (b *bench) latency() error {
	const tags = 2000
	fmt.Printf("\n### From a tag's closing `>` to its event\n\n")
	fmt.Println("| command | median ms | p99 ms | worst ms |")
	fmt.Println("|---|---:|---:|---:|")
	for _, c := range []struct {
		name string
		argv []string
		end  byte // what ends an answer
	}{
		{"`tagscan`", []string{b.bin}, '\n'},
		{"`tagscan -q .value`", []string{b.bin, "-q", ".value"}, '\n'},
		{"`cat`", []string{"cat"}, '>'},
	} {
		d, err := roundTrips(c.argv, c.end, tags)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		slices.Sort(d)
		fmt.Printf("| %s | %.3f | %.3f | %.3f |\n", c.name, ms(median(d)), ms(d[len(d)*99/100]), ms(d[len(d)-1]))
	}
	fmt.Printf("\n%d tags each; load now %s.\n", tags, load())
	return nil
}

func roundTrips(argv []string, end byte, tags int) (d []time.Duration, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var in, out [2]int // read and write blocking, without the runtime's poller
	for _, p := range []*[2]int{&in, &out} {
		if err := syscall.Pipe(p[:]); err != nil {
			return nil, err
		}
		syscall.CloseOnExec(p[0])
		syscall.CloseOnExec(p[1])
	}
	stdin, stdout := os.NewFile(uintptr(in[0]), "in"), os.NewFile(uintptr(out[1]), "out")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, os.Stderr
	err = cmd.Start()
	stdin.Close()
	stdout.Close()
	defer syscall.Close(out[0])
	if err != nil {
		syscall.Close(in[1])
		return nil, err
	}
	buf := make([]byte, 4096)
	for i := range tags + 20 {
		// All of it but its last byte, and time to read that.
		tag := fmt.Appendf(nil, "so far so good\nnow <jackin:note>step %d</jackin:note", i)
		if _, err = syscall.Write(in[1], tag); err != nil {
			break
		}
		if end == '>' { // cat gives these bytes back at once
			for n := 0; n < len(tag) && err == nil; {
				var k int
				k, err = syscall.Read(out[0], buf)
				n += k
			}
		}
		time.Sleep(300 * time.Microsecond)
		start := time.Now()
		if _, err = syscall.Write(in[1], []byte{'>'}); err != nil {
			break
		}
		var n int
		n, err = syscall.Read(out[0], buf)
		took := time.Since(start)
		if err == nil && bytes.IndexByte(buf[:n], end) != n-1 {
			err = fmt.Errorf("the answer to tag %d is %q", i, buf[:n])
		}
		if err != nil {
			break
		}
		if i >= 20 {
			d = append(d, took)
		}
	}
	syscall.Close(in[1])
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, err
	}
	return d, cmd.Wait()
}
