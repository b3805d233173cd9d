// Package bucketurl opens what URLs name in buckets, such as s3://bucket/key.
//
// One bucket holds everything: its objects are named by URLs, and it passes requests on to the
// buckets in them. So frames, arrays and stores are opened by the URL, as files are by their path.
package bucketurl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// Openers open a bucket by its name, by the scheme of URLs: s3, gs or az.
type Openers map[string]func(ctx context.Context, bucket string) (storage.Bucket, error)

// titles are the stores that have clients in other builds, by scheme.
var titles = map[string]string{"s3": "Amazon S3", "gs": "Google Cloud Storage", "az": "Azure Blob Storage"}

// fileScheme is that of directories of this machine that serve as buckets.
const fileScheme = "file"

// buckets is a bucket whose objects are named by URLs, in which package path may have joined
// slashes.
type buckets struct {
	openers Openers

	mu    sync.Mutex
	open  map[string]storage.Bucket // by scheme, colon and bucket
	roots []string                  // directories that serve as buckets
}

// A location is an object, or what objects begin with, in one bucket.
type location struct {
	storage.Bucket
	key   string
	named string // the URL up to the key
}

// at returns the place of a URL.
func (b *buckets) at(ctx context.Context, name string) (location, error) {
	scheme, rest, _ := strings.Cut(name, ":")
	slashes := len(rest) - len(strings.TrimLeft(rest, "/"))
	switch {
	case scheme == fileScheme && slashes == 2:
		return location{}, fmt.Errorf("a host in a URL of a file; it has three slashes, as in file:///directory/key: %w",
			fs.ErrInvalid)
	case scheme == fileScheme:
		return b.inDirectory(name, rest[max(0, slashes-1):])
	}

	bucket, key, _ := strings.Cut(rest[slashes:], "/")
	p := location{key: key, named: name[:len(name)-len(key)]}
	switch {
	case b.openers[scheme] == nil && titles[scheme] == "":
		return p, fmt.Errorf("unknown scheme %q; there are http, https, s3, gs, az and file: %w", scheme,
			cairn.ErrUnsupported)
	case b.openers[scheme] == nil:
		return p, fmt.Errorf("this build has no client of %s; cairn-cloud is the one that has: %w", titles[scheme],
			cairn.ErrUnsupported)
	case bucket == "":
		return p, fmt.Errorf("no bucket: a URL is %s://bucket/key: %w", scheme, fs.ErrInvalid)
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	id := scheme + ":" + bucket
	if b.open[id] == nil {
		opened, err := b.openers[scheme](ctx, bucket)
		if err != nil {
			return p, err
		}
		b.open[id] = opened
	}

	p.Bucket = b.open[id]
	return p, nil
}

// explain names an object by its URL in an error.
func explain(op, name string, err error) error {
	if err == nil {
		return nil
	}
	var of *fs.PathError
	if errors.As(err, &of) {
		op = of.Op
		err = of.Err
	}

	// Slashes of the URL may have been joined in the name.
	scheme, rest, _ := strings.Cut(name, ":")
	url := scheme + "://" + strings.TrimLeft(rest, "/")
	if scheme == fileScheme {
		url = scheme + "://" + path.Clean("/"+rest)
	}
	return &fs.PathError{Op: op, Path: url, Err: err}
}

// object returns the place of an object, which has a key.
func (b *buckets) object(ctx context.Context, op, name string) (location, error) {
	p, err := b.at(ctx, name)
	if err == nil && p.key == "" {
		err = fmt.Errorf("a bucket, not an object in it: %w", fs.ErrInvalid)
	}
	return p, explain(op, name, err)
}

func (b *buckets) ReadRanges(ctx context.Context, at storage.Object, ranges []storage.Range) error {
	p, err := b.object(ctx, "read", at.Name)
	if err != nil {
		return err
	}
	name := at.Name
	at.Name = p.key
	return explain("read", name, p.Bucket.ReadRanges(ctx, at, ranges))
}

func (b *buckets) Stat(ctx context.Context, name string) (storage.Object, error) {
	p, err := b.object(ctx, "stat", name)
	if err != nil {
		return storage.Object{}, err
	}
	at, err := p.Bucket.Stat(ctx, p.key)
	at.Name = name
	return at, explain("stat", name, err)
}

func (b *buckets) ReadStart(ctx context.Context, name string, data []byte) (n int, at storage.Object, err error) {
	p, err := b.object(ctx, "read", name)
	if err != nil {
		return 0, storage.Object{}, err
	}
	n, at, err = p.Bucket.ReadStart(ctx, p.key, data)
	at.Name = name
	return n, at, explain("read", name, err)
}

func (b *buckets) Put(ctx context.Context, name string, data []byte, when storage.When) (storage.Object, error) {
	p, err := b.object(ctx, "put", name)
	if err != nil {
		return storage.Object{}, err
	}
	at, err := p.Bucket.Put(ctx, p.key, data, when)
	at.Name = name
	return at, explain("put", name, err)
}

func (b *buckets) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		p, err := b.at(ctx, prefix)
		if err != nil {
			yield(storage.Object{}, explain("list", prefix, err))
			return
		}
		for at, err := range p.Bucket.List(ctx, p.key) {
			at.Name = p.named + at.Name
			if !yield(at, explain("list", prefix, err)) || err != nil {
				return
			}
		}
	}
}

func (b *buckets) Delete(ctx context.Context, name string) error {
	p, err := b.object(ctx, "delete", name)
	if err != nil {
		return err
	}
	return explain("delete", name, p.Bucket.Delete(ctx, p.key))
}
