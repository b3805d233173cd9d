package inside

import (
	"context"
	"iter"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/meta"
)

// An Array is the internal interface of an ndarray.UntypedView, for visiting its blocks. A visit
// covers a single snapshot; its order and its division into runs depend only on the geometry, and
// special chunks are not decoded. A view consists of boxes, one after the other. Any number of
// goroutines may use it.
type Array interface {
	// Freeze returns a snapshot of the array for calls with at most the given number of workers (0
	// means the array's own), reduced if memory bytes do not suffice for what they visit. It is
	// closed with the array.
	Freeze(ctx context.Context, workers int, memory int64) (Array, error)
	Shape() []int64
	DType() (meta.DType, error) // the error tells why the dtype is opaque
	// ChunkShape returns the shape of the chunks whose numbers visits use: the array's own.
	ChunkShape() []int64
	// Workers returns the maximum number of goroutines of a visit.
	Workers() int
	// Box returns the box of the underlying array, if this is a single box of it.
	Box() (start, stop []int64, ok bool)
	// Requests returns the number of requests in flight at most, or 0 if the items are not known to
	// be read by requests.
	Requests() int
	// Stored returns a snapshot of the frame with the chunks of the array, a *frame.Snapshot. It
	// returns nil if the items are not those of the chunks: for views, and for proxies.
	Stored(ctx context.Context) (any, error)
	// StoredChunks returns the chunks as they are stored, for writers that take them over; nil if
	// the items are not those of such chunks.
	StoredChunks(ctx context.Context) (*chunked.Stored, error)
	// AnyBox reports whether all boxes are equally cheap to read.
	AnyBox() bool
	// Memory returns all items in C order, with the bytes that ReadBytes has, if they lie in memory
	// that must not be changed; nil if they do not.
	Memory() []byte
	// Source returns the array as an ndarray.Source.
	Source() any
	// EqualChunks returns the number of chunks from chunk i on that are known to repeat the same
	// value, without examining each of them, and the number of their items. It returns 0 if the
	// array knows of no equal chunks at all.
	EqualChunks(i int64) (chunks, items int64, err error)
	// ReadHost reads a box with numbers in native byte order.
	ReadHost(ctx context.Context, dst []byte, start, stop []int64) error
	// ChunkRuns returns the number of runs of each chunk in a visit that leaves runs to the array.
	ChunkRuns() int64
	// Visit calls the visitor for every block that contains items of the array, decoding each block
	// once. It stops soon after an error of the visitor or when ctx is done, and returns the error
	// of the lowest run.
	Visit(ctx context.Context, v *Visitor) error
}

// A Visitor receives the blocks of an array. Calls for different workers are concurrent.
type Visitor struct {
	Workers int  // maximum; 0 means the array's
	Host    bool // numbers have native byte order instead of the file's

	// Runs is the number of runs into which the visit is divided. Run i has the chunks that
	// Chunks(i) yields, in that order; chunks in no run are not visited. If Chunks is nil, the runs
	// are groups of neighbouring blocks, and cover the chunks from number First on: Count of them,
	// or all if Count is 0. The blocks of a run never depend on the workers.
	Runs         int
	Chunks       func(run int) iter.Seq[int64]
	First, Count int64
	Again        bool // chunks may be in several runs

	Block func(b *Block) error
	// RunDone is called once per run, by the worker that visited all its blocks in order, after the
	// last block. It may be nil.
	RunDone func(worker, run int) error
}

// Range returns the first chunk of a visit that leaves runs to the array, and their number.
func (v *Visitor) Range(chunks int64) (first, count int64) {
	if v.Count == 0 {
		return 0, chunks
	}
	return v.First, v.Count
}

// Most returns the number of workers to use, given the available ones.
func (v *Visitor) Most(workers int) int {
	if v.Workers > 0 {
		return min(v.Workers, workers)
	}
	return workers
}

// A Block is a decoded block, or a whole special chunk. Everything it refers to is valid only until
// the visitor returns.
type Block struct {
	Worker      int           // in [0, workers): calls with the same worker do not overlap
	Run         int           // index of the run
	Chunk       int64         // index of the chunk, in C order over the grid of chunks
	Block       int           // index of the block in its chunk; 0 for a special chunk
	Start, Stop []int64       // the box of items, clipped to the array
	Kind        chunk.Special // SpecialNone for a block
	// the items in C order, which the visitor may modify; nil if all equal Item
	Data []byte
	Item []byte
}

// Items returns the number of items in the box.
func (b *Block) Items() int64 {
	n := int64(1)
	for i := range b.Start {
		n *= b.Stop[i] - b.Start[i]
	}
	return n
}
