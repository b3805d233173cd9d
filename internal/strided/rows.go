// Package strided reads boxes of items that lie in a file at constant distances along each
// dimension, with as few and as large reads as is sensible.
package strided

import "slices"

// Rows are runs of bytes at equal distances.
type Rows struct {
	Off    int64 // of the first, from the first item of the array
	Run    int64 // bytes of each
	Count  int64
	Stride int64 // from one to the next
}

// Copy copies the rows of src, which begin at its first byte, into dst, without gaps.
func (r Rows) Copy(dst, src []byte) {
	for k := range r.Count {
		copy(dst[k*r.Run:(k+1)*r.Run], src[k*r.Stride:])
	}
}

// A Layout says where the items of an array are.
type Layout struct {
	Item    int64   // bytes of an item
	Strides []int64 // bytes from an item to its neighbour along each dimension
}

// Packed returns the layout of items without gaps, the last dimension running fastest.
func Packed(shape []int64, item int64) Layout {
	l := Layout{item, make([]int64, len(shape))}
	for d := len(shape) - 1; d >= 0; d-- {
		l.Strides[d] = item
		item *= shape[d]
	}
	return l
}

// Offset returns the offset of an item from the first one.
func (l Layout) Offset(at []int64) int64 {
	off := int64(0)
	for d, i := range at {
		off += i * l.Strides[d]
	}
	return off
}

// Span returns the bytes, from the first item on, that include the items of a box, which must not
// be empty.
func (l Layout) Span(start, stop []int64) (off, n int64) {
	last := slices.Clone(stop)
	for d := range last {
		last[d]--
	}

	off = l.Offset(start)
	return off, l.Offset(last) + l.Item - off
}

// Walk calls do for the items of a box, which must not be empty, in order: with rows whose runs are
// as long as possible.
func (l Layout) Walk(start, stop []int64, do func(Rows) error) error {
	outer, run := l.run(start, stop)
	r := Rows{Run: run, Count: 1}
	if outer > 0 {
		outer--
		r.Count = stop[outer] - start[outer]
		r.Stride = l.Strides[outer]
	}

	at := slices.Clone(start)
	for {
		r.Off = l.Offset(at)
		if err := do(r); err != nil {
			return err
		}

		d := outer - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < stop[d] {
				break
			}
			at[d] = start[d]
		}

		if d < 0 {
			return nil
		}
	}
}

// run returns the bytes of the longest runs of a box, and the number of dimensions that they do not
// span.
func (l Layout) run(start, stop []int64) (outer int, run int64) {
	outer = len(start)
	run = l.Item
	for outer > 0 {
		n := stop[outer-1] - start[outer-1]
		if n > 1 && l.Strides[outer-1] != run {
			break
		}
		outer--
		run *= n
	}
	return outer, run
}
