package compute

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/expr"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// maxPlaces is the maximum number of coordinates that items are interpolated at.
const maxPlaces = 1 << 24

// interpolated returns items between those along an axis, at coordinates that a call lists.
func (b *binder) interpolated(ctx context.Context, c *alongCall) (*term, error) {
	at, err := b.numbers(ctx, c.args["at"])
	if err != nil {
		return nil, fmt.Errorf("interp takes at=, coordinates such as (10, 20.5) or the name of an array: %w", err)
	}
	method := "linear"
	if a := c.args["method"]; a != nil {
		method = a.Text
	}
	if method != "linear" && method != "nearest" {
		return nil, fmt.Errorf("method is %q, must be linear or nearest: %w", method, cairn.ErrNotFound)
	}

	of, err := b.coordinatesAlong(ctx, c)
	if err != nil {
		return nil, err
	}
	p, err := placesAmong(of, at, method == "nearest")
	if err != nil {
		return nil, err
	}

	src, k, err := b.floatSource(ctx, c.of)
	if err != nil {
		return nil, fmt.Errorf("interp %w", err)
	}
	shape := make(ndarray.Shape, len(c.of.shape)-c.axis)
	for i := range shape {
		shape[i] = 1
	}
	shape[0] = int64(len(at))
	weights, err := ndarray.FromSlice(p.part, shape, nil)
	if err != nil {
		return nil, err
	}
	part, err := b.sourceTerm(ctx, weights)
	if err != nil {
		return nil, err
	}
	b.last++
	part.id = b.last

	args := []*term{part}
	for _, list := range [][]int64{p.low, p.high} {
		selectors := make([]ndarray.Selector, c.axis+1)
		selectors[c.axis] = ndarray.Indices(list)
		t, err := b.viewTerm(ctx, ndarray.ViewOf(src).Slice(selectors...), c.of)
		if err != nil {
			return nil, err
		}
		args = append(args, t)
	}
	if method == "nearest" {
		args = args[:2]
	}
	t, err := b.combined(ctx, args, func(v []kernel.Value) (kernel.Value, error) { return interpolate(v, k) })
	if err != nil {
		return nil, err
	}
	t.dims = c.of.dims
	if c.axis < len(t.dims) {
		like, _ := b.alongDim(ctx, t.dims[c.axis], c.of) // there may be none
		t.moved = c.of.moved.with(t.dims[c.axis], placedAt(at, t.dims[c.axis], like))
	}
	return t, nil
}

// interpolate returns low + (high - low) * part of values part, low and high, or low + part, which
// is 0 or NaN.
func interpolate(v []kernel.Value, k kernel.Kind) (result kernel.Value, err error) {
	low, err := kernel.Cast(v[1], kernel.Float64)
	if err != nil {
		return result, err
	}

	rise := v[0]
	if len(v) == 3 {
		high, err := kernel.Cast(v[2], kernel.Float64)
		if err != nil {
			return result, err
		}
		if rise, err = kernel.Binary("-", high, low); err != nil {
			return result, err
		}
		if rise, err = kernel.Binary("*", rise, v[0]); err != nil {
			return result, err
		}
	}

	if result, err = kernel.Binary("+", low, rise); err != nil {
		return result, err
	}
	return kernel.Cast(result, k)
}

// neighboursOf say between which items others are, and how far from the lower one.
type neighboursOf struct {
	low, high []int64
	part      []float64
}

// placesAmong finds numbers among coordinates that increase or decrease. Outside of these, there
// is nothing: the part is NaN.
func placesAmong(of, at []float64, nearest bool) (p neighboursOf, err error) {
	falling := len(of) > 1 && of[0] > of[len(of)-1]
	for i := 1; i < len(of); i++ {
		if of[i-1] == of[i] || (of[i-1] > of[i]) != falling {
			return p, fmt.Errorf("coordinates that neither increase nor decrease throughout: %w", cairn.ErrInvalid)
		}
	}
	sorted := of
	if falling {
		sorted = slices.Clone(of)
		slices.Reverse(sorted)
	}

	last := len(of) - 1
	for _, v := range at {
		i, same := slices.BinarySearch(sorted, v)
		low := i - 1
		high := i
		part := math.NaN()
		switch {
		case last < 0:
			return p, fmt.Errorf("no items to interpolate between: %w", cairn.ErrBounds)
		case same:
			low = i
			part = 0
		case low < 0 || high > last || v != v:
			low = 0
			high = 0
		default:
			part = (v - sorted[low]) / (sorted[high] - sorted[low])
		}
		if nearest && part > 0 {
			if part > 0.5 {
				low = high
			}
			part = 0
		}
		if falling {
			low = last - low
			high = last - high
		}
		p.low = append(p.low, int64(low))
		p.high = append(p.high, int64(high))
		p.part = append(p.part, part)
	}
	return p, nil
}

// numbers returns the numbers that a node lists, or that an array has which it names.
func (b *binder) numbers(ctx context.Context, n *expr.Node) ([]float64, error) {
	if n == nil {
		return nil, fmt.Errorf("it is not there: %w", cairn.ErrBounds)
	}
	if n.Kind == expr.Name {
		t, err := b.bind(ctx, n)
		if err != nil {
			return nil, err
		}
		src, err := b.sourceOf(t)
		if err != nil {
			return nil, err
		}
		if itemsOf(t.shape) > maxPlaces {
			return nil, fmt.Errorf("%d coordinates, at most %d are possible: %w", itemsOf(t.shape), maxPlaces, cairn.ErrLimit)
		}
		return floatsOf(ctx, src)
	}

	list := []*expr.Node{n}
	if n.Kind == expr.Tuple {
		list = n.Args
	}
	var all []float64
	for _, a := range list {
		sign := 1.0
		if a.Kind == expr.Unary && a.Text == "-" {
			a = a.Args[0]
			sign = -1
		}
		v, err := kernel.Number(a.Text)
		if a.Kind != expr.Number || err != nil {
			return nil, fmt.Errorf("%q is no number: %w", a.Text, cairn.ErrType)
		}
		f, _ := v.Number()
		all = append(all, sign*f)
	}
	return all, nil
}

// A shiftedSource has the items of another, moved along an axis.
type shiftedSource struct {
	ndarray.Source // of floats in little-endian
	axis           int
	by             int64
}

func (s *shiftedSource) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	size := int64(s.DType().Size())
	nan := nanBytes(int(size))
	for i := 0; i < len(dst); i += len(nan) {
		copy(dst[i:], nan)
	}

	extent := s.Shape()[s.axis]
	from := slices.Clone(start)
	to := slices.Clone(stop)
	from[s.axis] = min(max(0, start[s.axis]-s.by), extent)
	to[s.axis] = max(from[s.axis], min(stop[s.axis]-s.by, extent))
	part := slab.Box{Start: from, Stop: to}
	if part.Items() == 0 {
		return ctx.Err()
	}

	items := make([]byte, part.Items()*size)
	if err := s.Source.ReadBytes(ctx, items, from, to); err != nil {
		return err
	}

	run := size // bytes of successive rows that stay together
	for i := s.axis + 1; i < len(start); i++ {
		run *= stop[i] - start[i]
	}
	whole := (stop[s.axis] - start[s.axis]) * run
	skip := (from[s.axis] + s.by - start[s.axis]) * run
	run *= to[s.axis] - from[s.axis]
	for len(items) > 0 {
		copy(dst[skip:], items[:run])
		items = items[run:]
		dst = dst[whole:]
	}
	return nil
}

// nanBytes returns NaN as items of a float of so many bytes.
func nanBytes(size int) []byte {
	if size == 4 {
		return appendNumbers(nil, []float32{float32(math.NaN())})
	}
	return appendNumbers(nil, []float64{math.NaN()})
}
