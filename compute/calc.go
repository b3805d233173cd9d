package compute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// CalcOptions are the options of [Calc].
type CalcOptions struct {
	// Workers is the number of goroutines that one read may use; 0 means one per CPU.
	Workers int
	// Memory limits the bytes of the items that are being computed, for all reads of the expression
	// together; 0 means the default of [ndarray.Options.Memory]. At least a block of each source is
	// held per worker. An argument of a reduction, what is sliced, and what is broadcast are
	// expressions of their own, and have as much each. Results of reductions are held in addition:
	// each up to a quarter of Memory, or 16 MiB if that is more; those of cumsum and cumprod up to
	// Memory.
	Memory int64

	// By returns the groups that the argument by= of a reduction names, of an array with such
	// dimensions, whose names may be "". Without By there are none.
	By func(ctx context.Context, name string, dims []string, shape ndarray.Shape) ([]Groups, error)
	// Coordinate returns the coordinates with a name, of an array with such dimensions, whose names
	// may be "", and such extents; nil dims are those of any array. A name in an expression that
	// none of the sources has, and no constant, is that of coordinates. They have labels, by which
	// they are aligned: the names of their dimensions. Times are numbers with the attributes units
	// and calendar of the CF conventions, or dates of NumPy. Where there are none with this name,
	// the error matches [cairn.ErrNotFound], and says what names there are.
	Coordinate func(ctx context.Context, name string, dims []string, shape ndarray.Shape) (ndarray.Source, error)
	// Scratch creates an array for a result of a reduction that has no room in memory, without
	// which such a reduction fails: for example with [ndarray.CreateUntyped]. The caller aborts the
	// array when the expressions are no longer used.
	Scratch func(dtype string, shape ndarray.Shape, o *ndarray.Options) (*ndarray.Untyped, error)
}

// An Expression is a [ndarray.Source] whose items are computed when they are read: by
// [ndarray.Save] to store them, by the reductions of this package, or by ReadBytes. The sources
// must stay open. Any number of goroutines may read.
type Expression struct {
	shape  ndarray.Shape
	kind   kernel.Kind
	dtype  meta.DType
	labels ndarray.Labels

	moved moved // coordinates that are other than in the sources

	root         *term
	leaves       []leaf
	chunk, block ndarray.Shape // of the largest source; nil if none has the shape
	edge         []int64       // of the boxes that are computed at a time
	workers      int
	free         chan *program // nil ones are yet to be made
	bytesPerItem int64
	memory       int64 // of all workers
}

// ErrSyntax is matched by errors of [Calc] about the text of an expression, whatever the arrays
// are: it cannot be parsed, or it has a name of no array, constant or function. Nothing has been
// read. They match [cairn.ErrInvalid] as well.
var ErrSyntax = errors.New("mistake in an expression")

// A syntaxError is an error with its place that matches ErrSyntax.
type syntaxError struct{ error }

func (e syntaxError) Is(target error) bool { return target == ErrSyntax || target == cairn.ErrInvalid }
func (e syntaxError) Unwrap() error        { return e.error }

// Calc returns the result of an expression over named sources, in the notation and with the results
// of NumPy:
//
//	sources := map[string]ndarray.Source{"a": a, "b": b}
//	e, err := compute.Calc(ctx, "a - mean(b, axis=0)", sources, nil)
//	err = ndarray.Save(ctx, "anomaly.b2nd", e, nil)
//
// There are Python's operators, comparisons and selections (a[1:, ::2]), NumPy's elementwise
// functions, where, clip, casts such as float32(a), cumsum and cumprod along one axis, and
// reductions with axis=, keepdims= and ddof=. An axis is a number, the name of a dimension in
// quotes, or a tuple of them. Shapes are broadcast. Where items stand, index(a, axis=0) tells, as
// numpy.indices(a.shape)[0] does; it reads nothing of a.
//
// With by='name' a reduction has a result for each of the groups of [CalcOptions.By]; with
// each=True, too, every item of the argument gets that of its group. The axes of the groups may be
// among those of axis=. With weights=, which are an expression of their own, mean, sum, var and std
// weigh items, as in mean(t, 'lat', weights=cos(radians(lat))).
//
// corr(a, b, axis) and cov(a, b, axis) relate two arrays; slope, intercept and pvalue of the line
// that fits items along one axis are against its coordinates ([CalcOptions.Coordinate]), in days
// where these are times, or against x=, or 0, 1, 2 and so on. mode is the most frequent item,
// first, last and middle are those at such places, and longest_run(t > 25, 'time') is the number of
// successive items along an axis that are true, at most. All of them but first, last, middle and
// longest_run skip NaN if their names begin with nan.
//
// clim(a, 'name') is
// nanmean(a, by='name', each=True), and standardize(a, 'name') the distance of a from it, divided
// by the standard deviation of the group.
//
// With window=n a reduction along one axis has a result for each item, of the n items up to it or,
// with center=True, around it, as [Rolling] has it; min_count= is the number of items that must not
// be missing. With by=, too, it is of n groups around each; see [Groups]. diff(a, n=1, axis=0) are
// differences of order n, and shift(a, n, axis=0) moves items by n. ffill and bfill(a, axis=0,
// limit=3) repeat the last or the next item in the place of NaN, and interpolate_na(a, axis=0)
// interpolates linearly by the coordinates of [CalcOptions.Coordinate], or by the indexes without
// them or with use_coordinate=False. interp(a, axis=0, at=(1, 2.5), method='linear') has the items
// at such coordinates, or with 'nearest' those near them.
//
// Numbers without a dtype take that of what they are combined with (NEP 50). Integers wrap around;
// their division by zero gives 0.
//
// Items are computed block by block, without intermediate arrays. Reductions are different: Calc
// itself computes them, in a pass over their argument, which reductions of the same argument over
// the same axes share. Results equal those of NumPy 2, to the bit for integers and for + - * / //
// % and sqrt of floats. Other functions and powers differ from the exact result by at most 4 units
// in the last place of float64, before they are rounded to shorter floats; sin, cos and tan also
// as if the argument differed by one. Both parts of a product of complex numbers x and y differ by
// at most 2⁻⁵²·|x|·|y|, or 2⁻²³·|x|·|y| for complex64; NumPy's do too, but in other
// bits, as it fuses operations where the processor can. Both parts of exp, log and sqrt of complex
// numbers differ by at most 2⁻⁵⁰ times the absolute value of the result, or of 1 for a log
// that is less, before they are rounded to complex64. For reductions see the package comment.
//
// Mistakes in the expression are reported with their place, and match [ErrSyntax] if it cannot be
// parsed or has unknown names. The number of workers does not change the result.
func Calc(ctx context.Context, text string, sources map[string]ndarray.Source, o *CalcOptions) (*Expression, error) {
	all, err := CalcAll(ctx, []string{text}, sources, o)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// CalcAll returns the results of several expressions over the same sources, in their order; see
// [Calc]. Reductions share passes across the expressions: this reads the items once.
//
//	texts := []string{"mean(a, axis=0)", "std(a, axis=0)", "max(a, axis=0)"}
//	results, err := compute.CalcAll(ctx, texts, map[string]ndarray.Source{"a": a}, nil)
func CalcAll(ctx context.Context, texts []string, sources map[string]ndarray.Source,
	o *CalcOptions) ([]*Expression, error) {
	return calcAll(ctx, texts, sources, o, nil)
}

// calcAll is CalcAll. through returns the results of passes; nil means to compute them.
func calcAll(ctx context.Context, texts []string, sources map[string]ndarray.Source, o *CalcOptions,
	through func(p pass) ([]*ndarray.Untyped, error)) ([]*Expression, error) {
	o = cmp.Or(o, &CalcOptions{})
	if o.Workers < 0 || o.Memory < 0 {
		return nil, fmt.Errorf("calc: Workers is %d and Memory %d, must not be negative: %w", o.Workers, o.Memory,
			cairn.ErrInvalid)
	}

	b := newBinder(sources, o)
	b.through = through

	nodes := make([]*expr.Node, len(texts))
	results := make([]*Expression, len(texts))

	for i, text := range texts {
		b.text = text
		var err error
		if nodes[i], err = expr.Parse(text); err != nil {
			return nil, fmt.Errorf("calc: %w", syntaxError{err})
		}

		if err = b.check(ctx, nodes[i]); err != nil {
			return nil, fmt.Errorf("calc: %w", syntaxError{err})
		}
		if nodes[i], err = b.expanded(nodes[i]); err != nil {
			return nil, fmt.Errorf("calc: %w", err)
		}
		b.calls = b.reductionCalls(b.calls, nodes[i])
	}

	for i, n := range nodes {
		b.text = texts[i]
		t, err := b.bind(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("calc: %w", err)
		}

		results[i], err = b.expression(t)
		if err != nil {
			return nil, fmt.Errorf("calc: %w", err)
		}
	}

	return results, nil
}

// Shape returns the shape of the result.
func (e *Expression) Shape() ndarray.Shape { return slices.Clone(e.shape) }

// DType returns the dtype of the result, which is little-endian.
func (e *Expression) DType() meta.DType { return e.dtype }

// Grid returns the chunk and block shape of the largest source that has the shape of the result.
func (e *Expression) Grid() (chunks, blocks ndarray.Shape) {
	return slices.Clone(e.chunk), slices.Clone(e.block)
}

// Labels returns the dimensions of the sources that the result still has, and the attributes that
// hold for it: units survive selections, means, extremes, rounding and sums of arrays with the same
// units, but not products, comparisons and counts. Attributes of items that are packed, or marked
// as missing otherwise than by NaN, survive selections only: take their values, as netcdf.Unpack
// does. Results of floats have a _FillValue of NaN where a source marks what is missing.
func (e *Expression) Labels() (ndarray.Labels, error) {
	return ndarray.Labels{Dims: slices.Clone(e.labels.Dims), Attributes: slices.Clone(e.labels.Attributes)}, nil
}

// boxBytes is about how many bytes are computed at a time: enough to outweigh the overhead.
const boxBytes = 4 << 20

// expression makes the result of a term.
func (b *binder) expression(t *term) (*Expression, error) {
	value, err := t.value(b.trial)
	if err != nil {
		return nil, err
	}

	value, err = kernel.Typed(value)
	if err != nil {
		return nil, err
	}

	e := &Expression{
		shape: t.shape, kind: value.Kind(), root: t, leaves: t.leaves,
		labels: ndarray.Labels{Dims: t.dims}, moved: t.moved,
		workers: parallel.Workers(b.options.Workers), memory: parallel.Memory(b.options.Memory),
	}

	if e.dtype, err = meta.ParseDType(e.kind.DType()); err != nil {
		return nil, err
	}

	e.labels.Attributes = attributesFor(e.dtype, t.attributes)
	e.chooseGrid()

	e.free = make(chan *program, e.workers)
	for range e.workers {
		e.free <- nil
	}
	return e, nil
}

// chooseGrid decides which boxes are computed at a time.
func (e *Expression) chooseGrid() {
	most := 0
	e.bytesPerItem = int64(e.kind.Size())
	for _, l := range e.leaves {
		e.bytesPerItem += int64(l.itemSize())
		if chunk, block := l.grid(); chunk != nil && slices.Equal(l.shape(), e.shape) && l.itemSize() > most {
			most = l.itemSize()
			e.chunk = chunk
			e.block = block
		}
	}

	budget := max(1, e.memory/int64(e.workers))
	item := make([]int64, len(e.shape))
	for i := range item {
		item[i] = 1
	}

	for _, part := range [][]int64{e.chunk, e.block, item} {
		if len(part) != len(e.shape) || slices.ContainsFunc(part, func(n int64) bool { return n < 1 }) {
			continue
		}
		e.edge = slab.Chunked(e.shape, part, e.bytesPerItem, min(budget, boxBytes))
		if itemsOf(e.edge)*e.bytesPerItem <= budget {
			return
		}
	}
}
