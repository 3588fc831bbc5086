package parse

import (
	"bytes"

	"tagscan/parse/masks"
)

// The limits of a tag (specification, section 2).
const (
	// MaxValue bounds a value, as emitted and trimmed, in bytes.
	MaxValue = 4096
	// maxOpen bounds what may pass between an opening tag and its closing tag,
	// in bytes, blanks and line ends included.
	maxOpen = 8192
	// maxKind bounds a KIND, in bytes.
	maxKind = 32
)

// A name is what may follow a tag's '<': a namespace, whose tags are
// <NS:KIND>, or a plain tag's own name.
type name struct {
	text  string
	plain bool
}

// A grammar knows the tags that are looked for.
type grammar struct {
	names []name
	// lead marks the bytes that a name begins with.
	lead  [256]bool
	after masks.Set // the same, and what may be an escape of one in JSON
	kinds map[string]string
}

// coreKinds are the core kinds by their first byte.
var coreKinds = func() (t [256]string) {
	for _, s := range CoreKinds {
		t[s[0]] = s
	}
	return t
}()

// maxInterned bounds the kinds whose strings are kept, so that input cannot
// make the table grow.
const maxInterned = 1024

func newGrammar(namespaces, plain []string) *grammar {
	g := &grammar{kinds: map[string]string{}}
	g.after.Add('\\')
	add := func(text string, plain bool) {
		for _, n := range g.names {
			if n.text == text && n.plain == plain {
				return
			}
		}
		g.names = append(g.names, name{text, plain})
		g.lead[text[0]] = true
		g.after.Add(text[0])
	}
	for _, ns := range append([]string{"jackin", "multicode"}, namespaces...) {
		add(ns, false)
	}
	for _, n := range plain {
		add(n, true)
	}
	return g
}

// kind returns k as a string, without allocating for kinds seen before.
func (g *grammar) kind(k []byte) string {
	if s := coreKinds[k[0]]; s == string(k) {
		return s
	}
	if s, ok := g.kinds[string(k)]; ok {
		return s
	}
	s := string(k)
	if len(g.kinds) < maxInterned {
		g.kinds[s] = s
	}
	return s
}

// What a '<' turned out to be.
type found uint8

const (
	foundNothing    found = iota
	foundPrefix           // the line's rest decides
	foundOpen             // an opening tag
	foundBadKind          // a known namespace with no valid kind behind it
	foundAttributes       // something other than '>' behind the kind
)

// opening looks at b, which begins with '<', for an opening tag, of a name and,
// if that is a namespace, a kind. size is the length of the tag with its angle
// brackets. final says that the line ends with b.
func (g *grammar) opening(b []byte, final bool) (n *name, kind []byte, size int, f found) {
	rest := b[1:]
	for i := range g.names {
		n := &g.names[i]
		if len(rest) <= len(n.text) {
			if !final && n.text[:len(rest)] == string(rest) {
				f = foundPrefix
			}
			continue
		}
		if string(rest[:len(n.text)]) != n.text {
			continue
		}
		c := rest[len(n.text)]
		if n.plain {
			switch {
			case c == '>':
				return n, nil, len(n.text) + 2, foundOpen
			case c == ' ' || c == '\t' || c == '/':
				return n, nil, 0, foundAttributes
			}
			continue
		}
		if c != ':' {
			continue
		}
		k := rest[len(n.text)+1:]
		j := 0
		for j < len(k) && j <= maxKind && kindByte(k[j]) {
			j++
		}
		switch {
		case j > maxKind || j > 0 && !('a' <= k[0] && k[0] <= 'z'):
			return n, nil, 0, foundBadKind
		case j == len(k) && !final:
			return nil, nil, 0, foundPrefix
		case j == 0:
			return n, nil, 0, foundBadKind
		case j == len(k) || k[j] != '>':
			return n, k[:j], 0, foundAttributes
		}
		return n, k[:j], len(n.text) + j + 3, foundOpen
	}
	return nil, nil, 0, f
}

// named is what a Tag is named by of which n and kind were found.
func (g *grammar) named(n *name, kind []byte) (string, string) {
	switch {
	case n.plain:
		return "", n.text
	case len(kind) == 0:
		return n.text, ""
	}
	return n.text, g.kind(kind)
}

// notHTML says whether a line that begins with '<' begins with a namespace and
// a colon, which no start of an HTML block has.
func (g *grammar) notHTML(line []byte) bool {
	for i := range g.names {
		n := &g.names[i]
		if k := len(n.text) + 1; !n.plain && len(line) > k && line[k] == ':' && string(line[1:k]) == n.text {
			return true
		}
	}
	return false
}

func kindByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// closing looks at b, which begins with "</", for the closing tag of ns and
// kind.
func closing(b []byte, ns, kind string, final bool) (size int, f found) {
	rest := b[2:]
	// Nearly always all of it is there.
	if n := len(ns) + len(kind) + 2; ns != "" && len(rest) >= n {
		if k := len(ns); string(rest[:k]) == ns && rest[k] == ':' && string(rest[k+1:n-1]) == kind && rest[n-1] == '>' {
			return 2 + n, foundOpen
		}
		return 0, foundNothing
	}
	for _, part := range [...]string{ns, ":", kind, ">"} {
		if ns == "" && part == ":" || part == "" {
			continue
		}
		if len(rest) < len(part) {
			if !final && part[:len(rest)] == string(rest) {
				return 0, foundPrefix
			}
			return 0, foundNothing
		}
		if string(rest[:len(part)]) != part {
			return 0, foundNothing
		}
		rest = rest[len(part):]
	}
	return len(b) - len(rest), foundOpen
}

// trimBlanks removes the ASCII blanks that a value may be surrounded by: space,
// tab and line end. Other Unicode space is content.
func trimBlanks[T []byte | string](b T) T {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// candidate says whether there can be a tag or a status block in the text of
// the JSON string raw, which is still escaped: a \u escape can be any byte.
func (g *grammar) candidate(raw []byte) bool {
	for {
		i := masks.Needle(raw, &g.after)
		if i < 0 {
			return false
		}
		if raw[i] != '_' || bytes.HasPrefix(raw[i:], []byte("_STATUS")) {
			return true
		}
		raw = raw[i+1:]
	}
}
