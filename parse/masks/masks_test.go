package masks

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// letters are what may follow a '<' here.
var letters = func() *Set {
	var s Set
	for _, c := range "jm_~\x00\x1b" {
		s.Add(byte(c))
	}
	return &s
}()

// check compares words, marked and escape with what each byte of b is.
func check(t *testing.T, b []byte, words []Word, marked uint64, escape bool) {
	t.Helper()
	if want := bytes.IndexByte(b[:min(len(b), 64*len(words))], 0x1b) >= 0; escape != want {
		t.Fatalf("%q: escape %v, want %v", b, escape, want)
	}
	for i, w := range words {
		if got := marked>>i&1 == 1; got != (w.Mark != 0) {
			t.Fatalf("%q: word %d is marked: %v, and has the marks %x", b, i, got, w.Mark)
		}
		for j := range 64 {
			var c, next byte
			k := i*64 + j
			if k < len(b) {
				c = b[k]
			}
			if k+1 < len(b) {
				next = b[k+1]
			}
			digit := '0' <= next && next <= '?' || 0xe0 <= next && next <= 0xef || 0x10 <= next && next <= 0x1f
			tag := c == '<' && strings.IndexByte("jm_~\x00\x1b", next) >= 0
			want := [2]bool{c == '\n', tag || c == '\r' || c == '|' || c == '\t' && digit}
			if got := [2]bool{w.LF>>j&1 == 1, w.Mark>>j&1 == 1}; got != want {
				t.Fatalf("byte %d of %q: LF, Mark %v, want %v", k, b, got, want)
			}
		}
	}

	var want []int32
	for i := range min(len(b), 64*len(words)) {
		if b[i] == '\n' {
			want = append(want, int32(1000+i))
		}
	}
	ends := make([]int32, 64*len(words)+1)
	for _, f := range []func([]int32, []Word, int) int{Lines, portableLines} {
		if got := ends[:f(ends, words, 1000)]; !slices.Equal(got, want) {
			t.Fatalf("%q: lines end at %d, want %d", b, got, want)
		}
	}
}

var alphabet = "\n<\t\r|" + "\x0b\x0c\x08;={}\x00\x7f\x80\x8a\xbc\xff\xfc\xef\xe9\xf0 ajm_~Jz\x1b/09:"

func TestMake(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		if n == 399 {
			n = 5000
		}
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		checkMake(t, b)
	}
	for c := range 256 {
		b := bytes.Repeat([]byte{byte(c)}, 129)
		for i := range 32 {
			b[4*i] = "<\t"[i%2]
		}
		checkMake(t, b)
	}
}

// checkMake makes the masks of b, as much as goes at once, by all ways.
func checkMake(t *testing.T, b []byte) {
	t.Helper()
	words, marked, escape := Make(new(Words), b, letters)
	if want := min(64, (len(b)+63)/64); len(words) != want {
		t.Fatalf("%d bytes give %d words, want %d", len(b), len(words), want)
	}
	check(t, b, words, marked, escape)
	words = words[:min(len(words), max(len(b)-1, 0)/64)]
	marked, escape = portable(words, b, letters)
	check(t, b, words, marked, escape)
}

// wantNeedle is Needle, byte by byte.
func wantNeedle(b []byte) int {
	for i := range len(b) - 1 {
		pair := b[i : i+2]
		if pair[0] == '<' && letters.Has(pair[1]) || string(pair) == `\u` || string(pair) == "_S" {
			return i
		}
	}
	return -1
}

func checkNeedle(t *testing.T, b []byte) {
	t.Helper()
	want := wantNeedle(b)
	if got := Needle(b, letters); got != want {
		t.Fatalf("%q: %d, want %d", b, got, want)
	}
	if n := (len(b) - 1) / 64; len(b) > 64 {
		if want >= n*64 {
			want = -1
		}
		if got := portableNeedle(b, n, letters); got != want {
			t.Fatalf("portable %q: %d, want %d", b, got, want)
		}
	}
}

func TestNeedle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 300 {
		b := bytes.Repeat([]byte{' '}, n)
		checkNeedle(t, b)
		for _, pair := range []string{"<j", "<m", "<\x00", "<k", `\u`, `\n`, "_S", "_T", "u\\", "<<", "__", "<\xea"} {
			for range 4 {
				if n >= 2 {
					b := bytes.Clone(b)
					copy(b[r.IntN(n-1):], pair)
					checkNeedle(t, b)
				}
			}
		}
	}
}

func checkLine(t *testing.T, b []byte) {
	t.Helper()
	want := bytes.IndexByte(b, '\n')
	wantEscape := want >= 0 && bytes.IndexByte(b[:want], 0x1b) >= 0
	if n, escape := Line(b); n != want || escape != wantEscape {
		t.Fatalf("%q: a line of %d, escape %v, want %d, %v", b, n, escape, want, wantEscape)
	}
}

func TestLine(t *testing.T) {
	for n := range 600 {
		b := bytes.Repeat([]byte{'x'}, n)
		checkLine(t, b)
		for i := 0; i < n; i += 1 + n/7 {
			b := bytes.Clone(b)
			b[i] = '\n'
			checkLine(t, b)
			for _, at := range []int{0, i - 1, i + 1, i / 2, n - 1} {
				if at >= 0 && at < n && at != i {
					c := bytes.Clone(b)
					c[at] = 0x1b
					checkLine(t, c)
				}
			}
		}
	}
}

// checkHeads compares the Heads of what begins everywhere in b with what it is.
func checkHeads(t *testing.T, b []byte) {
	t.Helper()
	const behind = 3
	var starts []int32
	for i := 0; i+behind+8 <= len(b); i++ {
		starts = append(starts, int32(i))
	}
	heads := make([]Head, len(starts))
	Heads(heads, b, starts, behind)
	for i, h := range heads {
		line := b[i+behind:][:8]
		rest := bytes.TrimLeft(line, " \t")
		n := len(line) - len(rest)
		if deep := h&HeadDeep != 0; deep != (n > 6) || h&HeadBlank != 0 != (n > 0) {
			t.Fatalf("%q: %x, of %d blanks", line, h, n)
		} else if !deep && (byte(h&HeadByte) != rest[0] || h.Next() != rest[1]) {
			t.Fatalf("%q: %x", line, h)
		}
	}
}

func TestHeads(t *testing.T) {
	const blanks = "  \t\t   \n!\x08\x0a\x1f\x21-\x80\xa0\xff\x00"
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 100 {
		b := make([]byte, n)
		for i := range b {
			b[i] = blanks[r.IntN(len(blanks))]
		}
		checkHeads(t, b)
	}
	for n := range 9 {
		checkHeads(t, []byte("###"+strings.Repeat(" ", n)+"- item"+strings.Repeat("\t", n)+"x"))
	}
}

// wantQuote is Quote, byte by byte.
func wantQuote(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

func checkQuote(t *testing.T, b []byte) {
	t.Helper()
	want := wantQuote(b)
	if got := Quote(b); got != want {
		t.Fatalf("%q: %d, want %d", b, got, want)
	}
	if got := portableQuote(b, 0); got != want {
		t.Fatalf("portable, %q: %d, want %d", b, got, want)
	}
}

func TestQuote(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 300 {
		for _, s := range []string{`\`, `\a`, `\\\"`, `\\\\a"`, `"`, `a`} {
			b := make([]byte, n)
			for i := range b {
				b[i] = s[r.IntN(len(s))]
			}
			checkQuote(t, b)
			checkQuote(t, append(b, '"'))
			// Runs that end at, and reach over, the end of a block.
			run := []byte(strings.Repeat("a", max(0, n-r.IntN(10))) + strings.Repeat(`\`, n%140) + `"` + strings.Repeat("b", 70) + `"`)
			checkQuote(t, run)
		}
	}
}

func TestFits(t *testing.T) {
	patterns := map[string]string{
		"0":                                `^\d`,
		"a0-0 ":                            `^a\d-\d `,
		"0000-00-00T00:00:00Z x":           `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ x`,
		"0000000000000000/000000000000000": `^\d{16}/\d{15}`,
	}
	r := rand.New(rand.NewPCG(7, 8))
	for text, expr := range patterns {
		p, re := NewPattern(text), regexp.MustCompile(expr)
		for range 2000 {
			var b []byte
			var starts []int32
			var want uint64
			behind := r.IntN(5)
			for i := range 1 + r.IntN(64) {
				starts = append(starts, int32(len(b)))
				b = append(b, "\xff\n0aZ"[:behind]...)
				from := len(b)
				for _, c := range []byte(text) {
					if c == '0' {
						c += byte(r.IntN(10))
					}
					b = append(b, c)
				}
				if r.IntN(2) == 0 {
					b[from+r.IntN(len(text))] = "/:09\x00\xb0\xff\n "[r.IntN(9)]
				}
				if re.Match(b[from:]) {
					want |= 1 << i
				}
			}
			b = append(b, strings.Repeat("0", 32)...)
			if got := Fits(p, b, starts, behind); got != want {
				t.Fatalf("%q in %q: %b, want %b", text, b, got, want)
			}
			if got := portableFits(p, b[behind:], starts); got != want {
				t.Fatalf("portable %q in %q: %b, want %b", text, b, got, want)
			}
		}
	}
}

// checkText compares Text with what may be said of each byte of b: where an escape
// or the string ends, and what is none of it.
func checkText(t *testing.T, b []byte) {
	t.Helper()
	whole, end := []int{0}, len(b) // where no escape has begun
	for i := 0; i < len(b); {
		n := 1
		switch {
		case b[i] < 0x20 || b[i] == '"':
			n = 0
		case b[i] != '\\':
		case i+1 < len(b) && strings.IndexByte(`"\/bfnrt`, b[i+1]) >= 0:
			n = 2
		case i+5 < len(b) && b[i+1] == 'u':
			n = 2 // its digits are text as well
		default:
			n = 0
		}
		if n == 0 {
			end = i
			break
		}
		i += n
		whole = append(whole, i)
	}
	n := Text(b)
	if n < 2 || n > end || !slices.Contains(whole, n) {
		t.Fatalf("%q: %d bytes are text, want at most %d", b, n, end)
	}
}

func TestText(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	long := 0
	for range 30000 {
		b := []byte("ab")
		for n := r.IntN(300); len(b) < n; {
			piece := []string{"a", "word", `\n`, `\"`, `\/`, `\t`, "é"}[r.IntN(7)]
			if r.IntN(100) == 0 {
				piece = []string{`\\`, `\`, "\"", "\x1f", `\r`, `\x`, `\u00e9`}[r.IntN(7)]
			}
			b = append(b, piece...)
		}
		checkText(t, b)
		if Text(b) > 66 {
			long++
		}
	}
	if cpu.X86.HasAVX2 && long < 3000 {
		t.Errorf("of 30000 texts %d were looked at in long steps", long)
	}
}

func FuzzMake(f *testing.F) {
	f.Add([]byte(strings.Repeat("a\n<b\t", 30)))
	f.Fuzz(func(t *testing.T, b []byte) {
		for rest := b; len(rest) > 0; rest = rest[min(len(rest), 64*64):] {
			checkMake(t, rest)
		}
		checkNeedle(t, b)
		checkQuote(t, b)
		checkHeads(t, b)
		checkLine(t, b)
		checkText(t, append([]byte("ab"), b...))
	})
}

func BenchmarkMake(b *testing.B) {
	in := []byte(strings.Repeat("Most lines of what agents write are prose of some sixty bytes or code\n\tif err != nil { // that is indented by a tab\n", 3000))
	in = in[:64*64+1]
	var words Words
	for _, v := range []struct {
		name string
		f    func()
	}{
		{"machine", func() { Make(&words, in, letters) }},
		{"needle", func() { Needle(in, letters) }},
		{"portable", func() { portable(words[:], in, letters) }},
	} {
		b.Run(v.name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				v.f()
			}
		})
	}
}
