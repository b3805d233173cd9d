package compute

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Memory per chunk of the result, as multiples of its items' size: for the result, and for each
// operand. Both include encoded chunks and items.
const (
	resultCopies  = 3
	operandCopies = 2
)

// An operand is a snapshot of a source.
type operand struct {
	now      inside.Array
	itemSize int64
	// read returns the items of a box as a slice of their type, reusing buf if its capacity
	// suffices. It uses all workers if many is true, otherwise one.
	read func(ctx context.Context, many bool, buf any, items int, start, stop []int64) (any, error)
	part func(buf any, from, to int) any // items [from, to) of what read returned
}

// An opener opens a source as an operand for the given number of workers.
type opener func(ctx context.Context, workers int) (operand, error)

// boxes is an array of items of type T that is read box by box.
type boxes[T any] interface {
	ReadBox(ctx context.Context, dst []T, start, stop []int64) error
}

// operandOf returns an opener for items of type T.
func operandOf[T any](from ndarray.Source) opener {
	return func(ctx context.Context, workers int) (p operand, err error) {
		var one, all boxes[T] // with one worker, and with all
		if p.now, one, err = boxesOf[T](ctx, ndarray.ViewOf(from).Inside(), 1); err == nil {
			_, all, err = boxesOf[T](ctx, p.now, workers)
		}

		p.itemSize = sizeOf[T]()
		p.read = func(ctx context.Context, many bool, buf any, items int, start, stop []int64) (any, error) {
			values, _ := buf.([]T)
			values = slab.Resize(values, items)
			if many {
				return values, all.ReadBox(ctx, values, start, stop)
			}
			return values, one.ReadBox(ctx, values, start, stop)
		}

		p.part = func(buf any, from, to int) any { return buf.([]T)[from:to:to] }
		return p, err
	}
}

// chunkBytes returns the size of an array's chunk, or 0 if the source is not an array.
func (p *operand) chunkBytes() int64 {
	if _, ok := p.now.Source().(*ndarray.Untyped); !ok {
		return 0
	}

	n := p.itemSize
	for _, extent := range p.now.ChunkShape() {
		n *= extent
	}
	return n
}

// boxesOf returns a snapshot of an array for the given number of workers.
func boxesOf[T any](ctx context.Context, a inside.Array, workers int) (now inside.Array, b boxes[T], err error) {
	if now, err = a.Freeze(ctx, workers, 0); err != nil {
		return nil, nil, err
	}

	switch src := now.Source().(type) {
	case *ndarray.Untyped:
		b, err = ndarray.As[T](src)
	case ndarray.Source:
		b, err = ndarray.ViewAs[T](src)
	}
	return now, b, err
}

func sizeOf[T any]() int64 { return int64(reflect.TypeFor[T]().Size()) }

// A combination computes an array by applying fn to boxes of operands.
type combination[R any] struct {
	operands []operand
	fn       func(dst []R, box []any)
	workers  int
	memory   int64         // for the chunks of the result
	reading  chan struct{} // a semaphore for goroutines that read operands
	buffers  chan []any
}

// combine computes an array by applying fn to boxes of operands. first is the source of the first
// operand.
func combine[R any](ctx context.Context, path string, first ndarray.Source, openers []opener,
	fn func(dst []R, box []any), o *ndarray.Options) (ndarray.Array[R], error) {
	var options ndarray.Options
	if o != nil {
		options = *o
	} else if u, ok := ndarray.ViewOf(first).Inside().Source().(*ndarray.Untyped); ok {
		options.ChunkShape, options.BlockShape = u.Grid()
	}

	c := &combination[R]{fn: fn, workers: parallel.Workers(options.Workers)}
	own := resultCopies * sizeOf[R]()
	items := int64(0)
	chunks := int64(0)

	for _, open := range openers {
		p, err := open(ctx, c.workers)
		if err != nil {
			return ndarray.Array[R]{}, err
		}
		c.operands = append(c.operands, p)
		items += operandCopies * p.itemSize
		chunks += p.chunkBytes()
	}

	shape := c.operands[0].now.Shape()
	for _, p := range c.operands {
		if !slices.Equal(p.now.Shape(), shape) {
			return ndarray.Array[R]{}, fmt.Errorf("map of arrays of the shapes %v and %v: %w",
				shape, p.now.Shape(), cairn.ErrBounds)
		}
	}

	// The memory is divided between results and operands as their bytes per item are.
	memory := parallel.Memory(options.Memory)
	c.memory = max(1, int64(float64(memory)/float64(own+items)*float64(own)))
	c.reading = make(chan struct{}, parallel.Within(memory-c.memory, chunks, c.workers))
	c.buffers = make(chan []any, c.workers) // as many as are in use at a time
	options.Memory = c.memory

	quiet := ndarray.WithProgress(ctx, nil) // only the result reports progress
	return ndarray.FromBoxes(ctx, path, shape, func(dst []R, start, stop []int64) error {
		return c.fill(quiet, dst, start, stop)
	}, &options)
}

// fill computes the items of a box. The workers are divided among the chunks being computed.
func (c *combination[R]) fill(ctx context.Context, dst []R, start, stop []int64) error {
	workers := c.workers / parallel.Within(c.memory, resultCopies*sizeOf[R]()*int64(len(dst)), c.workers)

	var box []any
	select {
	case box = <-c.buffers:
	default:
		box = make([]any, len(c.operands))
	}

	if err := c.read(ctx, workers > 1, box, len(dst), start, stop); err != nil {
		return err
	}

	err := parallel.For(ctx, workers, workers, func(_, k int) error {
		from := nthPart(len(dst), k, workers)
		to := nthPart(len(dst), k+1, workers)
		values := box
		if workers > 1 {
			values = make([]any, len(box))
			for i, p := range c.operands {
				values[i] = p.part(box[i], from, to)
			}
		}
		c.fn(dst[from:to:to], values)
		return nil
	})

	select {
	case c.buffers <- box:
	default:
	}
	return err
}

// nthPart returns the index at which part k of n items begins.
func nthPart(n, k, parts int) int { return int(int64(n) * int64(k) / int64(parts)) }

// read reads a box of all operands.
func (c *combination[R]) read(ctx context.Context, many bool, box []any, items int, start, stop []int64) (err error) {
	c.reading <- struct{}{}
	defer func() { <-c.reading }()

	for i, p := range c.operands {
		if box[i], err = p.read(ctx, many, box[i], items, start, stop); err != nil {
			return err
		}
	}
	return nil
}
