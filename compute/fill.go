package compute

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute/internal/kernel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Filling says how [Fill] replaces NaN.
type Filling struct {
	Axis int // a negative one counts from the end
	// Backward takes the next item that is not NaN along the axis, instead of the last one before.
	Backward bool
	// Linear interpolates between both by Coordinates, which do not decrease, or by the indexes if
	// they are nil. NaN before the first item and after the last one stay.
	Linear      bool
	Coordinates []float64
	// Limit is how many successive NaN are replaced, at most; 0 means all.
	Limit int64
}

// Fill creates an array, at path or in memory if path is "", of float32 or float64 of which NaN is
// replaced by what is near along an axis. Memory is limited, and chunks are read once, as for
// [Rolling]; Linear reads again what follows a step that ends in NaN, as far as NaN goes on.
func Fill(ctx context.Context, path string, src ndarray.Source, f Filling,
	o *ndarray.Options) (*ndarray.Untyped, error) {
	return filled(ctx, &Options{Path: path}, src, f, o)
}

// filled is Fill with a result where to says.
func filled(ctx context.Context, to *Options, src ndarray.Source, f Filling,
	o *ndarray.Options) (*ndarray.Untyped, error) {
	shape := src.Shape()
	axis, err := axisNumber(f.Axis, len(shape))
	switch {
	case err != nil:
	case f.Limit < 0:
		err = fmt.Errorf("a limit of %d, must not be negative: %w", f.Limit, cairn.ErrInvalid)
	case f.Coordinates != nil && int64(len(f.Coordinates)) != shape[axis]:
		err = fmt.Errorf("%d coordinates of %d items: %w", len(f.Coordinates), shape[axis], cairn.ErrBounds)
	case !slices.IsSorted(f.Coordinates):
		err = fmt.Errorf("coordinates that decrease along axis %d: %w", axis, cairn.ErrInvalid)
	}
	if err != nil {
		return nil, fmt.Errorf("fill: %w", err)
	}

	d := src.DType()
	switch k, _ := kernel.KindOf(d.Kind(), d.Size()); k {
	case kernel.Float32:
		return fillOf[float32](ctx, to, src, f, o)
	case kernel.Float64:
		return fillOf[float64](ctx, to, src, f, o)
	}
	return nil, typeError("filling", d)
}

// fillHalo is how many rows steps are long, if memory allows: those after NaN are read again.
const fillHalo = 32

func fillOf[T float32 | float64](ctx context.Context, to *Options, src ndarray.Source, f Filling,
	o *ndarray.Options) (*ndarray.Untyped, error) {
	halo := int64(0)
	if f.Linear {
		halo = fillHalo
	}
	return byColumn(ctx, &columnCall{to: to, src: src, what: "fill", axis: f.Axis, halo: halo, o: o},
		func(ctx context.Context, c *strip[T], out ndarray.Array[T]) error {
			if f.Linear {
				return newGaps(&f, c).run(ctx, out)
			}
			return fillColumn(ctx, &f, c, out)
		})
}

// fillColumn repeats the last items that are not NaN.
func fillColumn[T float32 | float64](ctx context.Context, f *Filling, c *strip[T], out ndarray.Array[T]) error {
	extent := c.way.shape[c.way.axis]
	step := c.way.step
	width := c.width()
	last := make([]T, width)
	age := make([]int64, width) // NaN since the last item; too many if there is none
	for i := range age {
		age[i] = extent
	}
	limit := extent
	if f.Limit > 0 {
		limit = min(limit, f.Limit)
	}

	var rows []T
	steps := (extent + step - 1) / step
	for k := range steps {
		if f.Backward {
			k = steps - 1 - k
		}
		first := k * step
		count := min(step, extent-first)
		rows = slab.Resize(rows, count*width)
		if err := c.read(ctx, rows, first); err != nil {
			return err
		}

		for r := range count {
			if f.Backward {
				r = count - 1 - r
			}
			for i, v := range rows[r*width:][:width] {
				switch {
				case v == v:
					last[i] = v
					age[i] = 0
				case age[i] < limit:
					rows[r*width+int64(i)] = last[i]
					age[i]++
				}
			}
		}
		if err := c.write(ctx, out, rows, first); err != nil {
			return err
		}
	}
	return nil
}

// gaps interpolate the NaN of a column.
type gaps[T float32 | float64] struct {
	f      *Filling
	c      *strip[T]
	extent int64
	width  int64
	before []neighbour[T] // the last items that are not NaN
	after  []neighbour[T] // items behind what has been read, or the extent for none
	ahead  []T
}

// A neighbour is an item beside a gap: at -1 if it is not known.
type neighbour[T any] struct {
	at    int64
	value T
}

func newGaps[T float32 | float64](f *Filling, c *strip[T]) *gaps[T] {
	g := &gaps[T]{f: f, c: c, extent: c.way.shape[c.way.axis], width: c.width()}
	g.before = make([]neighbour[T], g.width)
	g.after = make([]neighbour[T], g.width)
	for i := range g.before {
		g.before[i].at = -1
		g.after[i].at = -1
	}
	return g
}

func (g *gaps[T]) run(ctx context.Context, out ndarray.Array[T]) error {
	var rows []T
	for first := int64(0); first < g.extent; first += g.c.way.step {
		count := min(g.c.way.step, g.extent-first)
		rows = slab.Resize(rows, count*g.width)
		if err := g.c.read(ctx, rows, first); err != nil {
			return err
		}
		if err := g.lookAhead(ctx, rows, first+count); err != nil {
			return err
		}

		for i := range g.width {
			g.column(rows, first, count, i)
		}
		if err := g.c.write(ctx, out, rows, first); err != nil {
			return err
		}
	}
	return nil
}

// lookAhead finds what follows rows that end before row stop, where they end in NaN.
func (g *gaps[T]) lookAhead(ctx context.Context, rows []T, stop int64) error {
	var open []int
	for i, v := range rows[int64(len(rows))-g.width:] {
		if v != v && g.after[i].at < stop {
			open = append(open, i)
		}
	}

	for first := stop; len(open) > 0 && first < g.extent; first += g.c.way.step {
		count := min(g.c.way.step, g.extent-first)
		g.ahead = slab.Resize(g.ahead, count*g.width)
		if err := g.c.read(ctx, g.ahead, first); err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(i int) bool {
			for r := range count {
				if v := g.ahead[r*g.width+int64(i)]; v == v {
					g.after[i] = neighbour[T]{first + r, v}
					return true
				}
			}
			return false
		})
	}
	for _, i := range open {
		g.after[i].at = g.extent
	}
	return nil
}

// column fills one column of rows.
func (g *gaps[T]) column(rows []T, first, count, i int64) {
	for r := int64(0); r < count; r++ {
		if v := rows[r*g.width+i]; v == v {
			g.before[i] = neighbour[T]{first + r, v}
			continue
		}

		begin := r
		for r < count && rows[r*g.width+i] != rows[r*g.width+i] {
			r++
		}
		next := g.after[i]
		if r < count {
			next = neighbour[T]{first + r, rows[r*g.width+i]}
		}
		if prev := g.before[i]; prev.at >= 0 && next.at < g.extent {
			for k := begin; k < r; k++ {
				if at := first + k; g.f.Limit == 0 || at-prev.at <= g.f.Limit {
					rows[k*g.width+i] = g.between(prev, next, at)
				}
			}
		}
		r-- // which is the next one
	}
}

// between interpolates.
func (g *gaps[T]) between(prev, next neighbour[T], at int64) T {
	a := float64(prev.at)
	b := float64(next.at)
	x := float64(at)
	if of := g.f.Coordinates; of != nil {
		a = of[prev.at]
		b = of[next.at]
		x = of[at]
	}
	if a == b {
		return prev.value
	}
	low := float64(prev.value)
	slope := (float64(next.value) - low) / (b - a)
	return T(low + float64(slope*(x-a)))
}
