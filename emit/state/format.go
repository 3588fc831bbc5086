package state

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"tagscan/emit"
	"tagscan/emit/term"
)

// The bounds of what is shown to people and given to shells, in bytes but for
// the rows. The JSON form has none of them.
const (
	maxRows     = 50       // values of a kind in a table; the newest are shown
	maxCell     = 1_000    // a free text in a table
	maxVariable = 64 << 10 // a shell variable or output: an exported one of 128 KiB stops every command
	maxVarList  = 100      // values in a variable that is a list; the newest are given
	maxNotices  = 5        // pull requests announced as GitHub notices, of the ten that a step may have
)

// writeJSON writes the snapshot's line, which may be long, piece by piece. The
// errors of w are its own to keep.
func (v *view) writeJSON(w *bufio.Writer) {
	var buf []byte
	w.WriteString(`{"type":"snapshot"`)
	for k := range v.lists {
		w.WriteString(`,"` + kinds[k] + `":[`)
		for i := range v.lists[k] {
			if i > 0 {
				w.WriteByte(',')
			}
			buf = v.lists[k][i].appendJSON(buf[:0])
			w.Write(buf)
		}
		w.WriteByte(']')
	}
	if v.status != nil {
		w.WriteString(`,"status":`)
		w.Write(v.status.appendJSON(buf[:0]))
	}
	if v.block != nil {
		w.WriteString(`,"agent_status":`)
		w.Write(v.block)
	}
	if len(v.sessions) > 0 {
		w.WriteString(`,"sessions":[`)
		for i, block := range v.sessions {
			if i > 0 {
				w.WriteByte(',')
			}
			w.Write(block)
		}
		w.WriteByte(']')
	}
	w.WriteString(`,"counts":`)
	w.Write(v.counts.appendJSON(buf[:0]))
	w.WriteString("}\n")
}

func (it *item) appendJSON(dst []byte) []byte {
	dst = emit.AppendString(append(dst, `{"value":`...), it.value)
	dst = emit.AppendString(append(dst, `,"provenance":`...), it.provenance())
	if it.host != "" {
		dst = emit.AppendString(append(dst, `,"host":`...), it.host)
	}
	if it.repo != "" {
		dst = emit.AppendString(append(dst, `,"repo":`...), it.repo)
	}
	if it.number != "" {
		dst = append(append(dst, `,"number":`...), it.number...)
	}
	if it.agent != "" {
		dst = emit.AppendString(append(dst, `,"agent":`...), it.agent)
	}
	return append(dst, '}')
}

func (c *counts) appendJSON(dst []byte) []byte {
	sep := byte('{')
	add := func(name string, n int) {
		dst = append(append(append(dst, sep, '"'), name...), `":`...)
		dst = strconv.AppendInt(dst, int64(n), 10)
		sep = ','
	}
	add("events", c.events)
	add("tag", c.tag)
	add("status", c.status)
	add("artifact", c.artifact)
	add("skipped", c.skipped)
	add("override", c.override)
	add("other", c.other)
	add("repeat", c.repeat)
	add("refused", c.refused)
	add("invalid_status", c.invalid)
	add("sub_agent", c.subAgent)
	dst = append(dst, `,"kind":`...)
	sep = '{'
	for k, name := range kinds {
		add(name, c.kind[k])
	}
	add("extension", c.extension)
	return append(dst, "}}"...)
}

// A row is a line of a table for people.
type row struct {
	name, by, value string
	url             string // the checked link target, "" for none
}

// blockRows are the fields of a status block that a table shows.
var blockRows = [...]struct {
	key  int
	name string
}{
	{keyStatus, "agent status"}, {keyTask, "task"}, {keyWorkSummary, "summary"}, {keyBlockers, "blockers"},
	{keyNextSteps, "next steps"}, {keyTestsRun, "tests"}, {keyTestsStatus, "tests status"},
	{keyConfidence, "confidence"}, {keyExitReady, "exit ready"},
}

// rows is the snapshot as a table. Values are not yet escaped.
func (v *view) rows() []row {
	var rows []row
	for k := range v.lists {
		list := v.lists[k]
		if n := len(list) - maxRows; n > 0 {
			rows = append(rows, row{name: kinds[k], value: fmt.Sprintf("(%d older ones are not shown)", n)})
			list = list[n:]
		}
		for i := range list {
			it := &list[i]
			by := it.provenance()
			if it.agent != "" {
				by = "sub-agent"
			}
			rows = append(rows, row{kinds[k], by, it.value, href(it.value)})
		}
	}
	if v.status != nil {
		rows = append(rows, row{name: "status", by: v.status.provenance(), value: v.status.value})
	}
	if v.block != nil {
		for _, b := range blockRows {
			if s := text(v.fields[b.key]); s != "" {
				rows = append(rows, row{name: b.name, by: "agent", value: cut(s, maxCell)})
			}
		}
	}
	for _, block := range v.sessions {
		f := parseEvent(block)
		s := strings.TrimSpace(text(f[keySession]) + " " + text(f[keyStatus]) + " " + text(f[keyTask]))
		rows = append(rows, row{name: "session", by: "agent", value: cut(s, maxCell)})
	}
	return rows
}

// appendMarkdown appends a GitHub Flavored Markdown table.
func (v *view) appendMarkdown(dst []byte) []byte {
	dst = append(dst, "| signal | by | value |\n| --- | --- | --- |\n"...)
	rows := v.rows()
	if len(rows) == 0 {
		return append(dst, "| none yet | | |\n"...)
	}
	for _, r := range rows {
		dst = append(append(append(append(dst, "| "...), r.name...), " | "...), r.by...)
		dst = append(dst, " | "...)
		value := markdown(r.value)
		if r.url != "" {
			value = markdownLink(value, r.url)
		}
		dst = append(append(dst, value...), " |\n"...)
	}
	return dst
}

// markdown escapes free text for a cell of a table, line ends as <br>. An ASCII
// character that Markdown, its table extension, HTML, or GitHub's autolinks,
// mentions and mathematics could take for theirs is written as a numeric
// reference, which is text and nothing else wherever it stands.
func markdown(s string) string {
	s = visible(strings.ReplaceAll(s, "\r\n", "\n"), "\n\t")
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			b.WriteString("<br>")
		case c == '\t':
			b.WriteByte(' ')
		case c == '@':
			// Some implementations look for addresses, and GitHub for people, after
			// references are decoded. A zero-width non-joiner ends both.
			b.WriteString("&#64;&#8204;")
		case c == '.' && i > 0 && s[i-1]|0x20 == 'w': // www. begins a link
			b.WriteString("&#46;")
		case c >= utf8.RuneSelf, '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z',
			strings.IndexByte(` "%'()+,-./;=?`, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "&#%d;", c)
		}
	}
	return b.String()
}

// markdownLink links text, which is a URL after markdown, to the result of href
// for it. No URL is a link of its own in a link's text, so that it can be read
// in the source, too.
func markdownLink(text, url string) string {
	text = strings.NewReplacer("&#58;", ":", "&#46;", ".").Replace(text)
	url = strings.NewReplacer("&", "&amp;", "*", "%2A", "$", "%24").Replace(url)
	if strings.ContainsAny(url, "()'!;@[]") {
		url = "<" + url + ">"
	}
	return "[" + text + "](" + url + ")"
}

// appendTable appends an aligned table for a terminal: with links, when they
// are wanted, where a value is a checked URL.
func (v *view) appendTable(dst []byte, links, color bool) []byte {
	rows := v.rows()
	if len(rows) == 0 {
		return append(dst, "no signal yet\n"...)
	}
	name, by := 0, 0
	for _, r := range rows {
		name, by = max(name, len(r.name)), max(by, len(r.by))
	}
	for _, r := range rows {
		if color {
			dst = append(dst, "\x1b[1m"...)
		}
		dst = append(dst, r.name...)
		if color {
			dst = append(dst, "\x1b[0m"...)
		}
		dst = append(dst, strings.Repeat(" ", name-len(r.name)+2)...)
		dst = append(dst, r.by...)
		dst = append(dst, strings.Repeat(" ", by-len(r.by)+2)...)
		value := term.Safe(oneLine(r.value))
		switch {
		case links && r.url != "":
			dst = append(append(append(dst, "\x1b]8;;"...), r.url...), "\x1b\\"...)
			dst = append(append(dst, value...), "\x1b]8;;\x1b\\"...)
		case color && r.name == "agent status" && colors[r.value] != "":
			dst = append(append(append(dst, colors[r.value]...), value...), "\x1b[0m"...)
		default:
			dst = append(dst, value...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

var colors = map[string]string{
	"COMPLETE": "\x1b[32m", "IN_PROGRESS": "\x1b[36m", "BLOCKED": "\x1b[33m", "FAILED": "\x1b[31m",
}

// A variable is one value for a shell or a later step. A list has several.
type variable struct {
	name   string
	value  string
	list   []string
	isList bool
}

// blockVariables are the fields of a status block that have a variable.
var blockVariables = [...]struct {
	key  int
	name string
}{
	{keyStatus, "agent_status"}, {keyTask, "task"}, {keyConfidence, "confidence"}, {keyExitReady, "exit_ready"},
	{keyWorkSummary, "work_summary"}, {keyBlockers, "blockers"}, {keyNextSteps, "next_steps"},
	{keyTestsRun, "tests_run"},
}

// variables are the same for every snapshot, empty where there is nothing, so
// that no variable keeps what an earlier snapshot had said.
func (v *view) variables() []variable {
	var vars []variable
	add := func(name, value string) { vars = append(vars, variable{name: name, value: cut(value, maxVariable)}) }
	for k := range v.lists {
		list := v.lists[k]
		var newest item
		if len(list) > 0 {
			newest = list[len(list)-1]
		}
		add(kinds[k], newest.value)
		if k == kindIssue || k == kindPR {
			add(kinds[k]+"_repo", newest.repo)
			add(kinds[k]+"_number", newest.number)
		}
		add(kinds[k]+"_count", strconv.Itoa(len(list)))
		all := variable{name: kinds[k] + "s", isList: true}
		size := 0
		for i := len(list) - 1; i >= 0 && len(all.list) < maxVarList; i-- {
			if size += len(list[i].value) + 1; size > maxVariable {
				break
			}
			all.list = append(all.list, list[i].value)
		}
		reverse(all.list)
		vars = append(vars, all)
	}
	status := ""
	if v.status != nil {
		status = v.status.value
	}
	add("status", status)
	for _, b := range blockVariables {
		add(b.name, text(v.fields[b.key]))
	}
	var streak event
	if raw := v.fields[keyStreak]; len(raw) > 0 && raw[0] == '{' {
		streak = parseEvent(raw)
	}
	for _, c := range []struct {
		name string
		raw  []byte
	}{{"streak", streak[keyStatus]}, {"no_progress", streak[keyNoProgress]}} {
		if n, ok := count(c.raw); ok {
			add(c.name, strconv.Itoa(n))
		} else {
			add(c.name, "")
		}
	}
	return vars
}

func reverse(s []string) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// appendEnv appends NAME='value' lines for eval, lists one value a line.
func (v *view) appendEnv(dst []byte) []byte {
	for _, x := range v.variables() {
		value := x.value
		if x.isList {
			value = strings.Join(x.list, "\n")
		}
		dst = append(append(append(dst, "TAGSCAN_"...), strings.ToUpper(x.name)...), '=')
		dst = append(append(dst, shellQuote(value)...), '\n')
	}
	return dst
}

// shellQuote quotes s for a POSIX shell: between single quotes nothing is
// special but the quote itself. Control characters are shown escaped, NUL among
// them, which no variable can hold. Should the lines be printed to a step's log,
// none is a workflow command: the quotes are closed and opened again where one
// would begin, which changes nothing for the shell.
func shellQuote(s string) string {
	s = strings.ReplaceAll(visible(s, "\n\t"), "'", `'\''`)
	s = strings.ReplaceAll(s, "##[", "##''[")
	if !strings.Contains(s, "\n") {
		return "'" + s + "'"
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines[1:] {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			lines[i+1] = "''" + line
		}
	}
	return "'" + strings.Join(lines, "\n") + "'"
}

// appendOutputs appends name=value lines for the file GITHUB_OUTPUT, lists as
// JSON. Every value is one line, so that none needs a delimiter that another
// could forge; and none can hold a workflow command, should the lines be
// printed to the step's log instead of the file.
func (v *view) appendOutputs(dst []byte) []byte {
	for _, x := range v.variables() {
		dst = append(append(dst, x.name...), '=')
		if !x.isList {
			dst = append(append(dst, breakCommand(visible(oneLine(x.value), ""))...), '\n')
			continue
		}
		list := []byte{'['}
		for i, s := range x.list {
			if i > 0 {
				list = append(list, ',')
			}
			list = emit.AppendString(list, s)
		}
		list = append(list, ']')
		// Within a JSON string, which is the only place for it, an escape.
		dst = append(append(dst, strings.ReplaceAll(string(list), "##[", `##\u005b`)...), '\n')
	}
	return dst
}

// appendCommands appends workflow commands that annotate the run: the status
// block at its level, and the newest pull requests.
func (v *view) appendCommands(dst []byte) []byte {
	if status := text(v.fields[keyStatus]); status != "" {
		level := "notice"
		switch status {
		case "BLOCKED":
			level = "warning"
		case "FAILED":
			level = "error"
		}
		message := text(v.fields[keyTask])
		if blockers := text(v.fields[keyBlockers]); blockers != "" {
			if message != "" {
				message += "\n"
			}
			message += "Blockers: " + blockers
		}
		dst = appendCommand(dst, level, "agent status "+cut(status, 64), cut(message, maxCell))
	}
	prs := v.lists[kindPR]
	for _, pr := range prs[max(0, len(prs)-maxNotices):] {
		dst = appendCommand(dst, "notice", "pull request ("+pr.provenance()+")", pr.value)
	}
	return dst
}

// appendCommand appends ::level title=…::message, escaped as the runner
// unescapes it: in a message %, CR and LF, in a property also : and ",".
func appendCommand(dst []byte, level, title, message string) []byte {
	dst = append(append(append(dst, "::"...), level...), " title="...)
	dst = append(append(dst, commandProperty.Replace(visible(title, ""))...), "::"...)
	return append(append(dst, commandData.Replace(visible(message, "\n\t"))...), '\n')
}

var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
