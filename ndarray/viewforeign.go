package ndarray

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// foreign is a source of another package as the origin of a view.
type foreign struct {
	src  Source
	part *grid.Partition // of its chunks, each of one block
	edge Shape           // of the blocks that it is made of
	what meta.DType
}

// foreignView returns a view of a source that says of itself what nothing has proven.
func foreignView(src Source) UntypedView {
	shape := src.Shape()
	f := foreign{src: src, what: src.DType()}
	chunks, blocks := src.Grid()
	var err error
	if chunks == nil {
		chunks, blocks, err = autoPartition(shape, f.what.Size(), nil)
	}
	if f.edge = blocks; blocks == nil {
		f.edge = chunks
	}
	if err == nil && len(f.edge) != len(chunks) {
		err = fmt.Errorf("chunks %v of blocks %v", chunks, blocks)
	}
	if err == nil {
		f.part, err = grid.New(shape, chunks, chunks, int64(f.what.Size()))
	}
	if err != nil {
		return UntypedView{err: fmt.Errorf("view of a source: %w: %w", err, cairn.ErrBounds)}
	}
	return UntypedView{of: f, sel: everything(shape)}
}

func (f foreign) typeSize() int64              { return f.part.ItemSize }
func (f foreign) dtype() meta.DType            { return f.what }
func (f foreign) workers() int                 { return 0 }
func (f foreign) inOrigin(err error) error     { return err }
func (f foreign) maxAlloc() int64              { return cairn.Limits{}.WithDefaults().MaxAlloc }
func (f foreign) grid() (chunks, blocks Shape) { return f.part.Chunk[:f.part.Dims], f.edge }

func (f foreign) check(each func(meta.DType, int) error) error { return each(f.what, f.what.Size()) }

func (f foreign) frozen(context.Context, *freezer) (origin, error) { return f, nil }

// read reads a box as it is, and of everything else the chunks that hold it, one after another.
func (f foreign) read(ctx context.Context, dst []byte, m mesh, host bool) error {
	swap := 0
	if host {
		swap = govalue.Swap(f.what)
	}
	if start, stop, ok := m.box(f.part.ItemSize); ok {
		if err := f.src.ReadBytes(ctx, dst, start[:f.part.Dims], stop[:f.part.Dims]); err != nil {
			return err
		}
		reverse(dst, swap)
		return nil
	}
	var plan meshPlan
	if err := plan.set(f.part, m, false); err != nil {
		return err
	}
	plan.Swap(swap)
	if plan.Pieces > 0 && f.part.ChunkSize > f.maxAlloc() {
		return fmt.Errorf("chunks of %d bytes, MaxAlloc is %d: %w", f.part.ChunkSize, f.maxAlloc(), cairn.ErrLimit)
	}
	var raw, padded []byte
	var piece grid.MeshPiece
	for k := range plan.Pieces {
		plan.Piece(k, &piece)
		block, err := f.chunk(ctx, piece.Chunk, &raw, &padded)
		if err != nil {
			return err
		}
		piece.Scatter(dst, 0, block)
	}
	return nil
}

// chunk reads a chunk, padded where it is cut at the edge.
func (f foreign) chunk(ctx context.Context, number int64, raw, padded *[]byte) ([]byte, error) {
	start, stop := f.part.ChunkBox(number)
	var cut grid.Plan
	if err := planBox(&cut, f.part, start[:f.part.Dims], stop[:f.part.Dims]); err != nil {
		return nil, err
	}
	*raw = resize(*raw, int(cut.Bytes))
	if err := f.src.ReadBytes(ctx, *raw, start[:f.part.Dims],
		stop[:f.part.Dims]); err != nil || cut.Bytes == f.part.ChunkSize {
		return *raw, err
	}
	*padded = resize(*padded, int(f.part.ChunkSize))
	var piece grid.Piece
	cut.Piece(0, &piece)
	piece.Gather(*padded, 0, *raw)
	return *padded, nil
}

func (f foreign) write(context.Context, []byte, mesh, bool) error { return errForeign }

func (f foreign) writeMasked(context.Context, []byte, mesh, []bool) error { return errForeign }

func (f foreign) fill(context.Context, encodeValue, mesh) error { return errForeign }

var errForeign = fmt.Errorf("write to a view of a source that is no array: %w", cairn.ErrReadOnly)

// whole returns the array of which the view is all, as it is, or nil.
func (v UntypedView) whole() *Untyped {
	s, ok := v.of.(stored)
	if !ok || v.Err() != nil {
		return nil
	}
	if v.sel.plain() && slices.Equal(v.sel.size, s.u.Shape()) {
		return s.u
	}
	return nil
}

// plain reports whether the selection begins where its origin does and leaves out nothing but at the end
// of dimensions.
func (s selection) plain() bool {
	for k, dim := range s.dims {
		if dim != k || s.axes[k].List != nil || s.axes[k].Start != 0 || s.axes[k].Count > 1 && s.axes[k].Step != 1 {
			return false
		}
	}
	return len(s.dims) == len(s.axes)
}
