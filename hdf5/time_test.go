package hdf5

import (
	"reflect"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestTimes reads a table with times: those of 4 bytes are seconds, others are bytes, since the
// format does not say what they stand for. The other columns were lost with them.
func TestTimes(t *testing.T) {
	f := openGolden(t, "rare/times.h5")
	d, err := f.Dataset(t.Context(), "table")
	if err != nil {
		t.Fatal(err)
	}
	if want := "[('n', '<i4'), ('second', '>i4'), ('time', 'V8'), ('last', '<u4')]"; d.DType().String() != want {
		t.Errorf("dtype %v, want %v", d.DType(), want)
	}
	items, err := ndarray.ViewOf(d).Read(t.Context())
	want := "\x01\x00\x00\x00\x3b\x9a\xca\x00\x01\x02\x03\x04\x05\x06\x07\x08\x07\x00\x00\x00" +
		"\x02\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00"
	if err != nil || string(items) != want {
		t.Errorf("items % x, want % x (%v)", items, want, err)
	}
}

// TestWideIntegers reads integers of 16 bytes as far as 8 hold them.
func TestWideIntegers(t *testing.T) {
	f := openGolden(t, "rare/times.h5")
	for name, want := range map[string]any{"zero": int64(0), "minus": int64(-5), "large": nil} {
		a, ok, err := f.Attribute(t.Context(), "/", name)
		if err != nil || !ok || !reflect.DeepEqual(a.Value, want) || (a.Err != nil) != (want == nil) {
			t.Errorf("%s is %v, want %v (%v, %v)", name, a.Value, want, err, a.Err)
		}
	}
}
