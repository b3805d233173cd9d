package hdf5

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestLatin1 reads text that is not UTF-8, which h5py returns with surrogates or as bytes.
func TestLatin1(t *testing.T) {
	f := openGolden(t, "rare/latin.h5")
	for _, key := range []string{"/", "/x"} {
		for name, want := range map[string]any{
			"fixed": "Zürich", "list": []any{"Zürich", "abc"}, "ascii": "Zürich", "utf8": "Zürich", "right": "Zürich",
		} {
			a, ok, err := f.Attribute(t.Context(), key, name)
			if err != nil || !ok || !reflect.DeepEqual(a.Value, want) {
				t.Errorf("%s@%s: %q, want %q (%v)", key, name, a.Value, want, err)
			}
		}
	}

	got, want := texts(t, f, "texts"), []string{"Zürich", "Zürich", "abc"}
	if !slices.Equal(got, want) {
		t.Errorf("texts are %q, want %q", got, want)
	}
	if got := texts(t, f, "bytes"); !slices.Equal(got, []string{"Zürich", "abc"}) {
		t.Errorf("what is declared as ASCII is %q", got)
	}
}

// texts returns the items of a dataset of text.
func texts(t *testing.T, f *File, key string) []string {
	t.Helper()
	d, err := f.Dataset(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	view, err := ndarray.ViewAs[string](d)
	if err != nil {
		t.Fatal(err)
	}
	items, err := view.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return items
}
