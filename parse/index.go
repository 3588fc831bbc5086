package parse

import "bytes"

// An Index is what can be found out about a chunk of input before its turn
// comes: where its lines end, and which of them may hold what the scanner looks
// for. Another goroutine can make it while the chunk before is scanned.
type Index struct {
	lead  *[256]bool
	ends  []int32 // the offset of each \n
	tags  []int32 // the offset of each '<' with what may be a name behind it
	cr    bool    // there is a \r
	stamp bool    // a line may have the columns of `gh run view --log`
	pipe  bool    // a line may have the prefix NAME | before a record
	json  bool    // every line begins with '{': the rest is not known
}

// Index returns an Index for chunks that are written to s.
func (s *Scanner) Index() *Index { return &Index{lead: &s.text.d.g.lead} }

// Make makes x the Index of b, which holds less than 2 GiB.
func (x *Index) Make(b []byte) {
	x.ends, x.tags = x.ends[:0], x.tags[:0]
	x.cr, x.stamp, x.pipe, x.json = false, false, false, true
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			break
		}
		i += n
		x.ends = append(x.ends, int32(i))
		if i++; i < len(b) && b[i] != '{' {
			x.json = false
		}
	}
	if x.json {
		return
	}
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '<')
		if n < 0 {
			break
		}
		i += n + 1
		// The next chunk may begin with a name, and an escape sequence may
		// stand in front of one.
		if i == len(b) || x.lead[b[i]] || b[i] == 0x1b {
			x.tags = append(x.tags, int32(i-1))
		}
	}
	x.cr = bytes.IndexByte(b, '\r') >= 0
	for i := 0; !x.stamp; i++ {
		n := bytes.IndexByte(b[i:], '\t')
		if n < 0 {
			break
		}
		i += n
		// Behind the second tab a timestamp begins, or its byte order mark.
		r := b[i+1:]
		x.stamp = len(r) == 0 || r[0] == 0xef || isDigit(r[0]) && (len(r) < 5 || mayBeDate(r))
	}
	for rest := b; !x.pipe; {
		n := bytes.IndexByte(rest, '|')
		if n < 0 {
			break
		}
		rest = rest[n+1:]
		// Of a line only the first '|' is asked: a long one may hold many.
		line := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line = rest[:end]
		}
		x.pipe = bytes.IndexByte(line, '{') >= 0
		rest = rest[len(line):]
	}
}

// mayBeDate says whether b may begin with the date of a wrapper's timestamp.
func mayBeDate(b []byte) bool { return len(b) > 4 && b[4] == '-' }
