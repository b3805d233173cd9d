package ndarray

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/inside"
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

// Chunks yields a description of every chunk, in C order over the grid of chunks, from one state of
// the array. It reads headers, decodes nothing, and verifies no checksums. The caller owns the
// yielded values. An error is yielded last. With Locking the lock is shared until the loop ends,
// and the loop must not write to the array. If the frame has fewer chunks than the shape needs, the
// error comes after the chunks that exist.
func (u *Untyped) Chunks(ctx context.Context) iter.Seq2[ChunkInfo, error] {
	u = u.self()
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

// eachChunk describes chunks until do returns false.
func (u *Untyped) eachChunk(ctx context.Context, do func(ChunkInfo) bool) (err error) {
	at, release, err := u.beginFlushedRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)
	w := &worker{call: call{ctx: ctx, array: &u.handleCore, at: u.within(ctx, at)}, chunkMemory: &chunkMemory{}}
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
	c := ChunkInfo{Index: number, Start: w.array.vec(start), Stop: w.array.vec(stop)}
	if have := int64(w.at.view.NumChunks()); number >= have {
		return c, w.array.missingChunk(number, have, w.at.part.ChunkCount)
	}
	info, err := w.at.view.Peek(int(number))
	if err != nil {
		return c, err
	}
	w.piece.Chunk = number
	if err := w.inChunk(checkChunk(w.at.part, info.Header)); err != nil {
		return c, err
	}
	c.Kind, c.Decoded, c.Stored = info.Kind, int64(info.NBytes), int64(info.CBytes)
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
func (u *Untyped) equalChunks(i int64) (chunks, items int64, err error) {
	at, err := u.state()
	if err = cmp.Or(u.noItems(), err); err != nil {
		return 0, 0, err
	}
	if i < 0 || i >= at.part.ChunkCount {
		return 0, 0, u.inArray(fmt.Errorf("chunk %d of %d: %w", i, at.part.ChunkCount, cairn.ErrBounds))
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

// errBroken ends a visit after the caller left the loop.
var errBroken = errors.New("loop left")

// Blocks yields every block that contains items of the array, as bytes, in the order of the chunks.
// It decodes one block at a time, each once; a special chunk is yielded as a whole without
// decoding. All blocks are from one state of the array. An error is yielded last. With Locking the
// lock is shared until the loop ends, and the loop must not write to the array.
func (u *Untyped) Blocks(ctx context.Context) iter.Seq2[*Block[byte], error] {
	return u.asBytes().Blocks(ctx)
}

// Blocks yields every block that contains items of the array; see [Untyped.Blocks].
func (a Array[T]) Blocks(ctx context.Context) iter.Seq2[*Block[T], error] {
	return func(yield func(*Block[T], error) bool) {
		v, one := a.bound(), make([]T, 1)
		var block Block[T]
		var made []T
		err := v.u.visitBlocks(ctx, v.layout.Swap, &inside.Visitor{Workers: 1, Block: func(b *inside.Block) (err error) {
			block = Block[T]{Chunk: b.Chunk, Block: b.Block, Start: b.Start, Stop: b.Stop, Times: 1}
			switch {
			case b.Data != nil:
				made, err = govalue.Values(v.layout, made, b.Data)
				block.Values = made
			case v.layout.Raw:
				block.Values, err = govalue.Values[T](v.layout, nil, b.Item)
			default: // b has the byte order of the file
				block.Values = one
				_, err = v.layout.Decode(govalue.SpanOf(one), 0, 1, b.Item)
			}
			if b.Data == nil {
				block.Times = b.Items()
			}
			if err == nil && !yield(&block, nil) {
				return errBroken
			}
			return v.u.inArray(err)
		}})
		if err != nil && !errors.Is(err, errBroken) {
			yield(nil, err)
		}
	}
}
