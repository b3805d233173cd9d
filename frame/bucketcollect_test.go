package frame

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/storage"
)

func collect(t *testing.T, b storage.Bucket, keep int, age time.Duration) Collection {
	t.Helper()
	c, err := Collect(t.Context(), "a/frame", &CollectOptions{
		FS: storage.BucketFS(t.Context(), b), Keep: keep, Age: age})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestVersionsAreListed(t *testing.T) {
	b := newBucket()
	begin := time.Now()
	w := createInBucket(t, b, 3)
	appendNumbered(t, w, 3, 4)
	mustCommit(t, w)
	n := int64(2)
	for v, err := range Versions(t.Context(), "a/frame", &OpenOptions{FS: storage.BucketFS(t.Context(), b)}) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Seq != n || v.NumChunks != int(n)+2 || v.NBytes != 32*(n+2) || v.Time.Before(begin.Add(-time.Second)) {
			t.Errorf("%+v", v)
		}
		n--
	}
	if n != 0 {
		t.Errorf("%d versions are missing", n)
	}
	for _, err := range Versions(t.Context(), "a/frame", nil) {
		if !errors.Is(err, cairn.ErrUnsupported) {
			t.Error(err)
		}
	}
}

// TestCollectRemovesWhatIsNotNeeded makes garbage in all ways: replaced chunks and segments, a
// conflict, a change that was rolled back, and a frame that was replaced.
func TestCollectRemovesWhatIsNotNeeded(t *testing.T) {
	b := newBucket()
	mustClose(t, createInBucket(t, b, 7))
	o := inBucketOptions(b)
	o.Overwrite = true
	w, err := Create("a/frame", o)
	if err != nil {
		t.Fatal(err)
	}
	const n = bucket.MaxTail + 10
	appendNumbered(t, w, 0, n) // with a segment
	mustCommit(t, w)
	loser := openInBucket(t, b, OpenOptions{Mode: ReadWrite})
	appendNumbered(t, loser, 1, 3)
	if err := w.Update(t.Context(), 5, numbered(5000)); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, w)
	if err := loser.Commit(t.Context()); !errors.Is(err, cairn.ErrConflict) {
		t.Fatal(err)
	}
	defer loser.Abort() // which would remove what it has put, unlike a process that is killed
	foreign := "a/frame/notes.txt"
	if _, err := b.Put(t.Context(), foreign, []byte("mine"), storage.When{}); err != nil {
		t.Fatal(err)
	}
	if c := collect(t, b, 0, time.Hour); c.Objects != 0 {
		t.Errorf("%d young objects were removed", c.Objects)
	}
	// 6 chunks and a root of the replaced frame, 2 chunks and a root of the loser
	if c := collect(t, b, 1, time.Nanosecond); c.Objects != 6+1+2+1 || c.Bytes == 0 {
		t.Errorf("%+v", c)
	}
	old := openInBucket(t, b, OpenOptions{Version: 1})
	wantBucketChunks(t, old, n)
	if c := collect(t, b, 0, time.Nanosecond); c.Objects != 2 { // the replaced chunk, and its root
		t.Errorf("%+v", c)
	}
	_, err = old.ReadChunk(t.Context(), make([]byte, 32), 5)
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a chunk of a version that was removed: %v", err)
	}
	now := openInBucket(t, b, OpenOptions{})
	wantNumbered(t, now, 5, 5000)
	wantNumbered(t, now, n-1, n-1)
	if _, err := b.Stat(t.Context(), foreign); err != nil {
		t.Error(err)
	}
	o2 := &OpenOptions{FS: storage.BucketFS(t.Context(), b), Version: 1}
	if _, err := Open("a/frame", o2); !errors.Is(err, cairn.ErrNotFound) || errors.Is(err, cairn.ErrCorrupt) {
		t.Error(err)
	}
}

func TestCollectFailsWithoutAges(t *testing.T) {
	b := ageless{newBucket()}
	mustClose(t, createInBucket(t, b, 1))
	_, err := Collect(t.Context(), "a/frame", &CollectOptions{FS: storage.BucketFS(t.Context(), b)})
	if !errors.Is(err, cairn.ErrUnsupported) {
		t.Error(err)
	}
	if n := countObjects(t, b, ".chunk"); n != 0 {
		t.Errorf("%d objects are left", n) // of the probe; the only chunk has zeros
	}
}

// ageless hides the ages of its objects.
type ageless struct{ storage.Bucket }

func (b ageless) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		for at, err := range b.Bucket.List(ctx, prefix) {
			at.Modified = time.Time{}
			if !yield(at, err) {
				return
			}
		}
	}
}
