package asmtest

import "testing"

// canary is the byte with which a Guard fills the memory around its slices.
const canary = 0xa5

// A Guard is memory between two inaccessible pages. It returns one slice at a time, at either end,
// so that a kernel that reads or writes one byte too many there faults. Intact detects stray writes
// on the other side.
type Guard struct {
	memory []byte // the accessible part
	start  int    // where the current slice begins
	length int
}

// NewGuard returns a Guard for slices of up to size bytes. Its memory is released when the test
// ends.
func NewGuard(t testing.TB, size int) *Guard {
	t.Helper()
	return &Guard{memory: guarded(t, size)}
}

// Head returns size bytes that begin shift bytes after the first inaccessible page.
func (g *Guard) Head(size, shift int) []byte { return g.at(shift, size) }

// Tail returns size bytes that end shift bytes before the last inaccessible page.
func (g *Guard) Tail(size, shift int) []byte { return g.at(len(g.memory)-shift-size, size) }

// margin is the distance from the slice within which stray writes are detected. A larger margin
// would take most of a test's time.
const margin = 4096

func (g *Guard) at(start, size int) []byte {
	around := g.memory[max(0, start-margin):min(len(g.memory), start+size+margin)]
	for i := range around {
		around[i] = canary
	}
	g.start = start
	g.length = size
	return g.memory[start : start+size : start+size]
}

// Intact reports whether nothing was written around the current slice.
func (g *Guard) Intact() bool {
	end := g.start + g.length
	return Untouched(g.memory[max(0, g.start-margin):g.start]) && Untouched(g.memory[end:min(len(g.memory), end+margin)])
}

// Untouched reports whether b, a part of a Guard's slice, was never written to.
func Untouched(b []byte) bool {
	for _, c := range b {
		if c != canary {
			return false
		}
	}
	return true
}
