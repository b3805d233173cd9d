package compute

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// LongestRun returns how many successive items along an axis are true, at most: the length of the
// longest drought or heat wave. Items are bools; one axis is reduced, or divided into groups, in
// which items are successive if their indexes are. For no items the result is 0.
func LongestRun(ctx context.Context, src ndarray.Source, o *Options) (ndarray.Array[int64], error) {
	if o == nil {
		o = &Options{}
	}
	if _, err := o.onlyAxis(len(src.Shape())); err != nil {
		return ndarray.Array[int64]{}, fmt.Errorf("longest run %w", err)
	}
	return apply[int64](ctx, src, o, "longest run", func(f *family) reduction { return f.longestRun })
}

// longestRun is the reduction of bools, which are 0 or 1.
func longestRun(open openInput[uint8]) reduction {
	return reductionOf[uint8]{open, func(s *setting) part[uint8] {
		p := partOf[uint8](func() *runCells { return &runCells{} },
			func(c *runCells, cell int, _ int64) (int64, error) { return c.cell[cell].longest, nil })
		p.numbered = true
		return p
	}}
}

// A runCell has the runs of true items within the indexes from first on and before next.
type runCell struct {
	first, next int64
	head, tail  int64 // lengths of the runs that begin with the first index, and end with the last
	longest     int64
}

// add adds indexes that come later. Those between are of another group, and end runs.
func (c *runCell) add(o runCell) {
	if o.next == o.first {
		return
	}
	if c.next == c.first {
		*c = o
		return
	}
	if c.next != o.first {
		c.tail = 0
		c.next = o.first
	}

	c.longest = max(c.longest, o.longest, c.tail+o.head)
	if o.tail == o.next-o.first {
		o.tail += c.tail
	}
	if c.head == c.next-c.first {
		c.head += o.head
	}
	c.tail = o.tail
	c.next = o.next
}

// runsOf returns the runs of successive items from an index on.
func runsOf(values []uint8, at int64) runCell {
	c := runCell{first: at, next: at + int64(len(values))}
	run := int64(0)
	for i, v := range values {
		if v == 0 {
			run = 0
			continue
		}
		run++
		c.longest = max(c.longest, run)
		if run == int64(i)+1 {
			c.head = run
		}
	}
	c.tail = run
	return c
}

// runCells are runs per cell.
type runCells struct{ cell []runCell }

func (c *runCells) reset(n int) { c.cell = zeroed(c.cell, n) }

func (c *runCells) row(cell int, values []uint8, at int64) { c.cell[cell].add(runsOf(values, at)) }

func (c *runCells) column(cell int, values []uint8, at int64) {
	for k, v := range values {
		one := runCell{first: at, next: at + 1}
		if v != 0 {
			one = runCell{at, at + 1, 1, 1, 1}
		}
		c.cell[cell+k].add(one)
	}
}

func (c *runCells) repeat(cell int, value uint8, n, at int64) {
	all := runCell{first: at, next: at + n}
	if value != 0 {
		all = runCell{at, at + n, n, n, n}
	}
	c.cell[cell].add(all)
}

func (c *runCells) merge(other cells[uint8]) {
	for i, o := range other.(*runCells).cell {
		c.cell[i].add(o)
	}
}

func (c *runCells) width() int { return 40 }

func (c *runCells) encode(b []byte) []byte {
	var fields [5][]int64
	for _, r := range c.cell {
		for k, v := range []int64{r.first, r.next, r.head, r.tail, r.longest} {
			fields[k] = append(fields[k], v)
		}
	}
	for _, numbers := range fields {
		b = appendNumbers(b, numbers)
	}
	return b
}

func (c *runCells) decode(b []byte) error {
	var fields [5][]int64
	for k := range fields {
		fields[k] = make([]int64, len(c.cell))
		b = takeNumbers(b, fields[k])
	}
	for i := range c.cell {
		r := runCell{fields[0][i], fields[1][i], fields[2][i], fields[3][i], fields[4][i]}
		n := r.next - r.first
		if r.first < 0 || n < 0 || min(r.head, r.tail) < 0 || max(r.head, r.tail) > r.longest || r.longest > n {
			return cairn.Corruptf("accumulators", -1, "runs of %d to %d items among %d", r.head, r.longest, n)
		}
		c.cell[i] = r
	}
	return nil
}
