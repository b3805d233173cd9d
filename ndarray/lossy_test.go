package ndarray_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// ocean returns a smooth field with missing values and NaN. One number is close to zero.
func ocean() []float32 {
	values := make([]float32, 64*64)
	for i := range values {
		values[i] = float32(280 + 9*math.Sin(float64(i%64)/7))
	}
	for i := 100; i < len(values); i += 97 {
		values[i] = 1e20
	}
	values[7] = float32(math.NaN())
	return values
}

func isMissing(v float32) bool { return v == 1e20 || v != v }

// TestLossyKeepsMissing writes, copies, recodes and changes arrays whose labels declare a missing
// value.
func TestLossyKeepsMissing(t *testing.T) {
	ctx := context.Background()
	values := ocean()
	shape, blocks := ndarray.Shape{64, 64}, ndarray.Shape{16, 16}
	labels := ndarray.Labels{Attributes: meta.Map{{Key: "_FillValue", Value: float32(1e20)}}}
	plain, err := ndarray.New[float32](shape, &ndarray.Options{ChunkShape: shape, BlockShape: blocks})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if err = plain.SetLabels(labels); err == nil {
		err = plain.Write(ctx, values)
	}
	if err != nil {
		t.Fatal(err)
	}

	for name, o := range map[string]ndarray.Options{
		"zfp_acc":    {Codec: codecs.ZFPAccuracy(-2)},
		"zfp_rate":   {Codec: codecs.ZFPRate(50)},
		"trunc_prec": {Filters: []shuffle.Spec{shuffle.TruncPrec(8), shuffle.Byte}},
		"ndmean":     {Filters: []shuffle.Spec{shuffle.NDMean(4), shuffle.Byte}},
	} {
		check := func(how string, a ndarray.Array[float32]) {
			t.Helper()
			sameOcean(t, name+", "+how, a, values)
		}
		o.ChunkShape, o.BlockShape = shape, blocks
		a, err := ndarray.New[float32](shape, &o)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if err = a.SetLabels(labels); err == nil {
			err = a.Write(ctx, values)
		}
		if err != nil {
			t.Fatal(err)
		}
		check("written", a)

		if err := a.WriteBox(ctx, values[64*10:64*12], []int64{10, 0}, []int64{12, 64}); err != nil {
			t.Fatal(err)
		}
		if err := a.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		check("changed", a)

		for how, co := range map[string]ndarray.CopyOptions{
			"recoded": {}, "recut": {ChunkShape: ndarray.Shape{32, 64}, BlockShape: blocks},
		} {
			co.Codec, co.Filters = o.Codec, o.Filters
			made, err := ndarray.Copy(ctx, plain, &co)
			if err != nil {
				t.Fatal(err)
			}
			defer made.Close()
			b, err := ndarray.As[float32](made)
			if err != nil {
				t.Fatal(err)
			}
			check(how, b)
		}
	}
}

// sameOcean fails if an array has other missing items, or numbers that are far off.
func sameOcean(t *testing.T, name string, a ndarray.Array[float32], values []float32) {
	t.Helper()
	got, err := a.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if isMissing(v) != isMissing(values[i]) || !isMissing(v) && math.Abs(float64(v-values[i])) > 10 {
			t.Fatalf("%s: item %d is %v, was %v", name, i, v, values[i])
		}
	}
}

// TestLossyRefusesDTypes asks for codecs and filters that would destroy the items.
func TestLossyRefusesDTypes(t *testing.T) {
	zfp := ndarray.Options{Codec: codecs.ZFPAccuracy(-3)}
	trunc := ndarray.Options{Filters: []shuffle.Spec{shuffle.TruncPrec(4)}}
	mean := ndarray.Options{Filters: []shuffle.Spec{shuffle.NDMean(4)}}
	whole := ndarray.Options{Filters: []shuffle.Spec{shuffle.IntTrunc(4)}}
	for _, c := range []struct {
		name    string
		options ndarray.Options
		dtypes  []string
		refused bool
	}{
		{"zfp_acc", zfp, []string{"<i4", "<u8", ">f4", ">f8", "<c8", "<M8[s]", "S4", "|b1", "<f2"}, true},
		{"zfp_acc", zfp, []string{"<f4", "<f8"}, false},
		{"trunc_prec", trunc, []string{"<i4", "<u8", ">f4", ">f8", "<c8", "<m8[s]", "S8"}, true},
		{"trunc_prec", trunc, []string{"<f4", "<f8"}, false},
		{"ndmean", mean, []string{"<i4", "<u8", ">f4", ">f8", "<c8", "<M8[s]", "S8"}, true},
		{"ndmean", mean, []string{"<f4", "<f8"}, false},
		{"int_trunc", whole, []string{"<f4", "<f8", "<f2", ">i4", ">u2", "<c8", "|b1", "S4", "<U1"}, true},
		{"int_trunc", whole, []string{"|i1", "|u1", "<i2", "<u4", "<i8", "<M8[s]", "<m8[us]"}, false},
	} {
		for _, dtype := range c.dtypes {
			a, err := ndarray.NewUntyped(dtype, ndarray.Shape{64, 64}, &c.options)
			if err == nil {
				a.Close()
			}
			if c.refused != errors.Is(err, cairn.ErrType) && c.refused != errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s for %s: %v", c.name, dtype, err)
			}
		}
	}
}

// TestIntTruncKeepsNaT truncates dates, of which some are none, and integers with a missing value.
func TestIntTruncKeepsNaT(t *testing.T) {
	for _, fill := range []int64{-999, 1<<53 + 1} {
		intTruncKeeps(t, fill)
	}
}

func intTruncKeeps(t *testing.T, fill int64) {
	ctx := context.Background()
	for _, dtype := range []string{"<M8[s]", "<i8"} {
		a, err := ndarray.NewUntyped(dtype, ndarray.Shape{64}, &ndarray.Options{
			Filters: []shuffle.Spec{shuffle.IntTrunc(-10), shuffle.Byte}, Level: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if err := a.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "missing_value", Value: fill}}}); err != nil {
			t.Fatal(err)
		}
		items := make([]byte, 0, 64*8)
		for i := range int64(64) {
			v := []int64{5000 + i, fill, math.MinInt64 + i}[i%3]
			for shift := 0; shift < 64; shift += 8 {
				items = append(items, byte(v>>shift))
			}
		}
		if err := a.Write(ctx, items); err != nil {
			t.Fatal(err)
		}
		back, err := a.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 64 {
			was, is := itemAt(items, i), itemAt(back, i)
			want := was &^ 1023
			if dtype == "<i8" && was == fill || dtype == "<M8[s]" && was < 0 && was != fill {
				want = was // NaT, and what would become NaT
			}
			if is != want {
				t.Errorf("%s: %d became %d, want %d", dtype, was, is, want)
			}
		}
	}
}

func itemAt(items []byte, i int) (v int64) {
	for k := 7; k >= 0; k-- {
		v = v<<8 | int64(items[8*i+k])
	}
	return v
}
