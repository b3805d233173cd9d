package golden_test

import (
	"fmt"
	"math/rand/v2"
)

// dense is an array as plain bytes in C order: what parts of it must be.
type dense struct {
	shape []int64
	item  int // bytes per element
	data  []byte
}

// each calls f with the bytes of every item of a box, in C order.
func (m *dense) each(start, stop []int64, f func(item []byte)) {
	var walk func(d int, at int64)
	walk = func(d int, at int64) {
		if d == len(m.shape) {
			f(m.data[at*int64(m.item):][:m.item])
			return
		}
		for c := start[d]; c < stop[d]; c++ {
			walk(d+1, at*m.shape[d]+c)
		}
	}
	walk(0, 0)
}

// box returns a copy of a box.
func (m *dense) box(start, stop []int64) []byte {
	var out []byte
	m.each(start, stop, func(item []byte) { out = append(out, item...) })
	return out
}

// setBox overwrites a box.
func (m *dense) setBox(start, stop []int64, src []byte) {
	m.each(start, stop, func(item []byte) { src = src[copy(item, src):] })
}

// count returns the number of items of a shape.
func count(shape []int64) int64 {
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	return n
}

// drawBox draws a box of some items, which may be empty, and now and then one of any size.
func drawBox(rng *rand.Rand, shape []int64) (start, stop []int64) {
	start, stop = make([]int64, len(shape)), make([]int64, len(shape))
	room, most := int64(200), int64(20)
	if rng.IntN(40) == 0 {
		room, most = count(shape), count(shape)
	}
	for d, n := range shape {
		start[d] = rng.Int64N(n + 1)
		stop[d] = start[d] + min(n-start[d], rng.Int64N(min(room, most)+1))
		room /= max(stop[d]-start[d], 1)
	}
	return start, stop
}

// differ describes the first byte in which two byte slices differ, or returns "".
func differ(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d of %d is %#02x, want %#02x", i, len(want), got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d bytes, want %d", len(got), len(want))
	}
	return ""
}
