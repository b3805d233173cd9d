package storage

import (
	"math/bits"
	"sync"
)

// Memory of discarded files waits here for others, so that short-lived ones are not always written
// to memory that the system has yet to find and that no cache holds
// (docs/decisions/0006-pooled-workspaces.md). It is sorted by capacity, four classes to each power
// of two.
var idle [4 * (mostIdle - leastIdle)]sync.Pool // of *[]byte

// Pieces of 2^leastIdle up to, not including, 2^mostIdle bytes are worth keeping.
const (
	leastIdle = 15
	mostIdle  = 27
)

// idleClass returns the class of memory with a capacity of n bytes, or -1.
func idleClass(n int) int {
	top := bits.Len(uint(n)) - 1
	if top < leastIdle || top >= mostIdle {
		return -1
	}
	return 4*(top-leastIdle) + n>>(top-2)&3
}

// takeIdle returns memory for n bytes and at most half as many more, or nil. What is in it means
// nothing.
func takeIdle(n int) []byte {
	class := idleClass(n)
	if class < 0 {
		return nil
	}
	// What is as large as n or a little larger is in the same class, as are smaller ones, or it is
	// in the next.
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
