package normalize

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"tagscan/parse"
)

// A checkedURL is an http or https URL that passed check, its scheme and
// host lower-cased and a default port dropped. All else is byte for byte as
// emitted, which is why net/url has no part in this: its String re-encodes, and
// what it parses it has not validated.
type checkedURL struct {
	text string
	auth int // where the authority starts
	path int // where the path starts, and the authority ends
	tail int // where the query or fragment starts, and the path ends
}

func (u *checkedURL) host() string { return u.text[u.auth:u.path] }

// schemeLen is the length of s's scheme (RFC 3986, 3.1), or -1 for none.
func schemeLen(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i
		default:
			return -1
		}
	}
	return -1
}

// looksLikeURL tells a URL, good or bad, from a relative path. What scp and git
// write as host:path and a Windows drive are no schemes.
func looksLikeURL(s string) bool {
	n := schemeLen(s)
	if n < 0 {
		return false
	}
	return strings.HasPrefix(s[n+1:], "//") || n > 1 && strings.IndexByte(s[:n], '.') < 0
}

// check fills u from s, an absolute http or https URL. Where RFC 3986 and the
// WHATWG URL standard would not send two readers to the same host, it refuses:
// no backslash before the query, which browsers read as a slash; no user
// information, also an empty one; no escapes in the host, which browsers decode;
// no IPv4 address but the dotted quad.
func (u *checkedURL) check(s string) (reason string) {
	n := schemeLen(s)
	if n < 0 {
		return parse.ReasonScheme
	}
	scheme := lowerASCII(s[:n])
	if scheme != "http" && scheme != "https" {
		return parse.ReasonScheme
	}
	rest, ok := strings.CutPrefix(s[n+1:], "//")
	if !ok {
		return parse.ReasonInvalidURL
	}
	end := 0
	for end < len(rest) && rest[end] != '/' && rest[end] != '?' && rest[end] != '#' {
		end++
	}
	authority, rest := rest[:end], rest[end:]
	if strings.IndexByte(authority, '\\') >= 0 {
		return parse.ReasonInvalidURL
	}
	if strings.IndexByte(authority, '@') >= 0 {
		return parse.ReasonUserinfo
	}
	host, port, ok := splitPort(authority)
	if !ok {
		return parse.ReasonInvalidURL
	}
	if host, ok = checkHost(host); !ok {
		return parse.ReasonInvalidURL
	}
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	tail, ok := checkRest(rest)
	if !ok {
		return parse.ReasonInvalidURL
	}
	if port != "" {
		port = ":" + port
	}
	if scheme == s[:n] && len(host)+len(port) == len(authority) && strings.HasPrefix(authority, host) {
		u.text = s // the usual case, without a copy
	} else {
		u.text = scheme + "://" + host + port + rest
	}
	u.auth = n + len("://")
	u.path = u.auth + len(host) + len(port)
	u.tail = u.path + tail
	return ""
}

// splitPort takes the port off an authority without user information: "" when
// there is none or an empty one, which RFC 3986 (6.2.3) and browsers drop.
func splitPort(authority string) (host, port string, ok bool) {
	colon := strings.IndexByte(authority, ':')
	if strings.HasPrefix(authority, "[") {
		end := strings.IndexByte(authority, ']')
		if end < 0 {
			return "", "", false
		}
		colon = end + 1
		if colon == len(authority) {
			return authority, "", true
		}
		if authority[colon] != ':' {
			return "", "", false
		}
	}
	if colon < 0 {
		return authority, "", true
	}
	host, port = authority[:colon], authority[colon+1:]
	if port == "" {
		return host, "", true
	}
	if !allDigits(port) {
		return "", "", false
	}
	port = strings.TrimLeft(port, "0")
	if port == "" || len(port) > 5 || len(port) == 5 && port > "65535" {
		return "", "", false
	}
	return host, port, true
}

// checkHost checks a host and lower-cases it.
//
// Of ASCII, letters, digits, hyphen, dot and underscore are a host; everything
// else either is a forbidden host code point of the WHATWG URL standard or in
// no name that DNS holds. Of the rest of Unicode, letters, marks and digits
// are, as IDNA 2008 has it, without those that show nothing; punctuation and
// compatibility forms, which IDNA maps to something else such as a slash or a
// dot, are not. No label may be empty.
func checkHost(h string) (string, bool) {
	if strings.HasPrefix(h, "[") {
		// A zone is no part of a URL for browsers; net/netip takes one.
		addr, err := netip.ParseAddr(h[1 : len(h)-1])
		return lowerASCII(h), err == nil && addr.Is6() && addr.Zone() == ""
	}
	name := strings.TrimSuffix(h, ".") // the root's own dot
	if name == "" || name[0] == '.' || name[len(name)-1] == '.' || strings.Contains(name, "..") {
		return "", false
	}
	changed := false
	for _, r := range name {
		switch {
		case 'A' <= r && r <= 'Z':
			changed = true
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '.' || r == '_':
		case r < utf8.RuneSelf || isInvisible(r) || 0xff00 <= r && r <= 0xffef:
			return "", false
		case unicode.In(r, unicode.L, unicode.M, unicode.Nd):
			low := unicode.ToLower(r)
			// U+0130 and U+212A would turn into an i and a k that nobody wrote.
			if low < utf8.RuneSelf {
				return "", false
			}
			changed = changed || low != r
		default:
			return "", false
		}
	}
	// A name whose last label is a number is an IPv4 address for browsers, or
	// nothing; 127.1 and 2130706433 are spellings that only some readers know.
	last := name[strings.LastIndexByte(name, '.')+1:]
	if allDigits(last) || len(last) > 1 && last[0] == '0' && (last[1] == 'x' || last[1] == 'X') && allHex(last[2:]) {
		addr, err := netip.ParseAddr(name)
		if err != nil || !addr.Is4() {
			return "", false
		}
	}
	if changed {
		h = strings.ToLower(h)
	}
	return h, true
}

// urlOdd are the bytes that checkRest has to look at.
var urlOdd = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= utf8.RuneSelf || strings.IndexByte(asciiBlanks+"%\\?#", byte(c)) >= 0
	}
	return t
}()

// checkRest checks path, query and fragment, and returns where the path ends.
func checkRest(s string) (tail int, ok bool) {
	tail = len(s)
	for i := 0; i < len(s); {
		c := s[i]
		if !urlOdd[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if unicode.IsSpace(r) || isInvisible(r) {
				return 0, false
			}
			i += n
			continue
		}
		switch {
		case isBlank(c):
			return 0, false
		case c == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return 0, false
			}
		case c == '\\' && tail == len(s):
			return 0, false
		case (c == '?' || c == '#') && tail == len(s):
			tail = i
		}
		i++
	}
	return tail, true
}

// A forgeRef is what a forge's URL points to.
type forgeRef struct {
	kind   string // issue or pr
	repo   string
	number string
	end    int // where the canonical URL ends in the whole one
}

// forgeKind is the kind that the word before the number stands for, "" for none:
// GitLab's word, or else one of GitHub, Gitea and Forgejo.
func forgeKind(word string, gitlab bool) string {
	switch word {
	case "issues":
		return KindIssue
	case "merge_requests":
		if gitlab {
			return KindPR
		}
	case "pull", "pulls":
		if !gitlab {
			return KindPR
		}
	}
	return ""
}

// forge tells whether u has the shape of a forge's issue or pull request,
// whichever host it is on:
//
//	/{owner}/{repo}/issues|pull/{n}                  GitHub, GitHub Enterprise
//	/{owner}/{repo}/issues|pulls/{n}                 Gitea, Forgejo
//	/{group…}/{repo}/-/issues|merge_requests/{n}     GitLab
//
// What follows the number is a view of it. A number with leading zeros, 0, or of
// more than 18 digits is none that a forge gives; a dot segment, which a
// browser would resolve, makes the shape another one. Such URLs stay as they
// are.
func (u *checkedURL) forge(f *forgeRef) (ok bool) {
	p := u.text[u.path:u.tail]
	if hasDotSegment(p) {
		return false
	}
	gitlab, repoEnd, word := false, 0, 0
	if i := strings.Index(p, "/-/"); i > 0 {
		gitlab, repoEnd, word = true, i, i+len("/-/")
		if !areNames(p[:i], 2, len(p)) {
			return false
		}
	} else {
		// Owner and repository are the first two segments.
		i := nextSlash(p, nextSlash(p, 1)+1)
		if i >= len(p) || !areNames(p[:i], 2, 2) {
			return false
		}
		repoEnd, word = i, i+1
	}
	wordEnd := nextSlash(p, word)
	if f.kind = forgeKind(p[word:wordEnd], gitlab); f.kind == "" || wordEnd == len(p) {
		return false
	}
	end := nextSlash(p, wordEnd+1)
	f.number = p[wordEnd+1 : end]
	if !allDigits(f.number) || f.number[0] == '0' || len(f.number) > 18 {
		return false
	}
	f.repo = p[1:repoEnd]
	f.end = u.path + end
	return true
}

// repoEnd is where a repository's URL ends: before its query, fragment, and
// trailing slashes and ".git". It must have two or more segments, each of which
// names something.
func (u *checkedURL) repoEnd() (end int, ok bool) {
	p := u.text[u.path:u.tail]
	for {
		q := strings.TrimSuffix(strings.TrimRight(p, "/"), ".git")
		if len(q) == len(p) {
			break
		}
		p = q
	}
	segments := 0
	for i := 0; i < len(p); {
		next := nextSlash(p, i+1)
		if next == i+1 {
			return 0, false
		}
		segments++
		i = next
	}
	return u.path + len(p), segments >= 2 && !hasDotSegment(p)
}

// nextSlash is the index of the next slash in p from i on, or p's length.
func nextSlash(p string, i int) int {
	if i >= len(p) {
		return len(p)
	}
	if n := strings.IndexByte(p[i:], '/'); n >= 0 {
		return i + n
	}
	return len(p)
}

// areNames tells whether p is from least to most segments "/name", of the
// characters that forges have in owners, groups and repositories.
func areNames(p string, least, most int) bool {
	n := 0
	for i := 0; i < len(p); n++ {
		next := nextSlash(p, i+1)
		name := p[i+1 : next]
		if name == "" || name == "-" {
			return false
		}
		for j := 0; j < len(name); j++ {
			if c := name[j]; !isLetter(c) && !isDigit(c) && c != '.' && c != '_' && c != '-' {
				return false
			}
		}
		i = next
	}
	return least <= n && n <= most
}

// hasDotSegment tells whether the path p has a segment "." or "..", also
// escaped, as the WHATWG URL standard reads them.
func hasDotSegment(p string) bool {
	if !strings.Contains(p, "/.") && strings.IndexByte(p, '%') < 0 {
		return false
	}
	for i := 0; i < len(p); {
		next := nextSlash(p, i+1)
		seg, dots := p[i+1:next], 0
		for len(seg) > 0 && dots <= 2 {
			switch {
			case seg[0] == '.':
				seg = seg[1:]
			case len(seg) >= 3 && seg[0] == '%' && seg[1] == '2' && seg[2]|0x20 == 'e':
				seg = seg[3:]
			default:
				dots = 2
			}
			dots++
		}
		if dots == 1 || dots == 2 {
			return true
		}
		i = next
	}
	return false
}

// appendKey appends what value is compared by: value itself, but for the owner
// and repository of a github.com URL, which compare without case.
func appendKey(b []byte, kind, value string) []byte {
	from := len(b)
	b = append(b, value...)
	if isFree(kind, false) {
		return b
	}
	rest, ok := strings.CutPrefix(value, "https://github.com/")
	if !ok {
		if rest, ok = strings.CutPrefix(value, "http://github.com/"); !ok {
			return b
		}
	}
	slashes := 0
	for i := from + len(value) - len(rest); i < len(b); i++ {
		switch c := b[i]; {
		case 'A' <= c && c <= 'Z':
			b[i] = c | 0x20
		case c == '/':
			if slashes++; slashes == 2 {
				return b
			}
		case c == '?' || c == '#':
			return b
		}
	}
	return b
}

// Key is what a normalised value of a kind is compared by: two values with one
// key are the same thing.
func Key(kind, value string) string { return string(appendKey(nil, kind, value)) }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// allDigits is false for "".
func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// allHex is true for "": the WHATWG URL standard reads 0x as 0.
func allHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if 'A' <= b[j] && b[j] <= 'Z' {
					b[j] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}
