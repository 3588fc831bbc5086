package gen

import (
	"bytes"
	"time"
)

// A clock stamps the lines of a log. It goes on by up to a tenth of a second.
type clock struct {
	random
	ticks  int64 // of 100 ns
	second int64
	prefix []byte // the second, as stamped
}

const ticksPerSecond = 10_000_000

// start is when the job began, in seconds.
var start = time.Date(2026, 2, 3, 9, 12, 0, 0, time.UTC).Unix()

func (c *clock) stamp(b []byte) []byte {
	c.ticks += int64(1 + c.n(ticksPerSecond/10))
	if s := c.ticks / ticksPerSecond; s != c.second || c.prefix == nil {
		c.second = s
		c.prefix = time.Unix(start+s, 0).UTC().AppendFormat(c.prefix[:0], "2006-01-02T15:04:05.")
	}
	b = append(b, c.prefix...)
	digits := [7]byte{}
	for i, n := 6, c.ticks%ticksPerSecond; i >= 0; i, n = i-1, n/10 {
		digits[i] = byte('0' + n%10)
	}
	return append(append(b, digits[:]...), "Z "...)
}

// writeCI writes text as GitHub's runner does.
func writeCI(g *generator, o *output, size int64) {
	c := &clock{random: g.random}
	var b, colored []byte
	for o.n.Bytes < size {
		g.t.reset()
		g.segment()
		o.found(&g.t, false)
		lines := g.t.b
		if len(g.t.tags) > 0 && g.once(15) {
			colored = append(colored[:0], lines...)
			for _, x := range g.t.tags { // the value in colours
				s := x.String()
				open := len("<" + x.namespace + ":" + x.kind + ">")
				colored = bytes.Replace(colored, []byte(s),
					[]byte(s[:open]+"\x1b[4;34m"+x.raw+"\x1b[0m"+s[open+len(x.raw):]), 1)
			}
			lines = colored
		}
		b = b[:0]
		for l := range bytes.Lines(lines) {
			l = l[:len(l)-1]
			b = c.stamp(b)
			before, after := "", ""
			switch x := g.n(100); {
			case len(l) == 0:
			case l[0] == '$' || l[0] == '#':
				before, after = "\x1b[36;1m", "\x1b[0m"
			case x < 8:
				before, after = "\x1b[32m", "\x1b[0m"
			case x < 11:
				before, after = "\x1b[38;5;244m\x1b[1m", "\x1b[22m\x1b[0m\x1b[K"
			}
			b = append(append(append(b, before...), l...), after...)
			b = append(b, '\n')
		}
		o.write(b)
		if g.once(150) {
			o.write(g.step(c, b[:0]))
		}
	}
}

// step is how the runner shows the script of a step, which is not the agent's
// word.
func (g *generator) step(c *clock, b []byte) []byte {
	for _, l := range []string{
		"##[group]Run ./agent.sh",
		"\x1b[36;1m./agent.sh --brief 'emit " + g.decoy() + "'\x1b[0m",
		"shell: /usr/bin/bash -e {0}",
		"env:",
		"  GOFLAGS: -mod=readonly",
		"##[endgroup]",
		"##[warning]" + pick(g.random, g.sentences),
		"",
	} {
		b = append(append(c.stamp(b), l...), '\n')
	}
	return b
}
