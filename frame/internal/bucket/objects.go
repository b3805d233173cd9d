package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// Objects are the objects of a frame in a bucket:
//
//	root                     the newest commit, the only object that is ever replaced
//	0123456789abcdef.root    each commit, under its number
//	0123456789abcdef.index   a segment of the index
//	0123456789abcdef.chunk   a chunk and its checksum
//
// Numbers are random, so writers that do not know of each other do not choose the same.
type Objects struct {
	storage.Bucket
	Ctx    context.Context // of calls that have none
	Path   string
	Limits cairn.Limits
}

// Until returns ctx, or the context of calls that have none if it is nil.
func (r *Objects) Until(ctx context.Context) context.Context {
	if ctx == nil {
		return r.Ctx
	}
	return ctx
}

// The kinds of objects.
const (
	ChunkKind   = "chunk"
	RootKind    = "root"
	segmentKind = "index"
)

// ObjectName returns the name of an object within its frame.
func ObjectName(number int64, kind string) string { return fmt.Sprintf("%016x.%s", number, kind) }

// Name returns the name of an object in the bucket.
func (r *Objects) Name(number int64, kind string) string {
	return r.Path + "/" + ObjectName(number, kind)
}

// Newest returns the name of the root.
func (r *Objects) Newest() string { return r.Path + "/" + RootKind }

// rootGuess is how many bytes of a root the first request asks for.
const rootGuess = 128 << 10

// read returns the content of an object whose size is not known, of most bytes at most.
func (r *Objects) read(ctx context.Context, name string, most int64) ([]byte, storage.Object, error) {
	b := make([]byte, rootGuess)
	n, at, err := r.ReadStart(ctx, name, b)
	switch {
	case err != nil:
		return nil, at, err
	case at.Size <= int64(n):
		return b[:n], at, nil
	case at.Size > most:
		return nil, at, fmt.Errorf("object of %d bytes: %w: %d are allowed", at.Size, cairn.ErrLimit, most)
	}
	all := append(b[:n:n], make([]byte, at.Size-int64(n))...)
	return all, at, r.ReadRanges(ctx, at, []storage.Range{{Off: int64(n), Data: all[n:]}})
}

// ReadRoot returns the root in an object, and the object.
func (r *Objects) ReadRoot(ctx context.Context, name string) (*Root, storage.Object, error) {
	for again := false; ; again = true {
		raw, at, err := r.read(ctx, name, Bound(r.Limits))
		if errors.Is(err, cairn.ErrConflict) && !again {
			continue // it was replaced between two requests
		}
		if err != nil {
			return nil, at, err
		}
		content, err := Parse(raw, r.Limits)
		return content, at, err
	}
}

// ReadCommit returns the root in the object of commit seq, of number id.
func (r *Objects) ReadCommit(ctx context.Context, id, seq int64) (*Root, error) {
	content, _, err := r.ReadRoot(ctx, r.Name(id, RootKind))
	switch {
	case err != nil:
	case content.ID != id || content.Seq != seq:
		err = cairn.Corruptf(Layer, summedAt, "version %d of number %d is in the place of version %d of number %d",
			content.Seq, content.ID, seq, id)
	default:
		return content, nil
	}
	return nil, broken(err, ObjectName(id, RootKind), "version %d", seq)
}

// broken adds the name of an object to an error of reading it. An object that is missing or shorter
// than it was, and should be there, is corrupt; a format and its arguments say what it is.
func broken(err error, object, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = wire.Because(cairn.Corruptf("object", -1,
			"%s is missing: removed as a part of an old version, or lost", what), err)
	case errors.Is(err, cairn.ErrBounds):
		err = wire.Because(cairn.Corruptf("object", -1, "%s has lost its end", what), err)
	}
	return fmt.Errorf("%s: %w", object, err)
}

// NewNumber returns the number of a new object.
func NewNumber() int64 { return 1 + rand.Int64N(1<<62) }
