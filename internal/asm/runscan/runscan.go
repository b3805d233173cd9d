// Package runscan contains the vector kernels that check whether memory repeats its beginning.
//
// The kernels process whole groups of vectors from the first one on. Plain Go does the rest, and
// handles periods without a kernel.
package runscan

import "bytes"

// Each period with a kernel divides one of these.
const (
	lineBytes  = 32
	threeLines = 3 * lineBytes
	groupBytes = 6 * lineBytes // a multiple of both that kernels process at once
)

// Repeats reports whether b[i] is b[i-period] for every i from period on. period is at least 1.
func Repeats(b []byte, period int) bool {
	if len(b) <= period {
		return true
	}

	lines := linesOf(period)
	if lines == 0 || len(b) < groupBytes || b[0] != b[period] {
		return bytes.Equal(b[period:], b[:len(b)-period])
	}

	known := lines * lineBytes
	if !bytes.Equal(b[period:known], b[:known-period]) {
		return false
	}

	groups := len(b) / groupBytes
	if !same(b, lines, groups) {
		return false
	}

	end := groups * groupBytes
	return bytes.Equal(b[end:], b[end-known:len(b)-known])
}

// linesOf returns how many vectors contain a whole number of periods, or 0 if there is no kernel.
func linesOf(period int) int {
	switch {
	case !present():
		return 0
	case lineBytes%period == 0:
		return 1
	case threeLines%period == 0:
		return 3
	}
	return 0
}
