package transcript

import "bytes"

// Formats are the names of the formats, as in events and in Options.From.
var Formats = []string{"claude", "codex", "opencode", "gemini", "cursor", "copilot", "goose"}

// A format is one shape of record.
type format struct {
	name  string // the format in events and in Options.From
	alias string // another name in Options.From that takes in this shape
	// match reports whether r has this shape. It may look at any field, but the
	// order of the keys and the bytes of the line prove nothing.
	match func(r *record) bool
	// take reads r. It must not change any state before r.ok or admit.
	take func(d *Decoder, r *record)
}

// formats are asked in this order, and the first that matches is taken. What is
// ambiguous stands below what is not. To add an agent, add a file, a row, and
// its name to Formats.
var formats = []format{
	{"codex", "", isCodexRollout, takeCodexRollout},
	{"codex", "", isCodexExec, takeCodexExec},
	{"opencode", "", isOpencodeGlobal, takeOpencodeGlobal},
	{"opencode", "", isOpencodeEvent, takeOpencodeEvent},
	{"opencode", "", isOpencodeV2, takeOpencodeV2},
	{"opencode", "", isOpencodeRun, takeOpencodeRun},
	{"copilot", "", isCopilot, takeCopilot},
	{"claude", "cursor", isClaudePartial, takeNothing},
	{"gemini", "", isGeminiStream, takeGeminiStream},
	{"goose", "", isGooseStream, takeGooseStream},
	{"cursor", "claude", isCursor, takeCursor},
	{"claude", "cursor", isClaudeLog, takeClaude},
	{"claude", "cursor", isClaudeStream, takeClaude},
	{"goose", "", isGooseJSON, takeGooseJSON},
	{"gemini", "", isGeminiJSON, takeGeminiJSON},
	{"gemini", "", isGeminiSession, takeGeminiSession},
	{"codex", "", isCodexBare, takeCodexBare},
	{"codex", "", isBareError, takeBareError},
}

func takeNothing(*Decoder, *record) {}

// among reports whether b is one of the words.
func among(b []byte, words ...string) bool {
	for _, w := range words {
		if string(b) == w {
			return true
		}
	}
	return false
}

// dotted reports whether b is a name with a dot behind one of the prefixes.
func dotted(b []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		if len(b) > len(p) && b[len(p)] == '.' && string(b[:len(p)]) == p {
			return true
		}
	}
	return false
}

func hasPrefix(b []byte, s string) bool { return bytes.HasPrefix(b, []byte(s)) }
