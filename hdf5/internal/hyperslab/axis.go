// Package hyperslab has the selections of HDF5: which indices are selected along each dimension.
package hyperslab

import "sort"

// Unlimited is a Count or a Block without bound.
const Unlimited int64 = -1

// A Span is Count blocks of Block indices, Stride apart, from Start on.
type Span struct{ Start, Stride, Count, Block int64 }

// Unlimited reports whether a span has no end.
func (s Span) Unlimited() bool { return s.Count == Unlimited || s.Block == Unlimited }

// items returns the number of indices of a span with an end.
func (s Span) items() int64 { return s.Count * s.Block }

// below returns how many indices of a span are below an index.
func (s Span) below(index int64) int64 {
	if index <= s.Start {
		return 0
	}

	from := index - s.Start
	if s.Block == Unlimited || s.Count == 1 {
		if s.Block != Unlimited {
			from = min(from, s.Block)
		}
		return from
	}

	n := from/s.Stride*s.Block + min(from%s.Stride, s.Block)
	if s.Count != Unlimited {
		n = min(n, s.items())
	}
	return n
}

// An Axis is the selected indices of a dimension, in order: spans one behind the other, of which
// only a single one may be unlimited. The number of an index is how many are before it.
type Axis struct {
	spans  []Span
	before []int64 // numbers of the first indices of spans
	items  int64
}

// New returns the axis of spans that are sorted and apart.
func New(spans ...Span) Axis {
	a := Axis{spans: spans}
	for _, s := range spans {
		a.before = append(a.before, a.items)
		if !s.Unlimited() {
			a.items += s.items()
		}
	}
	return a
}

// Whole returns the axis of all n indices.
func Whole(n int64) Axis { return New(Span{Start: 0, Stride: max(n, 1), Count: 1, Block: n}) }

// Unlimited reports whether an axis has no end.
func (a Axis) Unlimited() bool { return len(a.spans) == 1 && a.spans[0].Unlimited() }

// First returns the first span of an axis that has one.
func (a Axis) First() Span { return a.spans[0] }

// Before returns how many selected indices are below an index.
func (a Axis) Before(index int64) int64 {
	i := sort.Search(len(a.spans), func(i int) bool { return a.spans[i].Start >= index }) - 1
	if i < 0 {
		return 0
	}
	return a.before[i] + a.spans[i].below(index)
}

// Within returns an axis without the indices from end on, if it has no end.
func (a Axis) Within(end int64) Axis {
	if !a.Unlimited() {
		return a
	}

	s := a.spans[0]
	n := s.below(end)
	if s.Block == Unlimited {
		return New(Span{Start: s.Start, Stride: max(n, 1), Count: 1, Block: n})
	}

	var cut []Span
	whole := n / s.Block
	rest := n % s.Block
	if whole > 0 {
		cut = append(cut, Span{Start: s.Start, Stride: s.Stride, Count: whole, Block: s.Block})
	}
	if rest > 0 {
		cut = append(cut, Span{Start: s.Start + whole*s.Stride, Stride: rest, Count: 1, Block: rest})
	}
	return New(cut...)
}

// Items returns the number of indices of an axis with an end.
func (a Axis) Items() int64 { return a.items }

// At returns the index of a number below that of the items.
func (a Axis) At(number int64) int64 {
	i := sort.Search(len(a.spans), func(i int) bool { return a.before[i] > number }) - 1
	s := a.spans[i]
	number -= a.before[i]
	return s.Start + number/s.Block*s.Stride + number%s.Block
}

// End returns the index behind the last one.
func (a Axis) End() int64 {
	if a.items == 0 {
		return 0
	}
	return a.At(a.items-1) + 1
}

// Covering returns the least extent with n selected indices of an axis without end.
func (a Axis) Covering(n int64) int64 {
	s := a.spans[0]
	switch {
	case n == 0:
		return 0
	case s.Block == Unlimited:
		return s.Start + n
	}
	return s.Start + (n-1)/s.Block*s.Stride + (n-1)%s.Block + 1
}

// Blocks reports whether an axis is blocks without end, each of some indices.
func (a Axis) Blocks() bool { return a.Unlimited() && a.spans[0].Block != Unlimited }

// BlockAt returns the axis of one block of an axis without end.
func (a Axis) BlockAt(number int64) Axis {
	s := a.spans[0]
	return New(Span{Start: s.Start + number*s.Stride, Stride: s.Block, Count: 1, Block: s.Block})
}

// BlockOf returns the number of the last block of an axis without end that begins at an index or
// before it; -1 if none does.
func (a Axis) BlockOf(index int64) int64 {
	s := a.spans[0]
	if index < s.Start {
		return -1
	}
	return (index - s.Start) / s.Stride
}

// Joined returns the axis of runs of indices, which are sorted and apart.
func Joined(runs [][2]int64) Axis {
	sort.Slice(runs, func(i, k int) bool { return runs[i][0] < runs[k][0] })

	var a []Span
	for _, r := range runs {
		block := r[1] - r[0]
		if k := len(a) - 1; k >= 0 && a[k].Block == block {
			last := &a[k]
			next := last.Start + last.Count*last.Stride
			if last.Count == 1 {
				next = r[0]
			}
			if next == r[0] {
				if last.Count == 1 {
					last.Stride = r[0] - last.Start
				}
				last.Count++
				continue
			}
		}
		a = append(a, Span{Start: r[0], Stride: block, Count: 1, Block: block})
	}
	return New(a...)
}
