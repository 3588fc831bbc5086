package normalize

import (
	"path"
	"strings"

	"tagscan/parse"
)

// checkPath checks an absolute POSIX path and cleans it without looking at any
// file system. POSIX leaves the meaning of exactly two leading slashes to the
// implementation; no implementation that agents run on gives them one, so they
// collapse as any others.
func (c *Checked) checkPath(s string) (reason string) {
	if strings.ContainsAny(s, asciiBlanks) {
		return parse.ReasonInvalidURL
	}
	c.Value = path.Clean(s)
	if isExample(c.Value) {
		return parse.ReasonExample
	}
	return ""
}
