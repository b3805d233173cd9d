package frame

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/locking"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/storage"
)

// bucketWriter changes a frame in a bucket. Each new chunk gets its own object, under a random
// number. A commit replaces the root on the condition that nobody else has done so.
type bucketWriter struct {
	src     *bucketSource
	base    *bucket.Root    // the last commit; nil for a new frame
	version string          // of the root object; "" if there was none
	ctx     context.Context // of the change that is running
	number  []int64         // of the chunks that it has staged
	own     bucket.Own      // what this handle has put and no commit refers to
}

// createBucket begins a frame in a bucket. Its first commit replaces the root that there is now,
// which is an error without o.Overwrite.
func createBucket(fsys storage.FS, path string, o *Options, _ int64) (source, writer, error) {
	r := inBucket(fsys, path, o.Limits)
	if o.Locking || o.Deterministic {
		return nil, nil, fmt.Errorf("options Locking and Deterministic in a bucket: %w", cairn.ErrUnsupported)
	}
	src := newBucketSource(r)
	w := &bucketWriter{src: src, ctx: r.Ctx}
	at, err := r.Stat(r.Ctx, r.Newest())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return src, w, nil
	case err != nil:
		return nil, nil, err
	case !o.Overwrite:
		return nil, nil, fs.ErrExist
	}
	w.version = at.Version
	return src, w, nil
}

func (w *bucketWriter) fresh() bool { return w.base == nil }

func (w *bucketWriter) begin(ctx context.Context) { w.ctx, w.number = ctx, w.number[:0] }

// undo forgets what was staged.
func (w *bucketWriter) undo(*state) {
	w.src.uploads.Drop(w.number)
	w.own.Drop(w.src.Objects, w.number)
}

// stage puts a chunk, unless it is one that was put for a commit that failed.
func (w *bucketWriter) stage(c [][]byte) (int64, error) {
	content := make([]byte, 0, sizeOf(c)+format.FooterSize)
	for _, p := range c {
		content = append(content, p...)
	}
	content = format.AppendFooter(content, format.Checksum(content))
	number, there := w.own.Stage(content)
	if !there {
		if err := w.src.uploads.Start(w.ctx, w.src.Objects, number, content); err != nil {
			w.own.Drop(w.src.Objects, []int64{number})
			return 0, err
		}
	}
	w.number = append(w.number, number)
	return number, nil
}

// inherit takes over what another writer of the handle has put for commits that failed.
func (w *bucketWriter) inherit(from writer) {
	if old, ok := from.(*bucketWriter); ok {
		w.own = old.own
		w.own.Spare(&old.src.uploads)
	}
}

func (w *bucketWriter) extent(v *state) int64 { return v.live }

// spare keeps what was staged and dropped, for chunks with the same content.
func (w *bucketWriter) spare() { w.own.Spare(&w.src.uploads) }

// close deletes what this handle has put and no commit refers to.
func (w *bucketWriter) close(bool) error {
	w.src.uploads.Close()
	w.own.Delete(w.src.Objects)
	return nil
}

// A commit of a frame in a bucket, in the order in which it happens (docs/format/bucket.md):
//
//	1  staged chunks are put under new numbers, in the background; wait for all
//	2  put new segments of the index, and the new root under its own number
//	3  put the root, on the condition that it is still the one that the change began from
//
// Until step 3 nothing refers to the new objects. If somebody else has committed, step 3 fails, and
// the staged changes stay as they are. A chunk that is staged again afterwards is not put again. If
// its answer is lost, the root that is there now tells what has happened: a root names the commits
// before it.

func (w *bucketWriter) commit(
	ctx context.Context, _ *locking.Lock, committed, next *state,
) (*state, bool, error) {
	if err := w.src.uploads.Finish(ctx, w.src.Objects); err != nil {
		return nil, false, err
	}
	done, content, objects, err := w.describe(ctx, committed, next)
	if err != nil {
		return nil, false, err
	}

	if err := w.src.PutAll(ctx, objects); err != nil {
		return nil, false, err
	}
	raw := objects[len(objects)-1].Content
	version, fatal, err := w.src.Replace(ctx, content, raw, w.version)
	switch {
	case fatal:
		w.own = bucket.Own{} // the commit may refer to it
		return nil, true, err
	case err != nil:
		w.own.Waste(ctx, w.src.Objects, objects)
		return nil, false, err
	}

	w.own.Commit(committed.index, next.index)
	w.base = content
	w.version = version
	done.mark = &mark{version: version, root: content}
	return &done.state, false, nil
}

// describe returns next as committed, its root, and the objects that are put before the root is
// replaced: new segments, and the root under its own number.
func (w *bucketWriter) describe(
	ctx context.Context, committed, next *state,
) (*draft, *bucket.Root, []bucket.NewObject, error) {
	content := &bucket.Root{ID: bucket.NewNumber(), Seq: 1, Time: time.Now().UnixNano(), Entries: int64(next.index.Len()),
		Live: next.live, Earlier: w.base.Before()}
	if w.base != nil {
		content.Seq = w.base.Seq + 1
	}

	done := next.draft()
	done.touched = false
	done.head.HeaderLen = format.HeaderSize(next.layers)
	done.head.CBytes = next.live
	done.head.Witness = 0
	content.Trailer = metalist.AppendTrailer(nil, next.vl)
	done.head.FrameLen = done.head.HeaderLen + int64(len(content.Trailer))
	done.cover = &cover{verdict: Verified, seq: uint64(content.Seq), full: true}
	content.Header = done.header()

	objects, err := w.src.Arrange(content, w.base, committed.index, next.index, func(j int) error {
		return w.src.load(ctx, j)
	})
	raw := content.Append(nil)
	return done, content, append(objects, bucket.NewObject{Name: w.src.Name(content.ID, bucket.RootKind), Content: raw}), err
}

// openBucket opens a frame in a bucket, at the commit of a number, or the newest one if that is 0.
func openBucket(ctx context.Context, r *bucket.Objects, o *OpenOptions) (*Frame, error) {
	if o.Locking || o.Offset != 0 || o.Map || o.Sweep || o.Deterministic {
		return nil, fmt.Errorf("options Locking, Offset, Map, Sweep and Deterministic in a bucket: %w", cairn.ErrUnsupported)
	}
	content, at, err := r.ReadRoot(ctx, r.Newest())
	if err != nil {
		return nil, err
	}

	if o.Version != 0 && o.Version != content.Seq {
		if content, err = r.Version(ctx, content, o.Version); err != nil {
			return nil, err
		}
	}

	e := newEnv(r.Path, o)
	src := newBucketSource(r)
	v, err := readRooted(content, at.Version, e, src)
	if err != nil {
		return nil, err
	}

	if o.Mode != ReadWrite {
		return newFrame(v, nil, func() error { return nil }), nil
	}
	return newFrame(v, &bucketWriter{src: src, base: content, version: at.Version}, nil), nil
}
