package parse

import (
	"strings"
	"testing"
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
