package compute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

func must[A any](t *testing.T) func(a A, err error) A {
	return func(a A, err error) A {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// random returns an array of some dimensions with data, special chunks and padding, and its items.
func random(t *testing.T, rnd *rand.Rand, workers int) (ndarray.Array[float64], []float64) {
	t.Helper()
	dims := rnd.IntN(4)
	shape, chunks, blocks := make(ndarray.Shape, dims), make(ndarray.Shape, dims), make(ndarray.Shape, dims)
	for i := range shape {
		shape[i] = 1 + rnd.Int64N([]int64{0, 5000, 60, 20}[dims])
		chunks[i] = 1 + rnd.Int64N(shape[i]+1)
		if chunks[i] < shape[i]/8 {
			chunks[i] = shape[i]/8 + 1
		}
		blocks[i] = 1 + rnd.Int64N(chunks[i])
	}
	a := must[ndarray.Array[float64]](t)(ndarray.New[float64](shape,
		&ndarray.Options{ChunkShape: chunks, BlockShape: blocks, Workers: workers}))
	for range 3 {
		var sel []ndarray.Selector
		for i := range shape {
			from := rnd.Int64N(shape[i])
			sel = append(sel, ndarray.Range(from, from+1+rnd.Int64N(shape[i])))
		}
		s := a.Slice(sel...)
		values := make([]float64, s.Len())
		for i := range values {
			values[i] = rnd.NormFloat64() * math.Pow(10, float64(rnd.IntN(12)))
		}
		if rnd.IntN(2) == 0 {
			must[int](t)(0, a.Fill(t.Context(), values[0], sel...))
		} else {
			must[int](t)(0, a.Write(t.Context(), values, sel...))
		}
	}
	return a, must[[]float64](t)(a.Read(t.Context()))
}

// groupsOf returns the items of each cell of a result, by plain loops.
func groupsOf[T any](shape ndarray.Shape, reduced []bool, values []T) [][]T {
	n := 1
	for i, extent := range shape {
		if !reduced[i] {
			n *= int(extent)
		}
	}
	out := make([][]T, n)
	at, zero := make([]int64, len(shape)), make([]int64, len(shape))
	for _, v := range values {
		cell := int64(0)
		for i := range at {
			if !reduced[i] {
				cell = cell*shape[i] + at[i]
			}
		}
		out[cell] = append(out[cell], v)
		advance(at, zero, shape)
	}
	return out
}

func exactSum(values []float64) float64 {
	sum := new(big.Float).SetPrec(2000)
	for _, v := range values {
		sum.Add(sum, big.NewFloat(v))
	}
	f, _ := sum.Float64()
	return f
}

func absSum(values []float64) (s float64) {
	for _, v := range values {
		s += math.Abs(v)
	}
	return s
}

func TestReductionsAgainstPlainLoops(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	ctx := t.Context()
	for round := range 60 {
		a, values := random(t, rnd, 1+rnd.IntN(4))
		o := &Options{}
		for axis := range len(a.Shape()) {
			if rnd.IntN(2) == 0 {
				o.Axes = append(o.Axes, axis)
			}
		}
		reduced := must[[]bool](t)(o.resolve(len(a.Shape())))
		sums := must[[]float64](t)(read(Sum[float64](ctx, a, o)))
		least := must[[]float64](t)(read(Min[float64](ctx, a, o)))
		places := must[[]int64](t)(read(ArgMax(ctx, a, o)))
		spread := must[[]float64](t)(read(Var(ctx, a, o)))
		counts := must[[]int64](t)(read(CountNonZero(ctx, a, o)))
		for i, g := range groupsOf(a.Shape(), reduced, values) {
			chunks, blocks := a.Grid()
			name := fmt.Sprintf("round %d: shape %v chunks %v blocks %v axes %v, item %d", round,
				a.Shape(), chunks, blocks, o.Axes, i)
			if exact := exactSum(g); math.Abs(sums[i]-exact) > 137*0x1p-53*absSum(g) {
				t.Fatalf("%s: sum %v, exactly %v", name, sums[i], exact)
			}
			if least[i] != slices.Min(g) {
				t.Fatalf("%s: min %v, want %v", name, least[i], slices.Min(g))
			}
			if want := slices.Index(g, slices.Max(g)); places[i] != int64(want) {
				t.Fatalf("%s: argmax %d, want %d", name, places[i], want)
			}
			mean, squares, nonZero := exactSum(g)/float64(len(g)), 0.0, int64(0)
			for _, v := range g {
				squares += (v - mean) * (v - mean)
				if v != 0 {
					nonZero++
				}
			}
			if want := squares / float64(len(g)); math.Abs(spread[i]-want) > 1e-10*want+1e-9 {
				t.Fatalf("%s: variance %v, want %v", name, spread[i], want)
			}
			if counts[i] != nonZero {
				t.Fatalf("%s: %d are not zero, want %d", name, counts[i], nonZero)
			}
		}
	}
}

func read[T ndarray.Element](a ndarray.Array[T], err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return a.Read(context.Background())
}

// The result is the same to the bit for every number of workers, over all axes and over some.
func TestWorkersDoNotChangeResults(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	values := make([]float64, 300*400)
	for i := range values {
		values[i] = rnd.NormFloat64() * math.Pow(10, float64(rnd.IntN(15)))
	}
	var first []float64
	for _, workers := range []int{1, 2, 3, 8} {
		if testing.Short() && workers == 2 {
			continue
		}
		a := must[ndarray.Array[float64]](t)(ndarray.FromSlice(values, ndarray.Shape{300, 400}, &ndarray.Options{
			ChunkShape: ndarray.Shape{40, 60}, BlockShape: ndarray.Shape{11, 13}, Workers: workers}))
		for range 2 {
			var got []float64
			for _, axes := range [][]int{nil, {0}, {1}} {
				o := Over(axes...)
				got = append(got, must[[]float64](t)(read(Sum[float64](t.Context(), a, o)))...)
				got = append(got, must[[]float64](t)(read(Std(t.Context(), a, o)))...)
				got = append(got, must[[]float64](t)(read(Prod[float64](t.Context(), a, o)))...)
			}
			if first == nil {
				first = got
			}
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(first[i]) {
					t.Fatalf("%d workers: item %d is %v, was %v", workers, i, got[i], first[i])
				}
			}
		}
	}
}

// 64 GiB in chunks that say one value: no time, and no memory, for decoding them.
func TestSpecialChunksAreNotDecoded(t *testing.T) {
	a := must[ndarray.Array[int8]](t)(ndarray.New[int8](ndarray.Shape{64, 1 << 30},
		&ndarray.Options{Fill: 3, ChunkShape: ndarray.Shape{1, 1 << 30}}))
	if got := must[int64](t)(Value(Sum[int64](t.Context(), a, nil))); got != 3<<36 {
		t.Errorf("sum %d", got)
	}
	if got := must[float64](t)(Value(Std(t.Context(), a, nil))); got != 0 {
		t.Errorf("std %v", got)
	}
	if got := must[[]float64](t)(read(Mean(t.Context(), a, Over(1)))); len(got) != 64 || got[7] != 3 {
		t.Errorf("means %v", got)
	}
	if got := must[int64](t)(Value(ArgMax(t.Context(), a, nil))); got != 0 {
		t.Errorf("place %d", got)
	}
}

func TestEmptyArraysAndWrongArguments(t *testing.T) {
	ctx := t.Context()
	a := must[ndarray.Array[float32]](t)(ndarray.New[float32](ndarray.Shape{0, 3}, nil))
	if got := must[float64](t)(Value(Sum[float64](ctx, a, nil))); got != 0 {
		t.Error(got)
	}
	if got := must[[]float64](t)(read(Prod[float64](ctx, a, Over(0)))); !slices.Equal(got, []float64{1, 1, 1}) {
		t.Error(got)
	}
	if got := must[[]float64](t)(read(Mean(ctx, a, Over(1)))); len(got) != 0 {
		t.Error(got)
	}
	for name, err := range map[string]error{
		"mean": second(Mean(ctx, a, nil)), "min": second(Min[float32](ctx, a, Over(0))),
		"argmax": second(ArgMax(ctx, a, nil)), "var": second(Var(ctx, a, nil)),
		"axis": second(Mean(ctx, a, Over(2))), "axis twice": second(Mean(ctx, a, Over(1, -1))),
	} {
		if !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := second(Sum[int64](ctx, a, nil)); !errors.Is(err, cairn.ErrType) {
		t.Errorf("integers of floats: %v", err)
	}
	nan := must[ndarray.Array[float64]](t)(ndarray.New[float64](ndarray.Shape{4}, &ndarray.Options{Fill: math.NaN()}))
	skip := &Options{SkipNaN: true}
	if got := must[float64](t)(Value(Mean(ctx, nan, skip))); !math.IsNaN(got) {
		t.Error(got)
	}
	if err := second(ArgMin(ctx, nan, skip)); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("argmin of NaN alone: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := second(Max[float64](ended, nan, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func second[A any](_ A, err error) error { return err }

func TestResultsInFilesAndWithAllDimensions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mean.b2nd")
	a := must[ndarray.Array[int32]](t)(ndarray.Arange(t.Context(), "", int32(0), 24, 1, ndarray.Shape{2, 3, 4}, nil))
	o := &Options{Axes: []int{-2}, KeepDims: true, Path: path, Array: &ndarray.Options{Level: 1}}
	must[int](t)(0, must[ndarray.Array[float64]](t)(Mean(t.Context(), a, o)).Close())
	m := must[ndarray.Array[float64]](t)(ndarray.OpenAs[float64](path, nil))
	defer m.Close()
	got := must[[]float64](t)(m.Read(t.Context()))
	if !slices.Equal(m.Shape(), ndarray.Shape{2, 1, 4}) || !slices.Equal(got, []float64{4, 5, 6, 7, 16, 17, 18, 19}) {
		t.Errorf("shape %v: %v", m.Shape(), got)
	}
}

// TestSumWithoutNaN checks that the bound also holds for runs with NaN: one partial sum alone would
// lose all items but the first.
func TestSumWithoutNaN(t *testing.T) {
	values := []float64{1, math.NaN()}
	for len(values) < 1024 {
		values = append(values, 0x1.8p-54)
	}
	a, err := ndarray.FromSlice(values, ndarray.Shape{1024}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Value(Sum[float64](t.Context(), a, &Options{SkipNaN: true}))
	if want := 1 + 1022*0x1.8p-54; err != nil || math.Abs(got-want) > 137*0x1p-53 {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestQuantileOfComplexNumbers(t *testing.T) {
	a, err := ndarray.FromSlice([]complex64{1 + 2i, 3}, ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Quantile(t.Context(), a, 0.5, nil); !errors.Is(err, cairn.ErrType) {
		t.Errorf("error %v", err)
	}
}
