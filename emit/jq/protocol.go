package jq

import (
	"encoding/binary"
	"encoding/json"
)

// The parent writes frames: a length of four bytes, little-endian, a byte of
// flags, and as many bytes. The first frame is a job in JSON, each later one
// some whole lines. The worker writes records: a byte, and what the list says.
const (
	recReady   = 'K' // the job is loaded
	recRefused = 'E' // text: loadError in JSON
	recMemory  = 'M' // number: the rule that needs too much memory; the worker ends
	recStart   = 'r' // number: the rule that is evaluated next (careful frames only)

	recRoute   = 'k' // the event of the next record has a route key
	recSubject = 's' // text: what the event of the next record is about
	recOutput  = 'o' // text: output of the line in work

	// These end a line.
	recBlank   = 'e'
	recBad     = 'b' // no JSON object
	recMatch   = 'm' // number: the rule
	recNoMatch = 'n'
	recFault   = 'f' // number: the rule; a letter of causes; text: the message
	recDone    = 'd' // filter: no more output
)

const frameHead = 5

// flagCareful asks to write every record at once, so that it is known where
// the worker was when it ended.
const flagCareful = 1

// causes maps a letter to a cause.
var causes = map[byte]string{'e': CauseError, 't': CauseTimeout, 'b': CauseBudget}

// A job is what a worker evaluates.
type job struct {
	Exprs    []string
	Subject  []bool          // send the subject when this rule, or none (last), decides
	Params   json.RawMessage // the value of $params, an object
	Verified bool
	Filter   bool // one expression whose output is wanted
}

type loadError struct {
	Rule, Offset int
	Msg          string
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func putFrameHead(b []byte, n int, flags byte) {
	binary.LittleEndian.PutUint32(b, uint32(n))
	b[4] = flags
}
