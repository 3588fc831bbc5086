package jq

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// limitMemory limits what the process can map: one mapping too many ends it,
// before any of it is used. Nor does it dump a core or write a file.
//
// RLIMIT_DATA alone would let one mapping of any size pass: Go maps memory over
// address space that it has reserved, and Linux takes what a mapping replaces
// off what it adds (mmap_region). RLIMIT_AS bounds the reserving. Go reserves
// 64 MiB at a time, and has one such arena when it starts.
func limitMemory() {
	const arena = 64 << 20
	limits := []struct {
		what  int
		limit uint64
	}{
		{syscall.RLIMIT_CORE, 0},
		{syscall.RLIMIT_FSIZE, 0},
		{syscall.RLIMIT_DATA, workerData + threadStacks()},
	}
	if size, ok := addressSpace(); ok {
		limits = append(limits, struct {
			what  int
			limit uint64
		}{syscall.RLIMIT_AS, size + workerData - arena + threadStacks()})
	}
	for _, l := range limits {
		// It can only fail where the limit is lower already.
		_ = syscall.Setrlimit(l.what, &syscall.Rlimit{Cur: l.limit, Max: l.limit})
	}
}

// addressSpace is the size of the process's address space in bytes.
func addressSpace() (uint64, bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	first, _, _ := strings.Cut(string(text), " ")
	pages, err := strconv.ParseUint(first, 10, 64)
	return pages * uint64(os.Getpagesize()), err == nil
}

// threadStacks is the address space of the stacks of the threads to come: in a
// binary that is linked with the C library, 8 MiB for each, all but unused.
func threadStacks() uint64 {
	maps, err := os.ReadFile("/proc/self/maps")
	if err == nil && strings.Contains(string(maps), ".so") {
		return 8 * 8 << 20
	}
	return 0
}

// threadClock is a clock of the processor time of the calling thread, to be
// read from any thread.
func threadClock() func() time.Duration {
	// See clock_getcpuclockid(3): the complement of the thread's number, and
	// the flags for one thread and for scheduler time.
	id := ^syscall.Gettid()<<3 | 6
	return func() time.Duration {
		if t, ok := readClock(id); ok {
			return t
		}
		return processTime()
	}
}

// timeOf is the processor time of a child.
func timeOf(pid int) (time.Duration, bool) { return readClock(^pid<<3 | 2) }

func readClock(id int) (time.Duration, bool) {
	var t syscall.Timespec
	_, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, uintptr(uint32(id)), uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano()), e == 0
}

// privateFiles keeps descriptors that this process was given from the worker.
func privateFiles() {
	const closeRange, cloexec = 436, 4 // close_range(2), since Linux 5.9
	_, _, _ = syscall.RawSyscall(closeRange, 3, ^uintptr(0)&0xffffffff, cloexec)
}

// self is the running binary, even when another was put in its place.
func self() (string, error) {
	const link = "/proc/self/exe"
	if _, err := os.Stat(link); err == nil {
		return link, nil
	}
	return os.Executable()
}
