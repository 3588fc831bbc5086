package term

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks may stand on one character: scripts
// need a few, and a tower of them overwrites the lines above.
const maxMarks = 4

// AppendSafe appends untrusted text so that a terminal shows it and does
// nothing else: control characters and invalid bytes become \x1b, bidi
// controls, zero-width and other invisible characters \u202e. What is
// visible stays as it is; so does a backslash, the escapes are for reading. Text
// for people goes to the logs of CI jobs, too: there "##[" is where a runner's
// command begins, and becomes "## [".
func AppendSafe(dst []byte, s string) []byte {
	marks := 0
	visible := false // something stands before that a variation selector can vary
	for i := 0; i < len(s); {
		if c := s[i]; 0x20 <= c && c < 0x7f {
			if n := len(dst); c == '[' && n >= 2 && string(dst[n-2:]) == "##" {
				dst = append(dst, ' ')
			}
			dst = append(dst, c)
			marks, visible = 0, false
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1, r < 0x80:
			dst = appendByte(dst, s[i])
			marks, visible = 0, false
		case r == 0xfe0f && visible: // asks for the emoji form
			dst = append(dst, s[i:i+n]...)
			visible = false
		case hidden(r):
			dst = appendRune(dst, r)
			marks, visible = 0, false
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks {
				dst = appendRune(dst, r)
				break
			}
			dst = append(dst, s[i:i+n]...)
		default:
			dst = append(dst, s[i:i+n]...)
			marks, visible = 0, true
		}
		i += n
	}
	return dst
}

// Safe is AppendSafe for strings.
func Safe(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f || s[i] == '[' {
			return string(AppendSafe(nil, s))
		}
	}
	return s
}

// hidden tells whether r, which is beyond ASCII, draws nothing of its own:
// controls, format characters (bidi, zero width, tags), separators of lines,
// private and unassigned code points, and the letters and marks that Unicode
// says to ignore.
func hidden(r rune) bool {
	return !unicode.IsGraphic(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

const hex = "0123456789abcdef"

func appendByte(dst []byte, c byte) []byte {
	switch c {
	case '\t':
		return append(dst, `\t`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	}
	return append(dst, '\\', 'x', hex[c>>4], hex[c&15])
}

func appendRune(dst []byte, r rune) []byte {
	if r > 0xffff {
		return append(dst, '\\', 'U', '0', '0', hex[r>>20&15], hex[r>>16&15], hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
	}
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// AppendLink appends text, which must be safe already, as an OSC 8 hyperlink
// to target, or text alone when target is no URL to be clicked: it takes an
// absolute http or https URL with an ASCII host and without user information
// or anything hidden. Other characters of the URL are percent-encoded, since
// the sequence may hold nothing but printable ASCII.
func AppendLink(dst []byte, target, text string) []byte {
	if !clickable(target) {
		return append(dst, text...)
	}
	dst = append(dst, "\x1b]8;;"...)
	for i := 0; i < len(target); i++ {
		if c := target[i]; c < utf8.RuneSelf {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	dst = append(dst, "\x1b\\"...)
	dst = append(dst, text...)
	return append(dst, "\x1b]8;;\x1b\\"...)
}

func clickable(s string) bool {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r <= ' ' || r == 0x7f || r > 0x7f && (hidden(r) || unicode.IsSpace(r)) {
			return false
		}
	}
	u, err := url.Parse(s)
	if err != nil || u.User != nil || u.Hostname() == "" {
		return false
	}
	for i := 0; i < len(u.Host); i++ {
		if u.Host[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
