package regrid

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// rotated returns a grid whose poles are elsewhere, as regional models have it.
func rotated(t *testing.T, ny, nx int, width float64) *Grid {
	t.Helper()
	var lat, lon []float64
	for j := range ny {
		for i := range nx {
			y := (float64(j) - float64(ny-1)/2) * width / float64(nx)
			x := (float64(i) - float64(nx-1)/2) * width / float64(nx)
			v := vectorOf(y, x)
			sin, cos := sincos(40)
			v = vector{v.x*cos - v.z*sin, v.y, v.x*sin + v.z*cos}
			a, b := v.turned(math.Sin(-1), math.Cos(-1)).degrees()
			lat = append(lat, a)
			lon = append(lon, b)
		}
	}
	return must[*Grid](t)(newCells(lat, lon, nx, nil, nil))
}

// asCells returns a rectilinear grid as one of cells of great circles.
func asCells(t *testing.T, g *Grid) *Grid {
	t.Helper()
	var lat, lon, cornerLat, cornerLon []float64
	for i := range g.Cells() {
		a, b := g.centre(i)
		lat = append(lat, a)
		lon = append(lon, b)
		j, k := i/len(g.lon), i%len(g.lon)
		s, n := ordered(g.rows[2*j], g.rows[2*j+1])
		w, e := ordered(g.columns[2*k], g.columns[2*k+1])
		cornerLat = append(cornerLat, s, s, n, n)
		cornerLon = append(cornerLon, w, e, e, w)
	}
	return must[*Grid](t)(newCells(lat, lon, len(g.lon), cornerLat, cornerLon))
}

func grids(t *testing.T) map[string]*Grid {
	all := map[string]*Grid{"rotated": rotated(t, 12, 20, 50)}
	for _, name := range []string{"r36x18", "r7x5", "r4x2", "global_15", "n8", "healpix:4", "healpix:3", "healpix:8:nested", "healpix:1"} {
		all[name] = must[*Grid](t)(Named(name))
	}
	all["cells"] = asCells(t, all["global_15"])
	all["columns"] = must[*Grid](t)(newRectilinear([]float64{45, -45}, []float64{10, 40, 200}, nil,
		[]float64{-10, 20, 20, 100, 100, 350}))
	return all
}

// TestIntegralsAreKept compares integrals before and after, between grids that cover the globe.
func TestIntegralsAreKept(t *testing.T) {
	ctx := t.Context()
	all := grids(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for a, from := range all {
		values := make([]float64, from.Cells())
		before, size := 0.0, 0.0
		for i, area := range from.Areas() {
			values[i] = rnd.NormFloat64() + 3
			before += area * values[i]
			size += area * math.Abs(values[i])
		}
		for b, to := range all {
			if b == "rotated" {
				continue // which is smaller
			}
			w := must[*Weights](t)(New(ctx, from, to, Conservative, nil))
			src := ndarray.Items(values, from.Shape())
			axes := []int{0, 1}[:len(from.Shape())]
			out := must[ndarray.Labelled](t)(w.Of(src, axes, nil))
			got := must[[]float64](t)(must[ndarray.View[float64]](t)(ndarray.ViewAs[float64](out)).Read(ctx))

			after := 0.0
			for i, v := range got {
				if w.coverage(i) > 0 {
					after += w.area[i] * w.coverage(i) * v
				}
			}
			if !(math.Abs(after-before) <= 1e-12*size) {
				t.Errorf("%s to %s: %v, was %v: %.3g", a, b, after, before, (after-before)/size)
			}
			if a != "rotated" {
				for i := range w.covered {
					if math.Abs(w.covered[i]-1) > 1e-9 {
						t.Errorf("%s to %s: cell %d is covered by %v", a, b, i, w.covered[i])
						break
					}
				}
			}
		}
		if sum := sumOf(from.Areas()); a != "rotated" && math.Abs(sum-4*math.Pi) > 1e-11 {
			t.Errorf("%s: the cells have an area of %v, want %v", a, sum, 4*math.Pi)
		}
	}
}

func sumOf(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// TestConstantsStay brings a constant field, and one of a coordinate, to other grids.
func TestConstantsStay(t *testing.T) {
	all := grids(t)
	for a, from := range all {
		for b, to := range all {
			for _, m := range Methods() {
				w, err := New(t.Context(), from, to, m, nil)
				if errors.Is(err, cairn.ErrUnsupported) && from.kind == unstructured && m == Bilinear {
					continue
				}
				if err != nil {
					t.Fatalf("%s to %s, %s: %v", a, b, m, err)
				}
				for i := range to.Cells() {
					links := w.weight[w.start[i]:w.start[i+1]]
					if len(links) > 0 && math.Abs(sumOf(links)-1) > 1e-12 {
						t.Fatalf("%s to %s, %s: weights of %d sum to %v", a, b, m, i, sumOf(links))
					}
				}
				if m == Nearest && !w.complete() {
					t.Errorf("%s to %s: there are cells without a nearest one", a, b)
				}
				if m == Bilinear && from.kind == rectilinear && from.isCyclic() && a != "columns" && !w.complete() {
					t.Errorf("%s to %s: there are places between no rows", a, b)
				}
			}
		}
	}
}

// TestNearestIsNearest compares with a search through all cells.
func TestNearestIsNearest(t *testing.T) {
	all := grids(t)
	for a, from := range all {
		for b, to := range all {
			w := must[*Weights](t)(New(t.Context(), from, to, Nearest, nil))
			for i := range to.Cells() {
				at := vectorOf(to.centre(i))
				least := math.Inf(1)
				for k := range from.Cells() {
					least = min(least, at.distance2(vectorOf(from.centre(k))))
				}
				got := at.distance2(vectorOf(from.centre(int(w.column[i]))))
				if got > least+1e-15 {
					t.Fatalf("%s to %s: cell %d has one at %v, and another is at %v", a, b, i, got, least)
				}
			}
		}
	}
}

// TestBilinearFieldsStay interpolates what is linear in rows and columns.
func TestBilinearFieldsStay(t *testing.T) {
	from := must[*Grid](t)(newRectilinear(spaced(60, -2.5, 20), spaced(-20, 2, 30), nil, nil))
	to := must[*Grid](t)(newRectilinear(spaced(20, 1.7, 20), spaced(345, 1.3, 30), nil, nil))
	values := make([]float64, from.Cells())
	for i := range values {
		lat, lon := from.centre(i)
		values[i] = 3*lat - 2*lon + 0.1*lat*lon
	}
	for name, from := range map[string]*Grid{"rows": from, "cells": asCells(t, from)} {
		w := must[*Weights](t)(New(t.Context(), from, to, Bilinear, nil))
		out := must[ndarray.Labelled](t)(w.Of(ndarray.Items(values, from.Shape()), []int{0, 1}, nil))
		got := must[[]float64](t)(must[ndarray.View[float64]](t)(ndarray.ViewAs[float64](out)).Read(t.Context()))
		found := 0
		for i, v := range got {
			lat, lon := to.centre(i)
			lon -= 360
			inside := lat >= 12.5 && lat <= 60 && lon >= -20 && lon <= 38
			if inside != !math.IsNaN(v) {
				t.Fatalf("%s: %v at %v, %v", name, v, lat, lon)
			}
			if inside {
				found++
				if want := 3*lat - 2*lon + 0.1*lat*lon; math.Abs(v-want) > 1e-9 {
					t.Fatalf("%s: %v at %v, %v, want %v", name, v, lat, lon, want)
				}
			}
		}
		if found < 300 {
			t.Errorf("%s: only %d places are inside", name, found)
		}
	}
}

// TestMissingItemsAreLeftOut checks the rule, and its option.
func TestMissingItemsAreLeftOut(t *testing.T) {
	ctx := context.Background()
	from := must[*Grid](t)(Named("r8x4"))
	to := must[*Grid](t)(Named("r4x2"))
	values := make([]float32, 3*32)
	for i := range values {
		values[i] = float32(i)
		if i%32 < 12 {
			values[i] = float32(math.NaN())
		}
	}
	w := must[*Weights](t)(New(ctx, from, to, Conservative, nil))
	read := func(o *ApplyOptions) []float32 {
		out := must[ndarray.Labelled](t)(w.Of(ndarray.Items(values, ndarray.Shape{3, 4, 8}), []int{1, 2}, o))
		if !slices.Equal(out.Shape(), ndarray.Shape{3, 2, 4}) {
			t.Fatalf("shape %v", out.Shape())
		}
		return must[[]float32](t)(must[ndarray.View[float32]](t)(ndarray.ViewAs[float32](out)).Read(ctx))
	}

	any, most, all := read(nil), read(&ApplyOptions{Coverage: 0.6}), read(&ApplyOptions{Coverage: 1})
	counts := [3]int{}
	for field := range 3 {
		for cell := range 8 {
			sum, there := 0.0, 0.0
			for k := w.start[cell]; k < w.start[cell+1]; k++ {
				if v := values[field*32+int(w.column[k])]; v == v {
					sum += float64(v) * w.weight[k]
					there += w.weight[k]
				}
			}
			for i, got := range []float32{any[field*8+cell], most[field*8+cell], all[field*8+cell]} {
				least := []float64{1e-300, 0.6, 1 - 1e-9}[i]
				if there < least != (got != got) || got == got && math.Abs(float64(got)-sum/there) > 1e-4 {
					t.Errorf("cell %d: %v, want %v of %v", cell, got, sum/there, there)
				}
				if got == got {
					counts[i]++
				}
			}
		}
	}
	if counts[0] <= counts[1] || counts[1] <= counts[2] || counts[2] == 0 {
		t.Errorf("%v results", counts)
	}
}

// Weights, and what they make, are the same to the bit for any number of workers.
func TestWorkersDoNotChangeResults(t *testing.T) {
	all := grids(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, m := range Methods() {
		from, to := all["rotated"], all["n8"]
		values := make([]float64, 3*from.Cells())
		for i := range values {
			values[i] = rnd.NormFloat64()
		}
		shape := append(ndarray.Shape{3}, from.Shape()...)

		var weights, first []float64
		for _, workers := range []int{1, 2, 7} {
			w := must[*Weights](t)(New(t.Context(), from, to, m, &Options{Workers: workers}))
			if weights == nil {
				weights = w.weight
			}
			if !slices.Equal(w.weight, weights) {
				t.Errorf("%s: %d workers find other weights", m, workers)
			}

			out := must[ndarray.Labelled](t)(w.Of(ndarray.Items(values, shape), []int{1, 2}, nil))
			u := must[*ndarray.Untyped](t)(ndarray.Copy(t.Context(), out, &ndarray.CopyOptions{Workers: workers}))
			got := must[[]float64](t)(must[ndarray.View[float64]](t)(ndarray.ViewAs[float64](u)).Read(t.Context()))
			if first == nil {
				first = got
			}
			if !slices.EqualFunc(got, first, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
				t.Errorf("%s: %d workers have other results", m, workers)
			}
		}
	}
}
