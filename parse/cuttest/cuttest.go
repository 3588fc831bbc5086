// Package cuttest cuts inputs into writes, for tests of what must not depend on
// how its input is cut.
package cuttest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// A Cut is a way of cutting an input.
type Cut struct {
	Name string
	// next is the length of the piece that begins at offset at, where b is what
	// is left.
	next func(b []byte, at int) int
}

// All are the fixed ways; the first of them does not cut.
var All = []Cut{
	{"whole", func(b []byte, at int) int { return len(b) }},
	{"bytes", func(b []byte, at int) int { return 1 }},
	{"even pairs", func(b []byte, at int) int { return 2 }},
	{"odd pairs", func(b []byte, at int) int { return 2 - (at+1)%2 }},
	{"lines", through('\n')},
	{"tags", through('>')},
	{"uneven", func(b []byte, at int) int { return 1 + at*7%13 }},
	{"large", func(b []byte, at int) int { return 40<<10 + at%7 }},
}

// Random is a way of cutting that seed decides, into pieces of 1 to most bytes.
func Random(seed uint64, most int) Cut {
	r := rand.New(rand.NewPCG(seed, 0))
	return Cut{fmt.Sprintf("random pieces (%d)", seed), func([]byte, int) int { return 1 + r.IntN(most) }}
}

func through(c byte) func([]byte, int) int {
	return func(b []byte, at int) int {
		if i := bytes.IndexByte(b, c); i >= 0 {
			return i + 1
		}
		return len(b)
	}
}

// Into hands b to write in pieces. Each is overwritten after the call, so that
// what keeps one shows.
func (c Cut) Into(b []byte, write func([]byte)) {
	piece := make([]byte, 0, 64)
	for at := 0; at < len(b); {
		n := min(max(c.next(b[at:], at), 1), len(b)-at)
		piece = append(piece[:0], b[at:at+n]...)
		write(piece)
		for i := range piece {
			piece[i] = '#'
		}
		at += n
	}
}
