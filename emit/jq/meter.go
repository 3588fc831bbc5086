package jq

import (
	"runtime/metrics"
	"time"
)

// A meter tells what the line in work has taken. It samples: the time between
// two looks is charged to the rule that is running at both.
type meter struct {
	clock func() time.Duration // processor time of the evaluation
	cpu   time.Duration        // by clock, at the last look
	then  time.Time            // of the last look

	line          uint64
	rule          int           // the last that was seen to run, from 1, or 0
	ruleCPU, list time.Duration // processor time of that rule, and of all
	wall          time.Duration // by the clock on the wall

	sizes [3]metrics.Sample
}

func newMeter(clock func() time.Duration) *meter {
	m := &meter{clock: clock, sizes: [...]metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}}
	m.resume()
	return m
}

// resume begins to measure here: what has passed since the last look is charged
// to nothing.
func (m *meter) resume() { m.cpu, m.then = m.clock(), time.Now() }

// look charges what has passed since the last look to what mark says is done
// now. It returns false for a line that it has not seen before, which is charged
// nothing yet.
func (m *meter) look(mark uint64) (seen bool) {
	cpu, then := m.cpu, m.then
	m.resume()
	spent := m.cpu - cpu
	// A process that was stopped did not take the time.
	took := min(m.then.Sub(then), 100*time.Millisecond)
	if line := mark >> phaseBits; line != m.line {
		m.line, m.rule = line, 0
		m.forgive()
		return false
	}
	phase := int(mark & phaseMask)
	if phase == 0 || phase == phaseDecode {
		return true
	}
	m.wall += took
	if phase == phaseEncode {
		return true
	}
	m.list += spent
	if phase == m.rule {
		m.ruleCPU += spent
	} else {
		m.rule, m.ruleCPU = phase, 0
	}
	return true
}

// forgive takes back what was charged.
func (m *meter) forgive() { m.ruleCPU, m.list, m.wall = 0, 0, 0 }

// blamed is the index of the rule that is at fault when a bound is passed.
func (m *meter) blamed() int { return max(m.rule, 1) - 1 }

func (m *meter) overTime(loading bool) bool {
	if loading { // the parent bounds the rest
		return m.ruleCPU > loadCPU
	}
	return m.ruleCPU > RuleCPU || m.list > ListCPU || m.wall > RuleWall
}

func (m *meter) overMemory() bool {
	metrics.Read(m.sizes[:])
	live, total, released := m.sizes[0].Value.Uint64(), m.sizes[1].Value.Uint64(), m.sizes[2].Value.Uint64()
	return live > workerHeap || total-released > workerData
}
