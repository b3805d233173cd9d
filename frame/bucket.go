package frame

import (
	"context"
	"errors"
	"io/fs"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/storage"
)

// A bucketed file system is that of [storage.BucketFS].
type bucketed interface {
	Bucket() (context.Context, storage.Bucket)
}

// bucketSource is the source of a frame in a bucket: entries are the numbers of chunk objects.
type bucketSource struct {
	chunks book
	*bucket.Objects
	segments *bucket.Segments // of the index; nil for a new frame
	uploads  bucket.Uploads
}

func newBucketSource(r *bucket.Objects) *bucketSource {
	return &bucketSource{chunks: book{apart: true, requests: bucketRequests}, Objects: r}
}

// bucketRequests is how many chunks of a frame in a bucket are read at the same time.
const bucketRequests = 16

func (s *bucketSource) open(entry, _ int64) (span, error) {
	if c := s.uploads.Staged(entry); c != nil {
		return span{Lease: inside.Lease{File: storage.BytesFile(c), Owned: true}, limit: int64(len(c))}, nil
	}
	return span{Lease: inside.Lease{File: s.Chunk(entry), Owned: true}, limit: bucket.UnknownSize}, nil
}

// load fetches a segment of the index, unless it is there.
func (s *bucketSource) load(ctx context.Context, j int) error {
	if s.segments == nil {
		return nil
	}
	return s.segments.Load(ctx, j)
}

func (s *bucketSource) book() *book { return &s.chunks }

func (s *bucketSource) place(entry int64) place {
	return place{file: bucket.ObjectName(entry, bucket.ChunkKind)}
}

// survey checks the copy of the root under its own number, which nobody reads until the commit is
// an old version. Collect finds the objects that are not referred to.
func (s *bucketSource) survey(v *findings) error {
	if v.state.mark == nil {
		return nil // not committed yet
	}
	root := v.state.mark.root
	ctx := s.Until(v.state.ctx)
	_, err := s.ReadCommit(ctx, root.ID, root.Seq)
	if errors.Is(err, fs.ErrNotExist) {
		if at, failed := s.Stat(ctx, s.Newest()); failed == nil && at.Version != v.state.mark.version {
			return nil // an old version, of which Collect removes what no other one needs
		}
	}
	v.report.fault(v.env.place(err))
	return nil
}

// readRooted returns the state that a root describes.
func readRooted(content *bucket.Root, version string, e *env, src *bucketSource) (*state, error) {
	p := parts{rawHeader: content.Header, rawTrailer: content.Trailer}
	var err error
	if p.head, err = format.ParseHeader(content.Header, 1<<62); err != nil {
		return nil, err
	}

	if p.head.Generation != format.Current || p.head.HeaderLen != int64(len(content.Header)) {
		return nil, cairn.Corruptf(format.LayerHeader, 0, "no header of %d bytes in a root", len(content.Header))
	}
	if p.layers, err = metalist.ParseHeader(content.Header, p.head.LayersAt); err != nil {
		return nil, err
	}

	p.layers = cloneLayers(p.layers)
	if p.vl, err = metalist.ParseTrailer(content.Trailer); err != nil {
		return nil, err
	}
	p.cover = &cover{verdict: Verified, seq: uint64(content.Seq), full: true}
	v := p.draft(e, src)
	v.live = content.Live
	v.head.CBytes = content.Live
	v.mark = &mark{version: version, root: content}
	if size := int64(v.head.ChunkSize); size > 0 && content.Entries < (v.head.NBytes+size-1)/size {
		return nil, cairn.Corruptf(bucket.Layer, -1, "%d entries, but %d bytes in chunks of %d need more",
			content.Entries, v.head.NBytes, size)
	}

	src.segments = src.Segments(content)
	v.index = src.segments.Index()
	return &v.state, nil
}

// Objects are read with one request if they are not larger than the first one asks for: some times
// the size of the average chunk.
const (
	leastStart = 64 << 10
	mostStart  = 8 << 20
)
