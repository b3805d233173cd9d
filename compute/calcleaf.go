package compute

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// A leaf is a source of an expression. Leaves of different programs are the same.
type leaf interface {
	shape() ndarray.Shape
	itemSize() int
	grid() (chunks, blocks ndarray.Shape)
	newSlot() slot
}

// A slot is where a program has the items of a leaf.
type slot interface {
	value() kernel.Value
	// read reads the items that a box of the result needs.
	read(ctx context.Context, start, stop []int64) error
	// piece provides n items from number first of the box on.
	piece(first, n int)
}

// newLeaf returns a snapshot of a source.
func newLeaf(ctx context.Context, src ndarray.Source) (leaf, error) {
	a := ndarray.ViewOf(src).Inside()
	d, err := a.DType()
	if err != nil {
		return nil, err
	}

	k, ok := kernel.KindOf(d.Kind(), d.Size())
	switch {
	case d.IsStruct():
		return nil, errRecords(src)
	case isText(src):
		return nil, fmt.Errorf("texts are compared with a text, as in a == 'Oslo', and nothing else: %w", cairn.ErrType)
	case !ok:
		return nil, fmt.Errorf("items of dtype %v cannot be computed with: %w", d, cairn.ErrType)
	}
	return itemTypes[k].leaf(ctx, leafOf{src: src, size: d.Size(), kind: k}, a)
}

// errRecords is the error for records where one of their fields is needed.
func errRecords(src ndarray.Source) error {
	var names []string
	for _, f := range src.DType().Fields() {
		names = append(names, f.Name)
	}
	return fmt.Errorf("the items are records; name a field, as in a[%q], of %s: %w", names[0], strings.Join(names, ", "),
		cairn.ErrType)
}

// leafOf is what all leaves have.
type leafOf struct {
	src  ndarray.Source
	of   ndarray.Shape
	size int
	kind kernel.Kind
}

func (l *leafOf) shape() ndarray.Shape                 { return l.of }
func (l *leafOf) itemSize() int                        { return l.size }
func (l *leafOf) grid() (chunks, blocks ndarray.Shape) { return l.src.Grid() }

// A typedLeaf has items that are computed as values of type V.
type typedLeaf[V any] struct {
	leafOf
	// reader returns a function that reads a box.
	reader func() func(ctx context.Context, dst []V, start, stop []int64) error
}

func plainLeaf[T any](ctx context.Context, of leafOf, a inside.Array) (leaf, error) {
	now, from, err := boxesOf[T](ctx, a, 1)
	if err != nil {
		return nil, err
	}

	of.of = now.Shape()
	return &typedLeaf[T]{of, func() func(ctx context.Context, dst []T, start, stop []int64) error {
		return from.ReadBox
	}}, nil
}

// halfLeaf is plainLeaf for items that are computed as float32.
func halfLeaf(ctx context.Context, of leafOf, a inside.Array) (leaf, error) {
	now, from, err := boxesOf[ndarray.Float16](ctx, a, 1)
	if err != nil {
		return nil, err
	}

	of.of = now.Shape()
	return &typedLeaf[float32]{of, func() func(ctx context.Context, dst []float32, start, stop []int64) error {
		var halves []ndarray.Float16
		return func(ctx context.Context, dst []float32, start, stop []int64) error {
			halves = slab.Resize(halves, len(dst))
			err := from.ReadBox(ctx, halves, start, stop)
			for i, h := range halves {
				dst[i] = h.Float32()
			}
			return err
		}
	}}, nil
}

func (l *typedLeaf[V]) newSlot() slot { return &typedSlot[V]{leaf: l, readBox: l.reader()} }

// A typedSlot has the items of one box of a leaf.
type typedSlot[V any] struct {
	leaf    *typedLeaf[V]
	readBox func(ctx context.Context, dst []V, start, stop []int64) error
	in      kernel.Slot[V]
	box     []V
	start   []int64
	stop    []int64

	spread  spread
	scratch []V
}

func (s *typedSlot[V]) value() kernel.Value { return kernel.Input[V](s.leaf.kind, &s.in) }

func (s *typedSlot[V]) read(ctx context.Context, start, stop []int64) error {
	shape := s.leaf.of
	before := len(start) - len(shape) // dimensions that the leaf does not have
	s.start, s.stop = s.start[:0], s.stop[:0]
	items := int64(1)
	for i, n := range shape {
		from := start[before+i]
		to := stop[before+i]
		if n == 1 {
			from = 0
			to = 1
		}
		s.start = append(s.start, from)
		s.stop = append(s.stop, to)
		items *= to - from
	}

	s.box = slab.Resize(s.box, items)
	if err := s.readBox(ctx, s.box, s.start, s.stop); err != nil {
		return err
	}

	s.spread.set(s.start, s.stop, start, stop)
	if s.scratch = slab.Resize(s.scratch, kernel.PieceItems); s.spread.one() {
		for i := range s.scratch {
			s.scratch[i] = s.box[0]
		}
		s.in.Items = s.scratch
	}
	return nil
}

func (s *typedSlot[V]) piece(first, n int) {
	switch {
	case s.spread.all():
		s.in.Items = s.box[first:][:n]
	case !s.spread.one():
		gather(&s.spread, s.scratch[:n], s.box, first)
		s.in.Items = s.scratch
	}
}

// A spread says how the items of a smaller box are repeated to fill a box: along dimensions of an
// extent, outermost first, between whose items lie stride items of the smaller box, or none.
type spread struct{ dims []spreadDim }

type spreadDim struct{ extent, stride int }

// set compares the box of a leaf with a box of the result, which may have more dimensions.
func (s *spread) set(ownStart, ownStop, start, stop []int64) {
	s.dims = s.dims[:0]
	before := len(start) - len(ownStart)
	stride := 1
	for i := len(start) - 1; i >= 0; i-- {
		d := spreadDim{extent: int(stop[i] - start[i])}
		if own := i - before; own >= 0 && ownStop[own]-ownStart[own] == int64(d.extent) {
			d.stride = stride
			stride *= d.extent
		}

		if d.extent == 1 {
			continue
		}

		if last := len(s.dims) - 1; last >= 0 && s.dims[last].follows(d) {
			s.dims[last].extent *= d.extent
			continue
		}
		s.dims = append(s.dims, d)
	}
}

// follows reports whether the outer dimension d continues the dimension.
func (i spreadDim) follows(d spreadDim) bool {
	return i.stride == 0 && d.stride == 0 || i.stride != 0 && d.stride == i.stride*i.extent
}

// all reports whether the boxes have the same items, and one whether one item is repeated. The
// dimensions are innermost first.
func (s *spread) all() bool { return len(s.dims) == 0 || len(s.dims) == 1 && s.dims[0].stride == 1 }

func (s *spread) one() bool { return len(s.dims) == 1 && s.dims[0].stride == 0 }

// gather fills dst with items from number first of the greater box on.
func gather[V any](s *spread, dst, box []V, first int) {
	inner := s.dims[0]
	for len(dst) > 0 {
		rest := first / inner.extent
		from := 0
		for _, d := range s.dims[1:] {
			from += rest % d.extent * d.stride
			rest /= d.extent
		}

		at := first % inner.extent
		n := min(len(dst), inner.extent-at)
		if run := dst[:n]; inner.stride != 0 {
			copy(run, box[from+at:])
		} else {
			for i := range run {
				run[i] = box[from]
			}
		}
		dst = dst[n:]
		first += n
	}
}
