package hdf5_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// copied writes what a file has into a new one, as far as it can be read and written, and returns
// that with the keys of its datasets.
func copied(t *testing.T, f *hdf5.File, o *hdf5.CreateOptions) (*hdf5.File, []string) {
	t.Helper()
	ctx := t.Context()
	fsys := storage.NewMemory()
	o.FS = fsys
	w, err := hdf5.Create("a.h5", o)
	if err != nil {
		t.Fatal(err)
	}

	var keys []string
	for n, err := range ndarray.Walk(ctx, f, "/") {
		if err != nil {
			continue
		}
		var attributes []hdf5.Attribute
		list, _ := f.AllAttributes(ctx, n.Key)
		for _, a := range list {
			if a.Err == nil && !leads(a.Type) {
				attributes = append(attributes, a)
			}
		}
		if n.Kind == ndarray.GroupNode {
			_ = w.Group(n.Key, attributes) // a name may be odd, attributes large
			continue
		}

		d, err := f.Dataset(ctx, n.Key)
		if err != nil {
			continue
		}
		info := d.Info()
		put := &hdf5.DatasetOptions{Attributes: attributes, Chunks: info.Chunks}
		if len(info.Chunks) == len(d.Shape()) && len(info.MaxShape) == len(info.Chunks) {
			put.MaxShape = info.MaxShape
		}
		if items(d.Shape()) > 1<<16 {
			continue
		}
		if err := w.Put(ctx, n.Key, d, put); err == nil {
			keys = append(keys, n.Key)
		} else if errors.Is(err, cairn.ErrCorrupt) || errors.Is(err, cairn.ErrChecksum) || errors.Is(err, cairn.ErrLimit) {
			return nil, nil // a damaged file
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	made, err := hdf5.Open("a.h5", &hdf5.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	return made, keys
}

func items(shape ndarray.Shape) int64 {
	n := int64(1)
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// leads reports whether values of a type refer to objects, whose keys may be others here.
func leads(t *hdf5.Type) bool {
	if t == nil {
		return true
	}
	for _, m := range t.Members {
		if m.Type != nil && leads(m.Type) {
			return true
		}
	}
	return t.Class == hdf5.ReferenceType || t.Base != nil && leads(t.Base)
}

// equal compares the datasets of two files, and the attributes of what both have.
func equal(t *testing.T, name string, f, made *hdf5.File, keys []string) (attributes int) {
	t.Helper()
	ctx := t.Context()
	read := func(f *hdf5.File, key string) (meta.DType, ndarray.Shape, []byte) {
		d, err := f.Dataset(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, items(d.Shape())*int64(d.DType().Size()))
		if err := d.ReadBytes(ctx, b, make([]int64, len(d.Shape())), d.Shape()); err != nil {
			t.Fatal(err)
		}
		return d.DType(), d.Shape(), b
	}

	for _, key := range keys {
		d, shape, b := read(f, key)
		gotD, gotShape, got := read(made, key)
		if !gotD.Equal(d) && d.Kind() != 0 && !strings.Contains(d.String(), "{") {
			t.Errorf("%s %s: dtype %v, want %v", name, key, gotD, d)
		}
		if !slices.Equal(gotShape, shape) || !bytes.Equal(got, b) {
			t.Errorf("%s %s: items differ: %v and %v", name, key, gotShape, shape)
		}

		wants, err := f.AllAttributes(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			a, ok, err := made.Attribute(ctx, key, want.Name)
			if want.Err != nil || leads(want.Type) {
				continue
			}
			attributes++
			if !ok || err != nil || !reflect.DeepEqual(a.Value, want.Value) || a.Type.String() != want.Type.String() {
				t.Errorf("%s %s: attribute %s is %v (%v), want %v (%v)", name, key, want.Name, a.Value, a.Type, want.Value, want.Type)
			}
		}
	}
	return attributes
}

func TestCopiesOfFilesAreEqual(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.h5")
	if err != nil {
		t.Fatal(err)
	}
	datasets, attributes := 0, 0
	for _, path := range paths {
		f, err := hdf5.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []int64{0, 1000} {
			made, keys := copied(t, f, &hdf5.CreateOptions{Memory: memory})
			if made == nil {
				continue // a golden of damage
			}
			datasets += len(keys)
			attributes += equal(t, path, f, made, keys)
			made.Close()
		}
		f.Close()
	}
	if datasets < 100 || attributes < 30 {
		t.Errorf("only %d datasets and %d attributes were copied", datasets, attributes)
	}
}

// FuzzCopy writes what can be read of a file.
func FuzzCopy(f *testing.F) {
	for _, path := range []string{"testdata/small.h5", "testdata/v110.h5", "testdata/rare/swmr.h5", "testdata/scales-latest.h5"} {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		limits := cairn.Limits{MaxAlloc: 1 << 20, MaxMeta: 1 << 20, MaxIndex: 1 << 20, MaxHeader: 1 << 20, MaxNodes: 1000}
		from, err := hdf5.OpenReader(bytes.NewReader(b), int64(len(b)), &hdf5.OpenOptions{Limits: limits})
		if err != nil {
			return
		}
		defer from.Close()
		if made, keys := copied(t, from, &hdf5.CreateOptions{}); made != nil {
			equal(t, "fuzzed file", from, made, keys)
			made.Close()
		}
	})
}
