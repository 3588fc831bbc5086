package jq

import (
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A decoder reads one line of JSON into gojq's values. It takes exactly what
// encoding/json takes; unlike it, it keeps every number's digits (an int when
// it is an integer of up to 18 digits, else a json.Number, as gojq's own input
// does), and it builds only the members of the outermost object that are
// wanted. The others are checked and passed over.
type decoder struct {
	b     []byte
	i     int
	depth int
	keys  map[string]string // interned keys: the same few come again and again
}

const maxKeys = 4096 // interned keys kept; forgotten all at once when full

// event decodes one line that holds an object. Only the members of want are
// put into m, all when want is nil; of a repeated key the last wins. route
// tells whether the object has the key "route".
func (d *decoder) event(line []byte, want map[string]bool, m map[string]any) (route, ok bool) {
	d.b, d.i, d.depth = line, 0, 0
	d.space()
	if d.next() != '{' {
		return false, false
	}
	ok = d.members(func(key []byte) bool {
		if string(key) == "route" {
			route = true
		}
		if want != nil && !want[string(key)] {
			return d.skip()
		}
		v, ok := d.value()
		if ok {
			m[d.intern(key)] = v
		}
		return ok
	})
	if !ok {
		return false, false
	}
	d.space()
	return route, d.i == len(d.b)
}

func (d *decoder) intern(key []byte) string {
	if s, ok := d.keys[string(key)]; ok {
		return s
	}
	s := string(key)
	if len(s) <= 64 {
		if d.keys == nil || len(d.keys) >= maxKeys {
			d.keys = make(map[string]string)
		}
		d.keys[s] = s
	}
	return s
}

// next takes one byte; 0 at the end, which no JSON text holds.
func (d *decoder) next() byte {
	if d.i < len(d.b) {
		d.i++
		return d.b[d.i-1]
	}
	return 0
}

func (d *decoder) peek() byte {
	if d.i < len(d.b) {
		return d.b[d.i]
	}
	return 0
}

func (d *decoder) space() {
	for d.i < len(d.b) {
		switch d.b[d.i] {
		case ' ', '\t', '\r', '\n':
			d.i++
		default:
			return
		}
	}
}

// members reads an object behind its '{', giving each key, decoded and valid
// only during the call, to member, which reads the value.
func (d *decoder) members(member func(key []byte) bool) bool {
	if d.depth++; d.depth > maxDepth {
		return false
	}
	d.space()
	if d.peek() == '}' {
		d.i++
		d.depth--
		return true
	}
	for {
		d.space()
		if d.next() != '"' {
			return false
		}
		key, ok := d.text()
		if !ok {
			return false
		}
		d.space()
		if d.next() != ':' {
			return false
		}
		d.space()
		if !member(key) {
			return false
		}
		d.space()
		switch d.next() {
		case ',':
		case '}':
			d.depth--
			return true
		default:
			return false
		}
	}
}

// elements reads an array behind its '['.
func (d *decoder) elements(element func() bool) bool {
	if d.depth++; d.depth > maxDepth {
		return false
	}
	d.space()
	if d.peek() == ']' {
		d.i++
		d.depth--
		return true
	}
	for {
		d.space()
		if !element() {
			return false
		}
		d.space()
		switch d.next() {
		case ',':
		case ']':
			d.depth--
			return true
		default:
			return false
		}
	}
}

func (d *decoder) value() (any, bool) {
	switch c := d.next(); c {
	case '{':
		m := make(map[string]any)
		return m, d.members(func(key []byte) bool {
			k := d.intern(key)
			v, ok := d.value()
			m[k] = v
			return ok
		})
	case '[':
		a := []any{}
		ok := d.elements(func() bool {
			v, ok := d.value()
			a = append(a, v)
			return ok
		})
		return a, ok
	case '"':
		s, ok := d.text()
		return string(s), ok
	case 't':
		return true, d.word("rue")
	case 'f':
		return false, d.word("alse")
	case 'n':
		return nil, d.word("ull")
	default:
		return d.number(c)
	}
}

// skip checks a value and passes over it.
func (d *decoder) skip() bool {
	switch c := d.next(); c {
	case '{':
		return d.members(func([]byte) bool { return d.skip() })
	case '[':
		return d.elements(d.skip)
	case '"':
		_, ok := d.text()
		return ok
	case 't':
		return d.word("rue")
	case 'f':
		return d.word("alse")
	case 'n':
		return d.word("ull")
	default:
		return d.digits(c)
	}
}

func (d *decoder) word(rest string) bool {
	if len(d.b)-d.i >= len(rest) && string(d.b[d.i:d.i+len(rest)]) == rest {
		d.i += len(rest)
		return true
	}
	return false
}

// digits reads a number whose first byte, c, was taken.
func (d *decoder) digits(c byte) bool {
	if c == '-' {
		c = d.next()
	}
	run := func() bool {
		start := d.i
		for d.i < len(d.b) && '0' <= d.b[d.i] && d.b[d.i] <= '9' {
			d.i++
		}
		return d.i > start
	}
	switch {
	case '1' <= c && c <= '9':
		run()
	case c != '0':
		return false
	}
	if d.peek() == '.' {
		d.i++
		if !run() {
			return false
		}
	}
	if d.peek()|0x20 == 'e' {
		d.i++
		if c := d.peek(); c == '+' || c == '-' {
			d.i++
		}
		return run()
	}
	return true
}

func (d *decoder) number(c byte) (any, bool) {
	start := d.i - 1
	if start < 0 || !d.digits(c) {
		return nil, false
	}
	s := d.b[start:d.i]
	if len(s) <= 18 && !(s[0] == '-' && s[1] == '0') {
		n := 0
		for _, c := range s {
			if c == '-' {
				continue
			}
			if c < '0' || c > '9' {
				return json.Number(s), true
			}
			n = n*10 + int(c-'0')
		}
		// An int of 32 bits does not hold every one of them.
		if strconv.IntSize == 64 || len(s) <= 9 {
			if s[0] == '-' {
				n = -n
			}
			return n, true
		}
	}
	return json.Number(s), true
}

// text reads a string behind its opening quote. What it returns may alias the
// line.
func (d *decoder) text() ([]byte, bool) {
	start := d.i
	for d.i < len(d.b) {
		c := d.b[d.i]
		switch {
		case c == '"':
			d.i++
			return d.b[start : d.i-1], true
		case c == '\\' || c >= utf8.RuneSelf:
			return d.hardText(start)
		case c < ' ':
			return nil, false
		}
		d.i++
	}
	return nil, false
}

// hardText goes on where text met an escape or a byte beyond ASCII.
func (d *decoder) hardText(start int) ([]byte, bool) {
	var out []byte // set once the text is not its own bytes
	from := start  // what is not in out yet
	own := func(end int) {
		if out == nil {
			out = make([]byte, 0, end-start+64)
		}
		out = append(out, d.b[from:end]...)
	}
	for d.i < len(d.b) {
		c := d.b[d.i]
		switch {
		case c == '"':
			d.i++
			if out == nil {
				return d.b[start : d.i-1], true
			}
			return append(out, d.b[from:d.i-1]...), true
		case c == '\\':
			own(d.i)
			d.i++
			switch c := d.next(); c {
			case '"', '\\', '/':
				out = append(out, c)
			case 'b':
				out = append(out, '\b')
			case 'f':
				out = append(out, '\f')
			case 'n':
				out = append(out, '\n')
			case 'r':
				out = append(out, '\r')
			case 't':
				out = append(out, '\t')
			case 'u':
				r, ok := d.hex()
				if !ok {
					return nil, false
				}
				if utf16.IsSurrogate(r) {
					// A half alone is U+FFFD; what follows it stands for itself.
					back := d.i
					low, ok := rune(-1), false
					if d.peek() == '\\' && d.i+1 < len(d.b) && d.b[d.i+1] == 'u' {
						d.i += 2
						if low, ok = d.hex(); !ok {
							return nil, false
						}
					}
					if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
						d.i = back
					}
				}
				out = utf8.AppendRune(out, r)
			default:
				return nil, false
			}
			from = d.i
		case c < ' ':
			return nil, false
		case c < utf8.RuneSelf:
			d.i++
		default:
			r, n := utf8.DecodeRune(d.b[d.i:])
			if r == utf8.RuneError && n == 1 {
				own(d.i)
				out = append(out, "\uFFFD"...)
				from = d.i + 1
			}
			d.i += n
		}
	}
	return nil, false
}

func (d *decoder) hex() (rune, bool) {
	if len(d.b)-d.i < 4 {
		return 0, false
	}
	var r rune
	for _, c := range d.b[d.i : d.i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	d.i += 4
	return r, true
}
