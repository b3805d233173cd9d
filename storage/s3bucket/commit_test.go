package s3bucket

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// TestCommits appends rows to one array through several handles at the same time, over a network
// that drops requests and answers. Every row must be there once, and nothing else.
func TestCommits(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	proxy := storagetest.NewProxy(t, startMoto(t))
	bucket := objectstore.NewHasty(&requests{connect(proxy.Address()), "arrays", 4}, "commits")
	fsys := storage.BucketFS(ctx, bucket)
	a, err := ndarray.Create[int32]("a", ndarray.Shape{0, 4}, &ndarray.Options{FS: fsys, ChunkShape: ndarray.Shape{2, 4}})
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	proxy.Disturb(1)
	const writers, rows = 3, 5
	var wg sync.WaitGroup
	for w := range int32(writers) {
		wg.Go(func() {
			for i := range int32(rows) {
				appendRow(t, fsys, []int32{w, i, 1, 2})
			}
		})
	}
	wg.Wait()
	proxy.Calm()
	a, err = ndarray.OpenAs[int32]("a", &ndarray.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Read(ctx)
	if err != nil || len(got) != 4*writers*rows {
		t.Fatalf("%d items, %v", len(got), err)
	}
	next := [writers]int32{}
	for _, row := range slices.Collect(slices.Chunk(got, 4)) {
		if row[1] != next[row[0]] || row[2] != 1 || row[3] != 2 {
			t.Fatalf("%d", got)
		}
		next[row[0]]++
	}

	// The server tells times in whole seconds, and may have got everything within one. An age below
	// zero takes in what was put in the same second.
	collected, err := frame.Collect(ctx, "a", &frame.CollectOptions{FS: fsys, Age: -time.Second})
	if err != nil || collected.Objects == 0 {
		t.Errorf("%+v, %v", collected, err)
	}
	if again, err := a.Read(ctx); err != nil || !slices.Equal(again, got) {
		t.Errorf("after collecting: %v", err)
	}
}

// appendRow appends a row with a handle of its own. A failure of the network before the commit is
// tried again; one that leaves the outcome open must not happen with these faults.
func appendRow(t *testing.T, fsys storage.FS, row []int32) {
	for range 20 {
		a, err := ndarray.OpenAs[int32]("a", &ndarray.OpenOptions{
			FS: fsys, Mode: ndarray.ReadWrite, Commits: frame.Commits{Retry: true}})
		if err != nil {
			continue
		}
		err = a.Atomically(t.Context(), func() error { return a.Append(t.Context(), 0, row) })
		if closed := a.Close(); err == nil {
			err = closed
		}
		if err == nil {
			return
		}
		t.Log(err)
		if !sureNotCommitted(t, fsys, row) {
			return
		}
	}
	t.Errorf("row %d could not be appended", row)
}

// sureNotCommitted reports whether a row is not in the array.
func sureNotCommitted(t *testing.T, fsys storage.FS, row []int32) bool {
	for range 20 {
		a, err := ndarray.OpenAs[int32]("a", &ndarray.OpenOptions{FS: fsys})
		if err != nil {
			continue
		}
		got, err := a.Read(t.Context())
		if err == nil {
			return !slices.ContainsFunc(slices.Collect(slices.Chunk(got, 4)), func(r []int32) bool { return slices.Equal(r, row) })
		}
	}
	t.Error("the array cannot be read")
	return false
}
