package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// A Place is where the parts of items are that [ValuesOf] makes Go values of: an [*Untyped] for whole items, or a [Field] of them.
type Place interface {
	place() Field // seals the interface
}

// Field is one field of the items of an array of structures. It is a value that reads nothing; a name that there is not is an error of what uses the field.
type Field struct {
	u      *Untyped
	name   string
	dtype  meta.DType
	offset int
	err    error
}

// Field returns the field with a name or title; fields of fields are u.Field("position").Field("x").
func (u *Untyped) Field(name string) Field { return u.place().Field(name) }

func (u *Untyped) place() Field {
	f := Field{u: u, dtype: u.dtype, err: u.dtypeErr}
	if f.err == nil && u.dtype.Size() != u.TypeSize() {
		f.err = fmt.Errorf("array of dtype %q with items of %d bytes: %w", u.dtypeText, u.TypeSize(), cairn.ErrType)
	}
	return f
}

func (f Field) place() Field { return f }

// Field returns the field with a name or title of a field that is a structure.
func (f Field) Field(name string) Field {
	if f.err != nil {
		return f
	}
	inner, ok := f.dtype.Field(name)
	if !ok {
		f.err = fmt.Errorf("field %q: dtype %s has none of that name: %w", fieldPath(f.name, name), f.dtype, cairn.ErrNotFound)
		return f
	}
	return Field{u: f.u, name: fieldPath(f.name, inner.Name), dtype: inner.Type, offset: f.offset + inner.Offset}
}

// DType returns the dtype of the field, or an error matching [cairn.ErrNotFound] if there is no such field.
func (f Field) DType() (meta.DType, error) { return f.dtype, f.err }

// writeMasked stages items of which only the bytes of a mask, one bool per byte of an item, are taken; of the others the array keeps what it has. src has items
// as m says.
func (u *Untyped) writeMasked(ctx context.Context, src []byte, m mesh, mask []bool) (err error) {
	part := u.geometry()
	var plan meshPlan
	if err := plan.set(part, m, true); err != nil {
		return err
	}
	at, err := u.beginHeld(ctx, part)
	if err != nil {
		return err
	}
	defer func() {
		if failed := u.endWrite(); failed != nil && err == nil {
			err = failed
		}
	}()
	if d := u.demand(at, &plan); d.few && plan.pieces() > 0 {
		return u.hold(ctx, at, &plan, src, d, holding{mask: mask})
	}
	if at, err = u.flushMet(ctx, at, &plan); err != nil {
		return err
	}
	return u.undoing(func() (bool, error) {
		done, err := u.stagePlan(ctx, at.view, &plan, src, func(w *worker, u *Untyped, store chunkStore, out, src []byte) ([]byte, error) {
			return w.encodeMasked(u, store, out, src, mask)
		})
		return done > 0, err
	})
}

// encodeMasked appends the chunk at hand with the masked bytes of the plan's items in it.
func (w *worker) encodeMasked(u *Untyped, store chunkStore, out, src []byte, mask []bool) ([]byte, error) {
	stored, h, err := w.fetch(u, store)
	if err != nil {
		return out, err
	}
	if err := w.decodeRaw(u, store, &h, stored); err != nil {
		return out, err
	}
	size := u.part.BlockSize
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		w.gatherMasked(w.raw[int64(b)*size:][:size], b, src, mask)
	}
	return w.enc.Append(out, w.raw)
}

// gatherMasked puts the masked bytes of the items that the plan has of block b into it.
func (w *worker) gatherMasked(block []byte, b int, src []byte, mask []bool) {
	w.item = append(w.item[:0], block...)
	w.piece.Gather(block, b, src)
	// What was not gathered is the same in both.
	for item := w.item; len(item) >= len(mask); item, block = item[len(mask):], block[len(mask):] {
		for i, taken := range mask {
			if !taken {
				block[i] = item[i]
			}
		}
	}
}
