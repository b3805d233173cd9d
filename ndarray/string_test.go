package ndarray

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestStringOfArraysAndViews prints arrays and views.
func TestStringOfArraysAndViews(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.b2nd")
	a, err := Create[float32](path, Shape{1000, 2000}, &Options{ChunkShape: Shape{100, 2000}})
	check(t, err)
	m, err := New[int16](Shape{3}, &Options{ChunkShape: Shape{2}})
	check(t, err)
	for _, c := range []struct {
		handle any
		want   string
	}{
		{a, path + ": <f4 [1000 2000], chunks [100 2000], zstd"},
		{a.Untyped, path + ": <f4 [1000 2000], chunks [100 2000], zstd"},
		{m, "memory: <i2 [3], chunks [2], zstd"},
		{a.View().Transpose(), "view: <f4 [2000 1000]"},
		{a.Slice(Index(9), Index(3)), "view: <f4 []"},
		{View[int8]{}, "ndarray: view of nothing"},
	} {
		if got := fmt.Sprint(c.handle); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := fmt.Sprint(a.Slice(Index(1000))); !strings.Contains(got, "1000") {
		t.Errorf("a broken view is %q", got)
	}
	check(t, a.Close())
	if got := fmt.Sprint(a); !strings.Contains(got, "[1000 2000]") {
		t.Errorf("a closed array is %q", got)
	}
	_ = fmt.Sprint(Array[int8]{})
}

// TestErrorsCountItemsAndNameTheArray calls with slices of the wrong length, and with coordinates
// out of range.
func TestErrorsCountItemsAndNameTheArray(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "a.b2nd")
	a, err := Create[float32](path, Shape{4, 5}, nil)
	check(t, err)
	few := make([]float32, 7)
	_, selected := a.Read(ctx, Index(9))
	_, masked := a.ReadWhere(ctx, Items(make([]bool, 20), Shape{20}))
	for call, err := range map[string]error{
		"read: 7 items in memory, 20":     a.ReadInto(ctx, few),
		"read: 7 items in memory, 6":      a.ReadBox(ctx, few, []int64{0, 0}, []int64{2, 3}),
		"read: 29 bytes in memory for 20": a.Untyped.ReadInto(ctx, make([]byte, 29)),
		"write: 7 items in memory, 20":    a.Write(ctx, few),
		"write: 7 items in memory, 8":     a.Write(ctx, few, All.Step(2), Range(0, 4)),
		"write: 7 items in memory, 4":     a.WriteBox(ctx, few, []int64{1, 1}, []int64{3, 3}),
		"read: 7 items in memory, 5":      a.View().ReadInto(ctx, few, Index(1)),
		"write: 7 items in memory, 5":     a.Slice(Index(1)).Write(ctx, few),
		"read: dimension 0: index 9":      selected,
		"mask of shape [20]":              masked,
		"read of points":                  a.ReadPoints(ctx, few[:1], []int64{4, 0}),
		"write of points":                 a.WritePoints(ctx, few[:1], []int64{4, 0}),
		"write: 7 items in memory, 0":     a.WriteWhere(ctx, few, Items(make([]bool, 20), Shape{4, 5})),
		"fill: dimension 0":               a.Fill(ctx, 3, Index(4)),
	} {
		want := path + ": " + call
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s…", err, want)
		}
	}
	want := "append: " + path + ": 7 items, one more along axis 0 takes 5"
	if err := a.Append(ctx, 0, few); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
	check(t, a.Abort())
}
