// Package govalue says how Go values lie in the items of arrays: which dtype stands for a Go type,
// and how items become values and values items. It compares a type with a dtype once; what comes
// out, a [Layout], is a list of copies that is worked through for each item, without reflection.
package govalue

import (
	"context"
	"reflect"
	"unsafe"

	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
)

// A Layout says how values of a Go type lie in items of a dtype. It never changes.
type Layout struct {
	// Mask has an entry for each byte of an item: whether values stand for it. Nil means that they
	// stand for all, or that the others are padding.
	Mask []bool
	// Read and Write report whether the memory of values is that of items: whether items can be
	// read straight into values, and written straight from them, by reversing the bytes of numbers
	// of Swap bytes, if that is not 0. What was read is to be passed to Fix.
	Read, Write bool
	Swap        int
	Raw         bool // values are bytes: those of items, as they are

	steps []step
	size  int     // of an item
	width uintptr // of a value
	bools bool    // values are bools
}

// Of compares a Go type with the dtype of items of a number of bytes. It fails with
// [cairn.ErrType], naming the field, if the type does not fit the dtype.
func Of(t reflect.Type, d meta.DType, size int) (*Layout, error) {
	var m matcher
	steps, err := m.match("", t, d, 0, 0)
	if err != nil {
		return nil, err
	}
	l := &Layout{steps: steps, size: size, width: t.Size()}
	if m.partial || d.Size() != size {
		l.Mask = make([]bool, size)
		mark(steps, l.Mask)
		return l, nil
	}
	if int(t.Size()) != size || m.unfit {
		return l, nil
	}
	if s := &steps[0]; len(steps) == 1 && s.size == size {
		l.bools = s.kind == stepBool
		l.Read = l.bools || s.kind == stepCopy || s.kind == stepSwap
		l.Write, l.Swap = l.Read, s.width
		return l, nil
	}
	l.Read = true
	moved := 0
	for _, s := range steps {
		l.Read = l.Read && s.kind == stepCopy && s.mem == uintptr(s.file)
		moved += s.size
	}
	l.Write = l.Read && moved == size // gaps of Go values may hold anything
	return l, nil
}

// OfBytes returns the layout of the bytes of items, so many for each.
func OfBytes(size int) *Layout {
	return &Layout{Read: true, Write: true, Raw: true, size: size, width: 1}
}

// Item returns the item of a value.
func (l *Layout) Item(value Span) ([]byte, error) {
	item := make([]byte, l.size)
	_, err := l.Encode(item, value, 0, 1)
	return item, err
}

// Scatter makes values of some of the items that raw has of a box, those from number from up to,
// not including, to, and puts them where they belong among the values of a shape.
func (l *Layout) Scatter(values Span, shape, start, stop []int64, raw []byte, from, to int) error {
	row := 1 // what is one run in the box and among all values
	for d, whole := len(shape)-1, true; d >= 0 && whole; d-- {
		extent := stop[d] - start[d]
		row *= int(extent)
		whole = extent == shape[d]
	}
	for from < to {
		first, rest, size := int64(0), int64(from), int64(1)
		for d := len(shape) - 1; d >= 0; d-- {
			extent := stop[d] - start[d]
			first += (start[d] + rest%extent) * size
			rest /= extent
			size *= shape[d]
		}
		n := min(row-from%row, to-from)
		if _, err := l.Decode(values, int(first), int(first)+n, raw[from*l.size:][:n*l.size]); err != nil {
			return err
		}
		from += n
	}
	return nil
}

// batch is how many items a step is worked through for at a time: few enough that they stay in the
// cache for the steps that follow. job is how many a goroutine takes.
const (
	batch = 256
	job   = 16 * batch
)

// Each calls do for parts of n values, on so many goroutines. The error is that of the first part
// that has one.
func Each(ctx context.Context, workers, n int, do func(from, to int) error) error {
	return parallel.For(ctx, workers, (n+job-1)/job, func(_, i int) error {
		return do(i*job, min((i+1)*job, n))
	})
}

// Decode makes the values from number from up to, not including, to of the items that raw consists
// of. If that is not possible it tells how many it made.
func (l *Layout) Decode(values Span, from, to int, raw []byte) (int, error) {
	return l.inBatches(values.at(l, from, to), to-from, raw, true)
}

// Encode makes items, of which raw is to consist, of the values from number from up to, not
// including, to. If that is not possible it tells how many it made. Bytes that values do not stand
// for stay as they are.
func (l *Layout) Encode(raw []byte, values Span, from, to int) (int, error) {
	return l.inBatches(values.at(l, from, to), to-from, raw, false)
}

func (l *Layout) inBatches(p unsafe.Pointer, n int, raw []byte, read bool) (int, error) {
	for done := 0; done < n; done += batch {
		part := min(batch, n-done)
		at, items := unsafe.Add(p, uintptr(done)*l.width), raw[done*l.size:][:part*l.size]
		if many(l.steps, at, l.width, items, l.size, part, read) {
			continue
		}
		for k := range part {
			value, item := unsafe.Add(at, uintptr(k)*l.width), items[k*l.size:][:l.size]
			if err := moveItem(l.steps, value, item, read); err != nil {
				return done + k, err
			}
		}
	}
	return n, nil
}
