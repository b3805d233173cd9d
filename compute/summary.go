package compute

import (
	"context"
	"iter"
	"math"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Summary describes a set of items. The zero value is that of no items.
type Summary struct {
	N     int64 // items, NaN included
	NaN   int64 // or NaT
	Inf   int64 // infinities of either sign
	Zeros int64

	// Min and Max are the least and greatest items that are not NaN; nil if there are none. Their
	// type is the Go type of the dtype: int8 to int64, uint8 to uint64, float32, float64,
	// [ndarray.Float16], bool, [time.Time] or [time.Duration], or int64 for times that these cannot
	// represent exactly.
	Min, Max any
	Moments  Moments // of the items that are not NaN; zero for times
	// With infinities Moments.Mean is what NumPy has: infinite, or NaN for those of both signs.
}

// Std returns the standard deviation of the items that are not NaN; NaN if there are none.
func (s *Summary) Std() float64 { return math.Sqrt(s.Moments.Var(0)) }

// Summarize returns the summary of all items, which must be real numbers, bools or times. It calls
// each, unless that is nil, with the summary of each chunk, in the order of the chunks.
func Summarize(ctx context.Context, src ndarray.Source, each func(chunk int64, s Summary)) (Summary, error) {
	f, err := familyOf(src, "summary")
	if err != nil {
		return Summary{}, err
	}
	if f.summarize == nil {
		return Summary{}, typeError("summary", src.DType())
	}
	return f.summarize(ctx, src, each)
}

// summarize is Summarize.
func (n numbers[S, T]) summarize(ctx context.Context, src ndarray.Source,
	each func(chunk int64, s Summary)) (Summary, error) {
	f, err := n.open(ctx, src, 0)
	if err != nil {
		return Summary{}, err
	}

	pieces, err := piecesOf(ctx, f, each == nil)
	if err != nil {
		return Summary{}, err
	}

	var mu sync.Mutex
	var total summary[T]
	next := 0
	pending := map[int]summary[T]{}
	working := make([]summary[T], f.Workers())

	err = f.visit(ctx, visitor[T]{
		runs: pieces.count, chunks: pieces.first,
		block: func(b *blockValues[T]) error {
			if b.values == nil {
				working[b.Worker].merge(n.repeatedSummary(b.value, pieces.items(b.Run, b.Items())))
			} else {
				working[b.Worker].merge(n.summary(b.values))
			}
			return nil
		},
		runDone: func(worker, run int) error {
			mu.Lock()
			defer mu.Unlock()

			pending[run], working[worker] = working[worker], summary[T]{}
			for s, ok := pending[next]; ok; s, ok = pending[next] {
				delete(pending, next)
				if each != nil {
					each(int64(next), n.exported(s, src.DType())) // every chunk is a piece
				}
				total.merge(s)
				next++
			}
			return nil
		},
	})

	return n.exported(total, src.DType()), err
}

// A summary is a Summary being accumulated.
type summary[T ndarray.Real] struct {
	n, nan, zeros int64
	inf           int64
	min, max      T // undefined if all items are NaN
	moments       Moments
}

// summary returns the summary of values.
func (n numbers[S, T]) summary(values []T) (s summary[T]) {
	if len(values) == 0 {
		return s
	}

	s.n = int64(len(values))
	s.zeros = zero(values)

	if !n.nat {
		s.moments = momentsOf(values, true)
		s.nan = s.n - s.moments.N
	} else {
		s.nan = countOf(values, n.isNaN)
	}

	if s.nan == 0 {
		s.min, _ = minOf(values)
		s.max, _ = maxOf(values)
		s.inf = s.infinities(values)
		return s
	}

	first := true
	for _, v := range values {
		if n.isNaN(v) {
			continue
		}

		if first {
			s.min = v
			s.max = v
			first = false
		}
		s.min, s.max = min(s.min, v), max(s.max, v)
	}

	if s.n > s.nan {
		s.inf = s.infinities(values)
	}
	return s
}

// infinities counts infinities among values, of which the extremes are known.
func (s *summary[T]) infinities(values []T) int64 {
	if !infinite(s.min) && !infinite(s.max) {
		return 0
	}
	return countOf(values, infinite[T])
}

func infinite[T ndarray.Real](v T) bool { return math.IsInf(float64(v), 0) }

// repeatedSummary returns the summary of the given number of items equal to v.
func (n numbers[S, T]) repeatedSummary(v T, items int64) summary[T] {
	s := summary[T]{n: items, min: v, max: v}

	switch {
	case n.isNaN(v):
		s.nan = items
	case v == 0:
		s.zeros = items
	case infinite(v):
		s.inf = items
	}

	if !n.nat && s.nan == 0 {
		s.moments = repeatedMoments(float64(v), items)
	}
	return s
}

// merge adds the items of another summary.
func (s *summary[T]) merge(other summary[T]) {
	switch {
	case other.n == other.nan:
	case s.n == s.nan:
		s.min = other.min
		s.max = other.max
	default:
		s.min, s.max = min(s.min, other.min), max(s.max, other.max)
	}
	s.n += other.n
	s.nan += other.nan
	s.zeros += other.zeros
	s.inf += other.inf
	s.moments.Merge(other.moments)
}

// exported converts a summary of items of dtype d.
func (n numbers[S, T]) exported(s summary[T], d meta.DType) Summary {
	p := Summary{N: s.n, NaN: s.nan, Inf: s.inf, Zeros: s.zeros, Moments: s.moments}

	if s.inf > 0 { // sums of moments lose the sign
		p.Moments.Mean = float64(s.min) + float64(s.max)
		p.Moments.M2 = math.NaN()
	}

	if s.n > s.nan {
		p.Min = any(n.item(s.min))
		p.Max = any(n.item(s.max))
		if n.nat {
			p.Min = timeOf(d, int64(s.min))
			p.Max = timeOf(d, int64(s.max))
		}
	}
	return p
}

// timeOf returns a datetime or timedelta as a Go value if that can represent it, else as an int64.
func timeOf(d meta.DType, v int64) any {
	ticks, err := govalue.Of(reflect.TypeFor[int64](), d, d.Size())
	if err != nil {
		return v
	}

	item, err := ticks.Item(govalue.One(&v))
	if err != nil {
		return v
	}

	if t, ok := decoded[time.Time](d, item); ok {
		return t
	}
	if t, ok := decoded[time.Duration](d, item); ok {
		return t
	}
	return v
}

// decoded converts an item to T, if T can represent it.
func decoded[T any](d meta.DType, item []byte) (v T, ok bool) {
	l, err := govalue.Of(reflect.TypeFor[T](), d, d.Size())
	if err != nil {
		return v, false
	}

	_, err = l.Decode(govalue.One(&v), 0, 1, item)
	return v, err == nil
}

// A summaryPiece is a chunk, or several consecutive chunks of the same repeated value.
type summaryPiece struct {
	chunk int64
	items int64 // in all the chunks if there are several; else 0
}

// summaryPieces are the pieces of an array in order. If list is nil, each chunk is a piece.
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

// first returns the first chunk of a piece: the others are equal.
func (p *summaryPieces) first(i int) iter.Seq[int64] {
	return slices.Values([]int64{p.at(i).chunk})
}

// items returns how many items of one value stand for a block of a piece that has some.
func (p *summaryPieces) items(i int, ofBlock int64) int64 { return max(ofBlock, p.at(i).items) }

// piecesOf divides an array into the pieces to summarize. With join, consecutive equal chunks, of
// which there may be millions, form one piece.
func piecesOf[T any](ctx context.Context, f *input[T], join bool) (summaryPieces, error) {
	chunks := f.chunks()
	all := summaryPieces{count: int(min(chunks, math.MaxInt))}
	if !join {
		return all, nil
	}

	for i, looks := int64(0), 0; i < chunks; looks++ {
		n, items, err := f.EqualChunks(i)
		if err == nil && looks%1024 == 0 { // there may be millions without an equal neighbour
			err = ctx.Err()
		}
		if err != nil || n == 0 {
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
