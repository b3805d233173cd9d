package ndarray

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// rechunk fills copied, which has no chunks yet, with the items of the array, box by box. Each box
// has whole chunks of the copy, so that none of these is written twice.
func (p *copying) rechunk(ctx context.Context, at *moment, copied *Untyped) error {
	if p.to.ChunkCount == 0 {
		return nil
	}
	ctx = WithProgress(ctx, nil)
	if err := copied.frame.AppendSpecial(ctx, chunk.SpecialZeros, p.to.ChunkCount*p.to.ChunkSize); err != nil {
		return err
	}
	// With workers of its own, whose number was planned and whose memory goes with it.
	source := p.source.frozenAt(at)
	source.workers = p.workers
	var buf []byte
	var done int64
	total := p.bytes()
	for start, more := (grid.Vec{}), true; more; start, more = nextBox(start, grid.Vec{},
		p.to.Shape, p.boxes.Edge, p.to.Dims) {
		stop := p.stop(start)
		n, err := p.box(ctx, at, source, copied, &buf, start, stop)
		if err != nil {
			return err
		}
		done += n
		if p.options.Progress != nil {
			p.options.Progress(done, total)
		}
	}
	return nil
}

// stop returns the end of the box that begins at start.
func (p *copying) stop(start grid.Vec) (stop grid.Vec) {
	for i := range p.to.Dims {
		stop[i] = min(start[i]+p.boxes.Edge[i], p.to.Shape[i])
	}
	return stop
}

// box copies one box, in memory that is reused, and returns its size in bytes.
func (p *copying) box(ctx context.Context, at *moment, source, copied *Untyped, buf *[]byte, start,
	stop grid.Vec) (int64, error) {
	from, to := start[:p.to.Dims], stop[:p.to.Dims]
	var plan grid.Plan
	if err := planBox(&plan, at.part, from, to); err != nil {
		return 0, err
	}
	switch kind, item, err := constant(at, &plan); {
	case err != nil:
		return 0, source.inArray(err)
	case kind == chunk.SpecialZeros:
		return plan.Bytes, ctx.Err() // as the copy began
	case kind == chunk.SpecialNaN:
		return plan.Bytes, copied.writeBox(ctx, copied.part,
			change{src: nanItem(copied.TypeSize()), fill: true}, from, to)
	case kind == chunk.SpecialValue:
		return plan.Bytes, copied.writeBox(ctx, copied.part, change{src: item, fill: true}, from, to)
	}
	if int64(cap(*buf)) < plan.Bytes {
		*buf = make([]byte, p.boxes.BoxBytes)
	}
	dense := (*buf)[:plan.Bytes]
	if err := source.readBox(ctx, at, dense, from, to, 0); err != nil {
		return 0, err
	}
	return plan.Bytes, copied.writeBox(ctx, copied.part, change{src: dense}, from, to)
}

// constant returns what all chunks of a box are that need no decoding: zeros, which includes those
// without a value, or NaN, as index entries; or one value, which comes with it; else SpecialNone.
func constant(at *moment, plan *grid.Plan) (chunk.Special, []byte, error) {
	var piece grid.Piece
	all := chunk.SpecialNone
	var value, next []byte
	for k := range plan.Pieces {
		plan.Piece(k, &piece)
		if piece.Chunk >= int64(at.view.NumChunks()) {
			return chunk.SpecialNone, nil, nil // reading it says what is wrong
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
		if all = kind; kind != chunk.SpecialValue {
			continue
		}
		if next, err = valueOf(at, int(piece.Chunk), next); err != nil {
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

// valueOf returns the item that a chunk of one value repeats, in buf's memory if it fits.
func valueOf(at *moment, i int, buf []byte) ([]byte, error) {
	c, err := at.view.EncodedChunk(nil, i)
	if err == nil {
		buf, err = chunk.SpecialItem(buf, c)
	}
	return buf, err
}

// nanItem returns the NaN that special chunks stand for.
func nanItem(size int) []byte {
	if size == 4 {
		return []byte{0, 0, 0xc0, 0x7f}
	}
	return []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}
}

// create makes the new array at path, or in memory if that is empty, without committing it: with
// the encoding and the metalayers of the state at of an array, of zeros, which fill then replaces.
func (p *copying) create(ctx context.Context, path string, u *Untyped, at *moment,
	fill func(context.Context, *Untyped) error) (made *Untyped, err error) {
	fo := p.options.frame(u)
	fo.Progress = nil
	if fo.Meta, err = newLayers(u, at, p.to); err != nil {
		return nil, err
	}
	fo.Workers, fo.First, fo.ChunkSize, fo.BlockSize = p.workers, -1, int(p.to.ChunkSize), int(p.to.BlockSize)
	f, err := newFrame(ctx, at.view, path, fo)
	if err != nil {
		return nil, err
	}
	err = orAbort(f, func() (err error) {
		if p.to.ChunkCount > 0 {
			err = f.AppendSpecial(ctx, chunk.SpecialZeros, p.to.ChunkCount*p.to.ChunkSize)
		}
		if err == nil {
			made, err = newUntyped(f, p.settings(fo, path))
		}
		if err == nil && p.to.ChunkCount > 0 {
			err = fill(ctx, made)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	made.workers, made.memory, made.initial = u.workers, u.memory, f.Inside().Savepoint()
	return made, nil
}

// newLayers returns the metalayers of a state of an array with another geometry, which is always
// written in today's form.
func newLayers(u *Untyped, at *moment, to *grid.Partition) ([]meta.Layer, error) {
	m := meta.B2ND{Shape: slices.Clone(to.Shape[:to.Dims]), ChunkShape: narrow(to.Chunk[:to.Dims]),
		BlockShape: narrow(to.Block[:to.Dims]), DType: u.dtypeText}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("new array: %w", err)
	}
	layers := at.view.Layers()
	for _, name := range []string{meta.LayerB2ND, meta.LayerCaterva} {
		if i := slices.IndexFunc(layers, func(l meta.Layer) bool { return l.Name == name }); i >= 0 {
			layers[i] = meta.Layer{Name: meta.LayerB2ND, Content: m.Append(nil)}
			return layers, nil
		}
	}
	return nil, cairn.Corruptf("array", -1, "it has lost its metalayer")
}
