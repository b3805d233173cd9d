package hdf5

import (
	"reflect"
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

	d, err := f.Dataset(t.Context(), "texts")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := ndarray.ViewAs[string](d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := texts.Read(t.Context())
	if want := []string{"Zürich", "Zürich", "abc"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("texts are %q, want %q (%v)", got, want, err)
	}
	if d.DType().String() != "<U6" {
		t.Errorf("dtype %v", d.DType())
	}

	if d, err = f.Dataset(t.Context(), "bytes"); err != nil || d.DType().String() != "|S6" {
		t.Fatalf("dtype %v (%v)", d.DType(), err)
	}
	b, err := ndarray.ViewOf(d).Read(t.Context())
	if err != nil || string(b) != "Z\xfcrichabc\x00\x00\x00" {
		t.Errorf("bytes are %q (%v)", b, err)
	}
}
