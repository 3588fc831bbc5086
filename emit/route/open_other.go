//go:build !unix

package route

import (
	"fmt"
	"os"
)

// openAppend opens a file for appending, or makes it. A link in its place is
// not followed.
func openAppend(name string) (*os.File, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
}
