//go:build !amd64

package masks

func blocks(words []Word, b []byte, after *Set) (marked uint64, escape bool) {
	return portable(words, b, after)
}

func lines(ends []int32, words []Word, base int) int { return portableLines(ends, words, base) }

func line(b []byte) (n int, escape, found bool) { return 0, false, false }

func headsOf(heads []Head, b []byte, starts []int32) int { return 0 }

func fits(p *Pattern, b []byte, starts []int32) uint64 { return portableFits(p, b, starts) }

func needle(b []byte, n int, after *Set) int { return portableNeedle(b, n, after) }

func quote(b []byte) (i, looked int) { return -1, 0 }

func text(b []byte) int { return 2 }
