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

// drawGroups divides axes of a shape at random: into runs, into groups that come again, or into
// some that leave indexes out or have none.
func drawGroups(rnd *rand.Rand, shape ndarray.Shape, reduced []int) []Groups {
	var all []Groups
	for axis, extent := range shape {
		if slices.Contains(reduced, axis) || rnd.IntN(3) == 0 && len(all) > 0 {
			continue
		}

		g := Groups{Axis: axis, Of: make([]int, extent), Count: 1 + rnd.IntN(int(extent))}
		switch rnd.IntN(4) {
		case 0:
			g = Every(1+rnd.Int64N(extent), extent, axis-len(shape))
		case 1:
			for i := range g.Of {
				g.Of[i] = i % g.Count
			}
		case 2:
			for i := range g.Of {
				g.Of[i] = i * g.Count / int(extent)
			}
		default:
			for i := range g.Of {
				g.Of[i] = rnd.IntN(g.Count+2) - 2
			}
		}
		all = append(all, g)
	}
	return all
}

// members returns the items of each result in C order over the results, by their definition.
func members(values []float64, shape ndarray.Shape, o *Options) (results ndarray.Shape, all [][]float64) {
	groups := make([]*Groups, len(shape))
	for i := range o.Groups {
		axis := o.Groups[i].Axis
		if axis < 0 {
			axis += len(shape)
		}
		groups[axis] = &o.Groups[i]
	}
	extents := slices.Clone(shape)
	results = ndarray.Shape{}
	for i := range shape {
		if groups[i] != nil {
			extents[i] = int64(groups[i].Count)
		}
		if slices.Contains(o.Axes, i) {
			extents[i] = 1
			continue
		}
		results = append(results, extents[i])
	}

	all = make([][]float64, itemsOf(extents))
	at := make([]int64, len(shape))
	for _, v := range values {
		to := int64(0)
		for i, x := range at {
			switch {
			case groups[i] != nil && to >= 0:
				x = int64(groups[i].Of[x])
			case slices.Contains(o.Axes, i):
				x = 0
			}
			if to < 0 || x < 0 {
				to = -1
				continue
			}
			to = to*extents[i] + x
		}
		if to >= 0 {
			all[to] = append(all[to], v)
		}
		advance(at, make([]int64, len(shape)), shape)
	}
	return results, all
}

func TestGroupsHaveTheResultsOfTheirItems(t *testing.T) {
	ctx := t.Context()
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		a, values := random(t, rnd, 1+rnd.IntN(3))
		if len(a.Shape()) == 0 {
			continue
		}
		o := &Options{Array: &ndarray.Options{Level: levelStored}}
		for axis := range a.Shape() {
			if rnd.IntN(3) == 0 {
				o.Axes = append(o.Axes, axis)
			}
		}
		o.Groups = drawGroups(rnd, a.Shape(), o.Axes)
		if len(o.Groups) == 0 {
			continue
		}

		shape, want := members(values, a.Shape(), o)
		name := fmt.Sprintf("seed %d, %v in chunks of %v over %v in %d groups", seed, a.Shape(), chunksOf(a), o.Axes, len(o.Groups))
		check := func(what string, got ndarray.Array[float64], err error, of func([]float64) float64, exact float64) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %s: %v", name, what, err)
			}
			if !slices.Equal(got.Shape(), shape) {
				t.Fatalf("%s: %s has shape %v, want %v", name, what, got.Shape(), shape)
			}
			for i, v := range must[[]float64](t)(got.Read(ctx)) {
				w := of(want[i])
				scale := math.Abs(w)
				for _, item := range want[i] {
					scale = max(scale, math.Abs(item))
				}
				if v != w && !(math.Abs(v-w) <= exact*scale) && !(v != v && w != w) {
					t.Fatalf("%s: %s %d of %v is %v, want %v", name, what, i, len(want), v, w)
				}
			}
		}

		got, err := Sum[float64](ctx, a, o)
		check("sum", got, err, sumOf, 1e-9)
		got, err = Mean(ctx, a, o)
		check("mean", got, err, func(v []float64) float64 { return sumOf(v) / float64(len(v)) }, 1e-9)
		got, err = Max[float64](ctx, a, o)
		check("max", got, err, func(v []float64) float64 {
			if len(v) == 0 {
				return math.NaN()
			}
			return slices.Max(v)
		}, 0)
		got, err = Std(ctx, a, o)
		check("std", got, err, stdOf, 1e-6)
		got, err = Quantile(ctx, a, 0.5, o)
		check("median", got, err, medianOf, 0)

		n, err := CountNonZero(ctx, a, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, n := range must[[]int64](t)(n.Read(ctx)) {
			if w := nonZero(want[i]); n != w {
				t.Fatalf("%s: count %d is %d, want %d", name, i, n, w)
			}
		}
	}
}

func chunksOf(src ndarray.Source) ndarray.Shape {
	chunks, _ := src.Grid()
	return chunks
}

func sumOf(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

func stdOf(values []float64) float64 {
	n := float64(len(values))
	mean := sumOf(values) / n
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / n)
}

func medianOf(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	values = slices.Sorted(slices.Values(values))
	return between(values[(len(values)-1)/2], values[len(values)/2], float64((len(values)+1)%2)/2)
}

// Groups of which a tile has no room for all are divided among tiles, with the same results.
func TestGroupsOfManyTiles(t *testing.T) {
	const steps, rows, columns = 7, 300, 1000
	values := make([]float32, steps*rows*columns)
	for i := range values {
		values[i] = float32(i % 1009)
	}
	a := must[ndarray.Array[float32]](t)(ndarray.FromSlice(values, ndarray.Shape{steps, rows, columns},
		&ndarray.Options{ChunkShape: ndarray.Shape{3, rows, columns}}))
	o := &Options{Groups: []Groups{{Axis: 0, Of: []int{2, 0, 0, -1, 4, 2, 0}, Count: 5}}}

	got := must[ndarray.Array[float32]](t)(Max[float32](t.Context(), a, o))
	items := must[[]float32](t)(got.Read(t.Context()))
	for i := range rows * columns {
		at := func(step int) float32 { return values[step*rows*columns+i] }
		for group, want := range []float32{max(at(1), at(2), at(6)), float32(math.NaN()), max(at(0), at(5)),
			float32(math.NaN()), at(4)} {
			if v := items[group*rows*columns+i]; v != want && want == want || want != want && v == v {
				t.Fatalf("item %d of group %d is %v, want %v", i, group, v, want)
			}
		}
	}
}

func TestGroupsMustSuitTheAxes(t *testing.T) {
	a := must[ndarray.Array[int32]](t)(ndarray.New[int32](ndarray.Shape{4, 6}, nil))
	for _, c := range []struct {
		name string
		o    Options
		kind error
	}{
		{"no such axis", Options{Groups: []Groups{Every(2, 4, 2)}}, cairn.ErrBounds},
		{"an axis twice", Options{Groups: []Groups{Every(2, 4, 0), Every(2, 4, -2)}}, cairn.ErrInvalid},
		{"an axis that is reduced", Options{Axes: []int{0}, Groups: []Groups{Every(2, 4, 0)}}, cairn.ErrInvalid},
		{"another extent", Options{Groups: []Groups{Every(2, 4, 1)}}, cairn.ErrBounds},
		{"no such group", Options{Groups: []Groups{{Of: []int{0, 1, 2, 0}, Count: 2}}}, cairn.ErrBounds},
		{"too many groups", Options{Groups: []Groups{{Of: make([]int, 4), Count: maxGroups + 1}}}, cairn.ErrLimit},
		{"a negative number of groups", Options{Groups: []Groups{{Of: make([]int, 4), Count: -1}}}, cairn.ErrInvalid},
	} {
		for what, reduce := range map[string]func(context.Context, ndarray.Source, *Options) error{
			"mean": func(ctx context.Context, src ndarray.Source, o *Options) error {
				_, err := Mean(ctx, src, o)
				return err
			},
			"median": func(ctx context.Context, src ndarray.Source, o *Options) error {
				_, err := Quantile(ctx, src, 0.5, o)
				return err
			},
		} {
			if err := reduce(t.Context(), a, &c.o); !errors.Is(err, c.kind) {
				t.Errorf("%s of %s: %v, want %v", what, c.name, err, c.kind)
			}
		}
	}

	if g := Every(0, 3, 0); g.Count != 3 {
		t.Errorf("groups of 0 indexes are %d", g.Count)
	}

	// Integers have no value for a group without items.
	o := &Options{Groups: []Groups{{Axis: 1, Of: []int{0, 0, 0, 2, 2, 2}, Count: 3}}}
	if _, err := Min[int32](t.Context(), a, o); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("least of a group without items: %v", err)
	}
}
