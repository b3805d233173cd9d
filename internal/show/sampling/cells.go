package sampling

import (
	"context"
	"math"

	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Cells is an array of one or two dimensions in equal parts, each of one item or more. Means,
// extremes and the item in the middle are of those that are finite; of a cell without any they are
// infinite if items are, and else NaN.
type Cells struct {
	Rows, Columns      int
	Means, Lows, Highs []float64
	Single             bool // each cell has one item
}

// Reduce reads an array of one or two dimensions into at most so many cells. An array of one
// dimension is a row.
func Reduce(ctx context.Context, in Input, rows, columns int) (*Cells, error) {
	shape := in.Shape()
	if len(shape) == 1 {
		shape = append(ndarray.Shape{1}, shape...)
	}

	c := &Cells{Rows: int(min(int64(rows), shape[0])), Columns: int(min(int64(columns), shape[1]))}
	c.Single = int64(c.Rows) == shape[0] && int64(c.Columns) == shape[1]

	// One more part collects those of the workers.
	all := &part{rows: span{shape[0], c.Rows}, columns: span{shape[1], c.Columns}, middle: in.Middle}
	all.reset(slab.Box{Start: []int64{0, 0}, Stop: shape})

	var parts []part
	w := walk{
		Input: in,
		prepare: func(workers int) {
			parts = make([]part, workers)
			for i := range parts {
				parts[i].rows = all.rows
				parts[i].columns = all.columns
				parts[i].middle = all.middle
			}
		},
		visit: func(worker int, box slab.Box, values []float64) {
			parts[worker].reset(box)
			parts[worker].add(box, values)
		},
		emit: func(worker int) {
			// Add the cells of a smaller part.
			o := &parts[worker]
			for i := range o.height {
				for k := range o.width {
					from := i*o.width + k
					to := (o.top+i-all.top)*all.width + o.left + k - all.left
					all.n[to] += o.n[from]
					all.sum[to] += o.sum[from]
					all.low[to], all.high[to] = min(all.low[to], o.low[from]), max(all.high[to], o.high[from])
					all.mark(to, o.infinite[from])
				}
			}
		},
	}

	if err := w.run(ctx); err != nil {
		return nil, err
	}

	c.Means = all.sum
	c.Lows = all.low
	c.Highs = all.high

	for i, n := range all.n {
		if c.Means[i] /= float64(n); n == 0 {
			c.Means[i] = all.infinite[i]
			c.Lows[i] = c.Means[i]
			c.Highs[i] = c.Means[i]
		}
	}
	return c, nil
}

// A span divides items into cells.
type span struct {
	items int64
	cells int
}

// cell returns the cell of an item.
func (s span) cell(item int64) int {
	if s.items == int64(s.cells) {
		return int(item)
	}
	return int(float64(item) * float64(s.cells) / float64(s.items))
}

// middle returns the item in the middle of a cell.
func (s span) middle(cell int) int64 {
	if s.items == int64(s.cells) {
		return int64(cell)
	}
	return int64((float64(cell) + 0.5) * float64(s.items) / float64(s.cells))
}

// A part holds the sums of a rectangle of cells.
type part struct {
	middle         bool // only the item in the middle of a cell counts
	rows, columns  span
	top, left      int // the first cell
	height, width  int
	n              []int64
	sum, low, high []float64
	infinite       []float64 // an infinity that a cell has, the positive one of both; or NaN
	columnOf       []int     // of the columns of a box; -1 for one that does not count
}

// reset prepares for the cells of a box.
func (p *part) reset(box slab.Box) {
	if box.Start[0] == box.Stop[0] || box.Start[1] == box.Stop[1] {
		return
	}

	p.top = p.rows.cell(box.Start[0])
	p.left = p.columns.cell(box.Start[1])
	p.height = p.rows.cell(box.Stop[0]-1) + 1 - p.top
	p.width = p.columns.cell(box.Stop[1]-1) + 1 - p.left

	cells := p.height * p.width
	p.n = slab.Resize(p.n, cells)
	for _, b := range []*[]float64{&p.sum, &p.low, &p.high, &p.infinite} {
		*b = slab.Resize(*b, cells)
	}

	for i := range p.n {
		p.n[i] = 0
		p.sum[i] = 0
		p.low[i] = math.Inf(1)
		p.high[i] = math.Inf(-1)
		p.infinite[i] = math.NaN()
	}
}

// add adds the items of a box.
func (p *part) add(box slab.Box, values []float64) {
	width := int(box.Stop[1] - box.Start[1])
	p.columnOf = p.columnOf[:0]

	for k := range width {
		item := box.Start[1] + int64(k)
		cell := p.columns.cell(item)
		if p.middle && p.columns.middle(cell) != item {
			cell = p.left - 1
		}
		p.columnOf = append(p.columnOf, cell-p.left)
	}

	for i := range int(box.Stop[0] - box.Start[0]) {
		item := box.Start[0] + int64(i)
		cell := p.rows.cell(item)
		if p.middle && p.rows.middle(cell) != item {
			continue
		}

		row := (cell - p.top) * p.width
		for k, v := range values[i*width:][:width] {
			if v != v || p.columnOf[k] < 0 {
				continue
			}
			p.addItem(row+p.columnOf[k], v)
		}
	}
}

// addItem adds a number to a cell.
func (p *part) addItem(at int, v float64) {
	if v-v != 0 {
		p.mark(at, v)
		return
	}

	p.n[at]++
	p.sum[at] += v
	if v < p.low[at] {
		p.low[at] = v
	}
	if v > p.high[at] {
		p.high[at] = v
	}
}

// mark notes an infinity of a cell; NaN is none.
func (p *part) mark(at int, v float64) {
	if v == v && !(p.infinite[at] > 0) {
		p.infinite[at] = v
	}
}
