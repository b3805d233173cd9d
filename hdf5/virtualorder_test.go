package hdf5

import (
	"slices"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestVirtualDatasetsOfTheOtherByteOrder reads virtual datasets whose sources have the same numbers
// in the other byte order, which h5py converts.
func TestVirtualDatasetsOfTheOtherByteOrder(t *testing.T) {
	f := openGolden(t, "rare/orders.h5")
	sameNumbers[int32](t, f, "virtual i4", "<i4")
	sameNumbers[float64](t, f, "virtual f8", ">f8")
	sameNumbers[complex64](t, f, "virtual c8", ">c8")
	sameNumbers[uint16](t, f, "virtual u2", "<u2")
}

func sameNumbers[T int32 | float64 | complex64 | uint16](t *testing.T, f *File, key, dtype string) {
	t.Helper()
	d, err := f.Dataset(t.Context(), key)
	if err != nil {
		t.Error(err)
		return
	}
	if d.DType().String() != dtype {
		t.Errorf("%s: dtype %v, want %s", key, d.DType(), dtype)
	}
	view, err := ndarray.ViewAs[T](d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := view.Read(t.Context())
	want := []T{1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0, 9, 10, 11, 12, 0, 0, 0, 0, 6, 7, 8, 0}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v (%v)", key, got, want, err)
	}
}
