package state

import (
	"strings"

	"tagscan/normalize"
)

// check is the one gate through which a value comes into a snapshot, be it an
// event's or the operator's: it must be a value that section 4 of the
// specification takes, and its host, repository and number are those that it
// has, not those that an event claims. The reason is "" for a good value.
func check(kind, value string) (item, string) {
	c, reason := normalize.Value(kind, false, []byte(literal.Replace(value)))
	if reason != "" {
		return item{}, reason
	}
	return item{value: c.Value, host: c.Host, repo: c.Repo, number: c.Number, key: normalize.Key(kind, c.Value)}, ""
}

// literal keeps the check from decoding entities: what stands in an event is
// decoded already, and what an operator types is not markup.
var literal = strings.NewReplacer("&amp;", "&amp;amp;", "&lt;", "&amp;lt;", "&gt;", "&amp;gt;",
	"&quot;", "&amp;quot;", "&apos;", "&amp;apos;")
