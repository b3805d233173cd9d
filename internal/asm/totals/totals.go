// Package totals adds numbers. Kernels add whole vectors. Plain Go adds the rest, and everything
// where there is no kernel, in the same order where that matters.
package totals

import "unsafe"

// An Integer is a type whose sums have kernels.
type Integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32
}

const (
	groupBytes = 64 // what a kernel for integers adds at once
	// maxBytes is the most that such a kernel adds in one call: those for 16 bits add in 32.
	maxBytes = 512 << 10
)

// lanes are the sums of a kernel for integers: four of 64 bits, or eight of 32.
type lanes [4]int64

// Ints returns the sum of values, modulo 2⁶⁴.
func Ints[T Integer](values []T) (sum int64) {
	size := int(unsafe.Sizeof(T(0)))
	for len(values)*size >= groupBytes {
		n := min(len(values)*size, maxBytes) &^ (groupBytes - 1)
		part, ok := add[T]((*byte)(unsafe.Pointer(&values[0])), n)
		if !ok {
			break
		}
		sum += part
		values = values[n/size:]
	}
	return sum + ints(values)
}

// ints is the portable Ints.
func ints[T Integer](values []T) int64 {
	var p, q, r, s int64
	for ; len(values) >= 8; values = values[8:] {
		v := (*[8]T)(values)
		p = p + int64(v[0]) + int64(v[4])
		q = q + int64(v[1]) + int64(v[5])
		r = r + int64(v[2]) + int64(v[6])
		s = s + int64(v[3]) + int64(v[7])
	}

	for _, v := range values {
		p += int64(v)
	}
	return p + q + r + s
}

// A Float is a type whose sums have kernels.
type Float interface{ float32 | float64 }

// Floats returns the sum of values, in eight parts of every eighth value each, which are added in
// pairs. The rest belongs to the first part.
func Floats[T Float](values []T) float64 {
	var p [8]float64

	n := len(values) / len(p)
	if n == 0 || !addFloats(&values[0], n, &p) {
		floats(values[:n*len(p)], &p)
	}

	for _, v := range values[n*len(p):] {
		p[0] += float64(v)
	}
	return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]))
}

// floats is the portable addFloats.
func floats[T Float](values []T, p *[8]float64) {
	a := p[0]
	b := p[1]
	c := p[2]
	d := p[3]
	e := p[4]
	f := p[5]
	g := p[6]
	h := p[7]

	for ; len(values) >= 8; values = values[8:] {
		v := (*[8]T)(values)
		a += float64(v[0])
		b += float64(v[1])
		c += float64(v[2])
		d += float64(v[3])
		e += float64(v[4])
		f += float64(v[5])
		g += float64(v[6])
		h += float64(v[7])
	}

	*p = [8]float64{a, b, c, d, e, f, g, h}
}

// columnGroup is how many sums of columns a kernel has at once.
const columnGroup = 4

// Columns adds one value of each row to each of the sums, as far as there is a kernel, and returns
// how many sums it is done with. Rows begin pitch values apart. Eight of them are added to each
// other in pairs before they are added to the sums; those left over are added one by one.
func Columns[T Float](sums []float64, values []T, rows, pitch int) int {
	groups := len(sums) / columnGroup
	if groups == 0 || rows == 0 || !columns() {
		return 0
	}
	_ = values[(rows-1)*pitch:][:len(sums)]

	for ; rows >= 8; rows -= 8 {
		addRows(sums, &values[0], pitch, groups)
		values = values[min(8*pitch, len(values)):]
	}
	for ; rows > 0; rows-- {
		addRow(sums, &values[0], groups)
		values = values[min(pitch, len(values)):]
	}
	return groups * columnGroup
}

// Twice adds values to sums of twice the precision of float64, as twosum.Add does with each of
// them.
func Twice(high, low, values []float64) {
	low = low[:len(high)]
	values = values[:len(high)]
	n := addTwice(high, low, values)
	for i, v := range values[n:] {
		have := high[n+i]
		sum := have + v
		part := sum - have
		lost := (have - (sum - part)) + (v - part)
		high[n+i] = sum
		if lost == lost {
			low[n+i] += lost
		}
	}
}
