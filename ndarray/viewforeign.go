package ndarray

import (
	"context"
	"fmt"
	"reflect"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// sourceOrigin is a source of another package, as the origin of a view.
type sourceOrigin struct {
	src  Source
	part *grid.Partition // the grid of its chunks, each of one block
	edge Shape           // extents of its blocks
	what meta.DType
}

// foreignView returns a view of a source, whose shape, dtype and grid it checks.
func foreignView(src Source) UntypedView {
	shape := src.Shape()
	f, err := newSourceOrigin(src, shape)
	if err != nil {
		return UntypedView{err: fmt.Errorf("view of a source: %w: %w", err, cairn.ErrBounds)}
	}
	return UntypedView{of: f, sel: selection.Everything(shape)}
}

// newSourceOrigin returns the origin for a source. If the source has no grid, it chooses one.
func newSourceOrigin(src Source, shape Shape) (f sourceOrigin, err error) {
	f = sourceOrigin{src: src, what: src.DType()}
	chunks, blocks := src.Grid()
	if chunks == nil {
		auto, err := autoPartition(shape, f.what.Size(), nil)
		if err != nil {
			return f, err
		}
		chunks = shapeOf(auto, auto.Chunk)
		blocks = shapeOf(auto, auto.Block)
	}

	f.edge = blocks
	if blocks == nil {
		f.edge = chunks
	}
	if len(f.edge) != len(chunks) {
		return f, fmt.Errorf("chunks %v of blocks %v", chunks, blocks)
	}

	f.part, err = grid.New(shape, chunks, chunks, int64(f.what.Size()))
	return f, err
}

func (f sourceOrigin) typeSize() int64              { return f.part.ItemSize }
func (f sourceOrigin) dtype() meta.DType            { return f.what }
func (f sourceOrigin) workers() int                 { return 0 }
func (f sourceOrigin) inOrigin(err error) error     { return err }
func (f sourceOrigin) noteFailure(*error)           {}
func (f sourceOrigin) maxAlloc() int64              { return cairn.Limits{}.WithDefaults().MaxAlloc }
func (f sourceOrigin) grid() (chunks, blocks Shape) { return f.part.Chunk[:f.part.Dims], f.edge }

func (f sourceOrigin) labels() (Labels, error) {
	if src, ok := f.src.(Labelled); ok {
		return src.Labels()
	}
	return Labels{}, nil
}

func (f sourceOrigin) check(each func(meta.DType, int) error) error {
	return each(f.what, f.what.Size())
}

func (f sourceOrigin) frozen(context.Context, *freezer) (origin, error) { return f, nil }

// read reads a box by one call; for any other mesh it reads the chunks that hold the items, one
// after another.
func (f sourceOrigin) read(ctx context.Context, dst []byte, m selection.Mesh, host bool) error {
	swap := hostSwap(f.what, host)
	if start, stop, ok := m.Box(f.part.ItemSize); ok {
		if err := f.src.ReadBytes(ctx, dst, start[:f.part.Dims], stop[:f.part.Dims]); err != nil {
			return err
		}
		reverse(dst, swap)
		return nil
	}

	var plan grid.Mesh
	if err := plan.Set(f.part, m.Axes, m.Memory, false); err != nil {
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

// chunk reads a chunk; at the edge it adds the padding.
func (f sourceOrigin) chunk(ctx context.Context, number int64, raw, padded *[]byte) ([]byte, error) {
	start, stop := f.part.ChunkBox(number)
	var cut grid.Box
	if err := cut.Set(f.part, start[:f.part.Dims], stop[:f.part.Dims]); err != nil {
		return nil, err
	}

	*raw = slab.Resize(*raw, cut.Bytes)
	err := f.src.ReadBytes(ctx, *raw, start[:f.part.Dims], stop[:f.part.Dims])
	if err != nil {
		return nil, err
	}
	if cut.Bytes == f.part.ChunkSize {
		return *raw, nil
	}

	*padded = slab.Resize(*padded, f.part.ChunkSize)
	var piece grid.BoxPiece
	cut.Piece(0, &piece)
	piece.Gather(*padded, 0, *raw)
	return *padded, nil
}

// A storedSource has chunks that others can take over as they are stored.
type storedSource interface {
	StoredChunks(ctx context.Context) (*chunked.Stored, error)
}

func (f sourceOrigin) storedChunks(ctx context.Context) (*chunked.Stored, error) {
	src, ok := f.src.(storedSource)
	if !ok {
		return nil, nil
	}
	return src.StoredChunks(ctx)
}

func (f sourceOrigin) write(context.Context, []byte, selection.Mesh, bool, []bool) error {
	return errForeign
}

func (f sourceOrigin) fill(context.Context, encodeValue, selection.Mesh) error { return errForeign }

var errForeign = fmt.Errorf("write to a view of a source that is not an array: %w", cairn.ErrReadOnly)

// memorySource is a source of items in memory, in C order.
type memorySource struct {
	part grid.Partition // of one block
	what meta.DType
	data []byte
}

func newMemorySource(t reflect.Type, values govalue.Span, shape Shape) (*memorySource, *govalue.Layout, error) {
	text, err := govalue.DType(t)
	if err != nil {
		return nil, nil, err
	}
	d, err := meta.ParseDType(text)
	if err != nil {
		return nil, nil, err
	}

	l, err := govalue.Of(t, d, d.Size())
	if err != nil {
		return nil, nil, err
	}
	if l.Swap == 0 && (!l.Read || !l.Write) {
		return nil, l, fmt.Errorf("values of type %v have another layout than in files: %w", t, cairn.ErrUnsupported)
	}

	edge := make(Shape, len(shape))
	for i, n := range shape {
		edge[i] = max(1, n)
	}
	part, err := grid.New(shape, edge, edge, int64(d.Size()))
	if err != nil {
		return nil, l, fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	if part.ItemCount != int64(values.Len()) {
		return nil, l, fmt.Errorf("%d values for shape %v: %w", values.Len(), shape, cairn.ErrBounds)
	}
	if l.Swap == 0 {
		return &memorySource{*part, d, l.Memory(values)}, l, nil
	}

	// The machine has the bytes of numbers in the other order.
	items := make([]byte, values.Len()*d.Size())
	if _, err := l.Encode(items, values, 0, values.Len()); err != nil {
		return nil, l, err
	}
	return &memorySource{*part, d, items}, l, nil
}

func (m *memorySource) Shape() Shape { return append(Shape{}, m.part.Shape[:m.part.Dims]...) }

func (m *memorySource) DType() meta.DType { return m.what }

func (m *memorySource) Grid() (chunks, blocks Shape) { return nil, nil }

func (m *memorySource) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	var plan grid.Box
	if err := planDense(&plan, &m.part, len(dst), start, stop); err != nil || plan.Pieces == 0 {
		return err
	}

	var piece grid.BoxPiece
	plan.Piece(0, &piece)
	piece.Scatter(dst, 0, m.data)
	return nil
}

// ViewOf returns a view of a whole source. Sources other than arrays and views of this package
// cannot be written through the view, and must not change while it is read.
func ViewOf(src Source) UntypedView {
	if ours, ok := src.(interface {
		asView(src Source) (UntypedView, bool)
	}); ok {
		if v, ok := ours.asView(src); ok {
			return v
		}
	}
	return foreignView(src)
}
