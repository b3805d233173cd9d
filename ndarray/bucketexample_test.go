package ndarray_test

import (
	"context"
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// appendRows is the code in docs/buckets.md.
func appendRows(ctx context.Context, b storage.Bucket, rows []float32) error {
	fsys := storage.BucketFS(ctx, b)
	a, err := ndarray.OpenAs[float32]("temp", &ndarray.OpenOptions{
		FS: fsys, Mode: ndarray.ReadWrite, Commits: frame.Commits{Retry: true}})
	if err != nil {
		return err
	}
	err = a.Atomically(ctx, func() error { return a.Append(ctx, 0, rows) })
	if closed := a.Close(); err == nil {
		err = closed
	}
	return err
}

func TestAppendingRowsInABucket(t *testing.T) {
	b := storage.FSBucket(storage.NewMemory(), ".")
	fsys := storage.BucketFS(t.Context(), b)
	a, err := ndarray.Create[float32]("temp", ndarray.Shape{1, 3}, &ndarray.Options{FS: fsys})
	if err == nil {
		err = a.Close()
	}
	if err == nil {
		err = appendRows(t.Context(), b, []float32{1, 2, 3})
	}
	if err != nil {
		t.Fatal(err)
	}
	a, err = ndarray.OpenAs[float32]("temp", &ndarray.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Read(t.Context(), ndarray.Index(1), ndarray.Index(2)); err != nil || got[0] != 3 {
		t.Errorf("%v, %v", got, err)
	}
}
