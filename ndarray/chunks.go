package ndarray

import (
	"context"
	"iter"
	"slices"

	"github.com/cairn-go/cairn/chunk"
)

// ChunkInfo describes one chunk of an array.
type ChunkInfo struct {
	Index       int64         // in C order over the grid of chunks
	Start, Stop []int64       // the box of items that it holds, cut at the array's edge
	Kind        chunk.Special // chunk.SpecialNone for items of their own
	// Item is what every item is, as the file holds it; nil for chunk.SpecialNone, and where the chunk repeats
	// no whole items.
	Item    []byte
	Decoded int64 // bytes, padding included
	Stored  int64 // bytes in the frame; 0 if the chunk is but an entry of the index
}

// Items returns the number of items in the chunk's box.
func (c *ChunkInfo) Items() int64 { return boxItems(c.Start, c.Stop) }

// Chunks yields what is known of every chunk, in C order over the grid of chunks, without decoding any: headers are read, and compared with no checksum. All
// are of one state of the array. What is yielded is the caller's. After an error there is nothing more. With Locking the lock is shared until
// the loop ends, and the loop must not write to the array. Where the frame has fewer chunks than the
// shape needs, the error comes after those that it has.
func (u *Untyped) Chunks(ctx context.Context) iter.Seq2[ChunkInfo, error] {
	u = u.own()
	return func(yield func(ChunkInfo, error) bool) {
		ended := false
		err := u.eachChunk(ctx, func(c ChunkInfo) bool {
			ended = !yield(c, nil)
			return !ended
		})
		if err != nil && !ended {
			yield(ChunkInfo{}, err)
		}
	}
}

// eachChunk describes chunks until do wants no more.
func (u *Untyped) eachChunk(ctx context.Context, do func(ChunkInfo) bool) (err error) {
	at, release, err := u.enter(ctx)
	if err != nil {
		return err
	}
	defer leave(release, &err)
	w := &worker{}
	defer w.leave()
	for i := range at.part.ChunkCount {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := w.describe(u, at, i)
		if err != nil {
			return err
		}
		if !do(c) {
			return nil
		}
	}
	return nil
}

// describe returns what chunk number is.
func (w *worker) describe(u *Untyped, at *moment, number int64) (ChunkInfo, error) {
	start, stop := at.part.ChunkBox(number)
	c := ChunkInfo{Index: number, Start: u.vec(start), Stop: u.vec(stop)}
	if have := int64(at.view.NumChunks()); number >= have {
		return c, u.lacksChunk(number, have)
	}
	info, err := at.view.Peek(int(number))
	if err != nil {
		return c, err
	}
	w.piece.Chunk = number
	if err := w.inChunk(u, at.view, checkChunk(at.part, info.Header)); err != nil {
		return c, err
	}
	c.Kind, c.Decoded, c.Stored = info.Kind, int64(info.NBytes), int64(info.CBytes)
	if info.Kind == chunk.SpecialNone {
		return c, nil
	}
	src, _, err := w.fetch(u, at.view)
	if err != nil {
		return c, err
	}
	item, err := w.repeated(at.part, src)
	c.Item = slices.Clone(item)
	return c, w.inChunk(u, at.view, err)
}

func boxItems(start, stop []int64) int64 {
	n := int64(1)
	for i := range start {
		n *= stop[i] - start[i]
	}
	return n
}
