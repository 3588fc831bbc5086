package wrap

import (
	"bytes"
	"io"
	"regexp"
	"unicode/utf8"

	"tagscan/parse/clean"
)

// prefix returns the length of what the first of s.Prefixes that matches and was
// not used yet matches. It is -1 when one of them may match yet.
func (s *Stripper) prefix(h *head, b []byte, whole bool) int {
	if len(s.Prefixes) == 0 {
		return 0
	}
	if len(b) > maxRegexp {
		b, whole = b[:maxRegexp], true
	}
	plain, last := s.plain(b, whole)
	for i, re := range s.Prefixes {
		if h.used>>i&1 != 0 {
			continue
		}
		n := matchPrefix(re, b, whole)
		if n == 0 && plain != nil {
			if n = matchPrefix(re, plain, last); n > 0 {
				n = s.offsets[n]
			}
		}
		if n < 0 {
			return -1
		}
		if n > 0 {
			h.used |= 1 << i
			return n
		}
	}
	return 0
}

// plain returns b without its escape sequences, nil when there are none, and
// whether that is all of it; s.offsets says where in b each byte stood, or where
// the sequences before it end.
func (s *Stripper) plain(b []byte, whole bool) (text []byte, all bool) {
	if !clean.Has(b) {
		return nil, whole
	}
	s.text, s.offsets = s.text[:0], s.offsets[:0]
	for i := 0; i < len(b); {
		if b[i] == esc {
			switch n := clean.Skip(b[i:]); {
			case n < 0:
				// An unclosed sequence goes to the end of what is there.
				s.offsets = append(s.offsets, i)
				return s.text, whole
			case n > 0:
				i += n
				continue
			}
		}
		s.text = append(s.text, b[i])
		s.offsets = append(s.offsets, i)
		i++
	}
	s.offsets = append(s.offsets, len(b))
	return s.text, whole
}

// matchPrefix returns the length of what re matches at the start of b. When b is
// not the whole of the line, it returns -1 if re has looked beyond it.
func matchPrefix(re *regexp.Regexp, b []byte, whole bool) int {
	if whole {
		if loc := re.FindIndex(b); loc != nil && loc[0] == 0 {
			return loc[1]
		}
		return 0
	}
	r := reader{b: b}
	loc := re.FindReaderIndex(&r)
	switch {
	case r.past:
		return -1
	case loc != nil && loc[0] == 0:
		return loc[1]
	}
	return 0
}

// A reader shows a regular expression the beginning of a line, and notes whether
// it wanted more: the matcher reads no further than it needs to decide.
type reader struct {
	b    []byte
	past bool
}

func (r *reader) ReadRune() (rune, int, error) {
	if len(r.b) == 0 || !utf8.FullRune(r.b) {
		r.past = true
		return 0, 0, io.EOF
	}
	c, n := utf8.DecodeRune(r.b)
	r.b = r.b[n:]
	return c, n, nil
}

// Loose removes, besides what Strip removes, the prefixes that look like text:
// docker compose's `NAME | `, Jenkins' `[BRANCH] `, dates and times of any form,
// and what was drawn before the line's last lone CR, such as a spinner.
// It reports whether some, and nothing else, stood before a '{', with which rest
// then starts. Only when that is a record of a known transcript format has the
// line been wrapped; all others it leaves as they are. No '>' may stand before
// the '{': with one a tag may have been read already, and the line is text.
func (s *Stripper) Loose(line []byte) (rest []byte, ok bool) {
	rest, ok, _ = s.looseHead(line)
	return rest, ok
}

// LooseUndecided says whether Loose may say something else of a line that begins
// with part: an escape sequence is cut off that a prefix ends with.
func (s *Stripper) LooseUndecided(part []byte) bool {
	_, _, undecided := s.looseHead(part)
	return undecided
}

func (s *Stripper) looseHead(line []byte) (rest []byte, ok, undecided bool) {
	w := line
	if len(w) > MaxHead {
		w = w[:MaxHead]
	}
	brace := shownBrace(w)
	if brace <= 0 || bytes.IndexByte(w[:brace], '>') >= 0 {
		return line, false, false
	}
	var h head
	i := redrawn(w, brace)
	ok = i > 0
	for range maxRounds {
		for i < len(w) && (w[i] == ' ' || w[i] == '\t') {
			i++
		}
		switch n := clean.Skip(w[i:]); {
		case n < 0:
			return line, false, true
		case n > 0:
			i += n
			continue
		}
		if ok && i < len(w) && w[i] == '{' {
			return line[i:], true, false
		}
		n := loose(w[i:])
		if n > 0 {
			ok = true
		} else if n = s.wrapper(&h, w[i:], true); n == 0 {
			break
		}
		if i += n; i > brace {
			break // gh's columns may hold anything, a brace too
		}
	}
	return line, false, false
}

// shownBrace is where the first '{' of b is that is in no escape sequence, -1 if
// there is none so far.
func shownBrace(b []byte) int {
	i, brace := 0, bytes.IndexByte(b, '{')
	for brace >= 0 {
		esc := bytes.IndexByte(b[i:brace], 0x1b)
		if esc < 0 {
			return brace
		}
		i += esc
		n := clean.Skip(b[i:])
		if n < 0 {
			break
		}
		if i += max(n, 1); i > brace {
			if brace = bytes.IndexByte(b[i:], '{'); brace >= 0 {
				brace += i
			}
		}
	}
	return -1
}

// redrawn returns where the text behind the last CR before the first '{' begins,
// 0 when there is no CR, or when it does not look like a record.
func redrawn(b []byte, brace int) int {
	cr := bytes.LastIndexByte(b[:brace], '\r')
	if cr < 0 || len(b) == brace+1 || b[brace+1] != '"' {
		return 0
	}
	return cr + 1
}

// loose returns the length of the prefix that b starts with, 0 if with none.
func loose(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	if b[0] == '[' {
		// A branch of a parallel step, or a time in brackets.
		const maxBranch = 128
		if i := bytes.IndexByte(b[:min(len(b), maxBranch)], ']'); i > 1 && bytes.IndexAny(b[:i], "{\"") < 0 {
			return i + 1
		}
		return 0
	}
	// More stands in GitLab's header than the time that it begins with.
	if n := matchTime(b, gitlabTime, true); n > 0 {
		return n
	}
	if n := moment(b); n > 0 {
		return n
	}
	// compose pads the name to the length of the longest.
	n := 0
	for n < len(b) && dnsName(b[n]) {
		n++
	}
	if n == 0 {
		return 0
	}
	n += skipColoured(b[n:])
	if n < len(b) && b[n] == '|' {
		return n + 1
	}
	return 0
}

// skipColoured returns the length of the blanks and escape sequences that b
// starts with.
func skipColoured(b []byte) int {
	n := 0
	for n < len(b) {
		if b[n] == ' ' {
			n++
		} else if k := clean.Skip(b[n:]); k > 0 {
			n += k
		} else {
			break
		}
	}
	return n
}

// moment returns the length of the date, the time, or both that b starts with, 0
// if with none. A blank must follow, behind the end of a colour perhaps.
func moment(b []byte) int {
	n := digits(b, "0000-00-00")
	if n > 0 && n < len(b) && b[n] == 'T' {
		n++
	} else if n > 0 {
		return separated(b, n) // the time is a moment of its own
	}
	k := digits(b[n:], "00:00:00")
	if k == 0 {
		return 0
	}
	n += k
	if n < len(b) && (b[n] == '.' || b[n] == ',') {
		for n++; n < len(b) && '0' <= b[n] && b[n] <= '9'; n++ {
		}
	}
	switch {
	case n < len(b) && b[n] == 'Z':
		n++
	case n < len(b) && (b[n] == '+' || b[n] == '-'):
		k := digits(b[n+1:], "00:00")
		if k == 0 {
			k = digits(b[n+1:], "0000")
		}
		if k > 0 {
			n += 1 + k
		}
	}
	return separated(b, n)
}

func separated(b []byte, n int) int {
	if k := n + skipColoured(b[n:]); bytes.IndexByte(b[n:k], ' ') >= 0 {
		return n
	}
	return 0
}

// digits returns len(pattern) when b starts with it, '0' standing for any digit,
// else 0.
func digits(b []byte, pattern string) int {
	if len(b) < len(pattern) {
		return 0
	}
	for i := range len(pattern) {
		if p, c := pattern[i], b[i]; p == '0' && (c < '0' || c > '9') || p != '0' && c != p {
			return 0
		}
	}
	return len(pattern)
}
