// Package chunked reads boxes of arrays whose chunks are stored each on its own, in any format.
//
// What all formats have in common is here: a box is checked and cut into the pieces that are in one
// chunk each, workers take the pieces in turn, and keep their memory from one read to the next. The
// items of a piece
//
//	are the fill value               if the chunk was never written,
//	are copied from the cache        if it has the chunk (see [decoded]),
//	are read, and nothing else       if the chunk is not encoded,
//	are decoded straight to dst      if they are a whole chunk there,
//	are decoded beside it and copied otherwise.
//
// Chunks of which a part is read are decoded in the memory of the cache, and stay there. Where a
// part takes less work than the chunk, that waits until other parts have been read.
//
// A format says where a chunk is, and decodes it:
//
//	Locate(chunk)          Place{Source, Off, Size}   in which bytes; no Source for the fill value
//	Part(job, place)       optional: reads no more of a chunk than a piece needs
//	Decode(job, encoded)   the items of a chunk, or at least those of the piece
//	Name(chunk)            "chunk 3.0.1", for errors
//
// A file that is read by requests is told ahead which bytes come next (see [Far]). Then there are
// as many workers as requests, because they wait for these.
//
// A worker has one encoded chunk in memory, of [Reader.Most] bytes at most, and one decoded chunk.
// Of a far file, [readahead.Memory] bytes are held besides. The number of workers is bounded by the
// context, as [parallel.AtMost] says. Of several errors the one of the first chunk is returned, and
// a context that ends does so before the next chunk.
package chunked

import (
	"context"
	"fmt"
	"sync"

	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// Small is how many bytes an encoded chunk of a few items may have, whatever its codecs add.
const Small = 1 << 16

// A Format knows the chunks of an array. W is what a goroutine needs to decode them. Any number of
// goroutines call the methods, with a W each.
type Format[W any] interface {
	// Locate returns where a chunk is.
	Locate(ctx context.Context, chunk int64) (Place, error)
	// Decode returns the items of a chunk, of which only those of the piece need be right. They are
	// in j.Items(), or in other memory that is valid until the next call. It returns nil if it has
	// put them into their places in j.Dst itself.
	Decode(w W, j *Job, encoded []byte) ([]byte, error)
	// Name says in errors which chunk it is.
	Name(chunk int64) string
}

// A Parter is a Format that can read parts of chunks.
type Parter[W any] interface {
	// Part puts the items of the piece into their places in j.Dst, and returns true. If it is
	// better to read the whole chunk, it returns false and the bytes at its beginning that it has
	// read, in memory that is valid until the next call.
	Part(ctx context.Context, w W, j *Job) (done bool, head []byte, err error)
}

// A Place is where a chunk is stored.
type Place struct {
	Source    Source // nil if the chunk was never written
	Off, Size int64
	Plain     bool         // its bytes are its items
	Version   uint64       // differs if its bytes do
	Loose     bool         // its bytes may change without another version
	Mask      uint32       // filters that it was encoded without, for the format
	Close     func() error // closes the source when the chunk has been read, or nil

	kept *decoded.Entry // of the chunk, or nil
}

// A Source has the bytes of chunks.
type Source interface {
	// ReadAt fills b with the bytes from an offset on.
	ReadAt(ctx context.Context, b []byte, off int64) error
}

// A Reader reads boxes of an array. Its fields are set before it is used, then any number of
// goroutines may use it.
type Reader[W any] struct {
	Part    *grid.Partition
	Fill    []byte            // an item, or nil for zeros
	Most    int64             // bytes of an encoded chunk
	Workers int               // 0 means one per CPU
	Far     Far               // the source of all chunks, if that is one
	New     func() (W, error) // makes what a goroutine needs; nil means the zero value

	Keep  *decoded.Owner // of chunks that were decoded; nil if none are kept
	Array uint64         // which of the owner's arrays this is
	Parts bool           // decoding a part of a chunk takes less work than decoding it all

	idle sync.Pool // of workers
	loop grid.Loop
}

// A worker is the memory of one goroutine.
type worker[W any] struct {
	job     Job
	scratch grid.Scratch
	raw     []byte // an encoded chunk
	with    W
}

// A Job is a piece of a chunk that is being read.
type Job struct {
	Box   *grid.Box // that is read
	Dst   []byte    // its items
	Piece grid.ChunkPiece
	Place Place

	direct []byte // the part of Dst that is the whole chunk, or nil
	items  []byte
	size   int64
	number int // of the piece among those of the box
}

// InPlace reports whether Items is a part of Dst, so that the whole chunk is needed.
func (j *Job) InPlace() bool { return j.direct != nil }

// Within returns the corners of the piece within the chunk.
func (j *Job) Within() (start, stop []int64) {
	low, high := j.Piece.Piece.(*grid.BoxPiece).Within()
	dims := j.Box.Dims()
	return low[:dims], high[:dims]
}

// Items returns memory for the items of the chunk: in Dst if they are in one piece there.
func (j *Job) Items() []byte {
	if j.direct != nil {
		return j.direct
	}
	j.items = slab.Resize(j.items, j.size)
	return j.items
}

// A Call is one read of a box.
type Call[W any] struct {
	of      *Reader[W]
	format  Format[W]
	box     grid.Box
	dst     []byte
	follows grid.Direction // of the loop that the box belongs to
	most    int            // pieces of which the chunks may be kept
	workers []*worker[W]
}

// Read reads the items of a box into dst.
func (r *Reader[W]) Read(ctx context.Context, f Format[W], dst []byte, start, stop []int64) error {
	return r.Call(f, dst, start, stop, func(c *Call[W]) error {
		if r.Far != nil && r.Far.Requests() > 0 {
			return c.far(ctx)
		}
		return c.near(ctx)
	})
}

// Call calls do with a call that reads a box, unless that has no items.
func (r *Reader[W]) Call(f Format[W], dst []byte, start, stop []int64, do func(*Call[W]) error) error {
	p := r.Part
	if err := grid.CheckBuffer(p.Shape[:p.Dims], start, stop, int(p.ItemSize), len(dst)); err != nil {
		return err
	}

	c := &Call[W]{of: r, format: f, dst: dst}
	if err := c.box.Set(p, start, stop); err != nil || c.box.Pieces == 0 {
		return err
	}
	if cache := r.Keep.Cache(); cache != nil {
		c.follows = r.loop.Next(start, stop)
		c.most = c.pieces(cache.Most() / max(1, p.ChunkSize))
	}
	defer c.release()
	return do(c)
}

// pieces returns of how many pieces the chunks may be kept, if so many fit. A box with more leaves
// nothing, for its chunks would drive out each other. But the next box of a loop finds those that
// fit, if they are always the same.
func (c *Call[W]) pieces(fit int64) int {
	if int64(c.box.Pieces) > fit && !c.follows.Goes() {
		return 0
	}
	return int(min(fit, int64(c.box.Pieces)))
}

// release keeps the workers for the next call.
func (c *Call[W]) release() {
	for _, w := range c.workers {
		w.scratch.Reset()
		w.job = Job{items: w.job.items}
		c.of.idle.Put(w)
	}
}

// Each calls do for 0 to n-1 on the workers, with a number that no other call has at the time.
func (c *Call[W]) Each(ctx context.Context, n int, do func(worker, i int) error) error {
	return c.each(ctx, parallel.WorkersIn(ctx, c.of.Workers), n, do)
}

// each is Each for a number of workers.
func (c *Call[W]) each(ctx context.Context, workers, n int, do func(worker, i int) error) error {
	count := min(n, workers)
	if err := c.hire(count); err != nil {
		return err
	}
	return parallel.For(ctx, count, n, do)
}

// hire makes sure that there are so many workers.
func (c *Call[W]) hire(count int) error {
	for len(c.workers) < count {
		w, ok := c.of.idle.Get().(*worker[W])
		if !ok {
			w = &worker[W]{}
			if c.of.New != nil {
				var err error
				if w.with, err = c.of.New(); err != nil {
					return err
				}
			}
		}
		c.workers = append(c.workers, w)
	}
	return nil
}

// near reads all pieces, and looks each chunk up when its turn comes.
func (c *Call[W]) near(ctx context.Context) error {
	first, next, found, err := c.copied(ctx)
	if err != nil || first == c.box.Pieces {
		return err
	}
	defer func() {
		if found && next.Close != nil {
			_ = next.Close() // no worker came to it
		}
	}()

	return c.Each(ctx, c.box.Pieces-first, func(k, i int) error {
		w := c.workers[k]
		piece := c.box.Take(first+i, &w.scratch)
		w.job.number = first + i

		place := next
		var err error
		if i > 0 || !found {
			place, err = c.format.Locate(ctx, piece.Chunk)
		} else {
			found = false // load closes it
		}
		if err == nil {
			err = c.load(ctx, w, piece, place)
		}
		return c.named(piece.Chunk, err)
	})
}

// Chunk reads what the box has of a chunk, on a worker of [Call.Each]. The caller names the chunk
// in errors.
func (c *Call[W]) Chunk(ctx context.Context, worker int, chunk int64, place Place) error {
	w := c.workers[worker]
	piece, ok := c.box.TakeIn(chunk, &w.scratch)
	if !ok {
		return nil
	}
	w.job.number = c.box.Pieces - 1
	return c.load(ctx, w, piece, place)
}

// named adds the name of a chunk to an error.
func (c *Call[W]) named(chunk int64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", c.format.Name(chunk), err)
}
