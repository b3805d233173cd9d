package compute

import (
	"context"

	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A reduction reduces sources whose items have the Go types of one family.
type reduction interface {
	// run computes requests for reductions of one family, of which this is one, in one pass. Their
	// options differ in SkipNaN and DDoF only. There are all results, or an error.
	run(ctx context.Context, src ndarray.Source, all []request) ([]*ndarray.Untyped, error)
}

// A request is a reduction with its options.
type request struct {
	of reduction
	o  *Options
}

// A setting is what a reduction is applied to.
type setting struct {
	shape   ndarray.Shape
	dtype   meta.DType
	reduced []bool // by dimension
	o       *Options
}

// items returns the number of items that are reduced to one.
func (s *setting) items() int64 {
	n := int64(1)
	for i, extent := range s.shape {
		if s.reduced[i] {
			n *= extent
		}
	}
	return n
}

// A reductionOf is a reduction of items that are computed with as values of type T.
type reductionOf[T any] struct {
	open openInput[T]
	part func(s *setting) part[T]
}

// A part is one of the reductions of a pass, for one source.
type part[T any] interface {
	newCells() cells[T]
	indexed() bool // whether cells need the indexes of items
	create(s *setting, chunk ndarray.Shape) error
	tileDone(ctx context.Context, t *tile, c cells[T]) error
	finish(ctx context.Context) (*ndarray.Untyped, error)
	abort() // does nothing unless create has succeeded
}

func (r reductionOf[T]) run(ctx context.Context, src ndarray.Source, all []request) (
	results []*ndarray.Untyped, err error) {
	o := all[0].o
	f, err := r.open(ctx, src, o.memoryShare())
	if err != nil {
		return nil, err
	}
	reduced, err := o.resolve(len(f.shape))
	if err != nil {
		return nil, err
	}
	s := &reducer[T]{tiling: tiling{shape: f.shape, chunk: f.ChunkShape(), reduced: reduced}}
	done := false
	defer func() {
		if !done { // an error, or a panic of a source
			for _, p := range s.parts {
				p.abort()
			}
		}
	}()
	for _, q := range all {
		at := &setting{f.shape, src.DType(), reduced, q.o}
		p := q.of.(reductionOf[T]).part(at)
		if err := p.create(at, s.chunk); err != nil {
			return nil, err
		}
		s.parts = append(s.parts, p)
	}
	if err := s.run(ctx, f, parallel.Within(o.memoryShare(), s.workerBytes(), f.Workers())); err != nil {
		return nil, err
	}
	for _, p := range s.parts {
		u, err := p.finish(ndarray.WithProgress(ctx, nil))
		if err != nil {
			return nil, err
		}
		results = append(results, u)
	}
	done = true
	return results, nil
}

// A cellsPart is a part with cells of type C and results of type R.
type cellsPart[T any, C cells[T], R any] struct {
	fresh    func() C
	result   func(c C, cell int) (R, error) // converts a cell to an item of the result
	numbered bool                           // cells need the indexes of items
	dtype    string                         // of the result, or "" for that of R
	out      *output[R]
}

func partOf[T any, C cells[T], R any](fresh func() C, result func(c C, cell int) (R, error)) *cellsPart[T, C, R] {
	return &cellsPart[T, C, R]{fresh: fresh, result: result}
}

func (p *cellsPart[T, C, R]) newCells() cells[T] { return p.fresh() }
func (p *cellsPart[T, C, R]) indexed() bool      { return p.numbered }

func (p *cellsPart[T, C, R]) create(s *setting, chunk ndarray.Shape) (err error) {
	p.out, err = newOutput[R](s.o, p.dtype, s.shape, chunk, s.reduced)
	return err
}

func (p *cellsPart[T, C, R]) tileDone(ctx context.Context, t *tile, c cells[T]) error {
	own, values := c.(C), p.out.tileMemory(t)
	for i := range values {
		var err error
		if values[i], err = p.result(own, i); err != nil {
			return err
		}
	}
	return p.out.put(ctx, t, values)
}

func (p *cellsPart[T, C, R]) finish(ctx context.Context) (*ndarray.Untyped, error) {
	return p.out.array.Untyped, p.out.finish(ctx)
}

func (p *cellsPart[T, C, R]) abort() { p.out.array.Abort() }
