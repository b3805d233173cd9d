package ndarray_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// TestZFP writes arrays on disk with codecs for numbers, reads them whole, in boxes and item by
// item, and writes boxes, with several workers.
func TestZFP(t *testing.T) {
	const tolerance = 1e-3
	ctx := context.Background()
	shape := ndarray.Shape{37, 50, 21}
	values := make([]float64, 37*50*21)
	for i := range values {
		values[i] = math.Sin(float64(i/1050)/5) * math.Cos(float64(i%1050/21)/7) * float64(i%21)
	}
	for _, codec := range []codecs.Codec{codecs.ZFPAccuracy(-3), codecs.ZFPPrecision(15), codecs.ZFPRate(40)} {
		path := filepath.Join(t.TempDir(), "a.b2nd")
		a, err := ndarray.Create[float64](path, shape, &ndarray.Options{
			ChunkShape: ndarray.Shape{20, 30, 21}, BlockShape: ndarray.Shape{10, 15, 9}, Codec: codec, Workers: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Write(ctx, values); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if a, err = ndarray.OpenAs[float64](path, &ndarray.OpenOptions{Mode: frame.ReadWrite, Workers: 2}); err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		whole, err := a.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range whole {
			if math.Abs(v-values[i]) > tolerance {
				t.Fatalf("%v: item %d is %g, was %g", codec, i, v, values[i])
			}
		}
		if view := a.Untyped.Frame(); view.CBytes() >= view.NBytes()*3/4 {
			t.Errorf("%v: %d bytes take %d", codec, view.NBytes(), view.CBytes())
		}
		checkParts(t, a, whole)
	}
}

// checkParts compares boxes and items of an array with a read of the whole array, also after a box
// was written.
func checkParts(t *testing.T, a ndarray.Array[float64], whole []float64) {
	t.Helper()
	ctx := context.Background()
	start, stop := ndarray.Shape{3, 7, 5}, ndarray.Shape{31, 33, 6}
	read := func() []float64 {
		box := make([]float64, 28*26)
		if err := a.ReadBox(ctx, box, start, stop); err != nil {
			t.Fatal(err)
		}
		return box
	}
	for i, v := range read() {
		if at := (3+i/26)*1050 + (7+i%26)*21 + 5; v != whole[at] {
			t.Fatalf("item %d of a box is %g, of the whole %g", i, v, whole[at])
		}
	}
	for _, at := range []int{0, 1, 1049, 20_000, len(whole) - 1} {
		if v, err := a.At(int64(at/1050), int64(at%1050/21), int64(at%21)); err != nil || v != whole[at] {
			t.Errorf("item %d is %g, of the whole %g (%v)", at, v, whole[at], err)
		}
	}
	box := make([]float64, 28*26)
	for i := range box {
		box[i] = 3 + float64(i)/100
	}
	if err := a.WriteBox(ctx, box, start, stop); err != nil {
		t.Fatal(err)
	}
	for i, v := range read() {
		if math.Abs(v-box[i]) > 0.1 {
			t.Fatalf("item %d of a written box is %g, was %g", i, v, box[i])
		}
	}
}

// TestZFPRefuses uses codecs for numbers on items that are not numbers, and on unsuitable shapes.
func TestZFPRefuses(t *testing.T) {
	options := func(blocks ...int64) *ndarray.Options {
		return &ndarray.Options{Codec: codecs.ZFPRate(50), ChunkShape: blocks, BlockShape: blocks}
	}
	filtered := options(8, 8)
	filtered.Filters = []shuffle.Spec{shuffle.Byte}
	for name, c := range map[string]struct {
		dtype string
		shape ndarray.Shape
		o     *ndarray.Options
		want  error
	}{
		"integers":   {"<i4", ndarray.Shape{8, 8}, options(8, 8), cairn.ErrType},
		"big-endian": {">f4", ndarray.Shape{8, 8}, options(8, 8), cairn.ErrType},
		"float16":    {"<f2", ndarray.Shape{8, 8}, options(8, 8), cairn.ErrUnsupported},
		"5 axes":     {"<f4", ndarray.Shape{4, 4, 4, 4, 4}, options(4, 4, 4, 4, 4), cairn.ErrUnsupported},
		"3 rows":     {"<f4", ndarray.Shape{3, 8}, options(3, 8), cairn.ErrUnsupported},
		"shuffled":   {"<f4", ndarray.Shape{8, 8}, filtered, nil},
	} {
		u, err := ndarray.NewUntyped(c.dtype, c.shape, c.o)
		if err == nil {
			u.Abort()
			t.Errorf("%s: accepted", name)
		} else if c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := frame.New(&frame.Options{Codec: codecs.ZFPRate(50), TypeSize: 4}); !errors.Is(err,
		cairn.ErrUnsupported) {
		t.Errorf("a frame without a shape: %v", err)
	}
	if _, err := chunk.NewEncoder(&chunk.Options{Codec: codecs.ZFPRate(50), TypeSize: 4}); !errors.Is(err,
		cairn.ErrUnsupported) {
		t.Errorf("a chunk without a shape: %v", err)
	}
}
