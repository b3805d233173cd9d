package filtertest

// Bytes returns pseudo-random bytes: the top bytes of a linear congruential generator that starts
// at seed. The golden values under shuffle/testdata were made from the same bytes.
func Bytes(size int, seed uint32) []byte {
	out := make([]byte, size)
	x := seed
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = byte(x >> 24)
	}
	return out
}

const (
	guardSize = 32
	guardByte = 0xa5
)

// guarded is memory that detects writes outside of it. Its capacity equals its length, so that
// reads beyond it panic.
type guarded struct {
	data  []byte
	whole []byte
	start int
}

func newGuarded(size, shift int) guarded {
	start := guardSize + shift
	whole := make([]byte, start+size+guardSize)
	for i := range whole {
		whole[i] = guardByte
	}
	return guarded{data: whole[start : start+size : start+size], whole: whole, start: start}
}

func (g guarded) intact() bool {
	for i, b := range g.whole {
		if inside := i >= g.start && i < g.start+len(g.data); !inside && b != guardByte {
			return false
		}
	}
	return true
}

// mismatch returns the first index at which a and b differ.
func mismatch(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
