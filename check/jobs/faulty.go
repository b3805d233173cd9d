package main

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cairn-go/cairn/storage"
)

// errStorage is what failing storage fails with.
var errStorage = errors.New("the storage failed")

// faults decide what happens to requests of a process: some wait, some fail, and some fail after
// they have happened, as if the answer had been lost.
type faults struct {
	mu   sync.Mutex
	rand *rand.Rand
	calm bool
}

// one of so many requests fails before it happens, and as many afterwards
const rarely = 150

func (f *faults) meet() (before, after bool) {
	if f.calm {
		return false, false
	}
	f.mu.Lock()
	wait := time.Duration(0)
	kind := f.rand.IntN(rarely)
	if f.rand.IntN(4) == 0 {
		wait = time.Duration(f.rand.IntN(3000)) * time.Microsecond
	}
	f.mu.Unlock()
	time.Sleep(wait)
	return kind == 0, kind == 1
}

// A faulty bucket is one that fails.
type faulty struct {
	storage.Bucket
	f *faults
}

// met does a request.
func met[T any](b *faulty, do func() (T, error)) (none T, err error) {
	before, after := b.f.meet()
	if before {
		return none, errStorage
	}
	got, err := do()
	if after && err == nil {
		return none, errStorage
	}
	return got, err
}

func (b *faulty) Put(ctx context.Context, name string, data []byte, when storage.When) (storage.Object, error) {
	return met(b, func() (storage.Object, error) { return b.Bucket.Put(ctx, name, data, when) })
}

func (b *faulty) Stat(ctx context.Context, name string) (storage.Object, error) {
	return met(b, func() (storage.Object, error) { return b.Bucket.Stat(ctx, name) })
}

func (b *faulty) ReadStart(ctx context.Context, name string, p []byte) (n int, at storage.Object, err error) {
	at, err = met(b, func() (at storage.Object, err error) {
		n, at, err = b.Bucket.ReadStart(ctx, name, p)
		return at, err
	})
	return n, at, err
}

func (b *faulty) ReadRanges(ctx context.Context, at storage.Object, ranges []storage.Range) error {
	_, err := met(b, func() (struct{}, error) { return struct{}{}, b.Bucket.ReadRanges(ctx, at, ranges) })
	return err
}

func (b *faulty) Delete(ctx context.Context, name string) error {
	_, err := met(b, func() (struct{}, error) { return struct{}{}, b.Bucket.Delete(ctx, name) })
	return err
}

func (b *faulty) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		before, after := b.f.meet()
		if before {
			yield(storage.Object{}, errStorage)
			return
		}
		for at, err := range b.Bucket.List(ctx, prefix) {
			if !yield(at, err) {
				return
			}
			if after { // in the middle
				yield(storage.Object{}, errStorage)
				return
			}
		}
	}
}
