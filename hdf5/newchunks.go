package hdf5

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// A chunkWorker is the state of a goroutine that makes chunks.
type chunkWorker struct {
	filters []filter.Filter
	encoded []byte
	taken   []byte // a chunk of the source as it is stored
	stored  []byte // what becomes of the chunk
	runs    []run  // of it that are written; nil for all
	at      int64  // where it goes in the file, once that is known
	mask    uint32
	number  int64
}

// A run is bytes of a chunk.
type run struct{ from, to int }

// A chunkEncoder has what encoding a chunk takes.
type chunkEncoder struct {
	part    *grid.Partition
	encoder *filter.Encoder
	check   *filter.Decoder // of what has been encoded; nil if nothing is checked
	back    []byte          // what it has decoded
	scratch grid.Scratch
	items   []byte // that have been read for the chunk alone
	chunk   []byte // its items
}

// writeChunks writes the chunks, box by box of whole ones, and then their index.
func (d *newDataset) writeChunks(ctx context.Context) error {
	part, err := grid.New(d.shape, d.layout.Chunk, d.layout.Chunk, d.to)
	if err != nil {
		return err
	}
	if part.ChunkCount == 0 {
		return ctx.Err()
	}

	d.holdMemory()
	stored, alone, err := d.chunksOfSource(ctx)
	if err != nil {
		return err
	}
	workers, err := d.hire(ctx, part, alone)
	if err != nil {
		return err
	}

	d.places = make([]chunkPlace, part.ChunkCount)
	if alone {
		if err := d.eachChunk(ctx, part, workers, stored); err != nil {
			return err
		}
		return d.writeIndex(part)
	}

	edge := slab.Chunked(d.shape, d.layout.Chunk, int64(d.dtype.Size()), max(1, d.w.o.Memory/(boxesAhead+2)))
	err = d.boxes(ctx, edge, func(b slab.Box, items []byte) error {
		var box grid.Box
		if err := box.Set(part, b.Start, b.Stop); err != nil {
			return err
		}
		err := parallel.Ordered(ctx, len(workers), box.NumPieces(), func(k, i int) error {
			if err := d.writeLast(&workers[k]); err != nil {
				return err
			}
			e := <-d.free
			defer func() { d.free <- e }()
			return workers[k].encode(e, &box, i, items, d.fill)
		}, func(k, _ int) error { return d.store(&workers[k]) })
		return d.writeRest(workers, err)
	})
	if err != nil {
		return err
	}
	return d.writeIndex(part)
}

// hire returns the workers, which read chunks too if each is read alone.
func (d *newDataset) hire(ctx context.Context, part *grid.Partition, alone bool) (workers []chunkWorker, err error) {
	perWorker := int64(2) // its chunk, and what it has encoded
	if d.w.o.Checked {
		perWorker++
	}
	if alone && d.memory == nil {
		perWorker++
	}

	// Chunks go into the file in their order. While the one that is next takes long, or is written,
	// others are encoded by as many more workers, of which not more encode at a time.
	most := parallel.WorkersIn(ctx, d.w.o.Workers)
	if len(d.filters) == 0 && d.memory != nil && rowChunks(part) {
		most = 1 // there is only to write, and file systems write to a file one after the other
	}
	encoders := most
	if most > 1 {
		most *= 2
	}
	workers = make([]chunkWorker, parallel.Within(d.w.o.Memory, perWorker*part.ChunkSize, most))
	for i := range workers {
		workers[i].filters = d.filters
	}

	d.free = make(chan *chunkEncoder, encoders)
	for range min(encoders, len(workers)) {
		e := &chunkEncoder{part: part}
		if e.encoder, err = filter.NewEncoder(d.filters); err != nil {
			return nil, err
		}
		if d.w.o.Checked {
			if e.check, err = filter.NewDecoder(d.filters); err != nil {
				return nil, err
			}
			e.back = make([]byte, part.ChunkSize)
		}
		d.free <- e
	}
	return workers, nil
}

// rowChunks reports whether chunks are neighbouring rows, whose items are contiguous in the array.
func rowChunks(part *grid.Partition) bool {
	for i := 1; i < part.Dims; i++ {
		if part.Chunk[i] != part.Shape[i] {
			return false
		}
	}
	return true
}

// encode encodes a chunk of a box, whose items are given. What exceeds the dataset has the fill
// value.
func (w *chunkWorker) encode(e *chunkEncoder, box *grid.Box, i int, items, fill []byte) (err error) {
	piece := box.Take(i, &e.scratch)
	defer e.scratch.Reset()
	w.number = piece.Chunk
	w.runs = w.runs[:0]

	full := piece.Direct(items, 0)
	if full == nil {
		memory := &e.chunk
		if len(w.filters) == 0 { // which is stored, while the encoder has another chunk
			memory = &w.encoded
		}
		*memory = slab.Resize(*memory, e.part.ChunkSize)
		full = *memory
		if !piece.Covers(0) {
			start, stop := e.part.ChunkBox(piece.Chunk)
			for d := range stop {
				stop[d] -= start[d]
			}
			chunk := e.part.Chunk[:e.part.Dims]
			corner := stop[:e.part.Dims]
			fillBeyond(full, chunk, corner, fill)
			if len(w.filters) == 0 && allZero(fill) {
				w.runs = appendRuns(w.runs, chunk, corner, 0, len(full))
			}
		}
		piece.Gather(full, 0, items)
	}

	if w.mask = 0; len(w.filters) == 0 {
		w.stored = full
		return nil
	}
	w.encoded, w.mask, err = e.encoder.Append(w.encoded[:0], full)
	w.stored = w.encoded
	if err != nil || e.check == nil {
		return err
	}
	return w.compare(e, full)
}

// fillBeyond fills the items of a chunk that are not in its first corner, of a shape.
func fillBeyond(full []byte, chunk, corner []int64, fill []byte) {
	if slices.Equal(chunk, corner) {
		return
	}
	row := len(full) / int(chunk[0])
	n := int(corner[0])
	for i := range n {
		fillBeyond(full[i*row:(i+1)*row], chunk[1:], corner[1:], fill)
	}
	fillWith(full[n*row:], fill)
}

// leastHole is the least bytes beyond a dataset that are not written: new files have zeros there.
const leastHole = 16 << 10

// appendRuns appends the runs of a chunk, n bytes from an offset on, that have the items in its
// first corner, without large holes.
func appendRuns(runs []run, chunk, corner []int64, at, n int) []run {
	row := n / int(chunk[0])
	used := int(corner[0]) * row
	hole := 0
	inner := row
	for d := 1; d < len(chunk); d++ {
		inner /= int(chunk[d])
		hole = max(hole, int(chunk[d]-corner[d])*inner)
	}
	if hole < leastHole {
		return append(runs, run{at, at + used})
	}
	for ; used > 0; used -= row {
		runs = appendRuns(runs, chunk[1:], corner[1:], at, row)
		at += row
	}
	return runs
}

// allZero reports whether a fill value has no bytes but zeros.
func allZero(fill []byte) bool { return len(bytes.Trim(fill, "\x00")) == 0 }

// compare returns an error unless what has been encoded decodes to the same bytes.
func (w *chunkWorker) compare(e *chunkEncoder, chunk []byte) error {
	err := e.check.Decode(e.back, w.stored, w.mask)
	if err == nil && !bytes.Equal(e.back, chunk) {
		err = fmt.Errorf("it decodes to other items: %w", cairn.ErrCorrupt)
	}
	if err != nil {
		return fmt.Errorf("chunk %d, as it was encoded: %w", w.number, err)
	}
	return nil
}

// store gives what a worker has encoded its place. The worker writes it before its next chunk,
// while others encode theirs.
func (d *newDataset) store(w *chunkWorker) error {
	if int64(len(w.stored)) > largestChunk {
		return unsupported("a chunk that takes 4 GiB or more when it is encoded")
	}
	w.at = d.w.allocate(int64(len(w.stored)))
	d.places[w.number] = chunkPlace{w.at, uint32(len(w.stored)), w.mask}
	return nil
}

// writeLast writes the chunk that a worker has stored last, if it has not yet.
func (d *newDataset) writeLast(w *chunkWorker) error {
	if w.at == 0 {
		return nil
	}
	at := w.at
	w.at = 0
	if len(w.runs) == 0 {
		_, err := d.w.file.WriteAt(w.stored, at)
		return err
	}
	for _, r := range w.runs {
		if _, err := d.w.file.WriteAt(w.stored[r.from:r.to], at+int64(r.from)); err != nil {
			return err
		}
	}
	return nil
}

// writeRest writes the chunks that workers have stored last, unless there was an error.
func (d *newDataset) writeRest(workers []chunkWorker, err error) error {
	for i := range workers {
		if err == nil {
			err = d.writeLast(&workers[i])
		}
	}
	return err
}

// writeIndex writes the index of the chunks.
func (d *newDataset) writeIndex(part *grid.Partition) error {
	at := make([]int64, len(d.shape))
	tree := &format.ChunkTree{Chunk: d.layout.Chunk, ItemSize: d.to, Count: part.ChunkCount}
	tree.Entry = func(i int64) ([]int64, format.Place) {
		p := d.places[i]
		c := part.ChunkAt(i)
		copy(at, c[:])
		return at, format.Place{Address: p.at, Size: int64(p.size), Mask: p.mask}
	}

	d.layout.Address = d.w.allocate(tree.Size())
	err := tree.Write(d.w.file, d.layout.Address)
	d.places = nil
	return err
}
