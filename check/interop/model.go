package main

import "fmt"

// dense is an array as plain bytes in C order: what both libraries are compared with.
type dense struct {
	shape []int64
	item  int // bytes per element
	data  []byte
}

// count returns the number of elements of a shape.
func count(shape []int64) int64 {
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	return n
}

// each calls f with the position of every element of a box in C order.
func each(start, stop []int64, f func(at []int64)) {
	at := append([]int64(nil), start...)
	for d := range start {
		if start[d] >= stop[d] {
			return
		}
	}
	for {
		f(at)
		d := len(at) - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < stop[d] {
				break
			}
			at[d] = start[d]
		}
		if d < 0 {
			return
		}
	}
}

// offset returns where an element starts in the data.
func (m *dense) offset(at []int64) int64 {
	n := int64(0)
	for d, s := range m.shape {
		n = n*s + at[d]
	}
	return n * int64(m.item)
}

// box returns a copy of a box.
func (m *dense) box(start, stop []int64) []byte {
	var out []byte
	each(start, stop, func(at []int64) {
		o := m.offset(at)
		out = append(out, m.data[o:o+int64(m.item)]...)
	})
	return out
}

// setBox overwrites a box.
func (m *dense) setBox(start, stop []int64, src []byte) {
	each(start, stop, func(at []int64) {
		n := copy(m.data[m.offset(at):][:m.item], src)
		src = src[n:]
	})
}

// resize changes the shape; what is new is zero.
func (m *dense) resize(shape []int64) {
	next := &dense{shape: shape, item: m.item, data: make([]byte, count(shape)*int64(m.item))}
	common := make([]int64, len(shape))
	for d := range shape {
		common[d] = min(shape[d], m.shape[d])
	}
	zero := make([]int64, len(shape))
	next.setBox(zero, common, m.box(zero, common))
	*m = *next
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
