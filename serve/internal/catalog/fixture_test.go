package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// folderOf returns a catalog of a folder named data, and the folder.
func folderOf(t *testing.T, o Options) (*Catalog, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	c, err := New([]Root{{Path: dir}}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, dir
}

// save stores an array of n items of a value, with a time of change that is not young.
func save(t *testing.T, path string, n int, value int32) {
	t.Helper()
	items := make([]int32, n)
	for i := range items {
		items[i] = value
	}
	src, err := ndarray.FromSlice(items, ndarray.Shape{int64(n)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if err := ndarray.Save(t.Context(), path, src, &ndarray.CopyOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	age(t, path, time.Hour)
}

// age sets the time of change of a file so long ago.
func age(t *testing.T, path string, ago time.Duration) {
	t.Helper()
	then := time.Now().Add(-ago)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

// array opens an array of a catalog, which the test releases.
func array(t *testing.T, c *Catalog, path string) *Array {
	t.Helper()
	a, err := c.Array(t.Context(), path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return a
}

// first returns the first item of an array.
func first(t *testing.T, a *Array) int32 {
	t.Helper()
	raw := make([]byte, 4)
	if err := a.ReadBytes(t.Context(), raw, []int64{0}, []int64{1}); err != nil {
		t.Fatal(err)
	}
	return int32(raw[0]) | int32(raw[1])<<8
}

func numbered(i int) string { return fmt.Sprintf("%04d.b2nd", i) }
