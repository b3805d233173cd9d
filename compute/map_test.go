package compute

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// TestMaps combines arrays with different chunk shapes item by item. The result must not depend on
// the workers.
func TestMaps(t *testing.T) {
	ctx, shape := t.Context(), ndarray.Shape{61, 47}
	x := must[ndarray.Array[int32]](t)(ndarray.Arange(ctx, "", int32(0), 61*47, 1, shape, &ndarray.Options{ChunkShape: ndarray.Shape{10, 47}}))
	y := must[ndarray.Array[float64]](t)(ndarray.Linspace[float64](ctx, "", 0, 1, shape, true, &ndarray.Options{ChunkShape: ndarray.Shape{61, 8}}))
	xs, ys := must[[]int32](t)(x.Read(ctx)), must[[]float64](t)(y.Read(ctx))
	want := make([]float32, len(xs))
	for i := range want {
		want[i] = float32(float64(xs[i]) * ys[i])
	}
	var first []byte
	for _, workers := range []int{1, 2, 8} {
		o := &ndarray.Options{ChunkShape: ndarray.Shape{20, 20}, Workers: workers}
		m := must[ndarray.Array[float32]](t)(Map2(ctx, "", x, y, func(dst []float32, x []int32, y []float64) {
			for i := range dst {
				dst[i] = float32(float64(x[i]) * y[i])
			}
		}, o))
		if got := must[[]float32](t)(m.Read(ctx)); !slices.Equal(got, want) {
			t.Fatalf("%d workers: items differ", workers)
		}
		raw := must[[]byte](t)(m.Bytes())
		if first != nil && !bytes.Equal(raw, first) {
			t.Fatalf("%d workers make another file", workers)
		}
		first = raw
	}
	twice := must[ndarray.Array[int64]](t)(Map(ctx, "", x, func(dst []int64, x []int32) {
		for i, v := range x {
			dst[i] = 2 * int64(v)
		}
	}, nil))
	got, _ := twice.Grid()
	if want, _ := x.Grid(); !slices.Equal(got, want) {
		t.Errorf("chunks %v, want %v", got, want)
	}
	if got := must[int64](t)(Value(Sum[int64](ctx, twice, nil))); got != 61*47*(61*47-1) {
		t.Errorf("sum %d", got)
	}
	back := must[ndarray.Array[int32]](t)(Map2(ctx, "", twice, x,
		func(dst []int32, twice []int64, x []int32) {
			for i := range dst {
				dst[i] = int32(twice[i]) - x[i]
			}
		}, nil))
	if got := must[[]int32](t)(back.Read(ctx)); !slices.Equal(got, xs) {
		t.Error("2x−x is not x")
	}
}

func TestMapsThatFail(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "a.b2nd")
	x := must[ndarray.Array[int8]](t)(ndarray.New[int8](ndarray.Shape{30}, &ndarray.Options{ChunkShape: ndarray.Shape{3}}))
	y := must[ndarray.Array[int8]](t)(ndarray.New[int8](ndarray.Shape{31}, nil))
	nothing := func([]int8, []int8, []int8) {}
	if _, err := Map2(ctx, path, x, y, nothing, nil); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("of different shapes: %v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	calls := 0
	_, err := Map(ctx, path, x, func(dst, x []int8) {
		if calls++; calls == 2 {
			cancel()
		}
	}, &ndarray.Options{ChunkShape: ndarray.Shape{3}, Workers: 1})
	if !errors.Is(err, context.Canceled) || calls > 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a file is left: %v", err)
	}
}
