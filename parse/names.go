package parse

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"tagscan/parse/wrap"
)

// CoreKinds are the kinds of the agent tag protocol. Any other kind of a known
// namespace is an extension.
var CoreKinds = [...]string{"repo", "issue", "pr", "link", "status"}

// CheckNamespace says whether s can be a namespace: it is spelled as a KIND is.
func CheckNamespace(s string) error { return checkName(s) }

// CheckPlainTag says whether s can be the name of a plain tag: spelled as a
// KIND, and no core kind.
func CheckPlainTag(s string) error {
	if slices.Contains(CoreKinds[:], s) {
		return fmt.Errorf("%s is a kind of the tag protocol; give a plain tag another name", s)
	}
	return checkName(s)
}

func checkName(s string) error {
	ok := s != "" && len(s) <= maxKind && 'a' <= s[0] && s[0] <= 'z'
	for i := range len(s) {
		ok = ok && kindByte(s[i])
	}
	if !ok {
		return errors.New("give a lower-case letter, then at most 31 of a-z, 0-9, _ and -")
	}
	return nil
}

// MaxPrefixes is how many Options.Prefixes there may be.
const MaxPrefixes = wrap.MaxPrefixes

// CompilePrefix compiles a regular expression for Options.Prefixes.
func CompilePrefix(expr string) (*regexp.Regexp, error) { return wrap.CompilePrefix(expr) }
