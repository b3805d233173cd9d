package ndarray

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/storage"
)

func TestArraysInBuckets(t *testing.T) {
	fsys := storage.BucketFS(t.Context(), storage.FSBucket(storage.NewMemory(), "."))
	o := &Options{FS: fsys, ChunkShape: Shape{2, 8}, BlockShape: Shape{1, 4}}
	a, err := Create[int32]("folder/a", Shape{5, 20}, o)
	if err != nil {
		t.Fatal(err)
	}
	items := make([]int32, 100)
	for i := range items {
		items[i] = int32(i)
	}
	if err := a.Write(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	open := func(mode Mode) Array[int32] {
		t.Helper()
		a, err := OpenAs[int32]("folder/a", &OpenOptions{FS: fsys, Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	r, first, second := open(ReadOnly), open(ReadWrite), open(ReadWrite)
	for i, w := range []Array[int32]{first, second} {
		if err := w.Append(t.Context(), 0, items[:20*(i+1)]); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.Commit(t.Context()); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("the second commit: %v", err)
	}
	if err := second.Rollback(); err != nil {
		t.Fatal(err)
	}
	got, err := r.Read(t.Context())
	if err != nil || len(got) != 100 || got[99] != 99 {
		t.Fatalf("%d items, %v", len(got), err)
	}
	if changed, err := r.Refresh(t.Context()); !changed || err != nil || r.Shape()[0] != 6 {
		t.Fatal(changed, err, r.Shape())
	}
	if got, err = r.Read(t.Context()); err != nil || len(got) != 120 || got[119] != 19 {
		t.Fatalf("%d items, %v", len(got), err)
	}
}

// TestAppendersInBucketsRetry appends rows with several handles at the same time. No row may be
// lost.
func TestAppendersInBucketsRetry(t *testing.T) {
	fsys := storage.BucketFS(t.Context(), storage.FSBucket(storage.NewMemory(), "."))
	a, err := Create[int32]("a", Shape{0, 4}, &Options{FS: fsys, ChunkShape: Shape{2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	const writers, rows = 4, 6
	var wg sync.WaitGroup
	for w := range int32(writers) {
		wg.Go(func() {
			o := &OpenOptions{FS: fsys, Mode: ReadWrite, Commits: frame.Commits{Retry: true}}
			a, err := OpenAs[int32]("a", o)
			for i := int32(0); i < rows && err == nil; i++ {
				err = a.Atomically(t.Context(), func() error {
					return a.Append(t.Context(), 0, []int32{w, i, int32(a.Shape()[0]), 7})
				})
			}
			if err == nil {
				err = a.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	a, err = OpenAs[int32]("a", &OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Read(t.Context())
	if err != nil || len(got) != 4*writers*rows {
		t.Fatalf("%d items, %v", len(got), err)
	}
	next := [writers]int32{}
	for i, row := range slices.Collect(slices.Chunk(got, 4)) {
		if row[1] != next[row[0]] || row[2] != int32(i) || row[3] != 7 {
			t.Fatalf("row %d is %v", i, row)
		}
		next[row[0]]++
	}
}

// A slowBucket takes some time for each request to read.
type slowBucket struct{ storage.Bucket }

const delay = 20 * time.Millisecond

func (b slowBucket) ReadStart(ctx context.Context, name string, p []byte) (int, storage.Object, error) {
	time.Sleep(delay)
	return b.Bucket.ReadStart(ctx, name, p)
}

func (b slowBucket) ReadRanges(ctx context.Context, at storage.Object, ranges []storage.Range) error {
	time.Sleep(delay)
	return b.Bucket.ReadRanges(ctx, at, ranges)
}

// TestChunksInBucketsAreReadTogether reads 64 chunks with one worker.
func TestChunksInBucketsAreReadTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := storage.BucketFS(t.Context(), slowBucket{storage.FSBucket(storage.NewMemory(), ".")})
		a, err := Create[int32]("a", Shape{64, 1000}, &Options{FS: fsys, ChunkShape: Shape{1, 1000}, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		items := make([]int32, 64_000)
		for i := range items {
			items[i] = int32(i)
		}
		if err := a.Write(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if a, err = OpenAs[int32]("a", &OpenOptions{FS: fsys, Workers: 1}); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		got, err := a.Read(t.Context())
		if err != nil || !slices.Equal(got, items) {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 5*delay {
			t.Errorf("reading took %v", took)
		}
	})
}
