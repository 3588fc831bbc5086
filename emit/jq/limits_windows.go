package jq

import (
	"syscall"
	"time"
)

// processTime is the processor time of all threads.
func processTime() time.Duration {
	var t [4]syscall.Filetime
	h, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(h, &t[0], &t[1], &t[2], &t[3]) != nil {
		return 0
	}
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(ticks(t[2])+ticks(t[3])) * 100
}
