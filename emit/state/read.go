package state

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"tagscan/emit"
	"tagscan/emit/exit"
	"tagscan/emit/term"
)

// maxLine bounds a line of input, in bytes: a longer one is passed over and
// counted with those that are no JSON objects. It is a variable so that tests
// can make it small.
var maxLine = emit.MaxLine

// A reader takes the JSON objects out of an NDJSON stream. Blank lines are
// passed over; every other line that is not a JSON object is counted.
type reader struct {
	br   *bufio.Reader
	buf  []byte // a line that is longer than br's buffer
	line int    // the number of the line read last, from 1

	bad   emit.BadLines
	begun bool   // the first line that is not blank was seen
	hint  string // of the first line that is not blank
}

func newReader(r io.Reader) *reader {
	return &reader{br: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next line that is a JSON object, without its line end. It is
// valid until the following call. The error is io.EOF at the end of the input;
// any other is the input's own and has the status exit.IO.
func (r *reader) next() ([]byte, error) {
	for {
		line, err := r.readLine()
		if err != nil && err != io.EOF {
			if _, ok := err.(*exit.Error); !ok { // else it is the flusher's
				err = exit.With(exit.IO, fmt.Errorf("reading events: %w", err))
			}
			return nil, err
		}
		r.line++
		line = emit.TrimBOM(line)
		if len(bytes.TrimSpace(line)) > 0 {
			object := isObject(line)
			if !r.begun {
				r.begun = true
				r.hint = emit.ScanHint(line, object)
			}
			if object {
				return line, nil
			}
			r.bad.Add(line, int64(r.line))
		}
		if err == io.EOF {
			return nil, io.EOF
		}
	}
}

// readLine returns the next line without its '\n'; io.EOF comes with what
// follows the last line end. The error of a failed read comes alone.
func (r *reader) readLine() ([]byte, error) {
	part, err := r.br.ReadSlice('\n')
	if err == nil {
		return part[:len(part)-1], nil
	}
	if err != bufio.ErrBufferFull {
		return part, err
	}
	r.buf = append(r.buf[:0], part...)
	long := false
	for err == bufio.ErrBufferFull {
		part, err = r.br.ReadSlice('\n')
		if long = long || len(r.buf)+len(part) > maxLine+1; !long {
			r.grow(len(part))
			r.buf = append(r.buf, part...)
		}
	}
	if long {
		return []byte(emit.LongLine), err
	}
	return bytes.TrimSuffix(r.buf, []byte("\n")), err
}

// grow makes room in two steps and for good: the memory of a large buffer is
// taken only as far as it is used, that of one which was outgrown is lost until
// it is collected.
func (r *reader) grow(n int) {
	for _, size := range []int{1 << 20, maxLine + 1} {
		if len(r.buf)+n > cap(r.buf) && len(r.buf)+n <= size {
			r.buf = append(make([]byte, 0, size), r.buf...)
		}
	}
}

// report says on w what was wrong with the lines, in the name of command, and
// returns the status that follows from it. Quiet leaves out the hint.
func (r *reader) report(w io.Writer, command string, quiet bool) int {
	if r.hint != "" && !quiet {
		say(w, "%s: %s", command, r.hint)
	}
	if r.bad.N == 0 {
		return exit.OK
	}
	say(w, "%s: %s", command, &r.bad)
	return exit.IO
}

// say writes one line for people to standard error. What it holds of the input
// is made visible and can hold no GitHub workflow command, since a runner reads
// commands from this stream as well.
func say(w io.Writer, format string, args ...any) {
	msg := breakCommand(term.Safe(fmt.Sprintf(format, args...)))
	io.WriteString(w, "tagscan: "+msg+"\n")
}

// exitStatus is nil for exit.OK and else an error that carries status and has
// nothing more to say.
func exitStatus(status int) error {
	if status == exit.OK {
		return nil
	}
	return &exit.Error{Status: status}
}

// A flusher is a reader that calls before each time it is about to wait for
// more input, so that what is known by then is out before.
type flusher struct {
	r      io.Reader
	before func() error
}

func (f *flusher) Read(p []byte) (int, error) {
	if err := f.before(); err != nil {
		return 0, writing(err)
	}
	return f.r.Read(p)
}

// writing gives the error of a failed write its status.
func writing(err error) error {
	if _, ok := err.(*exit.Error); ok {
		return err
	}
	return exit.With(exit.IO, fmt.Errorf("writing: %w", err))
}

func isObject(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r")
	return len(line) > 0 && line[0] == '{' && json.Valid(line)
}

// The keys of an event that are read, those of a status block in the order of
// its published shape. A key that is not here is nobody's business: an event
// may have any number of them.
const (
	keyType = iota
	keyNamespace
	keyKind
	keyValue
	keyOp

	keyProtocol // the first of a status block
	keyStatus
	keyTask
	keyFilesModified
	keyFilesModifiedCount
	keyFilesRead
	keyTestsRun
	keyCommits
	keyWorkSummary
	keyBlockers
	keyNextSteps
	keyConfidence
	keyExitReady
	keyTasksCompleted
	keyTestsStatus
	keyWorkType
	keyRecommendation
	keyExtra
	keyValid
	keyViolations
	keyStreak
	keyCode
	keyProvenance
	keyFile
	keyLine
	keyEndLine
	keyFormat
	keyRole
	keySession
	keyMessage
	keyAgent // the last of a status block

	keyRepeat

	keyNoProgress // in streak

	numKeys
)

var keyNames = [numKeys]string{
	keyType: "type", keyNamespace: "namespace", keyKind: "kind", keyValue: "value", keyOp: "op",
	keyProtocol: "protocol", keyStatus: "status", keyTask: "task",
	keyFilesModified: "files_modified", keyFilesModifiedCount: "files_modified_count",
	keyFilesRead: "files_read", keyTestsRun: "tests_run", keyCommits: "commits",
	keyWorkSummary: "work_summary", keyBlockers: "blockers", keyNextSteps: "next_steps",
	keyConfidence: "confidence", keyExitReady: "exit_ready",
	keyTasksCompleted: "tasks_completed_this_loop", keyTestsStatus: "tests_status",
	keyWorkType: "work_type", keyRecommendation: "recommendation", keyExtra: "extra",
	keyValid: "valid", keyViolations: "violations", keyStreak: "streak", keyCode: "code",
	keyProvenance: "provenance", keyFile: "file", keyLine: "line", keyEndLine: "end_line",
	keyFormat: "format", keyRole: "role", keySession: "session", keyMessage: "message",
	keyAgent: "agent", keyRepeat: "repeat",
	keyNoProgress: "no_progress",
}

var keyIndex = func() map[string]int {
	m := make(map[string]int, numKeys)
	for i, name := range keyNames {
		m[name] = i
	}
	return m
}()

// An event holds the raw values of the keys that are read, nil where a key is
// absent. It shares the memory of the line.
type event [numKeys][]byte

// parseEvent reads the members of obj, which must be a valid JSON object. Keys are
// compared exactly, and of a repeated key the last wins.
func parseEvent(obj []byte) (ev event) {
	members(obj, func(key, value []byte) {
		i, ok := keyIndex[string(key[1:len(key)-1])]
		if !ok {
			if bytes.IndexByte(key, '\\') < 0 {
				return
			}
			if i, ok = keyIndex[str(key)]; !ok {
				return
			}
		}
		ev[i] = value
	})
	return ev
}

// members calls f with each key, quotes and escapes as they are, and raw value
// of the valid JSON object obj.
func members(obj []byte, f func(key, value []byte)) {
	i := skipBlanks(obj, 0) + 1 // behind the brace
	for {
		i = skipBlanks(obj, i)
		if i >= len(obj) || obj[i] == '}' {
			return
		}
		if obj[i] == ',' {
			i = skipBlanks(obj, i+1)
		}
		end := skipValue(obj, i)
		key := obj[i:end]
		i = skipBlanks(obj, skipBlanks(obj, end)+1) // over the colon
		end = skipValue(obj, i)
		f(key, obj[i:end])
		i = end
	}
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the end of the JSON value that begins at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		default:
			if depth == 0 {
				for i < len(b) && bytes.IndexByte([]byte(" \t\r\n,:]}"), b[i]) < 0 {
					i++
				}
				return i
			}
			i++
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// skipString returns the end of the JSON string that begins at i.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return i
}

// maxString bounds what is decoded of a string that is looked into: a value has
// at most 4096 bytes, each at most 6 as an escape, or 3 as U+FFFD.
const maxString = 32 << 10

// str is the string that raw holds, "" when it holds something else or when it
// is longer than maxString. Invalid UTF-8 becomes U+FFFD.
func str(raw []byte) string {
	if len(raw) > maxString {
		return ""
	}
	return longStr(raw)
}

// longStr is str without a bound.
func longStr(raw []byte) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func isTrue(raw []byte) bool { return string(raw) == "true" }
func isNull(raw []byte) bool { return raw == nil || string(raw) == "null" }

// agent returns the sub-agent that the event came from, "" for the main agent.
// An agent that is no text, or no sensible one, is some sub-agent: it must not speak for the main one.
func (ev *event) agent() string {
	raw := ev[keyAgent]
	if isNull(raw) {
		return ""
	}
	if s := str(raw); s != "" || string(raw) == `""` {
		return s
	}
	return "unknown"
}

// An agentFilter is the value of --agent: "" is the main agent, "any" everyone.
type agentFilter string

func (f agentFilter) match(ev *event) bool {
	return f == "any" || string(f) == ev.agent()
}

// appendSafe appends the valid JSON value raw without blanks, its strings
// written as all our output is: no raw control character, no invalid UTF-8.
func appendSafe(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		switch raw[i] {
		case ' ', '\t', '\r', '\n':
			i++
		case '"':
			end := skipString(raw, i)
			dst = emit.AppendString(dst, longStr(raw[i:end]))
			i = end
		default:
			dst = append(dst, raw[i])
			i++
		}
	}
	return dst
}
