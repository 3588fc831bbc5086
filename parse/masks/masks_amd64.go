package masks

import (
	"math/bits"

	"golang.org/x/sys/cpu"
)

// blocks fills words, of which there are 1 to 64, from 64 bytes of b for each and
// one more. It says which have a Mark, and whether there is an escape in them.
func blocks(words []Word, b []byte, after *Set) (marked uint64, escape bool) {
	if !cpu.X86.HasAVX2 {
		return portable(words, b, after)
	}
	backward, escape := avx2(&words[0], &b[0], len(words), after)
	return bits.Reverse64(backward) >> (64 - len(words)), escape
}

// avx2 is blocks with the vectors that most machines have. It reads n*64+1
// bytes, and says from the last word to the first which have a Mark.
//
//go:noescape
func avx2(words *Word, b *byte, n int, after *Set) (backward uint64, escape bool)

// lines is Lines for at least one word.
func lines(ends []int32, words []Word, base int) int {
	if !cpu.X86.HasBMI1 || !cpu.X86.HasPOPCNT {
		return portableLines(ends, words, base)
	}
	return linesBMI(&ends[0], &words[0], len(words), int64(base))
}

//go:noescape
func linesBMI(ends *int32, words *Word, n int, base int64) int

// line is Line if it is found, and else how far it has looked.
func line(b []byte) (n int, escape, found bool) {
	const block = 128
	if len(b) < block || !cpu.X86.HasAVX2 || !cpu.X86.HasBMI1 {
		return 0, false, false
	}
	return lineAVX2(&b[0], len(b)/block)
}

// lineAVX2 is line for n blocks, n at least 1.
//
//go:noescape
func lineAVX2(b *byte, n int) (size int, escape, found bool)

// headsOf fills the first heads, as many as it returns.
func headsOf(heads []Head, b []byte, starts []int32) int {
	n := len(starts) / 4
	if n == 0 || !cpu.X86.HasAVX2 {
		return 0
	}
	headsAVX2(&heads[0], &b[0], &starts[0], n)
	return 4 * n
}

// headsAVX2 fills n times four heads.
//
//go:noescape
func headsAVX2(heads *Head, b *byte, starts *int32, n int)

// fits is Fits for at least one start, in front of which nothing is read.
func fits(p *Pattern, b []byte, starts []int32) uint64 {
	if !cpu.X86.HasAVX2 {
		return portableFits(p, b, starts)
	}
	which := fitsAVX2(&p.low, &p.span, &b[0], &starts[0], len(starts))
	return which >> (64 - len(starts))
}

// fitsAVX2 is fits with the bit of the last start as the highest.
//
//go:noescape
func fitsAVX2(low, span *[32]byte, b *byte, starts *int32, n int) uint64

// needle finds the first byte that Needle looks for in n*64 bytes, n at least 1,
// of which one more is read.
func needle(b []byte, n int, after *Set) int {
	if !cpu.X86.HasAVX2 {
		return portableNeedle(b, n, after)
	}
	return needleAVX2(&b[0], n, after)
}

//go:noescape
func needleAVX2(b *byte, n int, after *Set) int

// quote finds the quote that Quote looks for in the first bytes of b, of which
// there are at least 66, but not in the first two. It says how many it has looked at.
func quote(b []byte) (i, looked int) {
	if !cpu.X86.HasAVX2 {
		return -1, 0
	}
	n := (len(b) - 2) / 64
	return quoteAVX2(&b[0], n), 2 + n*64
}

// quoteAVX2 looks at n*64 bytes behind the first two, which it reads. It returns
// -1 for none.
//
//go:noescape
func quoteAVX2(b *byte, n int) int

// text finds the first byte of b that is not surely text, behind the first two. It
// may stop before.
func text(b []byte) int {
	n := (len(b) - 2) / 64
	if n <= 0 || !cpu.X86.HasAVX2 {
		return 2
	}
	return textAVX2(&b[0], n)
}

// textAVX2 looks at n*64 bytes behind the first two, which it reads.
//
//go:noescape
func textAVX2(b *byte, n int) int
