package jq

import (
	"syscall"
	"time"
	"unsafe"
)

// limitMemory limits what the process can map for data: one mapping too many
// ends it, before any of it is used. Nor does it dump a core or write a file.
func limitMemory() {
	for what, limit := range map[int]uint64{
		syscall.RLIMIT_DATA:  workerData,
		syscall.RLIMIT_CORE:  0,
		syscall.RLIMIT_FSIZE: 0,
	} {
		// It can only fail where the limit is lower already.
		_ = syscall.Setrlimit(what, &syscall.Rlimit{Cur: limit, Max: limit})
	}
}

// threadClock is a clock of the processor time of the calling thread, to be
// read from any thread.
func threadClock() func() time.Duration {
	// See clock_getcpuclockid(3): the complement of the thread's number, and
	// the flags for one thread and for scheduler time.
	id := uintptr(uint32(^syscall.Gettid()<<3 | 6))
	return func() time.Duration {
		var t syscall.Timespec
		if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0); e != 0 {
			return processTime()
		}
		return time.Duration(t.Nano())
	}
}

// privateFiles keeps descriptors that this process was given from the worker.
func privateFiles() {
	const closeRange, cloexec = 436, 4 // close_range(2), since Linux 5.9
	_, _, _ = syscall.RawSyscall(closeRange, 3, ^uintptr(0)&0xffffffff, cloexec)
}

// self is the running binary, even when another was put in its place.
func self() (string, error) { return "/proc/self/exe", nil }
