package formats

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// TestLongTimesAreDoubles writes times that exceed 32 bits in every unit that they are whole
// numbers of to classic files: as doubles, with the longest unit, if these are exact.
func TestLongTimesAreDoubles(t *testing.T) {
	const nat = math.MinInt64
	for _, c := range []struct {
		dtype string
		times []int64
		units string // "" if they are refused
		want  []float64
	}{
		{"<M8[ms]", []int64{1577836800123, nat}, "milliseconds since 1970-01-01", []float64{1577836800123, math.NaN()}},
		{"<M8[ns]", []int64{4102444801e9, -5364662400e9}, "seconds since 1970-01-01", []float64{4102444801, -5364662400}},
		{"<M8[s]", []int64{1 << 40, 1<<40 + 1}, "seconds since 1970-01-01", []float64{1 << 40, 1<<40 + 1}},
		{"<m8[us]", []int64{1<<53 - 1, -1 << 53}, "microseconds", []float64{1<<53 - 1, -1 << 53}},
		{"<M8[ns]", []int64{1<<53 + 1}, "", nil},
		{"<M8[ns]", []int64{1577836800000000001}, "", nil},
	} {
		d, err := meta.ParseDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		shape := ndarray.Shape{int64(len(c.times))}
		numbers, err := ndarray.FromSlice(c.times, shape, nil)
		if err != nil {
			t.Fatal(err)
		}
		items, about, err := netcdfItems(&retyped{numbers, d})
		if err != nil {
			t.Fatal(err)
		}
		change, err := changeOf(t.Context(), netcdf.TypeNamed("int64"), items, about)
		if c.units == "" {
			if !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s %d: %v", c.dtype, c.times, err)
			}
			continue
		}
		if err != nil || change.to.Name != "double" {
			t.Errorf("%s %d: %v, %v", c.dtype, c.times, change, err)
			continue
		}

		if units, _ := change.attributes.Get("units"); units != c.units {
			t.Errorf("%s %d: units %v, want %s", c.dtype, c.times, units, c.units)
		}
		_, marked := change.attributes.Get("_FillValue")
		if lacks := slices.Contains(c.times, nat); marked != lacks {
			t.Errorf("%s %d: a fill value is %t, want %t", c.dtype, c.times, marked, lacks)
		}
		raw := make([]byte, 8*len(c.times))
		if err := change.of(items).ReadBytes(t.Context(), raw, []int64{0}, shape); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			got := math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s %d: %v, want %v", c.dtype, c.times, got, want)
			}
		}
	}
}
