package golden_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
)

func TestGoldenArrays(t *testing.T) {
	for _, c := range cases(t, golden.B2ND) {
		t.Run(c.Name, func(t *testing.T) {
			u, err := ndarray.Open(c.Path(), &ndarray.OpenOptions{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			defer u.Close()
			checkFrameFacts(t, c, u.Frame())
			checkArrayFacts(t, c, u)
			whole, err := u.Read(context.Background())
			checkDecoded(t, c, whole, err)
			if !missing(c) {
				checkBoxes(t, c.Shape, u, whole)
			}
		})
	}
}

func checkArrayFacts(t *testing.T, c *golden.Case, u *ndarray.Untyped) {
	t.Helper()
	widen := func(v []int32) []int64 {
		out := []int64{}
		for _, n := range v {
			out = append(out, int64(n))
		}
		return out
	}
	chunks, blocks := u.Grid()
	if !slices.Equal(u.Shape(), ndarray.Shape(c.Shape)) || !slices.Equal(chunks, widen(c.ChunkShape)) ||
		!slices.Equal(blocks, widen(c.BlockShape)) {
		t.Errorf("shape %v, chunks %v, blocks %v; want %v, %v, %v", u.Shape(), chunks, blocks,
			c.Shape, c.ChunkShape, c.BlockShape)
	}
	if u.DType().String() != c.DType {
		t.Errorf("dtype %s, want %s", u.DType().String(), c.DType)
	}
	if d := u.DType(); d.Size() != c.TypeSize || (d.Kind() == 0) != c.OddDType {
		t.Errorf("dtype %s has %d bytes, items have %d", c.DType, d.Size(), c.TypeSize)
	}
}
