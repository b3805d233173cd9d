package zarr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// An Array is an array of a store, as an [ndarray.Source]. Any number of goroutines may use it
// while the store is open. Missing chunks consist of the fill value.
type Array struct {
	*metadata
	keys    keys
	key     string // of the array in the store, "" for the root
	workers int
}

var _ ndarray.Labelled = (*Array)(nil)

// Info describes an array.
type Info struct {
	Version int // of the format: 2 or 3
	// items per dimension of a chunk with its own key, which is a shard if Inner is not nil
	Chunks ndarray.Shape
	Inner  ndarray.Shape // items per dimension of an inner chunk, or nil
	Codecs []string      // codecs, filters and the compressor, in the order in which they encode
	Fill   []byte        // the fill value, encoded as the dtype says
}

// Shape implements [ndarray.Source].
func (a *Array) Shape() ndarray.Shape { return append(ndarray.Shape{}, a.shape...) }

// DType implements [ndarray.Source].
func (a *Array) DType() meta.DType { return a.dtype }

// Grid implements [ndarray.Source]: it returns the shapes of shards and inner chunks, or twice that
// of chunks.
func (a *Array) Grid() (chunks, blocks ndarray.Shape) { return a.grids() }

// Info returns a description of the array, which the caller may change.
func (a *Array) Info() Info {
	i := Info{
		Version: a.version, Chunks: slices.Clone(a.chunk), Codecs: slices.Clone(a.names),
		Fill: slices.Clone(a.fill),
	}
	if a.shard != nil {
		i.Inner = slices.Clone(a.shard.inner)
	}
	return i
}

// Labels implements [ndarray.Labelled]: it returns the names of the dimensions, and the attributes.
// Numbers are int64, uint64 or float64, lists []any and objects [meta.Map]. The caller must not
// change them. There is no error.
func (a *Array) Labels() (ndarray.Labels, error) {
	return ndarray.Labels{Dims: a.dims, Attributes: a.attributes}, nil
}

// ReadBytes implements [ndarray.Source]. It reads and decodes the chunks that the box touches, in
// parallel; of shards only the index and those inner chunks. Errors of the store are wrapped;
// others match cairn.ErrCorrupt, cairn.ErrChecksum, cairn.ErrLimit or cairn.ErrBounds.
func (a *Array) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	var box grid.Box
	err := box.Set(a.part, start, stop)
	if err == nil && box.Bytes != int64(len(dst)) {
		err = fmt.Errorf("%d bytes for a box of %d: %w", len(dst), box.Bytes, cairn.ErrBounds)
	}
	if err == nil && box.Pieces > 0 {
		r := &reading{Array: a, box: &box, dst: dst}
		if a.shard == nil {
			err = r.chunks(ctx)
		} else {
			err = r.shards(ctx, start, stop)
		}
	}
	if err != nil {
		return fmt.Errorf("array %q: %w", "/"+a.key, err)
	}
	return nil
}

// A reading is one call of ReadBytes.
type reading struct {
	*Array
	box     *grid.Box
	dst     []byte
	workers []*readWorker
}

// A readWorker is the state of one goroutine.
type readWorker struct {
	*worker
	scratch grid.Scratch
	raw     []byte // an encoded chunk
	key     []byte
}

// each calls do for 0 to n-1 on the workers.
func (r *reading) each(ctx context.Context, n int, do func(w *readWorker, i int) error) error {
	count := min(n, parallel.Workers(r.Array.workers))
	for len(r.workers) < count {
		w, err := r.chain.worker()
		if err != nil {
			return err
		}
		r.workers = append(r.workers, &readWorker{worker: w})
	}
	return parallel.For(ctx, count, n, func(k, i int) error { return do(r.workers[k], i) })
}

// keyOf returns the key of the chunk at coordinates of the grid.
func (r *reading) keyOf(w *readWorker, at []int64) string {
	w.key = w.key[:0]
	if r.key != "" {
		w.key = append(append(w.key, r.key...), '/')
	}
	w.key = r.appendKey(w.key, at)
	return string(w.key)
}

// chunks reads chunks with a key each.
func (r *reading) chunks(ctx context.Context) error {
	return r.each(ctx, r.box.Pieces, func(w *readWorker, i int) error {
		piece := r.box.Take(i, &w.scratch)
		var at grid.Vec
		rest := piece.Chunk
		for d := r.part.Dims - 1; d >= 0; d-- {
			at[d] = rest % r.part.ChunkGrid[d]
			rest /= r.part.ChunkGrid[d]
		}
		key := r.keyOf(w, at[:r.part.Dims])
		raw, err := get(ctx, r.keys, key, max(r.chain.maxEncoded(), minEncoded), w.raw)
		if errors.Is(err, fs.ErrNotExist) {
			piece.Fill(r.dst, r.fill)
			return nil
		}
		if err == nil {
			w.raw = raw
			err = r.put(w, piece, raw)
		}
		if err != nil {
			return fmt.Errorf("chunk %s: %w", key, err)
		}
		return nil
	})
}

// minEncoded is how many bytes a chunk of a few items may have, whatever its codecs add.
const minEncoded = 1 << 16

// put decodes a chunk and puts its items into their places.
func (r *reading) put(w *readWorker, piece grid.ChunkPiece, raw []byte) error {
	direct := piece.Direct(r.dst, 0)
	if direct == nil {
		from, to := piece.Span(0)
		items, err := w.decodeRange(raw, from, to)
		if err == nil {
			piece.Scatter(r.dst, 0, items)
		}
		return err
	}
	items, err := w.decode(direct, raw)
	if err == nil && len(items) > 0 && &items[0] != &direct[0] {
		copy(direct, items)
	}
	return err
}

// An openShard is a shard that is being read.
type openShard struct {
	first grid.Vec // coordinates of its first inner chunk that the box touches
	count grid.Vec // of those inner chunks
	jobs  int
	key   string
	base  grid.Vec // coordinates of its first inner chunk
	object
	list [][2]int64 // nil if the shard is missing
}

const (
	shardsAtOnce = 64      // open at the same time
	indexAtOnce  = 1 << 22 // entries of their indexes
)

// shards reads inner chunks of shards, some shards at a time.
func (r *reading) shards(ctx context.Context, start, stop []int64) error {
	dims := r.part.Dims
	inside, _ := grid.Product(r.perShard())
	most := max(1, min(shardsAtOnce, indexAtOnce/inside))
	var low, high, at grid.Vec
	for d := range dims {
		low[d], high[d] = start[d]/r.chunk[d], (stop[d]-1)/r.chunk[d]
		at[d] = low[d]
	}
	for more := true; more; {
		var group []*openShard
		for more && int64(len(group)) < most {
			group = append(group, r.shardAt(at[:dims], start, stop))
			d := dims - 1
			for ; d >= 0; d-- {
				if at[d]++; at[d] <= high[d] {
					break
				}
				at[d] = low[d]
			}
			more = d >= 0
		}
		if err := r.group(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// perShard returns how many inner chunks a shard has in each dimension.
func (r *reading) perShard() []int64 {
	count := make([]int64, r.part.Dims)
	for d := range count {
		count[d] = r.chunk[d] / r.shard.inner[d]
	}
	return count
}

// shardAt returns a shard, not opened yet.
func (r *reading) shardAt(at, start, stop []int64) *openShard {
	s := &openShard{jobs: 1, key: r.keyOf(&readWorker{}, at)}
	for d := range at {
		inner := r.shard.inner[d]
		s.base[d] = at[d] * (r.chunk[d] / inner)
		s.first[d] = max(start[d], at[d]*r.chunk[d]) / inner
		// computed from the last item, as the end of the shard may exceed 63 bits
		last := (stop[d] - 1) / inner
		if full := s.base[d] + r.chunk[d]/inner - 1; last > full {
			last = full
		}
		s.count[d] = last - s.first[d] + 1
		s.jobs *= int(s.count[d])
	}
	return s
}

// group reads the inner chunks of some shards.
func (r *reading) group(ctx context.Context, group []*openShard) (err error) {
	defer func() {
		for _, s := range group {
			if s.object != nil {
				err = errors.Join(err, s.object.close())
			}
		}
	}()
	ends := make([]int, len(group))
	for i, s := range group {
		ends[i] = s.jobs
		if i > 0 {
			ends[i] += ends[i-1]
		}
	}
	err = r.each(ctx, len(group), func(_ *readWorker, i int) error { return r.openShard(ctx, group[i]) })
	if err != nil {
		return err
	}
	return r.each(ctx, ends[len(ends)-1], func(w *readWorker, job int) error {
		k, _ := slices.BinarySearch(ends, job+1)
		if k > 0 {
			job -= ends[k-1]
		}
		if err := r.inner(ctx, w, group[k], job); err != nil {
			return fmt.Errorf("shard %s: %w", group[k].key, err)
		}
		return nil
	})
}

// openShard opens a shard and reads its index.
func (r *reading) openShard(ctx context.Context, s *openShard) error {
	o, err := r.keys.open(ctx, s.key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		s.object = o
		s.list, err = r.shard.readIndex(ctx, o)
	}
	if err != nil {
		return fmt.Errorf("shard %s: %w", s.key, err)
	}
	return nil
}

// inner reads an inner chunk: the job-th that the box touches in a shard.
func (r *reading) inner(ctx context.Context, w *readWorker, s *openShard, job int) error {
	chunk, entry, gridStep, shardStep := int64(0), int64(0), int64(1), int64(1)
	rest := int64(job)
	for d := r.part.Dims - 1; d >= 0; d-- {
		at := s.first[d] + rest%s.count[d]
		rest /= s.count[d]
		chunk += at * gridStep
		entry += (at - s.base[d]) * shardStep
		gridStep *= r.part.ChunkGrid[d]
		shardStep *= r.chunk[d] / r.shard.inner[d]
	}
	piece, ok := r.box.TakeIn(chunk, &w.scratch)
	if !ok {
		return nil
	}
	if s.list == nil || s.list[entry] == missing {
		piece.Fill(r.dst, r.fill)
		return nil
	}
	place := s.list[entry]
	w.raw = resize(w.raw, place[1])
	err := s.read(ctx, storage.Range{Off: place[0], Data: w.raw})
	if err == nil {
		err = r.put(w, piece, w.raw)
	}
	if err != nil {
		return fmt.Errorf("inner chunk %d: %w", entry, err)
	}
	return nil
}
