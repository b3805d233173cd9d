package asmtest

import "testing"

// canary is what a Guard fills its memory with, around the bytes that are handed out.
const canary = 0xa5

// Guard is memory between two pages that nobody may touch. It hands out one slice at a time, at
// either end, so that a kernel that reads or writes a byte too many faults there; Intact finds
// stray writes on the other side.
type Guard struct {
	memory []byte // all that may be touched
	start  int    // where the slice that was handed out last begins
	length int
}

// NewGuard returns a Guard for slices of up to size bytes. It is gone with the test.
func NewGuard(t testing.TB, size int) *Guard {
	t.Helper()
	return &Guard{memory: guarded(t, size)}
}

// Head returns size bytes that begin shift bytes after the page that nobody may touch.
func (g *Guard) Head(size, shift int) []byte { return g.at(shift, size) }

// Tail returns size bytes that end shift bytes before the page that nobody may touch.
func (g *Guard) Tail(size, shift int) []byte { return g.at(len(g.memory)-shift-size, size) }

// margin is how far from the slice stray writes are looked for: looking further would take most of
// a test's time.
const margin = 4096

func (g *Guard) at(start, size int) []byte {
	around := g.memory[max(0, start-margin):min(len(g.memory), start+size+margin)]
	for i := range around {
		around[i] = canary
	}
	g.start, g.length = start, size
	return g.memory[start : start+size : start+size]
}

// Intact reports whether nothing was written beside the slice that was handed out last.
func (g *Guard) Intact() bool {
	end := g.start + g.length
	return Untouched(g.memory[max(0, g.start-margin):g.start]) && Untouched(g.memory[end:min(len(g.memory), end+margin)])
}

// Untouched reports whether b, a part of what a Guard handed out, still is as it was then.
func Untouched(b []byte) bool {
	for _, c := range b {
		if c != canary {
			return false
		}
	}
	return true
}
