package scan_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"tagscan/emit"
	"tagscan/emit/scan"
	"tagscan/parse/cuttest"
)

// A halting reader gives pieces of any size, and now and then lets its reader
// wait.
type halting struct {
	r     io.Reader
	rand  *rand.Rand
	most  int
	waits bool
}

func (h *halting) Read(p []byte) (int, error) {
	if h.waits && h.rand.IntN(3) == 0 {
		time.Sleep(time.Duration(h.rand.IntN(300)) * time.Microsecond)
	}
	return h.r.Read(p[:min(len(p), 1+h.rand.IntN(h.most))])
}

// What comes out of Read does not depend on who waits for whom.
func TestRead(t *testing.T) {
	var in []byte
	for len(in) < 1<<20 {
		for _, b := range fixtures() {
			in = append(in, b...)
		}
	}
	o := scan.Options{All: true, Skipped: true, Transient: true}
	want := events(t, in, o, cuttest.All[0])
	for seed := range uint64(4) {
		var out bytes.Buffer
		sink := emit.NewWriter(&out)
		c := scan.New("", sink, o)
		r := &halting{r: bytes.NewReader(in), rand: rand.New(rand.NewPCG(seed, 1)), most: 1 << (15 + seed), waits: seed%2 == 0}
		if err := scan.Read(c, r, sink.Flush); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := sink.Flush(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Errorf("seed %d: other events than of a Write of all", seed)
		}
	}
}
