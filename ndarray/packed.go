package ndarray

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
)

// Packed is an array that python-blosc2 has packed into a plain frame, by save_array, save_tensor
// or pack_tensor: its items in C order, with shape and dtype in a metalayer. It is a [Source], for
// reading: [ViewOf] slices it, [Save] makes an array of it. All methods may be called concurrently.
type Packed struct {
	frame *frame.Frame
	name  string // for errors
	shape Shape
	dtype meta.DType
	chunk int64 // items of the frame in each chunk but the last
	// items of the frame in an item: more than one in frames of large items, which state 1 byte
	parts int64
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
	p, err := newPacked(f, path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), f.Close())
	}
	return p, nil
}

// OpenPackedReader opens the packed array in a file of size bytes, as [OpenReader] opens an array.
func OpenPackedReader(r io.ReaderAt, size int64, o *OpenOptions) (*Packed, error) {
	f, err := frame.OpenReader(r, size, o.frame())
	if err != nil {
		return nil, err
	}
	p, err := newPacked(f, "")
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

func newPacked(f *frame.Frame, name string) (*Packed, error) {
	p := &Packed{frame: f, name: name}
	b, err := p.frame.VL(packedName)
	if err != nil {
		return nil, err
	}
	v, err := meta.Unpack(b)
	if err != nil {
		return nil, err
	}
	return p, p.describe(v)
}

// packedName is the metalayer of variable length that describes a packed array. Its content is the
// tuple (kind, shape, dtype): "numpy", "torch" or "tensorflow"; and the dtype as text, or the list
// of fields of a structure (numpy.dtype.descr).
const packedName = "__pack_tensor__"

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
	if p.dtype, err = meta.ParseDescr(t[2]); err != nil {
		return err
	}
	total, item := p.frame.NBytes(), int64(p.frame.TypeSize())
	bytes := int64(p.dtype.Size())
	for _, extent := range listOf(t[1]) {
		n, ok := extent.(int64)
		if !ok || n < 0 || n > 0 && bytes > math.MaxInt64/n {
			return bad("shape")
		}
		p.shape, bytes = append(p.shape, n), bytes*n
	}
	if len(p.shape) > meta.MaxDims {
		return fmt.Errorf("packed array of %d dimensions, the most is %d: %w", len(p.shape), meta.MaxDims,
			cairn.ErrUnsupported)
	}
	p.chunk, p.parts = int64(p.frame.ChunkSize())/item, int64(p.dtype.Size())/item
	if int64(p.dtype.Size()) != item && item != 1 || bytes != total || p.chunk < 1 && total > 0 {
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
	left := max(p.chunk/max(p.parts, 1), 1)
	chunks = make(Shape, len(p.shape))
	for i := len(chunks) - 1; i >= 0; i-- {
		chunks[i] = max(1, min(p.shape[i], left))
		left /= chunks[i]
	}
	return chunks, nil
}

// flat reads the items [from, to) in C order.
func (p *Packed) flat(ctx context.Context, dst []byte, from, to int64) error {
	from, to = from*p.parts, to*p.parts
	for from < to {
		i, first := from/p.chunk, from%p.chunk
		n := min(to-from, p.chunk-first)
		got, err := p.frame.ReadItems(ctx, dst[:n*int64(p.frame.TypeSize())], int(i), int(first), int(first+n))
		if err != nil {
			return err
		}
		dst, from = dst[got:], from+n
	}
	return nil
}

// ReadBytes implements [Source].
func (p *Packed) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if err := grid.CheckBuffer(p.shape, start, stop, p.dtype.Size(), len(dst)); err != nil {
		return fmt.Errorf("read %s: %w", p.name, err)
	}
	if len(dst) == 0 {
		return ctx.Err()
	}
	r := packedRead{p: p, dst: dst}
	return r.rows(ctx, start, stop)
}

// packedRead reads a box of a packed array. Runs of items that are near each other are read
// together.
type packedRead struct {
	p       *Packed
	dst     []byte
	scratch []byte
	runs    []packedRun // that are to be read together
	at      int64       // bytes of dst that have a run
}

// A packedRun is a range of items that are adjacent in the file and in the box.
type packedRun struct{ from, to, at int64 }

// window is the most bytes of items that are read together for several runs.
const window = 1 << 20

// rows reads the runs of a box, in order.
func (r *packedRead) rows(ctx context.Context, start, stop []int64) error {
	shape := r.p.shape
	inner, length := len(shape), int64(1)
	for inner > 0 { // a run spans the dimensions from inner on
		inner--
		length *= stop[inner] - start[inner]
		if start[inner] != 0 || stop[inner] != shape[inner] {
			break
		}
	}
	stride := make(Shape, len(shape))
	for i, step := len(shape)-1, int64(1); i >= 0; i-- {
		stride[i], step = step, step*shape[i]
	}
	first := int64(0)
	for i := range start {
		first += start[i] * stride[i]
	}
	at := slices.Clone(start[:inner])
	for {
		if err := r.add(ctx, first, length); err != nil {
			return err
		}
		d := inner - 1
		for ; d >= 0; d-- {
			at[d]++
			if first += stride[d]; at[d] < stop[d] {
				break
			}
			first -= (stop[d] - start[d]) * stride[d]
			at[d] = start[d]
		}
		if d < 0 {
			return r.flush(ctx)
		}
	}
}

// add adds a run, and reads those before it if they are too far away.
func (r *packedRead) add(ctx context.Context, from, length int64) error {
	size := int64(r.p.dtype.Size())
	if len(r.runs) > 0 && (from+length-r.runs[0].from)*size > window {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	r.runs = append(r.runs, packedRun{from, from + length, r.at})
	r.at += length * size
	return nil
}

// flush reads the runs that wait.
func (r *packedRead) flush(ctx context.Context) error {
	runs, size := r.runs, int64(r.p.dtype.Size())
	r.runs = runs[:0]
	if len(runs) == 1 {
		run := runs[0]
		return r.p.flat(ctx, r.dst[run.at:], run.from, run.to)
	}
	first, last := runs[0].from, runs[len(runs)-1].to
	r.scratch = slab.Resize(r.scratch, (last-first)*size)
	if err := r.p.flat(ctx, r.scratch, first, last); err != nil {
		return err
	}
	for _, run := range runs {
		copy(r.dst[run.at:], r.scratch[(run.from-first)*size:(run.to-first)*size])
	}
	return nil
}
