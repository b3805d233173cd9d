package bucket

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cairn-go/cairn/storage"
)

// Uploads are the chunks that a handle has staged and that may not be in the bucket yet. They are
// put concurrently, because each put takes some hundredths of a second; a commit waits for all.
type Uploads struct {
	mu      sync.Mutex
	pending map[int64][]byte // objects that are not known to be in the bucket
	slots   chan struct{}    // a semaphore for puts in flight
	wg      sync.WaitGroup
	failed  error // of a put that is to be tried again
}

// maxUploads is how many chunks of a handle are put at the same time.
const maxUploads = 16

// Staged returns the object of a chunk that may not be in the bucket yet, or nil.
func (u *Uploads) Staged(number int64) []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.pending[number]
}

// Start puts the object of a chunk, in the background. It waits while maxUploads are under way.
func (u *Uploads) Start(ctx context.Context, r *Objects, number int64, content []byte) error {
	u.mu.Lock()
	if u.pending == nil {
		u.pending, u.slots = map[int64][]byte{}, make(chan struct{}, maxUploads)
	}
	err := u.failed
	u.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case u.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	u.mu.Lock()
	u.pending[number] = content
	u.mu.Unlock()
	u.wg.Go(func() {
		defer func() { <-u.slots }()
		// The chunk belongs to the frame, not to the call that staged it.
		err := r.put(r.Ctx, number, content)
		u.mu.Lock()
		defer u.mu.Unlock()
		if err == nil {
			delete(u.pending, number)
		} else if u.failed == nil {
			u.failed = err
		}
	})
	return nil
}

// put puts the object of a chunk.
func (r *Objects) put(ctx context.Context, number int64, content []byte) error {
	if _, err := r.Put(ctx, r.Name(number, ChunkKind), content, storage.When{Absent: true}); err != nil {
		return fmt.Errorf("put a chunk: %w", err)
	}
	return nil
}

// Finish waits until all chunks are in the bucket, and tries again to put those that are not.
func (u *Uploads) Finish(ctx context.Context, r *Objects) error {
	done := make(chan struct{})
	go func() {
		u.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.failed = nil
	var err error
	for number, content := range u.pending {
		failed := r.put(ctx, number, content)
		if failed == nil {
			delete(u.pending, number)
		}
		err = errors.Join(err, failed)
	}
	return err
}

// Drop forgets the chunks of a change that failed. Those that are in the bucket already stay there
// until they are collected.
func (u *Uploads) Drop(numbers []int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, number := range numbers {
		delete(u.pending, number)
	}
}

// Wait waits until no put is under way.
func (u *Uploads) Wait() { u.wg.Wait() }
