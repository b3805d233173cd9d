package store_test

import (
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// staleFS tells the sizes that files had before a writer replaced them.
type staleFS struct{ storage.FS }

func (f staleFS) Stat(name string) (storage.Info, error) {
	info, err := f.FS.Stat(name)
	info.Size /= 2
	return info, err
}

// TestOpenTakesTheSizeOfTheOpenFile opens a store that was replaced between the look at its name
// and opening it.
func TestOpenTakesTheSizeOfTheOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.b2z")
	e, err := store.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ndarray.FromSlice([]int32{1, 2, 3}, ndarray.Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := e.Put(t.Context(), "/a", a, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path, &store.OpenOptions{FS: staleFS{storage.OS()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
