package state

import (
	"strings"
	"testing"

	"tagscan/emit/exit"
)

func TestRepair(t *testing.T) {
	for _, tt := range []struct{ op, kind, value, want string }{
		{"set", "pr", "https://github.com/acme/core/pull/520/files", `"op":"set","kind":"pr","value":"https://github.com/acme/core/pull/520"`},
		{"set", "issue", "HTTPS://GitHub.com:443/acme/core/issues/9#x", `"op":"set","kind":"issue","value":"https://github.com/acme/core/issues/9"`},
		{"set", "repo", "/w//x/../y/", `"op":"set","kind":"repo","value":"/w/y"`},
		{"set", "link", " https://a.dev/?a=1&b=<2> ", `"op":"set","kind":"link","value":"https://a.dev/?a=1&b=<2>"`},
		{"set", "link", "https://a.dev/?a=&lt;", `"op":"set","kind":"link","value":"https://a.dev/?a=&lt;"`},
		{"set", "status", "on \n hold", `"op":"set","kind":"status","value":"on hold"`},
		{"unset", "pr", "", `"op":"unset","kind":"pr"`},
		{"unset", "status", strings.Repeat("\ufffd", 4096), `"op":"unset","kind":"status","value":"` + strings.Repeat("\ufffd", 4096) + `"`},
		{"unset", "pr", "https://github.com/acme/core/pull/520#x", `"op":"unset","kind":"pr","value":"https://github.com/acme/core/pull/520"`},
	} {
		got, err := Repair(tt.op, tt.kind, tt.value)
		if want := `{"type":"override",` + tt.want + `,"provenance":"operator"}` + "\n"; string(got) != want || err != nil {
			t.Errorf("%s %s %q: error %v\ngot  %swant %s", tt.op, tt.kind, tt.value, err, got, want)
		}
	}
	for _, tt := range []struct{ op, kind, value, want string }{
		{"drop", "pr", "", `op "drop" is neither set nor unset`},
		{"set", "promise", "x", `kind "promise" is none of repo, issue, pr, link, status`},
		{"unset", "PR", "", `kind "PR" is none of repo, issue, pr, link, status`},
		{"set", "pr", "", `pr "" is refused (empty): give a value`},
		{"unset", "pr", " ", `pr " " is refused (empty): give a value`},
		{"set", "pr", "acme/core#520", `pr "acme/core#520" is refused (scheme): begin it with https:// or http://`},
		{"set", "pr", "https://u:p@github.com/acme/core/pull/5", `is refused (userinfo): take the user name and password out`},
		{"set", "pr", "https://github.com/acme/core/issues/5", `is refused (kind_mismatch): it is an issue's URL; use the kind issue`},
		{"set", "issue", "https://github.com/acme/core/pull/5", `is refused (kind_mismatch): it is a pull request's URL; use the kind pr`},
		{"set", "pr", "https://github.com/example/example-core/pull/12345", `is refused (example): it is a documentation example; give the real one`},
		{"set", "link", "https://a dev/", `is refused (invalid_url): give an absolute URL with a host, and no blanks in it`},
		{"set", "repo", "core", `is refused (relative_path): give an absolute path, or an https:// URL`},
		{"set", "repo", "https://a.dev/", `is refused (invalid_url): give an absolute path, or a URL such as https://github.com/acme/core`},
		{"set", "status", strings.Repeat("x", 5000), `is refused (too_long): keep it within 4096 bytes`},
		{"set", "status", "a\u202eb", `is refused (control_character): take the control and bidirectional characters out`},
		{"set", "link", "https://a.dev/\xff", `is refused (invalid_utf8): write it as UTF-8`},
	} {
		got, err := Repair(tt.op, tt.kind, tt.value)
		if exit.Status(err) != exit.Usage || got != nil || !strings.HasSuffix(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "repair: ") {
			t.Errorf("%s %s %q: %q, %v; want %s", tt.op, tt.kind, tt.value, got, err, tt.want)
		}
		if strings.ContainsFunc(err.Error(), hidden) {
			t.Errorf("raw control characters in %q", err.Error())
		}
	}
	// The password of a refused URL reaches no log.
	for _, value := range []string{
		"https://bob:hunter2@github.com/acme/core/pull/5", "ftp://bob:hunter2@a.dev/", "bob:hunter2@a.dev/x", "//bob:hunter2@a.dev",
		"https://bob:hunter2@@a.dev/@x", "see https://a.dev/ and https://bob:hunter2@a.dev", "https://bob:hunter2@a.dev\x1b",
		"https://bob:hunter2 x@a.dev/", "https://bob:hunter2/x@a.dev/", "bob:hunter2?x@a.dev", "https://bob:hunter2\n@a.dev",
	} {
		_, err := Repair("set", "pr", value)
		if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "***") {
			t.Errorf("%s: %v", value, err)
		}
	}
}
