package normalize

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"tagscan/parse"
)

// The core kinds. Any other kind of a known namespace is an extension.
const (
	KindRepo   = "repo"
	KindIssue  = "issue"
	KindPR     = "pr"
	KindLink   = "link"
	KindStatus = "status"
)

// Core tells whether kind is in the core vocabulary.
func Core(kind string) bool { return kind == KindStatus || !isFree(kind, false) }

// A Checked is a value that passed all checks.
type Checked struct {
	Value string // the normalised value
	Raw   string // the value as emitted, trimmed; "" when it equals Value
	// Host and Repo are set for a repo that is a URL and for a forge's issue or
	// pr. Host is lower-cased and, as in RFC 3986 authority without user
	// information, keeps a port that is not the scheme's default.
	Host string
	Repo string
	// Number is set for a forge's issue or pr: 1 to 18 decimal digits without
	// leading zeros.
	Number    string
	Extension bool
}

// Value checks and normalises the value of a tag: sections 2 ("Values") and 4
// of the specification. Plain tells that the tag has no namespace; its value is
// then free text whatever its kind. The reason is "" for a good value and else
// the first that applies, in this order:
//
//	empty, too_long, control_character     any value
//	invalid_utf8                           URLs and paths
//	relative_path                          a repo that is neither
//	scheme, userinfo, invalid_url          URLs; invalid_url also for a path with blanks
//	example, kind_mismatch                 where the value points to
//
// In free text U+FFFD replaces each byte that is no UTF-8, as in what is written.
func Value(kind string, plain bool, raw []byte) (c Checked, reason string) {
	reason = c.read(kind, plain, raw, false)
	return c, reason
}

// read is Value into c: copied from one function to the next, what has just been
// written keeps the processor waiting. With transient, c is valid as long as raw.
func (c *Checked) read(kind string, plain bool, raw []byte, transient bool) (reason string) {
	*c = Checked{}
	if n := len(raw); n > 0 && (isBlank(raw[0]) || isBlank(raw[n-1])) {
		raw = bytes.Trim(raw, asciiBlanks)
	}
	if len(raw) > parse.MaxValue {
		return parse.ReasonTooLong
	}
	if transient {
		return c.value(kind, plain, unsafe.String(unsafe.SliceData(raw), len(raw)), true)
	}
	return c.value(kind, plain, string(raw), true)
}

// Literal is Value for a value in which "&amp;" is no entity: one that was
// decoded before, as in an event, or that a person typed. It is idempotent: a
// normalised value is its own.
func Literal(kind string, plain bool, s string) (c Checked, reason string) {
	s = strings.Trim(s, asciiBlanks)
	// A value that was emitted with invalid bytes is longer with U+FFFD for each.
	if len(s) > parse.MaxValue*len("\ufffd") {
		return c, parse.ReasonTooLong
	}
	reason = c.value(kind, plain, s, false)
	return c, reason
}

// value fills c, which is zero and stays so for a bad value.
func (c *Checked) value(kind string, plain bool, emitted string, markup bool) (reason string) {
	if emitted == "" {
		return parse.ReasonEmpty
	}
	s, ascii := emitted, isPlain(emitted)
	if !ascii {
		if hasControl(emitted) {
			return parse.ReasonControl
		}
		if isFree(kind, plain) {
			emitted = toValid(emitted)
		}
		s = emitted
		if markup {
			// The five entities decode to printable characters only, so that nothing
			// which was refused above can come back.
			s = decodeEntities(s)
		}
	}
	if reason = c.check(kind, plain, s, ascii); reason != "" {
		*c = Checked{}
	} else if c.Value != emitted {
		c.Raw = emitted
	}
	return reason
}

// isFree tells whether the value of a kind is free text.
func isFree(kind string, plain bool) bool {
	switch kind {
	case KindRepo, KindIssue, KindPR, KindLink:
		return plain
	}
	return true
}

// toValid replaces each byte of s that is no UTF-8 by U+FFFD.
func toValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// check is Value after trimming, entity decoding and the control characters. With
// ascii, s isPlain.
func (c *Checked) check(kind string, plain bool, s string, ascii bool) (reason string) {
	if isFree(kind, plain) {
		c.Value, c.Extension = s, plain || kind != KindStatus
		if !ascii || strings.Contains(s, "  ") {
			c.Value = collapse(s)
		}
		if !c.Extension && isExample(c.Value) {
			return parse.ReasonExample
		}
		return ""
	}
	if !ascii && !utf8.ValidString(s) {
		return parse.ReasonInvalidUTF8
	}
	if kind == KindRepo {
		if s[0] == '/' {
			// Two slashes begin a path like one, but a URL without its scheme,
			// too: what may be a password must not get out.
			if rest, ok := strings.CutPrefix(s, "//"); ok {
				if name, _, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/"); strings.Contains(name, "@") {
					return parse.ReasonUserinfo
				}
			}
			return c.checkPath(s)
		}
		if !looksLikeURL(s) {
			return parse.ReasonRelativePath
		}
	}
	var u checkedURL
	if reason = u.check(s); reason != "" {
		return reason
	}
	c.Value = u.text
	switch kind {
	case KindIssue, KindPR:
		var f forgeRef
		ok := u.forge(&f)
		if ok {
			c.Value = u.text[:f.end]
		}
		if isExample(c.Value) {
			return parse.ReasonExample
		}
		if ok && f.kind != kind {
			return parse.ReasonKindMismatch
		}
		if ok {
			c.Host, c.Repo, c.Number = u.host(), f.repo, f.number
		}
		return ""
	case KindRepo:
		// An issue or a pull request is no repository: a forge's URL of the
		// other kind, whichever the tag's own is.
		var f forgeRef
		if u.forge(&f) {
			if isExample(u.text[:f.end]) {
				return parse.ReasonExample
			}
			return parse.ReasonKindMismatch
		}
		end, ok := u.repoEnd()
		if !ok {
			return parse.ReasonInvalidURL
		}
		c.Value, c.Host, c.Repo = u.text[:end], u.host(), u.text[u.path+1:end]
	}
	if isExample(c.Value) {
		return parse.ReasonExample
	}
	return ""
}

// asciiBlanks are what is trimmed around a value: "other Unicode space is
// content".
const asciiBlanks = " \t\n\r"

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// isPlain tells whether s is nothing but printable ASCII without '&', as nearly
// all values are.
func isPlain(s string) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		// Without high bits no byte's difference borrows from the next unless one
		// is found: below ' ', equal to '&', equal to DEL.
		amp, del := x^'&'*ones, x^0x7f*ones
		if (x|(x-' '*ones)|(amp-ones)|(del-ones))&high != 0 {
			return false
		}
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '&' {
			return false
		}
	}
	return true
}

// hasControl tells whether s holds a C0 or C1 control character other than a
// blank, DEL, or a bidi control: they make any value malformed.
func hasControl(s string) bool {
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b < ' ' && !isBlank(b) || b == 0x7f {
				return true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		// An invalid byte decodes to U+FFFD, which is none of them.
		if r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) {
			return true
		}
		i += n
	}
	return false
}

// isInvisible tells whether r shows nothing by itself: format characters and
// the rest of Unicode's Default_Ignorable_Code_Point, and the blank Braille
// cell. Two URLs that differ in one look the same.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r == 0x2800
}

// collapse turns each run of ASCII blanks into one space.
func collapse(s string) string {
	for i := 0; i < len(s); i++ {
		if isBlank(s[i]) && (s[i] != ' ' || i+1 < len(s) && isBlank(s[i+1])) {
			return collapseFrom(s, i)
		}
	}
	return s
}

func collapseFrom(s string, i int) string {
	b := make([]byte, i, len(s))
	copy(b, s)
	for ; i < len(s); i++ {
		if !isBlank(s[i]) {
			b = append(b, s[i])
		} else if i == 0 || !isBlank(s[i-1]) {
			b = append(b, ' ')
		}
	}
	return string(b)
}

// entities decodes what XML 1.0 predefines, in one pass: "&amp;lt;" is "&lt;".
var entities = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'")

func decodeEntities(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return entities.Replace(s)
}

// Explain says in a few words for people what a skip reason of the registry
// means, or returns the reason itself if it is in none.
func Explain(reason string) string {
	if s, ok := explanations[reason]; ok {
		return s
	}
	return reason
}

var explanations = map[string]string{
	parse.ReasonFenced:        "inside a code fence",
	parse.ReasonCodeSpan:      "inside a code span",
	parse.ReasonUnclosed:      "never closed",
	parse.ReasonAttributes:    "the opening tag has something behind its kind",
	parse.ReasonBadKind:       "the kind is malformed",
	parse.ReasonEmpty:         "the value is empty",
	parse.ReasonTooLong:       "too long",
	parse.ReasonControl:       "the value holds a control or bidi character",
	parse.ReasonScheme:        "not an http or https URL",
	parse.ReasonInvalidURL:    "a malformed URL or path",
	parse.ReasonUserinfo:      "a URL with user information",
	parse.ReasonInvalidUTF8:   "a URL or path with invalid UTF-8",
	parse.ReasonRelativePath:  "neither a URL nor an absolute path",
	parse.ReasonKindMismatch:  "the URL is of another kind than the tag",
	parse.ReasonExample:       "an example from documentation",
	parse.ReasonTemplate:      "the protocol's template, not filled in",
	parse.ReasonNoFields:      "a status block without a known field",
	parse.ReasonRole:          "in text of a role that was not asked for",
	parse.ReasonInvalidRecord: "a record that is malformed or too large",
}
