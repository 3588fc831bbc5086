package normalize

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"<jackin:pr>https://a.dev/", "<jackin:pr>https://a.dev/"},
		{strings.Repeat("a", 64), strings.Repeat("a", 64)},
		{strings.Repeat("a", 65), strings.Repeat("a", 64)},
		{strings.Repeat("a", 63) + "é", strings.Repeat("a", 63)},
		{strings.Repeat("a", 62) + "éx", strings.Repeat("a", 62) + "é"},
		{strings.Repeat("a", 61) + "😀", strings.Repeat("a", 61)},

		// User information.
		{"https://u:p@a.dev/", "https://***@a.dev/"},
		{"https://token@a.dev/", "https://***@a.dev/"},
		{"https://@a.dev/", "https://@a.dev/"},
		{"x https://u:p@a.dev/ y ftp://v:q@b.dev z", "x https://***@a.dev/ y ftp://***@b.dev z"},
		{"<jackin:link>https://u:p@a.dev/</jackin:link>", "<jackin:link>https://***@a.dev/</jackin:link>"},
		{"https://u:p@ss@a.dev/", "https://***@a.dev/"},
		{"https://u:p/w@a.dev/", "https://***@a.dev/"},
		{"https://u:p#w?@a.dev/", "https://***@a.dev/"},
		{"//u:p@a.dev/", "//***@a.dev/"},
		{`https:\\u:p@a.dev/`, `https:\\***@a.dev/`},
		{"https:/u:p@a.dev/", "https:/***@a.dev/"},
		{"HTTPS:u:p@a.dev/", "HTTPS:***@a.dev/"},
		{"https:////u:p@a.dev/", "https:////***@a.dev/"},
		{`https://u:p\x@a.dev/`, `https://***@a.dev/`},
		{"https://u:tok\nen@a.dev/", "https://***@a.dev/"},
		{"<jackin:pr>https://user'x:secret@h/x</jackin:pr>", "<jackin:pr>https://***@h/x</jackin:pr>"},
		{"<jackin:pr>https://us\"er:secret@h</jackin:pr>", "<jackin:pr>https://***@h</jackin:pr>"},
		{"<jackin:pr>https://u:12 secret@h</jackin:pr>", "<jackin:pr>https://***@h</jackin:pr>"},
		{"<jackin:pr>https://\nu:p@h", "<jackin:pr>https://\n***@h"},
		{"<jackin:pr>https:/\n/u:secret@h", "<jackin:pr>https:/\n/***@h"},
		{"<jackin:pr>https://user\n:secret@h", "<jackin:pr>https://***@h"},
		{"https://u:p" + strings.Repeat("x", 100) + "@a.dev/", "https://***@a.dev/"},
		{strings.Repeat("a", 50) + "https://u:p@a.dev/", strings.Repeat("a", 50) + "https://***@a."},
		{"<jackin:pr>https://" + strings.Repeat("t", 80), "<jackin:pr>https://***"},
		{"<jackin:pr>https://" + strings.Repeat("t", 30), "<jackin:pr>https://" + strings.Repeat("t", 30)},
		{strings.Repeat("\xff", 60), strings.Repeat("\ufffd", 21)},
		// No user information.
		{"https://a.dev:8080/@x", "https://a.dev:8080/@x"},
		{"https://a.dev/@user", "https://a.dev/@user"},
		{"https://[::1]:80/a@b", "https://[::1]:80/a@b"},
		{"git@github.com:acme/core", "git@github.com:acme/core"},
		{"me@a.dev", "me@a.dev"},
	}
	for _, tt := range tests {
		in := []byte(tt.in)
		if got := Excerpt(in); got != tt.want {
			t.Errorf("%.80q: %q, want %q", tt.in, got, tt.want)
		}
		if string(in) != tt.in {
			t.Errorf("%.80q was changed to %.80q", tt.in, in)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("https://u:p@a.dev/ //x:y@z http:/\\@"))
	f.Fuzz(func(t *testing.T, s []byte) {
		got := Excerpt(s)
		if len(got) > MaxExcerpt || utf8.Valid(s) && !utf8.ValidString(got) {
			t.Errorf("%q: %q", s, got)
		}
		if strings.Contains(Excerpt([]byte("https://u:sesame@"+string(s))), "sesame") {
			t.Errorf("%q: the password shows", s)
		}
	})
}
