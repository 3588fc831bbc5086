// Package wrap takes the wrappers of CI systems and log collectors off the lines
// of a log, so that what an agent wrote is read as it wrote it.
//
// A line goes through it in this order:
//
//   - a [Stripper] removes the prefixes that are unmistakable, those the caller
//     was told of, and GitLab's section marks;
//   - a [Joiner] puts together the lines that GitLab's runner has cut;
//   - a [Script] tells a GitHub step's own script from its output;
//   - [Stripper.Loose] uncovers a transcript record behind a prefix that looks
//     like text.
//
// A line is a physical line of the input without its LF. It still has its escape
// sequences and its CRs: GitLab's section marks hold a CR that ends no line.
package wrap

import (
	"bytes"
	"regexp"

	"tagscan/parse/clean"
)

// MaxHead is the number of bytes at the start of a line, NUL padding aside, that
// wrappers must lie in to be recognised. It bounds what is held of a line whose
// rest has not come. A job's name, a step's and two host names are far shorter.
const MaxHead = 4096

const (
	maxColumns = 512 // of gh's job and step columns, in all
	maxName    = 512 // of a kubectl prefix
	maxRegexp  = 512 // what a regular expression is shown
	maxRounds  = 32  // wrappers of one line
)

// Info says what was taken off a line.
type Info struct {
	GitHub bool // GitHub's timestamp
	GitLab bool // GitLab's header; the next two are set with it
	// Stream is the header's stream number, two hexadecimal digits, and 'O' for
	// standard output or 'E' for standard error.
	Stream [3]byte
	// Continued is set when the line continues the one before it of its stream.
	Continued bool
}

// A Stripper removes wrappers from the lines of one input, in order. The zero
// value is ready to use.
type Stripper struct {
	// Prefixes are prefixes to remove besides, each once a line at most. They see
	// at most 512 bytes, must match at the start of what is left of the line, and
	// may be told the line without its escape sequences. CompilePrefix makes
	// suitable ones.
	Prefixes []*regexp.Regexp

	columns []byte // gh's last columns, with their tabs
	buf     []byte // a line with section marks cut out
	rest    Sections
	text    []byte
	offsets []int
}

// MaxPrefixes is how many prefixes a Stripper can tell apart.
const MaxPrefixes = 64

// CompilePrefix compiles a regular expression that matches at the start of a line
// only. Its error is that of [regexp.Compile].
func CompilePrefix(expr string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(expr); err != nil {
		return nil, err
	}
	return regexp.Compile(`\A(?:` + expr + `)`)
}

// Strip removes the wrappers of a whole line and the section marks in it. The
// rest is part of line, or of a buffer that is valid until the next call.
//
// Indentation behind a wrapper stays, and so do escape sequences, but those that
// stand before another wrapper.
func (s *Stripper) Strip(line []byte) (rest []byte, info Info) {
	n, info := s.begin(line, true)
	rest = line[n:]
	// A mark holds a CR with an escape behind it, which hardly any line does.
	if i := bytes.IndexByte(rest, '\r'); i >= 0 && i+1 < len(rest) && bytes.Contains(rest[i:], sectionEnd) {
		s.buf = s.rest.EndLine(s.rest.Append(s.buf[:0], rest))
		rest = s.buf
	}
	return rest, info
}

// Head tells how many bytes at the start of a line are wrappers when only the
// beginning of the line is there. When more is set that is not certain yet: only
// the first n bytes, NUL padding, are. It is certain when MaxHead bytes and one
// are there besides the padding.
//
// When more is not set, Strip of the whole line would take off the same n bytes.
// Section marks behind them are the business of [Sections].
func (s *Stripper) Head(partial []byte) (n int, more bool) {
	h := s.head(partial, false)
	return h.n, h.more
}

// Begin is Strip for the beginning of a line for which Head needs no more: it
// returns the n that Head returned, and info.
func (s *Stripper) Begin(partial []byte) (n int, info Info) { return s.begin(partial, false) }

func (s *Stripper) begin(line []byte, whole bool) (int, Info) {
	// Nearly all lines have no wrapper but GitHub's.
	if len(s.Prefixes) == 0 {
		n := 0
		if len(s.columns) > 0 && bytes.HasPrefix(line, s.columns) {
			n = len(s.columns)
		}
		stamped := GitHub(line[n:])
		if stamped {
			n += githubLen
		}
		r := line[n:]
		if len(r) > 0 && r[0] == esc {
			r = r[max(0, clean.Skip(r)):]
		}
		if len(r) > 0 && class[r[0]] == 0 && bytes.IndexByte(r[:min(len(r), maxColumns)], '\t') < 0 {
			return n, Info{GitHub: stamped}
		}
	}
	h := s.head(line, whole)
	if h.columns != nil && !bytes.Equal(h.columns, s.columns) {
		s.columns = append(s.columns[:0], h.columns...)
	}
	return h.n, h.Info
}

// Columns reports whether lines with gh's columns and no timestamp are
// recognised, because some with one have come.
func (s *Stripper) Columns() bool { return len(s.columns) > 0 }

// A head is what is known of the start of a line.
type head struct {
	Info
	n       int
	more    bool
	columns []byte // gh's, when a timestamp stood behind them
	gh      bool   // they were taken off
	used    uint64 // which of Prefixes
}

func (s *Stripper) head(line []byte, whole bool) (h head) {
	pad := nuls(line)
	if pad == len(line) {
		return head{n: pad, more: !whole}
	}
	w := line[pad:]
	if len(w) > MaxHead {
		w, whole = w[:MaxHead], true
	}
	h.n = pad
	for range maxRounds {
		n := s.wrapper(&h, w[h.n-pad:], whole)
		if n < 0 {
			return head{n: pad, more: true}
		}
		if n == 0 {
			break
		}
		h.n += n
	}
	return h
}

// wrapper returns the length of the wrapper that b starts with, escape sequences
// before it included, 0 when it starts with none, and -1 when more of the line is
// needed to tell.
func (s *Stripper) wrapper(h *head, b []byte, whole bool) int {
	skip := 0
	if len(b) > 0 && b[0] == esc {
		skip = clean.Skip(b)
		if skip < 0 {
			if whole {
				return 0
			}
			return -1
		}
		b = b[skip:]
	}
	n := s.bare(h, b, whole)
	if n > 0 {
		n += skip
	}
	return n
}

func (s *Stripper) bare(h *head, b []byte, whole bool) int {
	if len(b) == 0 {
		if whole {
			return 0
		}
		return -1
	}
	if h.Continued {
		// What follows is the middle of a line. Only a second header, which
		// GitLab's API may put there, is none of it.
		return gitlab(h, b, whole)
	}
	n := 0
	switch class[b[0]] {
	case isDigit:
		if GitHub(b) {
			h.GitHub = true
			return githubLen
		}
		if n = timestamp(h, b, whole); n == 0 {
			n = s.coloured(h, b, whole)
		}
	case isBracket:
		if n = bracketed(b, whole); n == 0 {
			n = s.coloured(h, b, whole)
		}
	case isMark:
		n = literal(b, bom, whole)
	case isNUL:
		if n = nuls(b); n == len(b) && !whole {
			return -1 // one more would not be another wrapper
		}
	case isSection:
		n = section(b, whole)
	}
	if n != 0 {
		return n
	}
	if n = s.prefix(h, b, whole); n != 0 {
		return n
	}
	return s.ghColumns(h, b, whole)
}

const esc = 0x1B

const (
	isDigit = 1 + iota
	isBracket
	isMark
	isNUL
	isSection
	isEscape
)

// class tells by its first byte what a line may start with.
var class = [256]uint8{
	'0': isDigit, '1': isDigit, '2': isDigit, '3': isDigit, '4': isDigit,
	'5': isDigit, '6': isDigit, '7': isDigit, '8': isDigit, '9': isDigit,
	'[': isBracket, 0xEF: isMark, 0: isNUL, 's': isSection, esc: isEscape,
}

var bom = []byte("\xef\xbb\xbf")

func nuls(b []byte) int {
	n := 0
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

// literal is match for a plain string.
func literal(b, want []byte, whole bool) int {
	switch {
	case bytes.HasPrefix(b, want):
		return len(want)
	case !whole && len(b) < len(want) && bytes.HasPrefix(want, b):
		return -1
	}
	return 0
}

// ghColumns recognises what `gh run view --log` puts before each line: the job
// and the step, each with a tab behind it, then the line of the log. A line that
// is no first line of a message has no timestamp, and is recognised by the
// columns of the line before it.
func (s *Stripper) ghColumns(h *head, b []byte, whole bool) int {
	if h.gh {
		return 0 // once a line: what is behind them cannot know of them yet
	}
	if len(s.columns) > 0 {
		if n := literal(b, s.columns, whole); n != 0 {
			h.gh = n > 0
			return n
		}
	}
	w := b
	if len(w) > maxColumns {
		w = w[:maxColumns]
	}
	end, n := 0, 0
	for range 2 {
		i := bytes.IndexByte(w[end:], '\t')
		if i < 0 {
			if whole || len(w) == maxColumns || !columns(w) {
				return 0
			}
			return -1
		}
		end += i + 1
	}
	if !columns(b[:end]) {
		return 0
	}
	if n = literal(b[end:], bom, whole); n < 0 {
		return -1
	}
	if n = s.stamp(b[end+n:], whole); n <= 0 {
		return n
	}
	h.columns, h.gh = b[:end], true
	return end
}

// stamp says, as matchTime does, whether b starts with GitHub's timestamp, which
// escape sequences may stand before and in.
func (s *Stripper) stamp(b []byte, whole bool) int {
	n := matchTime(b, githubTime, whole)
	if n != 0 {
		return n
	}
	if len(b) > maxRegexp {
		b, whole = b[:maxRegexp], true
	}
	if i := bytes.IndexByte(b, esc); i < 0 || matchTime(b[:i], githubTime, false) >= 0 {
		return 0
	}
	text, whole := s.plain(b, whole)
	return matchTime(text, githubTime, whole)
}

// columns reports whether b may be the names of a job and a step. They may hold
// a '<', but not what looks like a tag: so it is certain, as soon
// as a tag has been read, that it does not stand in a column.
func columns(b []byte) bool {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c < ' ' && c != '\t':
			return false
		case c == '<':
			j := i + 1
			if j < len(b) && b[j] == '/' {
				j++ // the close of a tag that was opened on a line before
			}
			for j < len(b) && ('a' <= b[j] && b[j] <= 'z' || '0' <= b[j] && b[j] <= '9' || b[j] == '_' || b[j] == '-') {
				j++
			}
			if j > i+1 && j < len(b) && (b[j] == ':' || b[j] == '>') {
				return false
			}
			i = j - 1
		}
	}
	return true
}

// coloured recognises a time stamp or a kubectl prefix that escape sequences stand
// in: its colour may end before its blank. Those in it go with it.
func (s *Stripper) coloured(h *head, b []byte, whole bool) int {
	if len(b) > maxRegexp {
		b, whole = b[:maxRegexp], true
	}
	fixed := bracketed
	if class[b[0]] == isDigit {
		fixed = func(b []byte, whole bool) int { return timestamp(h, b, whole) }
	}
	// What stands before the first of them tells nearly always that it is none.
	i := bytes.IndexByte(b, esc)
	if i < 0 || fixed(b[:i], false) >= 0 {
		return 0
	}
	n := fixed(s.plain(b, whole))
	if n > 0 {
		n = s.offsets[n-1] + 1
	}
	return n
}

// bracketed recognises what starts with a bracket.
func bracketed(b []byte, whole bool) int {
	n := match(b, jenkinsTime, whole)
	if n == 0 {
		n = kubectl(b, whole)
	}
	return n
}

// kubectl recognises the prefix of `kubectl logs --prefix`: [pod/NAME/CONTAINER],
// both names of DNS.
func kubectl(b []byte, whole bool) int {
	n := literal(b, []byte("[pod/"), whole)
	if n <= 0 {
		return n
	}
	for _, end := range []byte("/]") {
		start := n
		for n < len(b) && dnsName(b[n]) {
			n++
		}
		switch {
		case n >= maxName:
			return 0
		case n == len(b):
			if whole {
				return 0
			}
			return -1
		case n == start || b[n] != end:
			return 0
		}
		n++
	}
	return blank(b, n, whole)
}

func dnsName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_'
}

// blank returns n and one when b has a blank at n; as tools trim trailing blanks,
// the end of the line does as well.
func blank(b []byte, n int, whole bool) int {
	switch {
	case n < len(b) && b[n] == ' ':
		return n + 1
	case n == len(b) || n == len(b)-1 && b[n] == '\r':
		if whole {
			return n
		}
		return -1
	}
	return 0
}
