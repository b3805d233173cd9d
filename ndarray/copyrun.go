package ndarray

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
)

// rechunk fills a new array of zeros with the items of the source. Each box consists of whole
// chunks of the new array, so that none is written twice.
func (c *copying) rechunk(ctx context.Context, at *state, made *array) error {
	// Its own workers, as many as were planned; their memory is freed with it.
	source := c.source.snapshotAt(at)
	source.workers = c.workers

	// Chunks without stored items need no decoding.
	items := func(ctx context.Context, b slab.Box, room roomFunc) (change, error) {
		var plan grid.Box
		if err := plan.Set(at.part, b.Start, b.Stop); err != nil {
			return change{}, err
		}
		kind, item, err := commonKind(at, &plan)
		if err != nil {
			return change{}, source.inArray(err)
		}

		switch kind {
		case chunk.SpecialZeros:
			return change{}, nil // already zero
		case chunk.SpecialNaN:
			return change{src: nanItem(made.typeSize()), fill: true}, nil
		case chunk.SpecialValue:
			return change{src: item, fill: true}, nil
		}
		dense := room()
		return change{src: dense}, source.readBox(ctx, at, dense, b.Start, b.Stop, 0)
	}

	shape := c.to.Shape[:c.to.Dims]
	return c.eachBox(ctx, made, make(Shape, len(shape)), shape, c.report(), items)
}

// roomFunc returns memory for the items of a box.
type roomFunc = func() []byte

// eachBox splits a part of a new array into boxes, and applies to each the change that items
// returns.
func (c *copying) eachBox(ctx context.Context, made *array, start, stop []int64, report func(bytes int64),
	items func(ctx context.Context, b slab.Box, room roomFunc) (change, error)) error {
	// The memory is lent like that for chunks: copies are often made one after the other, as the
	// parts of an array are, and what each would leave to the collector adds up.
	buffers := make([]*chunkMemory, 1+c.ahead)
	for i := range buffers {
		buffers[i] = takeMemory(&boxMemories)
	}
	defer func() {
		for _, m := range buffers {
			m.release(&boxMemories)
		}
	}()

	read := func(ctx context.Context, slot int, b slab.Box) (change, error) {
		ready, err := items(ctx, b, func() []byte {
			m := buffers[slot]
			m.raw = slab.Resize(m.raw, b.Items()*c.to.ItemSize)
			return m.raw
		})
		if err != nil {
			return ready, err
		}
		return ready, ctx.Err()
	}
	write := func(b slab.Box, ready change) error {
		if ready.src != nil {
			if err := made.writeBox(ctx, ready, b.Start, b.Stop); err != nil {
				return err
			}
		}
		report(b.Items() * c.to.ItemSize)
		return nil
	}
	return readahead.Boxes(ctx, c.ahead, slab.Walk(start, stop, c.boxes.Edge[:c.to.Dims]), read, write)
}

// report returns a function that reports the progress of a copy made of boxes.
func (c *copying) report() func(bytes int64) {
	done := int64(0)
	total := c.bytes()
	return func(bytes int64) {
		done = min(done+bytes, total) // padding of chunks that are taken over counts too
		if c.options.Progress != nil {
			c.options.Progress(done, total)
		}
	}
}

// commonKind returns the kind that all chunks of a box share if no decoding is needed: zeros (also
// for uninitialised chunks) or NaN, as index entries, or one value, which it returns too. Otherwise
// it returns SpecialNone.
func commonKind(at *state, plan *grid.Box) (chunk.Special, []byte, error) {
	var piece grid.BoxPiece
	var value, next []byte
	all := chunk.SpecialNone
	for k := range plan.Pieces {
		plan.Piece(k, &piece)
		if piece.Chunk >= int64(at.view.NumChunks()) {
			return chunk.SpecialNone, nil, nil // reading the chunk reports the error
		}
		info, err := at.view.Peek(int(piece.Chunk))
		if err != nil {
			return chunk.SpecialNone, nil, err
		}

		kind := info.Kind
		if kind == chunk.SpecialUninit {
			kind = chunk.SpecialZeros
		}
		if !info.InIndex && kind != chunk.SpecialValue || k > 0 && kind != all {
			return chunk.SpecialNone, nil, nil
		}
		all = kind
		if kind != chunk.SpecialValue {
			continue
		}

		// The value is only in the chunk itself.
		next, err = valueOf(at, int(piece.Chunk), next)
		if err != nil {
			return chunk.SpecialNone, nil, err
		}
		if k == 0 {
			value = slices.Clone(next)
		}
		if !bytes.Equal(next, value) || int64(len(value)) != at.part.ItemSize {
			return chunk.SpecialNone, nil, nil
		}
	}
	return all, value, nil
}

// valueOf returns the item that a chunk of one value repeats. It uses the memory of buf if the item
// fits.
func valueOf(at *state, i int, buf []byte) ([]byte, error) {
	c, err := at.view.EncodedChunk(nil, i)
	if err != nil {
		return buf, err
	}
	return chunk.SpecialItem(buf, c)
}

// nanItem returns the NaN that special chunks of NaN represent.
func nanItem(size int) []byte {
	if size == 4 {
		return []byte{0, 0, 0xc0, 0x7f}
	}
	return []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}
}

// create makes the new array at path, or in memory if path is empty, without committing it. It has
// the encoding and the metalayers of state at, and either the chunks of that state, or zeros that
// fill then replaces.
func (c *copying) create(ctx context.Context, path string, source *array, at *state,
	fill func(context.Context, *array) error) (made *array, err error) {
	fo := c.options.frame(source)
	fo.Meta, err = c.newLayers(source, at)
	if err != nil {
		return nil, err
	}
	if c.lossy {
		fo.Exact, err = source.missing()
		if err != nil {
			return nil, err
		}
	}

	loss, err := c.rounder(source)
	if err != nil {
		return nil, source.inArray(err)
	}
	fo.Checked = fo.Checked || c.options.Checked || loss != nil
	if loss != nil {
		fo.Round, err = loss.round(&source.core)
		if err != nil {
			return nil, err
		}
	}

	fo.Workers = c.workers
	fo.ChunkSize = int(c.to.ChunkSize)
	fo.BlockSize = int(c.to.BlockSize)
	fo.First = int(c.to.ChunkCount)
	if fill != nil || fo.First == 0 {
		fo.First = -1
		fo.Progress = nil
	}
	f, err := copyFrame(ctx, at.view, path, fo)
	if err != nil {
		return nil, err
	}

	fills := fill != nil && c.to.ChunkCount > 0
	err = orAbort(f.Abort, func() error {
		if fills {
			err := f.AppendSpecial(ctx, chunk.SpecialZeros, c.to.ChunkCount*c.to.ChunkSize)
			if err != nil {
				return err
			}
		}

		of := core{
			name: path, workers: c.workers, memory: parallel.Memory(c.options.Memory),
			engine: fo.Engine, rounder: loss,
		}
		made, err = newArray(f, of, 0, false)
		if err != nil {
			return err
		}
		if err := loss.mark(&made.core); err != nil || !fills {
			return err
		}
		return fill(WithProgress(ctx, nil), made)
	})
	if err != nil {
		return nil, err
	}

	// From here on the array is used like its source.
	made.workers = source.workers
	made.memory = source.memory
	made.initial = f.Inside().Savepoint()
	return made, nil
}

// rounder returns what rounds the items of the copy, or nil.
func (c *copying) rounder(source *array) (*rounder, error) {
	info := source.last.Load().view.Info()
	codec, _ := c.options.codecAndLevel(info)
	filters := c.options.Filters
	if filters == nil {
		filters = filtersOf(info.Pipeline)
	}
	return c.options.Loss.rounder(source.dtype, codec, filters, source.engine)
}

// newLayers returns the metalayers of a state with the geometry of the copy, written in the current
// b2nd form.
func (c *copying) newLayers(source *array, at *state) ([]meta.Layer, error) {
	layer, err := newLayer(c.to, source.dtypeText)
	if err != nil {
		return nil, fmt.Errorf("new array: %w", err)
	}

	layers := at.view.Layers()
	i := arrayLayer(layers)
	if i < 0 {
		return nil, cairn.Corruptf("array", -1, "the metalayer is missing")
	}
	layers[i] = layer

	info := at.view.Info()
	wanted := c.options.zarrBlocks(info)
	switch {
	case wanted && !info.ZarrBlocks:
		layers = append(layers, meta.ZarrBlocksLayer())
	case !wanted:
		layers = slices.DeleteFunc(layers, func(l meta.Layer) bool { return l.Name == meta.LayerZarrBlocks })
	}
	return layers, nil
}

// run makes the copy in a new frame, without committing it. fill fills it with items; nil means
// those of the source.
func (c *copying) run(ctx context.Context, path string,
	fill func(context.Context, *array) error) (copied *array, err error) {
	source := c.source
	at, release, err := source.beginFlushedRead(ctx)
	if err != nil {
		return nil, err
	}
	defer endRead(release, &err)

	at = source.within(ctx, at)
	if at.part.Shape != c.from.Shape {
		return nil, source.inArray(fmt.Errorf("copy: the shape was changed from %v to %v since it was planned: %w",
			source.vec(c.from.Shape), source.vec(at.part.Shape), cairn.ErrConflict))
	}
	if fill == nil && c.method == CopyRechunk {
		fill = func(ctx context.Context, made *array) error { return c.rechunk(ctx, at, made) }
	}
	return c.create(ctx, path, source, at, fill)
}

// copyFrame makes the frame of a copy at path, or in memory if that is empty.
func copyFrame(ctx context.Context, v *frame.Snapshot, path string,
	fo *frame.CopyOptions) (*frame.Frame, error) {
	if path == "" {
		return frame.NewCopy(ctx, v, fo)
	}
	return frame.CreateCopy(ctx, path, v, fo)
}
