package netcdf

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// TestDamagedObjectsLeaveTheRest damages the header of one variable after the other. All else in
// the file is listed and read.
func TestDamagedObjectsLeaveTheRest(t *testing.T) {
	sound, err := os.ReadFile("testdata/netcdf4.nc")
	if err != nil {
		t.Fatal(err)
	}
	whole := open(t, "netcdf4.nc")
	keys, arrays := keysOf(t, whole), keysOf(t, whole, ndarray.ArrayNode)
	tried := 0
	for _, key := range keys {
		v, err := whole.Variable(t.Context(), key)
		if err != nil {
			continue // a group
		}
		d := v.Dataset(t.Context())
		if d == nil {
			continue
		}
		tried++
		b := bytes.Clone(sound)
		b[d.Info().Address+20] ^= 0xff
		f, err := OpenReader(bytes.NewReader(b), int64(len(b)), nil)
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}

		if a, b := dims(t, whole, "t2m"), dims(t, f, "t2m"); key != "/t2m" && !slices.Equal(a, b) {
			t.Errorf("%s: dimensions %v, want %v", key, b, a)
		}
		if got := keysOf(t, f); !slices.Equal(got, keys) {
			t.Errorf("%s: keys %v, want %v", key, got, keys)
		}
		if _, err := f.Variable(t.Context(), key); !errors.Is(err, cairn.ErrChecksum) {
			t.Errorf("%s: %v", key, err)
		}
		for n, err := range ndarray.Walk(t.Context(), f, "/") {
			if err != nil || (n.Err != nil) != (n.Key == key) {
				t.Errorf("%s: %s is %v: %v, %v", key, n.Key, n.Kind, n.Err, err)
			}
		}
		for _, other := range keys {
			if other != key && slices.Contains(arrays, other) {
				sameItems(t, whole, f, other)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if tried < 5 {
		t.Errorf("only %d variables", tried)
	}
}

// dims returns the names of the dimensions of a variable.
func dims(t *testing.T, f *File, key string) []string {
	t.Helper()
	v, err := f.Variable(t.Context(), key)
	if err != nil {
		return nil
	}
	l, err := v.Labels()
	if err != nil {
		t.Error(err)
	}
	return l.Dims
}

// sameItems compares the items that two files have of a variable, not those by which a longer one
// extends an unlimited dimension.
func sameItems(t *testing.T, a, b *File, key string) {
	t.Helper()
	var items [2][]byte
	for i, f := range []*File{a, b} {
		v, err := f.Variable(t.Context(), key)
		if err != nil {
			t.Error(err)
			return
		}
		if items[i], err = ndarray.ViewOf(v.Dataset(t.Context())).Read(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if !bytes.Equal(items[0], items[1]) {
		t.Errorf("%s: items differ", key)
	}
}
