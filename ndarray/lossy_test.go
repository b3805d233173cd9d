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

// lossItems are items to round: a smooth field with a NaN and a missing value.
func lossItems() []float32 {
	items := make([]float32, 70*90)
	for i := range items {
		items[i] = float32(280 + 10*math.Sin(float64(i)/40) + float64(i%7)/1000)
	}
	items[33] = float32(math.NaN())
	items[4000] = -9999
	return items
}

// checkLoss compares an array with the items that were rounded to it, within 0.01.
func checkLoss(t *testing.T, what string, u *ndarray.Untyped, said ndarray.LossErrors) {
	t.Helper()
	const most = 0.01
	a, err := ndarray.As[float32](u)
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	largest := 0.0
	changed := 0
	for i, v := range lossItems() {
		if v != v {
			if got[i] == got[i] {
				t.Errorf("%s: NaN became %g", what, got[i])
			}
			continue
		}
		if got[i] != v {
			changed++
		}
		largest = max(largest, math.Abs(float64(got[i])-float64(v)))
	}
	if largest > most || changed < len(got)/2 || largest != said.Absolute || said.Relative <= 0 || got[4000] != -9999 {
		t.Errorf("%s: an error of %g, said to be %+v; %d items changed, missing %g", what, largest, said, changed, got[4000])
	}
	l, err := u.Labels()
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := l.Attributes.Get("quantization_maximum_absolute_error"); v != most {
		t.Errorf("%s: attributes %v", what, l.Attributes)
	}
}

// TestLoss writes items to arrays that round, in each way that makes chunks, and reads them again.
func TestLoss(t *testing.T) {
	ctx := t.Context()
	shape := ndarray.Shape{70, 90}
	labels := ndarray.Labels{Attributes: meta.Map{{Key: "missing_value", Value: -9999.0}}}
	o := ndarray.Options{ChunkShape: ndarray.Shape{40, 32}, BlockShape: ndarray.Shape{10, 16}}
	exact, err := ndarray.New[float32](shape, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer exact.Close()
	if err := errors.Join(exact.SetLabels(labels), exact.Write(ctx, lossItems())); err != nil {
		t.Fatal(err)
	}

	for _, behind := range []int64{0, 1} {
		said := &ndarray.LossErrors{}
		o := o
		o.Loss = ndarray.Loss{MaxError: 0.01, Largest: said}
		o.WriteBehind = behind
		a, err := ndarray.New[float32](shape, &o)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if err := a.SetAttribute("missing_value", -9999.0); err != nil {
			t.Fatal(err)
		}
		for row := range shape[0] { // each changes a part of some blocks
			from := row * shape[1]
			err := a.Write(ctx, lossItems()[from:from+shape[1]], ndarray.Index(row))
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := a.Snapshot(ctx); err != nil { // which flushes
			t.Fatal(err)
		}
		checkLoss(t, "rows", a.Untyped, *said)
	}

	sliced := ndarray.ViewOf(exact.Untyped).Slice(ndarray.Range(0, 70)).Transpose().Transpose()
	for what, c := range map[string]struct {
		of ndarray.Source
		o  ndarray.CopyOptions
	}{
		"the same chunks": {exact.Untyped, ndarray.CopyOptions{}},
		"other chunks":    {exact.Untyped, ndarray.CopyOptions{ChunkShape: ndarray.Shape{30, 90}, Codec: codecs.LZ4}},
		"a source":        {struct{ ndarray.Labelled }{exact.Untyped}, ndarray.CopyOptions{}},
		"a part":          {sliced, ndarray.CopyOptions{}},
	} {
		said := &ndarray.LossErrors{}
		c.o.Loss = ndarray.Loss{MaxError: 0.01, Largest: said}
		made, err := ndarray.Copy(ctx, c.of, &c.o)
		if err != nil {
			t.Fatal(what, err)
		}
		defer made.Close()
		checkLoss(t, what, made, *said)
		if plain := exact.Info().CBytes; made.Info().CBytes > plain*9/10 && c.o.ChunkShape == nil {
			t.Errorf("%s: %d bytes, %d without loss", what, made.Info().CBytes, plain)
		}
	}
}

// TestLossRefused asks for losses that there cannot be.
func TestLossRefused(t *testing.T) {
	for what, c := range map[string]struct {
		dtype string
		o     ndarray.Options
		want  error
	}{
		"two bounds": {"<f4", ndarray.Options{Loss: ndarray.Loss{MaxError: 1, Digits: 3}}, cairn.ErrInvalid},
		"none":       {"<f4", ndarray.Options{Loss: ndarray.Loss{MaxError: -1}}, cairn.ErrInvalid},
		"NaN":        {"<f4", ndarray.Options{Loss: ndarray.Loss{MaxError: math.NaN()}}, cairn.ErrInvalid},
		"auto":       {"<f4", ndarray.Options{Loss: ndarray.Loss{KeepAuto: true}}, cairn.ErrInvalid},
		"a lossy codec": {"<f4", ndarray.Options{Codec: codecs.ZFPAccuracy(-3), Loss: ndarray.Loss{MaxError: 1}},
			cairn.ErrInvalid},
		"a lossy filter": {"<f4", ndarray.Options{Filters: []shuffle.Spec{shuffle.TruncPrec(9)},
			Loss: ndarray.Loss{MaxError: 1}}, cairn.ErrInvalid},
		"texts": {"<U4", ndarray.Options{Loss: ndarray.Loss{KeepBits: 3}}, cairn.ErrType},
	} {
		if _, err := ndarray.NewUntyped(c.dtype, ndarray.Shape{10, 10}, &c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}

	whole, err := ndarray.New[int32](ndarray.Shape{1000}, &ndarray.Options{Loss: ndarray.Loss{MaxError: 1}, WriteBehind: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if err := whole.Write(t.Context(), make([]int32, 1000)); !errors.Is(err, cairn.ErrType) {
		t.Errorf("integers that are not packed: %v", err)
	}
}
