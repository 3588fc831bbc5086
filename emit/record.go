package emit

import (
	"encoding/json"
	"strings"
)

// IsRecord tells whether a line looks like a record of an agent's transcript:
// it has a member that such records have and events have not.
func IsRecord(line []byte) bool {
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
