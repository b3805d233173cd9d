// Package inside contains the internal interfaces between the packages of this module: operations
// on frames, arrays and views that are not exported to users. They access chunks as stored, stage
// encoded chunks, and visit blocks on all workers. The methods Inside of frame.Frame and of
// ndarray.UntypedView return them.
package inside

import (
	"context"
	"iter"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// A Frame is the internal interface of a frame.Frame, of which frame.Snapshot is a state. Only
// package frame implements it.
type Frame[Snapshot any] interface {
	Chunks[Snapshot]
	Handle[Snapshot]
	Stage[Snapshot]
}

// Chunks are the chunks of a snapshot, or of the newest state of a frame. Any number of goroutines
// may use them until the frame is closed.
type Chunks[Snapshot any] interface {
	// Key returns the key of the bytes of chunk i. It returns false if the chunk has no bytes but
	// an index entry, or does not exist.
	Key(i int) (ChunkKey, bool)
	// OldBitshuffle reports whether chunks use the bitshuffle of early versions.
	OldBitshuffle() bool
	// Lends reports whether Lease lends existing memory, so that reading only parts of a chunk
	// saves nothing.
	Lends() bool
	// BytesRead returns how many bytes of chunks the frame's handle has read from its storage, or
	// used in place: encoded bytes, their headers and checksums, also those that were read only to
	// compare checksums.
	BytesRead() int64
	// MustCheck reports whether the next read of chunk i, even of single blocks, reads all of it to
	// compare it with its checksum.
	MustCheck(i int) bool
	// Lease returns the encoded bytes of chunk i and their header. The bytes are in buf's memory or
	// are lent by the frame, and must not be changed. They are valid until l is released, which
	// must happen before l is used again.
	// Requests for them end with ctx.
	Lease(ctx context.Context, l *Lease, buf []byte, i int) ([]byte, chunk.Header, error)
	// DecodeBlocks decodes the blocks of chunk i for which want is true with d, and passes them to
	// sink. It reads only these blocks and the offset table, if not known, but the whole chunk if a
	// checksum has to be verified. h is the chunk's header. The chunk must have bytes, not only an
	// index entry. See [chunk.Decoder.DecodeBlocksAt].
	DecodeBlocks(
		ctx context.Context, d *chunk.Decoder, i int, h chunk.Header, want []bool, sink chunk.BlockSink,
	) error
	// Repack appends a chunk of Blosc1 made of blocks of chunk i, whose header is h, and reads only
	// these: see [chunk.Repacker.AppendAt]. The chunk must have bytes, as for DecodeBlocks.
	Repack(
		ctx context.Context, p *chunk.Repacker, dst []byte, i int, h chunk.Header, blocks []int,
	) (out []byte, ok bool, err error)
	// Requests returns the number of requests in flight at most, or 0 if the file of the chunks is
	// not read by requests.
	Requests() int
	// Within returns a snapshot all of whose requests end with ctx: also those of methods that take
	// no context.
	Within(ctx context.Context) Snapshot
	// Extent returns the offset of chunk i in the file, and the number of bytes up to the next
	// chunk: 0 for a chunk without bytes, -1 if it is not known without a read.
	Extent(i int) (off, n int64)
	// Load reads bytes of a file that is read by requests, and keeps them until release is called,
	// so that reads within them take no request.
	Load(ctx context.Context, off, n int64) (release func(), err error)
	// SpecialRun returns the number of chunks from i on that are known to equal chunk i, so that a
	// hundred million of them need not be examined individually. These are special index entries of
	// one kind and size. In a hostile index that repeats one entry, they are chunks that share all
	// their bytes. SpecialRun returns 1 if nothing is known, and 0 if there is no chunk i.
	SpecialRun(i int) int
	// Ration returns a new budget for the stored bytes of all chunks together.
	Ration() Ration
}

// Handle adds methods for reading one state of a frame after another.
type Handle[Snapshot any] interface {
	// Newest returns the newest state. If Removes returns true, it may only be read between
	// BeginRead and EndRead, or while it is kept.
	Newest() Snapshot
	// Removes reports whether commits of this handle remove chunks that the newest state no longer
	// has. They do so when nothing reads or keeps an older state.
	Removes() bool
	// BeginRead begins a read of one state after another, until EndRead.
	BeginRead()
	EndRead()
	// Keep keeps the chunks of a state until release is called, or is garbage. It is called between
	// BeginRead and EndRead.
	Keep(s Snapshot) (release func())
}

// A Ration is a budget for decoding all chunks of a frame, namely the stored bytes that its chunks
// can have without sharing any. By sharing bytes, a file of a few kilobytes could take years to
// decode. So whoever decodes all chunks takes each of them from a ration once. It is safe for
// concurrent use.
type Ration interface {
	// Take takes the size bytes of chunk i. It fails with [cairn.ErrCorrupt] if some chunks taken
	// so far share bytes. Chunks that are only an index entry have no bytes.
	Take(i, size int) error
}

// Stage adds methods that change a frame. Like those of the frame, each makes one atomic change.
type Stage[Snapshot any] interface {
	// InsertEncoded inserts an encoded chunk before chunk i.
	InsertEncoded(ctx context.Context, i int, c []byte) error
	// UpdateEncoded replaces chunk i by an encoded chunk, which may be in several pieces.
	UpdateEncoded(ctx context.Context, i int, c ...[]byte) error
	// Replace replaces the chunks from number at on by the chunks [from, to) of a snapshot,
	// without decoding them. Checksums, if present, are verified. Runs of special entries are
	// skipped if they are equal already. Items of both frames must have the same size. progress,
	// which may be nil, is called with the decoded bytes replaced since the last call. Calls do not
	// overlap, and must not use this frame.
	Replace(ctx context.Context, at int, chunks Snapshot, from, to int, progress func(bytes int64)) error
	// Arrange makes the frame consist of the given runs, and sets fixed metalayers like SetMeta.
	// Existing chunks must keep their order, each at most once; those in no run are dropped. New
	// chunks must have the frame's chunk size; special chunks become index entries if possible, so
	// that their number hardly matters. No chunk is copied: the time depends on the number of runs,
	// on the index entries after the first one that moves, and on the dropped chunks, whose headers
	// are read. It fails with [cairn.ErrUnsupported] if chunks have individual sizes, or if a
	// shorter chunk would not be the last. Run.Encoded is not retained.
	Arrange(ctx context.Context, runs iter.Seq[Run], layers ...meta.Layer) error

	// Deposit puts an encoded chunk of the encoding of this frame where another frame, one in a
	// bucket at path of fsys, can refer to it as chunk i. That frame need not exist yet. The same
	// deposit for the same plan, made twice, is one object. Nothing reads it before a commit refers
	// to it. Deposit fails with [cairn.ErrUnsupported] if fsys is no bucket.
	Deposit(ctx context.Context, fsys storage.FS, path string, plan []byte, i int, c []byte) (Deposit, error)
	// Find fails with [cairn.ErrCorrupt] unless the object of a deposit of this frame is there and
	// has its size.
	Find(ctx context.Context, at Deposit) error
	// Refer replaces chunks that are only an index entry for zeros by deposits, without reading
	// them.
	Refer(ctx context.Context, deposits []Deposit) error

	// Fail tells the frame of a change that failed before it reached it, so that Close drops what
	// is staged. It ignores nil.
	Fail(err error)
	// FlushFirst makes Commit, Adopt, Compact, Atomically, Rollback, RollbackTo, Bytes and Close
	// call flush first and fail if flush fails. It is for callers with pending changes in a
	// write-behind buffer, such as arrays. flush may change the frame. It is not called if the
	// frame is closed. FlushFirst must be called before others use the frame.
	FlushFirst(flush func(ctx context.Context) error)
	// Savepoint returns the current state as a savepoint. It reads and writes nothing.
	Savepoint() Savepoint
	// RollbackTo drops everything staged since s. It does not access storage, so it works even if
	// storage fails. It is allowed inside Atomically, and fails with [cairn.ErrConflict] if s is
	// gone.
	RollbackTo(s Savepoint) error
	// RollbackChunksTo is RollbackTo for the chunks and the fixed metalayers of the given names.
	// Other metalayers stay unchanged.
	RollbackChunksTo(s Savepoint, names ...string) error
}

// A Deposit is a chunk that was put for a frame in a bucket which does not refer to it yet.
type Deposit struct {
	Chunk int64 // number in the frame
	Entry int64 // number of the object
	Bytes int64 // of the encoded chunk
}

// A Savepoint is a state of a frame, including staged changes, to which changes can be rolled back
// until they are committed or rolled back. It need not be released.
type Savepoint interface {
	// Gone reports whether the savepoint can no longer be used because of a commit or a rollback,
	// or because another process changed the frame.
	Gone() bool
}

// A Run is a range of chunks in an arrangement: Count existing chunks from number First on or, if
// Encoded is not nil, Count new chunks with these bytes.
type Run struct {
	First, Count int
	Encoded      []byte
}

// A ChunkKey identifies the bytes of a stored chunk for the lifetime of a handle: equal keys mean
// equal bytes. Changes, commits and rollbacks give changed chunks other keys; unchanged chunks keep
// theirs, except after a compaction.
type ChunkKey struct {
	Source     uint64 // number of the storage that contains the chunk
	Entry      int64  // its index entry
	Generation uint64 // number of changes of the entry's content
}

// Hash returns a hash of the key. Neighbouring entries of one source have neighbouring hashes.
func (k ChunkKey) Hash() uint64 {
	return k.Source*0xff51_afd7_ed55_8ccd + uint64(k.Entry) + k.Generation<<48
}
