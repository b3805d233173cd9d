package regrid

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
)

// A Method is how items of another grid are computed.
type Method string

// The methods.
const (
	// Bilinear interpolates between the centres of four cells, in latitudes and longitudes. Beyond
	// the last row before a pole it takes values of that row; outside of other grids there are
	// none.
	Bilinear Method = "bilinear"
	// Nearest takes the item of the cell whose centre is nearest on the sphere, the first of
	// several.
	Nearest Method = "nearest"
	// Conservative takes the mean of the cells that a cell overlaps, weighted by the areas that
	// they share: first-order conservative remapping.
	Conservative Method = "conservative"
)

// Methods lists the methods.
func Methods() []Method { return []Method{Bilinear, Nearest, Conservative} }

// mostLinks bounds the weights between two grids.
const mostLinks = 1 << 28

// Options are the options for weights. Nil and the zero value mean the defaults.
type Options struct {
	Workers int // goroutines; 0 means one per CPU
}

// Weights say of which items of one grid those of another are made. They do not change, and may be
// used concurrently.
type Weights struct {
	method   Method
	from, to ndarray.Shape

	start  []int64   // of each result in column and weight, and their number
	column []int32   // items
	weight []float64 // which sum to 1 for each result that has some

	covered []float64 // of each result, how much of its cell the items cover; nil if that is 1 or 0
	area    []float64 // of the cells of the results on the unit sphere; nil if it is not known

	source, target *Grid // nil if the weights were read
}

// Method returns how the weights were made; "" if that is not known.
func (w *Weights) Method() Method { return w.method }

// From returns the shape of the grid that items are of.
func (w *Weights) From() ndarray.Shape { return append(ndarray.Shape{}, w.from...) }

// To returns the shape of the grid of the results.
func (w *Weights) To() ndarray.Shape { return append(ndarray.Shape{}, w.to...) }

// Links returns the number of weights.
func (w *Weights) Links() int { return len(w.column) }

// New returns the weights of a method between two grids. It takes memory for the weights, 12 bytes
// for each, and for a search tree of one of the grids. The error matches [cairn.ErrUnsupported] if
// the method needs what a grid does not have, and [cairn.ErrLimit] for more than 2²⁸ weights.
func New(ctx context.Context, from, to *Grid, m Method, o *Options) (*Weights, error) {
	if o == nil {
		o = &Options{}
	}
	w := &Weights{method: m, from: from.Shape(), to: to.Shape(), source: from, target: to}

	var rows rowMaker
	var err error
	switch m {
	case Bilinear:
		rows, err = bilinear(from, to)
	case Nearest:
		rows, err = nearest(from, to)
	case Conservative:
		rows, err = conservative(from, to)
		w.covered = make([]float64, to.Cells())
		w.area = make([]float64, to.Cells())
	default:
		err = fmt.Errorf("method %q, must be %s, %s or %s: %w", m, Bilinear, Nearest, Conservative, cairn.ErrInvalid)
	}
	if err != nil {
		return nil, err
	}
	return w, w.make(ctx, rows, parallel.Workers(o.Workers))
}

// A link is an item with its weight, or its area.
type link struct {
	column int32
	weight float64
}

// A rowMaker returns a function for the use of one goroutine, which appends the links of a result
// to dst. area is that of its cell, if links have areas.
type rowMaker func() func(dst []link, to int) (links []link, area float64)

// make makes all links, in parallel.
func (w *Weights) make(ctx context.Context, rows rowMaker, workers int) error {
	const batch = 1 << 10
	n := 1
	for _, length := range w.to {
		n *= int(length)
	}

	type state struct {
		row   func(dst []link, to int) ([]link, float64)
		links []link
		ends  []int
	}
	states := make([]state, workers)
	w.start = make([]int64, 1, n+1)
	work := func(worker, i int) error {
		s := &states[worker]
		if s.row == nil {
			s.row = rows()
		}
		s.links = s.links[:0]
		s.ends = s.ends[:0]
		for to := i * batch; to < min(n, (i+1)*batch); to++ {
			first := len(s.links)
			var area float64
			if w.target == nil || !w.target.isMasked(to) {
				s.links, area = s.row(s.links, to)
			}
			w.normalise(s.links[first:], to, area)
			s.ends = append(s.ends, len(s.links))
		}
		return nil
	}

	emit := func(worker, _ int) error {
		s := &states[worker]
		if len(w.column)+len(s.links) > mostLinks {
			return fmt.Errorf("more than %d weights: %w", mostLinks, cairn.ErrLimit)
		}
		before := int64(len(w.column))
		for _, l := range s.links {
			w.column = append(w.column, l.column)
			w.weight = append(w.weight, l.weight)
		}
		for _, end := range s.ends {
			w.start = append(w.start, before+int64(end))
		}
		return nil
	}
	return parallel.Ordered(ctx, workers, (n+batch-1)/batch, work, emit)
}

// normalise makes the weights of a result sum to 1, and notes how much of its cell they cover.
func (w *Weights) normalise(links []link, to int, area float64) {
	sum := 0.0
	for _, l := range links {
		sum += l.weight
	}

	if w.covered != nil {
		w.area[to] = area
		if area > 0 {
			w.covered[to] = sum / area
			if math.Abs(w.covered[to]-1) < 1e-9 {
				w.covered[to] = 1
			}
		}
	}

	if sum == 1 {
		return
	}
	for i := range links {
		links[i].weight /= sum
	}
}

// coverage returns how much of the cell of a result its items cover.
func (w *Weights) coverage(to int) float64 {
	switch {
	case w.covered != nil:
		return w.covered[to]
	case w.start[to] == w.start[to+1]:
		return 0
	}
	return 1
}

// complete reports whether all results have items.
func (w *Weights) complete() bool {
	for i := 1; i < len(w.start); i++ {
		if w.start[i] == w.start[i-1] {
			return false
		}
	}
	return true
}
