package compute

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/compute/internal/window"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// A Window is what [Rolling] reduces for each item: so many successive items along an axis, up to
// that item or around it.
type Window struct {
	Axis  int   // a negative one counts from the end
	Items int64 // of a window, at least 1
	// Center says that the item is in the middle of its window, and of an even number behind the
	// middle, as xarray has it. Otherwise it is the last one.
	Center bool
	// Least is the number of items that must be there, and neither NaN nor NaT, or the result is.
	// 0 means all Items, so that there is no result where a window exceeds the array.
	Least   int64
	SkipNaN bool // ignore NaN and NaT; otherwise a window with any has no result
	DDoF    int  // for var and std: subtracted from the number of items in the divisor
	// Quantile is the fraction of the items below the result, for quantile.
	Quantile float64
}

// windowOps are the operations on windows, by their names.
var windowOps = map[string]window.Op{
	"sum": window.Sum, "mean": window.Mean, "prod": window.Prod, "var": window.Var, "std": window.Std,
	"min": window.Min, "max": window.Max, "count": window.Count, "any": window.Any, "all": window.All,
	"median": window.Quantile, "quantile": window.Quantile,
}

// Rolling creates an array, at path or in memory if path is "", that has for each item what is
// made of a window of items along an axis. The operation is one of sum, mean, prod, var, std, min,
// max, median, quantile, any and all, or count, which counts the items that are not NaN. Items
// must be real numbers or bools or, for min and max, datetimes or timedeltas. Results are float32
// for items of that dtype, float64 for other numbers, and datetimes and timedeltas for these; what
// is missing is NaN or NaT.
//
// Errors are those of [Sum] and so on, for n items; sums of more than 128 items, or beside NaN,
// are as exact as a float64 can be. They do not add up along the axis, as no item is subtracted.
// The result does not depend on the number of workers, nor on the shape of chunks.
//
// Memory for the items is limited as for [Map], but to those of one window at least. A chunk is
// read once if the rows of a window fit, and three times those of a chunk, as wide as that;
// otherwise once for each part of it that fits.
func Rolling(ctx context.Context, path string, src ndarray.Source, op string, w Window,
	o *ndarray.Options) (*ndarray.Untyped, error) {
	return rolling(ctx, &Options{Path: path}, src, op, w, o)
}

// rolling is Rolling with a result where to says.
func rolling(ctx context.Context, to *Options, src ndarray.Source, op string, w Window,
	o *ndarray.Options) (*ndarray.Untyped, error) {
	s, err := w.spec(src.Shape(), op)
	if err != nil {
		return nil, fmt.Errorf("window: %w", err)
	}

	f, err := familyOf(src, op+" of windows")
	if err != nil {
		return nil, err
	}

	d := src.DType()
	kind, _ := kernel.KindOf(d.Kind(), d.Size())
	extreme := s.Op == window.Min || s.Op == window.Max
	r := &windows{to: to, src: src, spec: s, axis: w.Axis, o: o}

	switch {
	case f.mean == nil && (!extreme || f.least == nil):
		return nil, typeError(op+" of windows", d)
	case f.mean == nil:
		r.dtype = "<" + d.String()[1:]
		return rollingOf[int64](ctx, r)
	case kind == kernel.Float32 && s.Op != window.Count:
		return rollingOf[float32](ctx, r)
	case kind == kernel.Float64:
		return rollingOf[float64](ctx, r)
	}

	var options CalcOptions
	if o != nil {
		options = CalcOptions{Workers: o.Workers, Memory: o.Memory}
	}
	if r.src, err = castTo(ctx, src, "float64", &options); err != nil {
		return nil, fmt.Errorf("window: %w", err)
	}
	return rollingOf[float64](ctx, r)
}

// spec returns what a window means for an array.
func (w *Window) spec(shape ndarray.Shape, op string) (*window.Spec, error) {
	of, ok := windowOps[op]
	if !ok {
		return nil, fmt.Errorf("no operation on windows is named %q: %w", op, cairn.ErrNotFound)
	}

	axis, err := axisNumber(w.Axis, len(shape))
	switch {
	case err != nil:
		return nil, err
	case w.Items < 1 || w.Items > maxWindow:
		return nil, errWindow("a window of %d items, must be from 1 to %d", w.Items, maxWindow)
	case w.Least < 0 || w.Least > w.Items:
		return nil, errWindow("at least %d of %d items", w.Least, w.Items)
	case w.DDoF < 0:
		return nil, errWindow("DDoF is %d, must not be negative", w.DDoF)
	case op == "quantile" && !(w.Quantile >= 0 && w.Quantile <= 1):
		return nil, errWindow("quantile %v, must be from 0 to 1", w.Quantile)
	}

	s := &window.Spec{Op: of, Items: w.Items, Before: w.Items - 1, Extent: shape[axis], Least: w.Least,
		Skip: w.SkipNaN, DDoF: int64(w.DDoF)}
	if w.Center {
		s.Before = w.Items / 2
	}
	if s.Least == 0 {
		s.Least = w.Items
	}

	q := w.Quantile
	if op == "median" {
		q = 0.5
	}
	s.Quantile = func(sorted []float64) float64 {
		low, part := rankOf(q, int64(len(sorted)))
		if part == 0 {
			return sorted[low]
		}
		return between(sorted[low], sorted[low+1], part)
	}
	return s, nil
}

// maxWindow is the maximum number of items of a window.
const maxWindow = 1 << 30

// windows are what rollingOf computes.
type windows struct {
	to    *Options // where the result is
	src   ndarray.Source
	spec  *window.Spec
	axis  int
	dtype string // of the result, or ""
	o     *ndarray.Options
}

func rollingOf[T window.Item](ctx context.Context, r *windows) (*ndarray.Untyped, error) {
	c := &columnCall{to: r.to, src: r.src, what: "window", axis: r.axis, halo: r.spec.Items - 1, dtype: r.dtype, o: r.o}
	return byColumn(ctx, c, func(ctx context.Context, c *strip[T], out ndarray.Array[T]) error {
		return rollColumn(ctx, r.spec, c, out)
	})
}

// rollColumn computes one column, of which it has the rows that the next windows need.
func rollColumn[T window.Item](ctx context.Context, s *window.Spec, c *strip[T], out ndarray.Array[T]) error {
	width := c.width()
	tile := s.Width()
	tiles := (int(width) + tile - 1) / tile
	workers := make([]window.Worker[T], c.way.each)
	most := min(s.Extent, s.Items-1+c.way.step) * width
	src := window.Rows[T]{Pitch: int(width), Items: make([]T, 0, most)}
	dst := window.Rows[T]{Pitch: int(width)}

	for at := int64(0); at < s.Extent; at += c.way.step {
		stop := min(at+c.way.step, s.Extent)
		from, to := s.Needs(at, stop)

		kept := src.Items[min(int64(len(src.Items)), (from-src.First)*width):]
		n := copy(src.Items, kept)
		src.Items = src.Items[:(to-from)*width]
		src.First = from
		src.Count = to - from
		if rows := src.Items[n:]; len(rows) > 0 {
			if err := c.read(ctx, rows, from+int64(n)/width); err != nil {
				return err
			}
		}

		dst.Items = slab.Resize(dst.Items, (stop-at)*width)
		dst.First = at
		dst.Count = stop - at
		err := parallel.For(ctx, min(len(workers), tiles), tiles, func(w, i int) error {
			column := i * tile
			workers[w].Reduce(s, dst, src, column, min(tile, int(width)-column))
			return nil
		})
		if err != nil {
			return err
		}
		if err := c.write(ctx, out, dst.Items, at); err != nil {
			return err
		}
	}
	return nil
}
