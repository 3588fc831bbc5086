package emit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"tagscan/parse/jsonrec"
)

// ScanHint is what a command that reads events says of the first line of its
// input when that is none, or seems to be of a transcript; else it is "".
func ScanHint(line []byte, object bool) string {
	line = bytes.TrimSpace(line)
	switch {
	case object && jsonrec.Value(line).Get("type").Is("artifact.created"):
		return "the input is no event of Cairn's, which has artifact.created as its kind, not as its type"
	case object && isRecord(line):
		return "the input looks like an agent's transcript; use --scan to read its events"
	case object, string(line) == LongLine:
		return ""
	case string(line) == "{" || string(line) == "[":
		return "the input is JSON over many lines; jq -c . puts an event on one, and --scan reads a transcript"
	}
	return "the input does not begin with an event; use --scan to read a transcript or text"
}

// isRecord tells whether a line looks like a record of an agent's transcript:
// it has a member that such records have and events have not.
func isRecord(line []byte) bool {
	var m map[string]json.RawMessage
	if len(line) > 1<<20 || json.Unmarshal(line, &m) != nil {
		return false
	}
	object := func(key string) bool { return strings.HasPrefix(string(m[key]), "{") }
	var kind string
	_ = json.Unmarshal(m["type"], &kind)
	if kind == "" {
		return object("payload") || m["messages"] != nil && object("metadata")
	}
	for _, key := range []string{"session_id", "sessionId", "sessionID", "parentUuid", "thread_id"} {
		if m[key] != nil {
			return true
		}
	}
	if object("message") || object("payload") || object("properties") || object("item") {
		return true
	}
	return object("data") && strings.Contains(kind, ".") || m["role"] != nil && m["content"] != nil
}

// TrimBOM takes off a byte order mark, with which some editors begin a file.
func TrimBOM(line []byte) []byte { return bytes.TrimPrefix(line, []byte("\uFEFF")) }

// MaxLine is the longest line, in bytes, that is taken for an event. LongLine
// stands for one that is longer, which is not kept: it is no JSON object.
const (
	MaxLine  = 16 << 20
	LongLine = "\x00too long"
)

// BadLines are the lines of an input that were no events.
type BadLines struct {
	N     int64 // how many
	first int64
	long  bool // one of them was longer than MaxLine
}

// Add adds line number n.
func (b *BadLines) Add(line []byte, n int64) {
	if b.N++; b.N == 1 {
		b.first = n
	}
	b.long = b.long || string(line) == LongLine
}

func (b *BadLines) String() string {
	long := ""
	switch {
	case b.N == 1 && b.long:
		return fmt.Sprintf("line %d is too long for an event: more than %d MiB", b.first, MaxLine>>20)
	case b.N == 1:
		return fmt.Sprintf("line %d is not a JSON object", b.first)
	case b.long:
		long = fmt.Sprintf(", or too long (more than %d MiB)", MaxLine>>20)
	}
	return fmt.Sprintf("%d lines are not JSON objects%s; the first is line %d", b.N, long, b.first)
}
