package normalize

import "strings"

// parseList reads a list: "[a, b]", "a, b", or one "- item" a line. Quotes and
// nested brackets protect commas; one that does not close on its line protects
// nothing. A line end always ends an item, but within the items of a dash list,
// which are whole lines and may be wrapped. The words for nothing are the empty
// list, which is never nil.
func parseList(v string) []string {
	list := []string{}
	v = trimBlanks(v)
	if isNull(v) {
		return list
	}
	if inner, ok := unbracket(v); ok {
		v = inner
	}
	var wrapped []string // the lines of the item of a dash list that is open
	flush := func() {
		if len(wrapped) > 0 {
			list = append(list, trimBlanks(strings.Join(wrapped, " ")))
			wrapped = wrapped[:0]
		}
	}
	for line := range strings.SplitSeq(v, "\n") {
		line = trimBlanks(line)
		item, isItem := dashItem(line)
		switch {
		case line == "":
			flush()
		case isItem:
			flush()
			wrapped = append(wrapped, item)
		case len(wrapped) > 0:
			wrapped = append(wrapped, line)
		default:
			list = appendItems(list, line)
		}
	}
	flush()
	kept := list[:0]
	for _, item := range list {
		if item = unquote(item); item != "" {
			kept = append(kept, item)
		}
	}
	if len(kept) == 1 && isNull(kept[0]) {
		kept = kept[:0]
	}
	return kept
}

// dashItem takes the marker off a line of a dash list.
func dashItem(line string) (item string, ok bool) {
	if line == "" || strings.IndexByte("-*+", line[0]) < 0 || len(line) > 1 && !isBlank(line[1]) {
		return "", false
	}
	return trimBlanks(line[1:]), true
}

// unbracket takes off the brackets that enclose the whole list. On one line
// they are a pair as any other; over several, what opens the first line closes
// at the end of the last.
func unbracket(v string) (inner string, ok bool) {
	if len(v) < 2 || v[0] != '[' || v[len(v)-1] != ']' {
		return v, false
	}
	nl := strings.IndexByte(v, '\n')
	if nl < 0 {
		if matchPairs(v)[0] != len(v)-1 {
			return v, false
		}
	} else if matchPairs(v[:nl])[0] >= 0 {
		return v, false
	}
	return v[1 : len(v)-1], true
}

// appendItems appends the comma-separated items of one line.
func appendItems(list []string, line string) []string {
	if strings.IndexByte(line, ',') < 0 {
		return append(list, line)
	}
	match := matchPairs(line)
	from := 0
	for i := 0; i < len(line); i++ {
		if match[i] >= 0 {
			i = match[i]
		} else if line[i] == ',' {
			list = append(list, trimBlanks(line[from:i]))
			from = i + 1
		}
	}
	return append(list, trimBlanks(line[from:]))
}

// unquote drops the quotes that enclose the whole of s.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && (s[0] == '"' || s[0] == '\'') && closingQuote(s, 0) == n-1 {
		return trimBlanks(s[1 : n-1])
	}
	return s
}

// matchPairs gives for each byte of a line that opens a quote or bracket the
// index of the one that closes it, and -1 for every other. It takes linear
// time: a quote that has no close has none further on either.
func matchPairs(line string) []int {
	match := make([]int, len(line))
	for i := range match {
		match[i] = -1
	}
	var stack []int
	var open [3]int      // how many of each bracket are on the stack
	var noClose [2]bool  // no closing " or ' from here on
	const opens = "([{"  // at the index of its close in
	const closes = ")]}" // this
	for i := 0; i < len(line); i++ {
		c := line[i]
		if q := strings.IndexByte(`"'`, c); q >= 0 {
			if noClose[q] || !opensQuote(line, i) {
				continue
			}
			end := closingQuote(line, i)
			if end < 0 {
				noClose[q] = true
				continue
			}
			match[i] = end
			i = end
		} else if b := strings.IndexByte(opens, c); b >= 0 {
			stack = append(stack, i)
			open[b]++
		} else if b := strings.IndexByte(closes, c); b >= 0 && open[b] > 0 {
			// What was opened since and not closed is no pair.
			for {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				t := strings.IndexByte(opens, line[top])
				open[t]--
				if t == b {
					match[top] = i
					break
				}
			}
		}
	}
	return match
}

// opensQuote tells whether the quote at i can open: not the apostrophe in
// "don't" or "users'".
func opensQuote(s string, i int) bool {
	return s[i] == '"' || i == 0 || !isWord(s[i-1])
}

// closingQuote is the index of the quote that closes the one at i,
// or -1. A backslash escapes a double quote; an apostrophe within a word closes
// nothing.
func closingQuote(s string, i int) int {
	q := s[i]
	for j := i + 1; j < len(s); j++ {
		switch {
		case q == '"' && s[j] == '\\':
			j++
		case s[j] == q && (q == '"' || j+1 == len(s) || !isWord(s[j+1])):
			return j
		}
	}
	return -1
}

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c >= 0x80 }
