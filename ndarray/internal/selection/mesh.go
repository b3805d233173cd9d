package selection

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
)

// A Mesh is a selection of an array and the place of its items in memory.
type Mesh struct {
	Axes   []grid.Axis // per dimension of the array
	Memory grid.Memory
}

// Place returns the mesh of a selection for memory of size bytes, in which the first item is at
// base. strides are for the dimensions of the result, in bytes.
func (s Selection) Place(strides []int64, base, size int64) Mesh {
	m := Mesh{
		Axes:   append(make([]grid.Axis, 0, len(s.Axes)), s.Axes...),
		Memory: grid.Memory{Base: base, Size: size},
	}
	for k, dim := range s.Dims {
		if dim != NewDim {
			m.Axes[dim].Stride = strides[k]
		} else if s.Size[k] != 1 {
			m.Memory.Spread = append(m.Memory.Spread, grid.Axis{Count: s.Size[k], Stride: strides[k]})
		}
	}
	return m
}

// Dense returns the mesh of a selection for a buffer of its items in C order. bytes is the length
// of the buffer, which must be that of the items.
func Dense(s Selection, itemSize int64, bytes int) (Mesh, error) {
	size, ok := grid.Mul(s.Len(), itemSize)
	if !ok || size != int64(bytes) {
		return Mesh{}, WrongLength(int64(bytes), s.Len(), itemSize)
	}
	return s.Place(denseStrides(s.Size, itemSize), 0, size), nil
}

// denseStrides returns the distances in bytes between neighbours along each dimension of a C-order
// buffer. For an empty shape they are meaningless.
func denseStrides(shape []int64, itemSize int64) []int64 {
	strides := make([]int64, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = itemSize
		itemSize *= shape[i]
	}
	return strides
}

// OneItem returns the mesh of a selection for memory of one item, which is repeated for all.
func OneItem(s Selection, itemSize int64) Mesh {
	return s.Place(make([]int64, len(s.Size)), 0, itemSize)
}

// Box returns the box of the mesh, if the mesh is a box in dense memory of its size.
func (m *Mesh) Box(itemSize int64) (start, stop grid.Vec, ok bool) {
	if m.Memory.Base != 0 || len(m.Memory.Spread) > 0 {
		return start, stop, false
	}

	size := itemSize
	for i := len(m.Axes) - 1; i >= 0; i-- {
		a := &m.Axes[i]
		if a.List != nil || a.Count == 0 || a.Count > 1 && (a.Step != 1 || a.Stride != size) {
			return start, stop, false
		}

		start[i] = a.Start
		stop[i] = a.Start + a.Count
		size, ok = grid.Mul(size, a.Count)
		if !ok {
			return start, stop, false
		}
	}
	return start, stop, size == m.Memory.Size
}

// Edge returns the extents of parts of the mesh that take about the given number of bytes, for
// items of item bytes, and whether there are several parts.
func (m Mesh) Edge(chunk []int64, item, bytes int64) (edge []int64, several bool) {
	edge = slab.Chunked(m.counts(), chunk, item, bytes)
	return edge, !slices.Equal(edge, m.counts())
}

func (m Mesh) counts() []int64 {
	counts := make([]int64, len(m.Axes))
	for k, a := range m.Axes {
		counts[k] = a.Count
	}
	return counts
}

// Parts splits a mesh into parts with the given extents.
func (m Mesh) Parts(edge []int64) iter.Seq[Mesh] {
	return func(yield func(Mesh) bool) {
		for box := range slab.Walk(make([]int64, len(m.Axes)), m.counts(), edge) {
			part := Mesh{Axes: slices.Clone(m.Axes), Memory: m.Memory}
			for k := range part.Axes {
				a := &part.Axes[k]
				from := box.Start[k]
				to := box.Stop[k]

				a.Count = to - from
				if a.List != nil {
					a.List = a.List[from:to]
				}
				a.Start += from * a.Step

				if a.Places != nil {
					a.Places = a.Places[from:to]
				} else {
					part.Memory.Base += from * a.Stride
				}
			}

			if !yield(part) {
				return
			}
		}
	}
}

// Packed returns the same items in dense memory, with another item size, and the size of that
// memory.
func (m Mesh) Packed(item int64) (Mesh, int64) {
	packed := Mesh{Axes: slices.Clone(m.Axes)}
	size := item
	for k := len(packed.Axes) - 1; k >= 0; k-- {
		a := &packed.Axes[k]
		a.Places = nil
		a.Stride = size
		size *= a.Count
	}
	packed.Memory.Size = size
	return packed, size
}

// Places yields the offsets in memory of the items of axes, in C order; base is that of the first.
func Places(base int64, axes []grid.Axis) iter.Seq[int64] {
	return func(yield func(int64) bool) { visitPlaces(base, axes, yield) }
}

func visitPlaces(at int64, axes []grid.Axis, yield func(int64) bool) bool {
	if len(axes) == 0 {
		return yield(at)
	}

	a := &axes[0]
	for k := range a.Count {
		place := k
		if a.Places != nil {
			place = a.Places[k]
		}
		if !visitPlaces(at+place*a.Stride, axes[1:], yield) {
			return false
		}
	}
	return true
}

// WrongLength returns the error for memory whose number of bytes does not match the number of
// items, of size bytes each.
func WrongLength(bytes, items, size int64) error {
	if bytes%size != 0 {
		return fmt.Errorf("%d bytes in memory for %d items of %d: %w", bytes, items, size, cairn.ErrBounds)
	}
	return fmt.Errorf("%d items in memory, %d are selected: %w", bytes/size, items, cairn.ErrBounds)
}

// Through maps a mesh of the selection's result to a mesh of the original array.
func (s Selection) Through(m Mesh) Mesh {
	through := Mesh{Axes: slices.Clone(s.Axes), Memory: m.Memory}
	through.Memory.Spread = slices.Clone(m.Memory.Spread)
	for k, inner := range m.Axes {
		dim := s.Dims[k]
		switch {
		case dim != NewDim:
			through.Axes[dim] = compose(s.Axes[dim], inner)
		case inner.Count != 1 || inner.Places != nil:
			through.Memory.Spread = append(through.Memory.Spread, inner)
		}
	}
	return through
}
