package bucket

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/cairn-go/cairn/frame/internal/index"
)

// Own is what a handle has put and no commit refers to. No other handle knows the numbers of these
// objects, so they can be used for chunks with the same content, and deleted. The zero value has
// nothing. It is used by one change at a time.
type Own struct {
	staged map[int64]ownChunk    // chunks that the next commit may refer to
	spare  map[digest][]ownChunk // chunks that are in the bucket, and were for a commit that failed
	late   []int64               // chunks that were under way when they were dropped
	waste  []string              // names of other objects, which nobody reads
}

type digest [sha256.Size]byte

// An ownChunk is a chunk that was put.
type ownChunk struct {
	number int64
	sum    digest
	put    time.Time // the first time that it was staged
}

// freshTime is how long after it was put a chunk may become that of another commit. A collection
// takes old objects to which no commit refers, so a commit must follow soon: one that is tried
// again does.
const freshTime = time.Minute

// Stage returns the number of the object for a chunk, and whether it is in the bucket already.
func (o *Own) Stage(content []byte) (number int64, there bool) {
	if o.staged == nil {
		o.staged = map[int64]ownChunk{}
		o.spare = map[digest][]ownChunk{}
	}
	c := ownChunk{number: NewNumber(), sum: sha256.Sum256(content), put: time.Now()}
	list := o.spare[c.sum]
	if n := len(list) - 1; n >= 0 && c.put.Sub(list[n].put) < freshTime {
		c = list[n]
		there = true
		o.spare[c.sum] = list[:n]
	}
	o.staged[c.number] = c
	return c.number, there
}

// Drop notes that chunks are not staged, which may or may not be in the bucket.
func (o *Own) Drop(r *Objects, numbers []int64) {
	for _, number := range numbers {
		if _, ok := o.staged[number]; ok {
			delete(o.staged, number)
			o.waste = append(o.waste, r.Name(number, ChunkKind))
		}
	}
}

// Spare notes that nothing is staged any more. What is not under way is in the bucket, since every
// failure is followed by Drop.
func (o *Own) Spare(u *Uploads) {
	for number, c := range o.staged {
		if u.Staged(number) == nil {
			o.spare[c.sum] = append(o.spare[c.sum], c)
		} else {
			o.late = append(o.late, number)
		}
	}
	clear(o.staged)
}

// mostWaste is how many objects are kept until the handle is closed.
const mostWaste = 64

// Waste notes the objects of a commit that has failed, for sure.
func (o *Own) Waste(ctx context.Context, r *Objects, objects []NewObject) {
	for _, at := range objects {
		o.waste = append(o.waste, at.Name)
	}
	if len(o.waste) >= mostWaste {
		remove(ctx, r, o.waste)
		o.waste = nil
	}
}

// Commit notes a commit, which has changed the index from old to now.
func (o *Own) Commit(old, now index.Index) {
	if len(o.staged) == 0 {
		return
	}
	for j := range (now.Len() + index.SegmentLen - 1) / index.SegmentLen {
		err := index.Changes(old, now, j, func(_ int, entry int64) { delete(o.staged, entry) })
		if err != nil {
			*o = Own{} // it may still be referred to
			return
		}
	}
	for _, c := range o.staged {
		o.spare[c.sum] = append(o.spare[c.sum], c)
	}
	clear(o.staged)
	if len(o.spare) > mostSpare {
		clear(o.spare) // to be collected
	}
}

// mostSpare bounds the chunks that are remembered.
const mostSpare = 4096

// deleteTime bounds how long the end of a handle waits for the deletion of what it has put.
const deleteTime = 10 * time.Second

// Delete deletes everything. What cannot be deleted stays until it is collected.
func (o *Own) Delete(r *Objects) {
	names := o.waste
	for _, number := range o.late {
		names = append(names, r.Name(number, ChunkKind))
	}
	for number := range o.staged {
		names = append(names, r.Name(number, ChunkKind))
	}
	for _, list := range o.spare {
		for _, c := range list {
			names = append(names, r.Name(c.number, ChunkKind))
		}
	}
	*o = Own{}
	remove(r.Ctx, r, names)
}

// remove deletes objects, or fewer if that takes long.
func remove(ctx context.Context, r *Objects, names []string) {
	ctx, cancel := context.WithTimeout(ctx, deleteTime)
	defer cancel()
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxUploads)
	for _, name := range names {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() == nil {
				_ = r.Bucket.Delete(ctx, name)
			}
		})
	}
	wg.Wait()
}
