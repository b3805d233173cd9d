package values

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

func arrayOf[T any](t *testing.T, items []T, attributes meta.Map) ndarray.Labelled {
	t.Helper()
	a, err := ndarray.FromSlice(items, ndarray.Shape{int64(len(items))}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Dims: []string{"x"}, Attributes: attributes})
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// read returns all items of an array of floats.
func read(t *testing.T, src ndarray.Source) (values []float64) {
	t.Helper()
	shape := src.Shape()
	size := src.DType().Size()
	raw := make([]byte, int(shape[0])*size)
	if err := src.ReadBytes(t.Context(), raw, []int64{0}, shape); err != nil {
		t.Fatal(err)
	}
	for ; len(raw) > 0; raw = raw[size:] {
		switch size {
		case 1:
			values = append(values, float64(raw[0]))
		case 2:
			values = append(values, float64(ndarray.Float16FromBits(binary.LittleEndian.Uint16(raw)).Float32()))
		case 4:
			values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		default:
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		}
	}
	return values
}

// Items are as long as values, shorter and longer, in more than one piece.
func TestOf(t *testing.T) {
	const n = 3000
	half := meta.Map{{Key: "scale_factor", Value: float32(0.5)}, {Key: "_FillValue", Value: int64(7)}}
	packed := func(i int) float64 { return float64(i) / 2 }
	for name, c := range map[string]struct {
		src   ndarray.Labelled
		dtype string
		want  func(i int) float64
	}{
		"int16":   {arrayOf(t, counted[int16](n), half), "<f4", packed},
		"int64":   {arrayOf(t, counted[int64](n), half), "<f4", packed},
		"float64": {arrayOf(t, counted[float64](n), half[1:]), "<f8", func(i int) float64 { return float64(i) }},
	} {
		src, err := Of(c.src, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := src.Labels()
		if err != nil || !slices.Equal(l.Dims, []string{"x"}) || len(l.Attributes) != 1 || src.DType().String() != c.dtype {
			t.Errorf("%s: labels %v, dtype %s, %v", name, l, src.DType(), err)
		}
		for i, got := range read(t, src) {
			want := c.want(i)
			if i == 7 {
				want = math.NaN()
			}
			if got != want && (got == got || want == want) {
				t.Fatalf("%s: value %d is %v, want %v", name, i, got, want)
			}
		}
		if err := src.ReadBytes(t.Context(), make([]byte, 3), []int64{0}, []int64{1}); err == nil {
			t.Errorf("%s: read to 3 bytes", name)
		}
	}
}

func counted[T int16 | int64 | float64](n int) []T {
	items := make([]T, n)
	for i := range items {
		items[i] = T(i)
	}
	return items
}

func TestOfOthers(t *testing.T) {
	plain := arrayOf(t, []float64{1}, meta.Map{{Key: "units", Value: "K"}})
	if src, err := Of(plain, nil); err != nil || src != plain {
		t.Errorf("plain: %v, %v", src, err)
	}
	unsigned, err := Of(arrayOf(t, []int8{-1, 3}, meta.Map{{Key: "_Unsigned", Value: "true"}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, unsigned); unsigned.DType().String() != "|u1" || !slices.Equal(got, []float64{255, 3}) {
		t.Errorf("unsigned: %s %v", unsigned.DType(), got)
	}
	halves := []ndarray.Float16{ndarray.Float16FromBits(0x3c00), ndarray.Float16FromBits(0x4000)}
	src, err := Of(arrayOf(t, halves, meta.Map{{Key: "_FillValue", Value: 2.0}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, src); src.DType().String() != "<f2" || got[0] != 1 || got[1] == got[1] {
		t.Errorf("halves: %s %v", src.DType(), got)
	}
}
