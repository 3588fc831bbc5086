package store

import (
	"bytes"
	"runtime"
	"testing"
)

func TestStore(t *testing.T) {
	for _, max := range []int{0, Near, 4 * Near, 64 * Near} {
		s := Store{Max: max}
		for round := range 3 {
			var want []byte
			for i := range 20 * Near / 1000 {
				piece := bytes.Repeat([]byte{byte(i), byte(round)}, 500)
				s.Append(piece)
				want = append(want, piece...)
				if s.Len() != len(want) {
					t.Fatalf("max %d: %d bytes, want %d", max, s.Len(), len(want))
				}
			}
			if !bytes.Equal(s.Bytes(), want) {
				t.Fatalf("max %d, round %d: other bytes", max, round)
			}
			s.Drop(1000, 7)
			if !bytes.Equal(s.Bytes(), want[1000:1007]) {
				t.Fatalf("max %d: % x are left", max, s.Bytes())
			}
			s.Append([]byte("x"))
			if !bytes.Equal(s.Bytes(), append(want[1000:1007:1007], 'x')) {
				t.Fatalf("max %d: % x", max, s.Bytes())
			}
			switch round {
			case 0:
				s.Close()
			case 1:
				s.Reset()
			case 2:
				s.Append(bytes.Repeat([]byte{'y'}, 2*Near))
				b := s.Take()
				s.Append(bytes.Repeat([]byte{'z'}, 2*Near))
				if len(b) != 8+2*Near || b[8] != 'y' {
					t.Fatalf("max %d: %d bytes were taken", max, len(b))
				}
				s.Reset()
			}
			if s.Len() != 0 {
				t.Fatalf("max %d: %d bytes are left", max, s.Len())
			}
		}
		s.Close()
	}
}

// What a long one took is kept for a while, and then given back.
func TestPatience(t *testing.T) {
	s := Store{Max: 8 * Near}
	defer s.Close()
	s.Append(make([]byte, 4*Near))
	s.Reset()
	if s.far == nil {
		t.Skip("the system lends no memory here")
	}
	for i := range patience {
		if s.used != 4*Near {
			t.Fatalf("%d bytes are kept behind %d short ones, want %d", s.used, i, 4*Near)
		}
		s.Append([]byte("short"))
		if string(s.Bytes()) != "short" {
			t.Fatalf("%q", s.Bytes())
		}
		s.Reset()
	}
	if s.used != 0 || cap(s.b) != 0 {
		t.Errorf("%d bytes are kept behind %d short ones", s.used, patience)
	}
	s.Append(make([]byte, 2*Near))
	for i, b := range s.Bytes() {
		if b != 0 {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
}

func TestArray(t *testing.T) {
	type pair struct{ a, b uint32 }
	for _, n := range []int{0, 1, 64, farArray / 8, farArray, 1 << 20} {
		a := NewArray[pair](n)
		if len(a.V) != n {
			t.Fatalf("%d values, want %d", len(a.V), n)
		}
		for i := range a.V {
			if a.V[i] != (pair{}) {
				t.Fatalf("value %d of %d is %v at first", i, n, a.V[i])
			}
			a.V[i] = pair{uint32(i), uint32(n)}
		}
		b := NewArray[pair](n)
		runtime.GC() // what is still known of stays
		for i := range a.V {
			if a.V[i] != (pair{uint32(i), uint32(n)}) || b.V[i] != (pair{}) {
				t.Fatalf("value %d of %d is %v and %v", i, n, a.V[i], b.V[i])
			}
		}
		a.Free()
		b.Free()
		if a.V != nil || b.V != nil {
			t.Fatal("they are still there")
		}
	}
	// Nobody frees these.
	for range 100 {
		NewArray[pair](1 << 20).V[0].a = 1
	}
	runtime.GC()
}
