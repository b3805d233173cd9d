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

// NoDuration stands for NaT, NumPy's "not a time", among durations. Among times the zero
// [time.Time] does.
const NoDuration = time.Duration(govalue.NotATime)

// This file is what typed handles do, for any type: values are a layout and a span.

// values is an array whose items are Go values of a layout.
type values struct {
	u *Untyped
	l *govalue.Layout
}

// own returns the array with its layout. The zero Array is one that has been closed.
func (a Array[T]) own() values {
	if a.Untyped == nil {
		return values{neverOpened(), &govalue.Layout{Read: true, Write: true}}
	}
	return values{a.Untyped, a.layout}
}

// convertBytes is how much of an array is decoded at a time to make values of, if a chunk is not
// more.
const convertBytes = 4 << 20

// layout returns how values of a Go type lie in the items of the array.
func (u *Untyped) layout(t reflect.Type) (*govalue.Layout, error) {
	if u.dtypeErr != nil {
		return nil, u.inArray(u.dtypeErr)
	}
	l, err := govalue.Of(t, u.dtype, u.TypeSize())
	return l, u.inArray(err)
}

// readInto reads the selected items into values.
func (v values) readInto(ctx context.Context, dst govalue.Span, selectors []Selector) error {
	if !v.l.Read {
		return v.u.Slice(selectors...).readValues(ctx, v.l, dst)
	}
	err := v.u.read(ctx, selectors, v.l.Swap, func(selection.Selection) ([]byte, error) {
		return v.l.Memory(dst), nil
	})
	v.l.Fix(dst)
	return err
}

// read is readInto for values that allocate makes room for.
func (v values) read(ctx context.Context, selectors []Selector, allocate func(n int) govalue.Span) error {
	if !v.l.Read {
		view := v.u.Slice(selectors...)
		n, err := view.room(v.l)
		if err != nil {
			return err
		}
		return view.readValues(ctx, v.l, allocate(n))
	}
	var dst govalue.Span
	err := v.u.read(ctx, selectors, v.l.Swap, func(s selection.Selection) ([]byte, error) {
		n, err := v.u.allocation(s)
		if err != nil {
			return nil, err
		}
		dst = allocate(n)
		return v.l.Memory(dst), nil
	})
	v.l.Fix(dst)
	return err
}

// readBox reads a box into values.
func (v values) readBox(ctx context.Context, dst govalue.Span, start, stop []int64) error {
	if !v.l.Read {
		return v.u.View().box(start, stop).readValues(ctx, v.l, dst)
	}
	err := v.u.readBoxOf(ctx, v.l.Memory(dst), start, stop, v.l.Swap)
	v.l.Fix(dst)
	return err
}

// readCell reads one item into a value.
func (v values) readCell(value govalue.Span, coordinates []int64) error {
	start, stop, err := selection.Cell(v.u.geometry(), coordinates)
	if err != nil {
		return cmp.Or(v.u.noItems(), err)
	}
	return v.readBox(context.Background(), value, start, stop)
}

// write stages values as the selected items.
func (v values) write(ctx context.Context, src govalue.Span, selectors []Selector) error {
	part := v.u.geometry()
	s, err := selectIn(part, selectors)
	if err != nil {
		return v.u.refuse("write", err)
	}
	if n := s.Len(); n != int64(src.Len()) {
		return v.u.refuse("write", fmt.Errorf("%d items in memory, %d are selected: %w", src.Len(), n,
			cairn.ErrBounds))
	}
	items, err := v.items(ctx, src)
	if err != nil {
		return v.u.refuse("write", err)
	}
	return v.u.writeSelected(ctx, part, v.change(items), s)
}

// change returns the change that puts items of values into the array.
func (v values) change(items []byte) change {
	return change{src: items, swap: v.l.WriteSwap(), mask: v.l.Mask}
}

// writeBox stages values as a box.
func (v values) writeBox(ctx context.Context, src govalue.Span, start, stop []int64) error {
	part := v.u.geometry()
	items, err := v.items(ctx, src)
	if err != nil {
		return v.u.refuse("write", err)
	}
	return v.u.writeBox(ctx, part, v.change(items), start, stop)
}

// writeCell stages a value as one item.
func (v values) writeCell(value govalue.Span, coordinates []int64) error {
	start, stop, err := selection.Cell(v.u.geometry(), coordinates)
	if err != nil {
		return cmp.Or(v.u.noItems(), err)
	}
	return v.writeBox(context.Background(), value, start, stop)
}

// fill stages one value for the selected items.
func (v values) fill(ctx context.Context, value govalue.Span, selectors []Selector) error {
	part := v.u.geometry()
	s, err := selectIn(part, selectors)
	if err != nil {
		return v.u.refuse("fill", err)
	}
	item, err := v.l.Item(value)
	if err != nil {
		return v.u.refuse("fill", err)
	}
	return v.u.writeSelected(ctx, part, change{src: item, fill: true, mask: v.l.Mask}, s)
}

// insert stages values among or behind the items along an axis.
func (v values) insert(ctx context.Context, what string, axis int, at *int64, src govalue.Span) error {
	if v.l.Mask != nil {
		return v.u.inArray(fmt.Errorf("%s: Go's values lack fields of dtype %s: %w", what,
			v.u.dtypeText, cairn.ErrType))
	}
	items, err := v.items(ctx, src)
	if err != nil {
		return v.u.refuse(what, err)
	}
	return v.u.insert(ctx, what, axis, at, items, v.l.WriteSwap())
}

func (v values) readPoints(ctx context.Context, dst govalue.Span, coordinates []int64) error {
	if v.l.Read {
		err := v.u.readPoints(ctx, v.l.Memory(dst), coordinates, v.l.Swap)
		v.l.Fix(dst)
		return err
	}
	raw := make([]byte, dst.Len()*v.u.TypeSize())
	if err := v.u.readPoints(ctx, raw, coordinates, 0); err != nil {
		return err
	}
	return v.decode(ctx, dst, raw)
}

func (v values) writePoints(ctx context.Context, src govalue.Span, coordinates []int64) error {
	items, err := v.items(ctx, src)
	if err != nil {
		return v.u.refuse("write", err)
	}
	part := v.u.geometry()
	var plan pointPlan
	if err := plan.set(part, len(items), coordinates, v.l.WriteSwap()); err != nil {
		return v.u.refuse("write of points", err)
	}
	return v.u.change(ctx, part, change{plan: &plan, src: items, mask: v.l.Mask})
}

func (v values) readWhere(ctx context.Context, where Source, allocate func(n int) govalue.Span) error {
	mask, err := v.u.wholeMask(ctx, where)
	if err != nil {
		return err
	}
	var dst govalue.Span
	if v.l.Read {
		err := v.u.readMask(ctx, mask, v.l.Swap, func(n int) []byte {
			dst = allocate(n)
			return v.l.Memory(dst)
		})
		v.l.Fix(dst)
		return err
	}
	var raw []byte
	err = v.u.readMask(ctx, mask, 0, func(n int) []byte {
		dst, raw = allocate(n), make([]byte, n*v.u.TypeSize())
		return raw
	})
	if err != nil {
		return err
	}
	return v.decode(ctx, dst, raw)
}

func (v values) writeWhere(ctx context.Context, src govalue.Span, where Source) error {
	mask, err := v.u.wholeMask(ctx, where)
	if err != nil {
		return err
	}
	items, err := v.items(ctx, src)
	if err != nil {
		return v.u.refuse("write", err)
	}
	return v.u.writeMask(ctx, items, mask, v.l.WriteSwap(), v.l.Mask)
}

func (v values) fillWhere(ctx context.Context, value govalue.Span, where Source) error {
	mask, err := v.u.wholeMask(ctx, where)
	if err != nil {
		return err
	}
	item, err := v.l.Item(value)
	if err != nil {
		return v.u.refuse("fill", err)
	}
	return v.u.fillMask(ctx, mask, item, v.l.Mask)
}

// items returns values as items of the file: their memory if it is that, but for the order of
// bytes.
func (v values) items(ctx context.Context, src govalue.Span) ([]byte, error) {
	if v.l.Write {
		return v.l.Memory(src), nil
	}
	size := v.u.TypeSize()
	n, ok := grid.Mul(int64(src.Len()), int64(size))
	if !ok || n > math.MaxInt {
		return nil, fmt.Errorf("%d items of %d bytes: %w", src.Len(), size, cairn.ErrLimit)
	}
	items := make([]byte, n)
	err := govalue.Each(ctx, parallel.Workers(v.u.workers), src.Len(), func(from, to int) error {
		if done, err := v.l.Encode(items[from*size:to*size], src, from, to); err != nil {
			return fmt.Errorf("value %d: %w", from+done, err)
		}
		return nil
	})
	return items, err
}

// decode makes values of items.
func (v values) decode(ctx context.Context, dst govalue.Span, raw []byte) error {
	size := v.u.TypeSize()
	return v.u.inArray(govalue.Each(ctx, parallel.Workers(v.u.workers), dst.Len(), func(from, to int) error {
		_, err := v.l.Decode(dst, from, to, raw[from*size:to*size])
		return err
	}))
}

// room returns how many values a read of the view makes room for.
func (v UntypedView) room(l *govalue.Layout) (int, error) {
	if err := v.Err(); err != nil {
		return 0, err
	}
	items, most := v.sel.Len(), v.of.maxAlloc()
	if n, ok := grid.Mul(items, max(1, l.Width())); !ok || n > min(most, math.MaxInt) {
		return 0, fmt.Errorf("read of %d items of %d bytes, MaxAlloc is %d: %w", items, l.Width(), most,
			cairn.ErrLimit)
	}
	return int(items), nil
}

// readValues reads the items of the view into values.
func (v UntypedView) readValues(ctx context.Context, l *govalue.Layout, dst govalue.Span) error {
	if err := v.Err(); err != nil {
		return err
	}
	if n := v.Len(); n != int64(dst.Len()) {
		return v.of.inOrigin(fmt.Errorf("read: room for %d items, %d are selected: %w", dst.Len(), n,
			cairn.ErrBounds))
	}
	if dst.Len() == 0 {
		return ctx.Err()
	}
	if l.Read {
		err := v.readDense(ctx, l.Memory(dst), true)
		l.Fix(dst)
		return err
	}
	shape, size := v.Shape(), v.of.typeSize()
	chunks, _ := v.Grid()
	edge := slab.Chunked(shape, chunks, size, convertBytes)
	if !slices.Equal(edge, shape) { // several reads, of one state
		var h freezer
		defer h.end()
		of, err := v.of.frozen(ctx, &h)
		if err != nil {
			return err
		}
		v.of = of
	}
	var raw []byte
	for box := range slab.Walk(make([]int64, len(shape)), shape, edge) {
		raw = resize(raw, int(box.Items()*size))
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

// writeValues stages values as the items of the view.
func (v UntypedView) writeValues(ctx context.Context, l *govalue.Layout, src govalue.Span) error {
	if err := v.Err(); err != nil {
		return err
	}
	if n := v.Len(); n != int64(src.Len()) {
		return v.of.inOrigin(fmt.Errorf("write: %d items in memory, %d are selected: %w", src.Len(), n,
			cairn.ErrBounds))
	}
	if l.Write {
		return v.writeDense(ctx, l.Memory(src), true)
	}
	items := make([]byte, int64(src.Len())*v.of.typeSize())
	if done, err := l.Encode(items, src, 0, src.Len()); err != nil {
		return fmt.Errorf("write: value %d: %w", done, err)
	}
	m, err := selection.Dense(v.sel, v.of.typeSize(), len(items))
	if err != nil {
		return err
	}
	return v.of.write(ctx, items, m, false, l.Mask)
}
