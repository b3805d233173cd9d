package ndarray_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
)

// TestDict writes an array in small blocks with dictionaries, changes a box, and reads boxes.
func TestDict(t *testing.T) {
	ctx := context.Background()
	for _, codec := range []codecs.Codec{codecs.Zstd, codecs.LZ4, codecs.LZ4HC} {
		a, err := ndarray.New[int32](ndarray.Shape{300, 200}, &ndarray.Options{
			ChunkShape: ndarray.Shape{150, 200}, BlockShape: ndarray.Shape{5, 40}, Codec: codec, Dict: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		values := make([]int32, 300*200)
		for i := range values {
			values[i] = int32(i * i % 777)
		}
		if err := a.Write(ctx, values); err != nil {
			t.Fatal(err)
		}
		if err := a.Write(ctx, []int32{-1, -2}, ndarray.Range(160, 161), ndarray.Range(7, 9)); err != nil {
			t.Fatal(err)
		}
		values[160*200+7], values[160*200+8] = -1, -2
		got, err := a.Read(ctx, ndarray.Index(160), ndarray.Range(0, 50))
		if err != nil || !slices.Equal(got, values[160*200:][:50]) {
			t.Errorf("%v: a box: %v, or other values", codec, err)
		}
		if got, err = a.Read(ctx); err != nil || !slices.Equal(got, values) {
			t.Errorf("%v: all of it: %v, or other values", codec, err)
		}
	}
}
