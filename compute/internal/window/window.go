// Package window reduces the items in windows of successive rows, for each column of the rows.
//
// A window of N rows begins in one of the stretches of N rows, which begin at multiples of N, and
// ends in the next one. So its result is that of the last rows of one stretch and of the first
// rows of the next, which are accumulated row by row, the former backwards: about three operations
// for each item, whatever N is. Nothing is ever subtracted, so that results depend on the items of
// the window only, and errors do not add up along the rows. Nor do results depend on which rows
// are there at a time.
package window

import "math"

// Item is the set of types of items. An int64 is a time, of which the minimum is NaT.
type Item interface{ float32 | float64 | int64 }

// An Op is what is made of the items of a window.
type Op uint8

// The operations.
const (
	Sum Op = iota
	Mean
	Prod
	Var
	Std
	Min
	Max
	Count // of the items that are not missing
	Any   // whether an item is not 0: 1 or 0
	All
	Quantile
)

// Spec says what windows there are, and what is made of them.
type Spec struct {
	Op     Op
	Items  int64 // rows of a window
	Before int64 // of them before the row to which the result belongs
	Extent int64 // of all rows there are; windows end at the first and last one
	Least  int64 // items that are not missing, without which the result is missing
	Skip   bool  // items that are missing count for nothing
	DDoF   int64
	// Quantile returns the result for the sorted items of a window, of which there is one at
	// least.
	Quantile func(sorted []float64) float64
}

// Rows are successive rows of items.
type Rows[T Item] struct {
	Items []T   // of all columns
	Pitch int   // items from one row to the next
	First int64 // the number of the first row
	Count int64
}

// row returns the items of some columns.
func (r *Rows[T]) row(number int64, column, width int) []T {
	return r.Items[int(number-r.First)*r.Pitch+column:][:width]
}

// end returns the number of the row after the last one.
func (r *Rows[T]) end() int64 { return r.First + r.Count }

// Needs returns the range of rows in which the windows of the rows from first up to stop are.
func (s *Spec) Needs(first, stop int64) (from, to int64) {
	return max(0, first-s.Before), min(s.Extent, stop-s.Before+s.Items-1)
}

// Width returns how many columns are best computed at a time, so that their states are close to
// the processor.
func (s *Spec) Width() int {
	return int(min(max(4, (1<<15)/max(1, min(s.Items, s.Extent))), 512))
}

// A Worker computes results for one goroutine. The zero value is ready to use.
type Worker[T Item] struct {
	sums   fold[T, float64]
	ends   fold[T, T]
	counts fold[T, int32]
	number []int32 // items that are not missing, of each column
	sorted []float64
}

// Reduce sets the rows of dst to the results of windows of the rows that src has: all that the
// results need. It does so for width columns from one on.
func (w *Worker[T]) Reduce(s *Spec, dst, src Rows[T], column, width int) {
	if s.Op == Quantile {
		for i := range width {
			w.quantiles(s, dst, src, column+i)
		}
		return
	}

	missing := anyMissing(src, column, width)
	p := &pass[T]{spec: s, dst: dst, src: src, column: column, width: width, missing: missing}
	w.number = resized(w.number, width*int(dst.Count))

	if missing || s.Op == Count {
		w.counts.of(p, 1, 0, countRow[T], func(row int64, a, b []int32) {
			to := w.numbers(p, row)
			for i := range to {
				to[i] = a[i] + b[i]
			}
		})
	}

	switch s.Op {
	case Min, Max:
		w.extremes(p)
	case Count:
		w.results(p, func(int64) {})
	default:
		w.floats(p)
	}
}

// numbers returns how many items of the windows of a row are not missing, by column.
func (w *Worker[T]) numbers(p *pass[T], row int64) []int32 {
	return w.number[int(row-p.dst.First)*p.width:][:p.width]
}

// A pass is a call of Reduce.
type pass[T Item] struct {
	spec          *Spec
	dst, src      Rows[T]
	column, width int
	missing       bool // some items are
}

// window returns the rows of the window of a row, before it is cut off at the first row.
func (p *pass[T]) window(row int64) (first, stop int64) {
	first = row - p.spec.Before
	return first, min(first+p.spec.Items, p.spec.Extent)
}

// length returns the number of rows of a window.
func (p *pass[T]) length(row int64) int64 {
	first, stop := p.window(row)
	return stop - max(0, first)
}

// finish replaces the results of a row by what is missing, where too few items are there.
func (w *Worker[T]) finish(p *pass[T], row int64, dst []T) {
	all := p.length(row)
	if !p.missing {
		if all < p.spec.Least {
			for i := range dst {
				dst[i] = none[T]()
			}
		}
		return
	}

	for i, n := range w.numbers(p, row) {
		if int64(n) < p.spec.Least || !p.spec.Skip && int64(n) < all && p.spec.Op != Count {
			dst[i] = none[T]()
		}
	}
}

// results finishes all rows after of has been called for each.
func (w *Worker[T]) results(p *pass[T], of func(row int64)) {
	for row := p.dst.First; row < p.dst.end(); row++ {
		of(row)
		dst := p.dst.row(row, p.column, p.width)
		if p.spec.Op == Count {
			for i, n := range w.numbers(p, row) {
				dst[i] = T(n)
			}
		}
		w.finish(p, row, dst)
	}
}

// missing reports whether an item is.
func missing[T Item](v T) bool {
	if v != v {
		return true
	}
	switch v := any(v).(type) {
	case int64:
		return v == math.MinInt64
	}
	return false
}

// none returns the item for what is missing.
func none[T Item]() (v T) {
	switch p := any(&v).(type) {
	case *float32:
		*p = float32(math.NaN())
	case *float64:
		*p = math.NaN()
	case *int64:
		*p = math.MinInt64
	}
	return v
}

// anyMissing reports whether any item of some columns is missing.
func anyMissing[T Item](r Rows[T], column, width int) bool {
	for row := r.First; row < r.end(); row++ {
		items := r.row(row, column, width)
		if times, ok := any(items).([]int64); ok {
			for _, v := range times {
				if v == math.MinInt64 {
					return true
				}
			}
			continue
		}

		var nan T // NaN if any item is NaN or infinite, otherwise 0
		for _, v := range items {
			nan += v - v
		}
		if nan == nan {
			continue
		}
		for _, v := range items {
			if v != v {
				return true
			}
		}
	}
	return false
}

func resized[E any](b []E, n int) []E {
	if cap(b) < n {
		return make([]E, n)
	}
	return b[:n]
}
