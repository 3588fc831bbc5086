package block

import "bytes"

// longestEnd is the length of </textarea>, the longest end condition.
const longestEnd = 11

// A Rest is what LongLine needs to know of the part of a line that the caller
// does not hold. The zero Rest is of an empty one; it takes no more memory
// for more of it.
type Rest struct {
	n    int                  // bytes so far
	lead [longestEnd - 1]byte // the first of them
	last [longestEnd - 1]byte // the last of them, at its end
	ends uint8                // bit i: meets the end condition i of an HTML block

	nonblank bool // anything but blanks
	text     bool // anything but blanks, VT and FF

	run     int  // how often the first byte comes in a row
	inRun   bool // nothing but the first byte so far
	runOnly bool // nothing but blanks behind the run

	only      byte // the first byte that is not blank
	onlyCount int  // how often it comes
	mixed     bool // another one that is not blank comes too

	tick      bool // a backtick behind the run, and no line separator before it
	separator bool // a line separator, and no such backtick before it
}

// Add tells of the bytes that follow on those added before.
func (r *Rest) Add(b []byte) {
	if len(b) == 0 {
		return
	}
	if r.n == 0 {
		r.inRun, r.runOnly = true, true
	}
	r.classify(b)

	// What spans the last call and this one.
	var joined [2 * (longestEnd - 1)]byte
	k := min(r.n, len(r.last))
	m := copy(joined[:], r.last[len(r.last)-k:])
	m += copy(joined[m:], b[:min(len(b), longestEnd-1)])
	if !r.tick && !r.separator {
		r.info(b, joined[max(0, k-2):min(m, k+2)])
	}
	for i := k; i < m; i++ {
		if joined[i] == '>' {
			r.ends |= htmlEndsAt(joined[:i+1])
		}
	}
	for i := longestEnd - 1; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '>')
		if n < 0 {
			break
		}
		i += n
		r.ends |= htmlEndsAt(b[:i+1])
	}

	if r.n < len(r.lead) {
		copy(r.lead[r.n:], b)
	}
	if len(b) >= len(r.last) {
		copy(r.last[:], b[len(b)-len(r.last):])
	} else {
		copy(r.last[:], r.last[len(b):])
		copy(r.last[len(r.last)-len(b):], b)
	}
	r.n += len(b)
}

// classify sees what a thematic break, a setext underline, a closing fence or
// an empty list item would be made of, as long as the line may be one.
func (r *Rest) classify(b []byte) {
	for i, x := range b {
		if r.mixed && r.text {
			return
		}
		if r.inRun {
			if r.n+i == 0 || x == r.lead[0] {
				if r.n+i == 0 {
					r.lead[0] = x
				}
				r.run++
			} else {
				r.inRun = false
			}
		}
		if isBlank(x) {
			continue
		}
		r.runOnly = r.runOnly && r.inRun
		r.text = r.text || x != '\v' && x != '\f'
		if !r.nonblank {
			r.nonblank, r.only = true, x
		}
		if x == r.only {
			r.onlyCount++
		} else {
			r.mixed = true
		}
	}
}

// info looks for a backtick behind the run, and for a line separator; seam is
// where the last call and this one meet.
func (r *Rest) info(b, seam []byte) {
	if indexSeparator(seam) >= 0 {
		r.separator = true
		return
	}
	if r.lead[0] == '`' && r.run > r.n {
		b = b[r.run-r.n:]
	}
	tick := bytes.IndexByte(b, '`')
	if tick >= 0 {
		b = b[:tick]
	}
	r.separator = indexSeparator(b) >= 0
	r.tick = !r.separator && tick >= 0
}

// splitsSeparator reports whether a line separator begins in head and ends in
// the rest.
func (r *Rest) splitsSeparator(head []byte) bool {
	var seam [4]byte
	m := copy(seam[:], head[max(0, len(head)-2):])
	m += copy(seam[m:], r.lead[:min(r.n, 2)])
	return indexSeparator(seam[:m]) >= 0
}
