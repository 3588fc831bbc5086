package normalize

import (
	"bytes"
	"unicode/utf8"

	"tagscan/parse"
)

// MaxExcerpt is the most bytes an excerpt has.
const MaxExcerpt = 64

// Excerpt is the beginning of what was skipped, at most MaxExcerpt bytes, cut at
// a character, with *** for the user information of the URLs in it: a password
// must never reach a log. It redacts before it cuts.
func Excerpt(s []byte) string {
	// What is behind the cut matters for the @ that makes a password of what is
	// before it. No authority is longer than a value.
	if len(s) > MaxExcerpt+parse.MaxValue {
		s = s[:MaxExcerpt+parse.MaxValue]
	}
	s = redact(s, len(s) >= parse.MaxExcerpt)
	if !utf8.Valid(s) {
		s = []byte(toValid(string(s[:min(len(s), 2*MaxExcerpt)])))
	}
	if len(s) > MaxExcerpt {
		n := MaxExcerpt
		for n > MaxExcerpt-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return string(s)
}

// redact replaces user information by ***. It takes for the start of an
// authority whatever a browser would: two slashes or more, either way round, or
// http: with any or none.
func redact(s []byte, cut bool) []byte {
	var out []byte
	done := 0 // s[:done] is in out
	for i := 0; i < len(s); {
		start := authorityStart(s, i)
		if start < 0 {
			i++
			continue
		}
		if n := userinfoLen(s[start:], cut); n > 0 {
			out = append(append(out, s[done:start]...), "***"...)
			done = start + n
			start = done
		}
		i = start
	}
	if done == 0 {
		return s
	}
	return append(out, s[done:]...)
}

// authorityStart is where the authority begins of which the slashes or the
// scheme's colon are at i, or -1.
func authorityStart(s []byte, i int) int {
	slash := func(c byte) bool { return c == '/' || c == '\\' }
	j := i
	switch {
	case s[i] == ':' && (hasSuffixFold(s[:i], "http") || hasSuffixFold(s[:i], "https")):
		j++
	case i+1 < len(s) && slash(s[i]) && slash(s[i+1]):
	default:
		return -1
	}
	// A browser takes line ends and tabs out of a URL before it reads it.
	for j < len(s) && (slash(s[j]) || s[j] == '\t' || s[j] == '\n' || s[j] == '\r') {
		j++
	}
	return j
}

// userinfoLen is the length of the user information that s begins with. In a
// tag's value it may hold blanks and quotes, and a password what ends an
// authority: so everything to the last @ in front of a slash counts, and where
// a port is no number everything to the last @ of the word, or the whole
// authority when there is none: it may stand behind the cut.
func userinfoLen(s []byte, cut bool) int {
	segment := s
	if n := bytes.IndexAny(s, "<>/?#\\"); n >= 0 {
		segment = s[:n]
	}
	return max(bytes.LastIndexByte(segment, '@'), wordUserinfo(s, cut))
}

func wordUserinfo(s []byte, cut bool) int {
	word := s
	if n := bytes.IndexAny(s, " \t\r\n<>\"'`"); n >= 0 {
		word = s[:n]
	}
	authority := word
	if n := bytes.IndexAny(word, `/?#\`); n >= 0 {
		authority = word[:n]
	}
	if n := bytes.LastIndexByte(authority, '@'); n >= 0 {
		return n
	}
	if cut && len(authority) == len(s) {
		return len(s) // it goes on behind the cut, where its @ may be
	}
	if len(authority) > 0 && authority[0] == '[' {
		return 0
	}
	colon := bytes.IndexByte(authority, ':')
	if colon < 0 {
		return 0
	}
	for _, c := range authority[colon+1:] {
		if !isDigit(c) {
			if n := bytes.LastIndexByte(word, '@'); n >= 0 {
				return n
			}
			return len(authority)
		}
	}
	return 0
}

func hasSuffixFold(s []byte, suffix string) bool {
	return len(s) >= len(suffix) && bytes.EqualFold(s[len(s)-len(suffix):], []byte(suffix))
}
