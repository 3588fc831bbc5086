package scan

import (
	"os"
	"syscall"
)

// Widen asks for a larger pipe where f is one: its writer and its reader then
// take turns less often. A refusal changes nothing.
func Widen(f *os.File) {
	const setPipeSize = 1031 // F_SETPIPE_SZ of fcntl(2)
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, 1<<20) })
	}
}
