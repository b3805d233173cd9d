package ndarray

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// cancellable are calls, and the requests that are not answered in them.
var cancellable = []struct {
	name, stall string
	call        func(ctx context.Context, a Array[uint64]) error
}{
	{"all", "get .chunk", func(ctx context.Context, a Array[uint64]) error {
		_, err := a.Read(ctx)
		return err
	}},
	{"an item", "get .chunk", func(ctx context.Context, a Array[uint64]) error {
		_, err := a.Read(ctx, Index(20), Index(500))
		return err
	}},
	{"blocks", "get .chunk", func(ctx context.Context, a Array[uint64]) error {
		for _, err := range a.Blocks(ctx) {
			return err
		}
		return nil
	}},
	{"chunks", "get .chunk", func(ctx context.Context, a Array[uint64]) error {
		for _, err := range a.Chunks(ctx) {
			return err
		}
		return nil
	}},
	{"copy", "get .chunk", func(ctx context.Context, a Array[uint64]) error {
		_, err := Copy(ctx, a, &CopyOptions{ChunkShape: Shape{7, 7}})
		return err
	}},
	{"copy of chunks", "get .chunk", func(ctx context.Context, a Array[uint64]) error {
		_, err := Copy(ctx, a, nil)
		return err
	}},
	{"refresh", "head /root", func(ctx context.Context, a Array[uint64]) error {
		_, err := a.Refresh(ctx)
		return err
	}},
	{"a part of a chunk", "get .chunk", func(ctx context.Context, a Array[uint64]) error {
		return errors.Join(a.Write(ctx, []uint64{1}, Range(3, 4), Range(5, 6)), a.Commit(ctx))
	}},
	{"commit", "put .chunk", func(ctx context.Context, a Array[uint64]) error {
		return errors.Join(a.Write(ctx, scattered(1)), a.Commit(ctx))
	}},
}

// scattered returns the items of an array, which do not compress.
func scattered(from uint64) []uint64 {
	items := make([]uint64, 64*1000)
	for i := range items {
		items[i] = (from + uint64(i)) * 0x9e3779b97f4a7c15
	}
	return items
}

// TestCancelledCallsInBucketsEnd cancels calls whose requests are not answered. They must end at
// once, and leave no goroutine.
func TestCancelledCallsInBucketsEnd(t *testing.T) {
	b := &storagetest.StalledBucket{Bucket: storage.FSBucket(storage.NewMemory(), ".")}
	fsys := storage.BucketFS(t.Context(), b)
	a, err := Create[uint64]("a", Shape{64, 1000}, &Options{FS: fsys, ChunkShape: Shape{16, 1000}, BlockShape: Shape{2, 100}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Write(t.Context(), scattered(0)), a.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range cancellable {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b.Stall("")
				a, err := OpenAs[uint64]("a", &OpenOptions{FS: storage.BucketFS(t.Context(), b), Mode: frame.ReadWrite})
				if err != nil {
					t.Fatal(err)
				}
				b.Stall(c.stall)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- c.call(ctx, a) }()
				synctest.Wait()
				select {
				case err := <-done:
					t.Fatalf("not stalled: %v", err)
				default:
				}
				began := time.Now()
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				if err := a.Abort(); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > 0 {
					t.Errorf("it lasted %v", took)
				}
			})
		})
	}
}
