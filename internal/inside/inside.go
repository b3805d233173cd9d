// Package inside is the doors between the packages of this module: what they do with a frame, an
// array or a view beyond what its users can. They look at chunks as they are stored, stage chunks
// that are encoded already, and go over blocks by as many goroutines as there are. The methods
// Inside of frame.Frame and of ndarray.UntypedView lead here.
package inside

import (
	"context"
	"iter"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/meta"
)

// A Frame is the inside of a frame.Frame. There is one implementation, that of package frame.
type Frame interface {
	Chunks
	Stage
}

// Chunks are the chunks of a snapshot. Any number of goroutines may use them, until the frame is
// closed.
type Chunks interface {
	// Key returns what identifies the bytes of chunk i. It reports false for a chunk that is only
	// an index entry, and if there is no such chunk.
	Key(i int) (ChunkKey, bool)
	// OldBitshuffle reports whether chunks have the bitshuffle of early versions.
	OldBitshuffle() bool
	// Lends reports whether Lease gives memory that is there anyway, so that reading parts of a
	// chunk saves nothing.
	Lends() bool
	// Lease returns the encoded bytes of chunk i, in buf's memory or the frame's own, which must
	// not be changed, and what their header says. They are valid until l is released, which has to
	// happen before l is used again.
	Lease(l *Lease, buf []byte, i int) ([]byte, chunk.Header, error)
	// DecodeBlocks decodes those blocks of chunk i for which want is true with d and hands them to
	// sink. It reads only their bytes, and where they are unless it knows, besides what a checksum
	// takes the first time. h is the chunk's header, and the chunk must not be an index entry only.
	// See [chunk.Decoder.DecodeBlocksAt].
	DecodeBlocks(d *chunk.Decoder, i int, h chunk.Header, want []bool, sink chunk.BlockSink) error
	// SpecialRun returns how many chunks from i on are sure to be what chunk i is, special index
	// entries of one kind and size, so that a hundred million of them need not be looked at one by
	// one. So are, in a hostile index that is one entry over and over, chunks with all bytes in
	// common. It returns 1 where nothing is known, and 0 if there is no chunk i.
	SpecialRun(i int) int
	// Ration returns the bytes that all chunks may have together.
	Ration() Ration
}

// A Ration is the stored bytes that the chunks of a frame can have without sharing any. By sharing
// them a file of a few kilobytes could keep somebody busy for years who decodes all of its chunks,
// and so whoever does takes them from a ration, each once. It is safe for concurrent use.
type Ration interface {
	// Take takes the bytes of chunk i, of which size are stored. It fails with [cairn.ErrCorrupt]
	// if some of the chunks that were taken share theirs; chunks that are only an entry of the
	// index have none.
	Take(i, size int) error
}

// Stage is how chunks get into a frame besides its own methods. Like those, each method is one
// change, all or nothing.
type Stage interface {
	// InsertEncoded puts a chunk that is encoded already before chunk i.
	InsertEncoded(ctx context.Context, i int, c []byte) error
	// UpdateEncoded puts a chunk that is encoded already in the place of chunk i.
	UpdateEncoded(ctx context.Context, i int, c []byte) error
	// Replace puts chunks [from, to) of another frame into the places from number at on, as they
	// are encoded: none is decoded. Each is compared with its checksum, if it has one. Runs of
	// special entries are passed over where the same is there already. Items of both frames must
	// have the same size. progress, which may be nil, is called with the decoded bytes of what was
	// put since the last call, by one goroutine at a time; it must not use this frame.
	Replace(ctx context.Context, at int, chunks Frame, from, to int, progress func(bytes int64)) error
	// Arrange makes the frame consist of runs, one behind the other, and sets fixed metalayers as
	// SetMeta does. Chunks that the frame has must come in the order that they have, and none
	// twice; those that no run has are dropped. New ones must have the frame's chunk size, and
	// become index entries where they are special chunks of a kind that can, so that their number
	// hardly matters. No chunk is copied: the time is that of the runs, of the index entries behind
	// the first one that moves, and of a look at the header of each chunk that is dropped. It fails
	// with [cairn.ErrUnsupported] where chunks have individual sizes, or a shorter one would not be
	// the last. Encoded is not kept.
	Arrange(ctx context.Context, runs iter.Seq[Run], layers ...meta.Layer) error

	// FlushFirst has Commit, Adopt, Compact, Atomically, Rollback, RollbackTo, Bytes and Close call
	// flush before they begin, and fail if it does: for whoever keeps changes in memory that belong
	// to what is staged, as arrays do. flush may change the frame, and is not called when the frame
	// is closed. FlushFirst must be called before others use the frame.
	FlushFirst(flush func(ctx context.Context) error)
	// Savepoint returns the newest state as one to go back to. It reads and writes nothing.
	Savepoint() Savepoint
	// RollbackTo drops everything that was staged since s. It touches no storage, so that it works
	// when storage fails. It is allowed inside of Atomically, and fails with [cairn.ErrConflict] if
	// s is gone.
	RollbackTo(s Savepoint) error
	// RollbackChunksTo is RollbackTo for the chunks and the fixed metalayers of the given names:
	// other metalayers stay as they are now.
	RollbackChunksTo(s Savepoint, names ...string) error
}

// A Savepoint is a state of a frame, staged changes included, that changes can go back to until
// they are committed or rolled back. It needs no releasing.
type Savepoint interface {
	// Gone reports whether there was a commit or a rollback since, or another process changed the
	// frame, so that nothing can go back to the savepoint.
	Gone() bool
}

// A Run is chunks in a row of an arrangement: Count chunks that the frame has, from number First
// on, or, where Encoded is not nil, Count new ones of these bytes each.
type Run struct {
	First, Count int
	Encoded      []byte
}

// A ChunkKey identifies the bytes of a stored chunk among all that one handle ever shows: where
// keys are equal, the bytes are. Changes, commits and rollbacks give chunks other keys; chunks that
// stay as they are keep theirs, but for a compaction.
type ChunkKey struct {
	Source     uint64 // number of the storage that has the chunk, among those of the handle
	Entry      int64  // of the index
	Generation uint64 // how often the place of the entry got another content
}

// Hash returns a number that is hardly the same for two keys, for tables of them. Keys of one
// source that lie apart by little have numbers that do.
func (k ChunkKey) Hash() uint64 {
	return k.Source*0xff51_afd7_ed55_8ccd + uint64(k.Entry) + k.Generation<<48
}
