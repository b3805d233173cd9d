package compute

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// inWindow returns the items of the window of an item, by its definition: those at the places that
// are in the array.
func inWindow(values []float64, shape ndarray.Shape, w Window, at []int64) (items []float64, places int) {
	first := at[w.Axis] - w.Items + 1
	if w.Center {
		first = at[w.Axis] - w.Items/2
	}
	for k := max(0, first); k < min(shape[w.Axis], first+w.Items); k++ {
		to := int64(0)
		for i, x := range at {
			if i == w.Axis {
				x = k
			}
			to = to*shape[i] + x
		}
		places++
		if v := values[to]; v == v {
			items = append(items, v)
		}
	}
	return items, places
}

// ofWindow returns what an operation makes of items.
func ofWindow(op string, items []float64, w Window) float64 {
	n := float64(len(items))
	sum := 0.0
	product := 1.0
	for _, v := range items {
		sum += v
		product *= v
	}
	squares := 0.0
	for _, v := range items {
		squares += (v - sum/n) * (v - sum/n)
	}
	sorted := slices.Sorted(slices.Values(items))
	isZero := func(v float64) bool { return v == 0 }

	switch op {
	case "sum":
		return sum
	case "mean":
		return sum / n
	case "prod":
		return product
	case "var", "std":
		if n <= float64(w.DDoF) {
			return math.NaN()
		}
		if op == "std" {
			return math.Sqrt(squares / (n - float64(w.DDoF)))
		}
		return squares / (n - float64(w.DDoF))
	case "min":
		return sorted[0]
	case "max":
		return sorted[len(sorted)-1]
	case "count":
		return n
	case "any":
		return float64(min(1, len(slices.DeleteFunc(sorted, isZero))))
	case "all":
		if slices.ContainsFunc(items, isZero) {
			return 0
		}
		return 1
	}

	q := w.Quantile
	if op == "median" {
		q = 0.5
	}
	low := int(q * (n - 1))
	part := q*(n-1) - float64(low)
	return sorted[low] + part*(sorted[min(low+1, len(sorted)-1)]-sorted[low])
}

// squareOf returns the square of an item for var, whose errors are in proportion.
func squareOf(op string, v float64) float64 {
	if op == "var" {
		return v * v
	}
	return 0
}

// drawWindow draws a window along an axis of a shape, which may be longer than that.
func drawWindow(rnd *rand.Rand, shape ndarray.Shape) Window {
	w := Window{Axis: rnd.IntN(len(shape)), Center: rnd.IntN(2) == 0, SkipNaN: rnd.IntN(2) == 0, DDoF: rnd.IntN(2),
		Quantile: rnd.Float64()}
	w.Items = 1 + rnd.Int64N(shape[w.Axis]+3)
	if rnd.IntN(3) > 0 {
		w.Least = 1 + rnd.Int64N(w.Items)
	}
	return w
}

func TestWindowsHaveTheResultsOfTheirItems(t *testing.T) {
	ctx := t.Context()
	seeds := uint64(24)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 7))
		a, values := random(t, rnd, 1+rnd.IntN(3))
		shape := a.Shape()
		if len(shape) == 0 || itemsOf(shape) == 0 {
			continue
		}

		w := drawWindow(rnd, shape)
		for op := range windowOps {
			if op == "prod" && w.Items > 20 {
				continue // it would be infinite, or 0 times that
			}
			name := fmt.Sprintf("seed %d: %s of %+v, %v in chunks of %v", seed, op, w, shape, chunksOf(a))
			// With little memory, columns are narrow and steps short.
			o := &ndarray.Options{Memory: 1 << (9 + rnd.IntN(11)), Workers: 1 + rnd.IntN(4)}
			u, err := Rolling(ctx, "", a, op, w, o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := u.Read(ctx)
			if err != nil {
				t.Fatal(err)
			}

			least := int(w.Least)
			if least == 0 {
				least = int(w.Items)
			}
			at := make([]int64, len(shape))
			for i := range values {
				items, places := inWindow(values, shape, w, at)
				want := math.NaN()
				if len(items) >= least && (w.SkipNaN || op == "count" || len(items) == places) {
					want = ofWindow(op, items, w)
				}
				scale := max(1, math.Abs(want))
				for _, v := range items {
					scale = max(scale, math.Abs(v), squareOf(op, v))
				}
				v := math.Float64frombits(binary.LittleEndian.Uint64(got[8*i:]))
				if (v == v) != (want == want) || math.Abs(v-want) > 1e-9*scale {
					t.Fatalf("%s: %v at %v, want %v", name, v, at, want)
				}
				advance(at, make([]int64, len(shape)), shape)
			}
			u.Abort()
		}
	}
}

// Results are the same to the bit for any chunks, memory and number of workers.
func TestWindowsDoNotDependOnChunks(t *testing.T) {
	ctx := t.Context()
	rnd := rand.New(rand.NewPCG(1, 2))
	shape := ndarray.Shape{211, 7, 9}
	values := make([]float32, itemsOf(shape))
	for i := range values {
		values[i] = float32(rnd.NormFloat64() * math.Exp2(float64(rnd.IntN(40))))
		if rnd.IntN(200) == 0 {
			values[i] = float32(math.NaN())
		}
	}

	for _, items := range []int64{3, 30, 150} {
		for op := range windowOps {
			var first []byte
			for k, chunk := range []ndarray.Shape{shape, {1, 7, 9}, {211, 2, 2}, {16, 3, 9}} {
				a, err := ndarray.FromSlice(values, shape, &ndarray.Options{ChunkShape: chunk})
				if err != nil {
					t.Fatal(err)
				}
				w := Window{Items: items, Center: true, Least: 2, SkipNaN: true, Quantile: 0.3}
				u, err := Rolling(ctx, "", a, op, w, &ndarray.Options{Workers: 1 + k, Memory: 1 << (14 + 3*k)})
				if err != nil {
					t.Fatal(err)
				}
				got, err := u.Read(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = got
				}
				if !slices.Equal(got, first) {
					t.Errorf("%s of %d items in chunks of %v differs", op, items, chunk)
				}
			}
		}
	}
}

// A window after great items, or infinite ones, has no trace of them.
func TestWindowsForget(t *testing.T) {
	values := []float64{1e300, math.Inf(1), -1e17, 1, 2, 4, 8, math.NaN(), 1, 1, 1}
	a, err := ndarray.FromSlice(values, ndarray.Shape{11}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range map[string][]float64{"sum": {7, 14}, "var": {14. / 9, 56. / 9}, "mean": {7. / 3, 14. / 3}} {
		u, err := Rolling(t.Context(), "", a, op, Window{Items: 3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ndarray.ViewAs[float64](u)
		if err != nil {
			t.Fatal(err)
		}
		v, err := got.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(v[5+i]-want[i]) > 1e-15*want[i] {
				t.Errorf("%s: %v, want %v", op, v[5:7], want)
			}
		}
		if op == "var" && v[10] != 0 {
			t.Errorf("the variance of equal items is %v", v[10])
		}
	}
}

func TestWindowsOfTimesAndIntegers(t *testing.T) {
	ctx := t.Context()
	times, err := ndarray.NewUntyped("<M8[D]", ndarray.Shape{5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var raw []byte
	for _, v := range []int64{5, 3, math.MinInt64, 9, 7} {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	if err := times.Write(ctx, raw); err != nil {
		t.Fatal(err)
	}
	ints, err := ndarray.FromSlice([]uint64{1 << 63, 1, 2, 3, 4}, ndarray.Shape{5}, nil)
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		src   ndarray.Source
		op    string
		w     Window
		dtype string
		want  []float64 // of float64 or int64
	}{
		{times, "min", Window{Items: 2}, "<M8[D]", []float64{math.MinInt64, 3, math.MinInt64, math.MinInt64, 7}},
		{times, "max", Window{Items: 2, SkipNaN: true, Least: 1}, "<M8[D]", []float64{5, 5, 3, 9, 9}},
		{ints, "sum", Window{Items: 3, Least: 1}, "<f8", []float64{1 << 63, 1 << 63, 1 << 63, 6, 9}},
		{ints, "max", Window{Items: 2, Center: true, Least: 1}, "<f8", []float64{1 << 63, 1 << 63, 2, 3, 4}},
	} {
		u, err := Rolling(ctx, "", c.src, c.op, c.w, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := u.DType().String(); d != c.dtype {
			t.Errorf("%s has dtype %s, want %s", c.op, d, c.dtype)
		}
		got, err := u.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			v := binary.LittleEndian.Uint64(got[8*i:])
			if c.dtype == "<f8" && math.Float64frombits(v) != want || c.dtype != "<f8" && int64(v) != int64(want) {
				t.Errorf("%s of %+v: item %d is %x, want %v", c.op, c.w, i, v, want)
			}
		}
	}

	for op, w := range map[string]Window{"mode": {Items: 2}, "mean": {Items: 2}, "min": {}, "max": {Items: 3, Least: 4},
		"count": {Items: 2, Axis: 1}} {
		if _, err := Rolling(ctx, "", times, op, w, nil); err == nil {
			t.Errorf("%s of %+v of times has a result", op, w)
		}
	}
	if _, err := Rolling(ctx, "", ints, "quantile", Window{Items: 2, Quantile: 2}, nil); !errors.Is(err, cairn.ErrInvalid) {
		t.Errorf("quantile 2: %v", err)
	}
}

func TestWindowsOfNothing(t *testing.T) {
	for _, shape := range []ndarray.Shape{{0}, {0, 3}, {3, 0}} {
		a, err := ndarray.New[float32](shape, nil)
		if err != nil {
			t.Fatal(err)
		}
		u, err := Rolling(t.Context(), "", a, "mean", Window{Items: 4}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(u.Shape(), shape) {
			t.Errorf("shape %v, want %v", u.Shape(), shape)
		}
	}
}
