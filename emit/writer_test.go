package emit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"tagscan/emit/exit"
	"tagscan/normalize"
)

// calls records each write on its own, and fails when full.
type calls struct {
	writes []string
	full   int // fail at this write, counted from 1
	err    error
	short  bool
}

func (c *calls) Write(p []byte) (int, error) {
	if len(c.writes)+1 == c.full {
		return 0, c.err
	}
	c.writes = append(c.writes, string(p))
	if c.short {
		return len(p) - 1, nil
	}
	return len(p), nil
}

func TestWriterKeepsLinesWhole(t *testing.T) {
	defer func(n int) { bufferSize = n }(bufferSize)
	bufferSize = 10
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"gathered", []string{"aaa\n", "bbb\n"}, []string{"aaa\nbbb\n"}},
		{"exactly full", []string{"aaaa\n", "bbbb\n"}, []string{"aaaa\nbbbb\n"}},
		{"one over", []string{"aaaa\n", "bbbbb\n"}, []string{"aaaa\n", "bbbbb\n"}},
		{"too long for the buffer", []string{"a\n", "0123456789\n", "b\n"}, []string{"a\n", "0123456789\n", "b\n"}},
		{"too long and first", []string{"0123456789ab\n", "b\n"}, []string{"0123456789ab\n", "b\n"}},
		{"nothing", []string{"", ""}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c calls
			w := NewWriter(&c)
			for _, line := range tt.lines {
				p := []byte(line)
				if n, err := w.Write(p); n != len(p) || err != nil {
					t.Fatalf("Write(%q) = %d, %v", line, n, err)
				}
				for i := range p { // an alias that was kept shows
					p[i] = 'X'
				}
				if cap(w.buf) > bufferSize {
					t.Errorf("the buffer has grown to %d", cap(w.buf))
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(c.writes, tt.want) {
				t.Errorf("writes %q, want %q", c.writes, tt.want)
			}
		})
	}
}

func TestWriterEvents(t *testing.T) {
	defer func(n int) { bufferSize = n }(bufferSize)
	short := &normalize.Tag{Kind: "k", Value: "v"}
	long := &normalize.Tag{Kind: "k", Value: strings.Repeat("v", 100)}
	s, l := string(AppendEvent(nil, short)), string(AppendEvent(nil, long))
	bufferSize = 2*len(s) + 1
	for _, tt := range []struct {
		name   string
		events []normalize.Event
		want   []string
	}{
		{"gathered", []normalize.Event{short, short}, []string{s + s}},
		{"full", []normalize.Event{short, short, short}, []string{s + s, s}},
		{"long in the middle", []normalize.Event{short, long, short}, []string{s, l, s}},
		{"no event", []normalize.Event{&normalize.Position{}, nil}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c calls
			w := NewWriter(&c)
			for _, e := range tt.events {
				if err := w.Event(e); err != nil {
					t.Fatal(err)
				}
				if cap(w.buf) > bufferSize {
					t.Errorf("the buffer has grown to %d", cap(w.buf))
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(c.writes, tt.want) {
				t.Errorf("writes %q, want %q", c.writes, tt.want)
			}
		})
	}
}

func TestWriterErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, tt := range []struct {
		name string
		dst  io.Writer
		want error
	}{
		{"first write", &calls{full: 1, err: broken}, broken},
		{"short write", &calls{short: true}, io.ErrShortWrite},
		{"closed file", closedFile(t), os.ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := NewWriter(tt.dst)
			tag := &normalize.Tag{Kind: "k", Value: "v"}
			if err := w.Event(tag); err != nil {
				t.Fatalf("before anything was written: %v", err)
			}
			err := w.Flush()
			if !errors.Is(err, tt.want) || exit.Status(err) != exit.IO {
				t.Fatalf("Flush: %v, status %d; want %v", err, exit.Status(err), tt.want)
			}
			_, werr := w.Write([]byte("x\n"))
			for i, again := range []error{w.Event(tag), w.Flush(), werr} {
				if again != err {
					t.Errorf("call %d after the error: %v", i, again)
				}
			}
			if c, ok := tt.dst.(*calls); ok && len(c.writes) > 1 {
				t.Errorf("wrote after the error: %q", c.writes)
			}
		})
	}
}

// A full disk is noticed whether it shows at a flush or in between.
func TestWriterFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/dev/full is Linux's")
	}
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	w := NewWriter(f)
	for range 10_000 {
		if err = w.Event(&normalize.Tag{Kind: "k", Value: "v"}); err != nil {
			break
		}
	}
	if exit.Status(err) != exit.IO || !strings.Contains(fmt.Sprint(err), "no space left") {
		t.Errorf("got %v", err)
	}
	long := make([]byte, bufferSize+1)
	if _, err := NewWriter(f).Write(long); exit.Status(err) != exit.IO {
		t.Errorf("a line longer than the buffer: %v", err)
	}
}

func closedFile(t *testing.T) *os.File {
	f, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return f
}

func ExampleWriter() {
	w := NewWriter(os.Stdout)
	w.Event(&normalize.Tag{Namespace: "jackin", Kind: "status", Value: "testing", Provenance: normalize.Agent})
	w.Write([]byte("a line of something else\n"))
	if err := w.Flush(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"type":"tag","namespace":"jackin","kind":"status","value":"testing","provenance":"agent"}
	// a line of something else
}
