package parse

import (
	"strings"
	"testing"

	"tagscan/parse/cuttest"
)

func TestCounts(t *testing.T) {
	const record = `{"type":"assistant","message":{"role":"assistant","content":"x"},"session_id":"s"}`
	for _, row := range []struct {
		in   string
		want Counts
	}{
		{"", Counts{}},
		{"a\nb", Counts{Lines: 2}},
		{"a\nb\n", Counts{Lines: 2}},
		{"\r\n\r\n", Counts{Lines: 2}},
		{record, Counts{Lines: 1, Records: 1}},
		{"\n" + record, Counts{Lines: 2, Records: 1}},
		{"\n" + record + "\n", Counts{Lines: 2, Records: 1}},
		{"[\n" + record + ",\n" + record + "\n]", Counts{Lines: 4, Records: 2}},
		{"[" + record + ",\n", Counts{Lines: 1, Records: 1}},
		{"{\n" + record[1:] + "\n{\n" + record[1:], Counts{Lines: 4, Records: 2}},
		{"{\n" + record[1:] + "\n" + record + "\n" + record + "\ntext", Counts{Lines: 5, Records: 3}},
		{strings.Repeat(" ", maxUnknown) + record, Counts{Lines: 1, Records: 1}},
		{strings.Repeat(" ", maxUnknown+1) + record + "\na", Counts{Lines: 2}},
		{"{\n" + record[1:] + "\n{\n" + record[1:len(record)-1], Counts{Lines: 4, Records: 1, Invalid: 1}},
		{"{\n" + record[1:len(record)-1], Counts{Lines: 2}},
		{record + "\n{torn\ntext\n" + record, Counts{Lines: 4, Records: 2, Invalid: 1}},
	} {
		row.want.Bytes = int64(len(row.in))
		for _, size := range []int{1, 1 << 20} {
			s := NewScanner(nobody{}, Options{})
			for b := []byte(row.in); ; {
				n := min(size, len(b))
				s.Write(b[:n])
				if b = b[n:]; len(b) == 0 {
					break
				}
			}
			s.Close()
			if got := s.Counts(); got != row.want {
				t.Errorf("%q in pieces of %d: %+v, want %+v", row.in, size, got, row.want)
			}
		}
	}
}

// TestRecordsOwnBytes: what stands around a record on its line is not of its length.
func TestRecordsOwnBytes(t *testing.T) {
	const record = `{"type":"assistant","message":{"role":"assistant","content":"x"},"session_id":"s"}`
	for _, around := range [][2]string{
		{"", "\n"}, {"", "\r\n"}, {"", "  \r\n"}, {"  ", "\n"}, {"data: ", "\r\n\r\n"}, {"data:", "\n\n"}, {"web-1  | ", "\r\n"},
		{"\x1b[1m", "\x1b[0m\n"}, {"2026-03-01T10:00:00.1234567Z ", "\r\n"}, {"2026-03-01T10:00:00.123456Z 00O ", "\r\n"},
	} {
		in := []byte("\n" + strings.Repeat(around[0]+record+around[1], 2))
		for over, want := range []Counts{{Records: 2}, {Invalid: 2}} {
			for _, cut := range cuttest.All {
				s := NewScanner(nobody{}, Options{MaxRecord: len(record) - over, Skips: true})
				cut.Into(in, func(p []byte) { s.Write(p) })
				s.Close()
				if got := s.Counts(); got.Records != want.Records || got.Invalid != want.Invalid {
					t.Errorf("%q, %d too long, cut into %s: %+v, want %+v", around, over, cut.Name, got, want)
				}
			}
		}
	}
}
