package compute

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Quantile returns the items below which a fraction q of the items lie, exactly: 0.5 gives the
// median. Between two items it interpolates linearly, as NumPy does. The items must be real numbers
// or bools and are compared as float64. If any item is NaN, so is the result, unless SkipNaN is
// set. For no items the error matches [cairn.ErrBounds].
//
// Items that fit into half of Memory, or into 1 MiB, are read once. More of them are read up to
// five times: to count, and to narrow down where the result lies. In a reduction over some axes the
// items of one result, or of as many as fit, are in memory together; if not even those of one fit,
// they are read as often.
func Quantile(ctx context.Context, src ndarray.Source, q float64, o *Options) (none ndarray.Array[float64], err error) {
	if o == nil {
		o = &Options{}
	}

	if !(q >= 0 && q <= 1) {
		return none, errkind.Invalid(fmt.Errorf("quantile %v, must be from 0 to 1: %w", q, cairn.ErrBounds))
	}

	return sorted(ctx, "quantile", src, &quantiles{q: q}, o)
}

// sorted returns what s makes of the items of each result.
func sorted(ctx context.Context, what string, src ndarray.Source, s *quantiles, o *Options) (
	none ndarray.Array[float64], err error) {
	if o.Weights != nil {
		return none, noWeights(what)
	}
	src, o, err = o.widened(src)
	if err != nil {
		return none, err
	}

	f, err := familyOf(src, what)
	if err != nil {
		return none, err
	}
	if f.mean == nil { // of complex numbers, a cast would drop the imaginary parts
		return none, typeError(what, src.DType())
	}

	e, err := castTo(ctx, src, "float64", &CalcOptions{Memory: o.Memory})
	if err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}

	reduced, err := o.resolve(len(e.shape))
	if err != nil {
		return none, err
	}

	groups, err := o.grouped(e.shape, reduced)
	if err != nil {
		return none, err
	}
	if err := withItems(what, e.shape, reduced); err != nil {
		return none, err
	}

	s.e = e
	s.skip = o.SkipNaN
	s.reduced = reduced
	s.groups = groups
	s.memory = o.memoryShare()
	s.workers = e.workers
	if s.from, err = ndarray.ViewAs[float64](e); err != nil {
		return none, err
	}

	chunk := e.chunk
	if chunk == nil {
		chunk = e.edge
	}

	s.out, err = newOutput[float64](o, "", groupsIn(e.shape, groups), groupsIn(chunk, groups), reduced)
	if err != nil {
		return none, err
	}

	done := false
	defer func() {
		if !done {
			s.out.array.Abort()
		}
	}()

	if len(o.Groups) > 0 {
		err = s.runGroups(ctx, o)
	} else {
		err = s.run(ctx)
	}
	if err == nil {
		err = s.out.finish(ndarray.WithProgress(ctx, nil))
	}

	done = err == nil
	if err != nil {
		return none, err
	}
	return s.out.array, nil
}

// castTo returns a source of real numbers or bools as items of a dtype.
func castTo(ctx context.Context, src ndarray.Source, dtype string, o *CalcOptions) (*Expression, error) {
	return Calc(ctx, dtype+"(x)", map[string]ndarray.Source{"x": src}, o)
}

// withItems fails if results have no items.
func withItems(what string, shape ndarray.Shape, reduced []bool) error {
	results := int64(1)
	items := int64(1)

	for i, n := range shape {
		if reduced[i] {
			items *= n
		} else {
			results *= n
		}
	}

	if results > 0 && items == 0 {
		return errNoItems(what)
	}
	return nil
}

// quantiles are the state of a Quantile.
type quantiles struct {
	e       *Expression
	from    ndarray.View[float64]
	q       float64
	mode    bool // the most frequent items instead
	skip    bool
	reduced []bool
	groups  []*grouping // by dimension; nil for those without
	memory  int64
	workers int
	out     *output[float64]
}

// leastQuantile is how many bytes of items are always held: narrowing takes about as many.
const leastQuantile = 1 << 20

// run computes the results, box by box of the dimensions that are not reduced.
func (s *quantiles) run(ctx context.Context) error {
	shape := s.e.shape
	kept := slices.Clone([]int64(shape))
	edge := slices.Clone(s.e.edge)
	perResult := int64(8)
	results := int64(1)

	for i, reduced := range s.reduced {
		if reduced {
			perResult *= shape[i]
			kept[i] = 1
			edge[i] = 1
		}
		results *= kept[i]
	}

	if results == 0 {
		return nil
	}

	budget := s.memory / int64(s.workers) / 2 // a copy of some items is sorted
	if results == 1 {
		budget = s.memory
	}
	if budget = max(budget, leastQuantile); perResult > budget {
		if s.mode {
			return errModeMemory(perResult)
		}
		return s.narrowEach(ctx, kept)
	}

	if itemsOf(edge)*perResult > budget {
		edge = slices.Repeat([]int64{1}, len(edge))
	}

	scratch := make([][]float64, s.workers)
	return s.eachBox(ctx, kept, slab.Chunked(kept, edge, perResult, budget), perResult,
		func(w int, box []float64, t *tile) error {
			scratch[w] = slab.Resize(scratch[w], perResult/8)
			values := s.out.tileMemory(t)
			s.quantilesOf(box, t, scratch[w], values)
			return s.out.put(ctx, t, values)
		})
}

// eachBox reads all items, box by box of the dimensions that are kept, with all items of each
// result. do gets the number of the worker, below s.workers.
func (s *quantiles) eachBox(ctx context.Context, kept, edge []int64, perResult int64,
	do func(w int, box []float64, t *tile) error) error {
	cells := slab.GridOf(make([]int64, len(kept)), kept, edge)
	workers := min(s.workers, cells.Count)
	boxes := make([][]float64, workers)

	return parallel.For(ctx, workers, cells.Count, func(w, i int) error {
		b := cells.At(i)
		boxes[w] = slab.Resize(boxes[w], b.Items()*perResult/8)
		t := s.tile(b)
		if err := s.from.ReadBox(ctx, boxes[w], t.start, t.stop); err != nil {
			return err
		}
		return do(w, boxes[w], &t)
	})
}

// tile returns the tile of a box in which dimensions have the extent 1 that are reduced, or divided
// into groups.
func (s *quantiles) tile(b slab.Box) tile {
	t := tile{start: b.Start, stop: b.Stop, cells: int(b.Items())}
	for i, reduced := range s.reduced {
		if reduced || s.groups[i] != nil {
			t.start[i] = 0
			t.stop[i] = s.e.shape[i]
		}
	}
	return t
}

// quantilesOf computes the results of a box. scratch has the length of the items of one.
func (s *quantiles) quantilesOf(box []float64, t *tile, scratch, values []float64) {
	if len(values) == 1 {
		values[0] = s.quantile(box)
		return
	}

	dims := len(t.start)
	stride := make([]int, dims)
	n := 1
	for i := dims - 1; i >= 0; i-- {
		stride[i] = n
		n *= int(t.stop[i] - t.start[i])
	}

	var kept, gone []spreadDim // innermost first
	for i := dims - 1; i >= 0; i-- {
		d := spreadDim{int(t.stop[i] - t.start[i]), stride[i]}
		if s.reduced[i] {
			gone = append(gone, d)
		} else {
			kept = append(kept, d)
		}
	}

	for k := range values {
		first := offset(kept, k)
		for j := 0; j < len(scratch); j += gone[0].extent {
			from := first + offset(gone, j)
			for i := range scratch[j:][:gone[0].extent] {
				scratch[j+i] = box[from+i*gone[0].stride]
			}
		}
		values[k] = s.quantile(scratch)
	}
}

// offset returns where item number k of some dimensions is.
func offset(dims []spreadDim, k int) (at int) {
	for _, d := range dims {
		at += k % d.extent * d.stride
		k /= d.extent
	}
	return at
}

// quantile returns the quantile of values, which it reorders.
func (s *quantiles) quantile(values []float64) float64 {
	// Move NaN to the end and return the other values.
	n := 0
	for i, v := range values {
		if v == v {
			values[n], values[i] = v, values[n]
			n++
		}
	}
	numbers := values[:n]

	if len(numbers) == 0 || len(numbers) < len(values) && !s.skip {
		return math.NaN()
	}

	if s.mode {
		return modeOf(numbers)
	}
	low, part := rankOf(s.q, int64(len(numbers)))
	a := nthNumber(numbers, int(low))
	if part == 0 {
		return a
	}
	return between(a, slices.Min(numbers[low+1:]), part)
}

// rankOf returns the number of the item at or before quantile q, and how far q is on the way to the
// next item.
func rankOf(q float64, n int64) (low int64, part float64) {
	at := q * float64(n-1)
	low = min(int64(at), n-1)
	return low, at - float64(low)
}

// between interpolates from the end that is nearer, as NumPy does. An infinite end is the result.
func between(a, b, part float64) float64 {
	if part > 0 && math.IsInf(b-a, 0) {
		return a/2 + b/2
	}

	if part >= 0.5 {
		return b - float64((b-a)*(1-part))
	}
	return a + float64((b-a)*part)
}

// nthNumber reorders values so that those before n are not greater than number n, and those after
// it not less, and returns it.
func nthNumber(values []float64, n int) float64 {
	low := 0
	high := len(values) - 1
	for rounds := 0; low < high; rounds++ {
		// There are rarely many rounds; sorting is slower, but never quadratic.
		if rounds > 64 || high-low < 16 {
			slices.Sort(values[low : high+1])
			return values[n]
		}

		a := values[low]
		b := values[(low+high)/2]
		c := values[high]
		pivot := max(min(a, b), min(max(a, b), c))

		i := low
		j := high

		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}

		switch {
		case n <= j:
			high = j
		case n >= i:
			low = i
		default:
			return values[n]
		}
	}
	return values[n]
}
