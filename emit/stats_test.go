package emit

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tagscan/parse"
)

func TestStats(t *testing.T) {
	for _, tt := range []struct {
		name  string
		stats Stats
		want  string
	}{
		{"nothing", Stats{}, `
bytes      0  0 B
lines      0
records    0
tags       0
blocks     0
artifacts  0
repeats    0
skipped    0
`},
		{"everything", Stats{
			Bytes: 1_234_567_890, Elapsed: 2500 * time.Millisecond, Lines: 1_000_000, Records: 12_345,
			Tags: 7, Blocks: 3, Artifacts: 1, Repeats: 20,
			Skipped: Skips{
				{"tag", parse.ReasonFenced}: 4, {"block", parse.ReasonFenced}: 1, {"tag", parse.ReasonScheme}: 12,
				{"tag", parse.ReasonAttributes}: 5, {"record", parse.ReasonInvalidRecord}: 0,
			},
		}, `
bytes         1234567890  1.2 GB
bytes/s        493827156  493.8 MB/s for 2.5s
lines            1000000
records            12345
tags                   7
blocks                 3
artifacts              1
repeats               20
skipped               22
  scheme              12
  attributes           5
  fenced               5
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			n, err := tt.stats.WriteTo(&b)
			if got := "\n" + b.String(); got != tt.want || err != nil || n != int64(b.Len()) {
				t.Errorf("%d, %v:%s\nwant:%s", n, err, got, tt.want)
			}
		})
	}
}

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		n    float64
		want string
	}{
		{0, "0 B"}, {999, "999 B"}, {1000, "1.0 kB"}, {999_949, "999.9 kB"}, {999_950, "1.0 MB"},
		{1e9, "1.0 GB"}, {1.5e12, "1.5 TB"}, {2e15, "2.0 PB"}, {3e18, "3000.0 PB"},
	} {
		if got := size(tt.n); got != tt.want {
			t.Errorf("size(%v) = %q, want %q", tt.n, got, tt.want)
		}
	}
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{12345678 * time.Microsecond, "12.35s"}, {1234567 * time.Nanosecond, "1.23ms"},
		{1234 * time.Nanosecond, "1.23µs"}, {12, "12ns"}, {0, "0s"},
	} {
		if got := duration(tt.d); got != tt.want {
			t.Errorf("duration(%d) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestHints(t *testing.T) {
	for _, tt := range []struct {
		skips Skips
		want  string
	}{
		{nil, ""},
		{Skips{{"tag", parse.ReasonFenced}: 0}, ""},
		{Skips{{"tag", parse.ReasonFenced}: 3}, "3 tags were inside code fences; try --code=emit or --skipped"},
		{Skips{{"tag", parse.ReasonFenced}: 1}, "1 tag was inside a code fence; try --code=emit or --skipped"},
		{Skips{{"block", parse.ReasonFenced}: 1, {"tag", parse.ReasonFenced}: 1},
			"1 tag and 1 block were inside code fences; try --code=emit or --skipped"},
		{Skips{{"tag", parse.ReasonScheme}: 1, {"tag", parse.ReasonAttributes}: 2},
			"3 tags were skipped (attributes, scheme); try --skipped"},
		{Skips{{"record", parse.ReasonTooLong}: 2, {"tag", parse.ReasonTooLong}: 1},
			"1 tag and 2 records were skipped (too_long); try --skipped"},
		{Skips{{"tag", parse.ReasonCodeSpan}: 1, {"tag", parse.ReasonFenced}: 2, {"block", parse.ReasonTemplate}: 1},
			"2 tags were inside code fences, 1 tag was inside a code span, 1 block was skipped (template); try --code=emit or --skipped"},
	} {
		if got := ScanHints.Skipped(tt.skips); got != tt.want {
			t.Errorf("%v: %q\nwant %q", tt.skips, got, tt.want)
		}
	}
	if got, want := EventHints.Skipped(Skips{{"tag", parse.ReasonScheme}: 1}), "1 tag was skipped (scheme); see tagscan --skipped"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, tt := range []struct {
		line   int
		hidden int64
		want   string
	}{
		{12, 1, "line 12: a code fence opened here is never closed and hid 1 signal; try --code=emit or --skipped"},
		{3, 4, "line 3: a code fence opened here is never closed and hid 4 signals; try --code=emit or --skipped"},
	} {
		if got := ScanHints.Fence(tt.line, tt.hidden); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func ExampleStats() {
	s := Stats{Bytes: 2048, Lines: 40, Tags: 2, Skipped: Skips{{"tag", parse.ReasonFenced}: 3}}
	s.WriteTo(os.Stdout)
	fmt.Println(ScanHints.Skipped(s.Skipped))
	// Output:
	// bytes      2048  2.0 kB
	// lines        40
	// records       0
	// tags          2
	// blocks        0
	// artifacts     0
	// repeats       0
	// skipped       3
	//   fenced      3
	// 3 tags were inside code fences; try --code=emit or --skipped
}
