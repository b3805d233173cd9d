package netcdf

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

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
		if want := float64(float64(int16(binary.BigEndian.Uint16(raw[2*i:])))*0.01) + 273.15; got != want {
			t.Fatalf("item %d is %v, want %v", i, got, want)
		}
	}
}
