package route

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"
)

// A lineWriter is a bufio.Writer, which keeps its error, or a bytes.Buffer,
// which has none.
type lineWriter interface {
	io.Writer
	io.ByteWriter
	io.StringWriter
}

// splice writes an event with its route, and a line end. The event, a line that
// holds a JSON object, stays as it came, byte for byte: the order of its keys,
// the digits of its numbers. A route that it came with, when drop is set, goes.
// A large event is not copied.
func splice(w lineWriter, event, route []byte, drop bool) error {
	event = bytes.Trim(event, " \t\r\n")
	event = bytes.TrimRight(event[:len(event)-1], " \t\r\n") // without the closing brace
	some := len(event) > 1
	if drop {
		some = writeWithout(w, event, "route")
	} else {
		writeClean(w, event)
	}
	if some {
		w.WriteByte(',')
	}
	w.WriteString(`"route":`)
	w.Write(route)
	_, err := w.WriteString("}\n")
	return err
}

// writeWithout writes an object, which has no closing brace, without the
// members of a name, and tells whether there are others. The object was found
// valid before.
func writeWithout(w lineWriter, event []byte, name string) (some bool) {
	w.WriteByte('{')
	for i := 1; i < len(event); {
		// One member, without the commas around it.
		start := i
		for start < len(event) && (event[start] <= ' ' || event[start] == ',') {
			start++
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
		if colon == 0 || json.Unmarshal(event[start:colon], &key) == nil && key == name {
			continue
		}
		if some {
			w.WriteByte(',')
		}
		some = true
		writeClean(w, event[start:i])
	}
	return some
}

// writeClean writes what every event is: UTF-8, with U+2028, U+2029, DEL and C1
// controls escaped. The values stay the same, but for bytes that are no UTF-8,
// which are U+FFFD.
func writeClean(w lineWriter, p []byte) {
	from := 0
	for i := 0; i < len(p); {
		if p[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(p[i:])
		bad := r == utf8.RuneError && n == 1
		if bad || r == 0x2028 || r == 0x2029 || 0x7f <= r && r < 0xa0 {
			w.Write(p[from:i])
			from = i + n
			if bad {
				w.WriteString("\uFFFD")
			} else {
				const hex = "0123456789abcdef"
				w.Write([]byte{'\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15]})
			}
		}
		i += n
	}
	w.Write(p[from:])
}
