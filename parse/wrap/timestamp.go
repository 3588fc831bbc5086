package wrap

import (
	"encoding/binary"

	"tagscan/parse/masks"
)

// The patterns of timestamps: '0' stands for a digit, 'x' for a hexadecimal one,
// 'S' for O or E, '~' for plus or minus; all else for itself. Behind each comes a
// blank, which is no part of it, or the line's end.
const (
	// GitHub: DateTime.ToString("O"), always seven digits.
	githubTime = "0000-00-00T00:00:00.0000000Z"
	// GitLab: stream and type behind the time, then '+' for a continuation.
	gitlabTime = "0000-00-00T00:00:00.000000Z xxS"
	// docker logs -t and the Kubernetes container runtime: RFC3339NanoFixed.
	dockerTime  = "0000-00-00T00:00:00.000000000Z"
	dockerLocal = "0000-00-00T00:00:00.000000000~00:00"
	// Jenkins' Timestamper, of pipelines.
	jenkinsTime = "[0000-00-00T00:00:00.000Z]"
)

const githubLen = len(githubTime) + 1

// GitHub reports whether a line starts with GitHub's timestamp and a blank. It is the
// one check that runs on nearly every line of the longest logs, so it looks at
// eight bytes at a time. Strip may take more off the line.
func GitHub(b []byte) bool {
	if len(b) < githubLen {
		return false
	}
	return common(b) && fractionWord.fits(b[githubLen-8:])
}

// common reports whether b starts with what all timestamps but Jenkins' have in
// common: date, time and four digits of a fraction.
func common(b []byte) bool {
	return len(b) >= commonLen && dateWord.fits(b) && hourWord.fits(b[8:]) && secondWord.fits(b[16:])
}

const commonLen = 24

var (
	dateWord     = newWord("0000-00-")
	hourWord     = newWord("00T00:00")
	secondWord   = newWord(":00.0000")
	fractionWord = newWord("000000Z ")
)

// A word is a pattern of eight bytes, '0' standing for a digit.
type word struct{ digits, rest uint64 }

func newWord(pattern string) (w word) {
	for i := range 8 {
		if pattern[i] == '0' {
			w.digits |= 0xFF << (8 * i)
		} else {
			w.rest |= uint64(pattern[i]) << (8 * i)
		}
	}
	return w
}

// fits reports whether the first eight bytes of b fit the pattern: those outside
// of it are equal, and the digits have 3 as their high half both as they are and
// with 6 added, which 9 is the last to bear.
func (w *word) fits(b []byte) bool {
	const high, three, six = 0xF0F0F0F0F0F0F0F0, 0x3030303030303030, 0x0606060606060606
	x := binary.LittleEndian.Uint64(b)
	d := x & w.digits
	return x&^w.digits == w.rest && d&high == w.digits&three && (d+w.digits&six)&high == w.digits&three
}

// match returns the length of what b starts with, a timestamp of the pattern and
// the blank behind it, 0 when it starts with none, and -1 when more of the line is
// needed to tell.
func match(b []byte, pattern string, whole bool) int {
	for i := range len(pattern) {
		if i == len(b) {
			if whole {
				return 0
			}
			return -1
		}
		c, ok := b[i], false
		switch p := pattern[i]; p {
		case '0':
			ok = '0' <= c && c <= '9'
		case 'x':
			ok = '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		case 'S':
			ok = c == 'O' || c == 'E'
		case '~':
			ok = c == '+' || c == '-'
		default:
			ok = c == p
		}
		if !ok {
			return 0
		}
	}
	return blank(b, len(pattern), whole)
}

// matchTime is match for a pattern that starts as common has it.
func matchTime(b []byte, pattern string, whole bool) int {
	if len(b) < commonLen {
		return match(b, pattern, whole)
	}
	if !common(b) {
		return 0
	}
	n := match(b[commonLen:], pattern[commonLen:], whole)
	if n > 0 {
		n += commonLen
	}
	return n
}

// timestamp recognises the unmistakable timestamps of a line that starts with a
// digit.
func timestamp(h *head, b []byte, whole bool) int {
	if len(b) >= commonLen && !common(b) {
		return 0
	}
	n := matchTime(b, githubTime, whole)
	if n > 0 {
		h.GitHub = true
	}
	if n == 0 {
		n = gitlab(h, b, whole)
	}
	if n == 0 {
		n = matchTime(b, dockerTime, whole)
	}
	if n == 0 {
		n = matchTime(b, dockerLocal, whole)
	}
	return n
}

// gitlab recognises the header of GitLab's runner, of 32 bytes. Of two headers on
// one line the second rules, unless the first has started a line of its stream.
func gitlab(h *head, b []byte, whole bool) int {
	continued := false
	n := matchTime(b, gitlabTime, whole)
	if k := len(gitlabTime); n == 0 && len(b) > k && b[k] == '+' && matchTime(b[:k], gitlabTime, true) == k {
		n, continued = k+1, true
	}
	if n > 0 {
		stream := [3]byte(b[28:31])
		started := h.GitLab && h.Stream == stream && !h.Continued
		h.GitLab, h.Stream, h.Continued = true, stream, continued && !started
	}
	return n
}

// GitHubStampLen is the length of GitHub's timestamp with the blank behind it, in
// bytes.
const GitHubStampLen = githubLen

// GitHubStamp is what GitHub's timestamp looks like, with the blank behind it.
var GitHubStamp = masks.NewPattern(githubTime + " ")
