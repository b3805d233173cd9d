package ndarray_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// TestDeferredAbort checks the idiom of writers: Abort is deferred, and Close publishes.
func TestDeferredAbort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	publish := func(values []float32, items ndarray.Shape) (err error) {
		a, err := ndarray.Create[float32](path, items, nil)
		if err != nil {
			return err
		}
		defer func() {
			if aborted := a.Abort(); aborted != nil {
				t.Error(aborted)
			}
		}()
		if err := a.Write(t.Context(), values); err != nil {
			return err
		}
		return a.Close()
	}
	if err := publish([]float32{1}, ndarray.Shape{2}); !errors.Is(err, cairn.ErrBounds) {
		t.Fatal(err)
	}
	if _, err := ndarray.Open(path, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a file was published: %v", err)
	}
	if err := publish([]float32{1, 2}, ndarray.Shape{2}); err != nil {
		t.Fatal(err)
	}
	a, err := ndarray.OpenAs[float32](path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if value, err := a.At(1); value != 2 || err != nil {
		t.Error(value, err)
	}
}

// TestADirectoryIsNotAMissingArray opens a directory that is no sparse array. A program that
// creates an array if there is none must not take it for that.
func TestADirectoryIsNotAMissingArray(t *testing.T) {
	_, err := ndarray.Open(t.TempDir(), nil)
	if errors.Is(err, fs.ErrNotExist) || !errors.Is(err, cairn.ErrNotFound) {
		t.Error(err)
	}
}
