package store

import (
	"bytes"
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
