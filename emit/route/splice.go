package route

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// splice appends an event with its route to b. The event, a line that holds a
// JSON object, stays as it came, byte for byte: the order of its keys, the
// digits of its numbers. A route that it came with, when drop is set, goes.
func splice(b, event, route []byte, drop bool) []byte {
	event = bytes.Trim(event, " \t\r\n")
	event = event[:len(event)-1] // the closing brace
	start := len(b)
	if drop {
		b = appendWithout(b, event, "route")
	} else {
		b = append(b, event...)
	}
	for n := len(b); b[n-1] <= ' '; n-- {
		b = b[:n-1]
	}
	if len(b)-start > 1 { // more than the opening brace
		b = append(b, ',')
	}
	b = append(b, `"route":`...)
	b = append(b, route...)
	b = append(b, '}')
	return clean(b, start)
}

// appendWithout appends an object, without its closing brace, without the
// members of a name. The object was found valid before.
func appendWithout(b, event []byte, name string) []byte {
	b = append(b, '{')
	first := true
	for i := 1; i < len(event); {
		// One member, without the commas around it.
		start := i
		for start < len(event) && (event[start] <= ' ' || event[start] == ',') {
			start++
		}
		if start == len(event) {
			break
		}
		depth, str, colon := 0, false, 0
		for i = start; i < len(event); i++ {
			c := event[i]
			if str {
				if c == '\\' {
					i++
				} else if c == '"' {
					str = false
				}
				continue
			}
			switch c {
			case '"':
				str = true
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			case ':':
				if colon == 0 {
					colon = i
				}
			}
			if c == ',' && depth == 0 {
				break
			}
		}
		var key string
		if err := json.Unmarshal(event[start:colon], &key); err == nil && key == name {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, event[start:i]...)
	}
	return b
}

// clean makes the line that starts at b[start:] what every event is: UTF-8,
// with U+2028, U+2029, DEL and C1 controls escaped. Their values stay the same,
// but for bytes that are no UTF-8, which are U+FFFD.
func clean(b []byte, start int) []byte {
	if isClean(b[start:]) {
		return b
	}
	line := bytes.Clone(b[start:])
	b = b[:start]
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if escaped(r) {
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		} else {
			b = utf8.AppendRune(b, r) // U+FFFD for what is no character
		}
		line = line[n:]
	}
	return b
}

func isClean(line []byte) bool {
	for i := 0; i < len(line); {
		if line[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && n == 1 || escaped(r) {
			return false
		}
		i += n
	}
	return true
}

func escaped(r rune) bool {
	return r == 0x2028 || r == 0x2029 || 0x7f <= r && r < 0xa0
}
