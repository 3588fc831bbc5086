package clean

import (
	"unicode/utf16"
	"unicode/utf8"
)

type encoding uint8

const (
	unknown encoding = iota // the byte order mark may still come
	utf8Encoding
	littleEndian
	bigEndian
)

// Decoder turns UTF-16 into UTF-8 when the input starts with a byte order mark
// of it (FF FE or FE FF), and takes a UTF-8 one (EF BB BF) off. Input without a
// mark goes through as it is. A lone surrogate and a byte left over at the end
// become U+FFFD.
//
// The zero value is ready to use, for one input.
type Decoder struct {
	encoding encoding
	n        uint8   // bytes in held
	held     [2]byte // the beginning of a mark, or of a code unit
	high     uint16  // a high surrogate that waits for its other half
}

// Passthrough reports that the rest of the input needs no decoding: Append would
// append it unchanged, and Close nothing.
func (d *Decoder) Passthrough() bool { return d.encoding == utf8Encoding }

// Append appends to dst the UTF-8 of in, which continues what was given before,
// and returns the longer slice. It holds back at most three bytes of input.
func (d *Decoder) Append(dst, in []byte) []byte {
	for d.encoding == unknown {
		if len(in) == 0 {
			return dst
		}
		c := in[0]
		switch {
		case d.n == 0 && (c == 0xFF || c == 0xFE || c == 0xEF),
			d.n == 1 && d.held[0] == 0xEF && c == 0xBB:
			d.held[d.n] = c
			d.n++
			in = in[1:]
			continue
		case d.n == 1 && d.held[0] == 0xFF && c == 0xFE:
			d.encoding = littleEndian
		case d.n == 1 && d.held[0] == 0xFE && c == 0xFF:
			d.encoding = bigEndian
		case d.n == 2 && c == 0xBF:
			d.encoding = utf8Encoding
		default:
			dst = append(dst, d.held[:d.n]...)
			d.encoding, d.n = utf8Encoding, 0
			continue
		}
		d.n = 0
		in = in[1:]
	}
	if d.encoding == utf8Encoding {
		return append(dst, in...)
	}
	if d.n == 1 && len(in) > 0 {
		dst = d.unit(dst, d.held[0], in[0])
		in = in[1:]
		d.n = 0
	}
	for ; len(in) > 1; in = in[2:] {
		dst = d.unit(dst, in[0], in[1])
	}
	if len(in) == 1 {
		d.held[0] = in[0]
		d.n = 1
	}
	return dst
}

// Close appends to dst what the end of the input makes of the bytes held back.
func (d *Decoder) Close(dst []byte) []byte {
	switch d.encoding {
	case unknown:
		dst = append(dst, d.held[:d.n]...)
	case littleEndian, bigEndian:
		if d.high != 0 {
			dst = utf8.AppendRune(dst, utf8.RuneError)
		}
		if d.n != 0 {
			dst = utf8.AppendRune(dst, utf8.RuneError)
		}
	}
	*d = Decoder{encoding: utf8Encoding}
	return dst
}

// unit decodes one code unit, its bytes in the order of the input.
func (d *Decoder) unit(dst []byte, a, b byte) []byte {
	u := uint16(b)<<8 | uint16(a)
	if d.encoding == bigEndian {
		u = uint16(a)<<8 | uint16(b)
	}
	if d.high != 0 {
		high := d.high
		d.high = 0
		if r := utf16.DecodeRune(rune(high), rune(u)); r != utf8.RuneError {
			return utf8.AppendRune(dst, r)
		}
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	if 0xD800 <= u && u < 0xDC00 {
		d.high = u
		return dst
	}
	return utf8.AppendRune(dst, rune(u)) // a lone low surrogate becomes U+FFFD
}
