package wrap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func ExampleJoiner() {
	var s Stripper
	j := Joiner{Emit: func(p Part) { fmt.Printf("%d: %s\n", p.Line, p.Text) }}
	for i, line := range []string{
		`2026-01-18T05:46:00.100000Z 01O {"type":"ass`,
		`2026-01-18T05:46:00.200000Z 01E a warning`,
		`2026-01-18T05:46:00.300000Z 01O+istant"}`,
		`2026-01-18T05:46:00.400000Z 01O done`,
	} {
		text, info := s.Strip([]byte(line))
		j.Add(text, info, i+1)
	}
	j.Flush()
	// Output:
	// 1: {"type":"assistant"}
	// 2: a warning
	// 4: done
}

// numbered is the header of stream n, with the flag.
func numbered(n int, kind string) string {
	return fmt.Sprintf("2026-01-18T05:46:00.100000Z %02x%s", n, kind)
}

func TestJoiner(t *testing.T) {
	longest := strings.Repeat("x", 20)
	for _, row := range []struct {
		name string
		max  int
		in   []string
		want []string // "line:text", a '<' before it for a part that is not the first, '>' behind for one that is not the last
	}{
		{"whole lines", 0,
			[]string{numbered(1, "O a"), numbered(1, "O b"), numbered(1, "O ")},
			[]string{"1:a", "2:b", "3:"}},
		{"no wrapper", 0,
			[]string{"a", gh + "b", ""},
			[]string{"1:a", "2:b", "3:"}},
		{"continued", 0,
			[]string{numbered(1, "O a"), numbered(1, "O+b"), numbered(1, "O+ c"), numbered(1, "O d"), numbered(1, "O+e")},
			[]string{"1:ab c", "4:de"}},
		{"runner's progress bar", 0,
			[]string{gl + "PREFIX Progress bar: .\r", glMore + ".\r", glMore + ".\r", glMore + "Done.\r", gl + "PREFIX Another windows new-line\r", gl + "PREFIX multiple", gl + "lines"},
			[]string{"1:PREFIX Progress bar: .\r.\r.\rDone.\r", "5:PREFIX Another windows new-line\r", "6:PREFIX multiple", "7:lines"}},
		{"interleaved", 0,
			[]string{numbered(1, "O a"), numbered(1, "E x"), numbered(0, "O p"), numbered(1, "O+b"), numbered(1, "E+y"), numbered(1, "O c"), numbered(0, "O+q")},
			[]string{"1:ab", "2:xy", "3:pq", "6:c"}},
		{"out in the order of their beginnings", 0,
			[]string{numbered(9, "E a"), numbered(3, "O b"), numbered(9, "E c"), numbered(255, "O d")},
			[]string{"1:a", "2:b", "3:c", "4:d"}},
		{"continues nothing", 0,
			[]string{numbered(1, "O+a"), numbered(1, "O+b"), numbered(2, "O+c")},
			[]string{"1:ab", "3:c"}},
		{"two headers", 0,
			[]string{numbered(1, "O a"), numbered(1, "O ") + numbered(1, "O+b"), numbered(1, "O+c")},
			[]string{"1:a", "2:bc"}},
		{"a line without header", 0,
			[]string{numbered(1, "O a"), numbered(1, "E b"), "text", numbered(1, "O+c")},
			[]string{"1:a", "2:b", "3:text", "4:c"}},
		{"a section mark cut at its CR", 0,
			[]string{numbered(0, "O section_start:1:prepare\r"), numbered(0, "O+\x1b[0KRunning"), numbered(0, "O section_end:1:prepare\r\x1b[0K"), numbered(0, "O+section_start:2:a\r"), numbered(0, "O+\x1b[0Ktext\r")},
			[]string{"1:Running", "3:text\r"}},
		{"as long as may be", 20,
			[]string{numbered(1, "O "+longest[:15]), numbered(1, "O+"+longest[15:]), numbered(1, "O a")},
			[]string{"1:" + longest, "3:a"}},
		{"too long", 20,
			[]string{numbered(1, "O "+longest[:15]), numbered(1, "O+"+longest[:6]), numbered(1, "O+b"), numbered(1, "O a"), numbered(1, "O b")},
			[]string{"1:" + longest[:15] + ">", "<1:" + longest[:6] + ">", "<1:b>", "<1:", "4:a", "5:b"}},
		{"too long at once", 20,
			[]string{numbered(1, "O "+longest+"x"), numbered(1, "O+b"), numbered(1, "O a")},
			[]string{"1:" + longest + "x>", "<1:b>", "<1:", "3:a"}},
		{"too long, interleaved", 20,
			[]string{numbered(1, "O "+longest), numbered(2, "O a"), numbered(1, "O+b"), numbered(2, "O+c"), numbered(1, "O d")},
			[]string{"1:" + longest + ">", "<1:b>", "<1:", "2:ac", "5:d"}},
		{"too long in all", 20,
			[]string{numbered(1, "O 1234567"), numbered(2, "O 12345678"), numbered(3, "O 123456"), numbered(4, "O "+longest), numbered(2, "O+x"), numbered(1, "O a")},
			[]string{"2:12345678>", "1:1234567>", "3:123456>", "<2:x>", "<1:", "4:" + longest + ">", "<2:", "<3:", "<4:", "6:a"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			j := Joiner{Max: row.max, Emit: func(p Part) {
				s := fmt.Sprintf("%d:%s", p.Line, p.Text)
				if !p.First {
					s = "<" + s
				}
				if !p.Last {
					s += ">"
				}
				got = append(got, s)
			}}
			var s Stripper
			for i, line := range row.in {
				in := []byte(line)
				text, info := s.Strip(in)
				j.Add(text, info, i+1)
				clear(in)
				if j.held > j.max() {
					t.Errorf("%d bytes are held behind line %d", j.held, i+1)
				}
			}
			j.Flush()
			if len(j.order) > 0 || j.held != 0 {
				t.Errorf("%d lines and %d bytes are left", len(j.order), j.held)
			}
			if !slices.Equal(sorted(got), sorted(row.want)) {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
			for _, stream := range []string{"1:", "2:", "3:", "4:"} { // in order within each line
				if a, b := of(got, stream), of(row.want, stream); !slices.Equal(a, b) {
					t.Errorf("got  %q\nwant %q", a, b)
				}
			}
		})
	}
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

func of(parts []string, line string) (out []string) {
	for _, p := range parts {
		if strings.HasPrefix(strings.TrimPrefix(p, "<"), line) {
			out = append(out, p)
		}
	}
	return out
}

// A line that has begun before another comes out before it, unless it may be cut
// where that makes a difference.
func TestJoinerSettles(t *testing.T) {
	for _, row := range []struct {
		text  string
		first bool
	}{
		{"Running on a runner", true},
		{"", true},
		{"\x1b[0K\x1b[36;1mPreparing\x1b[0;m", true},
		{"[INFO] ok {done}\r", true},
		{"<jackin:note>x</jackin:note> a", true},
		{`{"type":"assistant"}`, true},
		{`{"type":"assis`, false},
		{`{"message":{"id":"msg"}`, false},
		{`data: [{"a":1},`, false},
		{"<jack", false},
		{"<jackin:note>cut", false},
		{"<jackin:note>x</jack", false},
		{"section_start:1:prepare\r", false},
		{strings.Repeat("x", 8<<10), false},
	} {
		var got []int
		j := Joiner{Emit: func(p Part) { got = append(got, p.Line) }}
		j.Add([]byte(row.text), Info{GitLab: true, Stream: [3]byte{'0', '0', 'O'}}, 1)
		j.Add([]byte("a"), Info{GitLab: true, Stream: [3]byte{'0', '1', 'O'}}, 2)
		if got != nil {
			t.Errorf("%.40q: behind one line of another stream come %v", row.text, got)
		}
		j.Add([]byte("b"), Info{GitLab: true, Stream: [3]byte{'0', '1', 'O'}}, 3)
		want := []int{2}
		if row.first {
			want = []int{1, 2}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.40q: come %v, want %v", row.text, got, want)
		}
	}
}

// When lines come out: at the next of their stream, and at the end in order.
func TestJoinerOrder(t *testing.T) {
	var got []int
	j := Joiner{Emit: func(p Part) { got = append(got, p.Line) }}
	line := 0
	add := func(n int, want ...int) {
		t.Helper()
		line++
		got = nil
		j.Add([]byte("x"), Info{GitLab: true, Stream: [3]byte{'0', "0123456789abcdef"[n], 'O'}}, line)
		if !slices.Equal(got, want) {
			t.Errorf("with line %d come %v, want %v", line, got, want)
		}
	}
	add(5)
	add(11)
	add(3)
	add(11, 1, 2)
	add(7)
	add(5)
	got = nil
	j.Flush()
	if want := []int{3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("at the end come %v, want %v", got, want)
	}
	got = nil
	if j.Flush(); got != nil {
		t.Errorf("behind the end come %v", got)
	}
}

func FuzzJoiner(f *testing.F) {
	f.Add([]byte("\x01a\x11b\x81c\x01d"), uint8(10))
	f.Add([]byte("\x01abcdefgh\x81ijkl\x81mnop\x01\x81"), uint8(5))
	f.Fuzz(func(t *testing.T, in []byte, max uint8) {
		// Each byte below 0x20 or from 0x80 to 0x9F starts a physical line of a
		// stream, the latter a continuation; other bytes are its text.
		want := map[int]string{}
		got := map[int]string{}
		done := map[int]bool{}
		j := Joiner{Max: int(max) + 1, Emit: func(p Part) {
			if done[p.Line] || p.First != (got[p.Line] == "" && !has(got, p.Line)) {
				t.Fatalf("part out of order: %+v", p)
			}
			got[p.Line] += string(p.Text)
			done[p.Line] = p.Last
		}}
		first := map[byte]int{}
		line := 0
		for i := 0; i < len(in); {
			c := in[i]
			i++
			if c&0x60 != 0 {
				continue
			}
			start := i
			for i < len(in) && in[i]&0x60 != 0 {
				i++
			}
			text := in[start:i]
			line++
			id := c & 0x1F
			more := c&0x80 != 0
			// A line that looked complete may have come out before a later one.
			if n, ok := first[id]; ok && more && !(done[n] && !looksCut([]byte(want[n]))) {
				want[n] += string(text)
			} else {
				first[id] = line
				want[line] = string(text)
			}
			j.Add(text, Info{GitLab: true, Stream: [3]byte{"01"[id>>4], "0123456789abcdef"[id&15], 'E'}, Continued: more}, line)
			if j.held > j.max() {
				t.Fatalf("%d bytes held of %d", j.held, j.max())
			}
		}
		j.Flush()
		for n, text := range want {
			if got[n] != text || !done[n] {
				t.Fatalf("line %d is %q, want %q", n, got[n], text)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d lines, want %d", len(got), len(want))
		}
	})
}

func has(m map[int]string, n int) bool { _, ok := m[n]; return ok }

func BenchmarkJoiner(b *testing.B) {
	var s Stripper
	j := Joiner{Emit: func(Part) {}}
	piece := strings.Repeat("x", 100)
	lines := [][]byte{[]byte(numbered(1, "O "+piece)), []byte(numbered(1, "E "+piece)), []byte(numbered(1, "O+"+piece))}
	b.SetBytes(int64(3 * len(lines[0])))
	b.ReportAllocs()
	for b.Loop() {
		for i, line := range lines {
			text, info := s.Strip(line)
			j.Add(text, info, i)
		}
	}
}
