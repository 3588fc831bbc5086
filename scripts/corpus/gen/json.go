package gen

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSON values with keys in the order in which they are written.
type (
	object []any // key, value, …
	list   []any
)

// A style is how a JSON encoder writes what it may write in more than one way.
type style uint8

const (
	styleJS style = iota // as JSON.stringify does
	styleGo              // as Go's encoding/json does: \u003c
	stylePy              // as Python's json.dumps does: blanks, ASCII
)

func (s style) append(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case string:
		return s.appendString(b, v)
	case list:
		b = append(b, '[')
		for i, x := range v {
			b = s.append(s.comma(b, i > 0), x)
		}
		return append(b, ']')
	case object:
		b = append(b, '{')
		for i := 0; i < len(v); i += 2 {
			b = append(s.appendString(s.comma(b, i > 0), v[i].(string)), ':')
			if s == stylePy {
				b = append(b, ' ')
			}
			b = s.append(b, v[i+1])
		}
		return append(b, '}')
	}
	panic("no JSON value")
}

func (s style) comma(b []byte, yes bool) []byte {
	if !yes {
		return b
	}
	if s == stylePy {
		return append(b, ", "...)
	}
	return append(b, ',')
}

func (s style) appendString(b []byte, v string) []byte {
	const hex = "0123456789abcdef"
	u := func(c rune) {
		b = append(b, '\\', 'u', hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15])
	}
	b = append(b, '"')
	from := 0
	for i := 0; i < len(v); i++ {
		c := v[i]
		if c >= ' ' && c != '"' && c != '\\' &&
			(s != styleGo || c != '<' && c != '>' && c != '&') && (s != stylePy || c < utf8.RuneSelf) {
			continue
		}
		b = append(b, v[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			r, n := utf8.DecodeRuneInString(v[i:])
			u(r) // nothing here is beyond U+FFFF
			i += n - 1
		}
		from = i + 1
	}
	return append(append(b, v[from:]...), '"')
}

// A stream writes a Claude stream.
type stream struct {
	*generator
	o       *output
	session string
	last    string // the session's last text, which its result repeats
	b       []byte
	tool    strings.Builder
}

// What the records are, and how much of the bytes each takes.
var shares = []struct {
	percent int64
	write   func(*stream) int64
}{
	{15, (*stream).says},
	{70, (*stream).result},
	{10, (*stream).uses},
	{5, (*stream).thinks},
}

func writeJSON(g *generator, o *output, size int64) {
	s := &stream{generator: g, o: o}
	var done [4]int64
	big := size / 64 // where the next line of megabytes comes
	for sessionEnd := int64(0); o.n.Bytes < size; {
		if o.n.Bytes >= sessionEnd {
			s.end()
			s.begin()
			sessionEnd = o.n.Bytes + 8<<20
		}
		if o.n.Bytes >= big {
			big += max(size/6, 24<<20)
			n := min(int(size/8), s.in(1<<20, 5<<20))
			done[1] += s.record(styleJS, s.toolResult(s.output(n)))
			continue
		}
		// The one that is furthest behind its share.
		next := 0
		for i := range shares {
			if done[i]*shares[next].percent < done[next]*shares[i].percent {
				next = i
			}
		}
		done[next] += shares[next].write(s)
	}
	s.end()
}

func (s *stream) record(enc style, v any) int64 {
	s.b = append(enc.append(s.b[:0], v), '\n')
	s.o.write(s.b)
	if len(s.b) > 1<<20 {
		s.o.n.BigLines++
	}
	return int64(len(s.b))
}

func (s *stream) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[s.n(16)]
	}
	return string(b)
}

func (s *stream) uuid() string {
	return s.hex(8) + "-" + s.hex(4) + "-" + s.hex(4) + "-" + s.hex(4) + "-" + s.hex(12)
}

func (s *stream) begin() {
	s.session, s.last = s.uuid(), ""
	s.record(styleJS, object{"type", "system", "subtype", "init", "cwd", "/srv/build/ledger", "session_id", s.session,
		"tools", list{"Bash", "Edit", "Glob", "Grep", "Read", "Task", "Write"}, "mcp_servers", list{},
		"model", "claude-sonnet-4-5", "permissionMode", "acceptEdits", "apiKeySource", "none", "uuid", s.uuid()})
}

func (s *stream) end() {
	if s.session == "" {
		return
	}
	s.record(styleJS, object{"type", "result", "subtype", "success", "is_error", false, "duration_ms", s.in(9000, 900000),
		"num_turns", s.in(3, 90), "result", s.last, "session_id", s.session,
		"usage", object{"input_tokens", s.n(999), "output_tokens", s.n(999)}, "uuid", s.uuid()})
}

func (s *stream) assistant(id string, content ...any) object {
	return object{"type", "assistant", "message", object{"model", "claude-sonnet-4-5", "id", id, "type", "message",
		"role", "assistant", "content", list(content), "stop_reason", nil, "stop_sequence", nil,
		"usage", object{"input_tokens", s.n(900), "cache_read_input_tokens", s.in(9000, 150000), "output_tokens", s.n(900)}},
		"parent_tool_use_id", nil, "session_id", s.session, "uuid", s.uuid()}
}

func (s *stream) message() string { return "msg_" + s.hex(24) }

// says is the agent's text, of which alone the signals count.
func (s *stream) says() int64 {
	s.t.reset()
	content := list{s.part(s.size(600, 40<<10))}
	switch s.n(20) {
	case 0:
		content = append(content, s.toolUse())
	case 1:
		content = append(content, s.part(200))
	}
	r := s.assistant(s.message(), content...)
	enc := styleJS
	switch x := s.n(100); {
	case x < 5:
		enc = styleGo
		s.o.n.EscapedLines++
	case x < 7:
		enc = stylePy
	case x < 8: // "type" comes last
		r = append(r[2:], r[:2]...)
		s.o.n.TypeLast++
	}
	s.o.found(&s.t, true)
	n := s.record(enc, r)
	if s.once(200) { // history played back: the same row, which counts once
		s.o.write(s.b)
		n *= 2
	}
	return n
}

// part is a text part of about n bytes: a document of its own.
func (s *stream) part(n int) object {
	from := len(s.t.b)
	s.inItem = false
	for len(s.t.b)-from < n {
		s.segment()
	}
	s.t.b = bytes.TrimRight(s.t.b, "\n")
	if s.once(40) { // a fence that only the part's end closes
		s.t.put("\n\n```\n", pick(s.random, s.code).body, s.decoy())
	}
	s.last = string(s.t.b[from:])
	return object{"type", "text", "text", s.last}
}

// result is what a tool gave: files, shell output, and tags that do not count.
func (s *stream) result() int64 {
	body := s.output(s.size(4000, 200<<10))
	r := s.toolResult(body)
	switch x := s.n(100); {
	case x < 15:
		r = append(r, "tool_use_result", object{"stdout", body, "stderr", "", "interrupted", false, "isImage", false})
	case x < 18: // a transcript that the agent read
		s.o.n.Nested++
		r = append(r, "tool_use_result", object{"type", "transcript",
			"entries", list{s.assistant(s.message(), object{"type", "text", "text", s.decoy()})}})
	case x < 21: // the same as a string
		s.o.n.Nested++
		r = s.toolResult(string(styleJS.append(nil, s.assistant(s.message(), object{"type", "text", "text", s.decoy()}))))
	}
	return s.record(styleJS, r)
}

func (s *stream) toolResult(body string) object {
	var content any = body
	if s.once(3) {
		content = list{object{"type", "text", "text", body}}
	}
	return object{"type", "user", "message", object{"role", "user", "content", list{object{
		"tool_use_id", "toolu_" + s.hex(24), "type", "tool_result", "content", content}}},
		"parent_tool_use_id", nil, "session_id", s.session, "uuid", s.uuid()}
}

// output is about n bytes of what tools give.
func (s *stream) output(n int) string {
	b := &s.tool
	b.Reset()
	numbered, line := s.once(2), 1
	for b.Len() < n {
		var p string
		switch x := s.n(10); {
		case x < 6:
			p = pick(s.random, s.code).body
		case x < 9:
			p = pick(s.random, s.printed)
		default:
			p = pick(s.random, s.paragraphs)
		}
		if s.once(25) {
			p += s.decoy() + "\n"
			if s.once(8) {
				block, _ := s.status()
				p += block
			}
		}
		if !numbered {
			b.WriteString(p)
			continue
		}
		for l := range strings.Lines(p) { // as Claude's Read does
			num := strconv.Itoa(line)
			b.WriteString("      "[:max(0, 6-len(num))] + num + "→")
			b.WriteString(l)
			line++
		}
	}
	return b.String()
}

func (s *stream) toolUse() object {
	var name string
	var input object
	switch x := s.n(20); {
	case x < 7:
		name, input = "Bash", object{"command", "make check", "description", pick(s.random, s.sentences)}
	case x < 14:
		name, input = "Edit", object{"file_path", "/srv/build/ledger/store.go",
			"old_string", s.output(s.size(300, 8<<10)), "new_string", s.output(s.size(300, 8<<10))}
	case x < 18:
		name, input = "Write", object{"file_path", "/srv/build/ledger/notes.md", "content", s.output(s.size(600, 16<<10)) + s.decoy()}
	default:
		name, input = "Read", object{"file_path", "/srv/build/ledger/store.go"}
	}
	return object{"type", "tool_use", "id", "toolu_" + s.hex(24), "name", name, "input", input}
}

// uses is a call of a tool, a row of its own of one message with some text.
func (s *stream) uses() int64 { return s.record(styleJS, s.assistant(s.message(), s.toolUse())) }

func (s *stream) thinks() int64 {
	t := pick(s.random, s.paragraphs)
	if s.once(10) {
		t += s.decoy()
	}
	return s.record(styleJS, s.assistant(s.message(), object{"type", "thinking", "thinking", t, "signature", s.hex(300)}))
}
