package compute_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// TestTimes reduces datetimes with NaT, in both byte orders.
func TestTimes(t *testing.T) {
	ctx := t.Context()
	day := func(d int) time.Time { return time.Date(2024, 5, d, 0, 0, 0, 0, time.UTC) }
	for _, dtype := range []string{"<M8[s]", ">M8[D]"} {
		u, err := ndarray.NewUntyped(dtype, ndarray.Shape{2, 3}, &ndarray.Options{ChunkShape: ndarray.Shape{1, 2}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := ndarray.As[time.Time](u)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Write(ctx, []time.Time{day(9), {}, day(3), day(30), day(12), day(4)}); err != nil {
			t.Fatal(err)
		}
		rows, err := compute.Min[time.Time](ctx, u, compute.Over(1))
		if err != nil {
			t.Fatal(err)
		}
		least, err := rows.Read(ctx)
		if err != nil || !least[0].IsZero() || !least[1].Equal(day(4)) {
			t.Errorf("%s: the least of rows are %v: %v", dtype, least, err)
		}
		skip := &compute.Options{SkipNaN: true}
		if v, err := compute.Value(compute.Min[time.Time](ctx, u, skip)); err != nil || !v.Equal(day(3)) {
			t.Errorf("%s: the least is %v: %v", dtype, v, err)
		}
		if v, err := compute.Value(compute.Max[time.Time](ctx, u, skip)); err != nil || !v.Equal(day(30)) {
			t.Errorf("%s: the greatest is %v: %v", dtype, v, err)
		}
		if n, err := compute.Value(compute.ArgMax(ctx, u, nil)); err != nil || n != 1 {
			t.Errorf("%s: NaT is number %v: %v", dtype, n, err)
		}
		if n, err := compute.Value(compute.CountNaN(ctx, u, nil)); err != nil || n != 1 {
			t.Errorf("%s: %v are NaT: %v", dtype, n, err)
		}
		s, err := compute.Summarize(ctx, u, nil)
		if err != nil || s.N != 6 || s.NaN != 1 || s.Min != any(day(3)) || s.Max != any(day(30)) || s.Moments.N != 0 {
			t.Errorf("%s: %+v: %v", dtype, s, err)
		}
		if _, err := compute.Mean(ctx, u, nil); !errors.Is(err, cairn.ErrType) {
			t.Errorf("%s: the mean: %v", dtype, err)
		}
	}
}

// TestHalvesAndBools reduces 16-bit floats like others, and counts true values by a sum.
func TestHalvesAndBools(t *testing.T) {
	ctx := t.Context()
	halves := make([]ndarray.Float16, 6)
	for i := range halves {
		halves[i] = ndarray.Float16From(float32(i) - 1.5)
	}
	halves[4] = ndarray.Float16From(float32(math.NaN()))
	a, err := ndarray.FromSlice(halves, ndarray.Shape{6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	skip := &compute.Options{SkipNaN: true}
	if v, err := compute.Value(compute.Max[ndarray.Float16](ctx, a, skip)); err != nil || v.Float32() != 3.5 {
		t.Errorf("the greatest half is %v: %v", v.Float32(), err)
	}
	if v, err := compute.Value(compute.Sum[float64](ctx, a, skip)); err != nil || v != 3.5 {
		t.Errorf("the sum of halves is %v: %v", v, err)
	}
	if _, err := compute.Sum[int64](ctx, a, nil); !errors.Is(err, cairn.ErrType) {
		t.Errorf("the sum of halves in int64: %v", err)
	}
	s, err := compute.Summarize(ctx, a, nil)
	if err != nil || s.NaN != 1 || s.Min != any(ndarray.Float16From(-1.5)) || s.Moments.Mean != 0.7 {
		t.Errorf("%+v: %v", s, err)
	}
	b, err := ndarray.New[bool](ndarray.Shape{1 << 20}, &ndarray.Options{Fill: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Set(false, 77); err != nil {
		t.Fatal(err)
	}
	if n, err := compute.Value(compute.Sum[int64](ctx, b, nil)); err != nil || n != 1<<20-1 {
		t.Errorf("%v are true: %v", n, err)
	}
	if least, err := compute.Value(compute.Min[bool](ctx, b, nil)); err != nil || least {
		t.Errorf("the least bool is %v: %v", least, err)
	}
	if at, err := compute.Value(compute.ArgMin(ctx, b, nil)); err != nil || at != 77 {
		t.Errorf("the least bool is number %v: %v", at, err)
	}
}

// TestComplex sums complex numbers along both axes, like NumPy's sum and nansum.
func TestComplex(t *testing.T) {
	ctx, nan := t.Context(), math.NaN()
	values := []complex64{1 + 2i, 3, 1i, complex(float32(nan), 1), -4 - 1i, 2}
	a, err := ndarray.FromSlice(values, ndarray.Shape{2, 3}, &ndarray.Options{ChunkShape: ndarray.Shape{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for axis, want := range [][]complex128{{1 + 2i, -1 - 1i, 2 + 1i}, {4 + 3i, -2 - 1i}} {
		sums, err := compute.Sum[complex128](ctx, a, &compute.Options{Axes: []int{axis}, SkipNaN: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := sums.Read(ctx)
		if err != nil || len(got) != len(want) {
			t.Fatal(got, err)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("axis %d: sum %d is %v, want %v", axis, i, got[i], want[i])
			}
		}
	}
	v, err := compute.Value(compute.Sum[complex128](ctx, a, nil))
	if err != nil || !math.IsNaN(real(v)) && !math.IsNaN(imag(v)) {
		t.Errorf("the sum with NaN is %v: %v", v, err)
	}
	if n, err := compute.Value(compute.CountNaN(ctx, a, nil)); err != nil || n != 1 {
		t.Errorf("%v are NaN: %v", n, err)
	}
	for name, err := range map[string]error{
		"min": second(compute.Min[complex64](ctx, a, nil)), "float sum": second(compute.Sum[float64](ctx, a, nil)),
		"summary": second(compute.Summarize(ctx, a, nil)), "mean": second(compute.Mean(ctx, a, nil)),
		"product": second(compute.Prod[complex128](ctx, a, nil)),
	} {
		if !errors.Is(err, cairn.ErrType) || !strings.Contains(err.Error(), "<c8") {
			t.Errorf("%s of complex numbers: %v", name, err)
		}
	}
}

// TestMapsOfAnyType maps times and texts.
func TestMapsOfAnyType(t *testing.T) {
	ctx := t.Context()
	u, err := ndarray.NewUntyped("<U3", ndarray.Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	words, err := ndarray.As[string](u)
	if err == nil {
		err = words.Write(ctx, []string{"a", "", "xyz"})
	}
	if err != nil {
		t.Fatal(err)
	}
	lengths, err := compute.Map(ctx, "", u, func(dst []int32, x []string) {
		for i, s := range x {
			dst[i] = int32(len(s))
		}
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lengths.Read(ctx); err != nil || got[0] != 1 || got[1] != 0 || got[2] != 3 {
		t.Errorf("lengths %v: %v", got, err)
	}
	if _, err := compute.Min[string](ctx, u, nil); !errors.Is(err, cairn.ErrType) {
		t.Errorf("the least text: %v", err)
	}
}

func second[A any](_ A, err error) error { return err }
