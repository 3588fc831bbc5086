package gen

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A text is a piece of a document, with what a right reader finds in it.
type text struct {
	b            []byte
	tags         []placed
	agent, ralph int // status blocks
}

// A placed is a tag and where in the text its '<' is.
type placed struct {
	tag
	at int
}

// A tag is what is to be found; raw is its value as emitted.
type tag struct{ kind, value, namespace, raw string }

func (x tag) String() string {
	name := x.namespace + ":" + x.kind + ">"
	return "<" + name + x.raw + "</" + name
}

func (t *text) reset() { *t = text{b: t.b[:0], tags: t.tags[:0]} }

func (t *text) put(parts ...string) {
	for _, s := range parts {
		t.b = append(t.b, s...)
	}
}

func (t *text) tag(x tag) {
	t.tags = append(t.tags, placed{x, len(t.b)})
	t.put(x.String())
}

// A generator makes text. Its pools are made once and picked from after.
type generator struct {
	random
	t text // what is being made

	sentences  []string
	paragraphs []string
	headings   []string
	code       []snippet
	printed    []string // what tools print

	number                  int // of the newest tag
	newest                  tag
	decoys                  int
	inItem                  bool // a list item is open: what is indented belongs to it
	sinceTag, nextTag       int
	sinceStatus, nextStatus int
}

type snippet struct {
	info string
	body string // whole lines
}

func newGenerator(seed uint64) *generator {
	g := &generator{random: random{rand.NewPCG(seed, 0x7a95ca)}, nextTag: 4 << 10, nextStatus: 64 << 10}
	for range 3000 {
		g.sentences = append(g.sentences, g.sentence())
	}
	for range 3000 {
		var b strings.Builder
		for range g.in(2, 6) {
			b.WriteString(pick(g.random, g.sentences))
			b.WriteString(pick(g.random, []string{" ", " ", "\n"}))
		}
		g.paragraphs = append(g.paragraphs, strings.TrimRight(b.String(), " \n")+"\n\n")
	}
	for range 300 {
		g.headings = append(g.headings, strings.Repeat("#", g.in(1, 4))+" "+strings.TrimRight(pick(g.random, g.sentences), ".")+"\n\n")
	}
	for range 2000 {
		src := pick(g.random, sources)
		n := min(len(src.lines), g.in(4, 30))
		from := g.n(len(src.lines) - n + 1)
		g.code = append(g.code, snippet{src.info, strings.Join(src.lines[from:from+n], "\n") + "\n"})
	}
	shell := sources[len(sources)-1].lines
	for range 800 {
		var b strings.Builder
		for range g.in(3, 14) {
			b.WriteString(pick(g.random, shell) + "\n")
		}
		g.printed = append(g.printed, b.String())
	}
	return g
}

// sentence begins with a capital letter, so that no line of prose begins a block.
func (g *generator) sentence() string {
	w := make([]string, 0, 24)
	for range g.in(6, 20) {
		w = append(w, pick(g.random, words))
		if g.once(14) {
			w = append(w, pick(g.random, marks))
		}
	}
	s := strings.Join(w, " ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

var kinds = []string{"repo", "issue", "pr", "link", "status", "note", "done", "blocked-on", "step_2"}

// nextTag makes a tag; one in twenty is the one before once more.
func (g *generator) newTag() tag {
	if g.number > 0 && g.once(20) {
		return g.newest
	}
	g.number++
	n := strconv.Itoa(g.number)
	x := tag{kind: pick(g.random, kinds), namespace: "jackin"}
	if g.once(3) {
		x.namespace = "multicode"
	}
	odd := g.once(8) // a value that is not emitted as it is shown
	switch x.kind {
	case "repo":
		x.value = "/srv/build/ledger-" + n
		x.raw = x.value
		if odd {
			x.raw = "/srv//build/./ledger-" + n + "/"
		} else if g.once(3) {
			x.value = "https://github.com/acme/ledger-" + n
			x.raw = x.value + ".git"
		}
	case "issue":
		x.value = "https://github.com/acme/ledger/issues/" + n
		x.raw = x.value
		if odd {
			x.raw += "#issuecomment-" + n
		}
	case "pr":
		x.value = "https://github.com/acme/ledger/pull/" + n
		if g.once(4) {
			x.value = "https://gitlab.example.net/acme/tools/ledger/-/merge_requests/" + n
		}
		x.raw = x.value
		if odd {
			x.raw = "HTTPS" + strings.TrimPrefix(x.raw, "https")
		}
	case "link":
		x.value = "https://ci.example.net/runs/" + n + "?attempt=2&full=1"
		x.raw = x.value
		if odd {
			x.raw = strings.ReplaceAll(x.raw, "&", "&amp;")
		}
	default:
		x.value = pick(g.random, []string{"waiting for review ", "p99 < 40 ms, run ", "R&D ", "say \"done\" ",
			`D:\build\`, "完了 ", "naïve — try ", "", "`make check` passed, run "}) + n
		x.raw = x.value
		if odd {
			x.raw = " " + strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(x.raw) + "  "
		}
	}
	g.newest = x
	return x
}

// segment adds whole lines to the text, with a blank line behind them. Every
// 4 KiB or so is a tag, every 64 KiB a status block.
func (g *generator) segment() {
	from := len(g.t.b)
	switch x := g.n(1000); {
	case g.sinceStatus >= g.nextStatus:
		g.sinceStatus, g.nextStatus = 0, g.in(48<<10, 80<<10)
		g.inItem = false
		g.statusSegment()
	case g.sinceTag >= g.nextTag:
		g.sinceTag, g.nextTag = 0, g.in(3<<10, 5<<10)
		g.tagSegment()
	case x < 580:
		g.t.put(pick(g.random, g.paragraphs))
		g.inItem = false
	case x < 690:
		g.listSegment()
	case x < 740:
		g.t.put(pick(g.random, g.headings))
		g.inItem = false
	case x < 985:
		g.fence()
	default:
		g.t.put(g.lookalike(), "\n\n")
		g.inItem = false
	}
	n := len(g.t.b) - from
	g.sinceTag += n
	g.sinceStatus += n
}

func (g *generator) listSegment() {
	bullet := pick(g.random, []string{"- ", "* ", "1. "})
	nested := strings.Repeat(" ", len(bullet)) + "- "
	for i := range g.in(2, 7) {
		if i > 0 && g.once(4) {
			g.t.put(nested)
		} else {
			g.t.put(bullet)
		}
		g.t.put(pick(g.random, g.sentences), "\n")
	}
	g.t.put("\n")
	g.inItem = true
}

func (g *generator) tagSegment() {
	x := g.newTag()
	s := pick(g.random, g.sentences)
	g.inItem = false
	switch n := g.n(100); {
	case n < 50:
		g.t.tag(x)
	case n < 70:
		g.t.put(s, " ")
		g.t.tag(x)
		g.t.put(" ", pick(g.random, g.sentences))
	case n < 80:
		g.t.tag(x)
		g.t.put(pick(g.random, []string{"", " ", ", "}))
		g.t.tag(g.newTag())
	case n < 87:
		g.t.put("- ")
		g.t.tag(x)
		g.t.put("\n- ", s)
		g.inItem = true
	case n < 91:
		g.t.put("> ", s, "\n> ")
		g.t.tag(x)
	case n < 94: // of the two opening tags, the first is abandoned
		g.t.put("I will emit <jackin:link> when it is there. ")
		g.t.tag(x)
	case n < 97: // no fence: its info string has a backtick
		g.t.put("```sh``` comes first, then ")
		g.t.tag(x)
	default: // a span before it, and a backtick behind it that closes nothing
		g.t.put("`code` and ")
		g.t.tag(x)
		g.t.put(" but not ` here")
	}
	g.t.put("\n\n")
}

// decoy looks exactly like a tag, and stands where none counts.
func (g *generator) decoy() string {
	g.decoys++
	x := tag{kind: pick(g.random, kinds), namespace: "jackin", raw: "https://github.com/acme/decoy/issues/" + strconv.Itoa(g.decoys)}
	if x.kind == "pr" {
		x.raw = "https://github.com/acme/decoy/pull/" + strconv.Itoa(g.decoys)
	}
	return x.String()
}

// lookalike is a line that looks nearly like a tag.
func (g *generator) lookalike() string {
	g.decoys++
	return fmt.Sprintf(pick(g.random, []string{
		"<jackiner:repo>/decoy/%d</jackiner:repo>",
		"Left open: <jackin:pr>https://github.com/acme/decoy/pull/%d",
		"<jackin:issue>closed by another kind %d</jackin:pr>",
		"< jackin:repo>/decoy/%d</jackin:repo>",
		"&lt;jackin:repo&gt;/decoy/%d&lt;/jackin:repo&gt;",
		"<!-- jackin:pr=%d -->",
		"<multicode>%d</multicode>",
		`<div class="c%d">x</div> and ` + "``` in the middle of a line",
		"As in `<jackin:repo>/decoy/%d</jackin:repo>`, in one line.",
		`<jackin:repo id="%d">/decoy/1</jackin:repo>`,
		"<jackin:pr>https://github.com/acme/ledger/issues/%d</jackin:pr>",
		"<jackin:repo>decoy/%d</jackin:repo>",
		"<jackin:link>ftp://example.net/%d</jackin:link>",
		"<jackin:Repo>/decoy/%d</jackin:Repo>",
	}), g.decoys)
}

// status is a status block.
func (g *generator) status() (block string, agent bool) {
	s := pick(g.random, g.sentences)
	if g.once(2) {
		return fmt.Sprintf("---AGENT_STATUS---\nSTATUS: %s\nTASK: %s\nFILES_MODIFIED: [store.go, store_test.go]\nFILES_READ:\n- go.mod\n- README.md\n"+
			"TESTS_RUN: make check (%d passed)\nCOMMITS: none\nWORK_SUMMARY: %s\n  %s\nBLOCKERS: null\nCONFIDENCE: %s\nEXIT_READY: %s\n---\n",
			pick(g.random, []string{"IN_PROGRESS", "COMPLETE", "BLOCKED", "FAILED"}), strings.TrimRight(s, "."), g.n(200), s,
			pick(g.random, g.sentences), pick(g.random, []string{"HIGH", "MEDIUM", "LOW"}), pick(g.random, []string{"true", "false"})), true
	}
	return fmt.Sprintf("---RALPH_STATUS---\nSTATUS: %s\nTASKS_COMPLETED_THIS_LOOP: %d\nFILES_MODIFIED: %d\nTESTS_STATUS: PASSING\n"+
		"WORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: %s\nRECOMMENDATION: %s\n---END_RALPH_STATUS---\n",
		pick(g.random, []string{"IN_PROGRESS", "COMPLETE", "BLOCKED"}), g.n(9), g.n(30), pick(g.random, []string{"true", "false"}), s), false
}

func (g *generator) statusSegment() {
	block, agent := g.status()
	if agent {
		g.t.agent++
	} else {
		g.t.ralph++
	}
	switch {
	case g.once(8): // the first thing in its fence: it counts
		block = "```\n" + block + "```\n"
	case g.once(8):
		block = strings.Replace(block, "---AGENT_STATUS---", "**---AGENT_STATUS---**", 1)
	}
	g.t.put(block, "\n")
}

// fence is a fenced code block. At the end of the text or not far from it may
// stand what looks like a signal.
func (g *generator) fence() {
	code := pick(g.random, g.code)
	body := code.body
	if g.once(5) {
		body += g.decoy() + "\n"
		if g.once(6) { // not the first thing in the fence: documentation
			b, _ := g.status()
			body += b
		}
	}
	var b string
	indent := ""
	switch x := g.n(100); {
	case x < 76:
		b = "```" + code.info + "\n" + body + "```\n"
	case x < 82:
		b = "~~~" + code.info + "\n" + body + "~~~\n"
	case x < 86:
		// Behind a list and a blank line, a fence that is indented would be
		// the item's, and end with the first line that is not.
		if !g.inItem {
			indent = strings.Repeat(" ", g.in(1, 3))
		}
		b = indent + "```" + code.info + "\n" + body + indent + "```\n"
	case x < 90: // fences in a longer fence
		b = "````markdown\n" + g.decoy() + "\n```" + code.info + "\n" + body + "```\n" + g.decoy() + "\n````  \n"
	case x < 95:
		b = prefixed("```"+code.info+"\n"+body+"```\n", "> ")
	default:
		b = "- " + pick(g.random, g.sentences) + "\n\n" + prefixed("```"+code.info+"\n"+body+"```\n", "  ")
		g.inItem = true
		g.t.put(b, "\n")
		return
	}
	g.inItem = false
	g.t.put(b, "\n")
}

// prefixed puts prefix before every line, and what is no blank of it before
// blank lines.
func prefixed(lines, prefix string) string {
	var b strings.Builder
	for l := range strings.Lines(lines) {
		if l == "\n" {
			b.WriteString(strings.TrimRight(prefix, " "))
		} else {
			b.WriteString(prefix)
		}
		b.WriteString(l)
	}
	return b.String()
}
