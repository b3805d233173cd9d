package ndarray

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// NoDuration is the time.Duration for NaT, NumPy's "not a time". The [time.Time] for NaT is the
// zero Time.
const NoDuration = time.Duration(govalue.NotATime)

// This file has what typed and untyped handles share. Values are a layout and a span; untyped
// handles use the layout of bytes.

// boundArray is an array with the layout of its Go values.
type boundArray struct {
	u      *Untyped
	layout *govalue.Layout
}

// bound returns the array with its layout. The zero Array behaves like a closed one.
func (a Array[T]) bound() boundArray {
	if a.Untyped == nil {
		return boundArray{closedArray(), govalue.OfBytes(1)}
	}
	return boundArray{a.Untyped, a.layout}
}

// asBytes returns the array with items as bytes.
func (u *Untyped) asBytes() Array[byte] {
	u = u.self()
	return Array[byte]{u, u.bytes}
}

// asBytes returns the view with items as bytes.
func (v UntypedView) asBytes() View[byte] { return View[byte]{v, govalue.OfBytes(v.TypeSize())} }

// convertBytes is how many bytes of an array are decoded at a time for conversion into values; if a
// chunk is larger, one chunk.
const convertBytes = 4 << 20

// layout returns the mapping between values of a Go type and the items of the array.
func (u *Untyped) layout(t reflect.Type) (*govalue.Layout, error) {
	if u.dtypeErr != nil {
		return nil, u.inArray(u.dtypeErr)
	}
	l, err := govalue.Of(t, u.dtype, u.TypeSize())
	return l, u.inArray(err)
}

// An allocFunc returns memory for the values of a number of items.
type allocFunc func(items int64) (govalue.Span, error)

// intoSpan returns an allocFunc that always gives the caller's memory.
func intoSpan(dst govalue.Span) allocFunc {
	return func(int64) (govalue.Span, error) { return dst, nil }
}

// read reads the selected items into values in memory from alloc.
func (v boundArray) read(ctx context.Context, selectors []Selector, alloc allocFunc) (err error) {
	if !v.layout.Read {
		return v.u.Slice(selectors...).read(ctx, v.layout, alloc)
	}
	at, release, err := v.u.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)
	s, err := selectIn(at.part, selectors)
	if err != nil {
		return v.u.refuse("read", err)
	}
	dst, err := alloc(s.Len())
	if err != nil {
		return v.u.inArray(err)
	}
	err = v.u.readSelected(ctx, at, v.layout.Memory(dst), s, v.layout.Swap)
	v.layout.Fix(dst)
	return err
}

// readBox reads a box into values.
func (v boundArray) readBox(ctx context.Context, dst govalue.Span, start, stop []int64) (err error) {
	if !v.layout.Read {
		return v.u.View().box(start, stop).read(ctx, v.layout, intoSpan(dst))
	}
	at, release, err := v.u.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)
	err = v.u.readBox(ctx, at, v.layout.Memory(dst), start, stop, v.layout.Swap)
	v.layout.Fix(dst)
	return err
}

// readCell reads one item into a value.
func (v boundArray) readCell(value govalue.Span, coordinates []int64) error {
	plan := v.u.pool.takePlan()
	defer v.u.pool.plans.Put(plan)
	part := v.u.geometry()
	start, stop := plan.corners(part)
	if err := selection.Cell(part, coordinates, start, stop); err != nil {
		return cmp.Or(v.u.noItems(), v.u.refuse("read", err))
	}
	return v.readBox(context.Background(), value, start, stop)
}

// write stages values as the selected items.
func (v boundArray) write(ctx context.Context, src govalue.Span, selectors []Selector) (err error) {
	defer v.u.noteFailure(&err)
	c, err := v.change(ctx, src)
	if err != nil {
		return err
	}
	return v.u.writeSelected(ctx, c, selectors)
}

// writeBox stages values as a box.
func (v boundArray) writeBox(ctx context.Context, src govalue.Span, start, stop []int64) (err error) {
	defer v.u.noteFailure(&err)
	c, err := v.change(ctx, src)
	if err != nil {
		return err
	}
	return v.u.writeBox(ctx, c, start, stop)
}

// writeCell stages a value as one item.
func (v boundArray) writeCell(value govalue.Span, coordinates []int64) (err error) {
	defer v.u.noteFailure(&err)
	plan := v.u.pool.takePlan()
	defer v.u.pool.plans.Put(plan)
	part := v.u.geometry()
	start, stop := plan.corners(part)
	if err := selection.Cell(part, coordinates, start, stop); err != nil {
		return cmp.Or(v.u.noItems(), v.u.refuse("write", err))
	}
	return v.writeBox(context.Background(), value, start, stop)
}

// fill stages one value, or an item's bytes, for the selected items.
func (v boundArray) fill(ctx context.Context, value govalue.Span, selectors []Selector) (err error) {
	defer v.u.noteFailure(&err)
	c, err := v.fillChange(value)
	if err != nil {
		return err
	}
	return v.u.writeSelected(ctx, c, selectors)
}

// insert stages values before or after the items along an axis.
func (v boundArray) insert(ctx context.Context, what string, axis int, at *int64, src govalue.Span) (err error) {
	defer v.u.noteFailure(&err)
	if v.layout.Mask != nil {
		return v.u.inArray(fmt.Errorf("%s: the Go type lacks fields of dtype %s: %w", what,
			v.u.dtypeText, cairn.ErrType))
	}
	items, err := v.items(ctx, src)
	if err != nil {
		return v.u.refuse(what, err)
	}
	return v.u.insert(ctx, what, axis, at, items, v.layout.Swap)
}

func (v boundArray) readPoints(ctx context.Context, dst govalue.Span, coordinates []int64) (err error) {
	at, release, err := v.u.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)
	var plan grid.Points
	if err := planPoints(&plan, at.part, v.bytes(dst), coordinates); err != nil {
		return v.u.refuse("read of points", err)
	}
	return v.readPlan(ctx, at, &plan, dst)
}

func (v boundArray) writePoints(ctx context.Context, src govalue.Span, coordinates []int64) (err error) {
	defer v.u.noteFailure(&err)
	part := v.u.geometry()
	c, err := v.change(ctx, src)
	if err != nil {
		return err
	}
	var plan grid.Points
	if err := planPoints(&plan, part, len(c.src), coordinates); err != nil {
		return v.u.refuse("write of points", err)
	}
	plan.Swap(c.swap)
	c.plan = &plan
	return v.u.change(ctx, part, c)
}

func (v boundArray) readWhere(ctx context.Context, where Source, alloc allocFunc) error {
	mask, err := v.u.readMask(ctx, where)
	if err != nil {
		return err
	}
	at, release, err := v.u.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)
	var plan grid.Mask
	if err := plan.Set(at.part, govalue.Bytes(mask)); err != nil {
		return v.u.refuse("read", err)
	}
	dst, err := alloc(plan.Count)
	if err != nil {
		return v.u.inArray(err)
	}
	return v.readPlan(ctx, at, &plan, dst)
}

func (v boundArray) writeWhere(ctx context.Context, src govalue.Span, where Source) (err error) {
	defer v.u.noteFailure(&err)
	mask, err := v.u.readMask(ctx, where)
	if err != nil {
		return err
	}
	c, err := v.change(ctx, src)
	if err != nil {
		return err
	}
	return v.u.changeMasked(ctx, mask, c)
}

func (v boundArray) fillWhere(ctx context.Context, value govalue.Span, where Source) (err error) {
	defer v.u.noteFailure(&err)
	mask, err := v.u.readMask(ctx, where)
	if err != nil {
		return err
	}
	c, err := v.fillChange(value)
	if err != nil {
		return err
	}
	return v.u.changeMasked(ctx, mask, c)
}

// change returns the change that puts values into the array.
func (v boundArray) change(ctx context.Context, src govalue.Span) (change, error) {
	items, err := v.items(ctx, src)
	return change{src: items, swap: v.layout.Swap, mask: v.layout.Mask}, v.u.refuse("write", err)
}

// fillChange returns the change that sets all items to one value, or to an item's bytes.
func (v boundArray) fillChange(value govalue.Span) (change, error) {
	if v.layout.Raw {
		return change{src: v.layout.Memory(value), fill: true}, nil
	}
	item, err := v.layout.Item(value)
	return change{src: item, fill: true, mask: v.layout.Mask}, v.u.refuse("fill", err)
}

// bytes returns the size in bytes of the items for values.
func (v boundArray) bytes(s govalue.Span) int {
	if v.layout.Raw {
		return s.Len()
	}
	return s.Len() * v.u.TypeSize()
}

// items returns values as items of the file, apart from byte order. If the layouts agree, it
// returns the memory of the values.
func (v boundArray) items(ctx context.Context, src govalue.Span) ([]byte, error) {
	if v.layout.Write {
		return v.layout.Memory(src), nil
	}
	size := v.u.TypeSize()
	n, ok := grid.Mul(int64(src.Len()), int64(size))
	if !ok || n > math.MaxInt {
		return nil, fmt.Errorf("%d items of %d bytes: %w", src.Len(), size, cairn.ErrLimit)
	}
	items := make([]byte, n)
	err := govalue.Each(ctx, parallel.Workers(v.u.workers), src.Len(), func(from, to int) error {
		if done, err := v.layout.Encode(items[from*size:to*size], src, from, to); err != nil {
			return fmt.Errorf("value %d: %w", from+done, err)
		}
		return nil
	})
	return items, err
}

// readPlan reads the items of a plan into values.
func (v boundArray) readPlan(ctx context.Context, at *state, plan swapPlan, dst govalue.Span) error {
	if plan.Swap(v.layout.Swap); v.layout.Read {
		err := v.u.readPlan(ctx, at, plan, v.layout.Memory(dst))
		v.layout.Fix(dst)
		return err
	}
	size := v.u.TypeSize()
	raw := make([]byte, dst.Len()*size)
	if err := v.u.readPlan(ctx, at, plan, raw); err != nil {
		return err
	}
	return v.u.inArray(govalue.Each(ctx, parallel.Workers(v.u.workers), dst.Len(), func(from, to int) error {
		_, err := v.layout.Decode(dst, from, to, raw[from*size:to*size])
		return err
	}))
}

// A swapPlan is a plan that can reverse the byte order of numbers.
type swapPlan interface {
	grid.Plan
	Swap(width int)
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
	if _, err := v.dense("read", dst.Len()*v.TypeSize()); err != nil || dst.Len() == 0 {
		return cmp.Or(err, ctx.Err())
	}
	shape, size := v.Shape(), v.of.typeSize()
	chunks, _ := v.Grid()
	edge := slab.Chunked(shape, chunks, size, convertBytes)
	if !slices.Equal(edge, shape) { // several reads, of one state
		var h freezer
		defer h.end()
		if v.of, err = v.of.frozen(ctx, &h); err != nil {
			return err
		}
	}
	var raw []byte
	for box := range slab.Walk(make([]int64, len(shape)), shape, edge) {
		raw = slab.Resize(raw, box.Items()*size)
		if err := v.ReadBytes(ctx, raw, box.Start, box.Stop); err != nil {
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
	if m, err = selection.Dense(v.sel, v.of.typeSize(), bytes); err != nil {
		err = v.of.inOrigin(fmt.Errorf("%s: %w", call, err))
	}
	return m, err
}
