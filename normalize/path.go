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
func checkPath(s string) (Checked, string) {
	if strings.ContainsAny(s, asciiBlanks) {
		return Checked{}, parse.ReasonInvalidURL
	}
	clean := path.Clean(s)
	if isExample(clean) {
		return Checked{}, parse.ReasonExample
	}
	return Checked{Value: clean}, ""
}
