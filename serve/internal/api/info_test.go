package api

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/serve/internal/limits"
	"github.com/cairn-go/cairn/store"
)

// TestInfoTellsTheOnlyArrayThatIsData: coordinates and their bounds are none, and of two arrays
// none is the only one.
func TestInfoTellsTheOnlyArrayThatIsData(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.b2z")
	e, err := store.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	put := func(key string, dims []string, attributes ...meta.Pair) {
		shape := ndarray.Shape{3, 2}[:len(dims)]
		a, err := ndarray.New[float64](shape, nil)
		if err == nil {
			err = a.SetLabels(ndarray.Labels{Dims: dims, Attributes: attributes})
		}
		if err == nil {
			err = e.Put(t.Context(), key, a, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put("/run/t2m", []string{"time", "x"})
	put("/run/time", []string{"time"}, meta.Pair{Key: "bounds", Value: "time_bnds"})
	put("/run/time_bnds", []string{"time", "nv"})
	put("/two/a", []string{"time"})
	put("/two/b", []string{"time"})
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.New([]catalog.Root{{Name: "t", Path: name}}, catalog.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	a := New(c, limits.Limits{Bytes: 1 << 20, Items: 100, Time: time.Minute, Memory: limits.NewQuota(256<<20, time.Second)})
	for path, want := range map[string]any{"t": nil, "t/run": "t/run/t2m", "t/two": nil, "t/run/time": nil} {
		w, err := call(t, a.Info, path, "")
		if got := told(t, w, err)["only"]; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
