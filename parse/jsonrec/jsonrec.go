// Package jsonrec reads JSON records (RFC 8259) out of a byte slice without
// building a tree: a value is the span of bytes it was written with, the members
// of an object are walked when they are asked for, and a string is decoded only
// when its text is needed.
//
// Two readings are offered. [Value.Members] and [Value.Elements] walk the
// structure alone, at the speed at which strings can be passed over; on valid
// JSON what they give is exact, on anything else they end, without a panic, and
// may or may not notice. [Valid] and [Scanner] check every byte, and agree with
// [encoding/json.Valid].
//
// Keys are compared on what they say, not on how they are escaped, and without
// case folding. Of a repeated key the last wins. A lone surrogate escape becomes
// U+FFFD; bytes that are not UTF-8 are passed on as they are.
package jsonrec

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"tagscan/parse/masks"
)

// A Value is one JSON value as written, without blanks around it. The nil Value
// is an absent one.
type Value []byte

// Trim gives b as a Value: the JSON blanks at both ends are taken off.
func Trim(b []byte) Value {
	i, j := 0, len(b)
	for i < j && blank(b[i]) {
		i++
	}
	for j > i && blank(b[j-1]) {
		j--
	}
	return Value(b[i:j])
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// first is the byte that tells what v is, or 0.
func (v Value) first() byte {
	if len(v) == 0 {
		return 0
	}
	return v[0]
}

// IsObject reports whether v is an object.
func (v Value) IsObject() bool { return v.first() == '{' }

// IsArray reports whether v is an array.
func (v Value) IsArray() bool { return v.first() == '[' }

// IsString reports whether v is a string.
func (v Value) IsString() bool { return len(v) >= 2 && v[0] == '"' && v[len(v)-1] == '"' }

// IsNumber reports whether v is a number.
func (v Value) IsNumber() bool {
	c := v.first()
	return c == '-' || '0' <= c && c <= '9'
}

// IsTrue reports whether v is true.
func (v Value) IsTrue() bool { return string(v) == "true" }

// Is reports whether v is a string that says s.
func (v Value) Is(s string) bool {
	if !v.IsString() {
		return false
	}
	raw := v[1 : len(v)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw) == s
	}
	// An escape is six bytes for at least one.
	return len(raw) <= 6*len(s) && string(Append(nil, v)) == s
}

// Bytes is the text of the string v, or nil if v is none. Without escapes it is
// a part of v, else a new slice.
func (v Value) Bytes() []byte {
	if !v.IsString() {
		return nil
	}
	raw := v[1 : len(v)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return Append(make([]byte, 0, len(raw)), v)
}

// String is the text of the string v, or "" if v is none.
func (v Value) String() string { return string(v.Bytes()) }

// Empty reports whether v is absent, null, or an empty string.
func (v Value) Empty() bool { return len(v) == 0 || string(v) == "null" || string(v) == `""` }

// Get is the last member of the object v with that key, or nil.
func (v Value) Get(key string) Value {
	var got Value
	for m := v.Members(); m.Next(); {
		if string(m.Key) == key {
			got = m.Value
		}
	}
	return got
}

// Members walks the members of an object.
type Members struct {
	Key   []byte // decoded, unless it is written in more than 4096 bytes
	Value Value
	rest  []byte
	state int8
	buf   []byte
}

const (
	stateFirst int8 = iota
	stateNext
	stateEnd
	stateBad
)

// Members begins a walk over the members of v. If v is not an object there are
// none.
func (v Value) Members() Members {
	if !v.IsObject() {
		return Members{state: stateBad}
	}
	return Members{rest: v[1:]}
}

// Next goes to the next member.
func (m *Members) Next() bool {
	if m.state >= stateEnd {
		return false
	}
	b, i := m.rest, 0
	i = skipBlank(b, i)
	if i >= len(b) {
		return m.stop(stateBad)
	}
	if b[i] == '}' {
		m.rest = b[i+1:]
		return m.stop(stateEnd)
	}
	if m.state == stateNext {
		if b[i] != ',' {
			return m.stop(stateBad)
		}
		i = skipBlank(b, i+1)
	}
	if i >= len(b) || b[i] != '"' {
		return m.stop(stateBad)
	}
	j := skipString(b, i)
	if j < 0 {
		return m.stop(stateBad)
	}
	m.Key = b[i+1 : j-1]
	if bytes.IndexByte(m.Key, '\\') >= 0 && len(m.Key) <= 4096 {
		m.buf = Append(m.buf[:0], Value(b[i:j]))
		m.Key = m.buf
	}
	i = skipBlank(b, j)
	if i >= len(b) || b[i] != ':' {
		return m.stop(stateBad)
	}
	i = skipBlank(b, i+1)
	j = skipValue(b, i)
	if j < 0 {
		return m.stop(stateBad)
	}
	m.Value = Value(b[i:j])
	m.rest = b[j:]
	m.state = stateNext
	return true
}

func (m *Members) stop(s int8) bool {
	m.state = s
	m.Key, m.Value = nil, nil
	return false
}

// Whole reports, after the walk, whether the object was closed and nothing but
// blanks stood behind it.
func (m *Members) Whole() bool {
	return m.state == stateEnd && skipBlank(m.rest, 0) == len(m.rest)
}

// Rest is how many bytes of the object stand behind the member.
func (m *Members) Rest() int { return len(m.rest) }

// Elements walks the elements of an array.
type Elements struct {
	Value Value
	rest  []byte
	state int8
}

// Elements begins a walk over the elements of v. If v is not an array there are
// none.
func (v Value) Elements() Elements {
	if !v.IsArray() {
		return Elements{state: stateBad}
	}
	return Elements{rest: v[1:]}
}

// Next goes to the next element.
func (e *Elements) Next() bool {
	if e.state >= stateEnd {
		return false
	}
	b := e.rest
	i := skipBlank(b, 0)
	if i >= len(b) {
		return e.stop(stateBad)
	}
	if b[i] == ']' {
		return e.stop(stateEnd)
	}
	if e.state == stateNext {
		if b[i] != ',' {
			return e.stop(stateBad)
		}
		i = skipBlank(b, i+1)
	}
	j := skipValue(b, i)
	if j < 0 {
		return e.stop(stateBad)
	}
	e.Value = Value(b[i:j])
	e.rest = b[j:]
	e.state = stateNext
	return true
}

func (e *Elements) stop(s int8) bool {
	e.state = s
	e.Value = nil
	return false
}

func skipBlank(b []byte, i int) int {
	for i < len(b) && blank(b[i]) {
		i++
	}
	return i
}

// skipString gives the index behind the string that starts at b[i] with its
// quote, or -1.
func skipString(b []byte, i int) int {
	n := masks.Quote(b[i+1:])
	if n < 0 {
		return -1
	}
	return i + n + 2
}

// structural marks the bytes at which skipValue has to stop inside a container.
var structural = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

// skipValue gives the index behind the value that starts at b[i], or -1. It
// counts brackets without telling one kind from the other.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			c := b[i]
			if !structural[c] {
				i++
				continue
			}
			switch c {
			case '"':
				if i = skipString(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			default:
				depth--
				if depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	case ',', '}', ']', ':':
		return -1
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return i
		}
		i++
	}
	return i
}

// Append appends the text of the string v to dst.
func Append(dst []byte, v Value) []byte {
	if !v.IsString() {
		return dst
	}
	s := v[1 : len(v)-1]
	for {
		j := bytes.IndexByte(s, '\\')
		if j < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:j]...)
		var n int
		dst, n = appendEscape(dst, s[j:])
		s = s[j+n:]
	}
}

// appendEscape appends what the escape at the start of s stands for, and gives
// the escape's length. A surrogate without its other half is U+FFFD.
func appendEscape(dst, s []byte) ([]byte, int) {
	if len(s) < 2 {
		return append(dst, s...), len(s)
	}
	switch c := s[1]; c {
	case 'n':
		return append(dst, '\n'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'u':
		r := hex4(s)
		if r < 0 { // not valid JSON: pass it on
			return append(dst, s[:2]...), 2
		}
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(dst, r), 6
		}
		if r2 := hex4(s[6:]); r2 >= 0 {
			if dec := utf16.DecodeRune(r, r2); dec != utf8.RuneError {
				return utf8.AppendRune(dst, dec), 12
			}
		}
		return utf8.AppendRune(dst, utf8.RuneError), 6
	default: // a quote, a backslash or a slash
		return append(dst, c), 2
	}
}

// hex4 is the value of the \uXXXX at the start of s, or -1.
func hex4(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range s[2:6] {
		r <<= 4
		switch {
		case '0' <= c && c <= '9':
			r |= rune(c - '0')
		case 'a' <= c && c <= 'f':
			r |= rune(c - 'a' + 10)
		case 'A' <= c && c <= 'F':
			r |= rune(c - 'A' + 10)
		default:
			return -1
		}
	}
	return r
}

// Text gives the text of a string in pieces, so that a long one need not be held.
type Text struct{ rest []byte }

// Text begins reading the string v; anything else has no text.
func (v Value) Text() Text {
	if !v.IsString() {
		return Text{}
	}
	return Text{rest: v[1 : len(v)-1]}
}

// Next gives the next piece, or nil at the end. The piece is in buf, whose
// capacity must be at least 16, or a part of the value itself; it may end within
// a UTF-8 sequence.
func (t *Text) Next(buf []byte) []byte {
	buf = buf[:0]
	for len(t.rest) > 0 {
		j := bytes.IndexByte(t.rest, '\\')
		if j < 0 {
			j = len(t.rest)
		}
		if j > 0 {
			if len(buf) == 0 && (j == len(t.rest) || j >= cap(buf)/4) {
				run := t.rest[:j]
				t.rest = t.rest[j:]
				return run
			}
			n := min(j, cap(buf)-len(buf))
			buf = append(buf, t.rest[:n]...)
			t.rest = t.rest[n:]
			if n < j {
				return buf
			}
		}
		if len(t.rest) == 0 {
			break
		}
		if cap(buf)-len(buf) < utf8.UTFMax {
			return buf
		}
		var n int
		buf, n = appendEscape(buf, t.rest)
		t.rest = t.rest[n:]
	}
	if len(buf) == 0 {
		return nil
	}
	return buf
}
