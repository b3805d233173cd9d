package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// Field returns a view of one field of the view's items, which must be structures. The dtype of the
// result is that of the field. name is the name or the title of the field. Reading it decodes the
// blocks that hold the items, 4 MiB or one chunk at a time, whichever is more. Writing it leaves
// the other fields unchanged. If there is no such field, the error of the view matches
// [cairn.ErrNotFound].
func (v UntypedView) Field(name string) UntypedView {
	if v.Err() != nil {
		return v
	}

	f := fieldOrigin{origin: v.of}
	err := v.of.check(func(d meta.DType, size int) error {
		at, ok := d.Field(name)
		if !ok {
			return fmt.Errorf("dtype %s has no field %q: %w", d, name, cairn.ErrNotFound)
		}
		if f.what.Type.Size() > 0 && (at.Type.String() != f.what.Type.String() || at.Offset != f.what.Offset) {
			return fmt.Errorf("field %q is not the same in all arrays: %w", name, cairn.ErrType)
		}
		f.what = at
		return nil
	})
	if err != nil {
		return v.fail(err)
	}

	v.of = f
	return v
}

// A fieldOrigin is an origin that shows one field of the items of another origin.
type fieldOrigin struct {
	origin
	what meta.Field // its type and offset
}

func (f fieldOrigin) typeSize() int64   { return int64(f.what.Type.Size()) }
func (f fieldOrigin) dtype() meta.DType { return f.what.Type }

func (f fieldOrigin) check(each func(meta.DType, int) error) error {
	return f.inOrigin(each(f.what.Type, f.what.Type.Size()))
}

func (f fieldOrigin) frozen(ctx context.Context, h *freezer) (_ origin, err error) {
	f.origin, err = f.origin.frozen(ctx, h)
	return f, err
}

// read reads whole items, a part of the mesh at a time, and copies the field out of each.
func (f fieldOrigin) read(ctx context.Context, dst []byte, m selection.Mesh, host bool) error {
	return f.pick(ctx, dst, m, hostSwap(f.what.Type, host))
}

// pick is read for numbers whose byte order is reversed; swap is their width, which is not 0.
func (f fieldOrigin) pick(ctx context.Context, dst []byte, m selection.Mesh, swap int) (err error) {
	item := f.origin.typeSize()
	chunks, _ := f.grid()
	edge, several := m.Edge(chunks, item, convertBytes)
	of := f.origin
	if several { // reads, of one state
		var h freezer
		defer h.end()
		of, err = of.frozen(ctx, &h)
		if err != nil {
			return err
		}
	}

	size := f.typeSize()
	var raw []byte
	for part := range m.Parts(edge) {
		whole, bytes := part.Packed(item)
		raw = slab.Resize(raw, bytes)
		if err := of.read(ctx, raw, whole, false); err != nil {
			return err
		}

		from := raw
		for at := range selection.Places(part.Memory.Base, part.Axes) {
			own := from[f.what.Offset:][:size]
			reverse(own, swap)
			for to := range selection.Places(at, part.Memory.Spread) {
				copy(dst[to:], own)
			}
			from = from[item:]
		}
	}
	return nil
}

func (f fieldOrigin) fill(ctx context.Context, value encodeValue, m selection.Mesh) error {
	item, err := value(f.what.Type, f.what.Type.Size())
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}

	whole := make([]byte, f.origin.typeSize())
	copy(whole[f.what.Offset:], item)
	m.Memory.Size = f.origin.typeSize()
	return f.origin.write(ctx, whole, m, false, f.mask(nil))
}

// write expands the field to whole items, of which only the bytes of the field are written: those
// that mask selects, or all if mask is nil.
func (f fieldOrigin) write(ctx context.Context, src []byte, m selection.Mesh, host bool, mask []bool) error {
	if len(m.Memory.Spread) > 0 {
		return errRepeats
	}

	item := f.origin.typeSize()
	whole, bytes := m.Packed(item)
	if bytes > f.maxAlloc() {
		return fmt.Errorf("write of a field of items of %d bytes in all, MaxAlloc is %d: %w",
			bytes, f.maxAlloc(), cairn.ErrLimit)
	}

	size := f.typeSize()
	raw := fresh.Make[byte](bytes)
	to := raw
	for at := range selection.Places(m.Memory.Base, m.Axes) {
		own := to[f.what.Offset:][:size]
		copy(own, src[at:][:size])
		reverse(own, hostSwap(f.what.Type, host))
		to = to[item:]
	}
	return f.origin.write(ctx, raw, whole, false, f.mask(mask))
}

// mask returns the mask of a whole item for a mask of the field, or for the whole field if own is
// nil.
func (f fieldOrigin) mask(own []bool) []bool {
	mask := make([]bool, f.origin.typeSize())
	for i := range f.what.Type.Size() {
		mask[f.what.Offset+i] = own == nil || own[i]
	}
	return mask
}
