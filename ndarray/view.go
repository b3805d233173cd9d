package ndarray

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
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
	// frozen returns an origin that keeps the current state until the freezer ends.
	frozen(ctx context.Context, h *freezer) (now origin, err error)
	read(ctx context.Context, dst []byte, m selection.Mesh, host bool) error
	// write writes the bytes of items that mask selects, or all if mask is nil.
	write(ctx context.Context, src []byte, m selection.Mesh, host bool, mask []bool) error
	fill(ctx context.Context, value encodeValue, m selection.Mesh) error
}

// freezer keeps origins in their state.
type freezer struct {
	workers int  // goroutines of each array; 0 means its own
	lock    bool // with Locking, keep other processes from changing the arrays
	readers []*Untyped
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

// View returns a view of the whole array.
func (u *Untyped) View() UntypedView {
	u = u.self()
	return UntypedView{of: arrayOrigin{u}, sel: selection.Everything(u.Shape()), err: u.noItems()}
}

// Slice returns a view of the selected items; see [Selector].
func (u *Untyped) Slice(selectors ...Selector) UntypedView {
	return u.self().View().Slice(selectors...)
}

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

// Read returns the selected items of the view in C order in new memory, at most Limits.MaxAlloc
// bytes. Without selectors these are all items.
func (v UntypedView) Read(ctx context.Context, selectors ...Selector) ([]byte, error) {
	return v.asBytes().Read(ctx, selectors...)
}

// ReadInto reads the selected items of the view in C order into dst, whose length must be their
// size in bytes. After an error the contents of dst are undefined.
func (v UntypedView) ReadInto(ctx context.Context, dst []byte, selectors ...Selector) error {
	return v.asBytes().ReadInto(ctx, dst, selectors...)
}

// ReadBytes reads the items of the view from start up to, not including, stop in each dimension
// into dst, in C order. The coordinates must be within the view, start must not exceed stop, and
// len(dst) must be the box's size in bytes.
func (v UntypedView) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	return v.asBytes().ReadBox(ctx, dst, start, stop)
}

// Write stages the selected items of the view, given in C order; len(src) must be their size in
// bytes. Views that repeat items or join arrays are read-only: Write fails with
// [cairn.ErrReadOnly]. See [Untyped.Write].
func (v UntypedView) Write(ctx context.Context, src []byte, selectors ...Selector) error {
	return v.asBytes().Write(ctx, src, selectors...)
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
	items := make([]byte, int64(src.Len())*v.of.typeSize())
	m, err := v.dense("write", len(items))
	if err != nil {
		return err
	}
	if done, err := l.Encode(items, src, 0, src.Len()); err != nil {
		return fmt.Errorf("write: value %d: %w", done, err)
	}
	return v.of.write(ctx, items, m, false, l.Mask)
}

// noteFailure tells the array behind the view, if there is one, of a write that failed.
func (v UntypedView) noteFailure(err *error) {
	of := v.of
	if f, ok := of.(fieldOrigin); ok {
		of = f.origin
	}
	if a, ok := of.(arrayOrigin); ok {
		a.u.noteFailure(err)
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
