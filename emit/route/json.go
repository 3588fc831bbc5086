package route

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A node is a JSON value of a rule file, with the place it stands at. Objects
// keep their keys exactly as written, which encoding/json's structs do not:
// they take "ID" for "id".
type node struct {
	at      int64 // byte offset behind the value's first token
	value   any   // nil, bool, json.Number, string; delim for the others
	members []member
	items   []node
	raw     json.RawMessage
}

type delim rune

type member struct {
	key string
	at  int64
	node
}

const maxNesting = 100 // of a rule file

// parseJSON reads the one JSON value of a file. A repeated key is refused: one
// of its values would be a rule that somebody wrote and nobody applies.
func parseJSON(text []byte) (*node, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := parseNode(d, text, 0)
	if err == nil {
		if at := behindBlanks(text, d.InputOffset(), " \t\r\n"); at < int64(len(text)) {
			return nil, fmt.Errorf("%s: text behind the JSON value", place(text, at+1))
		}
		return n, nil
	}
	switch e := err.(type) {
	case *json.SyntaxError:
		at := e.Offset
		// Token counts the bytes before the character in question, and before
		// blanks; the scanner counts it, too.
		rest := bytes.TrimLeft(text[min(at, int64(len(text))):], " \t\r\n")
		if len(rest) > 0 && strings.HasPrefix(e.Error(), fmt.Sprintf("invalid character %q ", rest[0])) &&
			(at == 0 || text[at-1] != rest[0]) {
			at = int64(len(text)-len(rest)) + 1
		}
		return nil, fmt.Errorf("%s: %s", place(text, at), e)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("%s: unexpected end of the JSON value", place(text, int64(len(text))))
	}
	return nil, err
}

func parseNode(d *json.Decoder, text []byte, depth int) (*node, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("%s: nested too deep", place(text, d.InputOffset()))
	}
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &node{at: d.InputOffset(), value: tok}
	start := n.at
	switch tok {
	case json.Delim('{'):
		n.value = delim('{')
		start--
		seen := make(map[string]bool)
		for d.More() {
			at := behindBlanks(text, d.InputOffset(), " \t\r\n,") + 1
			tok, err := d.Token()
			if err != nil {
				return nil, err
			}
			key := tok.(string)
			if seen[key] {
				return nil, fmt.Errorf("%s: the key %q is there twice", place(text, at), key)
			}
			seen[key] = true
			v, err := parseNode(d, text, depth+1)
			if err != nil {
				return nil, err
			}
			n.members = append(n.members, member{key, at, *v})
		}
	case json.Delim('['):
		n.value = delim('[')
		start--
		for d.More() {
			v, err := parseNode(d, text, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, *v)
		}
	default:
		return n, nil
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	n.raw = text[start:d.InputOffset()]
	return n, nil
}

// behindBlanks is where from offset at on something else stands than blanks.
func behindBlanks(text []byte, at int64, blanks string) int64 {
	return int64(len(text) - len(bytes.TrimLeft(text[at:], blanks)))
}

// place is the line and column of a byte offset.
func place(text []byte, at int64) string {
	before := string(text[:min(max(at-1, 0), int64(len(text)))])
	line := strings.Count(before, "\n") + 1
	col := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, col)
}

// what names the type of a value.
func (n *node) what() string {
	switch n.value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	}
	if n.value == delim('{') {
		return "an object"
	}
	return "a list"
}
