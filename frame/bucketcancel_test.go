package frame

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// cancellable are calls, the requests that are not answered in them, and how long they last after
// their context has ended.
var cancellable = []struct {
	name, stall string
	lasts       time.Duration
	call        func(ctx context.Context, f *Frame) error
}{
	{"read", "get .chunk", 0, readThird},
	{"read the index", "get .index", 0, readThird},
	{"read items", "get .chunk", 0, func(ctx context.Context, f *Frame) error {
		_, err := f.ReadItems(ctx, make([]byte, 8), 3, 1, 2)
		return err
	}},
	{"read a block", "get .chunk", 0, readBlockOfThird},
	{"read a block, index", "get .index", 0, readBlockOfThird},
	{"peek", "get .chunk", 0, func(ctx context.Context, f *Frame) error {
		_, err := f.Inside().Within(ctx).Peek(3)
		return err
	}},
	{"verify", "get .chunk", 0, verifyFrame},
	{"verify, index", "get .index", 0, verifyFrame},
	{"verify, copy of the root", "get .root", 0, verifyFrame},
	{"copy", "get .chunk", 0, copyFrame},
	{"copy, index", "get .index", 0, copyFrame},
	{"refresh", "head /root", 0, func(ctx context.Context, f *Frame) error {
		_, err := f.Refresh(ctx)
		return err
	}},
	{"update, index", "get .index", 0, func(ctx context.Context, f *Frame) error { return f.Update(ctx, 3, numbered(9)) }},
	{"append", "put .chunk", 0, func(ctx context.Context, f *Frame) error {
		for i := 1; ; i++ {
			if _, err := f.Append(ctx, numbered(i)); err != nil {
				return err
			}
		}
	}},
	{"commit, chunk", "put .chunk", 0, commitFrame},
	{"commit, segment", "put .index", 0, func(ctx context.Context, f *Frame) error {
		for i := range bucket.MaxTail + 1 {
			if _, err := f.Append(ctx, numbered(i+1)); err != nil {
				return err
			}
		}
		return f.Commit(ctx)
	}},
	{"commit, copy of the root", "put .root", 0, commitFrame},
	// Whether it has happened must be found out.
	{"commit, root", "put /root", 10 * time.Second, commitFrame},
	{"versions", "get /root", 0, func(ctx context.Context, f *Frame) error {
		for _, err := range Versions(ctx, "a/frame", &OpenOptions{FS: f.edit.location.fs}) {
			return err
		}
		return nil
	}},
	{"collect, list", "list /", 0, collectFrame},
	{"collect, put", "put .chunk", 0, collectFrame},
	{"collect, index", "get .index", 0, collectFrame},
}

func readThird(ctx context.Context, f *Frame) error {
	_, err := f.ReadChunk(ctx, make([]byte, 32), 3)
	return err
}

func readBlockOfThird(ctx context.Context, f *Frame) error {
	_, err := f.ReadBlock(ctx, make([]byte, 32), 3, 0)
	return err
}

func verifyFrame(ctx context.Context, f *Frame) error {
	r, err := f.Verify(ctx)
	if err == nil {
		return errors.New("verified")
	}
	return errors.Join(append(r.Faults, err, ctx.Err())...)
}

func copyFrame(ctx context.Context, f *Frame) error {
	return Copy(ctx, "copy", f.Snapshot(), &CopyOptions{FS: storage.NewMemory()})
}

func commitFrame(ctx context.Context, f *Frame) error {
	if err := f.Update(ctx, index.SegmentLen+1, numbered(7)); err != nil {
		return err
	}
	return f.Commit(ctx)
}

func collectFrame(ctx context.Context, f *Frame) error {
	_, err := Collect(ctx, "a/frame", &CollectOptions{FS: f.edit.location.fs, Age: time.Nanosecond})
	return err
}

// TestCancelledCallsEnd cancels calls whose requests are not answered. They must end at once, and
// leave no goroutine when the frame is closed.
func TestCancelledCallsEnd(t *testing.T) {
	b := &storagetest.StalledBucket{Bucket: newDamagedBucket(t).Bucket}
	for _, c := range cancellable {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b.Stall("")
				f := openInBucket(t, b, OpenOptions{Mode: ReadWrite})
				ctx, cancel := context.WithCancel(t.Context())
				b.Stall(c.stall)
				done := make(chan error, 1)
				go func() { done <- c.call(ctx, f) }()
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
				if took := time.Since(began); took > c.lasts {
					t.Errorf("it lasted %v", took)
				}
				began = time.Now()
				if err := f.Abort(); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > 0 {
					t.Errorf("closing lasted %v", took)
				}
			})
		})
	}
}
