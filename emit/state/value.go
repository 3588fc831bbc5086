package state

import (
	"crypto/sha256"
	"strings"

	"tagscan/normalize"
)

// check is the one gate through which a value comes into a snapshot, be it an
// event's or the operator's: it must be a value that section 4 of the
// specification takes, and its host, repository and number are those that it
// has, not those that an event claims. The reason is "" for a good value.
func check(kind, value string) (item, string) {
	c, reason := normalize.Literal(kind, false, value)
	if reason != "" {
		return item{}, reason
	}
	sum := sha256.Sum256([]byte(normalize.Key(kind, c.Value)))
	// Clones, since these may be small parts of a large value.
	return item{
		value: strings.Clone(c.Value), host: strings.Clone(c.Host), repo: strings.Clone(c.Repo), number: strings.Clone(c.Number),
		key: itemKey(sum[:16]),
	}, ""
}
