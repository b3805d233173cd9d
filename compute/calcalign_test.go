package compute_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// TestAlignedNames calculates with arrays whose dimensions have names, in other orders and numbers.
func TestAlignedNames(t *testing.T) {
	named := func(shape ndarray.Shape, dims ...string) ndarray.Source {
		n := int64(1)
		for _, extent := range shape {
			n *= extent
		}
		items := make([]float64, n)
		for i := range items {
			items[i] = float64(i + 1)
		}
		a, err := ndarray.FromSlice(items, shape, nil)
		if err == nil {
			err = a.SetLabels(ndarray.Labels{Dims: dims})
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	sources := map[string]ndarray.Source{
		"t": named(ndarray.Shape{2, 3}, "time", "lat"), "lat": named(ndarray.Shape{3}, "lat"),
		"time": named(ndarray.Shape{2}, "time"), "back": named(ndarray.Shape{3, 2}, "lat", "time"),
		"plain": named(ndarray.Shape{3}),
	}
	for text, want := range map[string]string{
		"t*lat":                        "[2 3] [time lat] [1 4 9 4 10 18]",
		"t*time":                       "[2 3] [time lat] [1 2 3 8 10 12]",
		"t*(time+0)":                   "[2 3] [time lat] [1 2 3 8 10 12]",
		"t+back":                       "[2 3] [time lat] [2 5 8 6 9 12]",
		"back+t":                       "[3 2] [lat time] [2 6 5 9 8 12]",
		"lat*time":                     "[3 2] [lat time] [1 2 2 4 3 6]",
		"t-mean(t,axis=1)":             "[2 3] [time lat] [-1 0 1 -1 0 1]",
		"t-mean(t,axis=0)":             "[2 3] [time lat] [-1.5 -1.5 -1.5 1.5 1.5 1.5]",
		"t*plain":                      "[2 3] [time lat] [1 4 9 4 10 18]",
		"t*time[:,None]":               "[2 3] [time lat] [1 2 3 8 10 12]",
		"lat*t":                        "[2 3] [time lat] [1 4 9 4 10 18]",
		"where(lat>1,t,0)":             "[2 3] [time lat] [0 2 3 0 5 6]",
		"where(t>3,back,time)":         "[2 3] [time lat] [1 1 1 2 4 6]",
		"t - mean(back, axis=\"lat\")": "[2 3] [time lat] [-2 -1 0 0 1 2]",
	} {
		e, err := compute.Calc(context.Background(), text, sources, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		labels, err := e.Labels()
		if err != nil {
			t.Fatal(err)
		}
		u, err := ndarray.Copy(context.Background(), e, nil)
		if err != nil {
			t.Fatal(err)
		}
		items, err := readText[float64](context.Background(), u)
		if got := fmt.Sprintf("%v %v [%s]", e.Shape(), labels.Dims, items); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
}
