// Package dense implements arrays in plain memory in the simplest way, as the reference for arrays
// in files.
package dense

import (
	"fmt"
	"slices"
)

// An Array has its items in C order.
type Array struct {
	Shape []int64
	Size  int    // bytes of an item
	Fill  []byte // value of new items; nil for zeros
	Data  []byte
}

// New returns an array filled with its fill value.
func New(shape []int64, size int, fill []byte) *Array {
	a := &Array{Shape: slices.Clone(shape), Size: size, Fill: fill}
	a.Data = a.filled(Volume(shape))
	return a
}

func (a *Array) filled(n int64) []byte {
	if a.Fill == nil {
		return make([]byte, int(n)*a.Size)
	}
	return slices.Repeat(a.Fill, int(n))
}

// Clone returns a deep copy.
func (a *Array) Clone() *Array {
	return &Array{Shape: slices.Clone(a.Shape), Size: a.Size, Fill: a.Fill, Data: slices.Clone(a.Data)}
}

// Volume returns the number of items of a shape.
func Volume(shape []int64) int64 {
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	return n
}

// each calls f with the bytes of each item of a box, in C order.
func (a *Array) each(start, stop []int64, f func(item []byte)) {
	var walk func(d int, at int64)
	walk = func(d int, at int64) {
		if d == len(a.Shape) {
			f(a.Data[at*int64(a.Size):][:a.Size])
			return
		}
		for c := start[d]; c < stop[d]; c++ {
			walk(d+1, at*a.Shape[d]+c)
		}
	}

	walk(0, 0)
}

// Box returns a copy of a box.
func (a *Array) Box(start, stop []int64) []byte {
	var out []byte
	a.each(start, stop, func(item []byte) { out = append(out, item...) })
	return out
}

// SetBox overwrites a box.
func (a *Array) SetBox(start, stop []int64, src []byte) {
	a.each(start, stop, func(item []byte) { src = src[copy(item, src):] })
}

// Insert inserts n items along an axis before at, from src or, if that is nil, with the fill value.
func (a *Array) Insert(axis int, at, n int64, src []byte) { a.splice(axis, at, 0, n, src) }

// Delete deletes the items [from, to) along an axis.
func (a *Array) Delete(axis int, from, to int64) { a.splice(axis, from, to-from, 0, nil) }

// Resize changes the shape. Items keep their coordinates; new ones have the fill value.
func (a *Array) Resize(shape []int64) {
	for axis, n := range shape {
		if old := a.Shape[axis]; n < old {
			a.Delete(axis, n, old)
		} else {
			a.Insert(axis, old, n-old, nil)
		}
	}
}

// splice replaces less items along an axis from at on by more other items.
func (a *Array) splice(axis int, at, less, more int64, src []byte) {
	unit := Volume(a.Shape[axis+1:]) * int64(a.Size)
	lines := Volume(a.Shape[:axis])
	line := a.Shape[axis] * unit
	if src == nil {
		src = a.filled(lines * more * Volume(a.Shape[axis+1:]))
	}

	out := make([]byte, 0, int64(len(a.Data))+lines*(more-less)*unit)
	for y := range lines {
		old := a.Data[y*line:][:line]
		out = append(out, old[:at*unit]...)
		out = append(out, src[y*more*unit:][:more*unit]...)
		out = append(out, old[(at+less)*unit:]...)
	}

	a.Data = out
	a.Shape = slices.Clone(a.Shape)
	a.Shape[axis] += more - less
}

// Differ describes the first byte in which two byte slices differ, or returns "".
func Differ(got, want []byte) string {
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
