package ndarray

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/strided"
	"github.com/cairn-go/cairn/meta"
)

// Packed is an array that python-blosc2 has packed into a plain frame, by save_array, save_tensor
// or pack_tensor: its items in C order, with shape and dtype in a metalayer. It is a [Source], for
// reading: [ViewOf] slices it, [Save] makes an array of it. All methods may be called concurrently.
type Packed struct {
	frame  *frame.Frame
	name   string // for errors
	shape  Shape
	dtype  meta.DType
	chunks *chunked.Reader[struct{}]
}

// OpenPacked opens the packed array in a file. o may be nil. It fails with [cairn.ErrNotFound] if
// the frame holds none, and with [cairn.ErrReadOnly] if o asks for writing.
func OpenPacked(path string, o *OpenOptions) (*Packed, error) {
	if o != nil && o.Mode == ReadWrite {
		return nil, fmt.Errorf("open %s: a packed array is only read, and Save makes an array of it: %w", path,
			cairn.ErrReadOnly)
	}

	f, err := frame.Open(path, o.frame())
	if err != nil {
		return nil, err
	}

	p, err := newPacked(f, path, o)
	if err != nil {
		return nil, errors.Join(naming.Call("open", path, err), f.Close())
	}
	return p, nil
}

// OpenPackedReader opens the packed array in a file of size bytes, as [OpenReader] opens an array.
func OpenPackedReader(r io.ReaderAt, size int64, o *OpenOptions) (*Packed, error) {
	f, err := frame.OpenReader(r, size, o.frame())
	if err != nil {
		return nil, err
	}

	p, err := newPacked(f, "", o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

func newPacked(f *frame.Frame, name string, o *OpenOptions) (*Packed, error) {
	p := &Packed{frame: f, name: name}
	b, err := p.frame.VL(packedName)
	if err != nil {
		return nil, err
	}
	v, err := meta.Unpack(b)
	if err != nil {
		return nil, err
	}
	if err := p.describe(v); err != nil {
		return nil, err
	}

	workers := 0
	if o != nil {
		workers = o.Workers
	}
	return p, p.openChunks(workers)
}

// describe takes shape and dtype from the metalayer, and compares them with the frame.
func (p *Packed) describe(v any) error {
	bad := func(what string) error {
		return cairn.Corruptf("metalayer "+packedName, -1, "%s: %.100s", what, fmt.Sprint(v))
	}

	t := listOf(v)
	if len(t) != 3 {
		return bad("not a kind, a shape and a dtype")
	}
	var err error
	p.dtype, err = meta.ParseDescr(t[2])
	if err != nil {
		return err
	}

	bytes := int64(p.dtype.Size())
	for _, extent := range listOf(t[1]) {
		n, ok := extent.(int64)
		if !ok || n < 0 || n > 0 && bytes > math.MaxInt64/n {
			return bad("shape")
		}
		p.shape = append(p.shape, n)
		bytes *= n
	}
	if len(p.shape) > meta.MaxDims {
		return fmt.Errorf("packed array of %d dimensions, the most is %d: %w", len(p.shape), meta.MaxDims,
			cairn.ErrUnsupported)
	}

	// in frames of large items, which state 1 byte, an item is more than one of the frame
	total := p.frame.NBytes()
	item := int64(p.frame.TypeSize())
	if int64(p.dtype.Size()) != item && item != 1 || bytes != total || int64(p.frame.ChunkSize()) < item && total > 0 {
		return bad(fmt.Sprintf("a frame of %d bytes in items of %d has", total, item))
	}
	return nil
}

// listOf returns the elements of a list or tuple.
func listOf(v any) []any {
	if t, ok := v.(meta.Tuple); ok {
		return t
	}
	list, _ := v.([]any)
	return list
}

// Close closes the file.
func (p *Packed) Close() error { return p.frame.Close() }

// Shape returns the number of items per dimension.
func (p *Packed) Shape() Shape { return append(Shape{}, p.shape...) }

// DType returns the dtype of the items.
func (p *Packed) DType() meta.DType { return p.dtype }

// Grid returns a shape of whole rows with about as many items as a chunk, and nil for blocks.
func (p *Packed) Grid() (chunks, blocks Shape) {
	return p.rows(p.frame.ChunkSize()), nil
}

// rows returns a shape of whole rows with at most so many bytes, or of one item.
func (p *Packed) rows(bytes int) Shape {
	left := int64(max(bytes/max(p.dtype.Size(), 1), 1))
	rows := make(Shape, len(p.shape))
	for i := len(rows) - 1; i >= 0; i-- {
		rows[i] = max(1, min(p.shape[i], left))
		left = max(left/rows[i], 1)
	}
	return rows
}

// mostRows is the most bytes of items that are read together, from the first that a box has of some
// rows to the last.
const mostRows = 8 << 20

// openChunks makes a reader that takes rows for chunks. They are in one piece, wherever the chunks
// of the frame end.
func (p *Packed) openChunks(workers int) error {
	chunks := p.rows(min(p.frame.ChunkSize(), mostRows))
	part, err := grid.New(p.shape, chunks, chunks, int64(p.dtype.Size()))
	if err != nil {
		return cairn.Corruptf("metalayer "+packedName, -1, "%v", err)
	}
	p.chunks = &chunked.Reader[struct{}]{Part: part, Workers: workers}
	return nil
}

// ReadBytes implements [Source].
func (p *Packed) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	err := grid.CheckBuffer(p.shape, start, stop, p.dtype.Size(), len(dst))
	if err != nil {
		return fmt.Errorf("read %s: %w", p.name, err)
	}
	if len(dst) == 0 {
		return ctx.Err()
	}

	items := packedItems{p}
	layout := strided.Packed(p.shape, int64(p.dtype.Size()))
	off, n := layout.Span(start, stop)
	if n == int64(len(dst)) { // in one piece
		err = items.ReadAt(ctx, dst, off)
	} else {
		err = p.chunks.Read(ctx, items, dst, start, stop)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", p.name, err)
	}
	return ctx.Err()
}

// packedItems are the items of a packed array as a [chunked.Format] without codecs, and the source
// of their bytes.
type packedItems struct{ *Packed }

// Name implements [chunked.Format].
func (p packedItems) Name(chunk int64) string {
	start, _ := p.chunks.Part.ChunkBox(chunk)
	return fmt.Sprintf("items from %v on", start[:len(p.shape)])
}

// Locate implements [chunked.Format].
func (p packedItems) Locate(_ context.Context, chunk int64) (chunked.Place, error) {
	part := p.chunks.Part
	start, _ := part.ChunkBox(chunk)

	first := int64(0)
	for i, n := range p.shape {
		first = first*n + start[i]
	}
	return chunked.Place{Source: p, Off: first * part.ItemSize, Size: part.ChunkSize, Plain: true}, nil
}

// Decode is not called.
func (p packedItems) Decode(struct{}, *chunked.Job, []byte) ([]byte, error) { return nil, nil }

// ReadAt implements [chunked.Source].
func (p packedItems) ReadAt(ctx context.Context, dst []byte, off int64) error {
	item := int64(p.frame.TypeSize())
	chunk := int64(p.frame.ChunkSize())
	for len(dst) > 0 {
		from := off % chunk
		to := min(from+int64(len(dst)), chunk)
		n, err := p.frame.ReadItems(ctx, dst[:to-from], int(off/chunk), int(from/item), int(to/item))
		if err != nil {
			return err
		}

		dst = dst[n:]
		off += int64(n)
	}
	return nil
}
