package ndarray

import (
	"bytes"
	"context"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
)

// rechunk fills copied, which has no chunks yet, with the items of the array, box by box. Each box has whole chunks of the copy, so that none of these is written twice.
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
	for start, more := (grid.Vec{}), true; more; start, more = nextBox(start, grid.Vec{}, p.to.Shape, p.boxes.Edge, p.to.Dims) {
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
		return plan.Bytes, copied.fillBox(ctx, copied.part, nanItem(copied.TypeSize()), from, to)
	case kind == chunk.SpecialValue:
		return plan.Bytes, copied.fillBox(ctx, copied.part, item, from, to)
	}
	if int64(cap(*buf)) < plan.Bytes {
		*buf = make([]byte, p.boxes.BoxBytes)
	}
	dense := (*buf)[:plan.Bytes]
	if err := source.readBox(ctx, at, dense, from, to, 0); err != nil {
		return 0, err
	}
	return plan.Bytes, copied.writeBox(ctx, copied.part, dense, from, to, 0)
}

// constant returns what all chunks of a box are that need no decoding: zeros, which includes those without a value, or NaN, as index entries; or one value, which comes
// with it; else SpecialNone.
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
