package transcript

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"tagscan/parse/jsonrec"
	"testing"
)

var update = flag.Bool("update", false, "write the .want files")

const allRoles = Assistant | Tool | User | Thinking | System

func fixtures(t testing.TB) map[string][]byte {
	names, err := filepath.Glob("testdata/*[lnt]")
	if err != nil {
		t.Fatal(err)
	}
	m := make(map[string][]byte)
	for _, name := range names {
		if filepath.Ext(name) == ".want" {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m[name] = b
	}
	if len(m) < 15 {
		t.Fatalf("only %d fixtures", len(m))
	}
	return m
}

// TestFixtures reads each file of testdata with every role asked for. A line of
// a .want file is a part, an artifact, or a line that is text or invalid.
func TestFixtures(t *testing.T) {
	for name, in := range fixtures(t) {
		golden := name + ".want"
		s := run(in, Options{Roles: allRoles}, len(in))
		if *update {
			if err := os.WriteFile(golden, []byte(s.out.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		variants := map[string][]byte{
			"as it is":    in,
			"with CRLF":   bytes.ReplaceAll(in, []byte("\n"), []byte("\r\n")),
			"without end": bytes.TrimSuffix(in, []byte("\n")),
		}
		for how, in := range variants {
			for _, cut := range []int{1, 7, 1 << 20} {
				for _, strict := range []bool{false, true} {
					s := run(in, Options{Roles: allRoles, Strict: strict}, cut)
					got := strings.ReplaceAll(s.out.String(), `\r"`, `"`)
					if got != string(want) {
						t.Errorf("%s %s, cut %d, strict %v:\n%s\nwant\n%s", name, how, cut, strict, got, want)
					}
					for _, bad := range s.bad {
						t.Errorf("%s %s: %s", name, how, bad)
					}
				}
			}
		}
	}
}

// lines runs lines one by one with the default roles and gives the output.
func lines(o Options, in ...string) string {
	s := &recorder{}
	d := New(o, s)
	for i, l := range in {
		v := Text
		if d.Holding() || d.IsSSE([]byte(l)) {
			v = d.SSE([]byte(l), i+1)
		} else {
			v = d.Record([]byte(l), i+1)
		}
		s.line([]byte(l), i+1, v)
	}
	d.Close()
	return s.out.String()
}

// said is a line of each format in which the assistant says TEXT.
var said = map[string]string{
	"claude":   `{"type":"assistant","message":{"content":[{"type":"text","text":"TEXT"}]},"session_id":"s"}`,
	"codex":    `{"type":"item.completed","item":{"type":"agent_message","text":"TEXT"}}`,
	"opencode": `{"type":"text","timestamp":1,"sessionID":"s","part":{"type":"text","text":"TEXT","time":{"end":1}}}`,
	"gemini":   `{"type":"message","role":"assistant","content":"TEXT","delta":true}`,
	"cursor":   `{"type":"assistant","message":{"content":[{"type":"text","text":"TEXT"}]},"session_id":"s","model_call_id":"m","timestamp_ms":1}`,
	"copilot":  `{"type":"assistant.message","data":{"content":"TEXT"},"id":"1"}`,
	"goose":    `{"type":"message","message":{"id":null,"role":"assistant","content":[{"type":"text","text":"TEXT"}]}}`,
}

func TestFrom(t *testing.T) {
	for _, from := range append([]string{"", "auto", "text"}, Formats...) {
		for format, line := range said {
			got := lines(Options{From: from}, line)
			want := format
			if from == "claude" && format == "cursor" || from == "cursor" && format == "claude" {
				want = from // the same lines
			} else if from != format && from != "" && from != "auto" {
				want = "text"
			}
			if f := strings.Fields(got); len(f) < 2 || f[1] != want || !strings.Contains(got, "TEXT") {
				t.Errorf("from %q, %s: %q", from, format, got)
			}
		}
	}
	if len(said) != len(Formats) {
		t.Errorf("%d formats have a line", len(said))
	}
}

func TestKeyOrderAndEscapes(t *testing.T) {
	for format, line := range said {
		// The members the other way round, and every letter of a key or value escaped.
		var members []string
		inner := jsonrec.Value(line)
		for m := inner.Members(); m.Next(); {
			var k strings.Builder
			for _, c := range m.Key {
				fmt.Fprintf(&k, `\u%04X`, c)
			}
			v := string(m.Value)
			if m.Value.IsString() && !m.Value.Is("TEXT") {
				v = `"\u` + fmt.Sprintf("%04x", v[1]) + v[2:]
			}
			members = append(members, `"`+k.String()+`" : `+v)
		}
		slices.Reverse(members)
		got := lines(Options{}, " {"+strings.Join(members, " , ")+"} ")
		if want := lines(Options{}, line); got != want || !strings.Contains(want, "assistant") {
			t.Errorf("%s: %s want %s", format, got, want)
		}
	}
}

func TestRoles(t *testing.T) {
	in := []string{
		`{"type":"user","message":{"content":["v",{"type":"text","text":"u"},{"type":"tool_result","content":"r"}]},"session_id":"s"}`,
		`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"h"},{"type":"text","text":"a"},{"type":"tool_use","name":"artifact_create","input":{"tags":[]}}]},"session_id":"s"}`,
		`{"type":"system","summary":"y","session_id":"s"}`,
	}
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{}, "assistant:a artifact"},
		{Options{Roles: User}, "user:v user:u"},
		{Options{Roles: Tool | Thinking}, "tool:r thinking:h"},
		{Options{Roles: System}, "system:y"},
		{Options{Roles: Assistant, WantOther: true}, "-user:v -user:u -tool:r -thinking:h assistant:a artifact -system:y"},
		{Options{Roles: Tool, WantOther: true}, "-user:v -user:u tool:r -thinking:h -assistant:a -system:y"},
		{Options{WantOther: true, Candidate: func(raw []byte) bool { return bytes.Contains(raw, []byte("a")) && !bytes.Equal(raw, []byte("h")) }}, "assistant:a artifact"},
	} {
		var got []string
		for l := range strings.Lines(lines(tt.o, in...)) {
			f := strings.Fields(l)
			switch {
			case f[4] == "artifact":
				got = append(got, "artifact")
			case f[4] == "unwanted":
				got = append(got, "-"+f[2]+":"+strings.Trim(f[5], `"`))
			default:
				got = append(got, f[2]+":"+strings.Trim(f[4], `"`))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%+v: %s want %s", tt.o, got, tt.want)
		}
	}
	for r := Assistant; r <= System; r <<= 1 {
		if got, ok := ParseRole(r.String()); !ok || got != r {
			t.Errorf("ParseRole(%s) = %v", r, got)
		}
	}
	if _, ok := ParseRole("operator"); ok {
		t.Error("operator is a role")
	}
}

// TestCountsOnce: what a format writes again is not given again, and what only
// looks like that is.
func TestCountsOnce(t *testing.T) {
	item := func(payload string) string {
		return `{"timestamp":"t","type":"response_item","payload":` + payload + `}`
	}
	codex := func(id string) string {
		return item(`{"type":"message","id":"` + id + `","role":"assistant","content":[{"type":"output_text","text":"x"}]}`)
	}
	user := item(`{"type":"message","role":"user","content":[{"type":"input_text","text":"u"}]}`)
	event := `{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"x"}}`
	plan := `{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","item":{"type":"Plan","text":"x"}}}`
	part := func(rest string) string {
		return `{"type":"message.part.updated","properties":{"part":{"id":"p","messageID":"m","sessionID":"s","type":"text","text":"x",` + rest + `}}}`
	}
	message := func(role string) string {
		return `{"type":"message.updated","properties":{"info":{"id":"m","role":"` + role + `","sessionID":"s"}}}`
	}
	cursor := func(text, rest string) string {
		return `{"type":"assistant","message":{"content":[{"type":"text","text":"` + text + `"}]},"session_id":"s"` + rest + `}`
	}
	const called, delta = `,"model_call_id":"m","timestamp_ms":1`, `,"timestamp_ms":1`
	result := func(text string) string {
		return `{"type":"result","result":"` + text + `","session_id":"s"}`
	}
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"codex: a fork's copy of a message", []string{codex("a"), user, codex("a"), user, codex("b")}, "1 codex assistant x, 5 codex assistant x"},
		{"codex: a copy and its event", []string{codex("a"), user, event, codex("a")}, "1 codex assistant x"},
		{"codex: a bare rollout", []string{
			`{"id":"c","timestamp":"t","instructions":"x"}`,
			`{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"u"}]}`,
			`{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"x"}],"encrypted_content":null}`,
			`{"type":"function_call_output","call_id":"f","output":"x"}`,
			`{"type":"message","id":null,"role":"assistant","content":[{"type":"output_text","text":"x"}]}`,
			`{"type":"message","id":null,"role":"assistant","content":[{"type":"text","text":"of nobody"}]}`,
		}, "1 codex system x, 3 codex thinking x, 4 codex tool x, 5 codex assistant x"},
		{"codex: an output in an object", []string{item(`{"type":"function_call_output","output":"{\"output\":\"x\",\"metadata\":{}}\n"}`)}, "1 codex tool x"},
		{"codex: an output that begins like one", []string{item(`{"type":"function_call_output","output":"{\"output\":\"x\"} y"}`)}, `1 codex tool {"output":"x"} y`},
		{"codex: an output that is cut off", []string{item(`{"type":"function_call_output","output":"{\"output\":\"x\",\"y"}`)}, `1 codex tool {"output":"x","y`},
		{"codex: a plan, and then the message with it", []string{plan, codex("a")}, "2 codex assistant x, 1 codex assistant echo x"},
		{"codex: a plan behind its message", []string{codex("a"), plan}, "1 codex assistant x, 2 codex assistant echo x"},
		{"codex: a plan alone", []string{user, plan, user}, "2 codex assistant echo x"},
		{"codex: what a sub-agent answered", []string{`{"type":"item.completed","item":{"type":"collab_tool_call","prompt":"p","agents_states":{"t":{"status":"completed","message":"x"}}}}`}, "1 codex tool x"},
		{"codex: a call that failed", []string{`{"type":"item.completed","item":{"type":"mcp_tool_call","result":null,"error":{"message":"x"}}}`}, "1 codex tool x"},
		{"opencode: injected into a message of nobody known", []string{part(`"time":{"end":1},"synthetic":true`)}, "1 opencode system x"},
		{"opencode: injected into the assistant's message", []string{message("assistant"), part(`"time":{"end":1},"synthetic":true`)}, "2 opencode system x"},
		{"opencode: injected into the user's", []string{message("user"), part(`"synthetic":true`)}, "2 opencode user x"},
		{"opencode: not injected", []string{message("assistant"), part(`"time":{"end":1},"synthetic":false`)}, "2 opencode assistant x"},
		{"gemini: a call that failed", []string{`{"type":"tool_result","timestamp":"t","tool_id":"c","status":"error","error":{"message":"x"}}`}, "1 gemini tool x"},
		{"gemini: a session's thoughts and results", []string{`{"id":"1","timestamp":"t","type":"gemini","content":"","thoughts":[{"description":"x"}],"toolCalls":[{"id":"c","name":"n","args":{},"result":[{"functionResponse":{"response":{"output":"x"}}}],"resultDisplay":"x"}]}`},
			"1 gemini thinking x, 1 gemini tool x, 1 gemini tool echo x"},
		{"gemini: a run that failed", []string{`{"session_id":"s","error":{"type":"Error","message":"x","code":1}}`}, "1 gemini system x"},
		{"cursor: the result is all segments", []string{cursor("a", called), cursor("b", ""), result("ab")}, "1 cursor assistant a, 2 cursor assistant b"},
		{"cursor: the result has more", []string{cursor("a", called), cursor("b", ""), result("abc")}, "1 cursor assistant a, 2 cursor assistant b, 3 cursor assistant echo abc"},
		{"cursor: the result of another session", []string{cursor("a", called), strings.Replace(result("a"), `"s"`, `"z"`, 1)}, "1 cursor assistant a, 2 claude assistant echo a"},
		{"cursor: two equal segments", []string{cursor("a", called), cursor("a", ""), result("aa")}, "1 cursor assistant a, 2 cursor assistant a"},
		{"cursor: the segment of some deltas again", []string{cursor("a", delta), cursor("a", called), cursor("a", ""), result("a")}, "2 cursor assistant a"},
	} {
		s := &recorder{}
		d := New(Options{Roles: allRoles &^ User, WantOther: true}, s)
		for i, l := range tt.in {
			d.Record([]byte(l), i+1)
		}
		d.Close()
		var got []string
		for _, p := range s.parts {
			if p.text != "u" {
				echo := ""
				if p.Echo {
					echo = "echo "
				}
				got = append(got, fmt.Sprintf("%d %s %s %s%s", p.Line, p.Format, p.Role, echo, p.text))
			}
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %q want %q", tt.name, got, tt.want)
		}
	}
}

// TestCodexForks: the parents' beginnings behind a fork's own begin no session, and
// a sub-agent that has its parent's history is no less one.
func TestCodexForks(t *testing.T) {
	meta := func(id, rest string) string {
		return `{"timestamp":"t","type":"session_meta","payload":{"id":"` + id + `"` + rest + `}}`
	}
	const (
		forked  = `,"forked_from_id":"p"`
		spawned = `,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p","depth":1}}}`
		says    = `{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}}`
	)
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"a fork", []string{meta("c", forked), meta("p", ""), says}, "3 c"},
		{"a fork of a fork", []string{meta("c", forked), meta("p", `,"forked_from_id":"g"`), meta("g", ""), says}, "4 c"},
		{"a sub-agent", []string{meta("c", spawned), meta("p", ""), says}, "3 c of p"},
		{"a sub-agent of a fork", []string{meta("c", spawned), meta("p", `,"forked_from_id":"g"`), meta("g", ""), says}, "4 c of p"},
		{"the parent's own rollout behind it", []string{meta("c", forked), says, meta("p", ""), says}, "2 c, 4 p"},
		{"a rollout in which nothing was said", []string{meta("c", ""), meta("p", ""), says}, "3 p"},
		{"a record that is cut off", []string{meta("c", forked), says[:60], meta("p", ""), says}, "4 c"},
	} {
		s := &recorder{}
		d := New(Options{}, s)
		for i, l := range tt.in {
			d.Record([]byte(l), i+1)
		}
		d.Close()
		var got []string
		for _, p := range s.parts {
			who := fmt.Sprintf("%d %s", p.Line, p.Session)
			if p.Agent != "" {
				who += " of " + p.Agent
			}
			got = append(got, who)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %q want %q", tt.name, got, tt.want)
		}
	}
}

// TestMoreTypes: a type that is not known has the envelope of its format, and is
// no text once a transcript has begun.
func TestMoreTypes(t *testing.T) {
	for _, in := range []string{
		`{"type":"new_thing","session_id":"s","text":"x"}`,
		`{"timestamp":"t","type":"new_thing","payload":{"text":"x"}}`,
		`{"type":"item.new_thing","item":{"text":"x"}}`,
		`{"type":"new.thing","data":{"content":"x"},"id":"1","timestamp":"t","parentId":null}`,
	} {
		if got, want := lines(Options{Roles: allRoles}, in), fmt.Sprintf("1 text %q\n", in); got != want {
			t.Errorf("alone: %s want %s", got, want)
		}
		if got, want := lines(Options{}, said["claude"], in), "1 claude assistant session=s \"TEXT\"\n"; got != want {
			t.Errorf("behind a record: %s want %s", got, want)
		}
	}
	for _, in := range []string{
		`{"type":"new_thing","text":"x"}`,
		`{"type":"artifact.created","data":{"tags":[]}}`,
		`{"timestamp":"t","payload":{"text":"x"}}`,
		`{"timestamp":"t","level":"info","msg":"x"}`,
	} {
		if got, want := lines(Options{}, said["claude"], in), fmt.Sprintf("1 claude assistant session=s \"TEXT\"\n2 text %q\n", in); got != want {
			t.Errorf("of no known format: %s want %s", got, want)
		}
	}
}

// TestCalls: a call comes once, another with the same arguments again, also from
// another row of its message.
func TestCalls(t *testing.T) {
	call := func(message, id string) string {
		return `{"type":"assistant","message":{"id":"` + message + `","content":[{"type":"tool_use"` + id + `,"name":"artifact_create","input":{"tags":[]}}]},"session_id":"s"}`
	}
	for _, tt := range []struct{ name, first, second, want string }{
		{"the same call", call("m", `,"id":"a"`), call("m", `,"id":"a"`), "[false]"},
		{"another call of the message", call("m", `,"id":"a"`), call("m", `,"id":"b"`), "[false false]"},
		{"another call that is counted the same", call("m", `,"id":"a"`), strings.Replace(call("n", `,"id":"a"`), `[]`, `["x"]`, 1), "[false false]"},
		{"the same call of another title", call("m", `,"id":"a"`), strings.Replace(call("n", `,"id":"a"`), `[]`, `[],"title":"x"`, 1), "[false false]"},
		{"a prompt calls nothing", `{"type":"message","message":{"id":"m","role":"user","content":[{"type":"toolRequest","id":"a","toolCall":{"value":{"name":"artifact_create","arguments":{"tags":[]}}}}]}}`,
			`{"id":"1","timestamp":"t","type":"user","content":"","toolCalls":[{"id":"b","name":"artifact_create","args":{"tags":[]}}]}`, "[]"},
		{"calls without an id are told apart by their rows", call("m", ""), call("m", ""), "[true true]"},
	} {
		s := &recorder{}
		d := New(Options{}, s)
		d.Record([]byte(tt.first), 1)
		d.Record([]byte(tt.second), 2)
		d.Close()
		if got := fmt.Sprint(s.calls); got != tt.want {
			t.Errorf("%s: Rows of the calls are %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestRows(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a codex item's id is of its process", said["codex"], "false"},
		{"claude", strings.Replace(said["claude"], `{"content"`, `{"id":"m","content"`, 1), "true"},
		{"claude without an id", said["claude"], "false"},
		{"copilot", strings.Replace(said["copilot"], `"content"`, `"messageId":"m","content"`, 1), "true"},
	} {
		s := &recorder{}
		d := New(Options{}, s)
		d.Record([]byte(tt.in), 1)
		d.Close()
		if len(s.parts) != 1 || fmt.Sprint(s.parts[0].Rows) != tt.want || s.parts[0].Row != 1 {
			t.Errorf("%s: %+v", tt.name, s.parts)
		}
	}
}

// TestAtOnce: chunks come out as they come in.
func TestAtOnce(t *testing.T) {
	for _, format := range []string{"gemini", "goose"} {
		s := &recorder{}
		d := New(Options{}, s)
		for i, text := range []string{"one ", "two"} {
			d.Record([]byte(strings.Replace(said[format], "TEXT", text, 1)), i+1)
			if !s.open || !strings.HasSuffix(string(s.text), text) {
				t.Errorf("%s: after chunk %d there is %q", format, i+1, s.text)
			}
		}
		// A record that is cut off ends nothing.
		if v := d.Record([]byte(`{"type":"error","timestamp":"t","severity":"error","error":"x","message":"y"`), 3); v != Invalid || !s.open {
			t.Errorf("%s: the cut record is %v, open %v", format, v, s.open)
		}
		d.Close()
		if len(s.parts) != 1 || s.parts[0].text != "one two" {
			t.Errorf("%s: %+v", format, s.parts)
		}
	}
}

// TestGooseThinking: what Goose thinks comes in chunks, too, and is no text of
// the chunks beside it.
func TestGooseThinking(t *testing.T) {
	chunk := func(typ, text string) string {
		return `{"type":"message","message":{"id":"g","role":"assistant","content":[{"type":"` + typ + `","` + typ + `":"` + text + `"}]}}`
	}
	records := []string{chunk("text", "a "), chunk("text", "b"), chunk("thinking", "c "), chunk("thinking", "d"), chunk("text", "e")}
	for roles, want := range map[Role]string{
		Assistant:            `assistant "a b", assistant "e"`,
		Assistant | Thinking: `assistant "a b", thinking "c d", assistant "e"`,
		Thinking:             `thinking "c d"`,
	} {
		s := &recorder{}
		d := New(Options{Roles: roles}, s)
		for i, r := range records {
			d.Record([]byte(r), i+1)
		}
		d.Close()
		var got []string
		for _, p := range s.parts {
			got = append(got, fmt.Sprintf("%s %q", p.Role, p.text))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%v: %s, want %s", roles, got, want)
		}
	}
}

// TestStreamEnds: a record of another format ends a message in chunks, whether
// anything is wanted of it or not, and one that is not valid JSON does not.
func TestStreamEnds(t *testing.T) {
	chunk := said["gemini"]
	for _, tt := range []struct {
		between string
		parts   int
	}{
		{`{"type":"user","message":{"content":"x"},"session_id":"s"}`, 2},
		{`{"type":"error","message":"x"}`, 2},
		{`{"type":"item.started","item":{}}`, 2},
		{`{"type":"init","timestamp":"t","session_id":"s","model":"m"}`, 2},
		{`{"sessionId":"s","projectHash":"h"}`, 2},
		{`{"type":"item.started","item":{]}`, 1},
		{`{"of":"no known format"}`, 1},
		{`noise`, 1},
	} {
		for _, o := range []Options{{}, {WantOther: true}, {Candidate: hasTag}} {
			s := &recorder{}
			d := New(o, s)
			n := 0
			for i, l := range []string{chunk, tt.between, chunk} {
				d.Record([]byte(l), i+1)
			}
			d.Close()
			for _, p := range s.parts {
				if p.Format == "gemini" {
					n++
				}
			}
			if n != tt.parts || len(s.bad) > 0 {
				t.Errorf("%s: %d parts, want %d; %s", tt.between, n, tt.parts, s.bad)
			}
		}
	}
}

// TestRemembers: the same row, the same message and the same part are known for
// at least 65,536 others.
func TestRemembers(t *testing.T) {
	row := func(i int, text string) []byte {
		return fmt.Appendf(nil, `{"type":"assistant","message":{"id":"m%d","content":[{"type":"text","text":"%s"}]},"session_id":"s","uuid":"u%d-%s"}`, i, text, i, text)
	}
	s := &recorder{}
	d := New(Options{}, s)
	for i := range remember {
		d.Record(row(i, "x"), 1)
	}
	if len(s.parts) != remember {
		t.Fatalf("%d parts", len(s.parts))
	}
	d.Record(row(0, "x"), 1)
	if len(s.parts) != remember {
		t.Error("the first row came again")
	}
	d.Record(row(1, "xy"), 1)
	if p := s.parts[len(s.parts)-1]; p.text != "xy" || !p.Grown {
		t.Errorf("the second message has not grown: %+v", p)
	}
	for i := range 3 * remember {
		d.Record(row(remember+i, "x"), 1)
	}
	if n := d.uuids.len(); n > 2*remember {
		t.Errorf("%d rows are remembered", n)
	}
	if n := d.rows.newest.len(); n > 2*remember {
		t.Errorf("%d messages are remembered", n)
	}
	// The ring of rows has been filled several times: what is long gone is not
	// mistaken for something else.
	for i := range 2 * ringRows {
		d.rows.put(1+uint64(i)%7, uint64(i), 1, uint32(i)&chainMask)
	}
	for id := range uint64(7) {
		for _, w := range d.rows.get(1+id, nil) {
			if w.sum%7 != id || uint64(w.chain()) != w.sum&chainMask {
				t.Fatalf("row %d of chain %d is given for message %d", w.sum, w.chain(), 1+id)
			}
		}
	}
	if l := d.rows.get(d.hash(jsonrec.Value(`"m1"`)), nil); len(l) != 0 {
		t.Errorf("%d rows of a message that is long gone", len(l))
	}
	// Many rows of one message.
	for i := range 1000 {
		d.Record(fmt.Appendf(nil, `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"%d."}]},"session_id":"s"}`, i), 1)
	}
	if l := d.rows.get(d.hash(jsonrec.Value(`"m"`)), nil); len(l) != maxRows {
		t.Errorf("%d rows of one message", len(l))
	}
	d.Record([]byte(`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"999. and more"}]},"session_id":"s"}`), 1)
	if p := s.parts[len(s.parts)-1]; !p.Grown {
		t.Error("the newest row is not known")
	}
}

// TestHoldsLittle: what is held is bounded, and what does not fit comes out.
func TestHoldsLittle(t *testing.T) {
	const each, n = 1000, 100
	text := strings.Repeat("x", each)
	o := Options{MaxRecord: 40 * each, Roles: allRoles}
	for _, tt := range []struct {
		name, first, line string
		held              func(d *Decoder) int
		want              int // parts
	}{
		{"codex", "", `{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"%d TEXT"}}`, func(d *Decoder) int { return d.codex.size }, n},
		{"cursor", "", `{"type":"assistant","message":{"content":[{"type":"text","text":"%d TEXT"}]},"session_id":"s","timestamp_ms":1}`, func(d *Decoder) int { return d.cursor.size }, 15},
		{"opencode ended", "", `{"type":"message.part.updated","properties":{"part":{"id":"p%d","messageID":"m","sessionID":"s","type":"text","text":"TEXT","time":{"end":1}}}}`, func(d *Decoder) int { return d.opencode.size }, n},
		{"opencode not ended", "", `{"type":"message.part.updated","properties":{"part":{"id":"p%d","messageID":"m","sessionID":"s","type":"text","text":"TEXT"}}}`, func(d *Decoder) int { return d.opencode.size }, 0},
		{"opencode deltas", "", `{"type":"message.part.delta","properties":{"sessionID":"s","messageID":"m","partID":"p","field":"text","delta":"%d TEXT"}}`, func(d *Decoder) int { return d.opencode.size }, 0},
		{"sse", said["claude"], `data: {"a%d":"TEXT",`, func(d *Decoder) int { return d.sse.size }, 1},
	} {
		s := &recorder{}
		d := New(o, s)
		if tt.first != "" {
			d.SSE([]byte("data: "+tt.first), 1)
		}
		for i := range n {
			l := []byte(strings.Replace(fmt.Sprintf(tt.line, i), "TEXT", text, 1))
			if d.Holding() || d.IsSSE(l) {
				d.SSE(l, i+2)
			} else if v := d.Record(l, i+2); v != Known {
				t.Fatalf("%s: %v", tt.name, v)
			}
			if h := tt.held(d); h > o.MaxRecord/4+each {
				t.Fatalf("%s: %d bytes are held", tt.name, h)
			}
		}
		d.Close()
		if tt.held(d) != 0 {
			t.Errorf("%s: %d bytes are held at the end", tt.name, tt.held(d))
		}
		if len(s.parts) != tt.want {
			t.Errorf("%s: %d parts, want %d", tt.name, len(s.parts), tt.want)
		}
	}
	// A text that alone is too long is not held at all, and counts once.
	long := strings.Repeat("y", 20*each)
	for _, in := range [][]string{
		{`{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"TEXT"}}`,
			`{"timestamp":"t","type":"response_item","payload":{"role":"assistant","content":[{"text":"TEXT"}]}}`},
		{`{"type":"assistant","message":{"content":[{"type":"text","text":"TEXT"}]},"session_id":"s","timestamp_ms":1}`},
		{`{"type":"message.updated","properties":{"info":{"id":"m","role":"assistant"}}}`,
			`{"type":"message.part.updated","properties":{"part":{"id":"p","messageID":"m","sessionID":"s","type":"text","text":"TEXT"}}}`,
			`{"type":"message.part.updated","properties":{"part":{"id":"p","messageID":"m","sessionID":"s","type":"text","text":"TEXT","time":{"end":1}}}}`},
	} {
		s := &recorder{}
		d := New(o, s)
		for i, l := range in {
			d.Record([]byte(strings.Replace(l, "TEXT", long, 1)), i+1)
			if h := max(d.codex.size, d.cursor.size, d.opencode.size); h > 0 {
				t.Errorf("%s: %d bytes are held", l, h)
			}
		}
		d.Close()
		if len(s.parts) != 1 || s.parts[0].text != long {
			t.Errorf("%s: %d parts", in[0], len(s.parts))
		}
	}
	// Nor is an id as long as its record is.
	s := &recorder{}
	d := New(o, s)
	for _, id := range []string{long, strings.Repeat(`\u0079`, 20*each)} {
		d.Record([]byte(strings.Replace(said["claude"], `"session_id":"s"`, `"session_id":"`+id+`"`, 1)), 1)
	}
	for _, p := range s.parts {
		if p.Session != long[:maxIdent] {
			t.Errorf("a session of %d bytes", len(p.Session))
		}
	}
	// Parts without text are bounded too.
	d = New(Options{}, &recorder{})
	for i := range 3 * maxHeldParts {
		d.Record(fmt.Appendf(nil, `{"type":"message.part.updated","properties":{"part":{"id":"p%d","messageID":"m%d","sessionID":"s%d","type":"text","text":""}}}`, i, i, i), 1)
	}
	if n := len(d.opencode.held); n > maxHeldParts {
		t.Errorf("%d parts are held", n)
	}
	if n := len(d.opencode.waiting); n > 2*maxHeldParts {
		t.Errorf("%d are waited for", n)
	}
}

func TestSSE(t *testing.T) {
	rec := said["opencode"]
	half := strings.Index(rec, `"part"`)
	for _, tt := range []struct {
		name string
		in   []string
		want string
	}{
		{"an event before any record is text", []string{"event: x", ": y", "id: 1", "retry: 5"}, "1 text \"event: x\"\n2 text \": y\"\n3 text \"id: 1\"\n4 text \"retry: 5\"\n"},
		{"without a blank", []string{"data:" + strings.Replace(rec, "TEXT", "a", 1)}, "1 opencode assistant session=s \"a\"\n"},
		{"fields behind a record", []string{"data: " + strings.Replace(rec, "TEXT", "a", 1), "event: x", ":", "id: 1", "retry: 5", "data: [DONE]", "data: z"}, "1 opencode assistant session=s \"a\"\n7 text \"data: z\"\n"},
		{"in two lines", []string{"data: " + rec[:half], "data: " + rec[half:]}, "1 opencode assistant session=s \"TEXT\"\n"},
		{"a string cannot go on", []string{`data: {"a":"`, `data: "}`}, "1 text \"data: {\\\"a\\\":\\\"\"\n2 text \"data: \\\"}\"\n"},
		{"held in vain", []string{`data: {"a":`, "next"}, "1 text \"data: {\\\"a\\\":\"\n2 text \"next\"\n"},
		{"held at the end", []string{`data: {"a":`}, "1 text \"data: {\\\"a\\\":\"\n"},
		{"a record behind what was held in vain", []string{`data: {"a":`, "data: " + rec}, "1 text \"data: {\\\"a\\\":\"\n2 opencode assistant session=s \"TEXT\"\n"},
		{"cut off", []string{"data: " + rec, `data: {"a":`, "", "data: " + rec[:9] + "}"}, "1 opencode assistant session=s \"TEXT\"\n2 invalid \"data: {\\\"a\\\":\"\n4 invalid \"data: {\\\"type\\\":\\\"}\"\n"},
		{"two lines of no known format", []string{"data: " + rec, `data: {"a":`, "data: 1}"}, "1 opencode assistant session=s \"TEXT\"\n2 text \"data: {\\\"a\\\":\"\n3 text \"data: 1}\"\n"},
		{"of no known format", []string{"data: {}", "data: [1]"}, "1 text \"data: {}\"\n2 text \"data: [1]\"\n"},
	} {
		if got := lines(Options{}, tt.in...); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestDocument(t *testing.T) {
	rec := said["claude"]
	long := strings.Replace(rec, "TEXT", strings.Repeat("x", 2000), 1)
	torn := func(line int, rec string) string { return fmt.Sprintf("%d invalid %.20q\n", line, rec) }
	said := func(line int) string { return fmt.Sprintf("%d claude assistant session=s \"TEXT\"\n", line) }
	for _, tt := range []struct{ name, in, want string }{
		{"a log line", "[INFO] start\nx\n", "1 text \"[INFO] start\"\n2 text \"x\"\n"},
		{"a brace", "{see\n", "1 text \"{see\"\n"},
		{"numbers", "[1,\n2]\n", "1 text \"[1,\"\n2 text \"2]\"\n"},
		{"nothing in it", "[]\n", "1 text \"[]\"\n"},
		{"unknown", "{\n \"a\": 1\n}\n", "1 text \"{\"\n2 text \" \\\"a\\\": 1\"\n3 text \"}\"\n"},
		{"the first of an array unknown", "[\n{\"a\":1},\n" + rec + "]\n", said(3)},
		{"all of an array unknown", "[\n{\"a\":1},\n{}\n]\n", "1 text \"[\"\n2 text \"{\\\"a\\\":1},\"\n3 text \"{}\"\n4 text \"]\"\n"},
		{"blank lines before", "\n \r\n[\n" + rec + "]", said(4)},
		{"one object", "{\n" + rec[1:len(rec)-1] + "\n}\n", said(1)},
		{"one object without a line end", rec, said(1)},
		{"an object and more on its line", rec + " x\n" + rec + "\n", "1 text " + fmt.Sprintf("%q", rec+" x") + "\n" + said(2)},
		{"lines of records", rec + "\n" + rec + "\n", said(1) + said(2)},
		{"text behind the array", "[" + rec + "] x\ny", said(1) + "1 text \"x\"\n2 text \"y\"\n"},
		{"cut off before a record", "[\n" + rec[:20], "1 text \"[\"\n2 text " + fmt.Sprintf("%q", rec[:20]) + "\n"},
		{"cut off in the second", "[\n" + rec + ",\n" + rec[:20], said(2) + "3 invalid " + fmt.Sprintf("%.20q", rec) + "\n"},
		{"torn", "[\n" + rec + ",\n" + rec[:25] + " \n" + rec + "\n", said(2) + "3 invalid " + fmt.Sprintf("%.20q", rec) + "\n" + said(4)},
		{"torn, and more of it", "[\n" + rec + ",\n" + rec[:25] + "\n" + rec + ",\n" + rec + "]\nx\n", said(2) + "3 invalid " + fmt.Sprintf("%.20q", rec) + "\n" + said(4) + said(5) + "6 text \"x\"\n"},
		{"torn, the end on its own", "[\n" + rec + ",\n" + rec[:25] + "\n]\n" + rec + "\nx\n", said(2) + "3 invalid " + fmt.Sprintf("%.20q", rec) + "\n" + said(5) + "6 text \"x\"\n"},
		{"torn, then lines", "[" + rec + ",\n" + rec[:25] + "\n" + rec + "\n" + rec + "\nx\n" + rec + "\n", said(1) + "2 invalid " + fmt.Sprintf("%.20q", rec) + "\n" + said(3) + said(4) + "5 text \"x\"\n" + said(6)},
		{"torn before its line ends, then lines", "[" + rec + `,{"type":"assistant",` + "\n" + rec + "\n" + rec + "\nx\n" + rec, said(1) + torn(1, "{\"type\":\"assistant\",\n") + said(2) + said(3) + "4 text \"x\"\n" + said(5)},
		{"torn before its line ends, then text", "[" + rec + `,{"type":"assistant"` + "\n  x\n" + rec, said(1) + torn(1, "{\"type\":\"assistant\"\n  ") + "2 text \"x\"\n" + said(3)},
		{"torn at a colon, then the end", "[" + rec + `,{"type":` + "\n]\n" + rec, said(1) + torn(1, "{\"type\":\n") + said(3)},
		{"no comma, then lines", "[" + rec + "\n" + rec + "\nx\n" + rec, said(1) + torn(1, "") + said(2) + "3 text \"x\"\n" + said(4)},
		{"a comma, then text", "[" + rec + ",\nx\n" + rec, said(1) + torn(2, "") + "2 text \"x\"\n" + said(3)},
		{"a comma, then lines", "[" + rec + ",\n" + rec + "\n" + rec, said(1) + said(2) + torn(2, "") + said(3)},
		{"a comma, then the end", "[" + rec + ",\n]\nx\n" + rec, said(1) + torn(1, "") + "3 text \"x\"\n" + said(4)},
		{"laid out, and torn", "[\n  " + rec + ",\n  {\n    \"type\": x\n    \"text\":\n\n    \"y\"\n    }\n  },\n  {\n" + rec[1:] + ",\n  " + rec + "\n]\nx\n", said(2) + torn(3, "{\n    \"type\": ") + said(10) + said(12) + "14 text \"x\"\n"},
		{"laid out, and torn behind a line", "[\n  " + rec + ",\n  {\n    \"type\":\n      \"text\",\n    x\n  }\n]\n" + rec, said(2) + torn(3, "{\n    \"type\":\n      \"text\"") + said(9)},
		{"laid out, and cut off", "[\n  {\n" + rec[1:] + ",\n  {\n    \"type\": 1\n" + rec + "\nx\n", said(2) + torn(4, "{\n    \"type\": 1\n") + said(6) + "7 text \"x\"\n"},
		{"no comma", "[" + rec + " " + rec + "]\n" + rec, said(1) + torn(1, "") + said(2)},
		{"two commas", "[" + rec + ",,\n" + rec, said(1) + torn(1, "") + said(2)},
		{"other elements", "[" + rec + ",1,\n\"}\",null,[{}],{\"a\":1},\n" + rec + "]", said(1) + said(3)},
		{"too large", "[" + rec + ",\n" + long + ",\n" + rec + "]\nx", said(1) + "2 too large " + fmt.Sprintf("%.20q", rec) + "\n" + said(3) + "4 text \"x\"\n"},
		{"too large at first", "[\n" + long + ",\n" + rec + "]\nx", "2 too large " + fmt.Sprintf("%.20q", rec) + "\n" + said(3) + "4 text \"x\"\n"},
		{"too large alone", long[:1] + "\n" + long[1:] + "\n" + rec, "1 too large " + fmt.Sprintf("%.20q", rec[:1]+"\n"+rec[1:]) + "\n" + said(3)},
		{"two objects", "{\n" + rec[1:] + "\n{\n" + rec[1:] + "\n", said(1) + "3 invalid \"{\"\n4 text " + fmt.Sprintf("%q", rec[1:]) + "\n"},
		{"too large and cut off", "[" + rec + ",\n" + long[:1900], said(1) + "2 too large " + fmt.Sprintf("%.20q", rec) + "\n"},
		{"many blanks", strings.Repeat(" ", 1500) + "\n" + rec, said(2)},
	} {
		for _, cut := range []int{1, 2, 3, 64, 1 << 20} {
			if got := run([]byte(tt.in), Options{MaxRecord: 1000}, cut).out.String(); got != tt.want {
				t.Errorf("%s, cut %d:\n%swant\n%s", tt.name, cut, got, tt.want)
			}
		}
	}
}

// TestTornArray: wherever an array has been torn behind its first record, what
// stands behind it is read as if it stood alone.
func TestTornArray(t *testing.T) {
	rec := said["claude"]
	rest := rec + "\nx\n" + rec + "\n"
	const want = "2 claude assistant session=s \"TEXT\"\n3 text \"x\"\n4 claude assistant session=s \"TEXT\"\n"
	array := "[" + rec + "," + rec + "," + rec
	invalid := regexp.MustCompile(`(?m)^\d+ invalid .*\n`)
	for i := len("[" + rec); i <= len(array); i++ {
		for _, cut := range []int{1, 1 << 20} {
			got := run([]byte(array[:i]+"\n"+rest), Options{}, cut).out.String()
			if given := invalid.ReplaceAllString(got, ""); !strings.HasSuffix(given, want) || len(invalid.FindAllString(got, -1)) != 1 {
				t.Errorf("%q, cut %d:\n%swant\n%s", array[:i], cut, got, want)
			}
		}
	}
}

// TestDocumentSaysTextAtOnce: text is not held longer than it could be JSON.
func TestDocumentSaysTextAtOnce(t *testing.T) {
	for in, n := range map[string]int{"[INFO] start": 1, "{see": 1, " [12:00] x": 2, `{"a" x`: 5, "x": 0, `[{"a":1}]`: 8, `[{"a":1} x`: 9, `[{"a":1},]`: 9, "{}\n": 3, "{} x": 3} {
		x := New(Options{}, &recorder{}).NewDocument(1)
		got, st := x.Write([]byte(in))
		if st != DocumentText || got != n || string(x.Held()) != in[:n] {
			t.Errorf("%q: %d consumed, status %d, held %q; want %d", in, got, st, x.Held(), n)
		}
	}
}

// assistantTexts is what the assistant says in a record, read in another way.
func assistantTexts(v any) (out []string) {
	get := func(v any, path ...string) any {
		for _, k := range path {
			m, _ := v.(map[string]any)
			v = m[k]
		}
		return v
	}
	str := func(v any) {
		if s, ok := v.(string); ok && s != "" {
			out = append(out, s)
		}
	}
	blocks := func(v any, typ string) {
		str(v)
		list, _ := v.([]any)
		for _, b := range list {
			if typ == "" || get(b, "type") == typ {
				str(get(b, "text"))
			}
		}
	}
	typ, _ := get(v, "type").(string)
	synthetic := get(v, "isApiErrorMessage") == true
	switch {
	case typ == "assistant" && !synthetic && get(v, "timestamp_ms") == nil, get(v, "model_call_id") != nil:
		blocks(get(v, "message", "content"), "text")
	case typ == "result" && get(v, "is_error") != true:
		str(get(v, "result"))
	case typ == "item.completed" && (get(v, "item", "type") == "agent_message" || get(v, "item", "type") == "plan"):
		str(get(v, "item", "text"))
	case get(v, "payload", "role") == "assistant":
		blocks(get(v, "payload", "content"), "output_text")
	case get(v, "payload", "type") == "agent_message":
		str(get(v, "payload", "message"))
	case typ == "text" && get(v, "sessionID") != nil:
		str(get(v, "part", "text"))
	case typ == "session.text.ended":
		str(get(v, "data", "text"))
	case typ == "message" && get(v, "role") == "assistant":
		str(get(v, "content"))
	case typ == "message" && get(v, "message", "role") == "assistant":
		blocks(get(v, "message", "content"), "text")
	case typ == "assistant.message":
		str(get(v, "data", "content"))
	case typ == "gemini":
		blocks(get(v, "content"), "")
	case typ == "" && get(v, "response") != nil:
		str(get(v, "response"))
	case typ == "" && get(v, "messages") != nil:
		for _, m := range get(v, "messages").([]any) {
			if get(m, "role") == "assistant" {
				blocks(get(m, "content"), "text")
			}
			if get(m, "type") == "gemini" {
				str(get(m, "content"))
			}
		}
	}
	return out
}

// TestAgainstEncodingJSON compares the assistant's texts of the fixtures with
// what a few lines of encoding/json find: each once, in the chunked formats all
// joined.
func TestAgainstEncodingJSON(t *testing.T) {
	for name, in := range fixtures(t) {
		base := filepath.Base(name)
		if strings.HasPrefix(base, "cursor-") || base == "opencode-sse.txt" || base == "opencode-global.jsonl" || base == "text.txt" {
			continue // their rules need a state
		}
		joined := strings.HasPrefix(base, "gemini-stream") || strings.HasPrefix(base, "goose-stream")
		var want []string
		var whole any
		if err := json.Unmarshal(in, &whole); err == nil {
			want = assistantTexts(whole)
		} else {
			// A document at the start, then lines.
			dec := json.NewDecoder(bytes.NewReader(in))
			if dec.Decode(&whole) == nil {
				in = in[dec.InputOffset():]
				if list, ok := whole.([]any); ok {
					for _, v := range list {
						want = append(want, assistantTexts(v)...)
					}
				} else {
					want = assistantTexts(whole)
				}
			}
			for l := range bytes.Lines(in) {
				var v any
				l = bytes.TrimPrefix(l, []byte("data: "))
				if json.Unmarshal(l, &v) != nil {
					continue
				}
				list, ok := v.([]any)
				if !ok {
					list = []any{v}
				}
				for _, v := range list {
					want = append(want, assistantTexts(v)...)
				}
			}
		}
		var got []string
		for _, p := range run(fixtures(t)[name], Options{}, 1<<20).parts {
			got = append(got, p.text)
		}
		if joined {
			want, got = []string{strings.Join(want, "")}, []string{strings.Join(got, "")}
		}
		slices.Sort(want)
		slices.Sort(got)
		if want, got = slices.Compact(want), slices.Compact(got); !slices.Equal(want, got) {
			t.Errorf("%s: %q\nwant %q", name, got, want)
		}
		if len(want) == 0 {
			t.Errorf("%s: nothing to compare", name)
		}
	}
}

// check reads in in several ways and compares.
func check(t *testing.T, in []byte) {
	t.Helper()
	o := Options{Roles: allRoles, MaxRecord: 1 << 16}
	strict := o
	strict.Strict = true
	want := run(in, strict, 1<<20)
	for _, bad := range want.bad {
		t.Fatalf("%q: %s", in, bad)
	}
	for _, cut := range []int{1, 3} {
		if got := run(in, strict, cut); got.out.String() != want.out.String() {
			t.Fatalf("%q cut %d:\n%s\nwant\n%s", in, cut, got.out.String(), want.out.String())
		}
	}
	// Without the check of every byte the same texts come out.
	if got := run(in, o, 1<<20); fmt.Sprint(texts(got)) != fmt.Sprint(texts(want)) {
		t.Fatalf("%q not strict:\n%s\nwant\n%s", in, got.out.String(), want.out.String())
	}
	// What is no candidate has nothing in it, and nothing hangs on it.
	const needle = "<jackin"
	o.Candidate = func(raw []byte) bool {
		return bytes.Contains(raw, []byte(needle)) || bytes.Contains(raw, []byte(`\u`))
	}
	keep := func(p gotPart) bool { return !strings.Contains(p.text, needle) }
	if got := run(in, o, 1<<20); fmt.Sprint(slices.DeleteFunc(texts(got), keep)) != fmt.Sprint(slices.DeleteFunc(texts(want), keep)) {
		t.Fatalf("%q candidates:\n%s\nwant\n%s", in, got.out.String(), want.out.String())
	}
	// A verdict agrees with encoding/json.
	s := &recorder{}
	d := New(strict, s)
	for l := range bytes.Lines(in) {
		l = bytes.TrimSpace(l)
		if len(l) == 0 || l[0] != '{' {
			continue
		}
		valid, seen := json.Valid(l), d.Seen()
		switch v := d.Record(l, 1); {
		case v == Known && !valid, v == Invalid && (valid || !seen), v == Text && !valid && seen:
			t.Fatalf("%q: verdict %d, valid %v, seen %v", l, v, valid, seen)
		}
	}
}

// texts are the parts, without what may differ: rows that nothing came of are
// not counted, nor compared, and pieces are named anew by each Decoder.
func texts(s *recorder) []gotPart {
	parts := slices.Clone(s.parts)
	for i := range parts {
		parts[i].Row, parts[i].Grown, parts[i].Chain, parts[i].Piece = 0, false, 0, 0
	}
	return parts
}

// TestMutations cuts and spoils the fixtures.
func TestMutations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	bits := []string{"\"", "\\", "{", "}", "[", "]", ",", ":", "\n", "\\u0041", "\\ud800", "data: ", "null", "\xff", "0", "<jackin:pr>"}
	n := 12
	if testing.Short() {
		n = 4
	}
	for _, in := range fixtures(t) {
		for range n {
			m := bytes.Clone(in)
			switch rnd.IntN(4) {
			case 0: // cut
				m = m[:rnd.IntN(len(m))]
			case 1: // spoiled
				for range 1 + rnd.IntN(4) {
					i := rnd.IntN(len(m))
					m = slices.Concat(m[:i], []byte(bits[rnd.IntN(len(bits))]), m[i+rnd.IntN(min(3, len(m)-i)):])
				}
			case 2: // lines lost
				var keep []byte
				for l := range bytes.Lines(m) {
					if rnd.IntN(3) > 0 {
						keep = append(keep, l...)
					}
				}
				m = keep
			case 3: // lines in another order
				lines := slices.Collect(bytes.Lines(m))
				rnd.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
				m = bytes.Join(lines, nil)
			}
			check(t, m)
		}
	}
}

func FuzzTranscript(f *testing.F) {
	for _, in := range fixtures(f) {
		f.Add(in)
	}
	f.Fuzz(check)
}

// longSession is a session as Claude writes it: most bytes are results of tools, and
// one text in eight holds a tag.
func longSession(n int) []byte {
	code := strings.Repeat(`func (s *Scanner) Line() ([]byte, error) {\n\tfor i := s.r; i < s.w; i++ {\n\t\tlog.Printf(\"%d <- %s\", i, s)\n`, 40)
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":"%s"}]},"parent_tool_use_id":null,"session_id":"s-1","uuid":"u-%d"}`+"\n", i, code, i)
		text := strings.Repeat("Some words on what is done, and `code`.\\n", 20)
		if i%8 == 0 {
			text += "<jackin:pr>https://github.com/acme/core/pull/1</jackin:pr>"
		}
		fmt.Fprintf(&b, `{"type":"assistant","message":{"model":"claude-sonnet-4-5","id":"msg_%d","type":"message","role":"assistant","content":[{"type":"text","text":"%s"}],"stop_reason":null,"usage":{"input_tokens":263,"output_tokens":566}},"parent_tool_use_id":null,"session_id":"s-1","uuid":"v-%d"}`+"\n", i, text, i)
	}
	return b.Bytes()
}

type nothing struct{}

func (nothing) Begin(*Part)                             {}
func (nothing) Text([]byte, int)                        {}
func (nothing) End()                                    {}
func (nothing) Artifact(*Part, string, string, TagList) {}
func (nothing) Line([]byte, int, Verdict)               {}

func hasTag(raw []byte) bool {
	return bytes.Contains(raw, []byte("<jackin:")) || bytes.Contains(raw, []byte(`\u`))
}

func BenchmarkRecord(b *testing.B) {
	in := longSession(500)
	for _, bb := range []struct {
		name string
		o    Options
	}{
		{"default", Options{Candidate: hasTag}},
		{"strict", Options{Candidate: hasTag, Strict: true}},
		{"other", Options{Candidate: hasTag, WantOther: true}},
		{"everything", Options{Roles: allRoles}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				d := New(bb.o, nothing{})
				n := 0
				for l := range bytes.Lines(in) {
					n++
					d.Record(l, n)
				}
				d.Close()
			}
		})
	}
}

// TestNoAllocs: a record that yields nothing costs nothing.
func TestNoAllocs(t *testing.T) {
	d := New(Options{Candidate: hasTag}, nothing{})
	d.Record([]byte(said["claude"]), 1)
	for l := range bytes.Lines(longSession(2)) {
		if hasTag(l) {
			continue
		}
		if n := testing.AllocsPerRun(100, func() { d.Record(l, 1) }); n > 0 {
			t.Errorf("%v allocations for %.60s", n, l)
		}
	}
}
