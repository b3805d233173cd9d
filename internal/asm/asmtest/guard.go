package asmtest

import "testing"

// canary is what a Guard fills its memory with, around the bytes that are handed out.
const canary = 0xa5

// Guard is memory between two pages that nobody may touch. It hands out one slice at a time, at either end, so that a
// kernel that reads or writes a byte too many faults there; Intact finds stray writes on the other side.
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

func (g *Guard) at(start, size int) []byte {
	for i := range g.memory {
		g.memory[i] = canary
	}
	g.start, g.length = start, size
	return g.memory[start : start+size : start+size]
}

// Intact reports whether nothing was written beside the slice that was handed out last.
func (g *Guard) Intact() bool {
	return Untouched(g.memory[:g.start]) && Untouched(g.memory[g.start+g.length:])
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
