package ndarray

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// NoDuration is the time.Duration for NaT, NumPy's "not a time". The [time.Time] for NaT is the
// zero Time.
const NoDuration = time.Duration(govalue.NotATime)

// This file has what typed and untyped handles share. Values are a layout and a span; untyped
// handles use the layout of bytes.

// boundArray is an array with the layout of its Go values.
type boundArray struct {
	a      *array
	layout *govalue.Layout
}

// asBytes returns the array with items as bytes.
func (u *Untyped) asBytes() boundArray {
	a := u.self()
	return boundArray{a, a.bytes}
}

// making returns an allocFunc that makes the values, and lets dst refer to them.
func making[T any](v boundArray, dst *[]T) allocFunc {
	return func(items int64) (_ govalue.Span, err error) {
		*dst, err = govalue.Make[T](v.layout, items, v.a.engine.Limits.MaxAlloc)
		return govalue.SpanOf(*dst), err
	}
}

// read reads the selected items into values in memory from alloc.
func (v boundArray) read(ctx context.Context, selectors []Selector, alloc allocFunc) (err error) {
	if !v.layout.Read {
		return v.a.view().Slice(selectors...).read(ctx, v.layout, alloc)
	}

	at, release, err := v.a.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)

	s, err := selectIn(at.part, selectors)
	if err != nil {
		return v.a.refuse("read", err)
	}
	dst, err := alloc(s.Len())
	if err != nil {
		return v.a.inArray(err)
	}
	err = v.a.readSelected(ctx, at, v.layout.Memory(dst), s, v.layout.Swap)
	v.layout.Fix(dst)
	return err
}

// readBox reads a box into values.
func (v boundArray) readBox(ctx context.Context, dst govalue.Span, start, stop []int64) (err error) {
	if !v.layout.Read {
		return v.a.view().box(start, stop).read(ctx, v.layout, intoSpan(dst))
	}

	at, release, err := v.a.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)

	err = v.a.readBox(ctx, at, v.layout.Memory(dst), start, stop, v.layout.Swap)
	v.layout.Fix(dst)
	return err
}

// readCell reads one item into a value.
func (v boundArray) readCell(value govalue.Span, coordinates []int64) error {
	plan := v.a.pool.takePlan()
	defer v.a.pool.plans.Put(plan)

	part := v.a.geometry()
	start, stop := plan.corners(part)
	if err := selection.Cell(part, coordinates, start, stop); err != nil {
		return cmp.Or(v.a.noItems(), v.a.refuse("read", err))
	}
	return v.readBox(context.Background(), value, start, stop)
}

// write stages values as the selected items.
func (v boundArray) write(ctx context.Context, src govalue.Span, selectors []Selector) (err error) {
	defer v.a.noteFailure(&err)
	c, err := v.change(ctx, src)
	if err != nil {
		return err
	}
	return v.a.writeSelected(ctx, c, selectors)
}

// writeBox stages values as a box.
func (v boundArray) writeBox(ctx context.Context, src govalue.Span, start, stop []int64) (err error) {
	defer v.a.noteFailure(&err)
	c, err := v.change(ctx, src)
	if err != nil {
		return err
	}
	return v.a.writeBox(ctx, c, start, stop)
}

// writeCell stages a value as one item.
func (v boundArray) writeCell(value govalue.Span, coordinates []int64) (err error) {
	defer v.a.noteFailure(&err)
	plan := v.a.pool.takePlan()
	defer v.a.pool.plans.Put(plan)

	part := v.a.geometry()
	start, stop := plan.corners(part)
	if err := selection.Cell(part, coordinates, start, stop); err != nil {
		return cmp.Or(v.a.noItems(), v.a.refuse("write", err))
	}
	return v.writeBox(context.Background(), value, start, stop)
}

// fill stages one value, or an item's bytes, for the selected items.
func (v boundArray) fill(ctx context.Context, value govalue.Span, selectors []Selector) (err error) {
	defer v.a.noteFailure(&err)
	c, err := v.fillChange(value)
	if err != nil {
		return err
	}
	return v.a.writeSelected(ctx, c, selectors)
}

// insert stages values before or after the items along an axis.
func (v boundArray) insert(ctx context.Context, what string, axis int, at *int64, src govalue.Span) (err error) {
	defer v.a.noteFailure(&err)
	if v.layout.Mask != nil {
		return v.a.inArray(fmt.Errorf("%s: the Go type lacks fields of dtype %s: %w", what,
			v.a.dtypeText, cairn.ErrType))
	}

	items, err := v.items(ctx, src)
	if err != nil {
		return v.a.refuse(what, err)
	}
	return v.a.insert(ctx, what, axis, at, items, v.layout.Swap)
}

func (v boundArray) readPoints(ctx context.Context, dst govalue.Span, coordinates []int64) (err error) {
	at, release, err := v.a.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)

	var plan grid.Points
	if err := planPoints(&plan, at.part, v.bytes(dst), coordinates); err != nil {
		return v.a.refuse("read of points", err)
	}
	return v.readPlan(ctx, at, &plan, dst)
}

func (v boundArray) writePoints(ctx context.Context, src govalue.Span, coordinates []int64) (err error) {
	defer v.a.noteFailure(&err)
	part := v.a.geometry()
	c, err := v.change(ctx, src)
	if err != nil {
		return err
	}

	var plan grid.Points
	if err := planPoints(&plan, part, len(c.src), coordinates); err != nil {
		return v.a.refuse("write of points", err)
	}
	plan.Swap(c.swap)
	c.plan = &plan
	return v.a.change(ctx, part, c)
}

func (v boundArray) readWhere(ctx context.Context, where Source, alloc allocFunc) (err error) {
	mask, err := v.a.readMask(ctx, where)
	if err != nil {
		return err
	}

	at, release, err := v.a.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)

	var plan grid.Mask
	if err := plan.Set(at.part, govalue.Bytes(mask)); err != nil {
		return v.a.refuse("read", err)
	}
	dst, err := alloc(plan.Count)
	if err != nil {
		return v.a.inArray(err)
	}
	return v.readPlan(ctx, at, &plan, dst)
}

func (v boundArray) writeWhere(ctx context.Context, src govalue.Span, where Source) (err error) {
	defer v.a.noteFailure(&err)
	mask, err := v.a.readMask(ctx, where)
	if err != nil {
		return err
	}
	c, err := v.change(ctx, src)
	if err != nil {
		return err
	}
	return v.a.changeMasked(ctx, mask, c)
}

func (v boundArray) fillWhere(ctx context.Context, value govalue.Span, where Source) (err error) {
	defer v.a.noteFailure(&err)
	mask, err := v.a.readMask(ctx, where)
	if err != nil {
		return err
	}
	c, err := v.fillChange(value)
	if err != nil {
		return err
	}
	return v.a.changeMasked(ctx, mask, c)
}

// change returns the change that puts values into the array.
func (v boundArray) change(ctx context.Context, src govalue.Span) (change, error) {
	items, err := v.items(ctx, src)
	return change{src: items, swap: v.layout.Swap, mask: v.layout.Mask}, v.a.refuse("write", err)
}

// fillChange returns the change that sets all items to one value, or to an item's bytes.
func (v boundArray) fillChange(value govalue.Span) (change, error) {
	if v.layout.Raw {
		return change{src: v.layout.Memory(value), fill: true}, nil
	}
	item, err := v.layout.Item(value)
	return change{src: item, fill: true, mask: v.layout.Mask}, v.a.refuse("fill", err)
}

// bytes returns the size in bytes of the items for values.
func (v boundArray) bytes(s govalue.Span) int {
	if v.layout.Raw {
		return s.Len()
	}
	return s.Len() * v.a.typeSize()
}

// items returns values as items of the file, apart from byte order. If the layouts agree, it
// returns the memory of the values.
func (v boundArray) items(ctx context.Context, src govalue.Span) ([]byte, error) {
	if v.layout.Write {
		return v.layout.Memory(src), nil
	}

	size := v.a.typeSize()
	n, ok := grid.Mul(int64(src.Len()), int64(size))
	if !ok || n > math.MaxInt {
		return nil, fmt.Errorf("%d items of %d bytes: %w", src.Len(), size, cairn.ErrLimit)
	}

	items := fresh.Make[byte](n)
	err := govalue.Each(ctx, parallel.Workers(v.a.workers), src.Len(), func(from, to int) error {
		done, err := v.layout.Encode(items[from*size:to*size], src, from, to)
		if err != nil {
			return fmt.Errorf("value %d: %w", from+done, err)
		}
		return nil
	})
	return items, err
}

// readPlan reads the items of a plan into values.
func (v boundArray) readPlan(ctx context.Context, at *state, plan swapPlan, dst govalue.Span) error {
	plan.Swap(v.layout.Swap)
	if v.layout.Read {
		err := v.a.readPlan(ctx, at, plan, v.layout.Memory(dst))
		v.layout.Fix(dst)
		return err
	}

	size := v.a.typeSize()
	raw := fresh.Make[byte](dst.Len() * size)
	if err := v.a.readPlan(ctx, at, plan, raw); err != nil {
		return err
	}
	return v.a.inArray(govalue.Each(ctx, parallel.Workers(v.a.workers), dst.Len(), func(from, to int) error {
		_, err := v.layout.Decode(dst, from, to, raw[from*size:to*size])
		return err
	}))
}

// A swapPlan is a plan that can reverse the byte order of numbers.
type swapPlan interface {
	grid.Plan
	Swap(width int)
}

// blocksOf is Blocks.
func blocksOf[T any](ctx context.Context, v boundArray) iter.Seq2[*Block[T], error] {
	return func(yield func(*Block[T], error) bool) {
		var block Block[T] // the same one for every call of yield
		var made []T
		one := make([]T, 1)
		each := func(b *inside.Block) (err error) {
			block = Block[T]{Chunk: b.Chunk, Block: b.Block, Start: b.Start, Stop: b.Stop, Times: 1}
			if b.Data == nil {
				block.Times = b.Items()
			}

			switch {
			case b.Data != nil:
				made, err = govalue.Values(v.layout, made, b.Data)
				block.Values = made
			case v.layout.Raw:
				block.Values, err = govalue.Values[T](v.layout, nil, b.Item)
			default: // b has the byte order of the file
				block.Values = one
				_, err = v.layout.Decode(govalue.SpanOf(one), 0, 1, b.Item)
			}
			if err != nil {
				return v.a.inArray(err)
			}

			if !yield(&block, nil) {
				return errBroken
			}
			return nil
		}

		err := v.a.visitBlocks(ctx, v.layout.Swap, &inside.Visitor{Workers: 1, Block: each})
		if err != nil && !errors.Is(err, errBroken) {
			yield(nil, err)
		}
	}
}
