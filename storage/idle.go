package storage

import (
	"math/bits"
	"sync"
)

// idle holds memory of discarded files for reuse, so that short-lived files do not always write to
// fresh pages that are in no cache (docs/decisions/0006-pooled-workspaces.md). It is sorted by
// capacity, with four classes per power of two.
var idle [4 * (maxIdleBits - minIdleBits)]sync.Pool // of *[]byte

// Memory of at least 2^minIdleBits and less than 2^maxIdleBits bytes is kept.
const (
	minIdleBits = 15
	maxIdleBits = 27
)

// idleClass returns the class of memory of capacity n, or -1.
func idleClass(n int) int {
	top := bits.Len(uint(n)) - 1
	if top < minIdleBits || top >= maxIdleBits {
		return -1
	}
	return 4*(top-minIdleBits) + n>>(top-2)&3
}

// takeIdle returns memory of capacity n to about 1.5 n, or nil. Its content is arbitrary.
func takeIdle(n int) []byte {
	class := idleClass(n)
	if class < 0 {
		return nil
	}

	// Memory of capacity n or slightly more is in the same class, which may also hold smaller
	// pieces, or in the next one.
	for _, c := range []int{class, class + 1} {
		if c == len(idle) {
			break
		}
		if b, ok := idle[c].Get().(*[]byte); ok && cap(*b) >= n {
			return (*b)[:0]
		}
	}
	return nil
}

func giveIdle(b []byte) {
	if class := idleClass(cap(b)); class >= 0 {
		b = b[:0]
		idle[class].Put(&b)
	}
}
