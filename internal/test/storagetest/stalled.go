package storagetest

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/cairn-go/cairn/storage"
)

// A StalledBucket does not answer some requests until their contexts end.
type StalledBucket struct {
	storage.Bucket
	stalls atomic.Pointer[string]
}

// Stall sets the requests that are not answered: "get .chunk" are those for the content of objects
// whose names end with .chunk, besides there are put, head, delete and list. There are none for "".
func (b *StalledBucket) Stall(what string) { b.stalls.Store(&what) }

// wait waits until ctx ends, if a request is not answered.
func (b *StalledBucket) wait(ctx context.Context, request, name string) error {
	var what, suffix string
	if stalls := b.stalls.Load(); stalls != nil {
		what, suffix, _ = strings.Cut(*stalls, " ")
	}
	if what == request && strings.HasSuffix(name, suffix) {
		<-ctx.Done()
	}
	return ctx.Err()
}

// ReadRanges is that of the bucket, if it is answered.
func (b *StalledBucket) ReadRanges(ctx context.Context, at storage.Object, ranges []storage.Range) error {
	if err := b.wait(ctx, "get", at.Name); err != nil {
		return err
	}
	return b.Bucket.ReadRanges(ctx, at, ranges)
}

// ReadStart is that of the bucket, if it is answered.
func (b *StalledBucket) ReadStart(ctx context.Context, name string, p []byte) (int, storage.Object, error) {
	if err := b.wait(ctx, "get", name); err != nil {
		return 0, storage.Object{}, err
	}
	return b.Bucket.ReadStart(ctx, name, p)
}

// Stat is that of the bucket, if it is answered.
func (b *StalledBucket) Stat(ctx context.Context, name string) (storage.Object, error) {
	if err := b.wait(ctx, "head", name); err != nil {
		return storage.Object{}, err
	}
	return b.Bucket.Stat(ctx, name)
}

// Put is that of the bucket, if it is answered.
func (b *StalledBucket) Put(
	ctx context.Context, name string, data []byte, when storage.When,
) (storage.Object, error) {
	if err := b.wait(ctx, "put", name); err != nil {
		return storage.Object{}, err
	}
	return b.Bucket.Put(ctx, name, data, when)
}

// Delete is that of the bucket, if it is answered.
func (b *StalledBucket) Delete(ctx context.Context, name string) error {
	if err := b.wait(ctx, "delete", name); err != nil {
		return err
	}
	return b.Bucket.Delete(ctx, name)
}

// List is that of the bucket, if it is answered.
func (b *StalledBucket) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		if err := b.wait(ctx, "list", prefix); err != nil {
			yield(storage.Object{}, err)
			return
		}
		b.Bucket.List(ctx, prefix)(yield)
	}
}
