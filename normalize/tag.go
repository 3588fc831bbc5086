package normalize

import (
	"fmt"
	"slices"
	"strings"
)

// The limits of ADR-0018 on an artifact's tags.
const (
	MaxArtifactTags   = 32 // distinct tags in a list
	MaxArtifactTagLen = 64 // bytes in a tag
)

// ArtifactTags checks a list of client-asserted artifact tags as ADR-0018 has
// it: exact repeats are dropped, first occurrence kept; each is 1 to 64 bytes of
// lowercase [a-z0-9._:/#-]; at most 32 distinct ones. Nothing is rewritten. The
// violations are all there are, at most one a distinct tag, and then that of the
// list; one of them rejects the list, and clean is nil. NotStrings are the indices,
// in their order, of what is no tag whatever it says. More says that the list goes
// on behind tags, which are all that is looked at of one that is too long.
func ArtifactTags(tags []string, notStrings []int, more bool) (clean []string, violations []Violation) {
	clean = []string{}
	alien := func(before int) {
		for ; len(notStrings) > 0 && notStrings[0] < before; notStrings = notStrings[1:] {
			violations = append(violations, Violation{
				Field: fmt.Sprintf("tags[%d]", notStrings[0]), Reason: "invalid_format",
				Message: fmt.Sprintf("tag %d of the list is not a string", notStrings[0]),
			})
		}
	}
	for i, tag := range distinct(tags) {
		alien(i)
		if len(notStrings) > 0 && notStrings[0] == i {
			continue
		}
		if v, ok := checkTag(i, tag); !ok {
			violations = append(violations, v)
		}
		clean = append(clean, tag)
	}
	alien(len(tags))
	if len(clean) > MaxArtifactTags || more {
		v := Violation{
			Field: "tags", Reason: "too_many", Limit: MaxArtifactTags, Unit: "tags",
			Message: fmt.Sprintf("%d distinct tags are more than the %d allowed", len(clean), MaxArtifactTags),
		}
		if more {
			v.Message = fmt.Sprintf("the list goes on behind its first %d tags, and %d distinct ones are allowed", len(tags), MaxArtifactTags)
		}
		violations = append(violations, v)
	}
	if len(violations) > 0 {
		return nil, violations
	}
	return clean, nil
}

// distinct yields the first occurrence of each tag with its index in the list
// as given.
func distinct(tags []string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		var seen map[string]struct{}
		for i, tag := range tags {
			if i < MaxArtifactTags { // the usual list needs no map
				if slices.Contains(tags[:i], tag) {
					continue
				}
			} else {
				if seen == nil {
					seen = make(map[string]struct{}, len(tags))
					for _, t := range tags[:i] {
						seen[t] = struct{}{}
					}
				}
				if _, ok := seen[tag]; ok {
					continue
				}
				seen[tag] = struct{}{}
			}
			if !yield(i, tag) {
				return
			}
		}
	}
}

// checkTag finds the first thing wrong with tag number i of a list.
func checkTag(i int, tag string) (v Violation, ok bool) {
	v = Violation{Field: fmt.Sprintf("tags[%d]", i), Value: tag}
	upper := false
	for j := 0; j < len(tag) && v.Reason == ""; j++ {
		switch c := tag[j]; {
		case 'a' <= c && c <= 'z', isDigit(c), strings.IndexByte("._:/#-", c) >= 0:
		case 'A' <= c && c <= 'Z':
			upper = true
		default:
			v.Reason = "invalid_charset"
		}
	}
	switch {
	case tag == "":
		v.Reason, v.Message = "required", "a tag must not be empty"
	case len(tag) > MaxArtifactTagLen:
		v.Reason, v.Limit, v.Unit = "too_long", MaxArtifactTagLen, "bytes"
		v.Message = fmt.Sprintf("a tag has at most %d bytes, this one has %d", MaxArtifactTagLen, len(tag))
	case v.Reason != "":
		v.Message = "a tag has only a-z, 0-9 and . _ : / # -"
	case upper:
		v.Reason, v.Message, v.Suggestion = "uppercase", "a tag is lowercase", lowerASCII(tag)
	}
	return v, v.Reason == ""
}

// handoffPrefixes are the prefixes of ADR-0018's handoff convention, in the
// order of a handoff's fields.
var handoffPrefixes = []struct {
	name   string
	single bool                    // a second one is a duplicate
	words  []string                // the vocabulary, or
	valid  func(value string) bool // the format
	format string
}{
	{name: "lane", single: true, words: []string{"s", "m", "l", "vision", "auto"}},
	{name: "size", single: true, words: []string{"s", "m", "l", "xl"}},
	{name: "repo", valid: isOwnerName, format: "<owner/name>"},
	{name: "issue", valid: isIssueRef, format: "<owner/repo#n>"},
	{name: "source", valid: isSource, format: "<harness>/<run>"},
	{name: "reply", words: []string{"cairn-comment", "signal"}},
}

// HandoffConvention lints a list against the handoff vocabulary: unknown_value,
// invalid_format, and duplicate for a second lane or size. A tag that is
// malformed has its violation already and is passed over; so are repeats, and
// unknown prefixes: the vocabulary may grow.
func HandoffConvention(tags []string) (violations []Violation) {
	seen := make([]bool, len(handoffPrefixes))
	for i, tag := range distinct(tags) {
		name, value, ok := strings.Cut(tag, ":")
		if _, good := checkTag(i, tag); !ok || !good {
			continue
		}
		for p := range handoffPrefixes {
			prefix := &handoffPrefixes[p]
			if prefix.name != name {
				continue
			}
			v := Violation{Field: fmt.Sprintf("tags[%d]", i), Value: tag}
			switch {
			case prefix.words != nil && !slices.Contains(prefix.words, value):
				v.Reason = "unknown_value"
				v.Message = fmt.Sprintf("%s is one of %s", name, strings.Join(prefix.words, ", "))
				if word := suggest(value, prefix.words); word != "" {
					v.Suggestion = name + ":" + word
				}
			case prefix.valid != nil && !prefix.valid(value):
				v.Reason = "invalid_format"
				v.Message = fmt.Sprintf("%s has the form %s:%s", name, name, prefix.format)
			case prefix.single && seen[p]:
				v.Reason = "duplicate"
				v.Message = fmt.Sprintf("a handoff has one %s", name)
			}
			seen[p] = true
			if v.Reason != "" {
				violations = append(violations, v)
			}
		}
	}
	return violations
}

// HandoffFields are the first value of each handoff prefix among tags, nil when
// handoff itself is not among them.
func HandoffFields(tags []string) (fields []HandoffField) {
	if !slices.Contains(tags, "handoff") {
		return nil
	}
	for _, prefix := range handoffPrefixes {
		for _, tag := range tags {
			name, value, ok := strings.Cut(tag, ":")
			if ok && name == prefix.name && value != "" {
				fields = append(fields, HandoffField{name, value})
				break
			}
		}
	}
	return fields
}

// suggest is the longest word that value starts with (medium: m), else the only
// one at the least edit distance if that is 1 or 2 (xxl: xl), else "".
func suggest(value string, words []string) string {
	best := ""
	for _, w := range words {
		if strings.HasPrefix(value, w) && len(w) > len(best) {
			best = w
		}
	}
	if best != "" {
		return best
	}
	least, n := 3, 0
	for _, w := range words {
		switch d := editDistance(value, w); {
		case d < least:
			best, least, n = w, d, 1
		case d == least:
			n++
		}
	}
	if least > 2 || n > 1 {
		return ""
	}
	return best
}

// editDistance is Levenshtein's: insertions, deletions and substitutions of
// bytes. Tags have at most 64.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 0; i < len(a); i++ {
		diagonal := row[0]
		row[0] = i + 1
		for j := 0; j < len(b); j++ {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return s != "" && s != "." && s != ".."
}

func isOwnerName(s string) bool {
	owner, name, ok := strings.Cut(s, "/")
	return ok && isName(owner) && isName(name)
}

func isIssueRef(s string) bool {
	repo, number, ok := strings.Cut(s, "#")
	return ok && isOwnerName(repo) && allDigits(number) && number[0] != '0'
}

// isSource takes any run behind the first slash: what names one is the
// harness's own.
func isSource(s string) bool {
	harness, run, ok := strings.Cut(s, "/")
	return ok && harness != "" && run != ""
}
