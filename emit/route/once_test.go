package route

import (
	"fmt"
	"testing"
)

// TestSubjects remembers exactly the newest, in an order that makes the table
// wrap and close its holes many times.
func TestSubjects(t *testing.T) {
	var s subjects
	const n = 3*newestSubjects + 1000
	name := func(i int) string { return fmt.Sprintf("https://github.com/acme/core/pull/%d", i) }
	for i := range n {
		if s.seen(name(i)) {
			t.Fatalf("%d was never there", i)
		}
	}
	for i := n - newestSubjects; i < n; i++ {
		if !s.seen(name(i)) {
			t.Fatalf("%d is among the newest", i)
		}
	}
	if s.seen(name(n - newestSubjects - 1)) {
		t.Error("one more than the newest is remembered")
	}
	used := 0
	for _, sum := range s.table {
		if sum != 0 {
			used++
		}
	}
	if used != newestSubjects || len(s.ring) != newestSubjects || len(s.table) != 2*newestSubjects {
		t.Errorf("%d of %d places used, %d in the ring", used, len(s.table), len(s.ring))
	}
}
