package normalize

import (
	"tagscan/parse"
)

// A CodePolicy says what becomes of signals in code.
type CodePolicy uint8

const (
	// CodeSkip skips tags in fenced code blocks and code spans, and takes the
	// status block that an agent wrapped in a fence.
	CodeSkip CodePolicy = iota
	// CodeEmit takes everything and marks what was in code.
	CodeEmit
	// CodeStrict skips everything in code, status blocks too.
	CodeStrict
)

// Options are what a Normalizer needs to know of its input and reader. The zero
// value is tagscan's default.
type Options struct {
	File    string // the FILE argument, "" for standard input
	Code    CodePolicy
	All     bool // give repeats too, marked
	Skipped bool // give Skipped events
	// Transient lets the strings of an event, too, be valid only during the call:
	// values are not copied then. Whoever keeps one clones it.
	Transient bool
}

// Counts are what a Normalizer has given and skipped.
type Counts struct {
	Tags      int // repeats not counted
	Repeats   int // whether given or not; what counts once is none
	Status    int
	Artifacts int
	Skipped   map[SkipKind]int // whether given or not
}

// A SkipKind is what was skipped (tag, block or record) and for which reason.
type SkipKind struct{ What, Reason string }

// skips are how many of a kind were skipped.
type skips struct {
	kind SkipKind
	n    int
}

// A Normalizer turns the marks of one input into events. It is a parse.Handler.
// Another input, another FILE, needs another: duplicates, streaks and sessions
// start afresh with it.
//
// What it remembers is bounded: at least the newest 262,144 tag keys, and of
// status tags, streaks, and what messages gave at least the newest 65,536 each,
// about 12 MB when all is full.
type Normalizer struct {
	opts   Options
	sink   func(Event)
	memory *memory
	typer  typer
	counts Counts  // without Skipped
	skips  []skips // of one kind each

	// Events are handed out one at a time and reused.
	checked  Checked
	tag      Tag
	status   Status
	artifact Artifact
	skipped  Skipped
	key      []byte
	excerpt  []byte
}

var _ parse.Handler = (*Normalizer)(nil)

// New returns a Normalizer that hands each event to sink, in the order of the
// input. An event, and the slices in it, are valid only during the call; strings
// may be kept unless they are Transient.
func New(opts Options, sink func(Event)) *Normalizer {
	return &Normalizer{opts: opts, sink: sink, memory: newMemory()}
}

// Counts returns the counts so far.
func (n *Normalizer) Counts() Counts {
	c := n.counts
	c.Skipped = make(map[SkipKind]int, len(n.skips))
	for _, k := range n.skips {
		c.Skipped[k.kind] = k.n
	}
	return c
}

func (n *Normalizer) position(p *parse.Pos) Position { return Position{File: n.opts.File, Pos: *p} }

// Tag checks a tag and gives it unless it is a repeat.
func (n *Normalizer) Tag(t *parse.Tag) {
	if t.Code != parse.CodeNone && n.opts.Code != CodeEmit {
		reason := parse.ReasonFenced
		if t.Code == parse.CodeSpan {
			reason = parse.ReasonCodeSpan
		}
		n.skipTag(t, reason)
		return
	}
	plain := t.Namespace == ""
	c := &n.checked
	if reason := c.read(t.Kind, plain, t.Value, n.opts.Transient); reason != "" {
		n.skipTag(t, reason)
		return
	}
	isStatus := !plain && t.Kind == KindStatus
	if plain {
		n.key = append(n.key[:0], c.Value...)
	} else {
		n.key = appendKey(n.key[:0], t.Kind, c.Value)
	}
	key := n.memory.tagKey(plain, t.Kind, n.key)
	if t.Row != 0 && n.memory.once(&t.Origin, &t.Pos, key, true) {
		return
	}
	repeat := n.memory.repeated(&t.Pos, isStatus, key)
	if repeat {
		n.counts.Repeats++
		if !n.opts.All {
			return
		}
	} else {
		n.counts.Tags++
	}
	e := &n.tag // filled field by field: as a whole it would be written twice
	e.Namespace, e.Kind, e.Value, e.Raw = t.Namespace, t.Kind, c.Value, c.Raw
	e.Host, e.Repo, e.Number = c.Host, c.Repo, c.Number
	e.Extension, e.Repeat, e.Code, e.Provenance = c.Extension, repeat, t.Code.String(), Agent
	e.File, e.Pos = n.opts.File, t.Pos
	n.sink(e)
}

// Block types a status block and gives it. Status events are never
// de-duplicated: two equal blocks are two reports. Only text that the format
// repeats counts once.
func (n *Normalizer) Block(b *parse.Block) {
	if b.Row != 0 && n.memory.once(&b.Origin, &b.Pos, n.memory.blockKey(b), false) {
		return
	}
	// A block that is the first thing in a fence is a report that an agent
	// wrapped; one further down is documentation.
	if n.opts.Code == CodeStrict && b.Code != parse.CodeNone || n.opts.Code == CodeSkip && b.Quoted {
		n.skipBlock(b, parse.ReasonFenced)
		return
	}
	s := &n.status
	if reason := n.typer.typeBlock(b, s); reason != "" {
		n.skipBlock(b, reason)
		return
	}
	n.counts.Status++
	s.Protocol = b.Protocol
	s.Streak = n.memory.streak(&b.Pos, s)
	s.Code = b.Code.String()
	s.Provenance = Agent
	s.Position = n.position(&b.Pos)
	s.EndLine = b.EndLine
	n.sink(s)
}

// Artifact checks an artifact call's tags and gives it.
func (n *Normalizer) Artifact(a *parse.Artifact) {
	if a.Row != 0 && n.memory.once(&a.Origin, &a.Pos, n.memory.artifactKey(a), false) {
		return
	}
	n.counts.Artifacts++
	tags, violations := ArtifactTags(a.Tags, a.NotStrings, a.More)
	if len(violations) > 0 {
		tags = a.Tags
	}
	n.artifact = Artifact{
		Tool: a.Tool, Title: a.Title, Tags: tags, Handoff: HandoffFields(a.Tags),
		Violations: violations, Provenance: Agent, Position: n.position(&a.Pos),
	}
	n.sink(&n.artifact)
}

// Skip counts what parse skipped and gives it if asked for.
func (n *Normalizer) Skip(s *parse.Skip) {
	if s.Row != 0 && n.memory.once(&s.Origin, &s.Pos, n.memory.skippedKey(s), true) {
		return
	}
	n.skip(&s.Pos, s.What, s.Reason, s.Namespace, s.Kind, s.Excerpt)
}

func (n *Normalizer) skip(p *parse.Pos, what, reason, namespace, kind string, excerpt []byte) {
	n.tally(what, reason)
	if !n.opts.Skipped {
		return
	}
	n.skipped = Skipped{
		What: what, Reason: reason, Namespace: namespace, Kind: kind,
		Excerpt: Excerpt(excerpt), Position: n.position(p),
	}
	n.sink(&n.skipped)
}

// tally counts what was skipped. There are few kinds: a map takes longer to ask.
func (n *Normalizer) tally(what, reason string) {
	for i := range n.skips {
		if k := &n.skips[i]; k.kind.Reason == reason && k.kind.What == what {
			k.n++
			return
		}
	}
	n.skips = append(n.skips, skips{SkipKind{what, reason}, 1})
}

// skipTag skips a tag, once for text that the format repeats.
func (n *Normalizer) skipTag(t *parse.Tag, reason string) {
	if t.Row != 0 && n.memory.once(&t.Origin, &t.Pos, n.memory.skipKey(t), true) {
		return
	}
	n.excerpt = n.excerpt[:0]
	if n.opts.Skipped {
		n.excerpt = t.Append(n.excerpt)
	}
	n.skip(&t.Pos, "tag", reason, t.Namespace, t.Kind, n.excerpt)
}

func (n *Normalizer) skipBlock(b *parse.Block, reason string) {
	n.excerpt = n.excerpt[:0]
	if n.opts.Skipped {
		n.excerpt = b.Append(n.excerpt, MaxExcerpt)
	}
	n.skip(&b.Pos, "block", reason, "", "", n.excerpt)
}
