// Package masks finds the bytes that the line loop asks for, 64 bytes at a time.
package masks

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A Word tells of 64 bytes of input which are which: bit i of each mask is of
// byte i.
type Word struct {
	LF uint64 // a \n
	// Mark is of a '<' with a byte of the set behind it, a \r, a '|', or a tab with
	// a byte behind it that begins like a digit, 0xEF or an escape: with 0x3, 0xE or 0x1.
	Mark uint64
	// Before is how many \n Lines has put into ends before those of this word.
	Before int
}

// A Set is a set of ASCII characters.
type Set struct {
	// Bit h of low[l] is of the character with the high half h and the low half l.
	low [16]byte
}

// Add adds c, which is below 0x80, to s.
func (s *Set) Add(c byte) { s.low[c&15] |= 1 << (c >> 4) }

// Has says whether c is in s.
func (s *Set) Has(c byte) bool { return c < 0x80 && s.low[c&15]>>(c>>4)&1 == 1 }

// Words are those of up to 4096 bytes of input.
type Words [64]Word

// Make fills words with the masks of what b begins with, as much as there is
// room for, and returns those that it has filled, of which there is a Mark in
// (bit i is of word i), and whether there is an escape in what they are of. Bits
// behind the end of b are 0.
func Make(words *Words, b []byte, after *Set) (filled []Word, marked uint64, escape bool) {
	filled = words[:min(len(words), (len(b)+63)/64)]
	// What is behind a block's last byte counts, too.
	n := min(len(filled), max(len(b)-1, 0)/64)
	if n > 0 {
		marked, escape = blocks(filled[:n], b[:n*64+1], after)
	}
	if n < len(filled) {
		var last [65]byte
		copy(last[:], b[n*64:])
		m, e := blocks(filled[n:], last[:], after)
		marked, escape = marked|m<<n, escape || e
	}
	return filled, marked, escape
}

// Lines puts the offsets of the \n in words into ends, base being that of their
// first byte, sets Before of each word, and returns how many there are. ends has room for 64 for each word;
// what is behind those that it returns is undefined.
func Lines(ends []int32, words []Word, base int) int {
	if len(words) == 0 {
		return 0
	}
	return lines(ends[:64*len(words)], words, base)
}

// portableLines is lines in Go.
func portableLines(ends []int32, words []Word, base int) int {
	n := 0
	for i := range words {
		words[i].Before = n
		for lf := words[i].LF; lf != 0; lf &= lf - 1 {
			ends[n] = int32(base + 64*i + bits.TrailingZeros64(lf))
			n++
		}
	}
	return n
}

// Line is the offset of the first \n of b, -1 if there is none, and then whether
// there is an escape in front of it.
func Line(b []byte) (n int, escape bool) {
	first, escape, found := line(b)
	if found {
		return first, escape
	}
	if n = bytes.IndexByte(b[first:], '\n'); n < 0 {
		return -1, false
	}
	n += first
	return n, escape || bytes.IndexByte(b[first:n], esc) >= 0
}

// A Head is what a line begins with: in its lowest nine bits HeadByte, with
// HeadBlank set when there are blanks (spaces and tabs) in front of that byte;
// from bit 16 on the byte behind it. HeadDeep is set when these are not among the
// first eight bytes, so that the others tell nothing.
type Head uint32

const (
	HeadByte  Head = 0xff // the first byte that is no blank, the line's end included
	HeadBlank Head = 1 << 8
	HeadDeep  Head = 1 << 24
)

// Next is the byte behind HeadByte.
func (h Head) Next() byte { return byte(h >> 16) }

// Heads fills heads with those of what begins in b behind from each of starts, as
// many, in front of which nothing is read. Eight bytes behind from the last of
// them are still in b.
func Heads(heads []Head, b []byte, starts []int32, behind int) {
	if len(starts) == 0 {
		return
	}
	heads, b = heads[:len(starts)], b[behind:]
	_, _ = b[starts[0]], b[int(starts[len(starts)-1])+7]
	n := headsOf(heads, b, starts)
	for i, at := range starts[n:] {
		word := binary.LittleEndian.Uint64(b[at:])
		blanks := bits.TrailingZeros64(^(equal(word, ' ')|equal(word, '\t'))&high) &^ 7
		word >>= blanks
		h := Head(word)&HeadByte | Head(word&0xff00)<<8
		if blanks > 0 {
			h |= HeadBlank
		}
		if blanks > 6*8 {
			h |= HeadDeep
		}
		heads[n+i] = h
	}
}

// equal has the high bit of each byte of x set that is c.
func equal(x uint64, c byte) uint64 {
	x ^= ones * uint64(c)
	return ^(x&^high + ^uint64(high) | x) & high
}

// A Pattern is a text in which each '0' stands for a digit, and all else for
// itself.
type Pattern struct {
	n int // its length
	// The byte that one of the input may be at the least, and by how much it may be
	// more. Behind the text it may be any.
	low, span [32]byte
}

// NewPattern returns the Pattern of a text of up to 32 bytes.
func NewPattern(text string) *Pattern {
	p := &Pattern{n: len(text)}
	for i := range p.span {
		switch {
		case i >= len(text):
			p.span[i] = 0xff
		case text[i] == '0':
			p.span[i] = 9
			fallthrough
		default:
			p.low[i] = text[i]
		}
	}
	return p
}

// Fits says whether p is what begins in b behind from each of starts: bit i is of
// starts[i]. There are at most 64 of them, and behind from the last one 32 bytes
// are still in b.
func Fits(p *Pattern, b []byte, starts []int32, behind int) uint64 {
	if len(starts) == 0 {
		return 0
	}
	b = b[behind:]
	_, _ = b[starts[0]], b[int(starts[len(starts)-1])+len(p.low)-1]
	return fits(p, b, starts)
}

// portableFits is fits in Go.
func portableFits(p *Pattern, b []byte, starts []int32) (which uint64) {
	for i, at := range starts {
		n := 0
		for n < p.n && b[int(at)+n]-p.low[n] <= p.span[n] {
			n++
		}
		if n == p.n {
			which |= 1 << i
		}
	}
	return which
}

// Needle is the offset of the first byte of b that is a '<' with a byte of the
// set behind it, a backslash with a u, or an underscore with an S; -1 is for
// none.
func Needle(b []byte, after *Set) int {
	n := max(len(b)-1, 0) / 64
	if n > 0 {
		if i := needle(b[:n*64+1], n, after); i >= 0 {
			return i
		}
	}
	var last [65]byte
	m := copy(last[:], b[n*64:])
	if i := needle(last[:], 1, after); i >= 0 && i < m-1 {
		return n*64 + i
	}
	return -1
}

// portableNeedle is needle in Go.
func portableNeedle(b []byte, n int, after *Set) int {
	for i := 0; i < n*64; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if (zero(x^'<'*ones)|zero(x^'\\'*ones)|zero(x^'_'*ones))&high == 0 {
			continue
		}
		for k, c := range b[i : i+8] {
			next := b[i+k+1]
			if c == '<' && after.Has(next) || c == '\\' && next == 'u' || c == '_' && next == 'S' {
				return i + k
			}
		}
	}
	return -1
}

// Quote is the offset of the first quote of b that is not behind an odd number of
// backslashes, where the JSON string ends of which b is the rest; -1 if there is
// none.
func Quote(b []byte) int {
	// Most strings are short.
	for i := 0; i < 32 && i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quotes, slashes := zero(x^'"'*ones)&high, zero(x^'\\'*ones)&high
		if slashes&-slashes-1 < quotes&-quotes-1 {
			break // a backslash is first
		}
		if quotes != 0 {
			return i + bits.TrailingZeros64(quotes)/8
		}
	}
	first := 0
	if len(b) >= 2+64 && b[0] != '"' && (b[1] != '"' || b[0] == '\\') {
		i, looked := quote(b)
		if i >= 0 {
			return i
		}
		first = looked
	}
	return portableQuote(b, first)
}

// portableQuote is Quote in Go, from first on. Each backslash is looked at once, so
// this is linear.
func portableQuote(b []byte, first int) int {
	start := 0
	for i := first; ; i++ {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		i += j
		k := i
		for k > start && b[k-1] == '\\' {
			k--
		}
		if (i-k)&1 == 0 {
			return i
		}
		start = i + 1
	}
}

// Text says how many bytes of b are surely text of a JSON string, escapes
// included, and end with none that is not whole. The first two, which are no
// backslash, are: it says 2 at the least, and may say less than it could.
func Text(b []byte) int {
	i := text(b)
	if b[i-1] == '\\' && b[i-2] != '\\' {
		i--
	}
	return i
}

// portable is blocks in Go: eight bytes at a time, most of which hold none.
func portable(words []Word, b []byte, after *Set) (marked uint64, escape bool) {
	for i := range words {
		block := b[i*64 : i*64+65]
		var w Word
		for j := 0; j < 64; j += 8 {
			x := binary.LittleEndian.Uint64(block[j:])
			if (zero(x^'\n'*ones)|zero(x^'<'*ones)|zero(x^'\t'*ones)|zero(x^'\r'*ones)|zero(x^'|'*ones)|zero(x^esc*ones))&high == 0 {
				continue
			}
			for k, c := range block[j : j+8] {
				bit := uint64(1) << (j + k)
				switch next := block[j+k+1]; c {
				case '\n':
					w.LF |= bit
				case '<':
					if after.Has(next) {
						w.Mark |= bit
					}
				case '\r', '|':
					w.Mark |= bit
				case esc:
					escape = true
				case '\t':
					if next>>4 == '0'>>4 || next>>4 == 0xef>>4 || next>>4 == esc>>4 {
						w.Mark |= bit
					}
				}
			}
		}
		words[i].LF, words[i].Mark = w.LF, w.Mark
		if w.Mark != 0 {
			marked |= 1 << i
		}
	}
	return marked, escape
}

const (
	esc  = 0x1b
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// zero has the high bit of some byte set if and only if a byte of x is 0.
func zero(x uint64) uint64 { return (x - ones) &^ x }
