package netcdf

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// packedArray makes an array of items with attributes.
func packedArray[T any](t *testing.T, items []T, attributes ...any) ndarray.Labelled {
	t.Helper()
	a, err := ndarray.FromSlice(items, ndarray.Shape{int64(len(items))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := ndarray.Labels{Dims: []string{"x"}}
	for i := 0; i < len(attributes); i += 2 {
		l.Attributes = append(l.Attributes, meta.Pair{Key: attributes[i], Value: attributes[i+1]})
	}
	if err := a.SetLabels(l); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestUnpack(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		src   ndarray.Labelled
		dtype string
		want  []float64
	}{
		"shorts":    {packedArray(t, []int16{-1, 0, 100}, "scale_factor", 0.5, "add_offset", 10.0, "_FillValue", int64(0)), "<f8", []float64{9.5, nan, 60}},
		"float32":   {packedArray(t, []int16{-1, 0, 100}, "scale_factor", float32(0.5)), "<f4", []float64{-0.5, 0, 50}},
		"int32":     {packedArray(t, []int32{-1, 0, 1e6}, "scale_factor", float32(0.5)), "<f8", []float64{-0.5, 0, 5e5}},
		"fills":     {packedArray(t, []int8{1, 2, 3}, "missing_value", []any{int64(1), int64(3)}), "<f4", []float64{nan, 2, nan}},
		"floats":    {packedArray(t, []float32{0.1, 2}, "_FillValue", 0.1), "<f4", []float64{nan, 2}},
		"doubles":   {packedArray(t, []float64{1e300, 2}, "_FillValue", 1e300), "<f8", []float64{nan, 2}},
		"unsigned":  {packedArray(t, []int8{-1, 1}, "_Unsigned", "true", "add_offset", float32(1)), "<f4", []float64{256, 2}},
		"int64":     {packedArray(t, []int64{-1 << 40, 7}, "add_offset", 1.0), "<f8", []float64{1 - 1<<40, 8}},
		"unchanged": {packedArray(t, []float64{3}, "units", "K"), "<f8", []float64{3}},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := Unpack(c.src)
			if err != nil {
				t.Fatal(err)
			}
			l, err := u.Labels()
			if err != nil || !slices.Equal(l.Dims, []string{"x"}) || len(l.Attributes) > 0 && name != "unchanged" {
				t.Errorf("labels %v, %v", l, err)
			}
			got := floatsOf(t, u, c.dtype)
			if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return a == b || a != a && b != b }) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	text, err := ndarray.NewUntyped("S4", ndarray.Shape{2}, nil)
	if err == nil {
		err = text.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "scale_factor", Value: 2.0}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(text); !errors.Is(err, cairn.ErrType) {
		t.Errorf("text: %v", err)
	}
}

// floatsOf reads all items of an array of floats.
func floatsOf(t *testing.T, src ndarray.Source, dtype string) (values []float64) {
	t.Helper()
	if src.DType().String() != dtype {
		t.Fatalf("dtype %s, want %s", src.DType(), dtype)
	}
	size := src.DType().Size()
	raw := make([]byte, int(itemsOf(src.Shape()))*size)
	if err := src.ReadBytes(t.Context(), raw, make([]int64, len(src.Shape())), src.Shape()); err != nil {
		t.Fatal(err)
	}
	for ; len(raw) > 0; raw = raw[size:] {
		if size == 4 {
			values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		} else {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		}
	}
	return values
}

// Items of a file are unpacked where they are read, in pieces.
func TestUnpackOfAFile(t *testing.T) {
	v, err := open(t, "classic.nc").Variable(t.Context(), "t2m")
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 2*itemsOf(v.Shape()))
	if err := v.ReadBytes(t.Context(), raw, []int64{0, 0, 0}, v.Shape()); err != nil {
		t.Fatal(err)
	}
	u, err := Unpack(v)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range floatsOf(t, u, "<f8") {
		if want := float64(int16(binary.BigEndian.Uint16(raw[2*i:])))*0.01 + 273.15; got != want {
			t.Fatalf("item %d is %v, want %v", i, got, want)
		}
	}
}
