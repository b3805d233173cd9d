package described

import (
	"context"
	"math"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A huge source has a shape and no items.
type huge struct {
	shape ndarray.Shape
	dtype meta.DType
}

func (h huge) Shape() ndarray.Shape                                      { return h.shape }
func (h huge) DType() meta.DType                                         { return h.dtype }
func (h huge) Grid() (chunks, blocks ndarray.Shape)                      { return h.shape, h.shape }
func (h huge) ReadBytes(context.Context, []byte, []int64, []int64) error { return nil }

// TestBytes multiplies extents of files that may claim any.
func TestBytes(t *testing.T) {
	dtype, err := meta.ParseDType("<f8")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shape ndarray.Shape
		want  int64
	}{
		{nil, 8}, {ndarray.Shape{3, 4}, 96}, {ndarray.Shape{1 << 40, 1 << 40}, math.MaxInt64},
		{ndarray.Shape{1 << 40, 1 << 40, 0}, 0}, {ndarray.Shape{1 << 60}, math.MaxInt64},
	} {
		if got := Of(t.Context(), huge{c.shape, dtype}).NBytes; got != c.want {
			t.Errorf("%v: %d bytes, want %d", c.shape, got, c.want)
		}
	}
}

// TestRatio: what is not stored has none.
func TestRatio(t *testing.T) {
	if Ratio(100, 0) != 0 || Ratio(100, 40) != 2.5 {
		t.Error(Ratio(100, 0), Ratio(100, 40))
	}
}
