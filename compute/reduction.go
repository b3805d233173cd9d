package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A reduction reduces sources whose items have the Go types of one family.
type reduction interface {
	// pass prepares a pass over a source for requests for reductions of one family, of which this
	// is one. Their options differ in SkipNaN and DDoF only.
	pass(ctx context.Context, src ndarray.Source, all []request) (pass, error)
}

// A pass computes one or more reductions of a source.
type pass interface {
	// results computes all of them, or fails.
	results(ctx context.Context) ([]*ndarray.Untyped, error)
	divided
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
	reduced []bool      // by dimension
	groups  []*grouping // by dimension; nil for those without
	o       *Options
}

// items returns the number of items that are reduced to one, at most.
func (s *setting) items() int64 {
	n := int64(1)
	for i, extent := range s.shape {
		if s.reduced[i] || s.groups[i] != nil {
			n *= extent
		}
	}
	return n
}

// grouped reports whether any dimension is divided into groups.
func (s *setting) grouped() bool { return anyGrouped(s.groups) }

// noItems returns the error for what is not defined without items.
func (s *setting) noItems(what string) error {
	if s.grouped() {
		return fmt.Errorf("%s of a group without items: %w", what, cairn.ErrBounds)
	}
	return errNoItems(what)
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

// A passOf is a pass over items that are computed with as values of type T.
type passOf[T any] struct {
	in       *input[T]
	tiling   tiling
	settings []*setting // of each reduction
	parts    []func() part[T]
	workers  int
}

func (r reductionOf[T]) pass(ctx context.Context, src ndarray.Source, all []request) (pass, error) {
	o := all[0].o
	wide, o, err := o.widened(src)
	if err != nil {
		return nil, err
	}
	f, err := r.open(ctx, wide, o.memoryShare())
	if err != nil {
		return nil, err
	}

	reduced, err := o.resolve(len(f.shape))
	if err != nil {
		return nil, err
	}

	groups, err := o.grouped(f.shape, reduced)
	if err != nil {
		return nil, err
	}

	last := len(f.shape) - 1
	f.rows = last < 0 || reduced[last] || groups[last] != nil
	p := &passOf[T]{in: f,
		tiling: tiling{shape: f.shape, chunk: f.ChunkShape(), reduced: reduced, groups: groups}}
	p.tiling.divide(f.ChunkRuns())

	for _, q := range all {
		at := &setting{f.shape, src.DType(), reduced, groups, q.o}
		p.settings = append(p.settings, at)
		p.parts = append(p.parts, func() part[T] { return q.of.(reductionOf[T]).part(at) })
	}

	if o != all[0].o && slices.ContainsFunc(p.reducer().parts, part[T].indexed) {
		return nil, fmt.Errorf("places of items in windows of groups: %w", cairn.ErrUnsupported)
	}
	p.workers = parallel.Within(o.memoryShare(), p.reducer().workerBytes(), f.Workers())
	return p, nil
}

// reducer returns the state of a run over all or some of the items.
func (p *passOf[T]) reducer() *reducer[T] {
	s := &reducer[T]{tiling: p.tiling}
	for _, part := range p.parts {
		s.parts = append(s.parts, part())
	}
	return s
}

func (p *passOf[T]) results(ctx context.Context) ([]*ndarray.Untyped, error) {
	return p.collect(ctx, func(s *reducer[T]) error { return s.run(ctx, p.in, p.workers) })
}

// collect returns the results, which fill passes on to the parts of a reducer.
func (p *passOf[T]) collect(ctx context.Context, fill func(s *reducer[T]) error) (
	results []*ndarray.Untyped, err error) {
	s := p.reducer()
	created := 0
	done := false

	defer func() {
		if !done { // an error, or a panic of a source
			for _, part := range s.parts[:created] {
				part.abort()
			}
		}
	}()

	for i, part := range s.parts {
		if err := part.create(p.settings[i], s.tileShape()); err != nil {
			return nil, err
		}
		created++
	}

	if err := fill(s); err != nil {
		return nil, err
	}

	for _, part := range s.parts {
		u, err := part.finish(ndarray.WithProgress(ctx, nil))
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
	fresh func() C
	// result converts a cell of n items, of which some may have been skipped, to an item of the
	// result.
	result   func(c C, cell int, n int64) (R, error)
	numbered bool   // cells need the indexes of items
	dtype    string // of the result, or "" for that of R
	out      *output[R]
}

func partOf[T any, C cells[T], R any](fresh func() C, result func(c C, cell int, n int64) (R, error)) *cellsPart[T, C, R] {
	return &cellsPart[T, C, R]{fresh: fresh, result: result}
}

func (p *cellsPart[T, C, R]) newCells() cells[T] { return p.fresh() }
func (p *cellsPart[T, C, R]) indexed() bool      { return p.numbered }

func (p *cellsPart[T, C, R]) create(s *setting, chunk ndarray.Shape) (err error) {
	p.out, err = newOutput[R](s.o, p.dtype, groupsIn(s.shape, s.groups), chunk, s.reduced)
	return err
}

func (p *cellsPart[T, C, R]) tileDone(ctx context.Context, t *tile, c cells[T]) error {
	own := c.(C)
	values := p.out.tileMemory(t)
	alike := t.alike()
	for first := 0; first < len(values); first += alike {
		n := t.items(first)
		for i := first; i < first+alike; i++ {
			var err error
			if values[i], err = p.result(own, i, n); err != nil {
				return err
			}
		}
	}

	return p.out.put(ctx, t, values)
}

func (p *cellsPart[T, C, R]) finish(ctx context.Context) (*ndarray.Untyped, error) {
	return p.out.array.Untyped, p.out.finish(ctx)
}

func (p *cellsPart[T, C, R]) abort() { p.out.array.Abort() }
