package codectest

import "testing"

// fence is the number of watched bytes on either side of a guarded buffer. Those behind it are
// within its capacity, where no bounds check detects writes.
const (
	fence  = 96
	canary = 0xa5
)

// guarded is a buffer between two fences.
type guarded struct {
	all []byte
	n   int
}

func newGuarded(n int) *guarded {
	g := &guarded{all: make([]byte, n+2*fence), n: n}
	for i := range fence {
		g.all[i] = canary
		g.all[fence+n+i] = canary
	}
	return g
}

func (g *guarded) bytes() []byte { return g.all[fence : fence+g.n] }

// check fails the test if a fence was written to.
func (g *guarded) check(t *testing.T, doing string) {
	t.Helper()
	for i := range fence {
		if g.all[i] != canary {
			t.Fatalf("%s wrote %d bytes before its output", doing, fence-i)
		}
		if g.all[fence+g.n+i] != canary {
			t.Fatalf("%s wrote %d bytes behind its output of %d", doing, i+1, g.n)
		}
	}
}
