package zfp

import (
	"fmt"
	"math"

	cairn "github.com/cairn-go/cairn"
)

// A field is the shape of a block, fastest dimension first.
type field struct {
	dims     int
	typeSize int
	size     int                 // bytes
	extent   [maxDims]int        // numbers along each dimension; 1 for unused ones
	stride   [maxDims]int        // bytes from one number to the next
	rows     [maxCell / side]int // offsets in bytes of a cell's rows from its first number
}

// fieldOf converts a shape. small reports whether a side is shorter than a cell.
func fieldOf(shape []int32, typeSize int) (f field, small bool, err error) {
	f = field{dims: len(shape), typeSize: typeSize, extent: [maxDims]int{1, 1, 1, 1}}
	size := int64(typeSize)
	for i := range shape {
		n := shape[len(shape)-1-i]
		if n <= 0 || size > math.MaxInt32/int64(n) {
			return f, false, cairn.Corruptf(layer, -1, "blocks of shape %v", shape)
		}
		small = small || n < side
		f.extent[i] = int(n)
		f.stride[i] = int(size)
		size *= int64(n)
	}

	if size > mostBytes {
		return f, false, fmt.Errorf("zfp: blocks of %d bytes: %w: %d are possible on this machine", size, cairn.ErrLimit, mostBytes)
	}

	f.size = int(size)
	for i := range 1 << (2*f.dims - 2) {
		f.rows[i] = i&3*f.stride[1] + i>>2&3*f.stride[2] + i>>4*f.stride[3]
	}
	return f, small, nil
}

// A place is the position of a cell in its block.
type place struct {
	at    int          // of its first number, in bytes
	start [maxDims]int // of its first number, along each dimension
	count [maxDims]int // numbers within the block, along each dimension
	whole bool         // all numbers are within the block
}

// first returns the place of the first cell.
func (f *field) first() place {
	var p place
	f.measure(&p)
	return p
}

// next moves p to the next cell, and returns false after the last one.
func (f *field) next(p *place) bool {
	for i := range f.dims {
		p.start[i] += side
		p.at += side * f.stride[i]
		if p.start[i] < f.extent[i] {
			f.measure(p)
			return true
		}
		p.at -= p.start[i] * f.stride[i]
		p.start[i] = 0
	}
	return false
}

// measure counts the numbers of the cell at p.start.
func (f *field) measure(p *place) {
	p.whole = true
	for i := range f.dims {
		p.count[i] = min(side, f.extent[i]-p.start[i])
		p.whole = p.whole && p.count[i] == side
	}
	for i := f.dims; i < maxDims; i++ {
		p.count[i] = 1
	}
}
