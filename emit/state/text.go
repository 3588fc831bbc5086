package state

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible returns s with every character that could move a cursor, colour a
// terminal, reorder or hide text written as \uXXXX: C0 and C1 controls, DEL,
// line separators, bidirectional controls and invisible blanks. Those in keep
// stay. Invalid UTF-8 becomes U+FFFD. It is for shells, Markdown and logs, which
// get every other character as it is; what a terminal shows goes through the
// stricter term.Safe.
func visible(s, keep string) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || hidden(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for _, r := range s { // ranging gives U+FFFD for invalid UTF-8
		if hidden(r) && !strings.ContainsRune(keep, r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	switch r {
	case 0x2028, 0x2029: // line separators
		return true
	case 0x200b, 0x2060, 0xfeff: // invisible blanks
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// oneLine is s with each line end, and the blanks around it, as one space.
func oneLine(s string) string {
	if strings.ContainsAny(s, "\n\t") {
		s = strings.Join(strings.FieldsFunc(s, isBlank), " ")
	}
	return s
}

// cut shortens s to at most n bytes, at a character, and says so with an
// ellipsis.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// breakCommand takes its meaning from a GitHub workflow command of the old
// form, which a runner finds anywhere in a line: "##[add-mask]".
func breakCommand(s string) string { return strings.ReplaceAll(s, "##[", "## [") }

// href returns the link target of a checked URL in the characters that RFC 3986
// allows, all others percent-encoded, or "" when value is no URL that may be
// made clickable: a path, or a host that is not plain ASCII.
func href(value string) string {
	scheme, rest, ok := strings.Cut(value, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return ""
	}
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	if host == "" {
		return ""
	}
	for i := range len(host) {
		c := host[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._:[]", c) >= 0) {
			return ""
		}
	}
	var b strings.Builder
	b.WriteString(scheme + "://" + host)
	for i := len(host); i < len(rest); i++ {
		c := rest[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.IndexByte("-._~:/?#@!$&'()*+,;=%", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
