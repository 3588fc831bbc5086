//go:build race

package jq

// raceEnabled: the race detector maps memory without end, so that the system's
// limits cannot be set; the worker's watcher is all there is.
const raceEnabled = true
