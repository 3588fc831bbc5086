package normalize

import (
	"strings"
	"testing"

	"tagscan/parse"
)

func TestValue(t *testing.T) {
	const gh = "https://github.com/"
	tests := []struct {
		kind, in string
		want     string // the value, or
		reason   string // why there is none
		where    string // host repo number, blank-separated, of what there is
	}{
		// Free text.
		{kind: "status", in: "building", want: "building"},
		{kind: "status", in: " \t\r\n building \n", want: "building"},
		{kind: "status", in: "a  b\n c\t\r\nd", want: "a b c d"},
		{kind: "status", in: "a\tb", want: "a b"},
		{kind: "status", in: "97% &amp; &lt;3 &gt; &quot;x&quot; &apos;y&apos;", want: `97% & <3 > "x" 'y'`},
		{kind: "status", in: "&amp;lt;", want: "&lt;"},
		{kind: "status", in: "&#10;&nbsp;&amp", want: "&#10;&nbsp;&amp"},
		{kind: "status", in: "\u00a0x\u2003y\u3000", want: "\u00a0x\u2003y\u3000"},
		{kind: "status", in: "a\u200bb\u2028c", want: "a\u200bb\u2028c"},
		{kind: "repo", in: "//bob:pw@host/x", reason: parse.ReasonUserinfo},
		{kind: "repo", in: "//host/x@y", want: "/host/x@y"},
		{kind: "status", in: "caf\xe9", want: "caf\ufffd"},
		{kind: "status", in: "\x80", want: "\ufffd"},
		{kind: "status", in: "", reason: parse.ReasonEmpty},
		{kind: "status", in: " \n\t", reason: parse.ReasonEmpty},
		{kind: "status", in: strings.Repeat("a", 4096), want: strings.Repeat("a", 4096)},
		{kind: "status", in: " " + strings.Repeat("a", 4096) + "\n", want: strings.Repeat("a", 4096)},
		{kind: "status", in: strings.Repeat("a", 4097), reason: parse.ReasonTooLong},
		{kind: "status", in: strings.Repeat("&amp;", 820), reason: parse.ReasonTooLong},
		{kind: "status", in: "a\x00", reason: parse.ReasonControl},
		{kind: "status", in: "a\x0bb", reason: parse.ReasonControl},
		{kind: "status", in: "a\x0cb", reason: parse.ReasonControl},
		{kind: "status", in: "a\x1b[1mb", reason: parse.ReasonControl},
		{kind: "status", in: "a\x7f", reason: parse.ReasonControl},
		{kind: "status", in: "a\u0085b", reason: parse.ReasonControl},
		{kind: "status", in: "a\u009bb", reason: parse.ReasonControl},
		{kind: "status", in: "a\u061cb", reason: parse.ReasonControl},
		{kind: "status", in: "a\u200eb", reason: parse.ReasonControl},
		{kind: "status", in: "a\u200fb", reason: parse.ReasonControl},
		{kind: "status", in: "a\u202ab", reason: parse.ReasonControl},
		{kind: "status", in: "a\u202eb", reason: parse.ReasonControl},
		{kind: "status", in: "a\u2066b", reason: parse.ReasonControl},
		{kind: "status", in: "a\u2069b", reason: parse.ReasonControl},
		{kind: "status", in: "a\u2065b", want: "a\u2065b"},
		{kind: "deploy", in: "ftp://x  y", want: "ftp://x y"},

		// Schemes.
		{kind: "link", in: "https://a.dev/ok", want: "https://a.dev/ok"},
		{kind: "link", in: "HTTP://A.Dev/Ok?Q#F", want: "http://a.dev/Ok?Q#F"},
		{kind: "link", in: "hTTps://a.dev", want: "https://a.dev"},
		{kind: "link", in: "ftp://a.dev/", reason: parse.ReasonScheme},
		{kind: "link", in: "file:///etc/passwd", reason: parse.ReasonScheme},
		{kind: "link", in: "javascript:alert(1)", reason: parse.ReasonScheme},
		{kind: "link", in: "javascript://a.dev/%0aalert(1)", reason: parse.ReasonScheme},
		{kind: "link", in: "data:text/html,hi", reason: parse.ReasonScheme},
		{kind: "link", in: "httpss://a.dev", reason: parse.ReasonScheme},
		{kind: "link", in: "github.com/acme/core", reason: parse.ReasonScheme},
		{kind: "link", in: "//a.dev/x", reason: parse.ReasonScheme},
		{kind: "link", in: "/x", reason: parse.ReasonScheme},
		{kind: "link", in: "http//a.dev", reason: parse.ReasonScheme},
		{kind: "link", in: "://a.dev", reason: parse.ReasonScheme},
		{kind: "link", in: "1http://a.dev", reason: parse.ReasonScheme},
		{kind: "pr", in: "URL", reason: parse.ReasonScheme},
		{kind: "pr", in: "<https://a.dev>", reason: parse.ReasonScheme},
		{kind: "pr", in: "&lt;https://a.dev&gt;", reason: parse.ReasonScheme},
		{kind: "pr", in: "[x](https://a.dev)", reason: parse.ReasonScheme},
		{kind: "pr", in: "see https://a.dev", reason: parse.ReasonScheme},
		{kind: "pr", in: "#12", reason: parse.ReasonScheme},
		{kind: "link", in: "https:a.dev/x", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https:/a.dev/x", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https:\\\\a.dev/x", reason: parse.ReasonInvalidURL},

		// Hosts.
		{kind: "link", in: "https://", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https:///acme", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://?q", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://:80/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://localhost/x", want: "https://localhost/x"},
		{kind: "link", in: "https://a_b.dev./x", want: "https://a_b.dev./x"},
		{kind: "link", in: "https://xn--e1afmkfd.example/", want: "https://xn--e1afmkfd.example/"},
		{kind: "link", in: "https://B\u00dcCHER.example/", want: "https://b\u00fccher.example/"},
		{kind: "link", in: "https://пример.рф/путь", want: "https://пример.рф/путь"},
		{kind: "link", in: "https://a..dev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://.a.dev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev../", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://./", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://.../", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://…/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://exa mple.dev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://<host>/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://{host}/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://$HOST/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a|b/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a^b/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a%2edev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://evil%40a.dev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a\u200bb.dev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a\u00adb.dev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a\ufe0fb.dev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a\u3164b.dev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://github.com\uff0fevil.dev/", reason: parse.ReasonInvalidURL}, // fullwidth slash
		{kind: "link", in: "https://\uff47ithub.com/", reason: parse.ReasonInvalidURL},          // fullwidth g
		{kind: "link", in: "https://a\u3002dev/", reason: parse.ReasonInvalidURL},               // ideographic full stop
		{kind: "link", in: "https://a\u2100b.dev/", reason: parse.ReasonInvalidURL},             // a/c in one character
		{kind: "link", in: "https://g\u0130thub.com/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://\u212aernel.org/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://127.0.0.1:8080/", want: "https://127.0.0.1:8080/"},
		{kind: "link", in: "https://127.1/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://2130706433/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://0x7f.0.0.1/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.0x7f/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://256.1.1.1/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://1.2.3.4.nip.io/", want: "https://1.2.3.4.nip.io/"},
		{kind: "link", in: "https://[::1]:8080/ok", want: "https://[::1]:8080/ok"},
		{kind: "link", in: "https://[2001:DB8::A]/", want: "https://[2001:db8::a]/"},
		{kind: "link", in: "https://[::1]:443/", want: "https://[::1]/"},
		{kind: "link", in: "https://[::ffff:1.2.3.4]/", want: "https://[::ffff:1.2.3.4]/"},
		{kind: "link", in: "https://[::1/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://[::1]x/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://[::g]/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://[]/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://[1.2.3.4]/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://[fe80::1%25eth0]/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://[fe80::1%eth0]/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://[v1.x]/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://::1/", reason: parse.ReasonInvalidURL},

		// Ports.
		{kind: "link", in: "http://a.dev:80/ok", want: "http://a.dev/ok"},
		{kind: "link", in: "https://a.dev:443", want: "https://a.dev"},
		{kind: "link", in: "http://a.dev:443/", want: "http://a.dev:443/"},
		{kind: "link", in: "https://a.dev:80/", want: "https://a.dev:80/"},
		{kind: "link", in: "https://a.dev:1/", want: "https://a.dev:1/"},
		{kind: "link", in: "https://a.dev:65535/", want: "https://a.dev:65535/"},
		{kind: "link", in: "https://a.dev:/x", want: "https://a.dev/x"},
		{kind: "link", in: "https://a.dev:08443/x", want: "https://a.dev:8443/x"},
		{kind: "link", in: "https://a.dev:0443/x", want: "https://a.dev/x"},
		{kind: "link", in: "https://a.dev:0/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev:65536/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev:99999/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev:100000/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev:http/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev:-1/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev:80:80/", reason: parse.ReasonInvalidURL},

		// User information.
		{kind: "link", in: "https://user:token@github.com/acme/core", reason: parse.ReasonUserinfo},
		{kind: "link", in: "https://github.com@evil.example/", reason: parse.ReasonUserinfo},
		{kind: "link", in: "https://@a.dev/", reason: parse.ReasonUserinfo},
		{kind: "link", in: "https://:@a.dev/", reason: parse.ReasonUserinfo},
		{kind: "link", in: "https://u@a.dev/with blank", reason: parse.ReasonUserinfo},
		{kind: "link", in: "https://a\\@evil.dev/", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/@u?x=y@z#@", want: "https://a.dev/@u?x=y@z#@"},
		{kind: "link", in: "https://a.dev?x@y", want: "https://a.dev?x@y"},

		// The rest of a URL, untouched.
		{kind: "link", in: "https://a.dev/%7Ea/%e2%82%ac/|{}\"'<>^`[]", want: "https://a.dev/%7Ea/%e2%82%ac/|{}\"'<>^`[]"},
		{kind: "link", in: "https://a.dev/?a=1&amp;b=2", want: "https://a.dev/?a=1&b=2"},
		{kind: "link", in: "https://a.dev/x.", want: "https://a.dev/x."},
		{kind: "link", in: "https://a.dev/x)", want: "https://a.dev/x)"},
		{kind: "link", in: "https://a.dev/a/../b//c", want: "https://a.dev/a/../b//c"},
		{kind: "link", in: "https://a.dev/ä", want: "https://a.dev/ä"},
		{kind: "link", in: "https://a.dev/?q=a\\b", want: "https://a.dev/?q=a\\b"},
		{kind: "link", in: "https://a.dev/a\\b", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev\\x", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/with blank", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/hard-\nwrapped", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/a\tb", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/\u00a0x", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/\u3000", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/\u2028", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/\u200b", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/\u200d", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/\u2060", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/?\ufeff", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/#\u00ad", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/\u202egpj.exe", reason: parse.ReasonControl},
		{kind: "link", in: "https://a.dev/\x01", reason: parse.ReasonControl},
		{kind: "link", in: "https://a.dev/%zz", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/%4", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/%", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/?q=100%", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/#%x0", reason: parse.ReasonInvalidURL},
		{kind: "link", in: "https://a.dev/%00", want: "https://a.dev/%00"},
		{kind: "link", in: "https://a.dev/\xff", reason: parse.ReasonInvalidUTF8},
		{kind: "link", in: "\xffx", reason: parse.ReasonInvalidUTF8},
		{kind: "link", in: "https://github.com/acme/core/pull/5/files", want: "https://github.com/acme/core/pull/5/files"},

		// Forges.
		{kind: "pr", in: gh + "acme/core/pull/520", want: gh + "acme/core/pull/520", where: "github.com acme/core 520"},
		{kind: "pr", in: "https://GitHub.com/Acme/Core/pull/520/files?w=1#diff-1", want: gh + "Acme/Core/pull/520", where: "github.com Acme/Core 520"},
		{kind: "pr", in: gh + "acme/core/pull/520/", want: gh + "acme/core/pull/520", where: "github.com acme/core 520"},
		{kind: "pr", in: gh + "acme/core/pull/520#r1", want: gh + "acme/core/pull/520", where: "github.com acme/core 520"},
		{kind: "pr", in: gh + "acme/core/pull/520?x", want: gh + "acme/core/pull/520", where: "github.com acme/core 520"},
		{kind: "issue", in: gh + "acme/core/issues/7#issuecomment-99", want: gh + "acme/core/issues/7", where: "github.com acme/core 7"},
		{kind: "pr", in: "https://ghe.acme.dev/acme/core/pull/3", want: "https://ghe.acme.dev/acme/core/pull/3", where: "ghe.acme.dev acme/core 3"},
		{kind: "pr", in: "https://codeberg.org/acme/core/pulls/3/commits", want: "https://codeberg.org/acme/core/pulls/3", where: "codeberg.org acme/core 3"},
		{kind: "issue", in: "http://localhost:3000/acme/core/issues/3", want: "http://localhost:3000/acme/core/issues/3", where: "localhost:3000 acme/core 3"},
		{kind: "pr", in: "https://[::1]:3000/a/b/pulls/3", want: "https://[::1]:3000/a/b/pulls/3", where: "[::1]:3000 a/b 3"},
		{kind: "pr", in: "https://gitlab.com/acme/core/-/merge_requests/9/diffs", want: "https://gitlab.com/acme/core/-/merge_requests/9", where: "gitlab.com acme/core 9"},
		{kind: "issue", in: "https://gitlab.com/a/b/c/d/-/issues/9#note_1", want: "https://gitlab.com/a/b/c/d/-/issues/9", where: "gitlab.com a/b/c/d 9"},
		{kind: "issue", in: "https://gitlab.com/a/b/issues/1/-/issues/9", want: "https://gitlab.com/a/b/issues/1/-/issues/9", where: "gitlab.com a/b/issues/1 9"},
		{kind: "pr", in: gh + "acme/core/pull/999999999999999999", want: gh + "acme/core/pull/999999999999999999", where: "github.com acme/core 999999999999999999"},
		// Forges' URLs of the other kind.
		{kind: "pr", in: gh + "acme/core/issues/9", reason: parse.ReasonKindMismatch},
		{kind: "issue", in: gh + "acme/core/pull/9", reason: parse.ReasonKindMismatch},
		{kind: "issue", in: gh + "acme/core/pull/9/files", reason: parse.ReasonKindMismatch},
		{kind: "issue", in: "https://codeberg.org/a/b/pulls/9", reason: parse.ReasonKindMismatch},
		{kind: "issue", in: "https://gitlab.com/a/b/-/merge_requests/9", reason: parse.ReasonKindMismatch},
		{kind: "pr", in: "https://gitlab.com/a/b/-/issues/9", reason: parse.ReasonKindMismatch},
		{kind: "repo", in: gh + "acme/core/pull/9", reason: parse.ReasonKindMismatch},
		{kind: "link", in: gh + "acme/core/issues/9", want: gh + "acme/core/issues/9"},
		// No forge's shape: as they are.
		{kind: "issue", in: "https://linear.app/acme/issue/ENG-12/title", want: "https://linear.app/acme/issue/ENG-12/title"},
		{kind: "pr", in: gh + "acme/core/pull/520.diff", want: gh + "acme/core/pull/520.diff"},
		{kind: "pr", in: gh + "acme/core/pull/0", want: gh + "acme/core/pull/0"},
		{kind: "pr", in: gh + "acme/core/pull/0520", want: gh + "acme/core/pull/0520"},
		{kind: "pr", in: gh + "acme/core/pull/1000000000000000000", want: gh + "acme/core/pull/1000000000000000000"},
		{kind: "pr", in: gh + "acme/core/pull/", want: gh + "acme/core/pull/"},
		{kind: "pr", in: gh + "acme/core/pull", want: gh + "acme/core/pull"},
		{kind: "pr", in: gh + "acme/core", want: gh + "acme/core"},
		{kind: "pr", in: gh, want: gh},
		{kind: "pr", in: "https://github.com", want: "https://github.com"},
		{kind: "pr", in: gh + "acme/core/Pull/5", want: gh + "acme/core/Pull/5"},
		{kind: "pr", in: gh + "/acme/core/pull/5", want: gh + "/acme/core/pull/5"},
		{kind: "pr", in: gh + "a%2Fb/core/pull/5", want: gh + "a%2Fb/core/pull/5"},
		{kind: "pr", in: gh + "acme/../pull/5", want: gh + "acme/../pull/5"},
		{kind: "pr", in: gh + "acme/core/pull/5/../../issues/9", want: gh + "acme/core/pull/5/../../issues/9"},
		{kind: "pr", in: gh + "acme/core/pull/5/%2E%2e/6", want: gh + "acme/core/pull/5/%2E%2e/6"},
		{kind: "pr", in: gh + "acme/core/pull/5/.../x", want: gh + "acme/core/pull/5", where: "github.com acme/core 5"},
		{kind: "issue", in: "https://gitlab.com/a/-/issues/9", want: "https://gitlab.com/a/-/issues/9"},
		{kind: "issue", in: "https://gitlab.com/-/b/issues/9", want: "https://gitlab.com/-/b/issues/9"},
		{kind: "issue", in: "https://gitlab.com/-/issues/9", want: "https://gitlab.com/-/issues/9"},
		{kind: "issue", in: "https://a.dev/x?u=/acme/core/issues/9", want: "https://a.dev/x?u=/acme/core/issues/9"},
		{kind: "pr", in: "https://api.github.com/repos/acme/core/pulls/5", want: "https://api.github.com/repos/acme/core/pulls/5"},

		// Repositories.
		{kind: "repo", in: "/srv/core", want: "/srv/core"},
		{kind: "repo", in: "/w//x/../y/", want: "/w/y"},
		{kind: "repo", in: "/srv//core/./sub/../", want: "/srv/core"},
		{kind: "repo", in: "//srv/core", want: "/srv/core"},
		{kind: "repo", in: "/", want: "/"},
		{kind: "repo", in: "/../..", want: "/"},
		{kind: "repo", in: "/srv/100%/ä\u00a0b\\c", want: "/srv/100%/ä\u00a0b\\c"},
		{kind: "repo", in: "/srv/my core", reason: parse.ReasonInvalidURL},
		{kind: "repo", in: "/srv/\ncore", reason: parse.ReasonInvalidURL},
		{kind: "repo", in: "/srv/\x01", reason: parse.ReasonControl},
		{kind: "repo", in: "/srv/\u202ex", reason: parse.ReasonControl},
		{kind: "repo", in: "/srv/\xff", reason: parse.ReasonInvalidUTF8},
		{kind: "repo", in: "work/core", reason: parse.ReasonRelativePath},
		{kind: "repo", in: "~/core", reason: parse.ReasonRelativePath},
		{kind: "repo", in: ".", reason: parse.ReasonRelativePath},
		{kind: "repo", in: "acme/core", reason: parse.ReasonRelativePath},
		{kind: "repo", in: "github.com/acme/core", reason: parse.ReasonRelativePath},
		{kind: "repo", in: "git@github.com:acme/core.git", reason: parse.ReasonRelativePath},
		{kind: "repo", in: "github.com:acme/core.git", reason: parse.ReasonRelativePath},
		{kind: "repo", in: `C:\work\core`, reason: parse.ReasonRelativePath},
		{kind: "repo", in: "C:/work/core", reason: parse.ReasonRelativePath},
		{kind: "repo", in: "ssh://git@github.com/acme/core", reason: parse.ReasonScheme},
		{kind: "repo", in: "file:///srv/core", reason: parse.ReasonScheme},
		{kind: "repo", in: "javascript:alert(1)", reason: parse.ReasonScheme},
		{kind: "repo", in: gh + "acme/core", want: gh + "acme/core", where: "github.com acme/core"},
		{kind: "repo", in: gh + "acme/core.git", want: gh + "acme/core", where: "github.com acme/core"},
		{kind: "repo", in: gh + "acme/core/", want: gh + "acme/core", where: "github.com acme/core"},
		{kind: "repo", in: gh + "acme/core.git/", want: gh + "acme/core", where: "github.com acme/core"},
		{kind: "repo", in: gh + "acme/core?tab=x#readme", want: gh + "acme/core", where: "github.com acme/core"},
		{kind: "repo", in: "https://GITLAB.com/A/b/C.git", want: "https://gitlab.com/A/b/C", where: "gitlab.com A/b/C"},
		{kind: "repo", in: "https://u:p@github.com/acme/core", reason: parse.ReasonUserinfo},
		{kind: "repo", in: gh + "acme", reason: parse.ReasonInvalidURL},
		{kind: "repo", in: gh + "acme/", reason: parse.ReasonInvalidURL},
		{kind: "repo", in: gh + "acme/.git", reason: parse.ReasonInvalidURL},
		{kind: "repo", in: gh, reason: parse.ReasonInvalidURL},
		{kind: "repo", in: gh + "/core", reason: parse.ReasonInvalidURL},
		{kind: "repo", in: gh + "acme/..", reason: parse.ReasonInvalidURL},

		// Documentation examples.
		{kind: "repo", in: "/home/example/work/repo_path", reason: parse.ReasonExample},
		{kind: "repo", in: "/home/example//work/repo_path/", reason: parse.ReasonExample},
		{kind: "repo", in: "/home/example/work/repo_path2", want: "/home/example/work/repo_path2"},
		{kind: "repo", in: "/HOME/example/work/repo_path", want: "/HOME/example/work/repo_path"},
		{kind: "issue", in: gh + "example/example-core/issue/12345", reason: parse.ReasonExample},
		{kind: "issue", in: gh + "example/example-core/issues/12345", reason: parse.ReasonExample},
		{kind: "pr", in: gh + "example/example-core/pull/12345", reason: parse.ReasonExample},
		{kind: "pr", in: gh + "Example/Example-Core/pull/12345/files", reason: parse.ReasonExample},
		{kind: "pr", in: gh + "example/example-core/issues/12345", reason: parse.ReasonExample},
		{kind: "link", in: gh + "example/example-core/pull/12345/?x#y", reason: parse.ReasonExample},
		{kind: "pr", in: gh + "example/example-core/pull/1234", want: gh + "example/example-core/pull/1234", where: "github.com example/example-core 1234"},
		{kind: "status", in: "example  status", reason: parse.ReasonExample},
		{kind: "status", in: "example status?", want: "example status?"},
		{kind: "deploy", in: "example status", want: "example status"},
		{kind: "repo", in: gh + "example/example-core", want: gh + "example/example-core", where: "github.com example/example-core"},
	}
	for _, tt := range tests {
		c, reason := Value(tt.kind, false, []byte(tt.in))
		if reason != tt.reason || c.Value != tt.want {
			t.Errorf("%s %.80q: %.80q, reason %q; want %.80q, reason %q", tt.kind, tt.in, c.Value, reason, tt.want, tt.reason)
			continue
		}
		if where := strings.TrimSpace(c.Host + " " + c.Repo + " " + c.Number); where != tt.where {
			t.Errorf("%s %.80q: at %q, want %q", tt.kind, tt.in, where, tt.where)
		}
		raw := ""
		if trimmed := strings.Trim(tt.in, " \t\r\n"); reason == "" && trimmed != c.Value && toValid(trimmed) != c.Value {
			raw = trimmed
		}
		if c.Raw != raw {
			t.Errorf("%s %.80q: raw %.80q, want %.80q", tt.kind, tt.in, c.Raw, raw)
		}
		if c.Extension != (tt.kind == "deploy") {
			t.Errorf("%s: extension = %v", tt.kind, c.Extension)
		}
	}
}

func TestPlainValueIsFreeText(t *testing.T) {
	c, reason := Value("promise", true, []byte(" ALL  &amp; DONE "))
	want := Checked{Value: "ALL & DONE", Raw: "ALL  &amp; DONE", Extension: true}
	if reason != "" || c != want {
		t.Errorf("%+v, reason %q; want %+v", c, reason, want)
	}
}

func TestLiteral(t *testing.T) {
	tests := []struct{ kind, in, want, reason string }{
		{"status", "a &amp; b", "a &amp; b", ""},
		{"link", "https://a.dev/?a&amp;b", "https://a.dev/?a&amp;b", ""},
		{"pr", "https://github.com/acme/core/pull/5/files", "https://github.com/acme/core/pull/5", ""},
		{"pr", "5", "", parse.ReasonScheme},
		{"status", " ", "", parse.ReasonEmpty},
		{"status", strings.Repeat("&amp;", 2500), "", parse.ReasonTooLong},
	}
	for _, tt := range tests {
		if c, reason := Literal(tt.kind, false, tt.in); c.Value != tt.want || reason != tt.reason {
			t.Errorf("%s %.40q: %q, reason %q; want %q, reason %q", tt.kind, tt.in, c.Value, reason, tt.want, tt.reason)
		}
	}
}

func TestKey(t *testing.T) {
	tests := []struct {
		kind, a, b string
		same       bool
	}{
		{"pr", "https://github.com/ACME/Core/pull/5", "https://github.com/acme/core/pull/5", true},
		{"repo", "https://github.com/ACME/Core", "https://github.com/acme/core", true},
		{"link", "https://github.com/ACME/Core/blob/main/a", "https://github.com/acme/core/blob/main/a", true},
		{"link", "https://github.com/acme/core/blob/main/A", "https://github.com/acme/core/blob/main/a", false},
		{"link", "https://github.com/Acme?q=A", "https://github.com/acme?q=A", true},
		{"link", "https://github.com/acme?q=A", "https://github.com/acme?q=a", false},
		{"link", "https://github.com/acme#A", "https://github.com/acme#a", false},
		{"pr", "http://github.com/ACME/Core/pull/5", "http://github.com/acme/core/pull/5", true},
		{"pr", "http://github.com/acme/core/pull/5", "https://github.com/acme/core/pull/5", false},
		{"pr", "https://gitlab.com/ACME/core/-/issues/5", "https://gitlab.com/acme/core/-/issues/5", false},
		{"status", "https://github.com/ACME", "https://github.com/acme", false},
		{"deploy", "https://github.com/ACME", "https://github.com/acme", false},
		{"repo", "/A", "/a", false},
	}
	for _, tt := range tests {
		if got := Key(tt.kind, tt.a) == Key(tt.kind, tt.b); got != tt.same {
			t.Errorf("%s: %s and %s: same = %v, want %v", tt.kind, tt.a, tt.b, got, tt.same)
		}
	}
}

func FuzzValue(f *testing.F) {
	for _, s := range []string{
		"building", "a  b\nc", "https://github.com/acme/core/pull/520/files", "/srv//core/../x",
		"https://[::1]:080/%20?q#f", "HTTPS://A\u0130.dev:443", "https://gitlab.com/a/b/-/issues/1", "\xff&amp;lt;",
		"https://a/b.git.git//", "https://u:p@h/", "https://0x/", "https://a.dev/%2e%2E/", "//",
	} {
		for _, kind := range []string{"repo", "issue", "pr", "link", "status", "deploy"} {
			f.Add(kind, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, kind string, raw []byte) {
		c, reason := Value(kind, false, raw)
		if (reason == "") != (c.Value != "") {
			t.Fatalf("%s %q: %+v, reason %q", kind, raw, c, reason)
		}
		if reason != "" {
			return
		}
		again, reason := Literal(kind, false, c.Value)
		c.Raw = ""
		if reason != "" || again != c {
			t.Errorf("%s %q: %+v\nchecks again to %+v, reason %q", kind, raw, c, again, reason)
		}
		if kind == KindLink && (strings.Contains(c.Value, " ") || !strings.HasPrefix(c.Value, "http")) {
			t.Errorf("%q gives %q", raw, c.Value)
		}
	})
}

func BenchmarkValue(b *testing.B) {
	for _, bb := range []struct{ name, kind, value string }{
		{"pr", "pr", "https://github.com/acme/core/pull/520"},
		{"canonical", "pr", "https://GitHub.com/acme/core/pull/520/files?w=1"},
		{"repo", "repo", "/srv/work/core"},
		{"status", "status", "running the tests"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			raw := []byte(bb.value)
			b.ReportAllocs()
			for b.Loop() {
				Value(bb.kind, false, raw)
			}
		})
	}
}

func TestCore(t *testing.T) {
	for _, kind := range parse.CoreKinds {
		if !Core(kind) {
			t.Errorf("%s is a core kind", kind)
		}
	}
	for _, kind := range []string{"", "note", "Repo", "prs"} {
		if Core(kind) {
			t.Errorf("%q is none", kind)
		}
	}
}
