//go:build !race

package jq

const raceEnabled = false
