package compute

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// checkColumns compares sums and means over axes other than the last with plain loops.
func checkColumns[T ndarray.Real, R realTotal](t *testing.T, rnd *rand.Rand, item func() T) {
	t.Helper()
	shapes := []ndarray.Shape{{300, 7}, {17, 600}, {5, 40, 9}, {2, 3, 70, 4}, {1, 11}}
	for round := range 4 * len(shapes) {
		shape := shapes[round%len(shapes)]
		chunks, blocks := make(ndarray.Shape, len(shape)), make(ndarray.Shape, len(shape))
		for i, n := range shape {
			chunks[i] = (n+1)/2 + rnd.Int64N(n+1-(n+1)/2)
			blocks[i] = 1 + rnd.Int64N(chunks[i])
			if round < 2*len(shapes) {
				blocks[i] = chunks[i]
			}
		}
		o := &Options{Axes: []int{rnd.IntN(len(shape) - 1)}, SkipNaN: round%2 == 0}
		if len(shape) > 3 {
			o.Axes = []int{0, 2}
		}
		values := make([]T, shape[0]*shape[1]*(append(shape, 1, 1))[2]*(append(shape, 1, 1))[3])
		for i := range values {
			values[i] = item()
		}
		layout := &ndarray.Options{ChunkShape: chunks, BlockShape: blocks, Workers: 1 + round%2}
		a := must[ndarray.Array[T]](t)(ndarray.FromSlice(values, shape, layout))
		means := must[[]float64](t)(read(Mean(t.Context(), a, o)))
		totals := must[[]R](t)(read(Sum[R](t.Context(), a, o)))
		least := must[[]T](t)(read(Min[T](t.Context(), a, o)))
		most := must[[]T](t)(read(Max[T](t.Context(), a, o)))
		spread := must[[]float64](t)(read(Var(t.Context(), a, o)))
		floats := must[[]float64](t)(read(Sum[float64](t.Context(), a, o)))
		for i, g := range groupsOf(shape, must[[]bool](t)(o.resolve(len(shape))), values) {
			name := fmt.Sprintf("%T shape %v chunks %v blocks %v axes %v, item %d",
				values, shape, chunks, blocks, o.Axes, i)
			checkGroup(t, name, g, o.SkipNaN, means[i], floats[i], totals[i])
			checkSpread(t, name, g, o.SkipNaN, least[i], most[i], spread[i])
		}
	}
}

// checkSpread compares the extremes and the variance of some items with those of plain loops.
func checkSpread[T ndarray.Real](t *testing.T, name string, items []T, skip bool, least, most T, variance float64) {
	t.Helper()
	var numbers []T
	for _, v := range items {
		if v == v {
			numbers = append(numbers, v)
		}
	}
	if len(numbers) == 0 || len(numbers) < len(items) && !skip {
		if least == least || most == most || variance == variance {
			t.Fatalf("%s: from %v to %v with variance %v of NaN", name, least, most, variance)
		}
		return
	}
	if low, high := slices.Min(numbers), slices.Max(numbers); least != low || most != high {
		t.Fatalf("%s: from %v to %v, want %v to %v", name, least, most, low, high)
	}
	mean, want, scale := 0.0, 0.0, 0.0
	for _, v := range numbers {
		mean += float64(v) / float64(len(numbers))
	}
	for _, v := range numbers {
		d := float64(v) - mean
		want += d * d / float64(len(numbers))
		scale += float64(v) * float64(v) / float64(len(numbers))
	}
	if math.Abs(variance-want) > 1e-12*scale {
		t.Fatalf("%s: variance %v, want %v", name, variance, want)
	}
}

// checkGroup compares the mean and the sums of some items with exact ones.
func checkGroup[T ndarray.Real, R realTotal](t *testing.T, name string, items []T, skip bool, mean, sum float64,
	total R) {
	t.Helper()
	var exact []float64
	var wrapped R
	nan := false
	for _, v := range items {
		wrapped += R(v)
		if v != v {
			nan = true
			continue
		}
		exact = append(exact, float64(v))
	}
	switch {
	case nan && !skip:
		if sum == sum || mean == mean {
			t.Fatalf("%s: sum %v and mean %v of NaN", name, sum, mean)
		}
		return
	case len(exact) == 0:
		if mean == mean || sum != 0 {
			t.Fatalf("%s: sum %v and mean %v of NaN alone", name, sum, mean)
		}
		return
	}
	want, slack := exactSum(exact), 137*0x1p-53*absSum(exact)
	if fitsInt64[T](int64(len(items))) {
		slack = 0
	}
	if math.Abs(sum-want) > slack || math.Abs(mean-want/float64(len(exact))) > slack {
		t.Fatalf("%s: sum %v and mean %v of %d, exactly %v", name, sum, mean, len(exact), want)
	}
	if !isFloat[R]() && total != wrapped {
		t.Fatalf("%s: sum %v, want %v", name, total, wrapped)
	}
}

func TestColumnsOfEveryKind(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 4))
	float := func() float64 {
		if rnd.IntN(9) == 0 {
			return math.NaN()
		}
		return rnd.NormFloat64() * math.Pow(10, float64(rnd.IntN(12)))
	}
	checkColumns[float64, float64](t, rnd, float)
	checkColumns[float32, float64](t, rnd, func() float32 { return float32(float()) })
	checkColumns[int8, int64](t, rnd, func() int8 { return int8(rnd.Uint32()) })
	checkColumns[uint16, uint64](t, rnd, func() uint16 { return uint16(rnd.Uint32()) })
	checkColumns[int32, int64](t, rnd, func() int32 { return int32(rnd.Uint32()) })
	checkColumns[int64, int64](t, rnd, func() int64 { return int64(rnd.Uint64()) })
	checkColumns[uint64, uint64](t, rnd, rnd.Uint64)
}

// Sums of integers are exact even if they exceed int64.
func TestSumsBeyondInt64(t *testing.T) {
	const rows = 1 << 34
	a := must[ndarray.Array[uint32]](t)(ndarray.New[uint32](ndarray.Shape{rows, 2},
		&ndarray.Options{Fill: uint32(math.MaxUint32), ChunkShape: ndarray.Shape{1 << 26, 2}}))
	for i, mean := range must[[]float64](t)(read(Mean(t.Context(), a, Over(0)))) {
		if mean != math.MaxUint32 {
			t.Errorf("mean %d is %v", i, mean)
		}
	}
	for i, sum := range must[[]float64](t)(read(Sum[float64](t.Context(), a, Over(0)))) {
		if want := float64(rows) * math.MaxUint32; sum != want {
			t.Errorf("sum %d is %v, want %v", i, sum, want)
		}
	}
}
