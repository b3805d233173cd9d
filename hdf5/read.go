package hdf5

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
)

// ReadBytes implements [ndarray.Source]. It reads and decodes the chunks that the box touches, in
// parallel; of items in one piece only those of the box. Errors match [cairn.ErrCorrupt],
// [cairn.ErrChecksum], [cairn.ErrLimit] or [cairn.ErrBounds]; those of the file are wrapped.
func (d *Dataset) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	err := grid.CheckBuffer(d.shape, start, stop, d.dtype.Size(), len(dst))
	switch {
	case err != nil || len(dst) == 0:
	case d.virtual != nil:
		err = d.readVirtual(ctx, dst, start, stop)
	case d.convert == nil:
		err = d.readStored(ctx, dst, start, stop)
	case d.convert.inPlace():
		if err = d.readStored(ctx, dst, start, stop); err == nil {
			err = d.convert.run(ctx, d.heap, dst, dst)
		}
	default:
		err = d.eachSlab(ctx, start, stop, func(items []byte) error {
			n := int64(len(items)) / d.convert.from * d.convert.to
			err := d.convert.run(ctx, d.heap, dst[:n], items)
			dst = dst[n:]
			return err
		})
	}

	if err != nil {
		return fmt.Errorf("dataset %q: %w", d.key, err)
	}
	return nil
}

// slabBytes is how many bytes of items are held while they are converted.
const slabBytes = 1 << 20

// eachSlab calls do with the items of a box as they are in the file, some at a time, in C order.
func (d *Dataset) eachSlab(ctx context.Context, start, stop []int64, do func(items []byte) error) error {
	chunk, _ := d.Grid()
	edge := slab.Runs(start, stop, chunk, chunk, d.item.Size, slabBytes)

	var items []byte
	for box := range slab.Walk(start, stop, edge) {
		n := box.Items() * d.item.Size
		items = slab.Resize(items, n)
		if err := d.readStored(ctx, items, box.Start, box.Stop); err != nil {
			return err
		}
		if err := do(items); err != nil {
			return err
		}
	}
	return nil
}

// readStored reads the items of a box as they are in the file.
func (d *Dataset) readStored(ctx context.Context, dst []byte, start, stop []int64) error {
	if d.flat != nil {
		workers := 1
		if d.file.format.Requests() == 0 {
			workers = parallel.WorkersIn(ctx, d.file.workers)
		}
		return d.flat.file.ReadBoxBy(ctx, workers, dst, d.flat.layout, start, stop)
	}
	return d.chunks.Read(ctx, &storedChunks{d, d.file.format.In(ctx)}, dst, start, stop)
}

// Values returns all items of a dataset as Go values, as an [Attribute] has them: also of datasets
// that [File.Dataset] refuses for their datatype, such as sequences of variable length, which are
// lists. It is for small datasets: more than 1,048,576 values, or Limits.MaxMeta bytes, are an
// error that matches [cairn.ErrLimit]. Virtual datasets are refused.
func (f *File) Values(ctx context.Context, key string) (any, error) {
	clean, in, o, err := f.find(ctx, key)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (any, error) { return nil, fmt.Errorf("dataset %q: %w", clean, err) }
	if !o.header.IsDataset() {
		return fail(cairn.ErrNotFound)
	}

	d := &Dataset{file: in, key: clean, header: o.header, heap: &heapReader{file: in}, values: true}
	r := in.format.In(ctx)
	if err := d.openForm(r); err != nil {
		return fail(err)
	}
	if d.layout.Class == format.Virtual {
		return fail(unsupported("values of a virtual dataset"))
	}
	if err := d.openItems(r); err != nil {
		return fail(err)
	}

	n := d.bytes()
	if most := in.format.Limits.MaxMeta; n > most {
		return fail(fmt.Errorf("%d bytes, the most is %d (Limits.MaxMeta): %w", n, most, cairn.ErrLimit))
	}
	items := make([]byte, n)
	if n > 0 {
		if err := d.readStored(ctx, items, make([]int64, len(d.shape)), d.shape); err != nil {
			return fail(err)
		}
	}
	value, err := in.values(ctx).list(&items, d.item, d.shape)
	if err != nil {
		return fail(err)
	}
	return value, nil
}
