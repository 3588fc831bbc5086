//go:build unix

// Command bench measures tagscan beside what people use today:
//
//	go run ./scripts/corpus -out DIR
//	go run ./scripts/bench -corpus DIR [-bin PATH] [-rounds 7] [-only text,ci,json,start,latency,memory] [-grow 1024]
//
// It prints Markdown. Peers that are not installed are left out, with a word;
// they are the scripts under peers/, as they stand.
//
//	text, ci, json  every command reads the file on stdin and writes to a file; the
//	                commands take turns in each round, and the medians are shown. Nothing
//	                is written to /dev/null: grep would stop at the first match. On a busy
//	                machine the processor time is the steadier figure.
//	start           the time from start to exit with nothing to read
//	latency         from the write of a tag's last byte to its event, read from a pipe
//	memory          the resident set at 64 MiB of input and at -grow MiB, of text made
//	                while it is read, so that no two tags are the same
//
// Before it measures, it checks that tagscan's tags and status blocks are those of
// the corpus. If they are not, the figures do not count, and it exits with 1.
//
// What a peer prints is counted, not checked: one that knows no fences prints more
// tags than there are, and none normalises a value.
//
// Figures move by a tenth between runs, and more on a machine that does other
// work: compare ratios. MB are 10^6 bytes, MiB 2^20.
package main

import (
	"bufio"
	"bytes"
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"tagscan/scripts/corpus/gen"
)

//go:embed peers
var peerFiles embed.FS

// A peer is a script under peers/, and what it needs to run.
type peer struct {
	name, script string
	needs        []string
}

// What is measured on each file. A script's interpreter is the first thing that
// it needs.
var peers = map[string][]peer{
	"text": {
		{"`rg -o`", "text-rg.sh", []string{"sh", "rg"}},
		{"`grep -oP`", "text-grep.sh", []string{"sh", "grep"}},
		{"`grep -F \\| grep -oP`", "text-grep-grep.sh", []string{"sh", "grep"}},
		{"awk, fences", "text-awk.sh", []string{"sh", "awk"}},
		{"Python, fences", "text-python.py", []string{"python3"}},
		{"Node, one string", "text-node.js", []string{"node"}},
	},
	"ci": {
		{"`sed \\| rg -o`", "ci-sed-rg.sh", []string{"sh", "sed", "rg"}},
		{"Python, fences", "ci-python.py", []string{"python3"}},
	},
	"json": {
		{"`jq \\| grep -oP`", "json-jq-grep.sh", []string{"sh", "jq", "grep"}},
		{"`grep -F \\| grep -F \\| jq \\| grep -oP`", "json-grep-jq-grep.sh", []string{"sh", "jq", "grep"}},
		{"Python, fences", "json-python.py", []string{"python3"}},
		{"Node", "json-node.js", []string{"node"}},
	},
}

type bench struct {
	corpus, bin, dir string
	rounds           int
	grow             int64
	wrong            bool
}

func main() {
	b := &bench{}
	flag.StringVar(&b.corpus, "corpus", "", "the `DIR` that the corpus is in")
	flag.StringVar(&b.bin, "bin", "", "the tagscan to measure; by default it is built")
	flag.IntVar(&b.rounds, "rounds", 7, "how often each command is run, 7 times or more")
	flag.Int64Var(&b.grow, "grow", 1024, "the larger input of memory, in MiB")
	only := flag.String("only", "text,ci,json,start,latency,memory", "what to measure")
	feed := flag.String("feed", "", "write an input of -feed-mb MiB instead, as memory does: text, ci, json, line, open or record")
	feedMB := flag.Int64("feed-mb", 64, "its size")
	flag.Parse()
	if *feed != "" {
		fail(feedInput(os.Stdout, *feed, *feedMB<<20))
		return
	}
	if flag.NArg() > 0 || b.rounds < 7 {
		flag.Usage()
		os.Exit(2)
	}
	what := strings.Split(*only, ",")
	measures := map[string]func() error{
		"text": func() error { return b.file("text") }, "ci": func() error { return b.file("ci") },
		"json": func() error { return b.file("json") }, "start": b.start, "latency": b.latency, "memory": b.memory,
	}
	for _, w := range what {
		if measures[w] == nil {
			fail(fmt.Errorf("-only %s: there is text, ci, json, start, latency and memory", w))
		}
		if gen.Files[w] != "" && b.corpus == "" {
			fail(fmt.Errorf("-only %s: name the folder of the corpus by -corpus", w))
		}
	}
	fail(b.setUp())
	var err error
	for _, w := range what {
		if err = measures[w](); err != nil {
			break
		}
	}
	os.RemoveAll(b.dir)
	fail(err)
	if b.wrong {
		fmt.Println("\n**tagscan's events are not those of the corpus: these figures do not count.**")
		os.Exit(1)
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// setUp makes the folder that outputs go to, in memory if there is such a place,
// builds the binary and says what the machine is.
func (b *bench) setUp() (err error) {
	parent := ""
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		parent = "/dev/shm"
	}
	if b.dir, err = os.MkdirTemp(parent, "bench-"); err != nil {
		return err
	}
	if b.bin == "" {
		b.bin = filepath.Join(b.dir, "tagscan")
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.bin, "tagscan")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as README installs it
		if out, err := build.CombinedOutput(); err != nil {
			os.RemoveAll(b.dir)
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if b.bin, err = filepath.Abs(b.bin); err != nil {
		return err
	}
	err = fs.WalkDir(peerFiles, "peers", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := peerFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(b.dir, d.Name()), text, 0o666)
	})
	if err != nil {
		return err
	}
	fmt.Printf("%s/%s, %d processors, load %s. Outputs go to %s.\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load(), filepath.Dir(b.dir))
	for _, c := range [][]string{{b.bin, "--version"}, {"rg", "--version"}, {"grep", "--version"}, {"jq", "--version"}, {"python3", "--version"}, {"node", "--version"}} {
		out, err := exec.Command(c[0], c[1:]...).Output()
		if err != nil {
			fmt.Printf("- %s is not there\n", filepath.Base(c[0]))
			continue
		}
		first, _, _ := strings.Cut(string(out), "\n")
		if c[0] == "node" {
			first = "node " + first
		}
		fmt.Printf("- %s\n", first)
	}
	return nil
}

// load is how busy the machine is.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return string(bytes.Join(bytes.Fields(b)[:3], []byte(" ")))
}

// A command is one line of a table.
type command struct {
	name string
	argv []string
	wall []time.Duration
	cpu  []time.Duration // user and system, of every process of a pipeline
	rss  int64           // the largest, in bytes
	out  int             // lines that it printed
}

func (c *command) median() time.Duration { return median(c.wall) }

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	n := len(d)
	if n%2 == 1 {
		return d[n/2]
	}
	return (d[n/2-1] + d[n/2]) / 2
}

// run runs c once with the file on stdin and out as stdout.
func (b *bench) run(c *command, in string) (wall time.Duration, out string, err error) {
	f, err := os.Open(in)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	out = filepath.Join(b.dir, "out")
	w, err := os.Create(out)
	if err != nil {
		return 0, "", err
	}
	defer w.Close()
	shrink()
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = f, w, &stderr
	cmd.Env = append(os.Environ(), "IN="+in)
	start := time.Now()
	err = cmd.Run()
	wall = time.Since(start)
	if err != nil {
		return 0, "", fmt.Errorf("%s: %w: %s", c.name, err, stderr.Bytes())
	}
	c.cpu = append(c.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	c.rss = max(c.rss, maxRSS(cmd.ProcessState))
	return wall, out, nil
}

// shrink makes this process small: on Linux a child's largest resident set begins
// at that of its parent.
func shrink() {
	debug.FreeOSMemory()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak is the present
}

// file measures one file of the corpus.
func (b *bench) file(what string) error {
	name := gen.Files[what]
	in := filepath.Join(b.corpus, name)
	fi, err := os.Stat(in)
	if err != nil {
		return fmt.Errorf("%w (make it by: go run ./scripts/corpus -out %s)", err, b.corpus)
	}
	fmt.Printf("\n### %s, %d MB\n\n", name, fi.Size()/1e6)
	us := &command{name: "`tagscan --all`", argv: []string{b.bin, "--all"}}
	commands := []*command{us,
		{name: "`cat \\| tagscan --all`", argv: []string{"sh", "-c", `cat "$IN" | "$0" --all`, b.bin}},
		{name: "`wc -l`", argv: []string{"wc", "-l"}},
	}
	for _, p := range peers[what] {
		if lacks := slices.IndexFunc(p.needs, func(n string) bool { _, err := exec.LookPath(n); return err != nil }); lacks >= 0 {
			fmt.Printf("Left out: %s, for there is no %s.\n\n", p.name, p.needs[lacks])
			continue
		}
		commands = append(commands, &command{name: p.name, argv: []string{p.needs[0], filepath.Join(b.dir, p.script)}})
	}

	// The first round is not measured: it brings the file into memory, and its
	// outputs are looked at.
	working := commands[:0]
	var tags int
	for _, c := range commands {
		_, out, err := b.run(c, in)
		if err != nil {
			if c == us {
				return err
			}
			fmt.Printf("Left out: %v.\n\n", err)
			continue
		}
		working = append(working, c)
		if c.out, err = countLines(out); err != nil {
			return err
		}
		if c != us {
			continue
		}
		diff := ""
		if tags, diff, err = compare(out, b.corpus, name); err != nil {
			return err
		}
		if diff != "" {
			b.wrong = true
			fmt.Printf("**Not the truth:** %s\n\n", diff)
		} else {
			fmt.Printf("All %d tags and %d status blocks are right.\n\n", tags, c.out-tags)
		}
	}
	commands = working
	for _, c := range commands {
		c.cpu = nil
	}
	for r := range b.rounds {
		for i := range commands {
			c := commands[(r+i)%len(commands)]
			wall, _, err := b.run(c, in)
			if err != nil {
				return err
			}
			c.wall = append(c.wall, wall)
		}
	}
	fmt.Println("| command | ms | fastest | MB/s | times tagscan's | CPU ms | peak MiB | lines out |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|")
	base := us.median()
	for _, c := range commands {
		m := c.median()
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.2f | %.0f | %s | %d |\n", c.name, ms(m), ms(slices.Min(c.wall)),
			float64(fi.Size())/1e6/m.Seconds(), float64(m)/float64(base), ms(median(c.cpu)), mib(c.rss), c.out)
	}
	fmt.Printf("\nMedians of %d rounds; no peak can be below %s, which this process holds; load now %s.\n", b.rounds, mib(ownRSS()), load())
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

func mib(n int64) string { return fmt.Sprintf("%.1f", float64(n)/(1<<20)) }

func countLines(name string) (n int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var buf [64 << 10]byte
	for {
		k, err := f.Read(buf[:])
		n += bytes.Count(buf[:k], []byte{'\n'})
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// start measures a run with nothing to read.
func (b *bench) start() error {
	const runs = 301
	fmt.Printf("\n### From start to exit\n\n")
	commands := []*command{
		{name: "`tagscan </dev/null`", argv: []string{b.bin}},
		{name: "`tagscan -q .kind </dev/null`", argv: []string{b.bin, "-q", ".kind"}},
		{name: "`jq -n empty`", argv: []string{"jq", "-n", "empty"}},
		{name: "`rg x </dev/null`", argv: []string{"sh", "-c", "rg x - || :"}},
		{name: "`sh -c :`", argv: []string{"sh", "-c", ":"}},
	}
	commands = slices.DeleteFunc(commands, func(c *command) bool {
		_, err := exec.LookPath(c.argv[0])
		if err == nil && strings.Contains(c.name, "rg ") {
			_, err = exec.LookPath("rg")
		}
		if err != nil {
			fmt.Printf("Left out: %s, which is not there.\n\n", c.name)
		}
		return err != nil
	})
	for r := range runs + 5 {
		for i := range commands {
			c := commands[(r+i)%len(commands)]
			wall, _, err := b.run(c, os.DevNull)
			if err != nil {
				return err
			}
			if r >= 5 {
				c.wall = append(c.wall, wall)
			}
		}
	}
	fmt.Println("| command | ms | at p99 | peak MiB |")
	fmt.Println("|---|---:|---:|---:|")
	for _, c := range commands {
		d := slices.Sorted(slices.Values(c.wall))
		fmt.Printf("| %s | %.2f | %.2f | %s |\n", c.name, ms(c.median()), ms(d[len(d)*99/100]), mib(c.rss))
	}
	fmt.Printf("\nMedians of %d runs; load now %s.\n", runs, load())
	return nil
}

// memory measures the resident set on inputs of two sizes.
func (b *bench) memory() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Printf("\n### Resident set\n\n")
	fmt.Printf("| input | 64 MiB of it | %d MiB | growth |\n|---|---:|---:|---:|\n", b.grow)
	for _, in := range []struct{ what, name string }{
		{"text", "text"}, {"ci", "CI log"}, {"json", "stream-json"},
		{"line", "one line of text"}, {"open", "a tag that is never closed"}, {"record", "one record"},
	} {
		var rss [2]int64
		for i, size := range []int64{64, b.grow} {
			if rss[i], err = b.resident(self, in.what, size); err != nil {
				return err
			}
		}
		fmt.Printf("| %s | %s | %s | %.2f |\n", in.name, mib(rss[0]), mib(rss[1]), float64(rss[1])/float64(rss[0]))
	}
	fmt.Printf("\nMiB, the largest of three runs; this process holds %s and no figure can be below.\n", mib(ownRSS()))
	return nil
}

func (b *bench) resident(self, what string, size int64) (rss int64, err error) {
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		out, err := os.Create(filepath.Join(b.dir, "out"))
		if err != nil {
			return 0, err
		}
		feeder := exec.Command(self, "-feed", what, "-feed-mb", fmt.Sprint(size))
		feeder.Stdout = w
		cmd := exec.Command(b.bin)
		cmd.Stdin, cmd.Stdout = r, out
		shrink()
		err = feeder.Start()
		w.Close()
		if err == nil {
			if err = cmd.Run(); err == nil {
				r.Close()
				err = feeder.Wait()
			}
		}
		r.Close()
		out.Close()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", what, err)
		}
		rss = max(rss, maxRSS(cmd.ProcessState))
	}
	return rss, nil
}

// feedInput writes an input of about size bytes.
func feedInput(w io.Writer, what string, size int64) error {
	if gen.Files[what] != "" {
		return gen.Write(what, size, 1, w, io.Discard, io.Discard)
	}
	head, body, tail := "", "some words, a `span` and x < y; ", "\n"
	switch what {
	case "line":
	case "open":
		head, body = "<jackin:note>", "words and\nmore of them "
	case "record":
		head, tail = `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"`, `"}]},"session_id":"s"}`+"\n"
	default:
		return fmt.Errorf("-feed %s: there is text, ci, json, line, open and record", what)
	}
	b := bufio.NewWriterSize(w, 1<<18)
	b.WriteString(head)
	for n := int64(0); n < size; n += int64(len(body)) {
		if _, err := b.WriteString(body); err != nil {
			return err
		}
	}
	b.WriteString(tail)
	return b.Flush()
}
