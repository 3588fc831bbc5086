//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package emit

import (
	"syscall"
	"unsafe"
)

// terminalWidth asks the terminal for its columns; 0 when it does not say.
func terminalWidth(fd uintptr) int {
	var size struct{ rows, cols, xpixels, ypixels uint16 } // struct winsize
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return 0
	}
	return int(size.cols)
}
