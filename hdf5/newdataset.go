package hdf5

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/readahead"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// DatasetOptions say how a dataset is written. Nil and the zero value mean the defaults.
type DatasetOptions struct {
	Attributes []Attribute
	// Type is the datatype, whose items those of the source must be, such as an enum of integers.
	// Nil means [TypeOf] the dtype.
	Type *Type
	// Chunks is the shape of chunks. Nil means none, if there are no filters and no MaxShape, else
	// the chunks of the source, or such of about 1 MiB.
	Chunks ndarray.Shape
	// how far the dataset may grow; -1 is without bound; nil means not at all
	MaxShape ndarray.Shape
	// Filters are applied to chunks in this order. Where there are no Params they are chosen.
	Filters []filter.Filter
	Fill    []byte // the fill value, encoded as the dtype says; nil means zeros
	Compact bool   // items are in the header, up to 60 KiB of them
	// Scale makes the dataset a dimension scale of this name. "" means that it is none.
	Scale string
	// Scales are the keys of the dimension scales of each dimension, "" for none, which may be
	// written later. Nil means no scales. Scales have none themselves.
	Scales []string
}

// mostCompact is the most bytes of items in a header.
const mostCompact = 60 << 10

// largestChunk is the most bytes of a chunk.
const largestChunk = math.MaxUint32

// A newDataset is a dataset that is being written.
type newDataset struct {
	newObject
	w      *Writer
	src    *ndarray.UntypedView // nil until there are items
	dtype  meta.DType           // of it
	shape  []int64
	to     int64  // bytes of an item in the file
	memory []byte // all items, if they lie in memory
	places []chunkPlace
	free   chan *chunkEncoder
}

// A chunkPlace is where a chunk is, by its number in C order.
type chunkPlace struct {
	at   int64
	size uint32
	mask uint32
}

// target returns the dataset for the items of a source.
func (w *Writer) target(key string, src ndarray.Source, o *DatasetOptions) (*newDataset, error) {
	view := ndarray.ViewOf(src)
	if err := view.Err(); err != nil {
		return nil, err
	}
	if o == nil {
		o = &DatasetOptions{}
	}

	d := w.empty[key]
	isNew := d == nil
	if isNew {
		d = &newDataset{w: w, shape: src.Shape()}
	}
	d.src = &view
	d.dtype = src.DType()
	switch t, err := d.typed(o.Type); {
	case err != nil:
		return nil, err
	case isNew:
		d.datatype = t
		return d, w.define(key, d, o)
	case !slices.Equal(src.Shape(), d.shape):
		return nil, fmt.Errorf("items of shape %v for the shape %v: %w", src.Shape(), d.shape, cairn.ErrBounds)
	}
	delete(w.empty, key)
	return d, nil
}

// define decides how a dataset is written, and adds it.
func (w *Writer) define(key string, d *newDataset, o *DatasetOptions) error {
	attributes, err := o.attributes(len(d.shape))
	if err != nil {
		return err
	}
	if d.attributes, err = planAttributes(attributes); err != nil {
		return err
	}
	d.isScale = o.Scale != ""
	d.scales = slices.Clone(o.Scales)

	d.to = d.datatype.Size
	if o.Fill != nil && (int64(len(o.Fill)) != d.to || hasVariable(d.datatype)) {
		return fmt.Errorf("a fill value of %d bytes for items of %v: %w", len(o.Fill), d.datatype, cairn.ErrType)
	}
	d.fill = o.Fill
	if _, ok := grid.Product(append([]int64{d.to}, d.shape...)); !ok {
		return unsupported("shape %v", d.shape)
	}
	if err := d.place(o); err != nil {
		return err
	}

	err = w.add(key, &d.newObject)
	if err == nil && d.src == nil {
		w.empty[key] = d
	}
	return err
}

// typed returns the datatype of the items: that of the dtype, or a given one of the same bytes,
// such as that which a dataset has already.
func (d *newDataset) typed(given *Type) (*format.Datatype, error) {
	t := d.datatype
	if given != nil {
		var err error
		if t, err = given.datatype(); err != nil {
			return nil, err
		}
	}
	if t != nil && fits(t, d.dtype) {
		return t, nil
	}

	own, err := datatypeOf(d.dtype)
	if err == nil && !own.Writable() {
		err = unsupported("items of dtype %v in HDF5", d.dtype)
	}
	if err != nil {
		return nil, err
	}
	if t != nil && !reflect.DeepEqual(t, own) {
		return nil, fmt.Errorf("items of dtype %v for %v: %w", d.dtype, t, cairn.ErrType)
	}
	return own, nil
}

// fits reports whether items of a dtype are what a file has for a datatype, or are texts for one of
// texts of variable length, of sequences or of references.
func fits(t *format.Datatype, d meta.DType) bool {
	if isObject(t) {
		return isText(d)
	}
	if hasVariable(t) {
		return fitsTexts(t, d)
	}
	dtype, err := parsedDType(t, nil)
	return err == nil && dtype.Equal(d) && stored(t)
}

// isText reports whether items of a dtype are texts.
func isText(d meta.DType) bool {
	own, err := datatypeOf(d)
	return err == nil && own.Class == format.Variable
}

// fitsTexts reports whether items of a dtype can be written as those of a datatype with texts and
// sequences.
func fitsTexts(t *format.Datatype, d meta.DType) bool {
	switch t.Class {
	case format.Variable:
		return isText(d) && (t.Text || t.Writable() && sequences(t))
	case format.Array:
		elem, shape, ok := d.SubArray()
		return ok && fitsTexts(t.Base, elem) && slices.EqualFunc(shape, t.Shape, func(n int, m int64) bool {
			return int64(n) == m
		})

	case format.Compound:
		fields := d.Fields()
		if len(fields) != len(t.Members) {
			return false
		}
		end := int64(0)
		for i, f := range fields {
			m := &t.Members[i]
			if f.Name != m.Name || m.Offset < end || !fitsTexts(m.Type, f.Type) {
				return false
			}
			end = m.Offset + m.Type.Size
		}
		return end <= t.Size
	case format.Reference:
		return false
	}
	return fits(t, d)
}

// stored reports whether items are in a file as their dtype has them: all bits of integers, and
// texts with zeros behind them.
func stored(t *format.Datatype) bool {
	switch t.Class {
	case format.String:
		return t.Padding != format.SpacePadded
	case format.Array, format.Enum:
		return stored(t.Base)
	case format.Compound:
		for _, m := range t.Members {
			if !stored(m.Type) {
				return false
			}
		}
		return true
	}
	return !special(t)
}

// Fits reports whether a dataset of this datatype can have items of a dtype; see
// [DatasetOptions].Type.
func (t *Type) Fits(d meta.DType) bool {
	of, err := t.datatype()
	return err == nil && fits(of, d)
}

// place decides on the dataspace and the layout.
func (d *newDataset) place(o *DatasetOptions) error {
	d.space = &format.Dataspace{Shape: d.shape}
	if len(d.shape) > format.MaxRank {
		return unsupported("%d dimensions", len(d.shape))
	}
	if o.MaxShape != nil {
		if len(o.MaxShape) != len(d.shape) {
			return fmt.Errorf("MaxShape %v for the shape %v: %w", o.MaxShape, d.shape, cairn.ErrBounds)
		}
		for i, n := range o.MaxShape {
			if n >= 0 && n < d.shape[i] {
				return fmt.Errorf("MaxShape %v for the shape %v: %w", o.MaxShape, d.shape, cairn.ErrBounds)
			}
		}
		d.space.Max = slices.Clone(o.MaxShape)
	}

	total := d.to
	for _, n := range d.shape {
		total *= n
	}
	if isObject(d.datatype) { // which are known when all else is written
		o = &DatasetOptions{}
		d.space.Max = nil
	}
	chunked := (o.Chunks != nil || len(o.Filters) > 0 || o.MaxShape != nil) && len(d.shape) > 0
	switch {
	case o.Compact && (chunked || total > mostCompact):
		return unsupported("%d bytes in a header, or with chunks", total)
	case o.Compact:
		d.layout = &format.Layout{Class: format.Compact}
		if d.src == nil {
			return unsupported("items in a header that are not at hand")
		}
	case !chunked:
		d.layout = &format.Layout{Class: format.Contiguous, Address: format.None, Size: total}
	default:
		return d.chunk(o)
	}
	return nil
}

// chunk decides on the chunks and their filters.
func (d *newDataset) chunk(o *DatasetOptions) error {
	chunks := o.Chunks
	if chunks == nil {
		if d.src != nil {
			chunks, _ = d.src.Grid()
		}
		if chunks == nil {
			one := slices.Repeat([]int64{1}, len(d.shape))
			chunks = slab.Chunked(d.shape, one, d.to, 1<<20)
		}
		for i := range chunks {
			chunks[i] = max(1, min(chunks[i], d.shape[i]))
		}
	}

	size := d.to
	for i, n := range chunks {
		if len(chunks) != len(d.shape) || n < 1 || d.space.Max != nil && d.space.Max[i] >= 0 && n > d.space.Max[i] ||
			d.space.Max == nil && n > max(1, d.shape[i]) {
			return fmt.Errorf("chunks %v for the shape %v: %w", chunks, d.shape, cairn.ErrBounds)
		}
		if size *= n; size > largestChunk {
			return unsupported("chunks %v of 4 GiB or more", chunks)
		}
	}

	d.layout = &format.Layout{Class: format.Chunked, Address: format.None, Chunk: slices.Clone(chunks), ItemSize: d.to}
	d.filters = withParams(o.Filters, d.to, size)
	_, err := filter.NewEncoder(d.filters)
	return err
}

// withParams chooses the parameters of filters that have none.
func withParams(filters []filter.Filter, item, chunk int64) []filter.Filter {
	filters = slices.Clone(filters)
	for i := range filters {
		f := &filters[i]
		if f.Params != nil {
			continue
		}

		switch f.ID {
		case filter.Deflate:
			f.Params = []uint32{4}
		case filter.Shuffle:
			f.Params = []uint32{uint32(item)}
		case filter.Zstd:
			f.Params = []uint32{3}
		case filter.Blosc, filter.Blosc2:
			const level, byItem, zstd = 5, 1, 5
			f.Params = []uint32{2, 2, uint32(min(item, 255)), uint32(chunk), level, byItem, zstd}
		}
	}
	return filters
}

// write writes the items.
func (d *newDataset) write(ctx context.Context) error {
	switch d.layout.Class {
	case format.Chunked:
		return d.writeChunks(ctx)
	case format.Compact:
		return d.items(ctx, func(items []byte) error {
			d.layout.Data = append(d.layout.Data, items...)
			return nil
		})
	}

	if d.layout.Size == 0 {
		return ctx.Err()
	}
	d.layout.Address = d.w.allocate(d.layout.Size)
	at := d.layout.Address
	return d.items(ctx, func(items []byte) error {
		_, err := d.w.file.WriteAt(items, at)
		at += int64(len(items))
		return err
	})
}

// items calls put with all items, as the file has them, in C order.
func (d *newDataset) items(ctx context.Context, put func(items []byte) error) error {
	if d.holdMemory(); d.memory != nil {
		return d.itemsInMemory(ctx, put)
	}
	chunks, blocks := d.src.Grid()
	start := make([]int64, len(d.shape))
	edge := slab.Runs(start, d.shape, chunks, blocks, int64(d.dtype.Size()), max(1, d.w.o.Memory/(boxesAhead+1)))
	return d.boxes(ctx, edge, func(_ slab.Box, items []byte) error { return put(items) })
}

// boxesAhead is how many boxes are read while one is written.
const boxesAhead = 1

// boxes calls use with the items of boxes with the given edges, as the file has them.
func (d *newDataset) boxes(ctx context.Context, edge []int64, use func(b slab.Box, items []byte) error) error {
	if slices.Contains(d.shape, 0) {
		return ctx.Err()
	}

	size := int64(d.dtype.Size())
	var buffers [1 + boxesAhead][]byte
	read := func(ctx context.Context, slot int, b slab.Box) ([]byte, error) {
		buffers[slot] = slab.Resize(buffers[slot], b.Items()*size)
		return buffers[slot], d.src.ReadBytes(ctx, buffers[slot], b.Start, b.Stop)
	}

	total := size
	for _, n := range d.shape {
		total *= n
	}
	done := int64(0)
	texts := &itemWriter{heap: d.w.heap, references: d.references()}
	variable := hasVariable(d.datatype)
	var encoded []byte
	start := make([]int64, len(d.shape))
	return readahead.Boxes(ctx, boxesAhead, slab.Walk(start, d.shape, edge), read, func(b slab.Box, items []byte) error {
		n := int64(len(items))
		if variable {
			encoded = texts.append(encoded[:0], items, d.dtype, d.datatype)
			items = encoded
			if texts.err != nil {
				return texts.err
			}
		}
		if err := use(b, items); err != nil {
			return err
		}
		if done += n; d.w.o.Progress != nil {
			d.w.o.Progress(done, total)
		}
		return ctx.Err()
	})
}

// mostPut is how many bytes of items in memory are put at a time.
const mostPut = 8 << 20

// holdMemory finds out whether all items, as the file has them, lie in memory.
func (d *newDataset) holdMemory() {
	d.memory = nil
	if !hasVariable(d.datatype) && int64(d.dtype.Size()) == d.to {
		d.memory = d.src.Inside().Memory()
	}
}

// itemsInMemory is items for those that lie in memory.
func (d *newDataset) itemsInMemory(ctx context.Context, put func(items []byte) error) error {
	total := int64(len(d.memory))
	for done := int64(0); done < total; {
		n := min(mostPut, total-done)
		if err := put(d.memory[done : done+n]); err != nil {
			return err
		}
		if done += n; d.w.o.Progress != nil {
			d.w.o.Progress(done, total)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return ctx.Err()
}
