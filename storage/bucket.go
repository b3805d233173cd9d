package storage

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/cairn-go/cairn"
)

// A Bucket stores whole objects under names, like an object store: an object is put, replaced and
// deleted as a whole, and read in ranges. Names are valid by [io/fs.ValidPath]; "." is none. All
// methods are safe for concurrent use and return early when ctx is done. Their errors match
// fs.ErrNotExist if the object does not exist, and fs.ErrPermission if the caller may not do that.
type Bucket interface {
	// ReadRanges fills ranges of an object, like a [RangeReader]. If at has a version that is not
	// the object's current one, the error matches cairn.ErrConflict.
	ReadRanges(ctx context.Context, at Object, ranges []Range) error
	Stat(ctx context.Context, name string) (Object, error)
	// ReadStart fills p with the first bytes of an object and describes the object, by one request
	// where the store can do so. n is less than len(p) only if the object is shorter.
	ReadStart(ctx context.Context, name string, p []byte) (n int, at Object, err error)
	// Put creates or replaces an object if the condition when holds. Otherwise nothing changes and
	// the error matches cairn.ErrConflict. The object is durable when Put returns. Concurrent
	// readers see the old object or the new one. After any other error the object may have been
	// put, or may still be put: a request without an answer may have been carried out.
	Put(ctx context.Context, name string, data []byte, when When) (Object, error)
	// List returns the objects whose names begin with prefix, sorted by name. Their versions may be
	// empty.
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
	// Delete removes an object. It is not an error if there is none.
	Delete(ctx context.Context, name string) error
}

// When is the condition under which an object is put. The zero value is no condition.
type When struct {
	Absent  bool   // there must be no object of this name
	Version string // the object must have this version, if not empty
}

// allows returns an error if the condition does not hold for at, the current object, if it exists.
func (w When) allows(at Object, exists bool) error {
	switch {
	case w.Absent && exists:
		return fmt.Errorf("%s already exists: %w", at.Name, cairn.ErrConflict)
	case w.Version != "" && !exists:
		return fmt.Errorf("%s no longer exists: %w", at.Name, cairn.ErrConflict)
	case w.Version != "" && w.Version != at.Version:
		return fmt.Errorf("%s has changed: %w", at.Name, cairn.ErrConflict)
	}
	return nil
}

// ObjectRanges returns an object of a bucket for [OpenRanges]. If Stat is called, later reads
// require the version that the first call found.
func ObjectRanges(b Bucket, name string) RangeReader {
	return &objectRanges{b: b, at: Object{Name: name}}
}

type objectRanges struct {
	b  Bucket
	mu sync.Mutex
	at Object // with the version once it is known
}

func (o *objectRanges) Stat(ctx context.Context) (Object, error) {
	at, err := o.b.Stat(ctx, o.object().Name)
	if err != nil {
		return Object{}, err
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	if o.at.Version == "" {
		o.at = at
	} else if o.at.Version != at.Version {
		return Object{}, fmt.Errorf("%s has changed: %w", at.Name, cairn.ErrConflict)
	}
	return at, nil
}

func (o *objectRanges) object() Object {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.at
}

func (o *objectRanges) ReadRanges(ctx context.Context, ranges []Range) error {
	return o.b.ReadRanges(ctx, o.object(), ranges)
}
