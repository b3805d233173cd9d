package compute_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

// TestCalcMistakes shows that errors say what is wrong and where.
func TestCalcMistakes(t *testing.T) {
	a, err := ndarray.FromSlice([]int8{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetLabels(ndarray.Labels{Dims: []string{"time", "x"}}); err != nil {
		t.Fatal(err)
	}
	text, err := ndarray.NewUntyped("<U1", ndarray.Shape{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]ndarray.Source{"a": a, "text": text}
	for _, c := range []struct {
		text, want string
		is         error
	}{
		{"a + ", "at character 5: the expression ends too early", nil},
		{"1 + c", `at character 5: no array is named "c", but a, text`, cairn.ErrNotFound},
		{"a + frobnicate(a)", `no function is named "frobnicate", but `, cairn.ErrNotFound},
		{"a + meann(a)", `at character 5: no function is named "meann"; did you mean mean?`, cairn.ErrNotFound},
		{"sqtr(a)", `no function is named "sqtr"; did you mean sqrt?`, cairn.ErrNotFound},
		{"cumsum(a)", "cumsum takes one axis=, as in cumsum(a, axis=0)", cairn.ErrBounds},
		{"round(a, 1.5)", "the digits of round are an integer", cairn.ErrBounds},
		{"sin(a * sqrt(1 + conj(b)))", `no array is named "b"`, cairn.ErrNotFound},
		{"text", "at character 1: texts are compared with a text", cairn.ErrType},
		{"a[:, :2] * a", "at character 10: the shapes [2 2] and [2 3] do not fit together", cairn.ErrBounds},
		{"sum(a, axis=2)", "at character 8: axis 2 of 2 dimensions", cairn.ErrBounds},
		{"sum(a, axis=(0, -2))", "at character 8: axis 0 twice", cairn.ErrBounds},
		{"sum(a, axis='y')", `at character 8: no dimension is named "y", but ["time" "x"]`, cairn.ErrNotFound},
		{"sum(a, axes=0)", "at character 8: sum takes axis=, keepdims=, ddof=, weights=, by=, each=, window=, center= and min_count=, not axes=", cairn.ErrNotFound},
		{"sqrt(a, out=a)", "at character 9: sqrt takes no out=", cairn.ErrNotFound},
		{"sqrt(a, a)", "at character 1: sqrt takes 1 arguments, not 2", cairn.ErrBounds},
		{"a + 200", "at character 3: 200 is out of the range of int8", cairn.ErrBounds},
		{"1 // 0", "at character 3: division by zero", cairn.ErrBounds},
		{"9 ** 999", "at character 3: an integer of more than 128 bits", cairn.ErrLimit},
		{"a & 1.5", "at character 3: & is not possible for float64 and float64", cairn.ErrType},
		{"(a > 1) - (a > 2)", "at character 9: - is not possible for bools", cairn.ErrType},
		{"a ** -1", "at character 3: integers to negative powers", cairn.ErrBounds},
		{"'x'", "at character 1: a text is compared with times", cairn.ErrType},
		{"a[5]", "at character 2: ", cairn.ErrBounds},
		{"quantile(a)", "at character 1: quantile needs the fraction", cairn.ErrBounds},
		{"quantile(a, 2)", "quantile 2, must be from 0 to 1", cairn.ErrBounds},
		{"max(a[:0])", "of no items", cairn.ErrBounds},
	} {
		_, err := compute.Calc(t.Context(), c.text, sources, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
		wrong := strings.Contains(c.want, "ends too early") || strings.Contains(c.want, " is named") &&
			!strings.Contains(c.want, "dimension")
		if errors.Is(err, compute.ErrSyntax) != wrong {
			t.Errorf("%s: a syntax error is %v", c.text, !wrong)
		}
	}
	e, err := compute.Calc(t.Context(), "a ** (a - 3)", sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ndarray.Copy(t.Context(), e, nil); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("negative powers: %v", err)
	}
	for _, box := range [][2][]int64{{{0}, {1}}, {{0, 0}, {3, 1}}, {{1, 1}, {0, 1}}} {
		if err := e.ReadBytes(t.Context(), make([]byte, 3), box[0], box[1]); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("box %v: %v", box, err)
		}
	}
}

// TestCalcLabels checks which names of dimensions and attributes the result has.
func TestCalcLabels(t *testing.T) {
	a, err := ndarray.New[float32](ndarray.Shape{2, 3, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	attributes := ndarray.Labels{Dims: []string{"time", "lat", "lon"}}
	if err := a.SetLabels(attributes); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"a[1:] - a[:1]":                        "[time]",
		"a + mean(a[:, :, ::-1], axis=0)":      "[lon]",
		"mean(a[1:, ...], axis=1)":             "[time]",
		"a[..., :, 1:] - a[None, ..., :3][0]":  "[lon]",
		"a[None, :, [0, 2]]":                   "[lat]",
		"a[0, 1:] + a[:, [True, False, True]]": "[lat]", // which are not the same
		"a[1:] - a[1:] * 2":                    "[time]",
		"a - mean(a[1:], axis=0)":              "[]",
		"(a * 2)[..., -1]":                     "[]",
		"a[:] + a[...] + a[:, :] + a[None]":    "[]",
		"a + 1":                                "[]",
	} {
		e, err := compute.Calc(t.Context(), text, map[string]ndarray.Source{"a": a}, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if fmt.Sprint(e.Selected()) != want {
			t.Errorf("%s selects along %v, want %s", text, e.Selected(), want)
		}
	}
	for text, want := range map[string]string{
		"a + 1":                                 "[time lat lon]",
		"mean(a, axis='lat')":                   "[time lon]",
		"sum(a, axis=('time', -1))":             "[lat]",
		"max(a, axis=0, keepdims=True)":         "[time lat lon]",
		"a[0] - mean(a, axis=('time', 'lat'))":  "[lat lon]",
		"a[:, 0, None] * 2":                     "[time  lon]",
		"mean(a)":                               "[]",
		"float32(mean(a, axis=0)) * a[1, 1, 1]": "[lat lon]",
	} {
		e, err := compute.Calc(t.Context(), text, map[string]ndarray.Source{"a": a}, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if l, err := e.Labels(); err != nil || fmt.Sprint(l.Dims) != want {
			t.Errorf("%s has the dimensions %v, want %s: %v", text, l.Dims, want, err)
		}
	}
}

// TestCalcInAnyBoxes shows that neither workers, nor memory, nor the boxes that are read change the
// result.
func TestCalcInAnyBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	shape := ndarray.Shape{23, 31, 17}
	values := make([]float64, 23*31*17)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	in := &ndarray.Options{ChunkShape: ndarray.Shape{7, 10, 6}, BlockShape: ndarray.Shape{3, 4, 6}}
	a, err := ndarray.FromSlice(values, shape, in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ndarray.FromSlice(values[:31*17], ndarray.Shape{31, 17}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]ndarray.Source{"a": a, "b": b}
	const text = "where(a > b[:, :1], a * (b + 1) - mean(a, axis=0), exp(b[3]) + std(a))"
	var want []byte
	for _, o := range []*compute.CalcOptions{
		nil, {Workers: 1}, {Workers: 3, Memory: 1 << 12}, {Workers: 2, Memory: 1 << 18},
	} {
		e, err := compute.Calc(t.Context(), text, sources, o)
		if err != nil {
			t.Fatal(err)
		}
		all := make([]byte, 8*len(values))
		if err := e.ReadBytes(t.Context(), all, []int64{0, 0, 0}, shape); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = all
		}
		if !bytes.Equal(all, want) {
			t.Errorf("%+v changes the result", o)
		}
		for range 50 {
			start, stop := make([]int64, 3), make([]int64, 3)
			items := int64(1)
			for i, n := range shape {
				start[i] = rng.Int64N(n)
				stop[i] = start[i] + 1 + rng.Int64N(n-start[i])
				items *= stop[i] - start[i]
			}
			box := make([]byte, 8*items)
			if err := e.ReadBytes(t.Context(), box, start, stop); err != nil {
				t.Fatal(err)
			}
			row := 8 * (stop[2] - start[2])
			for i := range items * 8 / row {
				x, y := start[0]+i/(stop[1]-start[1]), start[1]+i%(stop[1]-start[1])
				from := 8 * ((x*31+y)*17 + start[2])
				if !bytes.Equal(box[i*row:][:row], want[from:][:row]) {
					t.Fatalf("%+v: the box from %v to %v differs", o, start, stop)
				}
			}
		}
	}
}

func TestCumSum(t *testing.T) {
	chunks := &ndarray.Options{ChunkShape: ndarray.Shape{2, 1}}
	a, err := ndarray.FromSlice([]int8{100, 100, 3, 4, 5, -6}, ndarray.Shape{3, 2}, chunks)
	if err != nil {
		t.Fatal(err)
	}
	for axis, want := range map[int]string{0: "[100 100 103 104 108 98]", -1: "[100 200 3 7 5 -1]"} {
		r, err := compute.CumSum[int64](t.Context(), "", a, axis, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Read(t.Context()); err != nil || fmt.Sprint(got) != want {
			t.Errorf("axis %d: %v, want %s: %v", axis, got, want, err)
		}
	}
	r, err := compute.CumProd[float64](t.Context(), "", a, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Read(t.Context()); err != nil || fmt.Sprint(got) != "[100 100 300 400 1500 -2400]" {
		t.Errorf("products: %v: %v", got, err)
	}
	if _, err := compute.CumSum[int64](t.Context(), "", a, 2, nil); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("axis 2: %v", err)
	}
	if _, err := compute.CumSum[int64](t.Context(), "", r, 0, nil); !errors.Is(err, cairn.ErrType) {
		t.Errorf("floats as integers: %v", err)
	}
}

func TestWhere(t *testing.T) {
	values := make([]int16, 5*40*3)
	for i := range values {
		values[i] = int16(i % 7)
	}
	a, err := ndarray.FromSlice(values, ndarray.Shape{5, 40, 3}, &ndarray.Options{ChunkShape: ndarray.Shape{2, 7, 2}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := compute.Calc(t.Context(), "a == 6", map[string]ndarray.Source{"a": a}, nil)
	if err != nil {
		t.Fatal(err)
	}
	next := int64(6)
	for at, err := range compute.Where(t.Context(), e) {
		if err != nil {
			t.Fatal(err)
		}
		if n := (at[0]*40+at[1])*3 + at[2]; n != next {
			t.Fatalf("item %d at %v, want %d", n, at, next)
		}
		next += 7
	}
	if next < int64(len(values)) {
		t.Errorf("items from %d on are missing", next)
	}
}

func FuzzCalc(f *testing.F) {
	a, err := ndarray.FromSlice([]float32{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, nil)
	if err != nil {
		f.Fatal(err)
	}
	i, err := ndarray.FromSlice([]int8{1, -2, 3}, ndarray.Shape{3}, nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"a - mean(a, axis=0)", "where(a > i, a[1], 0x7f) // 2", "~(i < 2) ** i",
		"clip(sum(i), 1, 3.5)", "median(a, axis=(0, 1), keepdims=True)", "float16(a)[::-1] % True",
		"std(i[:0])", "1 << 99"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sources := map[string]ndarray.Source{"a": a, "i": i}
		e, err := compute.Calc(t.Context(), text, sources, &compute.CalcOptions{Memory: 1 << 20, Workers: 1})
		if err != nil {
			return
		}
		size := int64(e.DType().Size())
		for _, n := range e.Shape() {
			if size *= n; size > 1<<20 {
				return // selections repeat items
			}
		}
		// An error is fine, such as that of a negative power.
		_ = e.ReadBytes(t.Context(), make([]byte, size), make([]int64, len(e.Shape())), e.Shape())
	})
}

// TestIndexMistakes shows that errors of index say what it takes.
func TestIndexMistakes(t *testing.T) {
	a, err := ndarray.FromSlice([]int8{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, want string
		is         error
	}{
		{"index(a)", "at character 1: index takes one axis=, as in index(a, axis=0)", cairn.ErrBounds},
		{"index(a, 2)", "at character 10: axis 2 of 2 dimensions", cairn.ErrBounds},
		{"index(a, 'y')", `at character 10: no dimension is named "y"`, cairn.ErrNotFound},
		{"index(a, axes=0)", "at character 10: index takes axis=, not axes=", cairn.ErrNotFound},
		{"index(3)", "at character 1: index takes one axis=", cairn.ErrBounds},
		{"index()", "at character 1: index takes an array and an axis, not 0 arguments", cairn.ErrBounds},
		{"indx(a, 0)", `no function is named "indx"; did you mean index?`, cairn.ErrNotFound},
	} {
		_, err := compute.Calc(t.Context(), c.text, map[string]ndarray.Source{"a": a}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.is) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestIndexInBoxes checks that items know where they stand, whatever box of them is read.
func TestIndexInBoxes(t *testing.T) {
	shape := ndarray.Shape{70, 33, 190}
	a, err := ndarray.New[int8](shape, &ndarray.Options{ChunkShape: ndarray.Shape{16, 20, 64}, BlockShape: ndarray.Shape{8, 5, 32}})
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]ndarray.Source{"a": a}
	e, err := compute.Calc(t.Context(), "(index(a, 0) * 33 + index(a, 1)) * 190 + index(a, 2)", sources,
		&compute.CalcOptions{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		start, stop, items := make([]int64, 3), make([]int64, 3), int64(1)
		for i, n := range shape {
			start[i] = rng.Int64N(n)
			stop[i] = start[i] + 1 + rng.Int64N(n-start[i])
			items *= stop[i] - start[i]
		}
		raw := make([]byte, 8*items)
		if err := e.ReadBytes(t.Context(), raw, start, stop); err != nil {
			t.Fatal(err)
		}
		for x := start[0]; x < stop[0]; x++ {
			for y := start[1]; y < stop[1]; y++ {
				for z := start[2]; z < stop[2]; z++ {
					if got := int64(binary.LittleEndian.Uint64(raw)); got != (x*33+y)*190+z {
						t.Fatalf("box %v to %v: item %d %d %d is %d", start, stop, x, y, z, got)
					}
					raw = raw[8:]
				}
			}
		}
	}
}
