//go:build unix

package route

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// openAppend opens a file for appending, or makes it. A symbolic link in its
// place is not followed: whoever may write in the directory could point it at
// any file of the user's. Nor is a named pipe waited for.
func openAppend(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o666)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s: is a symbolic link, which is not followed", name)
	}
	return f, err
}
