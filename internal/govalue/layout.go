// Package govalue converts between Go values and the items of arrays. It determines the dtype for a
// Go type, and compares a type with a dtype once: the resulting [Layout] is a list of copies that
// is executed for each item without reflection.
package govalue

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
)

// A Layout describes how values of a Go type are stored in items of a dtype. It is immutable.
type Layout struct {
	// Mask reports for each byte of an item whether it is part of values. Nil means that all bytes
	// are, or that the others are padding.
	Mask []bool
	// Read and Write report whether values have the memory layout of items, so that items can be
	// read directly into values and written directly from them. If Swap is not 0, numbers of Swap
	// bytes must be reversed. Values that were read directly must be passed to Fix.
	Read, Write bool
	Swap        int
	Raw         bool // values are the raw bytes of items

	steps []step
	size  int     // of an item
	width uintptr // of a value
	bools bool    // values are bools
}

// Of compares a Go type with the dtype of items of size bytes. If the type does not fit the dtype,
// the error matches [cairn.ErrType] and names the field.
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

	if len(steps) == 0 {
		return nil, fmt.Errorf("the structure %s has no fields for items: %w", t, cairn.ErrType)
	}
	if int(t.Size()) != size || m.unfit {
		return l, nil
	}

	if s := &steps[0]; len(steps) == 1 && s.size == size {
		l.bools = s.kind == stepBool
		l.Read = l.bools || s.kind == stepCopy || s.kind == stepSwap
		l.Write = l.Read
		l.Swap = s.width
		return l, nil
	}

	// The memory of the values may be read and written as that of the items if each number lies in
	// both at the same place.
	l.Read = true
	moved := 0
	for _, s := range steps {
		l.Read = l.Read && s.kind == stepCopy && s.mem == uintptr(s.file)
		moved += s.size
	}
	l.Write = l.Read && moved == size // padding of Go values is undefined
	return l, nil
}

// OfBytes returns the layout for the raw bytes of items of the given size.
func OfBytes(size int) *Layout {
	return &Layout{Read: true, Write: true, Raw: true, size: size, width: 1}
}

// Item returns the item for a value.
func (l *Layout) Item(value Span) ([]byte, error) {
	item := make([]byte, l.size)
	_, err := l.Encode(item, value, 0, 1)
	return item, err
}

// Scatter decodes the items [from, to) of a box, whose raw bytes are raw, and stores them in
// values, which have the given shape.
func (l *Layout) Scatter(values Span, shape, start, stop []int64, raw []byte, from, to int) error {
	row := 1 // contiguous both in the box and in values
	for d, whole := len(shape)-1, true; d >= 0 && whole; d-- {
		extent := stop[d] - start[d]
		row *= int(extent)
		whole = extent == shape[d]
	}

	for from < to {
		first := int64(0)
		rest := int64(from)
		size := int64(1)
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

// batch is the number of items to which a step is applied at a time, so that they stay in the cache
// for the next steps. job is the number of items per job of a goroutine.
const (
	batch = 256
	job   = 16 * batch
)

// Each calls do for ranges of n values, on up to workers goroutines. The error is that of the first
// range that fails.
func Each(ctx context.Context, workers, n int, do func(from, to int) error) error {
	return parallel.For(ctx, workers, (n+job-1)/job, func(_, i int) error {
		return do(i*job, min((i+1)*job, n))
	})
}

// Decode decodes the values [from, to) from raw, the items' bytes. After an error it returns the
// number of decoded values.
func (l *Layout) Decode(values Span, from, to int, raw []byte) (int, error) {
	return l.inBatches(values.at(l, from, to), to-from, raw, true)
}

// Encode encodes the values [from, to) into raw, the items' bytes. After an error it returns the
// number of encoded values. Bytes that are not part of values stay unchanged.
func (l *Layout) Encode(raw []byte, values Span, from, to int) (int, error) {
	return l.inBatches(values.at(l, from, to), to-from, raw, false)
}

func (l *Layout) inBatches(p unsafe.Pointer, n int, raw []byte, read bool) (int, error) {
	for done := 0; done < n; done += batch {
		part := min(batch, n-done)
		at := unsafe.Add(p, uintptr(done)*l.width)
		items := raw[done*l.size:][:part*l.size]
		if many(l.steps, at, l.width, items, l.size, part, read) {
			continue
		}

		for k := range part {
			value := unsafe.Add(at, uintptr(k)*l.width)
			item := items[k*l.size:][:l.size]
			if err := moveItem(l.steps, value, item, read); err != nil {
				return done + k, err
			}
		}
	}
	return n, nil
}
