package clean

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

func ExampleEscapes() {
	var e Escapes
	out := e.Append(nil, []byte("\x1b[1mOpened \x1b]8;;https://a.dev/1\x1b"))
	out = e.Append(out, []byte("\\#1\x1b]8;;\x07, \x1b[3"))
	out = e.Append(out, []byte("1mdone\x1b[0m"))
	out = e.EndLine(out)
	fmt.Printf("%s\n", out)
	// Output: Opened #1, done
}

func ExampleDecoder() {
	var d Decoder
	out := d.Append(nil, []byte{0xFF, 0xFE, 'o', 0})
	out = d.Append(out, []byte{'k', 0, 0x13})
	out = d.Append(out, []byte{0x27})
	out = d.Close(out)
	fmt.Printf("%s\n", out)
	// Output: ok✓
}

var escapeRows = []struct{ name, in, want string }{
	{"plain", "plain <jackin:pr>x</jackin:pr>", "plain <jackin:pr>x</jackin:pr>"},
	{"empty", "", ""},
	{"sgr", "\x1b[1m<jackin:\x1b[36mpr\x1b[0m>", "<jackin:pr>"},
	{"sgr without parameters", "a\x1b[mb", "ab"},
	{"sgr, colons and colours", "a\x1b[38:2::1:2:3mb\x1b[38;5;244mc", "abc"},
	{"private parameters", "\x1b[?2004h\x1b[>c\x1b[=1uok", "ok"},
	{"intermediate byte", "\x1b[4 qok\x1b[!pok", "okok"},
	{"final bytes at both ends", "\x1b[@a\x1b[~b", "ab"},
	{"charset", "a\x1b(Bb\x1b)0c\x1b%Gd", "abcd"},
	{"two bytes", "a\x1b7b\x1b8c\x1b=d\x1b>e\x1bMf\x1bcg", "abcdefg"},
	{"three bytes", "a\x1b#8b\x1b Fc", "abc"},
	{"several intermediates", "a\x1b$(Bb", "ab"},
	{"title", "\x1b]0;title\x07text", "text"},
	{"title, ST", "\x1b]0;title\x1b\\text", "text"},
	{"hyperlink", "see \x1b]8;id=1;https://a.dev/x\x1b\\the page\x1b]8;;\x1b\\.", "see the page."},
	{"empty string", "a\x1b]\x07b\x1b_\x1b\\c", "abc"},
	{"apc", "\x1b_bk;t=1729032357206\x07~~~ Running", "~~~ Running"},
	{"apc amid a line", "50%\x1b[K\x1b_bk;t=1\x07\x1b_bk;x=y;t=2\x1b\\ done", "50% done"},
	{"dcs", "a\x1bP1$r0m\x1b\\b", "ab"},
	{"pm", "a\x1b^secret\x1b\\b", "ab"},
	{"sos", "a\x1bXsecret\x07b", "ab"},
	{"tag in a string", "\x1b]0;<jackin:pr>x</jackin:pr>\x07a", "a"},
	{"utf-8 in a string", "a\x1b]0;t\u00eftle \u9c9c \x9c\x07b", "ab"},
	{"control in a string", "a\x1b]0;t\x01\x08\tx\x07b", "ab"},
	{"tmux passthrough", "a\x1bPtmux;\x1b\x1b]0;t\x07\x1b\\b", "ab"},
	{"sequence ends a string", "a\x1b]0;t\x1b[31mb", "ab"},
	{"string ends a string", "a\x1b]0;t\x1b]1;u\x07b", "ab"},
	{"cancelled string", "a\x1b]0;t\x18b\x1b_x\x1ac", "abc"},
	{"cancelled sequence", "a\x1b[3\x18b\x1b\x1ac\x1b(\x18d", "abcd"},
	{"restarted sequence", "a\x1b[3\x1b[1mb\x1b\x1b[1mc", "abc"},
	{"control in a sequence", "a\x1b[3\t1mb\x1b\x08[1mc\x1b(\x07Bd", "a\tb\x08c\x07d"},
	{"delete in a sequence", "a\x1b[3\x7f1mb", "ab"},
	{"disordered sequence", "a\x1b[1 2mb", "ab"},
	{"utf-8 in a sequence", "a\x1b[31\u00e9b\x1b\u00e9c\x1b(\u00e9d", "a\u00e9b\u00e9c\u00e9d"},
	{"8-bit controls stay", "a\xc2\x9b31mb\x9b1mc", "a\xc2\x9b31mb\x9b1mc"},
	{"other controls stay", "a\x08b\x07c\x00d\x7fe\vf\fg", "a\x08b\x07c\x00d\x7fe\vf\fg"},
	{"carriage return ends a string", "a\x1b]0;t\rb\x1b_t\r\nc", "a\rb\r\nc"},
	{"carriage return ends a sequence", "a\x1b[3\rb\x1b\nc\x1b(\rd", "a\rb\nc\rd"},
	{"unclosed sequence", "a\x1b[31", "a"},
	{"unclosed escape", "a\x1b", "a"},
	{"unclosed intermediate", "a\x1b(", "a"},
	{"unclosed string", "a\x1b]0;and the rest", "a"},
	{"half a terminator", "a\x1b]0;t\x1b", "a"},
	{"final byte taken", "a\x1b[31<jackin:pr>", "aackin:pr>"},
	{"console note", "Started by user \x1b[8mha:////4H+H6gi=\x1b[0madmin", "Started by user admin"},
	{"two console notes", "\x1b[8mha:////4A==\x1b[0m[Pipeline] sh\x1b[8mha:////B\x1b[0m", "[Pipeline] sh"},
	{"unclosed console note", "a\x1b[8mha:////4H", "a"},
	{"broken console note", "a\x1b[8mha:////4H b", "a b"},
	{"broken console note, line end", "a\x1b[8mha:////4H\rb", "a\rb"},
	{"concealed text", "a\x1b[8mha:// b\x1b[0m \x1b[8mhidden\x1b[0m", "aha:// b hidden"},
	{"concealed text at the end", "a\x1b[8mha:/", "aha:/"},
	{"concealed text, restarted", "\x1b[8mh\x1b[8mha:////AAAA\x1b[0mb", "hb"},
	{"not concealed", "a\x1b[18mha:////4H\x1b[88mha:////4H", "aha:////4Hha:////4H"},
}

// pieces calls f with b cut in two at every place, in single bytes and whole.
func pieces(b []byte, f func(cut string, pieces [][]byte)) {
	for i := range len(b) + 1 {
		f(fmt.Sprint("cut at ", i), [][]byte{b[:i], b[i:]})
	}
	single := [][]byte{}
	for i := range b {
		single = append(single, b[i:i+1])
	}
	f("single bytes", single)
}

func TestEscapes(t *testing.T) {
	for _, row := range escapeRows {
		t.Run(row.name, func(t *testing.T) {
			var e Escapes
			pieces([]byte(row.in), func(cut string, pieces [][]byte) {
				var out []byte
				for _, p := range pieces {
					p = bytes.Clone(p)
					out = e.Append(out, p)
					clear(p)
				}
				out = e.EndLine(out)
				if string(out) != row.want {
					t.Errorf("%s: %q, want %q", cut, out, row.want)
				}
				// Nothing leaks into the next line.
				if out = e.EndLine(e.Append(nil, []byte("m0;\x07next"))); string(out) != "m0;\x07next" {
					t.Errorf("%s: next line is %q", cut, out)
				}
			})
			in := []byte(row.in)
			if out := e.EndLine(e.Append(in[:0], in)); string(out) != row.want {
				t.Errorf("in place: %q, want %q", out, row.want)
			}
			if Has([]byte(row.in)) != strings.Contains(row.in, "\x1b") {
				t.Error("Has is wrong")
			}
		})
	}
}

func TestSkip(t *testing.T) {
	for _, row := range []struct {
		in   string
		want int
	}{
		{"", 0},
		{"text", 0},
		{"\x1b[31mtext", 5},
		{"\x1b[31m\x1b_bk;t=1\x07text", 14},
		{"\x1b[31m", 5},
		{"\x1b[31", -1},
		{"\x1b", -1},
		{"\x1b]0;x", -1},
		{"\x1b[0m\x1b[", -1},
		{"\x1b[8mtext", 4},
		{"\x1b[8mhat", 4},
		{"\x1b[8m", -1},
		{"\x1b[8mha", -1},
		{"\x1b[8mha:////AA\x1b[0mtext", 17},
		{"\x1b[0m\x1b[3\t1mtext", 4},
		{"\x1b[8\tmhat", 0},
		{"\x1b[3\u00e9", 3},
	} {
		if got := Skip([]byte(row.in)); got != row.want {
			t.Errorf("Skip(%q) = %d, want %d", row.in, got, row.want)
		}
	}
}

// TestSequenceEnds: what ends a sequence, so that what follows is text.
func TestSequenceEnds(t *testing.T) {
	for in, want := range map[string]bool{
		"": true, "text": true, "\x1b[1m": true, "\x1b]0;t\x07": true, "\x1b]0;t\x1b\\": true, "a\x1b[1\r": true,
		"\x1b": false, "\x1b[1": false, "\x1b(": false, "\x1b]0;t": false, "\x1b]0;t\x1b": false, "\x1b[8m": false, "\x1b[8mha:////A": false, "\x1b[8mx": true,
	} {
		var e Escapes
		e.Append(nil, []byte(in))
		if ended := e.state == ground; ended != want {
			t.Errorf("behind %q ended is %v", in, ended)
		}
		e.EndLine(nil)
		if e.state != ground {
			t.Errorf("the line %q does not end it", in)
		}
	}
}

func TestEscapesLongString(t *testing.T) {
	var e Escapes
	big := bytes.Repeat([]byte("0;\u00e9x"), 1<<14)
	dst := make([]byte, 0, 64)
	allocs := testing.AllocsPerRun(10, func() {
		dst = e.Append(dst[:0], []byte("a\x1b]"))
		for range 10 {
			dst = e.Append(dst, big)
		}
		dst = e.EndLine(e.Append(dst, []byte("\x07b")))
	})
	if string(dst) != "ab" || allocs != 0 {
		t.Errorf("%q with %v allocations, want \"ab\" with none", dst, allocs)
	}
}

func FuzzEscapes(f *testing.F) {
	for _, row := range escapeRows {
		f.Add([]byte(row.in), uint8(1), uint8(2))
	}
	f.Fuzz(func(t *testing.T, in []byte, a, b uint8) {
		var e Escapes
		whole := e.EndLine(e.Append(nil, in))
		step := []int{1 + int(a), 1 + int(b)}
		var out []byte
		for i, rest := 0, in; len(rest) > 0; i++ {
			n := min(step[i%2], len(rest))
			out = e.Append(out, rest[:n])
			rest = rest[n:]
		}
		if out = e.EndLine(out); !bytes.Equal(out, whole) {
			t.Fatalf("%q in pieces is %q, whole %q", in, out, whole)
		}
		if Has(out) {
			t.Fatalf("%q leaves an escape: %q", in, out)
		}
		if n := Skip(in); n > 0 {
			if rest := e.EndLine(e.Append(nil, in[n:])); !bytes.Equal(rest, whole) {
				t.Fatalf("%q behind its first %d bytes is %q, whole %q", in, n, rest, whole)
			}
		}
	})
}

func encode(order binary.AppendByteOrder, units ...uint16) []byte {
	var b []byte
	for _, u := range units {
		b = order.AppendUint16(b, u)
	}
	return b
}

var decoderRows = []struct {
	name string
	in   []byte
	want string
	pass bool // nothing is left to decode, however little has been read
}{
	{"empty", nil, "", false},
	{"plain", []byte("plain"), "plain", true},
	{"not UTF-8", []byte("\x80\xff\xfe"), "\x80\xff\xfe", true},
	{"UTF-8 mark", []byte("\xef\xbb\xbfabc\xef\xbb\xbf"), "abc\xef\xbb\xbf", true},
	{"no mark, same first byte", []byte("\xef\xbb\xbeabc"), "\xef\xbb\xbeabc", true},
	{"no mark, same first byte, 2", []byte("\xefabc"), "\xefabc", true},
	{"half a UTF-8 mark", []byte("\xef\xbb"), "\xef\xbb", false},
	{"half a UTF-16 mark", []byte("\xff"), "\xff", false},
	{"no UTF-16 mark", []byte("\xffabc"), "\xffabc", true},
	{"no UTF-16 mark, 2", []byte("\xfe\xfe"), "\xfe\xfe", true},
	{"little endian", encode(binary.LittleEndian, 0xFEFF, 'a', '\r', '\n', 0xE9, 0x2713, 0xD83D, 0xDE00), "a\r\n\u00e9\u2713\U0001F600", false},
	{"big endian", encode(binary.BigEndian, 0xFEFF, 'a', '\r', '\n', 0xE9, 0x2713, 0xD83D, 0xDE00), "a\r\n\u00e9\u2713\U0001F600", false},
	{"mark alone", []byte("\xff\xfe"), "", false},
	{"NUL and a second mark", encode(binary.LittleEndian, 0xFEFF, 0, 0xFEFF, 'a'), "\x00\ufeffa", false},
	{"odd byte", append(encode(binary.LittleEndian, 0xFEFF, 'a'), 'b'), "a\ufffd", false},
	{"lone low", encode(binary.BigEndian, 0xFEFF, 0xDC00, 'a'), "\ufffda", false},
	{"lone high", encode(binary.BigEndian, 0xFEFF, 0xD800, 'a'), "\ufffda", false},
	{"high, pair", encode(binary.BigEndian, 0xFEFF, 0xD83D, 0xD83D, 0xDE00), "\ufffd\U0001F600", false},
	{"high at the end", encode(binary.BigEndian, 0xFEFF, 'a', 0xD800), "a\ufffd", false},
	{"high and odd byte at the end", append(encode(binary.BigEndian, 0xFEFF, 0xD800), 0), "\ufffd\ufffd", false},
	{"last of the plane", encode(binary.LittleEndian, 0xFEFF, 0xFFFF, 0xDBFF, 0xDFFF), "\uffff\U0010FFFF", false},
}

func TestDecoder(t *testing.T) {
	for _, row := range decoderRows {
		t.Run(row.name, func(t *testing.T) {
			pieces(row.in, func(cut string, pieces [][]byte) {
				var d Decoder
				var out []byte
				for _, p := range pieces {
					p = bytes.Clone(p)
					out = d.Append(out, p)
					clear(p)
				}
				if d.Passthrough() != row.pass {
					t.Errorf("%s: Passthrough is %v", cut, d.Passthrough())
				}
				if out = d.Close(out); string(out) != row.want {
					t.Errorf("%s: %q, want %q", cut, out, row.want)
				}
			})
		})
	}
}

func FuzzDecoder(f *testing.F) {
	for _, row := range decoderRows {
		f.Add(row.in, uint8(0), uint8(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, a, b uint8) {
		want := string(in)
		var order binary.ByteOrder
		switch {
		case bytes.HasPrefix(in, []byte("\xff\xfe")):
			order = binary.LittleEndian
		case bytes.HasPrefix(in, []byte("\xfe\xff")):
			order = binary.BigEndian
		default:
			want = strings.TrimPrefix(want, "\ufeff")
		}
		if order != nil {
			var units []uint16
			i := 2
			for ; i+1 < len(in); i += 2 {
				units = append(units, order.Uint16(in[i:]))
			}
			want = string(utf16.Decode(units))
			if i < len(in) {
				want += "\ufffd"
			}
		}
		var d Decoder
		var out []byte
		step := []int{1 + int(a), 1 + int(b)}
		for i, rest := 0, in; len(rest) > 0; i++ {
			n := min(step[i%2], len(rest))
			out = d.Append(out, rest[:n])
			rest = rest[n:]
		}
		if out = d.Close(out); string(out) != want {
			t.Fatalf("%q is %q, want %q", in, out, want)
		}
	})
}

func BenchmarkEscapes(b *testing.B) {
	for _, bm := range []struct{ name, line string }{
		{"none", strings.Repeat("plain words of an agent ", 5)},
		{"coloured", "\x1b[38;5;244m\x1b[1m" + strings.Repeat("plain words of an agent ", 5) + "\x1b[22m\x1b[0m\x1b[K"},
		{"apc", "\x1b_bk;t=1729032357206\x07" + strings.Repeat("plain words of an agent ", 5)},
		{"string", "\x1b]0;" + strings.Repeat("title", 1000) + "\x07"},
		{"dense", strings.Repeat("\x1b[1mx", 1000)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			var e Escapes
			line := []byte(bm.line)
			dst := make([]byte, 0, len(line))
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				dst = e.EndLine(e.Append(dst[:0], line))
			}
		})
	}
}

func BenchmarkDecoder(b *testing.B) {
	in := encode(binary.LittleEndian, utf16.Encode([]rune(strings.Repeat("plain words of an agent ", 1000)))...)
	var d Decoder
	d.Append(nil, []byte("\xff\xfe"))
	dst := make([]byte, 0, len(in))
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		dst = d.Append(dst[:0], in)
	}
}
