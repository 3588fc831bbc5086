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
	case object:
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

// BadLines says how many lines of an input were no events, of which the first is
// line number first.
func BadLines(n, first int64) string {
	if n == 1 {
		return fmt.Sprintf("line %d is not a JSON object", first)
	}
	return fmt.Sprintf("%d lines are not JSON objects; the first is line %d", n, first)
}
