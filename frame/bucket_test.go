package frame

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/storage"
)

// newBucket returns an empty bucket in memory.
func newBucket() storage.Bucket { return storage.FSBucket(storage.NewMemory(), ".") }

func inBucketOptions(b storage.Bucket) *Options {
	return &Options{FS: storage.BucketFS(context.Background(), b), TypeSize: 8, ChunkSize: 32}
}

func openInBucket(t testing.TB, b storage.Bucket, o OpenOptions) *Frame {
	t.Helper()
	o.FS = storage.BucketFS(t.Context(), b)
	f, err := Open("a/frame", &o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// createInBucket creates a frame of n numbered chunks, in one commit.
func createInBucket(t testing.TB, b storage.Bucket, n int) *Frame {
	t.Helper()
	f, err := Create("a/frame", inBucketOptions(b))
	if err != nil {
		t.Fatal(err)
	}
	appendNumbered(t, f, 0, n)
	mustCommit(t, f)
	return f
}

func appendNumbered(t testing.TB, f *Frame, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if _, err := f.Append(t.Context(), numbered(i)); err != nil {
			t.Fatal(err)
		}
	}
}

func wantBucketChunks(t testing.TB, f *Frame, n int) {
	t.Helper()
	if f.NumChunks() != n {
		t.Fatalf("%d chunks, want %d", f.NumChunks(), n)
	}
	got := make([]byte, 32)
	for i := range n {
		if _, err := f.ReadChunk(t.Context(), got, i); err != nil || !bytes.Equal(got, numbered(i)) {
			t.Fatalf("chunk %d is %x, %v", i, got, err)
		}
	}
}

func mustCommit(t testing.TB, f *Frame) {
	t.Helper()
	if err := f.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestFramesInBuckets(t *testing.T) {
	b := newBucket()
	w := createInBucket(t, b, 10)
	wantBucketChunks(t, w, 10)
	r := openInBucket(t, b, OpenOptions{})
	wantBucketChunks(t, r, 10)
	if err := w.SetVL("name", []byte("value")); err != nil {
		t.Fatal(err)
	}
	appendNumbered(t, w, 10, 13)
	mustCommit(t, w)
	wantBucketChunks(t, r, 10) // until it is refreshed
	if changed, err := r.Refresh(t.Context()); !changed || err != nil {
		t.Fatal(changed, err)
	}
	wantBucketChunks(t, r, 13)
	if v, err := r.VL("name"); string(v) != "value" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	if changed, err := r.Refresh(t.Context()); changed || err != nil {
		t.Error(changed, err)
	}
	if changed, err := w.Refresh(t.Context()); changed || err != nil {
		t.Error(changed, err)
	}
	if report, err := r.Verify(t.Context()); err != nil || report.Stored[Verified] != 12 || report.Special != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	raw, err := r.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	local, err := FromBytes(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantBucketChunks(t, local, 13)
	mustClose(t, w)
	mustClose(t, r)
	again := openInBucket(t, b, OpenOptions{Mode: ReadWrite})
	if err := again.Update(t.Context(), 3, numbered(3)); err != nil {
		t.Fatal(err)
	}
	mustClose(t, again)
	wantBucketChunks(t, openInBucket(t, b, OpenOptions{}), 13)
}

func TestSecondCommitterConflicts(t *testing.T) {
	b := newBucket()
	first := createInBucket(t, b, 2)
	second := openInBucket(t, b, OpenOptions{Mode: ReadWrite})
	appendNumbered(t, first, 2, 3)
	appendNumbered(t, second, 2, 4)
	mustCommit(t, first)
	if err := second.Commit(t.Context()); !errors.Is(err, cairn.ErrConflict) {
		t.Fatal(err)
	}
	wantBucketChunks(t, second, 4) // nothing of it is lost
	if err := second.Rollback(); err != nil {
		t.Fatal(err)
	}
	if changed, err := second.Refresh(t.Context()); !changed || err != nil {
		t.Fatal(changed, err)
	}
	appendNumbered(t, second, 3, 5)
	mustClose(t, second)
	mustClose(t, first)
	wantBucketChunks(t, openInBucket(t, b, OpenOptions{}), 5)
}

func TestCreatingInBuckets(t *testing.T) {
	b := newBucket()
	late, err := Create("a/frame", inBucketOptions(b))
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, createInBucket(t, b, 5))
	if err := late.Close(); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("close of a frame that somebody else has created: %v", err)
	}
	if _, err := Create("a/frame", inBucketOptions(b)); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	o := inBucketOptions(b)
	o.Overwrite = true
	f, err := Create("a/frame", o)
	if err != nil {
		t.Fatal(err)
	}
	wantBucketChunks(t, openInBucket(t, b, OpenOptions{}), 5) // until the first commit
	appendNumbered(t, f, 0, 2)
	mustClose(t, f)
	wantBucketChunks(t, openInBucket(t, b, OpenOptions{}), 2)
	for _, mode := range []Mode{ReadOnly, ReadWrite} {
		if _, err := Open("a/none", &OpenOptions{FS: o.FS, Mode: mode}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: %v", mode, err)
		}
	}
	for what, o := range map[string]OpenOptions{
		"Locking": {Locking: true}, "Sweep": {Sweep: true, Mode: ReadWrite}, "Offset": {Offset: 1}} {
		o.FS = inBucketOptions(b).FS
		if _, err := Open("a/frame", &o); !errors.Is(err, cairn.ErrUnsupported) && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestFilesInBuckets(t *testing.T) {
	b := newBucket()
	f := mustFrame(t, 3)
	raw, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(t.Context(), "a/frame", raw, storage.When{}); err != nil {
		t.Fatal(err)
	}
	wantBucketChunks(t, openInBucket(t, b, OpenOptions{}), 3)
}

func mustFrame(t *testing.T, n int) *Frame {
	t.Helper()
	f, err := New(&Options{TypeSize: 8})
	if err != nil {
		t.Fatal(err)
	}
	appendNumbered(t, f, 0, n)
	return f
}

func TestVersionsStayReadable(t *testing.T) {
	b := newBucket()
	w := createInBucket(t, b, 1)
	const commits = bucket.MaxEarlier + 10
	for i := 1; i < commits; i++ {
		appendNumbered(t, w, i, i+1)
		mustCommit(t, w)
	}
	for _, seq := range []int64{1, 2, 9, 10, 11, commits - 1, commits} {
		wantBucketChunks(t, openInBucket(t, b, OpenOptions{Version: seq}), int(seq))
	}
	fsys := storage.BucketFS(t.Context(), b)
	if _, err := Open("a/frame", &OpenOptions{FS: fsys, Version: commits + 1}); !errors.Is(err, cairn.ErrNotFound) {
		t.Error(err)
	}
	if _, err := Open("a/frame", &OpenOptions{FS: fsys, Version: 1, Mode: ReadWrite}); !errors.Is(err, cairn.ErrReadOnly) {
		t.Error(err)
	}
}

// TestIndexesGrowBySegments writes so many chunks that segments are written, replaced and shared.
func TestIndexesGrowBySegments(t *testing.T) {
	b := newBucket()
	f := createInBucket(t, b, 1)
	if err := f.AppendSpecial(t.Context(), chunk.SpecialZeros, 32*3*index.SegmentLen); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, f)
	if n := countObjects(t, b, ".index"); n != 0 {
		t.Errorf("%d segments for chunks of zeros", n)
	}
	for i := range bucket.MaxTail + 2 { // the first has zeros
		if err := f.Update(t.Context(), index.SegmentLen+i, numbered(i)); err != nil {
			t.Fatal(err)
		}
	}
	mustCommit(t, f)
	if n := countObjects(t, b, ".index"); n != 1 {
		t.Errorf("%d segments, want 1", n)
	}
	r := openInBucket(t, b, OpenOptions{})
	for i := range bucket.MaxTail {
		wantNumbered(t, r, index.SegmentLen+i, i)
	}
	wantNumbered(t, r, 2*index.SegmentLen, 0)
}

func countObjects(t *testing.T, b storage.Bucket, suffix string) (n int) {
	t.Helper()
	for at, err := range b.List(t.Context(), "a/frame/") {
		if err != nil {
			t.Fatal(err)
		}
		if len(at.Name) > len(suffix) && at.Name[len(at.Name)-len(suffix):] == suffix {
			n++
		}
	}
	return n
}

// A lossyBucket loses the answers of puts of chunks while it is set to.
type lossyBucket struct {
	storage.Bucket
	losing atomic.Bool
}

func (b *lossyBucket) Put(ctx context.Context, name string, data []byte, when storage.When) (storage.Object, error) {
	at, err := b.Bucket.Put(ctx, name, data, when)
	if err == nil && b.losing.Load() && strings.HasSuffix(name, ".chunk") {
		return storage.Object{}, errNetwork
	}
	return at, err
}

// TestChunksWhoseAnswersAreLost stages chunks whose puts seem to fail, although they happen.
func TestChunksWhoseAnswersAreLost(t *testing.T) {
	b := &lossyBucket{Bucket: newBucket()}
	f := createInBucket(t, b, 2)
	b.losing.Store(true)
	if _, err := f.Append(t.Context(), numbered(2)); err != nil {
		t.Fatal(err) // the put runs in the background
	}
	wantBucketChunks(t, f, 3)
	if err := f.Commit(t.Context()); err != nil {
		t.Fatal(err) // its repetition finds the chunk
	}
	b.losing.Store(false)
	wantBucketChunks(t, openInBucket(t, b, OpenOptions{}), 3)
	mustClose(t, f)
}
