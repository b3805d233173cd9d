package format

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/hyperslab"
)

// A reference to a region is the address and the u32 number of an object of a global heap:
//
//	the address of the dataset, a selection (selection.go)
//
// where a selection of points is
//
//	u32 kind, u32 version, and
//	version 1: u32 reserved, u32 bytes, u32 rank, u32 points; for each of them the u32 index of
//	           each dimension
//	version 2: u8 size of numbers, u32 rank, points, and indexes as in version 1

// Kinds of references.
const (
	ObjectReference = 0
	RegionReference = 1
)

const layerRegion = "region reference"

// mostBoxes is the most boxes or points of a region.
const mostBoxes = 1 << 12

// A Region is some items of a dataset.
type Region struct {
	Object int64 // address of the dataset; None for nothing
	all    bool
	axes   []hyperslab.Span // one per dimension, or nil
	boxes  [][][2]int64     // first and last index of each dimension
	points bool             // boxes are single items
}

// Region reads what a reference to a region leads to.
func (f *File) Region(b []byte) (Region, error) {
	c := f.cursor(layerRegion, b, None)
	r := Region{Object: c.address()}
	if c.Err() != nil || r.Object == None || r.Object == 0 {
		r.Object = None
		return r, c.done()
	}

	again := c
	kind := c.u32()
	version := c.u32()
	switch {
	case kind == selectPoints:
		size := 4
		switch version {
		case 1:
			c.Skip(8)
		case 2:
			size = int(c.Uint8())
		default:
			return r, unsupported("a region of points of version %d", version)
		}
		r.points = true
		r.boxes = c.boxes(size, 1)
	case kind == selectSlab && c.listed(version):
		size := 4
		if version == 1 {
			c.Skip(8)
		} else {
			c.Skip(1)
			size = int(c.Uint8())
		}
		r.boxes = c.boxes(size, 2)
		r.join()

	default:
		s := again.selection()
		r.all = s.All
		for _, a := range s.Axes {
			r.axes = append(r.axes, a.First())
		}
		c = again
	}
	return r, c.done()
}

// listed reports whether a hyperslab of a version is a list of blocks.
func (c *cursor) listed(version uint32) bool {
	flags := *c
	return version == 1 || version == 3 && flags.Uint8()&selectionRegular == 0
}

// boxes reads boxes, of which each has one or two corners.
func (c *cursor) boxes(size, corners int) (boxes [][][2]int64) {
	rank := int(min(c.u32(), MaxRank+1))
	if size != 2 && size != 4 && size != 8 {
		c.Failf(c.Pos(), "numbers of %d bytes", size)
		return nil
	}

	count := c.positive(size, "boxes")
	if c.Err() != nil || rank > MaxRank || rank == 0 || count < 0 || count > int64(c.Len())/int64(corners*rank*size) {
		c.Failf(c.Pos(), "%d boxes of %d dimensions", count, rank)
		return nil
	}
	if count > mostBoxes {
		c.fail(fmt.Errorf("a region of %d parts, of which at most %d are shown: %w", count, mostBoxes, cairn.ErrLimit))
		return nil
	}

	for range count {
		box := make([][2]int64, rank)
		for d := range box {
			box[d][0] = c.positive(size, "index")
			box[d][1] = box[d][0]
		}
		for d := range box {
			if corners == 1 {
				break
			}
			if box[d][1] = c.positive(size, "index"); box[d][1] < box[d][0] {
				c.Failf(c.Pos(), "a box from %d to %d", box[d][0], box[d][1])
				return nil
			}
		}
		boxes = append(boxes, box)
	}
	return boxes
}

// join makes spans of boxes that follow one another at a distance along one dimension, as slices
// with a step are stored.
func (r *Region) join() {
	if len(r.boxes) < 2 {
		return
	}

	along := -1
	for d := range r.boxes[0] {
		if r.boxes[1][d] != r.boxes[0][d] {
			if along >= 0 {
				return
			}
			along = d
		}
	}
	if along < 0 || r.boxes[0][along][0] != r.boxes[0][along][1] {
		return
	}

	step := r.boxes[1][along][0] - r.boxes[0][along][0]
	for i, box := range r.boxes {
		for d := range box {
			want := r.boxes[0][d]
			if d == along {
				want[0] += int64(i) * step
				want[1] = want[0]
			}
			if box[d] != want {
				return
			}
		}
	}
	if step < 1 {
		return
	}

	for d, side := range r.boxes[0] {
		span := hyperslab.Span{Start: side[0], Stride: 1, Count: 1, Block: side[1] - side[0] + 1}
		if d == along {
			span = hyperslab.Span{Start: side[0], Stride: step, Count: int64(len(r.boxes)), Block: 1}
		}
		r.axes = append(r.axes, span)
	}
}

// Text returns the items in Python's notation: "[0:2, 5:9:2]", boxes one behind the other, and
// "[...]" for all items. A slice of blocks of several items has their number behind the step, such
// as "0:10:5*2".
func (r *Region) Text() string {
	switch {
	case r.all:
		return "[...]"
	case r.axes != nil:
		parts := make([]string, len(r.axes))
		for d, s := range r.axes {
			parts[d] = spanText(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case r.boxes == nil:
		return "[]"
	}

	boxes := make([]string, len(r.boxes))
	for i, box := range r.boxes {
		parts := make([]string, len(box))
		for d, side := range box {
			parts[d] = fmt.Sprint(side[0])
			if !r.points {
				parts[d] += fmt.Sprintf(":%d", side[1]+1)
			}
		}
		boxes[i] = "[" + strings.Join(parts, ", ") + "]"
	}
	return strings.Join(boxes, ", ")
}

// spanText is a span as a slice of Python.
func spanText(s hyperslab.Span) string {
	end := func(n int64) string {
		if s.Unlimited() {
			return ""
		}
		return fmt.Sprint(n)
	}
	switch {
	case s.Block == hyperslab.Unlimited || s.Count == 1:
		return fmt.Sprintf("%d:%s", s.Start, end(s.Start+s.Block))
	case s.Block == 1:
		return fmt.Sprintf("%d:%s:%d", s.Start, end(s.Start+(s.Count-1)*s.Stride+1), s.Stride)
	}
	return fmt.Sprintf("%d:%s:%d*%d", s.Start, end(s.Start+(s.Count-1)*s.Stride+s.Block), s.Stride, s.Block)
}
