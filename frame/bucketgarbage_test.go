package frame

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// A putCounter counts the puts of chunks.
type putCounter struct {
	storage.Bucket
	mu     sync.Mutex
	chunks int
}

func (c *putCounter) Put(ctx context.Context, name string, b []byte, when storage.When) (storage.Object, error) {
	if strings.HasSuffix(name, ".chunk") {
		c.mu.Lock()
		c.chunks++
		c.mu.Unlock()
	}
	return c.Bucket.Put(ctx, name, b, when)
}

// garbageIn fails if there are objects that no commit refers to.
func garbageIn(t *testing.T, b storage.Bucket) {
	t.Helper()
	r := inBucket(storage.BucketFS(t.Context(), b), "a/frame", cairn.Limits{})
	garbage, young, err := r.Garbage(t.Context(), 1<<20, -1)
	if err != nil || len(garbage)+young > 0 {
		t.Errorf("%d objects are left over, %d of them young, %v", len(garbage), young, err)
	}
}

// TestRetriedCommitsPutChunksOnce runs writers that come in each other's way. Each appends chunks
// whose content does not depend on the others, so each is put once, and nothing is left over.
func TestRetriedCommitsPutChunksOnce(t *testing.T) {
	b := &putCounter{Bucket: newBucket()}
	if err := createInBucket(t, b, 0).Close(); err != nil {
		t.Fatal(err)
	}
	const writers, commits = 8, 6
	calls := make([]int, writers)
	var wg sync.WaitGroup
	for w := range writers {
		f := openInBucket(t, b, OpenOptions{Mode: ReadWrite, Commits: Commits{Retry: true}})
		wg.Go(func() {
			for c := range commits {
				err := f.Atomically(t.Context(), func() error {
					calls[w]++
					_, err := f.Append(t.Context(), numbered(1+w*commits+c))
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	tries := 0
	for _, n := range calls {
		tries += n
	}
	if b.chunks != writers*commits || tries == b.chunks {
		t.Errorf("%d puts of %d chunks, %d tries", b.chunks, writers*commits, tries)
	}
	garbageIn(t, b)

	f := openInBucket(t, b, OpenOptions{})
	defer f.Close()
	seen := map[int]bool{}
	got := make([]byte, 32)
	for i := range writers * commits {
		if _, err := f.ReadChunk(t.Context(), got, i); err != nil {
			t.Fatal(err)
		}
		label := int(got[0])
		if seen[label] || !bytes.Equal(got, numbered(label)) {
			t.Fatalf("chunk %d is %x", i, got)
		}
		seen[label] = true
	}
}

var errRefused = errors.New("refused")

// dropping are the ways to drop changes of a frame of three chunks.
func dropping() map[string]func(t *testing.T, f *Frame) {
	return map[string]func(t *testing.T, f *Frame){
		"replaced before the commit": func(t *testing.T, f *Frame) {
			for i := range 5 {
				if err := f.Update(t.Context(), 0, numbered(100+i)); err != nil {
					t.Fatal(err)
				}
			}
			mustCommit(t, f)
		},
		"rolled back": func(t *testing.T, f *Frame) {
			appendNumbered(t, f, 3, 6)
			if err := f.Rollback(); err != nil {
				t.Fatal(err)
			}
			appendNumbered(t, f, 3, 4)
			mustCommit(t, f)
		},
		"failed transaction": func(t *testing.T, f *Frame) {
			err := f.Atomically(t.Context(), func() error {
				appendNumbered(t, f, 3, 6)
				return errRefused
			})
			if !errors.Is(err, errRefused) {
				t.Fatal(err)
			}
		},
		"aborted": func(t *testing.T, f *Frame) {
			appendNumbered(t, f, 3, 6)
			if err := f.Abort(); err != nil {
				t.Fatal(err)
			}
		},
		"in conflict": func(t *testing.T, f *Frame) {
			g, err := Open("a/frame", &OpenOptions{FS: f.edit.location.fs, Mode: ReadWrite})
			if err != nil {
				t.Fatal(err)
			}
			appendNumbered(t, f, 3, 6)
			appendNumbered(t, g, 3, 4)
			mustCommit(t, g)
			if err := errors.Join(g.Close()); err != nil {
				t.Fatal(err)
			}
			if err := f.Commit(t.Context()); !errors.Is(err, cairn.ErrConflict) {
				t.Fatal(err)
			}
			if err := f.Abort(); err != nil {
				t.Fatal(err)
			}
		},
	}
}

// TestNothingIsLeftInBuckets drops changes in all ways, and looks for what is left over.
func TestNothingIsLeftInBuckets(t *testing.T) {
	for name, run := range dropping() {
		t.Run(name, func(t *testing.T) {
			b := newBucket()
			f := createInBucket(t, b, 3)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			f = openInBucket(t, b, OpenOptions{Mode: ReadWrite})
			run(t, f)
			if err := f.Close(); err != nil && !errors.Is(err, cairn.ErrClosed) && !errors.Is(err, errRefused) {
				t.Fatal(err)
			}
			garbageIn(t, b)
			f = openInBucket(t, b, OpenOptions{})
			defer f.Close()
			if r, err := f.Verify(t.Context()); err != nil || len(r.Faults) > 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// TestOldChunksAreNotUsedAgain stages a chunk again long after the commit that it was for has
// failed, when the first one has been collected.
func TestOldChunksAreNotUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBucket()
		f := createInBucket(t, b, 3)
		g := openInBucket(t, b, OpenOptions{Mode: ReadWrite})
		appendNumbered(t, f, 3, 4)
		appendNumbered(t, g, 4, 5)
		mustCommit(t, g)
		if err := f.Commit(t.Context()); !errors.Is(err, cairn.ErrConflict) {
			t.Fatal(err)
		}
		if err := f.Rollback(); err != nil {
			t.Fatal(err)
		}

		time.Sleep(48 * time.Hour)
		c, err := Collect(t.Context(), "a/frame", &CollectOptions{FS: storage.BucketFS(t.Context(), b), Keep: 9})
		if err != nil || c.Objects == 0 {
			t.Fatalf("%+v, %v", c, err)
		}
		if _, err := f.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		appendNumbered(t, f, 3, 4)
		mustCommit(t, f)
		got := make([]byte, 32)
		if err := errors.Join(f.Close(), g.Close()); err != nil {
			t.Fatal(err)
		}

		again := openInBucket(t, b, OpenOptions{})
		for i := range again.NumChunks() {
			if _, err := again.ReadChunk(t.Context(), got, i); err != nil {
				t.Errorf("chunk %d: %v", i, err)
			}
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
