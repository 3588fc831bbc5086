//go:build !linux

package scan

import (
	"io"
	"os"
)

// Input returns what reads f, as fast as this system can.
func Input(f *os.File) io.Reader { return f }
