package ndarray

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// UntypedView is a part of one or several arrays in another shape: sliced, transposed, reversed,
// joined. Making a view reads nothing and copies only lists of indices. Reading it decodes each
// block that holds its items once, straight to where the items go. Views are values: methods that
// change the shape return another view. Errors are reported late: a view keeps the first error, and
// all its later methods return that.
//
// A view keeps the coordinates from when it was made, and reads the array's current items. Items
// that were appended later are not part of it, and reading fails with [cairn.ErrBounds] if some of
// its items no longer exist. To read from one state, make views of an [Untyped.Snapshot].
// Concurrency is as for [Untyped].
type UntypedView struct {
	of  origin
	sel selection.Selection // Start and Stop are not set
	err error
}

// An origin is what a view reads from. With host set, operations use the byte order of the machine,
// otherwise that of the file.
type origin interface {
	typeSize() int64
	dtype() meta.DType
	// extents of what is stored together; the caller must not change them
	grid() (chunks, blocks Shape)
	maxAlloc() int64
	workers() int
	check(each func(d meta.DType, size int) error) error // calls each with the dtype of every array
	// adds the name of the array to an error, if there is one
	inOrigin(err error) error
	noteFailure(err *error)  // tells the array of a write that failed, if there is one
	labels() (Labels, error) // of the array, of the first if there are several
	// frozen returns an origin that keeps the current state until the freezer ends.
	frozen(ctx context.Context, h *freezer) (now origin, err error)
	read(ctx context.Context, dst []byte, m selection.Mesh, host bool) error
	// write writes the bytes of items that mask selects, or all if mask is nil.
	write(ctx context.Context, src []byte, m selection.Mesh, host bool, mask []bool) error
	fill(ctx context.Context, value encodeValue, m selection.Mesh) error
}

// A storedOrigin has chunks that writers can take over as they are stored, or returns nil.
type storedOrigin interface {
	storedChunks(ctx context.Context) (*chunked.Stored, error)
}

// freezer keeps origins in their state.
type freezer struct {
	workers int  // goroutines of each array; 0 means its own
	lock    bool // with Locking, keep other processes from changing the arrays
	readers []*array
	ends    []func() error
}

// end releases the origins.
func (h *freezer) end() (err error) {
	for _, end := range slices.Backward(h.ends) {
		err = errors.Join(err, end())
	}
	h.ends = nil
	return err
}

// encodeValue returns an item for a dtype and a size.
type encodeValue func(d meta.DType, size int) ([]byte, error)

// Err returns the first error of the methods that made the view, or nil.
func (v UntypedView) Err() error {
	if v.err == nil && v.of == nil {
		return errNoView
	}
	return v.err
}

var errNoView = errors.New("ndarray: view of nothing")

// Shape returns the number of items per dimension, nil after an error.
func (v UntypedView) Shape() Shape {
	if v.Err() != nil {
		return nil
	}
	return v.sel.Shape()
}

func (v UntypedView) dims() int { return len(v.sel.Dims) }

// Len returns the number of items, 0 after an error.
func (v UntypedView) Len() int64 {
	if v.Err() != nil {
		return 0
	}
	return v.sel.Len()
}

// TypeSize returns the bytes per item, 0 after an error.
func (v UntypedView) TypeSize() int {
	if v.Err() != nil {
		return 0
	}
	return int(v.of.typeSize())
}

// Fill stages one value for all selected items of the view; see [Untyped.Fill].
func (v UntypedView) Fill(ctx context.Context, value any, selectors ...Selector) error {
	return v.Slice(selectors...).fill(ctx, func(d meta.DType, size int) ([]byte, error) {
		return govalue.EncodeItem(d, size, value)
	})
}

func (v UntypedView) fill(ctx context.Context, value encodeValue) (err error) {
	defer v.noteFailure(&err)
	if err := v.Err(); err != nil {
		return err
	}

	return v.of.fill(ctx, value, selection.OneItem(v.sel, v.of.typeSize()))
}

// cell returns the view of one item. Negative coordinates count from the end of their dimension.
func (v UntypedView) cell(coordinates []int64) UntypedView {
	if v.Err() != nil {
		return v
	}
	if len(coordinates) != v.dims() {
		return v.fail(fmt.Errorf("%d coordinates for %d dimensions: %w", len(coordinates), v.dims(), cairn.ErrBounds))
	}

	selectors := make([]Selector, len(coordinates))
	for i, at := range coordinates {
		selectors[i] = Index(at)
	}
	return v.Slice(selectors...)
}

// box returns the view of a box, which must be within v.
func (v UntypedView) box(start, stop []int64) UntypedView {
	if v.Err() != nil {
		return v
	}
	if err := grid.CheckBox(v.sel.Size, start, stop); err != nil {
		return v.fail(err)
	}

	selectors := make([]Selector, len(start))
	for i := range start {
		selectors[i] = Range(start[i], stop[i])
	}
	return v.Slice(selectors...)
}

// write stages values as the items of the view.
func (v UntypedView) write(ctx context.Context, l *govalue.Layout, src govalue.Span) (err error) {
	defer v.noteFailure(&err)
	if err := v.Err(); err != nil {
		return err
	}

	if l.Write {
		m, err := v.dense("write", len(l.Memory(src)))
		if err != nil {
			return err
		}
		return v.of.write(ctx, l.Memory(src), m, !l.Raw, nil)
	}

	items := fresh.Make[byte](int64(src.Len()) * v.of.typeSize())
	m, err := v.dense("write", len(items))
	if err != nil {
		return err
	}
	done, err := l.Encode(items, src, 0, src.Len())
	if err != nil {
		return fmt.Errorf("write: value %d: %w", done, err)
	}
	return v.of.write(ctx, items, m, false, l.Mask)
}

// noteFailure tells the array behind the view, if there is one, of a write that failed.
func (v UntypedView) noteFailure(err *error) {
	if v.of != nil {
		v.of.noteFailure(err)
	}
}

func (v UntypedView) fail(err error) UntypedView {
	if v.err == nil {
		v.err = v.of.inOrigin(fmt.Errorf("selection: %w", err))
	}
	return v
}

// String returns the dtype and the shape of the view, or its error.
func (v UntypedView) String() string {
	if err := v.Err(); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("view: %s %v", v.of.dtype(), v.sel.Size)
}

// Slice returns a view of the selected items of the view.
func (v UntypedView) Slice(selectors ...Selector) UntypedView {
	if v.Err() != nil || len(selectors) == 0 {
		return v
	}

	var buf [4]selection.Selector
	sel, err := v.sel.Take(unwrap(buf[:0], selectors))
	if err != nil {
		return v.fail(err)
	}
	v.sel = sel
	return v
}

// DType returns the dtype of the items. It is of kind 0 after an error, or if the dtype of the
// array is not understood.
func (v UntypedView) DType() meta.DType {
	if v.Err() != nil {
		return meta.DType{}
	}
	return v.of.dtype()
}

// Grid returns roughly how many items per dimension of the view a chunk and a block hold, or nil
// after an error.
func (v UntypedView) Grid() (chunks, blocks Shape) {
	if v.Err() != nil {
		return nil, nil
	}
	chunks, blocks = v.of.grid()
	return v.project(chunks), v.project(blocks)
}

// project returns the extents of an origin's chunks along the dimensions of the view.
func (v UntypedView) project(chunk Shape) Shape {
	if chunk == nil {
		return nil
	}

	own := make(Shape, len(v.sel.Dims))
	for k, dim := range v.sel.Dims {
		own[k] = 1
		if dim == selection.NewDim {
			continue
		}
		own[k] = chunk[dim]
		if v.sel.Axes[dim].List == nil {
			step := v.sel.Axes[dim].Step
			own[k] = max(1, own[k]/max(step, -step, 1))
		}
	}
	return own
}

// Labels returns the attributes of what the view shows, of the first array if there are several,
// and the names of those dimensions that the view has.
func (v UntypedView) Labels() (Labels, error) {
	if v.Err() != nil {
		return Labels{}, v.Err()
	}
	l, err := v.of.labels()
	if err != nil {
		return l, err
	}
	l.MaxShape = v.maxShape(l.MaxShape)
	if l.Dims == nil {
		return l, nil
	}

	own := make([]string, len(v.sel.Dims))
	for k, dim := range v.sel.Dims {
		if dim != selection.NewDim && dim < len(l.Dims) {
			own[k] = l.Dims[dim]
		}
	}

	l.Dims = own
	if !slices.ContainsFunc(own, func(name string) bool { return name != "" }) {
		l.Dims = nil
	}
	return l, nil
}

// maxShape returns how far the dimensions of the view may grow, if most is that of what it shows.
func (v UntypedView) maxShape(most Shape) Shape {
	if most == nil {
		return nil
	}
	own := v.Shape()
	for k, dim := range v.sel.Dims {
		if dim == selection.NewDim || dim >= len(most) {
			continue
		}
		if own[k] = max(own[k], most[dim]); most[dim] < 0 {
			own[k] = -1
		}
	}
	return own
}

// hostSwap returns the width of the numbers whose byte order must be reversed for a host operation,
// 0 for none.
func hostSwap(d meta.DType, host bool) int {
	if host {
		return govalue.Swap(d)
	}
	return 0
}

// reverse reverses the byte order of numbers of the given width; 0 means none.
func reverse(b []byte, width int) {
	if width <= 0 {
		return
	}
	for ; len(b) >= width; b = b[width:] {
		slices.Reverse(b[:width])
	}
}

// read reads the items of the view into values in memory from alloc.
func (v UntypedView) read(ctx context.Context, l *govalue.Layout, alloc allocFunc) error {
	if err := v.Err(); err != nil {
		return err
	}
	dst, err := alloc(v.Len())
	if err != nil {
		return v.of.inOrigin(err)
	}
	if l.Read {
		err := v.readDense(ctx, l.Memory(dst), !l.Raw)
		l.Fix(dst)
		return err
	}

	// the layouts differ: items are decoded a box at a time, and then converted
	_, err = v.dense("read", dst.Len()*v.TypeSize())
	if err != nil {
		return err
	}
	if dst.Len() == 0 {
		return ctx.Err()
	}

	shape := v.Shape()
	size := v.of.typeSize()
	chunks, _ := v.Grid()
	edge := slab.Chunked(shape, chunks, size, convertBytes)
	if !slices.Equal(edge, shape) { // several reads, of one state
		var h freezer
		defer h.end()
		v.of, err = v.of.frozen(ctx, &h)
		if err != nil {
			return err
		}
	}

	var raw []byte
	for box := range slab.Walk(make([]int64, len(shape)), shape, edge) {
		raw = slab.Resize(raw, box.Items()*size)
		if err := v.box(box.Start, box.Stop).readDense(ctx, raw, false); err != nil {
			return err
		}

		err := govalue.Each(ctx, parallel.Workers(v.of.workers()), int(box.Items()), func(from, to int) error {
			return l.Scatter(dst, shape, box.Start, box.Stop, raw, from, to)
		})
		if err != nil {
			return v.of.inOrigin(err)
		}
	}
	return nil
}

// readDense reads the items of the view in C order as bytes; with host, in the byte order of the
// machine.
func (v UntypedView) readDense(ctx context.Context, dst []byte, host bool) error {
	m, err := v.dense("read", len(dst))
	if err != nil {
		return err
	}
	return v.of.read(ctx, dst, m, host)
}

// dense returns the mesh of the view for dense memory of a number of bytes.
func (v UntypedView) dense(call string, bytes int) (m selection.Mesh, err error) {
	if err := v.Err(); err != nil {
		return m, err
	}

	m, err = selection.Dense(v.sel, v.of.typeSize(), bytes)
	if err != nil {
		return m, v.of.inOrigin(fmt.Errorf("%s: %w", call, err))
	}
	return m, nil
}

// An allocFunc returns memory for the values of a number of items.
type allocFunc func(items int64) (govalue.Span, error)

// intoSpan returns an allocFunc that always gives the caller's memory.
func intoSpan(dst govalue.Span) allocFunc {
	return func(int64) (govalue.Span, error) { return dst, nil }
}

// filled returns what was read, or nothing after an error: memory that was not filled has any
// content.
func filled[T any](dst []T, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return dst, nil
}

// convertBytes is how many bytes of an array are decoded at a time for conversion into values; if a
// chunk is larger, one chunk.
const convertBytes = 4 << 20

// storedChunks returns the chunks that a view of a box has of sources that say how theirs are
// stored.
func (v UntypedView) storedChunks(ctx context.Context) (s *chunked.Stored, err error) {
	if v.Err() != nil || !v.sel.Straight() {
		return nil, v.Err()
	}

	of, ok := v.of.(storedOrigin)
	if !ok {
		return nil, nil
	}
	if s, err = of.storedChunks(ctx); err != nil || s == nil {
		return nil, err
	}

	origin := make([]int64, len(v.sel.Axes))
	for i, a := range v.sel.Axes {
		origin[i] = a.Start
	}
	return s.From(origin), nil
}
