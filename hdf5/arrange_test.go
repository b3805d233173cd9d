package hdf5

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// TestArrange gives objects an order that is not that in which they were made.
func TestArrange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	w, err := Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	src := ndarray.Items([]int8{1}, ndarray.Shape{1})
	for _, key := range []string{"g/a", "g/b", "g/c", "g/d"} {
		if err := w.Put(t.Context(), key, src, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Link("g/soft", "/g/a"); err != nil {
		t.Fatal(err)
	}

	if err := w.Arrange("nowhere", nil); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("a group that is not there: %v", err)
	}
	if err := w.Arrange("g", []string{"c", "soft", "of another file", "a"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	links, err := f.Links(t.Context(), "g")
	var names []string
	for _, l := range links {
		names = append(names, l.Name)
	}
	if want := []string{"c", "soft", "a", "b", "d"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, want %q (%v)", names, want, err)
	}
}
