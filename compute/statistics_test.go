package compute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// A drawn case has an array of floats with NaN in chunks, and what is done with it.
type drawnCase struct {
	shape  ndarray.Shape
	values []float64
	array  ndarray.Source
	o      Options
}

func drawStatistics(t *testing.T, rnd *rand.Rand) drawnCase {
	t.Helper()
	dims := 1 + rnd.IntN(4)
	var c drawnCase
	chunk := ndarray.Shape{}
	block := ndarray.Shape{}
	for range dims {
		n := 1 + rnd.Int64N(9)
		c.shape = append(c.shape, n)
		chunk = append(chunk, 1+rnd.Int64N(n))
		block = append(block, 1+rnd.Int64N(chunk[len(chunk)-1]))
	}
	for range itemsOf(c.shape) {
		v := math.Round(rnd.NormFloat64()*1000) / 8
		if rnd.IntN(6) == 0 {
			v = math.NaN()
		}
		c.values = append(c.values, v)
	}
	if rnd.IntN(3) == 0 { // chunks that repeat one value
		for i := range c.values[:len(c.values)/2] {
			c.values[i] = 5
		}
	}
	c.array = must[ndarray.Array[float64]](t)(ndarray.FromSlice(c.values, c.shape,
		&ndarray.Options{ChunkShape: chunk, BlockShape: block, Workers: 1 + rnd.IntN(3)}))

	axes := rnd.Perm(dims)
	c.o = Options{SkipNaN: true, Axes: axes[:rnd.IntN(dims+1)]}
	rest := axes[len(c.o.Axes):]
	if len(rest) > 0 && rnd.IntN(2) == 0 {
		g := Groups{Axis: rest[0], Also: rest[1:][:rnd.IntN(len(rest))], Count: 1 + rnd.IntN(4)}
		n := int64(1)
		for _, axis := range g.axes() {
			n *= c.shape[axis]
		}
		for range n {
			g.Of = append(g.Of, rnd.IntN(g.Count+1)-1)
		}
		c.o.Groups = []Groups{g}
	}
	return c
}

// sets returns the indexes of the items of each result, by the definition of axes and groups.
func (c *drawnCase) sets() (shape ndarray.Shape, sets [][]int) {
	gone := make([]bool, len(c.shape))
	for _, axis := range c.o.Axes {
		gone[axis] = true
	}
	for i := range gone {
		gone[i] = gone[i] || len(c.o.Axes) == 0 && len(c.o.Groups) == 0
	}
	extents := slices.Clone(c.shape)
	for _, g := range c.o.Groups {
		extents[g.Axis] = int64(g.Count)
		for _, axis := range g.Also {
			gone[axis] = true
		}
	}
	shape = ndarray.Shape{}
	for i, n := range extents {
		if !gone[i] {
			shape = append(shape, n)
		}
	}

	sets = make([][]int, itemsOf(shape))
	at := make([]int64, len(c.shape))
	for i := range c.values {
		own := slices.Clone(at)
		inside := true
		for _, g := range c.o.Groups {
			k := int64(0)
			for _, axis := range g.axes() {
				k = k*c.shape[axis] + at[axis]
			}
			own[g.Axis] = int64(g.Of[k])
			inside = inside && g.Of[k] >= 0
		}
		to := int64(0)
		for d := range own {
			if !gone[d] {
				to = to*extents[d] + own[d]
			}
		}
		if inside {
			sets[to] = append(sets[to], i)
		}
		advance(at, make([]int64, len(at)), c.shape)
	}
	return shape, sets
}

// companion draws an array along some axes, and returns its items for each of the array.
func (c *drawnCase) companion(t *testing.T, rnd *rand.Rand, draw func() float64) (src ndarray.Source, axes []int, of []float64) {
	t.Helper()
	axes = rnd.Perm(len(c.shape))[:rnd.IntN(len(c.shape)+1)]
	own := ndarray.Shape{}
	for _, axis := range axes {
		n := c.shape[axis]
		if rnd.IntN(5) == 0 {
			n = 1
		}
		own = append(own, n)
	}
	var values []float64
	for range itemsOf(own) {
		values = append(values, draw())
	}
	src = must[ndarray.Array[float64]](t)(ndarray.FromSlice(values, own, nil))

	at := make([]int64, len(c.shape))
	for range c.values {
		i := int64(0)
		for k, axis := range axes {
			i = i*own[k] + min(at[axis], own[k]-1)
		}
		of = append(of, values[i])
		advance(at, make([]int64, len(at)), c.shape)
	}
	return src, slices.Clip(append([]int{}, axes...)), of
}

func alike(a, b float64) bool {
	return a != a && b != b || math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}

// compareSets compares results with those of a definition.
func (c *drawnCase) compareSets(t *testing.T, what string, got ndarray.Array[float64], want func(items []int) float64) {
	t.Helper()
	shape, sets := c.sets()
	if !slices.Equal(got.Shape(), shape) {
		t.Fatalf("%s of %v with %+v has shape %v, want %v", what, c.shape, c.o, got.Shape(), shape)
	}
	for i, v := range must[[]float64](t)(got.Read(t.Context())) {
		if w := want(sets[i]); !alike(v, w) {
			t.Fatalf("%s of %v with %+v: item %d is %v, want %v", what, c.shape, c.o, i, v, w)
		}
	}
}

func TestWeightedEqualsItsDefinition(t *testing.T) {
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		c := drawStatistics(t, rnd)
		src, axes, w := c.companion(t, rnd, func() float64 { return float64(rnd.IntN(4)) / 2 })
		c.o.Weights = &Weights{Of: src, Axes: axes}
		c.o.SkipNaN = rnd.IntN(3) > 0

		sums := func(items []int) (sum, weight, m2 float64) {
			for _, i := range items {
				if v := c.values[i]; v == v || !c.o.SkipNaN {
					sum += v * w[i]
					weight += w[i]
				}
			}
			for _, i := range items {
				if v := c.values[i]; v == v || !c.o.SkipNaN {
					m2 += (v - sum/weight) * (v - sum/weight) * w[i]
				}
			}
			return sum, weight, m2
		}
		c.compareSets(t, "mean", must[ndarray.Array[float64]](t)(Mean(t.Context(), c.array, &c.o)), func(items []int) float64 {
			sum, weight, _ := sums(items)
			return sum / weight
		})
		c.compareSets(t, "sum", must[ndarray.Array[float64]](t)(Sum[float64](t.Context(), c.array, &c.o)), func(items []int) float64 {
			sum, _, _ := sums(items)
			return sum
		})
		c.compareSets(t, "variance", must[ndarray.Array[float64]](t)(Var(t.Context(), c.array, &c.o)), func(items []int) float64 {
			_, weight, m2 := sums(items)
			return m2 / weight
		})
	}
}

func TestComomentsEqualTheirDefinition(t *testing.T) {
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		c := drawStatistics(t, rnd)
		src, axes, w := c.companion(t, rnd, func() float64 {
			if rnd.IntN(9) == 0 {
				return math.NaN()
			}
			return float64(rnd.IntN(100))
		})
		c.o.SkipNaN = rnd.IntN(3) > 0
		c.o.DDoF = rnd.IntN(2)

		of := func(items []int) (m comoment) {
			var pairs []pair
			for _, i := range items {
				p := pair{c.values[i], w[i]}
				if p.v == p.v && p.w == p.w || !c.o.SkipNaN {
					pairs = append(pairs, p)
				}
			}
			return comomentOf(pairs)
		}
		for what, fn := range map[string]func(*comoment, int) float64{"covariance": covariance, "slope": slope,
			"intercept": intercept} {
			got := must[ndarray.Array[float64]](t)(applyPairs(t.Context(), what, fn, c.array, src, axes, &c.o))
			c.compareSets(t, what, got, func(items []int) float64 {
				m := of(items)
				if m.ww < 1e-9 && what != "covariance" {
					m.ww = 0
				}
				return fn(&m, c.o.DDoF)
			})
		}
	}
}

func TestTrendOfKnownItems(t *testing.T) {
	// The numbers are those of scipy.stats.linregress.
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7}
	y := []float64{1.5, 2, 1.25, 3.5, 3, 4.75, 3.25, 5}
	a := must[ndarray.Array[float64]](t)(ndarray.FromSlice(y, ndarray.Shape{8}, nil))
	at := must[ndarray.Array[float64]](t)(ndarray.FromSlice(x, ndarray.Shape{8}, nil))
	for what, c := range map[string]struct {
		of   func(context.Context, ndarray.Source, ndarray.Source, *Options) (ndarray.Array[float64], error)
		want float64
	}{
		"slope":     {Slope, 0.4851190476190476},
		"intercept": {Intercept, 1.3333333333333335},
		"p-value":   {PValue, 0.0075122488892297},
	} {
		for _, places := range []ndarray.Source{at, nil} {
			if got := must[float64](t)(Value(c.of(t.Context(), a, places, nil))); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%s is %v, want %v", what, got, c.want)
			}
		}
	}
	for _, c := range []struct{ x, a, b, want float64 }{
		{0.5, 5, 0.5, 0.010119559735433718}, {0.9, 2.5, 0.5, 0.48958974456442755}, {0.001, 100, 0.5, 0}, {1, 3, 0.5, 1},
	} {
		if got := incompleteBeta(c.x, c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("incomplete beta of %v is %v", c, got)
		}
	}
}

func TestStatisticsHaveTheSameBitsForAnyWorkers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	values := make([]float32, 40*30*50)
	for i := range values {
		values[i] = rnd.Float32() * 100
		if rnd.IntN(50) == 0 {
			values[i] = float32(math.NaN())
		}
	}
	w := make([]float64, 30)
	for i := range w {
		w[i] = rnd.Float64()
	}
	weights := must[ndarray.Array[float64]](t)(ndarray.FromSlice(w, ndarray.Shape{30}, nil))

	var first []string
	for workers := 1; workers <= 5; workers++ {
		a := must[ndarray.Array[float32]](t)(ndarray.FromSlice(values, ndarray.Shape{40, 30, 50},
			&ndarray.Options{ChunkShape: ndarray.Shape{7, 11, 20}, Workers: workers}))
		var all []string
		for _, o := range []Options{{}, {Axes: []int{1, 2}}, {Axes: []int{0}}, {Axes: []int{0, 1}}} {
			o.SkipNaN = true
			o.Weights = &Weights{weights, []int{1}}
			got := must[ndarray.Array[float64]](t)(Mean(t.Context(), a, &o))
			all = append(all, fmt.Sprint(must[[]float64](t)(got.Read(t.Context()))))
			got = must[ndarray.Array[float64]](t)(Std(t.Context(), a, &o))
			all = append(all, fmt.Sprint(must[[]float64](t)(got.Read(t.Context()))))
			o.Weights = nil
			got = must[ndarray.Array[float64]](t)(Corr(t.Context(), a, a, &o))
			all = append(all, fmt.Sprint(must[[]float64](t)(got.Read(t.Context()))))
		}
		if first == nil {
			first = all
		}
		if !slices.Equal(all, first) {
			t.Errorf("%d workers make other results", workers)
		}
	}
}

func TestWeightsAreRefused(t *testing.T) {
	a := must[ndarray.Array[int32]](t)(ndarray.New[int32](ndarray.Shape{2, 3}, nil))
	weights := func(shape ndarray.Shape, w ...float64) ndarray.Source {
		return must[ndarray.Array[float64]](t)(ndarray.FromSlice(w, shape, nil))
	}
	good := &Weights{Of: weights(ndarray.Shape{3}, 1, 2, 3)}
	for name, c := range map[string]struct {
		w    *Weights
		kind error
	}{
		"negative":       {&Weights{Of: weights(ndarray.Shape{3}, 1, -1, 1)}, cairn.ErrInvalid},
		"NaN":            {&Weights{Of: weights(ndarray.Shape{3}, 1, math.NaN(), 1)}, cairn.ErrInvalid},
		"infinite":       {&Weights{Of: weights(ndarray.Shape{3}, 1, math.Inf(1), 1)}, cairn.ErrInvalid},
		"another extent": {&Weights{Of: weights(ndarray.Shape{2}, 1, 1)}, cairn.ErrBounds},
		"no such axis":   {&Weights{Of: weights(ndarray.Shape{2}, 1, 1), Axes: []int{2}}, cairn.ErrBounds},
		"too few axes":   {&Weights{Of: weights(ndarray.Shape{2}, 1, 1), Axes: []int{}}, cairn.ErrBounds},
		"an axis twice":  {&Weights{Of: weights(ndarray.Shape{2, 2}, 1, 1, 1, 1), Axes: []int{0, 0}}, cairn.ErrBounds},
	} {
		if _, err := Mean(t.Context(), a, &Options{Weights: c.w}); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}

	o := &Options{Weights: good}
	if _, err := Sum[int64](t.Context(), a, o); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("sum in int64: %v", err)
	}
	if _, err := Max[int32](t.Context(), a, o); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("greatest: %v", err)
	}
	if _, err := Quantile(t.Context(), a, 0.5, o); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("quantile: %v", err)
	}
	if _, err := Std(t.Context(), a, &Options{Weights: good, DDoF: 1}); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("std with ddof: %v", err)
	}
	if _, err := Corr(t.Context(), a, a, o); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("correlation: %v", err)
	}
	empty := must[ndarray.Array[int32]](t)(ndarray.New[int32](ndarray.Shape{0, 3}, nil))
	if _, err := Mean(t.Context(), empty, o); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("mean of nothing: %v", err)
	}
	if v := must[float64](t)(Value(Sum[float64](t.Context(), empty, o))); v != 0 {
		t.Errorf("sum of nothing is %v", v)
	}
}
