package sampling

import (
	"context"
	"math"

	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// Cells is an array of one or two dimensions in equal parts, each of one item or more. One without
// numbers has NaN.
type Cells struct {
	Rows, Columns      int
	Means, Lows, Highs []float64
	Single             bool // each cell has one item
}

// Reduce reads an array of one or two dimensions into at most so many cells. An array of one
// dimension is a row. NaN is left out.
func Reduce(ctx context.Context, in Input, rows, columns int) (*Cells, error) {
	shape := in.Shape()
	if len(shape) == 1 {
		shape = append(ndarray.Shape{1}, shape...)
	}
	c := &Cells{Rows: int(min(int64(rows), shape[0])), Columns: int(min(int64(columns), shape[1]))}
	c.Single = int64(c.Rows) == shape[0] && int64(c.Columns) == shape[1]
	all := &part{rows: span{shape[0], c.Rows}, columns: span{shape[1], c.Columns}}
	all.reset(slab.Box{Start: []int64{0, 0}, Stop: shape})
	var parts []part
	w := walk{
		Input: in,
		prepare: func(workers int) {
			parts = make([]part, workers)
			for i := range parts {
				parts[i].rows, parts[i].columns = all.rows, all.columns
			}
		},
		visit: func(worker int, box slab.Box, values []float64) {
			parts[worker].reset(box)
			parts[worker].add(box, values)
		},
		emit: func(worker int) { all.merge(&parts[worker]) },
	}
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	c.Means, c.Lows, c.Highs = all.sum, all.low, all.high
	for i, n := range all.n {
		if c.Means[i] /= float64(n); n == 0 {
			c.Lows[i], c.Highs[i] = math.NaN(), math.NaN()
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

// A part holds the sums of a rectangle of cells.
type part struct {
	rows, columns  span
	top, left      int // the first cell
	height, width  int
	n              []int64
	sum, low, high []float64
	columnOf       []int // of the columns of a box
}

// reset prepares for the cells of a box.
func (p *part) reset(box slab.Box) {
	if box.Start[0] == box.Stop[0] || box.Start[1] == box.Stop[1] {
		return
	}
	p.top, p.left = p.rows.cell(box.Start[0]), p.columns.cell(box.Start[1])
	p.height = p.rows.cell(box.Stop[0]-1) + 1 - p.top
	p.width = p.columns.cell(box.Stop[1]-1) + 1 - p.left
	if cells := p.height * p.width; cap(p.n) < cells {
		p.n, p.sum = make([]int64, cells), make([]float64, cells)
		p.low, p.high = make([]float64, cells), make([]float64, cells)
	} else {
		p.n, p.sum, p.low, p.high = p.n[:cells], p.sum[:cells], p.low[:cells], p.high[:cells]
	}
	for i := range p.n {
		p.n[i], p.sum[i], p.low[i], p.high[i] = 0, 0, math.Inf(1), math.Inf(-1)
	}
}

// add adds the items of a box.
func (p *part) add(box slab.Box, values []float64) {
	width := int(box.Stop[1] - box.Start[1])
	p.columnOf = p.columnOf[:0]
	for k := range width {
		p.columnOf = append(p.columnOf, p.columns.cell(box.Start[1]+int64(k))-p.left)
	}
	for i := range int(box.Stop[0] - box.Start[0]) {
		row := (p.rows.cell(box.Start[0]+int64(i)) - p.top) * p.width
		for k, v := range values[i*width:][:width] {
			if v != v {
				continue
			}
			at := row + p.columnOf[k]
			p.n[at]++
			p.sum[at] += v
			if v < p.low[at] {
				p.low[at] = v
			}
			if v > p.high[at] {
				p.high[at] = v
			}
		}
	}
}

// merge adds the cells of a smaller part.
func (p *part) merge(o *part) {
	for i := range o.height {
		for k := range o.width {
			from, to := i*o.width+k, (o.top+i-p.top)*p.width+o.left+k-p.left
			p.n[to] += o.n[from]
			p.sum[to] += o.sum[from]
			p.low[to], p.high[to] = min(p.low[to], o.low[from]), max(p.high[to], o.high[from])
		}
	}
}
