package emit

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tagscan/parse"
)

// A Skip is what was skipped, tag, block or record, and why.
type Skip struct{ What, Reason string }

// Skips counts what was skipped. Both parts of its keys are out of closed
// registries, so it is small whatever the input.
type Skips map[Skip]int64

// Stats are the counters that --stats prints at the end.
type Stats struct {
	Bytes   int64         // of input
	Elapsed time.Duration // wall time; 0 leaves the speed out
	Lines   int64         // of input, counted by LF
	Records int64         // transcript records that were decoded

	Tags      int64 // tag events, repeats not among them
	Blocks    int64 // status events
	Artifacts int64 // artifact events
	Repeats   int64 // re-emissions of tags, shown or not
	Skipped   Skips
}

// Events is how many events there were; skipped ones are none.
func (s *Stats) Events() int64 { return s.Tags + s.Blocks + s.Artifacts }

// WriteTo prints s as one line a counter, names and numbers aligned. What was
// skipped follows by reason, the most frequent first; a reason that never came
// up is left out.
func (s *Stats) WriteTo(w io.Writer) (int64, error) {
	type row struct{ name, number, note string }
	count := func(name string, n int64) row { return row{name, strconv.FormatInt(n, 10), ""} }
	rows := []row{{"bytes", strconv.FormatInt(s.Bytes, 10), size(float64(s.Bytes))}}
	if s.Elapsed > 0 {
		rate := float64(s.Bytes) / s.Elapsed.Seconds()
		rows = append(rows, row{"bytes/s", strconv.FormatFloat(rate, 'f', 0, 64), size(rate) + "/s for " + duration(s.Elapsed)})
	}
	rows = append(rows,
		count("lines", s.Lines), count("records", s.Records),
		count("tags", s.Tags), count("blocks", s.Blocks), count("artifacts", s.Artifacts), count("repeats", s.Repeats))

	total := int64(0)
	reasons := map[string]int64{}
	for skip, n := range s.Skipped {
		total += n
		reasons[skip.Reason] += n
	}
	rows = append(rows, count("skipped", total))
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	}) {
		if reasons[reason] > 0 {
			rows = append(rows, count("  "+reason, reasons[reason]))
		}
	}

	names, numbers := 0, 0
	for _, r := range rows {
		names, numbers = max(names, len(r.name)), max(numbers, len(r.number))
	}
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s  %*s", names, r.name, numbers, r.number)
		if r.note != "" {
			b.WriteString("  " + r.note)
		}
		b.WriteByte('\n')
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// size is n bytes for people, in powers of 1000; "" below one kilobyte, where
// the number itself says it.
func size(n float64) string {
	unit := ""
	for _, unit = range []string{"", "kB", "MB", "GB", "TB", "PB"} {
		if n < 999.95 || unit == "PB" {
			break
		}
		n /= 1000
	}
	if unit == "" {
		return strconv.FormatFloat(n, 'f', 0, 64) + " B"
	}
	return strconv.FormatFloat(n, 'f', 1, 64) + " " + unit
}

// duration is d in three or so digits.
func duration(d time.Duration) string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// Hints are how hints end: what a person can do to see what was skipped.
type Hints struct {
	InCode string // and may be shown with --code=emit
	Other  string
}

// ScanHints are those of a scan, EventHints of a command that makes a scan.
var (
	ScanHints  = &Hints{"try --code=emit or --skipped", "try --skipped"}
	EventHints = &Hints{"try --code=emit, or see tagscan --skipped", "see tagscan --skipped"}
)

// Fence is the hint for a top-level code fence that was opened at line and
// never closed, and hid hidden signals.
func (h *Hints) Fence(line int, hidden int64) string {
	return fmt.Sprintf("line %d: a code fence opened here is never closed and hid %s; %s",
		line, Plural(hidden, "signal"), h.InCode)
}

// Skipped is the hint for a run in which nothing came out and something was
// skipped: what, and how to see it. It is "" when nothing was skipped.
func (h *Hints) Skipped(s Skips) string {
	var fences, spans, others counts
	for skip, n := range s {
		switch {
		case n <= 0:
		case skip.Reason == parse.ReasonFenced:
			fences.add(skip.What, n)
		case skip.Reason == parse.ReasonCodeSpan:
			spans.add(skip.What, n)
		default:
			others.add(skip.What, n)
			others.reasons = append(others.reasons, skip.Reason)
		}
	}
	var said []string
	for _, c := range []struct {
		counts
		one, many string
	}{
		{fences, " was inside a code fence", " were inside code fences"},
		{spans, " was inside a code span", " were inside code spans"},
		{others, " was skipped", " were skipped"},
	} {
		if c.total == 0 {
			continue
		}
		text := c.String()
		if c.total == 1 {
			text += c.one
		} else {
			text += c.many
		}
		if len(c.reasons) > 0 {
			slices.Sort(c.reasons)
			text += " (" + strings.Join(slices.Compact(c.reasons), ", ") + ")"
		}
		said = append(said, text)
	}
	if len(said) == 0 {
		return ""
	}
	try := h.Other
	if fences.total+spans.total > 0 {
		try = h.InCode
	}
	return strings.Join(said, ", ") + "; " + try
}

// counts is what was skipped for one kind of reason.
type counts struct {
	total   int64
	kinds   map[string]int64
	reasons []string
}

func (c *counts) add(what string, n int64) {
	if c.kinds == nil {
		c.kinds = map[string]int64{}
	}
	c.kinds[what] += n
	c.total += n
}

// String is "3 tags" or "3 tags and 1 block".
func (c counts) String() string {
	var said []string
	for _, what := range []string{"tag", "block", "record"} {
		if n := c.kinds[what]; n > 0 {
			said = append(said, Plural(n, what))
		}
	}
	return strings.Join(said, " and ")
}

// Plural is a number of things in words: 1 tag, 2 tags.
func Plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}
