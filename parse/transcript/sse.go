package transcript

import (
	"bytes"

	"tagscan/parse/jsonrec"
)

// sse reads server-sent events: records behind "data:".
type sse struct {
	seen  bool // one of them was a known record
	check jsonrec.Scanner
	lines []sseLine // data lines whose JSON is not complete
	size  int
}

type sseLine struct {
	b []byte // the whole line
	n int
}

var dataField = []byte("data:")

// IsSSE reports whether a line has the form of a line of server-sent events, and
// is to be given to SSE. Once there was an event, a comment and the other fields
// are such lines too.
func (d *Decoder) IsSSE(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	switch line[0] {
	case 'd':
		return bytes.HasPrefix(line, dataField)
	case 'e', 'i', 'r', ':':
		return d.sse.seen && sseOther(line)
	}
	return false
}

func sseOther(line []byte) bool {
	return line[0] == ':' || hasPrefix(line, "event:") || hasPrefix(line, "id:") || hasPrefix(line, "retry:")
}

// Holding reports whether data lines are held whose JSON may go on in the next
// one. While it does, every line must be given to SSE.
func (d *Decoder) Holding() bool { return len(d.sse.lines) > 0 }

// SSE reads one line for which IsSSE is true, or any line while Holding is. Data
// lines that follow each other are one record, their payloads joined by line
// ends; one that is complete is read at once. Lines that were held in vain are
// given back by Sink.Line before SSE returns.
func (d *Decoder) SSE(line []byte, n int) Verdict {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if !bytes.HasPrefix(line, dataField) {
		if d.sse.seen && len(line) > 0 && sseOther(line) {
			return Known // within an event its fields come in any order
		}
		held := d.Holding()
		d.flushSSE()
		switch v := jsonrec.Trim(line); {
		case v.IsObject(), v.IsArray():
			return d.Record(line, n)
		case len(line) == 0 && held && d.sse.seen:
			return Known
		}
		return Text
	}
	payload := line[len(dataField):]
	if len(payload) > 0 && payload[0] == ' ' {
		payload = payload[1:]
	}
	v := jsonrec.Trim(payload)
	if d.sse.seen && string(v) == "[DONE]" {
		d.flushSSE()
		return Known
	}
	s := &d.sse
	if !d.Holding() {
		if !v.IsObject() && !v.IsArray() {
			return Text
		}
		s.check.Reset()
	} else if _, st := s.check.Write([]byte{'\n'}); st == jsonrec.Bad {
		d.flushSSE()
		return d.SSE(line, n)
	}
	m, st := s.check.Write(payload)
	switch {
	case st == jsonrec.Bad && d.Holding():
		d.flushSSE()
		return d.SSE(line, n)
	case st == jsonrec.Bad:
		return d.invalidAs(v)
	case st == jsonrec.More && d.Holding() && d.knows(v):
		// A record of its own, behind one that was cut off.
		d.flushSSE()
		return d.SSE(line, n)
	case st == jsonrec.More && s.size+len(line)+heldCost <= d.maxHeld():
		s.lines = append(s.lines, sseLine{bytes.Clone(line), n})
		s.size += len(line) + heldCost
		return Known
	case st == jsonrec.More || len(jsonrec.Trim(payload[m:])) > 0:
		if d.Holding() {
			d.flushSSE()
		}
		return d.invalidAs(v)
	}
	if !d.Holding() {
		return d.payload(payload, n)
	}
	// The record is at its first line.
	b := make([]byte, 0, s.size+len(payload))
	for _, l := range s.lines {
		b = append(append(b, bytes.TrimPrefix(l.b[len(dataField):], []byte{' '})...), '\n')
	}
	first := s.lines[0].n
	b = append(b, payload...)
	lines := s.lines
	s.lines, s.size = nil, 0
	verdict := d.payload(b, first)
	if verdict != Known {
		for _, l := range lines {
			d.s.Line(l.b, l.n, verdict)
		}
	}
	return verdict
}

// knows reports whether v is a record of a known format.
func (d *Decoder) knows(v jsonrec.Value) bool {
	r := &d.rec
	return v.IsObject() && r.read(v, 0) && d.find(r) != nil && r.ok()
}

func (d *Decoder) payload(b []byte, n int) Verdict {
	v := d.Record(b, n)
	if v == Known {
		d.sse.seen = true
	}
	return v
}

// invalidAs is the verdict on a payload that is not valid JSON.
func (d *Decoder) invalidAs(v jsonrec.Value) Verdict {
	if v.IsObject() && d.sse.seen {
		return Invalid
	}
	return Text
}

// flushSSE gives up on what is held: it is text, or once a record has been seen
// a record that was cut off.
func (d *Decoder) flushSSE() {
	lines := d.sse.lines
	d.sse.lines, d.sse.size = nil, 0
	for _, l := range lines {
		if d.sse.seen {
			d.s.Line(l.b, l.n, Invalid)
		} else {
			d.s.Line(l.b, l.n, Text)
		}
	}
}
