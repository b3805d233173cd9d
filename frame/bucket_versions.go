package frame

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/storage"
)

// A Version describes a commit of a frame in a bucket.
type Version struct {
	Seq       int64 // number of the commit, for OpenOptions.Version
	Time      time.Time
	NumChunks int
	NBytes    int64 // decoded
	CBytes    int64 // stored, without the index
}

// Versions yields the commits of a frame in a bucket, the newest first, down to the oldest that is
// not removed. o.FS must be that of [storage.BucketFS].
func Versions(ctx context.Context, path string, o *OpenOptions) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		r, err := bucketAt(path, o)
		if err != nil {
			yield(Version{}, err)
			return
		}
		for content, err := range r.Commits(ctx) {
			var v Version
			if err == nil {
				v, err = describeVersion(content)
			}
			if !yield(v, inPath(r, err)) || err != nil {
				return
			}
		}
	}
}

// bucketAt returns the objects of a frame, which must be in a bucket.
func bucketAt(path string, o *OpenOptions) (*bucket.Objects, error) {
	o = cmp.Or(o, &OpenOptions{})
	if r := inBucket(o.FS, path, o.Limits); r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%s: versions of a frame that is not in a bucket: %w", path, cairn.ErrUnsupported)
}

func inPath(r *bucket.Objects, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", r.Path, err)
}

func describeVersion(content *bucket.Root) (Version, error) {
	h, err := format.ParseHeader(content.Header, 1<<62)
	return Version{Seq: content.Seq, Time: time.Unix(0, content.Time).UTC(),
		NumChunks: int(content.Entries), NBytes: h.NBytes, CBytes: content.Live}, err
}

// CollectOptions are the options of [Collect].
type CollectOptions struct {
	FS     storage.FS // of storage.BucketFS
	Limits cairn.Limits
	Keep   int // number of versions to keep besides the newest
	// objects that were put later than this before now stay, because their commit may be under way;
	// 0 means 24 hours
	Age    time.Duration
	DryRun bool // count only
}

// Collection says what Collect removed.
type Collection struct {
	Objects int
	Bytes   int64
	Young   int // number of objects that stay only because of their age
}

const collectAge = 24 * time.Hour

// Collect removes the objects of a frame in a bucket that neither its newest commit nor one of the
// o.Keep commits before refers to: those of older versions, and those that failed or killed writers
// left. It reads the index of each version that is kept. Readers of versions that are removed get
// errors that match cairn.ErrCorrupt and fs.ErrNotExist.
//
// A commit puts its objects before the root refers to them, so Collect does not remove objects that
// are younger than o.Age. A commit must not take longer than that. Collect goes by the clock of the
// bucket, and fails with cairn.ErrUnsupported if the bucket does not tell the age of objects.
func Collect(ctx context.Context, path string, o *CollectOptions) (c Collection, err error) {
	o = cmp.Or(o, &CollectOptions{})
	r, err := bucketAt(path, &OpenOptions{FS: o.FS, Engine: chunk.Engine{Limits: o.Limits}})
	if err != nil {
		return c, err
	}

	garbage, young, err := r.Garbage(ctx, o.Keep, cmp.Or(o.Age, collectAge))
	if err != nil {
		return c, inPath(r, err)
	}
	c.Young = young
	for _, at := range garbage {
		if !o.DryRun {
			if err := r.Delete(ctx, at.Name); err != nil {
				return c, inPath(r, err)
			}
		}
		c.Objects++
		c.Bytes += at.Size
	}

	return c, nil
}
