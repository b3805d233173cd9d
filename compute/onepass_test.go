package compute_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// counted returns an array of several megabytes, and a function that returns how many times each of
// its blocks has been decoded since the last call.
func counted(t *testing.T) (a ndarray.Array[int32], passes func() float64) {
	t.Helper()
	shape := ndarray.Shape{130, 140, 150}
	values := make([]int32, 130*140*150)
	for i := range values {
		values[i] = int32(i * 7 % 1000)
	}
	a, err := ndarray.FromSlice(values, shape,
		&ndarray.Options{ChunkShape: ndarray.Shape{40, 50, 60}, BlockShape: ndarray.Shape{20, 13, 15}})
	if err != nil {
		t.Fatal(err)
	}
	before := a.Stats()
	if _, err := a.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := a.Stats().Sub(before).BlocksDecoded
	before = a.Stats()
	return a, func() float64 {
		now := a.Stats()
		n := now.Sub(before).BlocksDecoded
		before = now
		return float64(n) / float64(all)
	}
}

// Reductions of expressions go over boxes of whole chunks.
func TestReductionsOfExpressionsDecodeBlocksOnce(t *testing.T) {
	a, passes := counted(t)
	for _, text := range []string{"sum(a + 1)", "max(a * a, axis=0)", "mean(a - 1, axis=(1, 2))", "std(-a, axis=2)"} {
		if _, err := compute.Calc(t.Context(), text, map[string]ndarray.Source{"a": a}, nil); err != nil {
			t.Fatal(err)
		}
		if n := passes(); n != 1 {
			t.Errorf("%s decoded each block %v times", text, n)
		}
	}
}

// Reductions of one argument over the same axes share a pass, and have the results that they have
// alone.
func TestReductionsShareAPass(t *testing.T) {
	a, passes := counted(t)
	sources := map[string]ndarray.Source{"a": a}
	for _, c := range []struct {
		texts string
		want  float64
	}{
		{"mean(a, axis=0); std(a, axis=0); max(a, axis=(0,)); argmin(a, axis=0); nanmax(a, axis=-3)", 1},
		{"sum(a); count(a); var(a, ddof=1); any(a); min(a); prod(a); var(a)", 1},
		{"min(a, axis=2) + max(a, axis=2); all(a, axis=2)", 1},
		{"max(a) - min(a) + max(a)", 1},
		{"mean(a + 1, axis=(0, 1)); sum(a+1, axis=(0, 1))", 1},
		{"mean(a, axis=0); mean(a, axis=1)", 2},
		{"mean(a, axis=0); mean(a, axis=0, keepdims=True)", 2},
		{"max(a); max(-a)", 2},
	} {
		texts := strings.Split(c.texts, "; ")
		passes()
		together, err := compute.CalcAll(t.Context(), texts, sources, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.texts, err)
		}
		if n := passes(); n != c.want {
			t.Errorf("%s took %v passes, want %v", c.texts, n, c.want)
		}
		for i, text := range texts {
			alone, err := compute.Calc(t.Context(), text, sources, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, want := bytesOf(t, together[i]), bytesOf(t, alone)
			if got != want || together[i].DType().String() != alone.DType().String() {
				t.Errorf("%s differs from what it is alone", text)
			}
		}
	}
	passes()
	e, err := compute.Calc(t.Context(), "(a - mean(a)) / std(a)", sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	bytesOf(t, e)
	if n := passes(); n != 2 {
		t.Errorf("a normalised array took %v passes, want one for both moments and one for the result", n)
	}
}

// bytesOf returns the items of an expression.
func bytesOf(t *testing.T, e *compute.Expression) string {
	t.Helper()
	items, err := ndarray.ViewOf(e).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(items)
}

// Every kind of items has reductions that share passes.
func TestReductionsOfEveryKindShareAPass(t *testing.T) {
	for _, dtype := range []string{"|b1", "<i2", ">u4", "<f2", "<f4", ">f8", "<c8", "<c16"} {
		d, err := meta.ParseDType(dtype)
		if err != nil {
			t.Fatal(err)
		}
		one := any(1)
		if d.Kind() == 'b' {
			one = true
		}
		a, err := ndarray.NewUntyped(dtype, ndarray.Shape{30, 40}, &ndarray.Options{Fill: one})
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{"sum(a, axis=1)", "count(a, axis=1)", "any(a, axis=1)"}
		if d.Kind() != 'c' {
			texts = append(texts, "max(a, axis=1)", "mean(a, axis=1)")
		}
		together, err := compute.CalcAll(t.Context(), texts, map[string]ndarray.Source{"a": a}, nil)
		if err != nil {
			t.Fatalf("%s: %v", dtype, err)
		}
		if n := a.Stats().ChunksSpecial; n != 1 {
			t.Errorf("%s: %d special chunks were read, want 1", dtype, n)
		}
		for i, text := range texts {
			alone, err := compute.Calc(t.Context(), text, map[string]ndarray.Source{"a": a}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if bytesOf(t, together[i]) != bytesOf(t, alone) {
				t.Errorf("%s: %s differs from what it is alone", dtype, text)
			}
		}
	}
}

// An error is that of the expression whose reduction fails, though another one began the pass.
func TestErrorsOfSharedPasses(t *testing.T) {
	a, err := ndarray.FromSlice([]float32{1, 2}, ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"sum(a[:0])", "1 + max(a[:0])"}
	_, err = compute.CalcAll(t.Context(), texts, map[string]ndarray.Source{"a": a}, nil)
	if err == nil || !strings.Contains(err.Error(), "at character 5: least or greatest of no items") {
		t.Fatal(err)
	}
}

// tall is an array in chunks of series that have no smaller blocks, as NetCDF files have them. It
// counts the chunks that reads touch.
type tall struct {
	shape, chunk ndarray.Shape
	dtype        meta.DType
	touched      atomic.Int64
}

func (s *tall) Shape() ndarray.Shape                 { return s.shape }
func (s *tall) DType() meta.DType                    { return s.dtype }
func (s *tall) Grid() (chunks, blocks ndarray.Shape) { return s.chunk, s.chunk }

func (s *tall) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	n := int64(1)
	for i := range start {
		n *= (stop[i]-1)/s.chunk[i] - start[i]/s.chunk[i] + 1
	}
	s.touched.Add(n)
	clear(dst)
	return nil
}

// Chunks of many megabytes are read whole, as each part would be decoded with all of the chunk.
func TestTallChunksAreReadOnce(t *testing.T) {
	dtype, err := meta.ParseDType("<f4")
	if err != nil {
		t.Fatal(err)
	}
	s := &tall{shape: ndarray.Shape{8000, 40, 40}, chunk: ndarray.Shape{8000, 20, 20}, dtype: dtype}
	for _, axes := range [][]int{nil, {0}, {1, 2}} {
		s.touched.Store(0)
		if _, err := compute.Mean(t.Context(), s, compute.Over(axes...)); err != nil {
			t.Fatal(err)
		}
		if n := s.touched.Load(); n != 4 {
			t.Errorf("the mean over %v reads of %d chunks, want 4", axes, n)
		}
	}
}
