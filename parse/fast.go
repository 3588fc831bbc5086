package parse

import (
	"bytes"

	"tagscan/parse/transcript"
	"tagscan/parse/wrap"
)

// A pace is how lines are passed over in the state that the text is in.
type pace uint8

const (
	paceEach  pace = iota // not at all: the document looks at each
	pacePlain             // at top level: nothing is open but a paragraph
	paceFence             // in the body of a fence at top level
	paceFresh             // in one of which nothing has come yet but blank lines
)

// passStop is what keeps a line from being passed over in a pace.
var passStop = [...]byte{
	pacePlain: classLong | classPlain | classTag,
	paceFence: classLong | classFence | classTag,
	// One line is enough for it, if there is something in it.
	paceFresh: classLong | classFence | classTag | classPlain | classEmpty,
}

// pace says how the next lines can be passed over.
func (d *document) pace() pace {
	switch {
	case d.tag.on, d.st.on, d.st.pending:
	case d.blk.Plain():
		return pacePlain
	default:
		if _, ok := d.blk.InTopFence(); !ok {
			break
		}
		if d.st.fenceFresh {
			return paceFresh
		}
		return paceFence
	}
	return paceEach
}

// wrapped says whether every line must be looked at for what may be around it.
func (s *Scanner) wrapped() bool {
	return s.opening || s.laid != nil || s.joiner != nil || s.stepOpen || s.loose || len(s.o.Prefixes) > 0 || s.strip.Columns() ||
		s.dec != nil && (s.dec.Holding() || s.dec.Events())
}

// lines takes what stands in lines. x is its Index.
func (s *Scanner) lines(b []byte, x *Index) {
	start, i := 0, 0
	if s.mode != lineNone && len(x.ends) > 0 {
		s.fragment(b[:x.ends[0]])
		s.endLine()
		start, i = int(x.ends[0])+1, 1
	}
	d := s.text.d
	p := d.pace()
	wrapped := s.wrapped() // every line goes the long way
	k, l := 0, 0           // the next outline, the next lone tag
	for ; i < len(x.ends); i++ {
		if p == paceFresh && !wrapped && x.class[i]&passStop[p] == 0 {
			d.blk.Body()
			d.st.fenceFresh = false
			p = paceFence
		}
		if !wrapped && (p == pacePlain || p == paceFence) {
			if n := passed(x.class[i:], passStop[p]); n > 0 {
				s.line += n
				i += n
				start = int(x.ends[i-1]) + 1
				if p == pacePlain {
					if d.blk.Text(); x.class[i-1]&classEmpty != 0 {
						d.blk.Gap()
					}
				}
				if i == len(x.ends) {
					break
				}
			}
		}
		first, end, class := start, int(x.ends[i]), x.class[i]
		start = end + 1
		s.line++
		if wrapped || class&classLong != 0 {
			for k < len(x.outlined) && int(x.outlined[k]) < i {
				k++
			}
			if wrapped || !s.outlined(b[first:end], x, i, k) {
				s.whole(b[first:end])
			}
			wrapped = s.wrapped()
			p = d.pace()
			continue
		}
		if class&classStamp != 0 {
			first += wrap.GitHubStampLen
		}
		if class&classCR != 0 {
			end--
		}
		line := b[first:end]
		d.pos.Line = s.line
		var only *lone
		if class&classTag != 0 {
			for l < len(x.lones) && x.lones[l].line < i {
				l++
			}
			if l < len(x.lones) && x.lones[l].line == i {
				t := x.lones[l]
				t.at -= first
				only = &t
			}
		}
		if x.escapes && bytes.IndexByte(line, 0x1b) >= 0 {
			s.text.clean(line)
		} else if p == paceFence && class&classFence == 0 {
			d.plain(line, true, only)
		} else if p == pacePlain && (class&classPlain == 0 || line[0] == '<' && d.g.notHTML(line)) {
			d.blk.Text()
			d.plain(line, false, only)
		} else {
			d.whole(line, class&classTag != 0, class&classFence != 0, only)
		}
		p = d.pace()
	}
	if start < len(b) {
		s.fragment(b[start:])
	}
}

// outlined reads line n of x if it has outline k, and says whether that was all
// there is to do.
func (s *Scanner) outlined(b []byte, x *Index, n, k int) bool {
	return k < len(x.outlined) && int(x.outlined[k]) == n && s.dec.Seen() &&
		s.dec.Outlined(b, s.line, &x.outlines, k) == transcript.Known
}
