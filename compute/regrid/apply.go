package regrid

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// ApplyOptions are the options for applying weights. Nil and the zero value mean the defaults.
type ApplyOptions struct {
	// Coverage is the least part of a cell, from 0 to 1, that items must cover for a result, by
	// their weights; otherwise it is missing. 0 means that any will do; with 1, no item may be
	// missing.
	Coverage float64
	// Dims are the names of the dimensions of the results' grid; nil means those of the grid that
	// the weights were made for, if they were not read.
	Dims []string
}

// slack is what rounding may take from a coverage.
const slack = 1e-9

// budget is how many bytes of items are read at a time, unless a single field has more.
const budget = 16 << 20

// mostField bounds the results of one field that are computed at a time.
const mostField = 1 << 20

// Of returns an array on the other grid, whose items are computed when they are read. axes are the
// dimensions of src that are its grid: two, of rows and columns, or one of cells. The dimensions of
// the result are in the place of the first one.
//
// Items must be real numbers, and are taken for the values that they stand for (see package
// netcdf): results are float32 if these are, otherwise float64, and NaN where they are missing. But
// Nearest takes items of any dtype as they are, with their packing, if there is one for each
// result.
func (w *Weights) Of(src ndarray.Source, axes []int, o *ApplyOptions) (ndarray.Labelled, error) {
	if o == nil {
		o = &ApplyOptions{}
	}
	if !(o.Coverage >= 0 && o.Coverage <= 1) {
		return nil, fmt.Errorf("a coverage of %g, must be 0 to 1: %w", o.Coverage, cairn.ErrInvalid)
	}
	last, order, err := w.gridLast(src, axes)
	if err != nil {
		return nil, err
	}

	r := &result{w: w, src: last, coverage: o.Coverage, outer: len(order) - len(axes)}
	r.labels, err = last.Labels()
	if err != nil {
		return nil, err
	}
	if err := r.setItems(); err != nil {
		return nil, err
	}
	r.setGrid(o.Dims)
	return w.inPlace(r, slices.Min(axes)), nil
}

// gridLast returns an array with its grid in the last dimensions.
func (w *Weights) gridLast(src ndarray.Source, axes []int) (v ndarray.UntypedView, order []int, err error) {
	shape := src.Shape()
	for i := range shape {
		if !slices.Contains(axes, i) {
			order = append(order, i)
		}
	}
	order = append(order, axes...)
	if len(order) != len(shape) || len(axes) == 0 {
		return v, nil, fmt.Errorf("axes %v of an array of %d dimensions: %w", axes, len(shape), cairn.ErrInvalid)
	}

	own := ndarray.Shape{}
	cells := int64(1)
	want := int64(1)
	for _, axis := range axes {
		own = append(own, shape[axis])
		cells *= shape[axis]
	}
	for _, n := range w.from {
		want *= n
	}
	if cells != want || len(axes) == len(w.from) && !slices.Equal(own, w.from) {
		return v, nil, fmt.Errorf("the grid of the array has shape %v, and that of the weights %v: %w", own, w.from,
			cairn.ErrInvalid)
	}

	v = ndarray.ViewOf(src)
	if !slices.IsSorted(order) {
		v = v.Transpose(order...)
	}
	return v, order, v.Err()
}

// inPlace returns a result with its grid in some dimension.
func (w *Weights) inPlace(r *result, at int) ndarray.Labelled {
	at = min(at, r.outer)
	if at == r.outer {
		return r
	}
	var order []int
	for i := range at {
		order = append(order, i)
	}
	for i := range w.to {
		order = append(order, r.outer+i)
	}
	for i := at; i < r.outer; i++ {
		order = append(order, i)
	}
	return ndarray.ViewOf(r).Transpose(order...)
}

// A result is an array on another grid, which is that of its last dimensions.
type result struct {
	w        *Weights
	src      ndarray.Source
	outer    int // dimensions before the grid
	coverage float64

	dtype         meta.DType
	floats        *govalue.Floats // nil if items are taken as they are
	labels        ndarray.Labels
	shape, chunks ndarray.Shape
	idle          sync.Pool // of *workspace
}

// A workspace is the memory of a read.
type workspace struct {
	items  []byte
	values []float64
}

// setItems chooses the items of the result.
func (r *result) setItems() error {
	d := r.src.DType()
	if r.w.method == Nearest && r.w.complete() {
		r.dtype = d
		return nil
	}

	if !cf.Of(d, nil).Numbers() {
		return fmt.Errorf("items of dtype %s are no real numbers, which %s needs: %w", d, r.w.method, cairn.ErrType)
	}
	v, err := values.Of(&relabelled{r.src, r.labels}, nil)
	if err != nil {
		return err
	}
	if r.labels, err = v.Labels(); err != nil {
		return err
	}
	r.src = v
	d = v.DType()
	if r.floats, err = govalue.FloatsOf(d); err != nil {
		return err
	}

	text := "<f8"
	if !r.floats.Whole() && d.Size() <= 4 {
		text = "<f4"
	}
	if r.dtype, err = meta.ParseDType(text); err != nil {
		return err
	}

	// Results may be missing where no item is.
	if !cf.HasFill(r.labels.Attributes) && (r.coverage > 0 || !r.w.complete()) {
		r.labels.Attributes = append(slices.Clone(r.labels.Attributes), cf.NaNFill(r.dtype)...)
	}
	return nil
}

// relabelled is a source with labels.
type relabelled struct {
	ndarray.Source
	labels ndarray.Labels
}

func (r *relabelled) Labels() (ndarray.Labels, error) { return r.labels, nil }

// setGrid sets the shape, and boxes that are cheap to compute: as many fields as chunks of the
// source have, in rows with a bounded number of results.
func (r *result) setGrid(dims []string) {
	shape := r.src.Shape()
	chunks, _ := r.src.Grid()
	if chunks == nil {
		chunks = slices.Clone(shape)
	}
	r.shape = append(slices.Clone(shape[:r.outer]), r.w.to...)
	r.chunks = slices.Clone(r.shape)

	field := int64(1)
	for i := len(r.shape) - 1; i >= r.outer; i-- {
		r.chunks[i] = max(1, min(r.shape[i], mostField/field))
		field *= r.chunks[i]
	}
	for i := r.outer - 1; i >= 0; i-- {
		r.chunks[i] = max(1, min(chunks[i], shape[i], mostField/max(1, field)))
		field *= r.chunks[i]
	}

	if dims == nil && r.w.target != nil {
		dims = r.w.target.dims
	}
	if r.labels.Dims != nil && len(dims) == len(r.w.to) {
		r.labels.Dims = append(slices.Clone(r.labels.Dims[:r.outer]), dims...)
	} else {
		r.labels.Dims = nil
	}
	if r.labels.MaxShape != nil {
		r.labels.MaxShape = append(slices.Clone(r.labels.MaxShape[:r.outer]), r.w.to...)
	}
}

func (r *result) Shape() ndarray.Shape            { return slices.Clone(r.shape) }
func (r *result) DType() meta.DType               { return r.dtype }
func (r *result) Labels() (ndarray.Labels, error) { return r.labels, nil }
func (r *result) Grid() (chunks, blocks ndarray.Shape) {
	return slices.Clone(r.chunks), slices.Clone(r.chunks)
}

// ReadBytes computes the results of a box. It reads the items that these need: rows of the grid, of
// one field or of several.
func (r *result) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	f := r.field(start[r.outer:], stop[r.outer:])
	size := r.dtype.Size()
	if len(f.to) == 0 || len(dst) == 0 {
		return nil
	}

	src := r.src.Shape()
	from := append(slices.Clone(start[:r.outer]), make([]int64, len(src)-r.outer)...)
	to := append(slices.Clone(stop[:r.outer]), src[r.outer:]...)
	cells := int64(1) // of what the first dimension of the grid counts
	for _, n := range src[r.outer+1:] {
		cells *= n
	}
	from[r.outer] = f.first / cells
	to[r.outer] = min(src[r.outer], f.last/cells+1)
	base := from[r.outer] * cells
	items := (to[r.outer] - from[r.outer]) * cells

	space, ok := r.idle.Get().(*workspace)
	if !ok {
		space = new(workspace)
	}
	defer r.idle.Put(space)
	itemSize := r.src.DType().Size()
	chunks, _ := r.src.Grid()
	if chunks == nil {
		chunks = slices.Clone(src)
	}

	edge := slab.Runs(from[:r.outer], to[:r.outer], chunks[:r.outer], chunks[:r.outer], items*int64(itemSize), budget)
	for b := range slab.Walk(start[:r.outer], stop[:r.outer], edge) {
		fields := b.Items()
		copy(from, b.Start)
		copy(to, b.Stop)
		space.items = slab.Resize(space.items, fields*items*int64(itemSize))
		if err := r.src.ReadBytes(ctx, space.items, from, to); err != nil {
			return err
		}
		for i := range fields {
			raw := space.items[i*items*int64(itemSize):][:items*int64(itemSize)]
			r.compute(dst, raw, space, f.to, int32(base))
			dst = dst[len(f.to)*size:]
		}
	}
	return ctx.Err()
}

// A field are the results of a box in one field, and the range of items that they need.
type field struct {
	to          []int32
	first, last int64
}

// field returns the results of a box of the grid.
func (r *result) field(start, stop []int64) (f field) {
	f.first = math.MaxInt64
	width := int64(1)
	if len(start) == 2 {
		width = r.w.to[1]
	} else {
		start = []int64{start[0], 0}
		stop = []int64{stop[0], 1}
	}

	for j := start[0]; j < stop[0]; j++ {
		for i := start[1]; i < stop[1]; i++ {
			cell := j*width + i
			f.to = append(f.to, int32(cell))
			for _, c := range r.w.column[r.w.start[cell]:r.w.start[cell+1]] {
				f.first = min(f.first, int64(c))
				f.last = max(f.last, int64(c))
			}
		}
	}
	if f.first > f.last { // all are missing
		f.first = 0
		f.last = 0
	}
	return f
}

// compute computes results of a field, whose items from base on are in raw.
func (r *result) compute(dst, raw []byte, space *workspace, to []int32, base int32) {
	w := r.w
	size := r.dtype.Size()
	if r.floats == nil {
		for i, cell := range to {
			at := int(w.column[w.start[cell]]-base) * size
			copy(dst[i*size:(i+1)*size], raw[at:])
		}
		return
	}

	n := len(raw) / r.src.DType().Size()
	space.values = slab.Resize(space.values, n)
	r.floats.Convert(space.values, raw)
	missing := slices.ContainsFunc(space.values, math.IsNaN)

	for i, cell := range to {
		columns := w.column[w.start[cell]:w.start[cell+1]]
		weights := w.weight[w.start[cell]:w.start[cell+1]]
		sum := 0.0
		there := 1.0
		if missing {
			sum, there = sumOfPresent(space.values, columns, weights, base)
		} else {
			for k, c := range columns {
				sum += float64(weights[k] * space.values[c-base])
			}
		}

		if covered := there * w.coverage(int(cell)); covered <= 0 || covered < r.coverage-slack {
			sum = math.NaN()
		}
		if size == 4 {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(float32(sum)))
		} else {
			binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(sum))
		}
	}
}

// sumOfPresent returns the weighted mean of the values that are not missing, and the sum of their
// weights.
func sumOfPresent(values []float64, columns []int32, weights []float64, base int32) (mean, there float64) {
	whole := true
	for k, c := range columns {
		v := values[c-base]
		if math.IsNaN(v) {
			whole = false
			continue
		}
		mean += float64(weights[k] * v)
		there += weights[k]
	}
	if whole {
		return mean, 1
	}
	return mean / there, there
}
