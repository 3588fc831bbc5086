package emit

import "testing"

func TestIsRecord(t *testing.T) {
	for _, tt := range []struct {
		line string
		want bool
	}{
		{`{"type":"assistant","message":{"role":"assistant","content":[]},"session_id":"s"}`, true},
		{`{"parentUuid":null,"type":"user","sessionId":"s"}`, true},
		{`{"timestamp":"t","type":"response_item","payload":{}}`, true},
		{`{"type":"thread.started","thread_id":"t"}`, true},
		{`{"type":"item.completed","item":{}}`, true},
		{`{"type":"text","timestamp":1,"sessionID":"s","part":{}}`, true},
		{`{"type":"message.part.updated","properties":{}}`, true},
		{`{"type":"assistant.message","data":{}}`, true},
		{`{"type":"message","timestamp":"t","role":"assistant","content":"x"}`, true},
		{`{"type":"message","message":{"role":"assistant"}}`, true},
		{`{"messages":[],"metadata":{}}`, true},
		{`{"payload":{"type":"sync"}}`, true},
		{`{"type":"tag","namespace":"jackin","kind":"pr","value":"u","provenance":"agent","line":1,"format":"claude","session":"s","message":"m"}`, false},
		{`{"type":"status","status":"COMPLETE"}`, false},
		{`{"source":"cairn","kind":"artifact.created","data":{}}`, false},
		{`{"type":"order","id":7}`, false},
		{`{}`, false},
	} {
		if got := isRecord([]byte(tt.line)); got != tt.want {
			t.Errorf("%s: %v", tt.line, got)
		}
	}
}
