package compute

import (
	"context"
	"fmt"
	"reflect"

	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// A program computes an expression, for one goroutine at a time.
type program struct {
	values map[int]kernel.Value // of terms, by their ids
	slots  map[leaf]slot
	piece  kernel.Piece
	result result
}

func newProgram() *program {
	return &program{values: map[int]kernel.Value{}, slots: map[leaf]slot{}}
}

// slot returns the slot of a leaf.
func (p *program) slot(l leaf) slot {
	s, ok := p.slots[l]
	if !ok {
		s = l.newSlot()
		p.slots[l] = s
	}
	return s
}

// A result encodes the items of a piece. They are valid until the next piece.
type result interface {
	encode(p *kernel.Piece) ([]byte, error)
	// encodeTo encodes the items into the memory of a result. It reports false if it did nothing,
	// since the items have another layout there.
	encodeTo(dst []byte, p *kernel.Piece) (bool, error)
}

// program makes a program.
func (e *Expression) program() (*program, error) {
	p := newProgram()
	v, err := e.root.value(p)
	if err != nil {
		return nil, err
	}

	v, err = kernel.Typed(v)
	if err != nil {
		return nil, err
	}
	p.result, err = itemTypes[e.kind].result(e, v)
	return p, err
}

// A typedResult has results of Go type T.
type typedResult[T any] struct {
	eval   func(p *kernel.Piece) []T
	writer kernel.Writer[T] // or nil
	layout *govalue.Layout
	raw    []byte
}

func newResult[T any](e *Expression, eval func(p *kernel.Piece) []T, w kernel.Writer[T]) (result, error) {
	l, err := govalue.Of(reflect.TypeFor[T](), e.dtype, e.dtype.Size())
	return &typedResult[T]{eval: eval, writer: w, layout: l}, err
}

func resultOf[T any](e *Expression, v kernel.Value) (result, error) {
	vec := kernel.Vector[T](v)
	w, _ := vec.(kernel.Writer[T])
	return newResult(e, vec.Eval, w)
}

func halfResult(e *Expression, v kernel.Value) (result, error) {
	vec := kernel.Vector[float32](v)
	halves := make([]ndarray.Float16, kernel.PieceItems)

	return newResult(e, func(p *kernel.Piece) []ndarray.Float16 {
		for i, f := range vec.Eval(p) {
			halves[i] = ndarray.Float16From(f)
		}
		return halves[:p.Items]
	}, nil)
}

func (r *typedResult[T]) encode(p *kernel.Piece) ([]byte, error) {
	values := r.eval(p)
	if p.Err != nil {
		return nil, p.Err
	}

	span := govalue.SpanOf(values)
	if r.layout.Write && r.layout.Swap == 0 {
		return r.layout.Memory(span), nil
	}

	var item T
	r.raw = slab.Resize(r.raw, len(values)*int(reflect.TypeOf(item).Size()))
	_, err := r.layout.Encode(r.raw, span, 0, len(values))
	return r.raw, err
}

func (r *typedResult[T]) encodeTo(dst []byte, p *kernel.Piece) (bool, error) {
	values, ok := govalue.Over[T](r.layout, dst)
	if !ok || r.writer == nil {
		return false, nil
	}
	r.writer.EvalTo(values, p)
	return true, p.Err
}

// ReadBytes computes the items of a box; see [ndarray.Source].
func (e *Expression) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if err := grid.CheckBuffer(e.shape, start, stop, e.kind.Size(), len(dst)); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if len(dst) == 0 {
		return ctx.Err()
	}

	cells := slab.GridOf(start, stop, e.edge)
	ctx = ndarray.WithProgress(ctx, nil)
	return parallel.For(ctx, min(e.workers, cells.Count), cells.Count, func(_, i int) error {
		var p *program
		select {
		case p = <-e.free:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { e.free <- p }()

		if p == nil {
			var err error
			if p, err = e.program(); err != nil {
				p = nil
				return err
			}
		}

		return e.compute(ctx, p, dst, slab.Box{Start: start, Stop: stop}, cells.At(i))
	})
}

// Release frees the memory that reading keeps for the next read.
func (e *Expression) Release() {
	for range e.workers {
		select {
		case <-e.free:
			e.free <- nil
		default: // it is being read
			return
		}
	}
}

// compute computes one box, which is a part of all, whose items dst has.
func (e *Expression) compute(ctx context.Context, p *program, dst []byte, all, part slab.Box) error {
	for _, l := range e.leaves {
		if err := p.slot(l).read(ctx, part.Start, part.Stop); err != nil {
			return err
		}
	}

	to := placeIn(all, part)
	size := int(e.kind.Size())
	for first, items := 0, int(part.Items()); first < items; first += kernel.PieceItems {
		p.piece = kernel.Piece{Items: min(kernel.PieceItems, items-first), Serial: p.piece.Serial + 1}
		for _, l := range e.leaves {
			p.slot(l).piece(first, p.piece.Items)
		}

		done := false
		var err error
		if len(to.extents) == 0 { // the items of the part are successive
			done, err = p.result.encodeTo(dst[(to.base+first)*size:][:p.piece.Items*size], &p.piece)
		}
		if !done && err == nil {
			var raw []byte
			if raw, err = p.result.encode(&p.piece); err == nil {
				to.put(dst, raw, first, size)
			}
		}

		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A place says where the items of a part of a box are among those of the box.
type place struct {
	run     int // successive items of the part that are successive in the box
	base    int
	extents []int // of the outer dimensions of the part, innermost first
	strides []int // items of the box
}

func placeIn(all, part slab.Box) place {
	p := place{run: 1}
	stride := 1
	whole := true

	for i := len(all.Start) - 1; i >= 0; i-- {
		extent := int(part.Stop[i] - part.Start[i])
		of := int(all.Stop[i] - all.Start[i])
		p.base += int(part.Start[i]-all.Start[i]) * stride
		if whole {
			p.run *= extent
		} else {
			p.extents = append(p.extents, extent)
			p.strides = append(p.strides, stride)
		}
		whole = whole && extent == of
		stride *= of
	}
	return p
}

// put copies items of size bytes from number first of the part on.
func (p *place) put(dst, raw []byte, first, size int) {
	for len(raw) > 0 {
		row := first / p.run
		to := p.base + first%p.run
		for i, n := range p.extents {
			to += row % n * p.strides[i]
			row /= n
		}

		n := min(len(raw), (p.run-first%p.run)*size)
		copy(dst[to*size:], raw[:n])
		raw = raw[n:]
		first += n / size
	}
}
