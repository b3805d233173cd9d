package hdf5

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestLabels(t *testing.T) {
	for _, name := range []string{"scales-earliest.h5", "scales-latest.h5"} {
		f := openGolden(t, name)
		for key, want := range map[string][]string{
			"data": {"time", "lat", "ex"}, "g/inner": {"lat", "x"}, "time": {"time"}, "g/x": {"x"},
		} {
			d, err := f.Dataset(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			l, err := d.Labels()
			if err != nil || !slices.Equal(l.Dims, want) {
				t.Errorf("%s: dimensions %q, want %q (%v)", key, l.Dims, want, err)
			}
			for _, p := range l.Attributes {
				if p.Key != "units" || p.Value != "K" {
					t.Errorf("%s: attribute %v", key, p)
				}
			}
		}
	}
}

func TestInfo(t *testing.T) {
	f := openGolden(t, "chunked-latest.h5")
	for key, want := range map[string]struct{ layout, index, filters string }{
		"plain": {"chunked", "fixed array", ""}, "gzip": {"chunked", "fixed array", "shuffle(4) deflate(4) "},
		"growing": {"chunked", "extensible array", "deflate(4) "}, "both": {"chunked", "B-tree 2", "deflate(4) "},
		"one": {"chunked", "single chunk", "deflate(4) "},
	} {
		d, err := f.Dataset(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		i := d.Info()
		filters := ""
		for _, one := range i.Filters {
			filters += one.String() + " "
		}
		if i.Layout != want.layout || i.Index != want.index || filters != want.filters || i.Datatype != "int32" {
			t.Errorf("%s: %+v", key, i)
		}
	}
	for key, want := range map[string]int64{ // as h5py says it
		"gzip": 825, "growing": 1338, "both": 1338, "one": 868, "oneplain": 2640, "plain": 3360, "sparse": 800,
	} {
		d, err := f.Dataset(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := d.StoredBytes(t.Context()); n != want || err != nil {
			t.Errorf("%s: %d bytes stored, want %d (%v)", key, n, want, err)
		}
	}
	far, err := f.Dataset(t.Context(), "far") // has 300,000 chunks
	if err != nil {
		t.Fatal(err)
	}
	if _, err := far.StoredBytes(t.Context()); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("far: %v", err)
	}
	d, err := f.Dataset(t.Context(), "growing")
	if err != nil {
		t.Fatal(err)
	}
	if i := d.Info(); !slices.Equal(i.MaxShape, []int64{-1, 40}) || !slices.Equal(i.Chunks, []int64{7, 10}) {
		t.Errorf("%+v", i)
	}
	described, err := openGolden(t, "basic-earliest.h5").Describe(t.Context(), "enum")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int64{}
	for _, m := range described.Type.Members {
		names[m.Name] = m.Value
	}
	if want := map[string]int64{"RED": 1, "GREEN": 2, "BLUE": 77}; described.Type.Class != EnumType || !maps.Equal(names, want) {
		t.Errorf("%+v", described)
	}
}
