//go:build !linux

package jq

import (
	"os"
	"time"
)

// Where the system enforces no limit on a process's data, the worker watches
// its own size.
func limitMemory() {}

func threadClock() func() time.Duration { return processTime }

func timeOf(int) (time.Duration, bool) { return 0, false }

func privateFiles() {}

func self() (string, error) { return os.Executable() }
