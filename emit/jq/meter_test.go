package jq

import (
	"testing"
	"time"
)

// What a line takes is charged to the rule that runs at two looks, one after the
// other, and to the list whichever rule it is.
func TestMeter(t *testing.T) {
	const ms = time.Millisecond
	var cpu time.Duration
	m := newMeter(func() time.Duration { return cpu })
	for _, step := range []struct {
		name          string
		line          uint64
		phase         int
		spent         time.Duration
		seen          bool
		blamed        int
		ruleCPU, list time.Duration
		over          bool
	}{
		{"a new line", 1, 1, 90 * ms, false, 0, 0, 0, false},
		{"a rule begins", 1, 1, 20 * ms, true, 0, 0, 20 * ms, false},
		{"it goes on", 1, 1, 30 * ms, true, 0, 30 * ms, 50 * ms, false},
		{"the next begins", 1, 2, 30 * ms, true, 1, 0, 80 * ms, false},
		{"reading is no rule's", 1, phaseDecode, 90 * ms, true, 1, 0, 80 * ms, false},
		{"nor is encoding", 1, phaseEncode, 90 * ms, true, 1, 0, 80 * ms, false},
		{"nor waiting", 1, 0, 90 * ms, true, 1, 0, 80 * ms, false},
		{"a rule takes all it may", 1, 2, RuleCPU, true, 1, RuleCPU, 80*ms + RuleCPU, false},
		{"and more", 1, 2, ms, true, 1, RuleCPU + ms, 81*ms + RuleCPU, true},
		{"the next line", 2, 2, 90 * ms, false, 0, 0, 0, false},
		{"a list takes too long", 2, 3, ListCPU + ms, true, 2, 0, ListCPU + ms, true},
	} {
		cpu += step.spent
		seen := m.look(step.line<<phaseBits | uint64(step.phase))
		if seen != step.seen || m.blamed() != step.blamed || m.ruleCPU != step.ruleCPU || m.list != step.list || m.overTime(false) != step.over {
			t.Errorf("%s: seen %v, rule %d with %v of %v, over %v", step.name, seen, m.blamed(), m.ruleCPU, m.list, m.overTime(false))
		}
	}
}
