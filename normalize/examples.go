package normalize

import "strings"

// Examples are the values of core kinds that documentation shows: never events,
// wherever they stand. Each is normalised: a path, an https URL, or a status. A
// document of ours that shows an agent a tag with a value that would be taken
// belongs here with it.
var Examples = []string{
	// multicode's documentation.
	"/home/example/work/repo_path",
	"https://github.com/example/example-core/issue/12345",
	"https://github.com/example/example-core/issues/12345",
	"https://github.com/example/example-core/pull/12345",
	// Our skill bundle's, where it has not the same.
	"example status",
}

// isExample tells whether a normalised value is an example or a view of one:
// query, fragment and a trailing slash do not make it another.
func isExample(value string) bool {
	if strings.HasPrefix(value, "http") {
		value, _, _ = strings.Cut(value, "?")
		value, _, _ = strings.Cut(value, "#")
		value = strings.TrimRight(value, "/")
	}
	for _, e := range Examples {
		if len(e) == len(value) && (e == value || Key(KindLink, e) == Key(KindLink, value)) {
			return true
		}
	}
	return false
}
