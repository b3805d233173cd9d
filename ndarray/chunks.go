package ndarray

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
)

// ChunkInfo describes one chunk of an array.
type ChunkInfo struct {
	Index       int64         // in C order over the grid of chunks
	Start, Stop []int64       // the box of its items, clipped to the array
	Kind        chunk.Special // chunk.SpecialNone for a chunk with data
	// Item is the value of every item, as stored in the file. It is nil for chunk.SpecialNone, and
	// for a chunk whose repeated bytes are not a whole number of items.
	Item    []byte
	Decoded int64 // bytes, padding included
	Stored  int64 // bytes in the frame; 0 if the chunk is only an index entry
}

// Items returns the number of items in the chunk's box.
func (c *ChunkInfo) Items() int64 { return boxItems(c.Start, c.Stop) }

// eachChunk describes chunks until do returns false.
func (a *array) eachChunk(ctx context.Context, do func(ChunkInfo) bool) (err error) {
	at, release, err := a.beginFlushedRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)

	w := &worker{task: task{ctx: ctx, core: &a.core, at: a.within(ctx, at)}, chunkMemory: &chunkMemory{}}
	defer w.releaseLease()
	for i := range at.part.ChunkCount {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := w.describe(i)
		if err != nil {
			return err
		}
		if !do(c) {
			return nil
		}
	}
	return nil
}

// describe returns the description of a chunk.
func (w *worker) describe(number int64) (ChunkInfo, error) {
	start, stop := w.at.part.ChunkBox(number)
	c := ChunkInfo{Index: number, Start: w.core.vec(start), Stop: w.core.vec(stop)}
	if have := int64(w.at.view.NumChunks()); number >= have {
		return c, w.core.missingChunk(number, have, w.at.part.ChunkCount)
	}

	info, err := w.at.view.Peek(int(number))
	if err != nil {
		return c, err
	}
	w.piece.Chunk = number
	if err := w.inChunk(checkChunk(w.at.part, info.Header)); err != nil {
		return c, err
	}

	c.Kind = info.Kind
	c.Decoded = int64(info.NBytes)
	c.Stored = int64(info.CBytes)
	if info.Kind == chunk.SpecialNone {
		return c, nil
	}

	src, _, err := w.fetch()
	if err != nil {
		return c, err
	}
	item, err := w.repeated(src)
	c.Item = slices.Clone(item)
	return c, err
}

func boxItems(start, stop []int64) int64 {
	n := int64(1)
	for i := range start {
		n *= stop[i] - start[i]
	}
	return n
}

// A Block is a decoded block of an array, or a whole special chunk, which needs no decoding. Its
// slices are valid until the next iteration.
type Block[T any] struct {
	Chunk       int64   // number of the chunk, in C order over the grid of chunks
	Block       int     // number of the block in its chunk; 0 for a special chunk as a whole
	Start, Stop []int64 // the box of its items, clipped to the array
	// Values are the items of the box in C order, which the caller may change. A special chunk has
	// a single value for all its items.
	Values []T
	Times  int64 // how many items each of Values stands for: 1, or all of a special chunk
}

// Items returns the number of items in the box.
func (b *Block[T]) Items() int64 { return boxItems(b.Start, b.Stop) }

// equalChunks returns how many chunks from number i on are known to hold one and the same value,
// and how many items they have. It does not look at each of them, so millions of chunks that were
// never written cost little. Chunks that the frame lacks count as equal to each other.
func (a *array) equalChunks(i int64) (chunks, items int64, err error) {
	at, err := a.state()
	if err := cmp.Or(a.noItems(), err); err != nil {
		return 0, 0, err
	}
	if i < 0 || i >= at.part.ChunkCount {
		return 0, 0, a.inArray(fmt.Errorf("chunk %d of %d: %w", i, at.part.ChunkCount, cairn.ErrBounds))
	}

	chunks = 1
	if have := int64(at.view.NumChunks()); i >= have {
		chunks = at.part.ChunkCount - i
	} else if run := int64(at.view.Inside().SpecialRun(int(i))); run > 1 {
		// The run may consist of one data chunk that the index repeats.
		if info, err := at.view.Peek(int(i)); err == nil && info.Kind != chunk.SpecialNone {
			chunks = min(run, at.part.ChunkCount-i)
		}
	}
	return chunks, at.part.ItemsBefore(i+chunks) - at.part.ItemsBefore(i), nil
}
