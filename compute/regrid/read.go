package regrid

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// ReadOptions are the options for reading weights. Nil and the zero value mean the defaults.
type ReadOptions struct {
	// From and To are the grids that the weights are between, which files of xESMF do not tell; nil
	// means those that the file tells of. The error matches [cairn.ErrInvalid] if the weights are
	// for others, by their numbers of cells.
	From, To *Grid
	netcdf.OpenOptions
}

// Read reads the file of weights at a path: one of ESMF, as xESMF uses it, or one of SCRIP, as CDO
// does. o may be nil.
//
// Weights of CDO and cairn sum to 1 for each result. Others, such as those that ESMF makes with its
// norm type DSTAREA, sum to how much of a cell items cover; they are divided by that, and
// [ApplyOptions.Coverage] decides whether a result is missing.
func Read(ctx context.Context, path string, o *ReadOptions) (*Weights, error) {
	if o == nil {
		o = &ReadOptions{}
	}
	f, err := netcdf.Open(path, &o.OpenOptions)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	w, err := fromTree(ctx, f, o.From, o.To)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// fromTree reads weights from a file that is open.
func fromTree(ctx context.Context, t ndarray.Tree, from, to *Grid) (*Weights, error) {
	attributes, err := t.Attributes(ctx, "/")
	if err != nil {
		return nil, err
	}
	r := &linkReader{scripReader: scripReader{ctx: ctx, find: inTree(t)}}

	switch {
	case r.has("remap_matrix"):
		r.scrip()
	case r.has("S"):
		r.esmf()
	default:
		return nil, fmt.Errorf("there are no weights, neither remap_matrix as CDO writes them nor S as ESMF does: %w",
			cairn.ErrNotFound)
	}
	if r.err != nil {
		return nil, r.err
	}

	if err := r.between(from, to); err != nil {
		return nil, err
	}
	w, err := r.weights(ctx)
	if err == nil {
		w.method = methodOf(cf.Text(attributes, "map_method"))
		w.source = from
		w.target = to
	}
	return w, err
}

// between takes the shapes of the grids, of which the file may know the numbers of cells only.
func (r *linkReader) between(from, to *Grid) error {
	take := func(g *Grid, own ndarray.Shape, which string) (ndarray.Shape, error) {
		if g == nil {
			return own, nil
		}
		if own != nil && cellsIn(own) != int64(g.Cells()) {
			return nil, fmt.Errorf("the weights are %s a grid of %d cells, not %s: %w", which, cellsIn(own), g, cairn.ErrInvalid)
		}
		return g.Shape(), nil
	}
	var err error
	if r.from, err = take(from, r.from, "from"); err != nil {
		return err
	}
	r.to, err = take(to, r.to, "to")
	return err
}

func cellsIn(shape ndarray.Shape) int64 {
	n := int64(1)
	for _, length := range shape {
		n *= length
	}
	return n
}

// methodOf returns the method that a file names.
func methodOf(text string) Method {
	text = strings.ToLower(text)
	switch {
	case strings.Contains(text, "bilinear"):
		return Bilinear
	case strings.Contains(text, "nearest"):
		return Nearest
	case strings.Contains(text, "conserv"):
		return Conservative
	}
	return ""
}

// A linkReader reads the arrays of a file of weights.
type linkReader struct {
	scripReader
	from, to    ndarray.Shape
	column, row []int32 // from 1
	weight      []float64
	covered     []float64
	area        []float64
}

func (r *linkReader) has(name string) bool {
	src, err := r.find(r.ctx, name)
	return src != nil && err == nil
}

func (r *linkReader) scrip() {
	r.from = r.shape("src_grid_dims", "src_grid_center_lat")
	r.to = r.shape("dst_grid_dims", "dst_grid_center_lat")
	r.column = r.indexes("src_address")
	r.row = r.indexes("dst_address")
	r.weight = r.firsts("remap_matrix")
	r.covered = r.optional("dst_grid_frac")
	r.area = r.optional("dst_grid_area")
}

func (r *linkReader) esmf() {
	r.from = r.shape("src_grid_dims", "yc_a")
	r.to = r.shape("dst_grid_dims", "yc_b")
	r.column = r.indexes("col")
	r.row = r.indexes("row")
	r.weight = r.firsts("S")
	r.covered = r.optional("frac_b")
	r.area = r.optional("area_b")
}

// mostUnseen bounds the cells of a grid of which a file has nothing but their number.
const mostUnseen = 1 << 20

// shape returns that of a grid: its dimensions, of which files have the last one first, or the
// number of its cells; nil if the file says neither.
func (r *linkReader) shape(dims, cells string) ndarray.Shape {
	var shape ndarray.Shape
	total := 1.0
	for _, n := range r.floats(dims) {
		if r.err == nil && (!(n >= 1 && n <= mostCells) || n != math.Trunc(n)) {
			r.err = fmt.Errorf("%s has %g: %w", dims, n, cairn.ErrCorrupt)
		}
		if total *= n; r.err == nil && total > mostCells {
			r.err = fmt.Errorf("%s: %w", dims, tooMany(mostCells+1))
		}
		shape = append(shape, int64(n))
	}
	slices.Reverse(shape)

	src, err := r.find(r.ctx, cells)
	if len(shape) > 0 && len(shape) < 3 || r.err != nil {
		if r.err == nil && total > mostUnseen && (src == nil || cellsIn(src.Shape()) != int64(total)) {
			r.err = fmt.Errorf("%s says %g cells, and %s has others: %w", dims, total, cells, cairn.ErrCorrupt)
		}
		return shape
	}

	if src == nil || err != nil || len(src.Shape()) != 1 || src.Shape()[0] < 1 || src.Shape()[0] > mostCells {
		return nil
	}
	return src.Shape()
}

// array returns the shape of an array, and its items: one for each link, or the first of several.
func (r *linkReader) array(name string) (n, each int64, raw []byte, of *govalue.Floats) {
	if r.err != nil {
		return 0, 0, nil, nil
	}

	src, err := r.find(r.ctx, name)
	if err == nil && src == nil {
		err = fmt.Errorf("there is no such array: %w", cairn.ErrNotFound)
	}

	if err == nil {
		shape := src.Shape()
		each = 1
		if len(shape) == 2 {
			each = shape[1]
		}
		switch {
		case len(shape) < 1 || len(shape) > 2 || each < 1 || each > 3:
			err = fmt.Errorf("shape %v, want one of links: %w", shape, cairn.ErrUnsupported)
		case shape[0] > mostLinks:
			err = fmt.Errorf("more than %d weights: %w", mostLinks, cairn.ErrLimit)
		case !cf.Of(src.DType(), nil).Numbers():
			err = fmt.Errorf("items of dtype %s: %w", src.DType(), cairn.ErrUnsupported)
		default:
			n = shape[0]
			if of, err = govalue.FloatsOf(src.DType()); err == nil {
				raw, err = read(r.ctx, src)
			}
		}
	}
	if err != nil {
		r.err = fmt.Errorf("%s: %w", name, err)
	}
	return n, each, raw, of
}

// indexes returns numbers of cells.
func (r *linkReader) indexes(name string) []int32 {
	n, each, raw, of := r.array(name)
	if r.err != nil || n == 0 {
		return nil
	}
	size := len(raw) / int(n*each)
	all := make([]int32, n)
	var part [1]float64
	for i := range all {
		of.Convert(part[:], raw[i*int(each)*size:][:size])
		if !(part[0] >= 1 && part[0] <= mostCells) {
			r.err = fmt.Errorf("%s has %g, which is no cell: %w", name, part[0], cairn.ErrCorrupt)
			return nil
		}
		all[i] = int32(part[0])
	}
	return all
}

// firsts returns the first weight of each link.
func (r *linkReader) firsts(name string) []float64 {
	n, each, raw, of := r.array(name)
	if r.err != nil || n == 0 {
		return nil
	}
	if each > 1 {
		// CDO's second-order weights have gradients behind them.
		r.err = fmt.Errorf("%s has %d weights for each link, and first-order ones have one: %w", name, each,
			cairn.ErrUnsupported)
		return nil
	}
	all := make([]float64, n)
	of.Convert(all, raw)
	for _, v := range all {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.err = fmt.Errorf("%s has %g: %w", name, v, cairn.ErrCorrupt)
			return nil
		}
	}
	return all
}

// optional returns the items of an array, or nil.
func (r *linkReader) optional(name string) []float64 {
	if r.err != nil || !r.has(name) {
		return nil
	}
	return r.floats(name)
}

// weights sorts the links by their results. Those of one result stay in the order of the file.
func (r *linkReader) weights(ctx context.Context) (*Weights, error) {
	if len(r.row) != len(r.weight) || len(r.column) != len(r.weight) {
		return nil, fmt.Errorf("there are %d weights, and %d and %d numbers of cells: %w", len(r.weight), len(r.column),
			len(r.row), cairn.ErrCorrupt)
	}
	if r.from == nil || r.to == nil {
		return nil, fmt.Errorf("the file does not say how many cells the grids have: %w", cairn.ErrUnsupported)
	}
	from := cellsIn(r.from)
	to := cellsIn(r.to)

	w := &Weights{from: r.from, to: r.to, start: make([]int64, to+1)}
	for i, row := range r.row {
		if int64(row) > to || int64(r.column[i]) > from {
			return nil, fmt.Errorf("link %d is from cell %d of %d to cell %d of %d: %w", i, r.column[i], from, row, to,
				cairn.ErrCorrupt)
		}
		w.start[row]++
	}
	for i := range to {
		w.start[i+1] += w.start[i]
	}

	w.column = make([]int32, len(r.weight))
	w.weight = make([]float64, len(r.weight))
	next := slices.Clone(w.start)
	for i, row := range r.row {
		at := next[row-1]
		next[row-1]++
		w.column[at] = r.column[i] - 1
		w.weight[at] = r.weight[i]
	}
	if int64(len(r.area)) == to {
		w.area = r.area
	}
	return w, w.divide(ctx, r.covered)
}

// divide makes weights sum to 1, and takes what they have summed to, or covered, for how much of
// each cell items cover.
func (w *Weights) divide(ctx context.Context, covered []float64) error {
	w.covered = make([]float64, len(w.start)-1)
	for i := range w.covered {
		weights := w.weight[w.start[i]:w.start[i+1]]
		sum := 0.0
		for _, v := range weights {
			sum += v
		}

		w.covered[i] = sum
		if len(covered) == len(w.covered) && math.Abs(sum-1) < slack && covered[i] > 0 && covered[i] <= 1 {
			w.covered[i] = covered[i]
		}
		if math.Abs(w.covered[i]-1) < slack {
			w.covered[i] = 1
		}

		if sum <= 0 || math.Abs(sum-1) < 1e-15 {
			continue
		}
		for k := range weights {
			weights[k] /= sum
		}
	}
	return ctx.Err()
}
