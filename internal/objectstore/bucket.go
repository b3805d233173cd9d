// Package objectstore makes a [storage.Bucket] of an object store that is reached over a network.
//
// What S3, Google Cloud Storage and Azure have in common is here: names, ranges that are merged and
// read concurrently, uploads in parts, retries, and puts whose answers are lost. A [Client] per
// store makes single requests.
package objectstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-go/cairn/storage"
)

// A Client makes requests of an object store. It does not retry them: the outcome of each attempt
// has to be known. Errors are *[Failure]s. Versions have no quotation marks.
type Client interface {
	// Get returns length bytes of an object from off, length > 0, or what there is of them, and the
	// object. If there is nothing, the Failure is Outside. If version is not empty and not the
	// current one, the Failure is Stale.
	Get(ctx context.Context, key, version string, off, length int64) (io.ReadCloser, storage.Object, error)
	// Head returns an object, named by its key, and the mark with which it was put, if any.
	Head(ctx context.Context, key string) (at storage.Object, mark string, err error)
	// Put creates or replaces an object if when holds, and returns its version. Otherwise the
	// Failure is Stale. The object keeps mark as metadata.
	Put(ctx context.Context, key string, data []byte, when storage.When, mark string) (version string, err error)
	// List returns a page of the objects whose keys begin with prefix, sorted and named by their
	// keys. The first page has an empty token, and the last one an empty next.
	List(ctx context.Context, prefix, token string) (page []storage.Object, next string, err error)
	// Delete removes an object, and succeeds if there is none.
	Delete(ctx context.Context, key string) error
}

// An Uploader is a Client that puts large objects in parts. Others put them by one request.
type Uploader interface {
	Upload(ctx context.Context, key, mark string) (Upload, error)
}

// An Upload puts an object in parts, which may be uploaded concurrently, in any order and
// repeatedly.
type Upload interface {
	Part(ctx context.Context, i int, data []byte) error
	// Complete creates the object of parts [0, parts), like Put.
	Complete(ctx context.Context, parts int, when storage.When) (version string, err error)
	// Abort removes the parts of an upload that is not completed.
	Abort(ctx context.Context) error
}

// MarkName is the name of the metadata in which objects keep their mark. It suits all stores.
const MarkName = "cairnput"

// settings bound what a bucket does. Only tests have others than defaults.
type settings struct {
	requests int           // in flight, of data and of objects' heads
	gap      int64         // unneeded bytes that are read to merge two requests
	piece    int64         // the most that one request reads
	part     int           // objects that are larger are uploaded in parts of this size
	attempts int           // of each request
	pause    time.Duration // before the second attempt; later ones wait longer
	patience time.Duration // for an attempt, apart from the time for its bytes
}

// These numbers are in docs/buckets.md.
var defaults = settings{
	requests: 64,
	gap:      64 << 10,
	piece:    8 << 20,
	part:     16 << 20,
	attempts: 6,
	pause:    100 * time.Millisecond,
	patience: 30 * time.Second,
}

// New returns the objects below a folder of the store as a Bucket: name is the object whose key is
// prefix, a slash and name. Without prefix, names are keys.
func New(c Client, prefix string) storage.Bucket { return newBucket(c, prefix, defaults) }

func newBucket(c Client, prefix string, s settings) *bucket {
	if prefix = strings.TrimRight(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return &bucket{c: c, prefix: prefix, settings: s, slots: make(chan struct{}, s.requests)}
}

type bucket struct {
	c      Client
	prefix string
	settings
	slots chan struct{} // a semaphore for requests in flight
}

// key returns the key of an object. Stores list keys as XML, which has no control characters.
func (b *bucket) key(op, name string) (string, error) {
	if !fs.ValidPath(name) || name == "." || strings.ContainsFunc(name, unlisted) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return b.prefix + name, nil
}

func unlisted(r rune) bool { return unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF }

func (b *bucket) Stat(ctx context.Context, name string) (storage.Object, error) {
	key, err := b.key("stat", name)
	if err != nil {
		return storage.Object{}, err
	}

	at, _, err := b.head(ctx, key)
	if err != nil {
		return storage.Object{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	at.Name = name
	return at, nil
}

func (b *bucket) head(ctx context.Context, key string) (at storage.Object, mark string, err error) {
	err = b.try(ctx, 0, func(ctx context.Context) error {
		at, mark, err = b.c.Head(ctx, key)
		return err
	})
	return at, mark, err
}

func (b *bucket) Delete(ctx context.Context, name string) error {
	key, err := b.key("delete", name)
	if err != nil {
		return err
	}
	if err := b.try(ctx, 0, func(ctx context.Context) error { return b.c.Delete(ctx, key) }); err != nil {
		return &fs.PathError{Op: "delete", Path: name, Err: err}
	}
	return nil
}

// List leaves out keys that are no names of objects of a Bucket, such as those that mark folders.
func (b *bucket) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		last := ""
		for token, more := "", true; more; more = token != "" {
			page, next, err := b.page(ctx, b.prefix+prefix, token)
			if err == nil && next == token && next != "" {
				err = errors.New("the store repeats a page of the list")
			}
			if err != nil {
				yield(storage.Object{}, &fs.PathError{Op: "list", Path: prefix, Err: err})
				return
			}

			for _, o := range page {
				o.Name = strings.TrimPrefix(o.Name, b.prefix)
				if _, err := b.key("list", o.Name); err != nil {
					continue
				}

				if o.Name <= last {
					yield(storage.Object{}, fmt.Errorf("list: %q follows %q: the store does not sort", o.Name, last))
					return
				}

				if last = o.Name; !yield(o, nil) {
					return
				}
			}
			token = next
		}
	}
}

func (b *bucket) page(ctx context.Context, prefix, token string) (page []storage.Object, next string, err error) {
	err = b.try(ctx, 0, func(ctx context.Context) error {
		page, next, err = b.c.List(ctx, prefix, token)
		return err
	})
	return page, next, err
}

// NewHasty is New for tests with faults: it repeats requests after a millisecond, and uploads in
// parts of 5 MiB, the least that S3 takes.
func NewHasty(c Client, prefix string) storage.Bucket {
	s := defaults
	s.pause = time.Millisecond
	s.part = 5 << 20
	s.attempts = 8
	return newBucket(c, prefix, s)
}
