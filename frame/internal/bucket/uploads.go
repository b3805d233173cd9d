package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// Uploads are the chunks that a handle has staged and that may not be in the bucket yet. They are
// put concurrently, because each put takes some hundredths of a second; a commit waits for all.
type Uploads struct {
	mu      sync.Mutex
	pending map[int64][]byte // objects that are not known to be in the bucket
	slots   chan struct{}    // a semaphore for puts in flight
	wg      sync.WaitGroup
	ctx     context.Context // of all puts
	cancel  context.CancelFunc
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
		u.pending = map[int64][]byte{}
		u.slots = make(chan struct{}, maxUploads)
		u.ctx, u.cancel = context.WithCancel(r.Ctx)
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
		err := r.put(u.ctx, number, content)
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

// put puts the object of a chunk. An earlier put of it may have happened although it failed.
func (r *Objects) put(ctx context.Context, number int64, content []byte) error {
	name := r.Name(number, ChunkKind)
	_, err := r.Put(ctx, name, content, storage.When{Absent: true})
	if errors.Is(err, cairn.ErrConflict) {
		there := make([]byte, len(content)+1)
		if n, _, failed := r.ReadStart(ctx, name, there); failed == nil && bytes.Equal(there[:n], content) {
			return nil
		}
	}
	if err != nil {
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
	again := maps.Clone(u.pending)
	u.failed = nil
	u.mu.Unlock()
	for number, content := range again {
		if err := r.put(ctx, number, content); err != nil {
			return err
		}
		u.Drop([]int64{number})
	}

	return nil
}

// Drop forgets chunks: those that are in the bucket, or those of a change that failed, which stay
// in the bucket until they are collected.
func (u *Uploads) Drop(numbers []int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, number := range numbers {
		delete(u.pending, number)
	}
}

// Close ends puts that are under way: no commit will refer to them.
func (u *Uploads) Close() {
	u.mu.Lock()
	if u.cancel != nil {
		u.cancel()
	}
	u.mu.Unlock()
	u.wg.Wait()
}
