package compute

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

func TestLongestRunEqualsItsDefinition(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		c := drawStatistics(t, rnd)
		axis := rnd.IntN(len(c.shape))
		c.o = Options{Axes: []int{axis}}
		if rnd.IntN(2) == 0 {
			g := Groups{Axis: axis, Count: 2}
			for range c.shape[axis] {
				g.Of = append(g.Of, rnd.IntN(3)-1)
			}
			c.o = Options{Groups: []Groups{g}}
		}
		cond := make([]bool, len(c.values))
		for i, v := range c.values {
			cond[i] = v > -60
		}
		chunk := ndarray.Shape{}
		for _, n := range c.shape {
			chunk = append(chunk, 1+rnd.Int64N(n))
		}
		a := must[ndarray.Array[bool]](t)(ndarray.FromSlice(cond, c.shape, &ndarray.Options{ChunkShape: chunk}))
		got := must[ndarray.Array[int64]](t)(LongestRun(t.Context(), a, &c.o))

		step := 1 // between successive items along the axis
		for _, n := range c.shape[axis+1:] {
			step *= int(n)
		}
		_, sets := c.sets()
		for i, v := range must[[]int64](t)(got.Read(t.Context())) {
			longest := int64(0)
			run := int64(0)
			for k, item := range sets[i] {
				if k > 0 && item != sets[i][k-1]+step {
					run = 0
				}
				if run++; !cond[item] {
					run = 0
				}
				longest = max(longest, run)
			}
			if v != longest {
				t.Fatalf("seed %d: item %d is %d, want %d", seed, i, v, longest)
			}
		}
	}
}

func TestModeEqualsItsDefinition(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		c := drawStatistics(t, rnd)
		for i, v := range c.values {
			c.values[i] = math.Round(v / 200)
		}
		c.array = must[ndarray.Array[float64]](t)(ndarray.FromSlice(c.values, c.shape, nil))
		c.o.SkipNaN = rnd.IntN(3) > 0
		c.compareSets(t, "mode", must[ndarray.Array[float64]](t)(Mode(t.Context(), c.array, &c.o)), func(items []int) float64 {
			counts := map[float64]int{}
			best := math.NaN()
			for _, i := range items {
				if v := c.values[i]; v == v {
					counts[v]++
				} else if !c.o.SkipNaN {
					return math.NaN()
				}
			}
			for v, n := range counts {
				if best != best || n > counts[best] || n == counts[best] && v < best {
					best = v
				}
			}
			return best
		})
	}
}

func TestTilesOfGroupsAlongSeveralAxes(t *testing.T) {
	// More results than a tile has.
	const groups = 3000
	shape := ndarray.Shape{40, 60, 300}
	values := make([]float64, itemsOf(shape))
	g := Groups{Axis: 0, Also: []int{1}, Count: groups}
	for i := range 40 * 60 {
		g.Of = append(g.Of, i*7%groups)
	}
	for i := range values {
		values[i] = float64(i % 1013)
	}
	a := must[ndarray.Array[float64]](t)(ndarray.FromSlice(values, shape, &ndarray.Options{ChunkShape: ndarray.Shape{9, 13, 300}}))
	c := drawnCase{shape: shape, values: values, array: a, o: Options{Groups: []Groups{g}}}
	c.compareSets(t, "mean", must[ndarray.Array[float64]](t)(Mean(t.Context(), a, &c.o)), func(items []int) float64 {
		sum := 0.0
		for _, i := range items {
			sum += values[i]
		}
		return sum / float64(len(items))
	})
}
