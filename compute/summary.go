package compute

import (
	"context"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/cairn-go/cairn/ndarray"
)

// A Summary says what some items are like. The zero value is that of none. Summaries are mergeable: those of parts make that of all.
type Summary[T ndarray.Real] struct {
	N        int64 // items, NaN included
	NaN      int64
	Zeros    int64
	Min, Max T // of those that are no NaN; 0 if there are none
	Moments  Moments
}

// Std returns the standard deviation of those that are no NaN; NaN if there are none.
func (s *Summary[T]) Std() float64 { return math.Sqrt(s.Moments.Var(0)) }

// Add adds items.
func (s *Summary[T]) Add(values []T) {
	if len(values) == 0 {
		return
	}
	part := Summary[T]{N: int64(len(values)), Moments: momentsOf(values, true)}
	part.NaN = part.N - part.Moments.N
	part.Zeros = zero(values)
	if part.NaN == 0 {
		part.Min, _ = least(values)
		part.Max, _ = most(values)
	} else {
		first := true
		for _, v := range values {
			if v != v {
				continue
			}
			if first {
				part.Min, part.Max, first = v, v, false
			}
			part.Min, part.Max = min(part.Min, v), max(part.Max, v)
		}
	}
	s.Merge(part)
}

// AddN adds n items that are all v.
func (s *Summary[T]) AddN(v T, n int64) {
	part := Summary[T]{N: n}
	if v != v {
		part.NaN = n
	} else {
		part.Min, part.Max, part.Moments = v, v, alike(float64(v), n)
		if v == 0 {
			part.Zeros = n
		}
	}
	s.Merge(part)
}

// Merge adds the items of another summary.
func (s *Summary[T]) Merge(other Summary[T]) {
	switch {
	case other.Moments.N == 0:
	case s.Moments.N == 0:
		s.Min, s.Max = other.Min, other.Max
	default:
		s.Min, s.Max = min(s.Min, other.Min), max(s.Max, other.Max)
	}
	s.N, s.NaN, s.Zeros = s.N+other.N, s.NaN+other.NaN, s.Zeros+other.Zeros
	s.Moments.Merge(other.Moments)
}

// Summarize returns the summary of all items, and tells that of each chunk to each, which may be nil, in the order of the chunks.
func Summarize[T ndarray.Real](ctx context.Context, a ndarray.Array[T], each func(chunk int64, s Summary[T])) (Summary[T], error) {
	var total Summary[T]
	src, err := ndarray.Frozen[T](ctx, a, 0, 0)
	if err != nil {
		return total, err
	}
	a = src.(ndarray.Array[T]) // as a was one
	pieces, err := piecesOf(a, each == nil)
	if err != nil {
		return total, err
	}
	var mu sync.Mutex
	next, pending := 0, map[int]Summary[T]{}
	working := make([]Summary[T], ndarray.VisitWorkers[T](a))
	first := func(run int) iter.Seq[int64] { return slices.Values([]int64{pieces.at(run).chunk}) }
	err = ndarray.VisitChunks[T](ctx, a, pieces.count, first, ndarray.Visitor[T]{
		Block: func(b *ndarray.Shown[T]) error {
			if b.Values == nil {
				working[b.Worker].AddN(b.Value, max(b.Items(), pieces.at(b.Run).items))
			} else {
				working[b.Worker].Add(b.Values)
			}
			return nil
		},
		RunDone: func(worker, run int) error {
			mu.Lock()
			defer mu.Unlock()
			pending[run], working[worker] = working[worker], Summary[T]{}
			for s, ok := pending[next]; ok; s, ok = pending[next] {
				delete(pending, next)
				if each != nil {
					each(int64(next), s) // every chunk is a piece
				}
				total.Merge(s)
				next++
			}
			return nil
		},
	})
	return total, err
}

// A summaryPiece is a chunk, or several that hold one and the same value.
type summaryPiece struct {
	chunk int64
	items int64 // of several chunks; else 0
}

// summaryPieces are the pieces of an array in order. Without a list each chunk is one.
type summaryPieces struct {
	count int
	list  []summaryPiece
}

func (p *summaryPieces) at(i int) summaryPiece {
	if p.list == nil {
		return summaryPiece{chunk: int64(i)}
	}
	return p.list[i]
}

// piecesOf says in which pieces an array is summarized: by chunk, or so that millions of equal
// chunks are one piece.
func piecesOf[T ndarray.Real](a ndarray.Array[T], join bool) (summaryPieces, error) {
	all := summaryPieces{count: int(min(a.NumChunks(), math.MaxInt))}
	if !join {
		return all, nil
	}
	for i := int64(0); i < a.NumChunks(); {
		n, items, err := ndarray.EqualChunks(a, i)
		if err != nil {
			return all, err
		}
		if n > 1 && all.list == nil {
			all.list = make([]summaryPiece, i, i+1)
			for k := range all.list {
				all.list[k].chunk = int64(k)
			}
		}
		if n == 1 {
			items = 0
		}
		if all.list != nil {
			all.list = append(all.list, summaryPiece{i, items})
			all.count = len(all.list)
		}
		i += n
	}
	return all, nil
}
