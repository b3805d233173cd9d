package grid

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// An Axis describes the selected coordinates of one dimension, their order, and the place of their
// items in memory. Coordinate number k is Start + k*Step, or List[k]. Its items are k*Stride bytes
// after those of number 0, or Places[k]*Stride bytes after the base.
type Axis struct {
	Start, Step, Count int64 // Step may be negative; it is ignored if Count is 1
	// replaces Start and Step unless nil; Count is its length. Any order, repeats allowed
	List   []int64
	Places []int64 // nil means 0, 1, 2 …; only with a List. Not negative
	Stride int64   // bytes, of either sign, or 0
}

// At returns coordinate number k.
func (a *Axis) At(k int64) int64 {
	if a.List != nil {
		return a.List[k]
	}
	return a.Start + k*a.Step
}

// A Mesh is the product of one sequence of coordinates per dimension, cut into pieces by chunk. It
// supports steps, lists of indices and memory with any strides; for boxes in dense memory there is
// [Box]. Set it up once per call; [Mesh.Piece] may then be called from many goroutines. Sequences
// with a step take no memory, lists some 30 bytes per index.
type Mesh struct {
	part *Partition
	axes []meshAxis // dimensions of the partition, then those that only memory has
	// the axes in the order of loops, innermost first: from the smallest stride to the largest
	order []int
	base  int64 // offset in memory of the item with every number 0
	planBase
}

// Memory describes the memory of a mesh: Base is the offset in bytes of the item with every number
// 0, Size the number of bytes. Spread are dimensions that only memory has: every item is repeated
// along them. Of those only Count, Places (with a List of the same length, whose contents are
// ignored) and Stride are used.
type Memory struct {
	Base, Size int64
	Spread     []Axis
}

// Set sets a mesh with an Axis for every dimension of p. It keeps the lists of axes, but no other
// memory. last says that if an item of the array occurs several times, only the last occurrence
// counts, as for writes. Set fails for coordinates outside the array and places outside memory.
func (m *Mesh) Set(p *Partition, axes []Axis, memory Memory, last bool) error {
	if len(axes) != p.Dims {
		return outside("%d selections for an array of %d dimensions", len(axes), p.Dims)
	}
	*m = Mesh{part: p, base: memory.Base, axes: make([]meshAxis, 0, len(axes)+len(memory.Spread))}

	low := memory.Base
	high := memory.Base
	pieces := int64(1)

	for i := range len(axes) + len(memory.Spread) {
		var a meshAxis
		if i < len(axes) {
			a.Axis = axes[i]
			if err := checkCoordinates(&a.Axis, p.Shape[i]); err != nil {
				return fmt.Errorf("dimension %d: %w", i, err)
			}
		} else {
			a.Axis = memory.Spread[i-len(axes)]
		}

		if a.Count == 0 {
			m.Pieces = 0
			return nil
		}

		if !a.widen(&low, &high) {
			return outside("strides beyond 63 bits")
		}

		m.base += a.ascend()

		if i < len(axes) {
			a.cut(p.Chunk[i], p.Block[i], last)
			var ok bool
			if pieces, ok = Mul(pieces, a.numChunks); !ok || pieces > math.MaxInt {
				return outside("selection of more chunks than can be counted")
			}
		}
		m.axes = append(m.axes, a)
	}

	if low < 0 || high > memory.Size-p.ItemSize {
		return outside("the selection lies at %d to %d of %d bytes of memory", low, high+p.ItemSize, memory.Size)
	}
	m.Pieces = int(pieces)
	return m.orderLoops()
}

// orderLoops chooses the order of loops. Memory is large while a block is in the cache, so the
// smallest stride in memory is innermost.
func (m *Mesh) orderLoops() error {
	loops := 0
	for i := len(m.axes) - 1; i >= 0; i-- {
		m.order = append(m.order, i)
		if m.axes[i].Count > 1 {
			loops++
		}
	}
	if loops > MaxDims {
		return outside("a selection of %d dimensions, the most is %d", loops, MaxDims)
	}

	far := func(i int) int64 {
		if s := m.axes[i].Stride; s != 0 {
			return max(s, -s)
		}
		return math.MaxInt64
	}

	slices.SortStableFunc(m.order, func(i, j int) int { return cmp.Compare(far(i), far(j)) })
	return nil
}

func checkCoordinates(a *Axis, extent int64) error {
	if a.List != nil {
		if a.Count != int64(len(a.List)) || a.Places != nil && len(a.Places) != len(a.List) {
			return outside("%d coordinates at %d places, %d announced", len(a.List), len(a.Places), a.Count)
		}
		for _, at := range a.List {
			if at < 0 || at >= extent {
				return outside("coordinate %d is not within 0:%d", at, extent)
			}
		}
		return nil
	}

	if a.Count < 0 {
		return outside("%d coordinates", a.Count)
	}
	if a.Count == 0 {
		return nil
	}

	distance, ok := signedMul(a.Count-1, a.Step)
	if !ok || a.Start < 0 || a.Start >= extent || a.Start+distance < 0 || a.Start+distance >= extent {
		return outside("%d coordinates from %d in steps of %d are not within 0:%d", a.Count, a.Start, a.Step, extent)
	}
	return nil
}

// widen widens the range of offsets in memory by those of the axis, and reports false on overflow.
func (a *meshAxis) widen(low, high *int64) bool {
	least := int64(0)
	most := a.Count - 1

	if a.Places != nil {
		least = slices.Min(a.Places)
		most = slices.Max(a.Places)
	}

	from, ok := signedMul(least, a.Stride)
	to, ok2 := signedMul(most, a.Stride)
	if !ok || !ok2 || least < 0 {
		return false
	}

	var overflow [2]bool
	*low, overflow[0] = signedAdd(*low, min(from, to))
	*high, overflow[1] = signedAdd(*high, max(from, to))
	return !overflow[0] && !overflow[1]
}

// signedMul multiplies a ≥ 0 by b of either sign and reports whether the product fits.
func signedMul(a, b int64) (int64, bool) {
	size := uint64(b)
	if b < 0 {
		size = -size
	}

	hi, lo := bits.Mul64(uint64(a), size)
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}

	if b < 0 {
		return -int64(lo), true
	}
	return int64(lo), true
}

// signedAdd adds and reports whether the sum does not fit.
func signedAdd(a, b int64) (sum int64, overflow bool) {
	sum = a + b
	return sum, (sum > a) != (b > 0) && b != 0
}
