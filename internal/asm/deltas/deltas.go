// Package deltas replaces integers by their differences from others at a distance before them.
package deltas

import "unsafe"

// A Latent is an integer.
type Latent interface {
	uint8 | uint16 | uint32 | uint64
}

// Take replaces integers by what each is more than the one at a positive distance before it. The
// first ones stay.
func Take[L Latent](k []L, distance int) {
	n := len(k) - distance
	if n <= 0 {
		return
	}

	// From the end on, so that what is taken away has not changed.
	n -= take(k, distance)
	for i := distance + n - 1; i >= distance; i-- {
		k[i] -= k[i-distance]
	}
}

// vectorBytes is what a kernel takes at once.
const vectorBytes = 64

// vectors returns how many vectors there are among n integers, and how many integers in these.
func vectors[L Latent](n int) (whole, in int) {
	each := vectorBytes / int(unsafe.Sizeof(L(0)))
	return n / each, n / each * each
}
