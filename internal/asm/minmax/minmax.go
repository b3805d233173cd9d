// Package minmax finds the least and the greatest of numbers. The kernels compare a vector of
// numbers at a time; plain Go takes the extremes of the vectors that are left, and of short slices.
package minmax

import (
	"math"
	"unsafe"
)

// A Number is a type that has kernels.
type Number interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | float32
}

// leastBytes is the length of the shortest slice for a kernel, and of its result: a vector with the
// least numbers, then one with the greatest.
const leastBytes = 64

type vectors [leastBytes]byte

// Of returns the least and the greatest of values, which must not be empty. If any is NaN, both are
// NaN. −0 is less than 0.
func Of[T Number](values []T) (least, most T) {
	var out vectors

	size := int(unsafe.Sizeof(values[0])) * len(values)
	if size < leastBytes || !reduce[T]((*byte)(unsafe.Pointer(&values[0])), size, &out) {
		return generic(values)
	}

	if _, isFloat := any(least).(float32); isFloat {
		low, high := ends[int32](&out)
		a := number(low)
		b := number(high)
		if a != a || b != b {
			a = math.Float32frombits(nan)
			b = math.Float32frombits(nan)
		}
		return T(a), T(b)
	}
	return ends[T](&out)
}

const nan = 0x7fc00000

// number is the inverse of the order in which the kernel for float32 compares: as integers, with
// the bits of negative numbers inverted except for the sign. So NaN is at both ends.
func number(key int32) float32 {
	return math.Float32frombits(uint32(key ^ key>>31&math.MaxInt32))
}

// ends returns the extremes of a kernel's result.
func ends[T Number](out *vectors) (least, most T) {
	all := unsafe.Slice((*T)(unsafe.Pointer(out)), leastBytes/int(unsafe.Sizeof(least)))
	half := len(all) / 2
	least = all[0]
	most = all[half]
	for i, v := range all[:half] {
		least = min(least, v)
		most = max(most, all[half+i])
	}
	return least, most
}

// generic is the portable Of. It keeps four results of each kind that do not depend on each other.
func generic[T Number](values []T) (least, most T) {
	v := values[0]
	a := v
	b := v
	c := v
	d := v
	e := v
	f := v
	g := v
	h := v

	for ; len(values) >= 4; values = values[4:] {
		v := (*[4]T)(values)
		a = min(a, v[0])
		b = min(b, v[1])
		c = min(c, v[2])
		d = min(d, v[3])
		e = max(e, v[0])
		f = max(f, v[1])
		g = max(g, v[2])
		h = max(h, v[3])
	}

	for _, v := range values {
		a = min(a, v)
		e = max(e, v)
	}
	return min(a, b, c, d), max(e, f, g, h)
}
