package compute

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A plainSource hides that a source is an array of Blosc2.
type plainSource struct{ ndarray.Source }

// dividedSources are arrays of several kinds under the name x.
func dividedSources(t testing.TB) map[string]ndarray.Source {
	t.Helper()
	all := map[string]ndarray.Source{}
	shape := ndarray.Shape{70, 33, 41}
	put := func(name, dtype string, item func(i int) any) *ndarray.Untyped {
		u, err := ndarray.NewUntyped(dtype, shape, &ndarray.Options{ChunkShape: ndarray.Shape{7, 16, 20},
			BlockShape: ndarray.Shape{3, 8, 10}})
		if err != nil {
			t.Fatal(err)
		}
		d, err := meta.ParseDType(dtype)
		if err != nil {
			t.Fatal(err)
		}
		raw := make([]byte, 0, itemsOf(shape)*int64(d.Size()))
		for i := range itemsOf(shape) {
			switch v := item(int(i)).(type) {
			case float32:
				raw = appendNumbers(raw, []float32{v})
			case float64:
				raw = appendNumbers(raw, []float64{v})
			case int16:
				raw = appendNumbers(raw, []int16{v})
			case uint64:
				raw = appendNumbers(raw, []uint64{v})
			case complex64:
				raw = appendNumbers(raw, []float32{real(v), imag(v)})
			}
		}
		if err := u.WriteBox(t.Context(), raw, make([]int64, 3), shape); err != nil {
			t.Fatal(err)
		}
		all[name] = u
		return u
	}
	r := rand.New(rand.NewPCG(1, 2))
	floats := put("floats", "<f4", func(i int) any {
		if i < 7*33*41*3 {
			return float32(0)
		}
		return float32(r.NormFloat64())
	})
	put("gaps", "<f8", func(i int) any {
		if i%37 == 0 {
			return math.NaN()
		}
		return r.ExpFloat64()
	})
	put("ints", "<i2", func(i int) any { return int16(r.IntN(1 << 16)) })
	put("wide", "<u8", func(i int) any { return r.Uint64() })
	put("complex", "<c8", func(i int) any { return complex(float32(i), r.Float32()) })
	all["plain"] = plainSource{floats}
	all["view"] = floats.View().Slice(ndarray.From(3), ndarray.All, ndarray.To(30))
	large, err := ndarray.NewUntyped("<f4", ndarray.Shape{2, 900000}, &ndarray.Options{
		ChunkShape: ndarray.Shape{1, 600000}, BlockShape: ndarray.Shape{1, 20000}})
	if err != nil {
		t.Fatal(err)
	}
	some := make([]float32, 800000)
	for i := range some {
		some[i] = r.Float32()
	}
	if err := large.WriteBox(t.Context(), appendNumbers(nil, some), []int64{0, 0}, []int64{1, 800000}); err != nil {
		t.Fatal(err)
	}
	all["large"] = large
	return all
}

// cut reduces all pieces in parts of random lengths.
func cut(ctx context.Context, d *Division, most int) ([][]byte, error) {
	var parts [][]byte
	for from := int64(0); from < d.Pieces(); {
		to := min(d.Pieces(), from+1+rand.Int64N(int64(most)))
		b, err := d.Reduce(ctx, from, to)
		if err != nil {
			return nil, err
		}
		parts, from = append(parts, b), to
	}
	return parts, nil
}

func partsOf(parts [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, b := range parts {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// TestDivisionsEqualCalc checks that results which are merged from pieces are those of CalcAll.
func TestDivisionsEqualCalc(t *testing.T) {
	for name, src := range dividedSources(t) {
		named := map[string]ndarray.Source{"x": src}
		for _, axis := range []string{"", ", axis=0", ", axis=(0, 1)", ", axis=-1", ", axis=(0, -1), keepdims=True"} {
			texts := []string{"mean", "nanstd", "sum", "min", "argmax", "nanmax", "any", "count", "prod", "var", "nanmean"}
			if name == "complex" {
				texts = []string{"sum", "any", "count"}
			}
			if axis != "" && (name == "large" || testing.Short() && axis != ", axis=(0, 1)") {
				continue
			}
			for i, op := range texts {
				texts[i] = op + "(x" + axis + ")"
			}
			if name != "complex" {
				texts = append(texts, "sqrt(mean(x**2"+axis+")) - min(-x"+axis+") + 1", "sum(x[:1]"+axis+")*2")
			}
			sameWhenDivided(t, name, texts, named)
		}
	}
}

func sameWhenDivided(t *testing.T, name string, texts []string, named map[string]ndarray.Source) {
	t.Helper()
	want, err := CalcAll(t.Context(), texts, named, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, most := range []int{1, 7, 1 << 30} {
		d, err := Divide(t.Context(), texts, named, &CalcOptions{Workers: 1 + rand.IntN(3)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		parts, err := cut(t.Context(), d, most)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := d.Merge(t.Context(), partsOf(parts))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, e := range got {
			if !slices.Equal(e.Shape(), want[i].Shape()) || e.DType().String() != want[i].DType().String() ||
				itemsText(t, e) != itemsText(t, want[i]) {
				t.Errorf("%s: %s in parts of up to %d pieces differs from that in one", name, texts[i], most)
			}
			if r := d.Results()[i]; !slices.Equal(r.Shape(), e.Shape()) || r.DType().String() != e.DType().String() {
				t.Errorf("%s: %s has shape %v before and %v behind", name, texts[i], r.Shape(), e.Shape())
			}
		}
	}
}

func itemsText(t *testing.T, e *Expression) string {
	t.Helper()
	raw, err := ndarray.ViewOf(e).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestIndivisible(t *testing.T) {
	named := map[string]ndarray.Source{"x": dividedSources(t)["floats"]}
	for _, text := range []string{"median(x)", "cumsum(x, axis=0)", "first(x, axis=0)", "x - mean(x)", "x + 1", "3",
		"mean((x - mean(x))**2)", "nanquantile(x, 0.5)", "x[0]"} {
		if _, err := Divide(t.Context(), []string{text}, named, nil); !errors.Is(err, ErrIndivisible) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Divide(t.Context(), []string{"mean(y)"}, named, nil); !errors.Is(err, ErrSyntax) {
		t.Error(err)
	}
}

// TestErrorsOfDivisions merges what cannot be merged.
func TestErrorsOfDivisions(t *testing.T) {
	all := dividedSources(t)
	named := map[string]ndarray.Source{"x": all["floats"]}
	divide := func(text string) *Division {
		d, err := Divide(t.Context(), []string{text}, named, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := divide("mean(x, axis=0)")
	parts, err := cut(t.Context(), d, 9)
	if err != nil {
		t.Fatal(err)
	}
	others, err := cut(t.Context(), divide("std(x, axis=0)"), 9)
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string][][]byte{
		"none": nil, "one too few": parts[1:], "the last is missing": parts[:len(parts)-1],
		"one too many": append(slices.Clone(parts), parts[0]), "others": others,
		"short": append([][]byte{parts[0][:50]}, parts[1:]...), "empty": {{}},
	} {
		if _, err := d.Merge(t.Context(), partsOf(bad)); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
	fails := errors.New("no more")
	_, err = d.Merge(t.Context(), func(yield func([]byte, error) bool) { yield(nil, fails) })
	if !errors.Is(err, fails) {
		t.Error(err)
	}
	if _, err := d.Reduce(t.Context(), 0, d.Pieces()+1); !errors.Is(err, cairn.ErrBounds) {
		t.Error(err)
	}
	none := divide("min(x[:0])")
	if _, err := none.Merge(t.Context(), partsOf(nil)); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("least of no items: %v", err)
	}
}

// FuzzMerge merges accumulators that were changed.
func FuzzMerge(f *testing.F) {
	values := make([]float32, 60)
	for i := range values {
		values[i] = float32(i)
	}
	a, err := ndarray.FromSlice(values, ndarray.Shape{12, 5}, &ndarray.Options{ChunkShape: ndarray.Shape{4, 5}})
	if err != nil {
		f.Fatal(err)
	}
	texts := []string{"nanmean(x, axis=0)", "std(x, axis=0)", "argmin(x, axis=0)", "sum(x)"}
	d, err := Divide(f.Context(), texts, map[string]ndarray.Source{"x": a}, nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, most := range []int{1, 100} {
		parts, err := cut(f.Context(), d, most)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(slices.Concat(parts...), uint16(len(parts[0])-1))
	}
	f.Fuzz(func(t *testing.T, b []byte, size uint16) {
		var parts [][]byte
		for len(b) > 0 {
			n := min(len(b), 1+int(size))
			parts, b = append(parts, b[:n]), b[n:]
		}
		results, err := d.Merge(t.Context(), partsOf(parts))
		if err != nil && !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err, cairn.ErrBounds) {
			t.Fatal(err)
		}
		if err == nil && fmt.Sprint(results[0].Shape()) != "[5]" {
			t.Fatal(results[0].Shape())
		}
	})
}
