//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These tests run the program as a process of its own: what they show are
// signals, pipes, full disks, memory and time.

func robust(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("not with -short")
	}
}

// a process is a run of the program that is fed by hand.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stdout *os.File
	stderr bytes.Buffer
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	p.cmd = exec.CommandContext(ctx, binary(t), args...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = w, &p.stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	p.stdout, p.out = r, bufio.NewReader(r)
	t.Cleanup(func() { r.Close() })
	return p
}

func (p *process) write(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, s); err != nil {
		p.t.Fatal(err)
	}
}

// line is the next line of output, which must be there soon.
func (p *process) line() string {
	p.t.Helper()
	p.stdout.SetReadDeadline(time.Now().Add(5 * time.Second))
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("no line, but %q: %v", line, err)
	}
	return line
}

// silent fails the test when there is output within d.
func (p *process) silent(d time.Duration) {
	p.t.Helper()
	p.stdout.SetReadDeadline(time.Now().Add(d))
	if b, err := p.out.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
		p.t.Fatalf("output %q, %v", b, err)
	}
}

// rest closes the input and returns the rest of the output.
func (p *process) rest() string {
	p.t.Helper()
	p.in.Close()
	p.stdout.SetReadDeadline(time.Time{})
	b, err := io.ReadAll(p.out)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Fatalf("%v: %s", err, &p.stderr)
	}
	return string(b)
}

// run is a whole run on input. status is -1 for a process that died of a signal.
func run(t *testing.T, input io.Reader, args ...string) (out []byte, complaint string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.Bytes(), stderr.String(), cmd.ProcessState.ExitCode()
}

func tagLine(i int) string {
	return fmt.Sprintf("<jackin:pr>https://github.com/acme/core/pull/%d</jackin:pr>\n", i)
}

// "Errors are one line on stderr, tagscan: …, and name the file."
func oneComplaint(t *testing.T, complaint string, about ...string) {
	t.Helper()
	if strings.Count(complaint, "\n") != 1 || !strings.HasPrefix(complaint, "tagscan: ") {
		t.Errorf("want one line on stderr, got %q", complaint)
	}
	for _, s := range about {
		if !strings.Contains(complaint, s) {
			t.Errorf("%q does not tell of %q", complaint, s)
		}
	}
}

// "A tag whose closing > has been read, and which no byte still to come on its
// line could turn into code, is written and flushed at once": each event is out
// before the next byte is written.
func TestLatency(t *testing.T) {
	robust(t)
	record := `{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"<jackin:note>é</jackin:note>"}]},"session_id":"s"}`
	steps := []struct {
		write string
		want  string // "" for nothing yet
	}{
		{"words <jackin:note>a</jackin:note", ""},
		{">", `"value":"a"`},
		{" and <jackin:note>b</jackin:note>", `"value":"b"`},
		{"\n<jackin:note>caf\xc3", ""}, // within a character
		{"\xa9</jackin:note>", `"value":"café"`},
		{"\n\x1b[3", ""}, // within an escape sequence
		{"1m<jack", ""},  // within a tag
		{"in:note>c</jackin:note>", `"value":"c"`},
		{"\n<jackin:note>d</jackin:note>\r", `"value":"d"`},
		{"\n```\n<jackin:note>e</jackin:note>", ""},
		{"\n```\n", ""},
		{"` <jackin:note>f</jackin:note>", ""}, // the line may yet close a span
		{"\n", `"value":"f"`},
		{"---AGENT_STATUS---\nSTATUS: COMPLETE\n", ""},
		{"---\n", `"status":"COMPLETE"`},
		{record[:len(record)/2], ""},
		{record[len(record)/2 : len(record)-1], ""},
		{"}\n", `"session":"s"`},
		{"last <jackin:note>g</jackin:note>", `"value":"g"`},
	}
	p := start(t)
	for _, s := range steps {
		p.write(s.write)
		if s.want == "" {
			p.silent(20 * time.Millisecond)
		} else if got := p.line(); !strings.Contains(got, s.want) {
			t.Fatalf("behind %q: %s want %s", s.write, got, s.want)
		}
	}
	if out := p.rest(); out != "" {
		t.Errorf("at the end: %s", out)
	}
}

// TestLatencyBehindBrackets: what begins as a document does is text from the first
// byte on that cannot be of one.
func TestLatencyBehindBrackets(t *testing.T) {
	robust(t)
	const tag = "<jackin:note>a</jackin:note>"
	for _, in := range []string{"{\n" + tag, "[\n" + tag, "T{\nT" + tag, "T[\nT" + tag, "T{\"a\":\nTtext " + tag, "\x1b[1m{\n" + tag} {
		p := start(t)
		p.write(strings.ReplaceAll(in, "T", "2026-03-01T10:00:00.1234567Z "))
		if got := p.line(); !strings.Contains(got, `"value":"a"`) {
			t.Errorf("behind %q: %s", in, got)
		}
		p.rest()
	}
}

// A log that trickles in for hours, as fast as its reader takes it: every event
// is there before the next line is written, and memory does not grow.
func TestTrickle(t *testing.T) {
	robust(t)
	p := start(t)
	filler := strings.Repeat("the agent works and writes what it does\n", 25)
	for i := 1; i <= 7200; i++ { // two hours of seconds
		p.write(filler)
		p.write(tagLine(i))
		if got, want := p.line(), fmt.Sprintf(`"number":%d,`, i); !strings.Contains(got, want) {
			t.Fatalf("want %s: %s", want, got)
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var kb int64
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(peak, &kb); err != nil {
		t.Fatal(err)
	}
	bounded(t, kb, 32)
	if out := p.rest(); out != "" {
		t.Errorf("at the end: %s", out)
	}
}

// A reader that takes its time loses nothing.
func TestSlowReader(t *testing.T) {
	robust(t)
	var in, want strings.Builder
	for i := range 3000 {
		in.WriteString(tagLine(i))
	}
	out, _, _ := run(t, strings.NewReader(in.String()))
	want.Write(out)
	cmd := exec.CommandContext(t.Context(), binary(t))
	cmd.Stdin = strings.NewReader(in.String())
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	got, one := make([]byte, 0, want.Len()), make([]byte, 1)
	for {
		n, err := pipe.Read(one)
		got = append(got, one[:n]...)
		if err != nil {
			break
		}
		if len(got)%4096 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if string(got) != want.String() {
		t.Errorf("%d bytes of %d", len(got), want.Len())
	}
}

// "SIGINT and SIGTERM: everything complete so far is already out; it dies of the
// signal." No signal cuts a line in two, but SIGKILL, which nothing can see.
func TestSignals(t *testing.T) {
	robust(t)
	var in, want strings.Builder
	for i := range 40000 {
		in.WriteString(tagLine(i))
	}
	out, _, _ := run(t, strings.NewReader(in.String()))
	want.Write(out)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 24 {
		sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGKILL}[i%4]
		t.Run(fmt.Sprintf("%d %v", i, sig), func(t *testing.T) {
			p := start(t)
			// What is complete comes out, though no more is written; more follows
			// while the signal comes.
			early := r.IntN(in.Len() / 2)
			wrote := make(chan struct{})
			go func() {
				defer close(wrote)
				io.WriteString(p.in, in.String()[:early])
			}()
			var got strings.Builder
			for range strings.Count(in.String()[:early], "</jackin:pr>") {
				got.WriteString(p.line())
			}
			<-wrote
			p.stdout.SetReadDeadline(time.Time{})
			out := make(chan []byte)
			go func() {
				b, _ := io.ReadAll(p.out)
				out <- b
			}()
			done := make(chan struct{})
			go func() {
				defer close(done)
				io.WriteString(p.in, in.String()[early:])
			}()
			time.Sleep(time.Duration(r.IntN(8000)) * time.Microsecond)
			p.cmd.Process.Signal(sig)
			p.cmd.Wait()
			<-done
			got.Write(<-out)
			ws := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
			if !ws.Signaled() || ws.Signal() != sig {
				t.Errorf("did not die of %v: %v", sig, p.cmd.ProcessState)
			}
			if p.stderr.Len() > 0 {
				t.Errorf("said %q", &p.stderr)
			}
			if !strings.HasPrefix(want.String(), got.String()) {
				t.Fatalf("%d bytes that are not the beginning of the output", got.Len())
			}
			if all := got.String(); sig != syscall.SIGKILL && all != "" && !strings.HasSuffix(all, "\n") {
				t.Errorf("the last line is cut: %q", all[strings.LastIndexByte(all, '\n')+1:])
			}
		})
	}
}

// "A closed pipe downstream ends it at once and quietly, by SIGPIPE, as it does
// grep."
func TestClosedPipe(t *testing.T) {
	robust(t)
	for _, args := range [][]string{{}, {"-q", ".value"}, {"--skipped", "-v"}} {
		p := start(t, args...)
		p.write(tagLine(1))
		p.line()
		p.stdout.Close()
		io.WriteString(p.in, tagLine(2))
		err := p.cmd.Wait()
		ws, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !ws.Signaled() || ws.Signal() != syscall.SIGPIPE {
			t.Errorf("%q: did not die of SIGPIPE: %v", args, err)
		}
		if p.stderr.Len() > 0 {
			t.Errorf("%q: said %q", args, &p.stderr)
		}
	}
}

// "A write error such as a full disk is always noticed."
func TestWriteErrors(t *testing.T) {
	robust(t)
	var in strings.Builder
	for i := range 2000 {
		in.WriteString(tagLine(i))
	}
	bin := binary(t)
	for _, c := range []struct{ name, script, want string }{
		{"a full device", `exec "$0" >/dev/full`, "no space left"},
		{"a full device at the end", `head -c 62 | "$0" >/dev/full`, "no space left"},
		{"a full device, with jq", `exec "$0" -q .value >/dev/full`, "no space left"},
		{"a full device, as text", `exec "$0" --format=text >/dev/full`, "no space left"},
		{"a file size limit", `trap '' XFSZ; ulimit -f 8; exec "$0" >"$1"`, "file too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", c.script, bin, filepath.Join(t.TempDir(), "out"))
			cmd.Stdin = strings.NewReader(in.String())
			var stderr strings.Builder
			cmd.Stderr = &stderr
			cmd.Run()
			if status := cmd.ProcessState.ExitCode(); status != 3 {
				t.Errorf("status %d, want 3 (%v)", status, cmd.ProcessState)
			}
			oneComplaint(t, stderr.String(), c.want)
		})
	}
}

// "A FILE that cannot be read is said at once and the others are read."
func TestUnreadableFiles(t *testing.T) {
	robust(t)
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	for _, f := range []string{"a", "c"} {
		if err := os.WriteFile(name(f), []byte("<jackin:note>"+f+"</jackin:note>\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(name("loop"), name("loop")); err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{"missing": "no such file", "loop": "symbolic links", ".": "is a directory", "a/b": "not a directory"}
	if os.Getuid() != 0 { // to whom nothing is unreadable
		if err := os.WriteFile(name("secret"), nil, 0o000); err != nil {
			t.Fatal(err)
		}
		bad["secret"] = "permission denied"
	}
	for file, why := range bad {
		out, complaint, status := run(t, nil, name("a"), name("")+"/"+file, name("c"))
		if status != 3 {
			t.Errorf("%s: status %d, want 3", file, status)
		}
		oneComplaint(t, complaint, file, why)
		if n := bytes.Count(out, []byte(`"value"`)); n != 2 {
			t.Errorf("%s: %d of the 2 events of the other files:\n%s", file, n, out)
		}
	}
}

// A file that shrinks or goes away while it is read, as logs do, ends there.
func TestVanishingFile(t *testing.T) {
	robust(t)
	name := filepath.Join(t.TempDir(), "log")
	var in strings.Builder
	for i := range 100000 {
		in.WriteString(tagLine(i))
	}
	if err := os.WriteFile(name, []byte(in.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	p := start(t, name)
	p.line() // more of its output is not read, so it stands still
	if err := os.Truncate(name, 100); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if out := p.rest(); strings.Count(out, "\n") < 100 || !strings.HasSuffix(out, "}\n") {
		t.Errorf("%d lines", strings.Count(out, "\n"))
	}
}

// repeated is n bytes of a pattern, made as they are read.
type repeated struct {
	pattern string
	n, at   int64
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.at == r.n {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && r.at < r.n {
		k := copy(p[n:], r.pattern[int(r.at%int64(len(r.pattern))):])
		k = int(min(int64(k), r.n-r.at))
		n += k
		r.at += int64(k)
	}
	return n, nil
}

// lots is size bytes of s again and again.
func lots(s string, size int64) io.Reader {
	for len(s) < 32<<10 {
		s += s
	}
	return &repeated{pattern: s, n: size}
}

// counted is n calls of f, made as they are read.
type counted struct {
	f    func(i int) string
	i, n int
	buf  string
}

func (c *counted) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if c.buf == "" {
			if c.i == c.n {
				break
			}
			c.buf = c.f(c.i)
			c.i++
		}
		k := copy(p[n:], c.buf)
		n, c.buf = n+k, c.buf[k:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func many(n int, f func(i int) string) io.Reader { return &counted{f: f, n: n} }

// A process's Maxrss begins with that of the process that started it: of a
// large one, such as a test, it tells nothing. So the test binary, run again, is
// the small process that starts the program; it tells the KB and microseconds
// that the program took on descriptor 3.
func init() {
	const asked = "TAGSCAN_TEST_MEASURE"
	measure = func() bool {
		if os.Getenv(asked) == "" {
			return false
		}
		os.Unsetenv(asked)
		cmd := exec.Command(os.Args[1], os.Args[2:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		err := cmd.Run()
		if cmd.ProcessState == nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		fmt.Fprintln(os.NewFile(3, "usage"), usage.Maxrss, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Microseconds())
		os.Exit(cmd.ProcessState.ExitCode())
		return true
	}
}

// measured runs cmd and returns what it took: KB resident, and processor time.
func measured(t *testing.T, cmd *exec.Cmd) (kb int64, spent time.Duration, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Args = append([]string{self}, cmd.Args...)
	cmd.Path = self
	cmd.Env = append(os.Environ(), "TAGSCAN_TEST_MEASURE=1")
	cmd.ExtraFiles = []*os.File{w}
	err = cmd.Run()
	w.Close()
	var us int64
	if _, e := fmt.Fscan(r, &kb, &us); err == nil {
		err = e
	}
	return kb, time.Duration(us) * time.Microsecond, err
}

// bounded fails the test when a process was ever larger than limit MB.
func bounded(t *testing.T, kb, limit int64) {
	t.Helper()
	if kb >= limit<<10 {
		t.Errorf("%d KB resident, want less than %d MB", kb, limit)
	}
}

// "Under 64 MB resident on any stream", and no input takes more than linear
// time: four times as much of it takes about four times as long.
func TestBounded(t *testing.T) {
	robust(t)
	large, distinct := int64(64<<20), 1_000_000
	if os.Getenv("TAGSCAN_TEST_HUGE") != "" {
		large, distinct = 1<<30, 10_000_000
	}
	last := "\n\n<jackin:note>last</jackin:note>\n"
	system := `{"type":"system","subtype":"init","session_id":"s"}` + "\n"
	assistant := func(text string) string {
		return `{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"` + text + `"}]},"session_id":"s"}` + "\n"
	}
	tag := func(i int) string { return "<jackin:note>" + strconv.Itoa(i) + "</jackin:note>\n" }
	for _, c := range []struct {
		name   string
		n      int64 // size of the input, in what of takes
		of     func(n int64) io.Reader
		limit  int64 // MB
		last   bool  // the tag at the end comes out
		args   []string
		linear bool
	}{
		{name: "text", n: 256 << 20, limit: 32, last: true,
			of: func(n int64) io.Reader { return lots("The agent works, and `writes` what it does.\n", n) }},
		{name: "text and tags", n: 32 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader { return lots("words "+tag(1)+tag(2)+"more\n", n) }},
		{name: "one line", n: large, limit: 64, last: true,
			of: func(n int64) io.Reader { return lots("word ", n) }},
		{name: "one line of tags", n: 32 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader { return lots("<jackin:note>a</jackin:note> ", n) }},
		{name: "opening tags", n: 1_000_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("<jackin:pr>", n*11) }},
		{name: "opening tags, a line each", n: 1_000_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("<jackin:pr>\n", n*12) }},
		{name: "tags that are never closed", n: 16 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("<jackin:note>"+strings.Repeat("x", 9000), n) }},
		{name: "backticks on a line", n: 1_000_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return io.MultiReader(strings.NewReader("x "), lots("`", n)) }},
		{name: "pairs of backticks", n: 1_000_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("` ", n*2) }},
		{name: "runs of backticks that grow", n: 1500, limit: 64, last: true,
			of: func(n int64) io.Reader {
				return many(int(n), func(i int) string { return strings.Repeat("`", i) + "x<jackin:note>" })
			}},
		{name: "backslashes", n: 4 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots(`\`, n) }},
		{name: "backslashes and backticks", n: 4 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("\\\\`\\`<jackin:note>", n) }},
		{name: "nested block quotes", n: 100_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("> ", n*2) }},
		{name: "nested list items", n: 100_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("- ", n*2) }},
		{name: "deep block quotes on many lines", n: 2000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots(strings.Repeat("> ", 900)+"x\n", n*1802) }},
		{name: "open fences", n: 100_000, limit: 64, linear: true,
			of: func(n int64) io.Reader { return lots("~~~ x\n", n*6) }},
		{name: "fences in list items", n: 100_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("- ```\n", n*6) }},
		{name: "list items that grow", n: 1000, limit: 64, last: true,
			of: func(n int64) io.Reader {
				return many(int(n), func(i int) string { return strings.Repeat("  ", i) + "- x\n" })
			}},
		{name: "link definitions", n: 4 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("[a]: <", n) }},
		{name: "blank lines", n: 16 << 20, limit: 32, last: true,
			of: func(n int64) io.Reader { return lots("\n", n) }},
		{name: "carriage returns", n: 16 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("\r", n) }},
		{name: "an escape sequence that never ends", n: 32 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader { return io.MultiReader(strings.NewReader("\x1b]0;"), lots("title ", n)) }},
		{name: "blanks on a line", n: 16 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots(" ", n) }},
		{name: "NUL", n: 32 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("\x00", n) }},
		{name: "a record over the limit", n: 50 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader {
				a := assistant("SPLIT")
				i := strings.Index(a, "SPLIT")
				return io.MultiReader(strings.NewReader(system+a[:i]), lots("lorem ipsum ", n), strings.NewReader(a[i+5:]+assistant("<jackin:note>next</jackin:note>")))
			}},
		{name: "a record within the limit", n: 15 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader {
				a := assistant("SPLIT <jackin:note>within</jackin:note>")
				i := strings.Index(a, "SPLIT")
				return io.MultiReader(strings.NewReader(system+a[:i]), lots("lorem ipsum ", n), strings.NewReader(a[i+5:]))
			}},
		{name: "a document that never ends", n: 64 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader("[\n"), lots(` {"type":"x","list":[1,2,3]},`+"\n", n))
			}},
		{name: "a document in a log that never ends", n: 64 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader("2026-03-01T10:00:00.1234567Z [\n"), lots(`2026-03-01T10:00:00.1234567Z  {"type":"x","list":[1,2,3]},`+"\n", n))
			}},
		{name: "an object in a log that never ends", n: 64 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader("2026-03-01T10:00:00.1234567Z {\n"), lots(`2026-03-01T10:00:00.1234567Z  "type": "x",`+"\n", n))
			}},
		{name: "a record in a log that is coloured", n: 15 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader(`2026-03-01T10:00:00.1234567Z {"type":"assistant","session_id":"s","message":{"role":"assistant","content":"`),
					lots("x", n/2), strings.NewReader("\x1b[0m"), lots("x", n/2), strings.NewReader(`"}}`+"\n"))
			}},
		{name: "a document in a log with a long line", n: 15 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader("2026-03-01T10:00:00.1234567Z {\n"), lots(`2026-03-01T10:00:00.1234567Z  "type": "x",`+"\n", n),
					strings.NewReader(`2026-03-01T10:00:00.1234567Z "a": "`), lots("x", n/2), strings.NewReader("\x1b[0m"), lots("x", n/2), strings.NewReader("\"\n"))
			}},
		{name: "a document in a GitLab log with a long line", n: 15 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader {
				const header = "2026-03-01T10:00:00.123456Z 01O"
				return io.MultiReader(strings.NewReader(header+" {\n"), lots(header+` "type": "x",`+"\n", n),
					strings.NewReader(header+` "a": "`+"\n"), lots(header+"+"+strings.Repeat("x", 8000)+"\n", n), strings.NewReader(header+"+\"\n"+header+" }\n"))
			}},
		{name: "brackets", n: 16 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("[", n) }},
		{name: "records", n: 100_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return many(int(n), func(i int) string {
					return fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d","role":"assistant","content":[{"type":"text","text":"<jackin:note>%d</jackin:note>"}]},"session_id":"s%d","uuid":"u%d"}`+"\n", i, i, i, i)
				})
			}},
		{name: "chunks that never end", n: 300_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return lots(`{"type":"message","timestamp":"t","role":"assistant","content":"chunk ","delta":true}`+"\n", n*86)
			}},
		{name: "records of long names", n: 3000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				name := strings.Repeat("n", 20<<10)
				return many(int(n), func(i int) string {
					return fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d%[2]s","role":"assistant","content":[{"type":"text","text":"<jackin:status>%[1]d</jackin:status>\n---AGENT_STATUS---\nTASK: a"}]},"session_id":"s%[1]d%[2]s","uuid":"u%[1]d%[2]s"}`+"\n", i, name)
				})
			}},
		{name: "sessions of long statuses", n: 12_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				status := strings.Repeat("s", 4000)
				return many(int(n), func(i int) string {
					return fmt.Sprintf(`{"type":"assistant","message":{"role":"assistant","content":"<jackin:status>%d%[2]s</jackin:status>\n---AGENT_STATUS---\nSTATUS: %[2]s"},"session_id":"s%[1]d"}`+"\n", i, status)
				})
			}},
		{name: "a record of many brackets", n: 15 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader(system+`{"type":"assistant","session_id":"s","message":{"content":`), lots("[", n))
			}},
		{name: "a record of many keys", n: 1_000_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader(system+`{`), many(int(n), func(i int) string { return fmt.Sprintf(`"k%d":"","type":"x",`, i) }),
					strings.NewReader(`"message":{"content":"a"},"session_id":"s","type":"assistant"}`+"\n"))
			}},
		{name: "an artifact with a long title", n: 15 << 20, limit: 64, last: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader(`{"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","name":"artifact_create","input":{"tags":["a"],"title":"`),
					lots("\x7f", n), strings.NewReader(`"}}]}}`+"\n"))
			}},
		{name: "an artifact with many bad tags", n: 1_200_000, limit: 64, last: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader(`{"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","name":"artifact_create","input":{"tags":["a"`),
					many(int(n), func(i int) string { return fmt.Sprintf(`,"T%d"`, i) }), strings.NewReader(`]}}]}}`+"\n"))
			}},
		{name: "an artifact with long bad tags", n: 4000, limit: 64, last: true,
			of: func(n int64) io.Reader {
				long := strings.Repeat("T", 3700)
				return io.MultiReader(strings.NewReader(`{"type":"assistant","session_id":"s","message":{"content":[{"type":"tool_use","name":"artifact_create","input":{"tags":["a"`),
					many(int(n), func(i int) string { return fmt.Sprintf(`,"%d%s"`, i, long) }), strings.NewReader(`]}}]}}`+"\n"))
			}},
		{name: "events that never end", n: 32 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader(`data: {"type":"server.connected","properties":{}}`+"\n\n"), lots(`data: {"a":1,`+"\n", n))
			}},
		{name: "parts that never end", n: 100_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return many(int(n), func(i int) string {
					return fmt.Sprintf(`{"type":"message.part.updated","properties":{"part":{"id":"p%d","messageID":"m%[1]d","sessionID":"s","type":"text","text":"<jackin:note>%s</jackin:note>"}}}`+"\n", i, strings.Repeat("x", 400))
				})
			}},
		{name: "segments that never end", n: 200_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return lots(`{"type":"assistant","timestamp_ms":1,"message":{"role":"assistant","content":[{"type":"text","text":"<jackin:note>x"}]},"session_id":"s"}`+"\n", n*132)
			}},
		{name: "a turn that never ends", n: 200_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return many(int(n), func(i int) string {
					return fmt.Sprintf(`{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"<jackin:note>%d</jackin:note>"}}`+"\n", i)
				})
			}},
		{name: "a GitLab log of many streams", n: 256, limit: 64, last: true,
			of: func(n int64) io.Reader {
				long := strings.Repeat("x", 1<<20)
				return many(int(n), func(i int) string { return fmt.Sprintf("2026-03-01T10:00:00.123456Z %02xO+%s\n", i%256, long) })
			}},
		{name: "a step that never ends", n: 64 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader("2026-03-01T10:00:00.1234567Z ##[group]Run x\n"), lots("2026-03-01T10:00:00.1234567Z echo\n", n))
			}},
		{name: "distinct kinds", n: 500_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return many(int(n), func(i int) string { return fmt.Sprintf("<jackin:k%d>x</jackin:k%[1]d>\n", i) })
			}},
		{name: "distinct tags", n: int64(distinct), limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return many(int(n), tag) }},
		{name: "a status block that never ends", n: 32 << 20, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader("---AGENT_STATUS---\n"), lots("STATUS: COMPLETE\n", n))
			}},
		{name: "a status block of many fields", n: 1_000_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader {
				return io.MultiReader(strings.NewReader("---AGENT_STATUS---\n"), many(int(n), func(i int) string { return "K" + strconv.Itoa(i) + ": x\n" }))
			}},
		{name: "openings of status blocks", n: 200_000, limit: 64, last: true, linear: true,
			of: func(n int64) io.Reader { return lots("---AGENT_STATUS---\nTASK: a\n", n*27) }},
		{name: "what is skipped", n: 200_000, limit: 64, last: true, linear: true, args: []string{"--skipped"},
			of: func(n int64) io.Reader { return lots("`<jackin:note>x</jackin:note>` <jackin:X> ", n*42) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			scan := func(n int64) time.Duration {
				in := io.MultiReader(c.of(n), strings.NewReader(last))
				cmd := exec.CommandContext(t.Context(), binary(t), append([]string{"--quiet"}, c.args...)...)
				var stderr bytes.Buffer
				end := watch{want: []byte(`"value":"last"`)}
				cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &end, &stderr
				kb, spent, err := measured(t, cmd)
				if err != nil || stderr.Len() > 0 {
					t.Fatalf("%v: %s", err, &stderr)
				}
				bounded(t, kb, c.limit)
				if end.seen != c.last {
					t.Errorf("the tag at the end came out: %t, want %t; the output ends in\n%s", end.seen, c.last, end.tail)
				}
				return spent
			}
			if !c.linear {
				scan(c.n)
				return
			}
			few := scan(c.n / 4)
			all := scan(c.n)
			// Time that is too short to measure tells nothing; quadratic time
			// would be sixteen times as much.
			if all > 9*max(few, 25*time.Millisecond) {
				t.Errorf("%v for a quarter, %v for the whole", few, all)
			}
		})
	}
}

// TestBoundedLists: a list of tags that is as long as a line may be.
func TestBoundedLists(t *testing.T) {
	robust(t)
	const n = 15 << 20
	for name, in := range map[string]io.Reader{
		"commas":       lots(",", n),
		"distinct":     many(n/8, func(i int) string { return fmt.Sprintf("A%d,", i) }),
		"an array":     io.MultiReader(strings.NewReader(`["b"`), lots(`,"a"`, n), strings.NewReader(`]`)),
		"no UTF-8":     io.MultiReader(strings.NewReader(`["`), lots("\xff", n), strings.NewReader(`"]`)),
		"long tags":    lots(strings.Repeat("x", 1<<20)+",", n),
		"a long event": io.MultiReader(strings.NewReader(`{"kind":"artifact.created","data":{"tags":["A"],"body":"`), lots("x", n), strings.NewReader(`"}}`)),
		"control":      many(n/8, func(i int) string { return fmt.Sprintf("\x01%d,", i) }),
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), binary(t), "validate", "-")
			var out, stderr bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = io.MultiReader(in, strings.NewReader("\nlast\n")), &out, &stderr
			kb, _, err := measured(t, cmd)
			if exitStatus(err) != 1 || stderr.Len() > 0 {
				t.Fatalf("%v: %s", err, &stderr)
			}
			bounded(t, kb, 64)
			lines := strings.Split(out.String(), "\n")
			if len(lines) != 3 || !strings.HasPrefix(lines[0], `{"type":"validation","valid":false,`) || lines[1] != `{"type":"validation","valid":true,"tags":["last"],"line":2}` {
				t.Errorf("came out: %.300q", lines)
			}
		})
	}
}

// A watch looks for want in what is written to it, and keeps the end of that.
type watch struct {
	want, tail []byte
	seen       bool
}

func (w *watch) Write(p []byte) (int, error) {
	b := append(w.tail, p...)
	w.seen = w.seen || bytes.Contains(b, w.want)
	w.tail = append(w.tail[:0], b[max(0, len(b)-512):]...)
	return len(p), nil
}
