package ndarray

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/parallel"
)

// BlockInfo says which part of an array a visit has at hand. Its slices are valid until the visitor returns.
type BlockInfo struct {
	Worker      int       // in [0, workers): no two calls with the same worker overlap, so it can select memory of its own
	Run         int       // groups of neighbouring blocks, numbered from 0 in the order of the chunks
	Chunk       int64     // number of the chunk, in C order over the grid of chunks
	Block       int       // number of the block in its chunk; 0 for a special chunk as a whole
	Start, Stop []int64   // the box of items, cut at the array's edge
	Kind        ChunkKind // ChunkData for a block, another for a special chunk
}

// Items returns the number of items in the box.
func (b *BlockInfo) Items() int64 { return boxItems(b.Start, b.Stop) }

// A Block is a part of an array that a visit shows: a decoded block, or all of a special chunk, which nothing decodes.
type Block[T any] struct {
	BlockInfo
	Values []T // the items of the box in C order, the visitor's to change; nil if all of them are Value. Valid until the visitor returns
	Value  T
}

// A RawBlock is a [Block] in bytes, as the file holds them.
type RawBlock struct {
	BlockInfo
	Data []byte // the items of the box in C order, the visitor's to change; nil if all of them are Item. Valid until the visitor returns
	Item []byte
}

// A Visitor is called while an array is visited: for different blocks at the same time, as its workers tell. An error ends the visit.
type Visitor[T any] struct {
	Workers int // at most; 0 means as many as there are
	Block   func(b *Block[T]) error
	// RunDone is called when all blocks of a run were shown, one after another in their order and by one worker. There is a call for every run from 0 on;
	// which blocks make up a run depends on the array's chunks and blocks alone, never on the workers. It may be nil.
	RunDone func(worker, run int) error
}

// Workers returns the most goroutines that a call uses.
func (u *Untyped) Workers() int { return parallel.Workers(u.own().workers) }

// ForEachBlock calls fn for every block that the array has items in, several at a time, with memory for one block per worker. Each block is decoded once;
// special chunks are shown as a whole without being decoded. All are of one state of the array. An error of fn, or the end of ctx, ends the visit soon; the
// error of the lowest run is returned. With Locking the lock is shared meanwhile, and fn must not write to the array.
func (u *Untyped) ForEachBlock(ctx context.Context, fn func(b *RawBlock) error) error {
	u = u.own()
	return u.forEachBlock(ctx, u.Workers(), fn)
}

func (u *Untyped) forEachBlock(ctx context.Context, workers int, fn func(b *RawBlock) error) error {
	blocks := make([]RawBlock, workers)
	return u.visitBlocks(ctx, workers, 0, runs{}, func(s *scan) error {
		b := &blocks[s.Worker]
		*b = RawBlock{BlockInfo: s.BlockInfo, Data: s.data, Item: s.item}
		return fn(b)
	}, nil)
}

// ForEachBlock calls fn for every block that the array has items in; see [Untyped.ForEachBlock].
func (a Array[T]) ForEachBlock(ctx context.Context, fn func(b *Block[T]) error) error {
	return a.visit(ctx, a.Workers(), runs{}, Visitor[T]{Block: fn})
}

// VisitBlocks is ForEachBlock for who merges what it makes of blocks: it also tells when groups of them are complete.
func (a Array[T]) VisitBlocks(ctx context.Context, v Visitor[T]) error {
	return a.visit(ctx, v.most(a.Workers()), runs{}, v)
}

// most returns how many of some workers visit.
func (v *Visitor[T]) most(workers int) int {
	if v.Workers > 0 {
		return min(v.Workers, workers)
	}
	return workers
}

// EqualChunks returns how many chunks from number i on are known to hold one and the same value, without
// a look at each of them, and how many items these have: what millions of chunks cost that were never
// written. Chunks that the frame lacks are equal to each other.
func (a Array[T]) EqualChunks(i int64) (chunks, items int64, err error) {
	u := a.own().u
	at, err := u.moment()
	if err = cmp.Or(u.noItems(), err); err != nil {
		return 0, 0, err
	}
	if i < 0 || i >= at.part.ChunkCount {
		return 0, 0, u.inArray(fmt.Errorf("chunk %d of %d: %w", i, at.part.ChunkCount, cairn.ErrBounds))
	}
	chunks = 1
	if have := int64(at.view.NumChunks()); i >= have {
		chunks = at.part.ChunkCount - i
	} else if run := int64(at.view.SpecialRun(int(i))); run > 1 {
		// The run may be of one chunk of data, over and over.
		if info, err := at.view.Peek(int(i)); err == nil && info.Kind != chunk.SpecialNone {
			chunks = min(run, at.part.ChunkCount-i)
		}
	}
	return chunks, at.part.ItemsBefore(i+chunks) - at.part.ItemsBefore(i), nil
}

// VisitChunks is VisitBlocks in runs of the caller's choice: run number i consists of the chunks with
// the numbers that chunks(i) yields, in that order. No chunk is in two of them; what no run has is not
// visited.
func (a Array[T]) VisitChunks(ctx context.Context, count int, chunks func(run int) iter.Seq[int64], v Visitor[T]) error {
	return a.visit(ctx, v.most(a.Workers()), runs{count, chunks}, v)
}

func (a Array[T]) visit(ctx context.Context, workers int, r runs, v Visitor[T]) error {
	blocks, made := make([]Block[T], workers), make([][]T, workers)
	return a.own().u.visitBlocks(ctx, workers, a.own().l.Swap, r, func(s *scan) (err error) {
		b := &blocks[s.Worker]
		*b = Block[T]{BlockInfo: s.BlockInfo}
		if s.item != nil {
			_, err = a.own().l.Decode(govalue.One(&b.Value), 0, 1, s.item)
		} else {
			made[s.Worker], err = govalue.Values(a.own().l, made[s.Worker], s.data)
			b.Values = made[s.Worker]
		}
		if err != nil {
			return a.own().u.inArray(err)
		}
		return v.Block(b)
	}, v.RunDone)
}

// errBroken ends a visit whose loop was left.
var errBroken = errors.New("loop left")

// Blocks yields every block that the array has items in, as bytes, in the order of the chunks, decoding one at a time; special chunks come as a whole without
// being decoded. What is yielded is valid until the next turn. After an error there is nothing more. With Locking the lock is shared
// until the loop ends, and the loop must not write to the array.
func (u *Untyped) Blocks(ctx context.Context) iter.Seq2[*RawBlock, error] {
	u = u.own()
	return func(yield func(*RawBlock, error) bool) {
		err := u.forEachBlock(ctx, 1, func(b *RawBlock) error {
			if !yield(b, nil) {
				return errBroken
			}
			return nil
		})
		if err != nil && !errors.Is(err, errBroken) {
			yield(nil, err)
		}
	}
}

// Blocks yields every block that the array has items in; see [Untyped.Blocks].
func (a Array[T]) Blocks(ctx context.Context) iter.Seq2[*Block[T], error] {
	return func(yield func(*Block[T], error) bool) {
		err := a.visit(ctx, 1, runs{}, Visitor[T]{Block: func(b *Block[T]) error {
			if !yield(b, nil) {
				return errBroken
			}
			return nil
		}})
		if err != nil && !errors.Is(err, errBroken) {
			yield(nil, err)
		}
	}
}
