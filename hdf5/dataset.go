package hdf5

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Dataset is a dataset of a file, as an [ndarray.Source]. Any number of goroutines may use it
// while the file is open. Items that were never written have the fill value.
//
// A dataset whose datatype is an array has the dimensions of that array behind its own.
type Dataset struct {
	file     *File
	key      string
	header   *format.Header
	space    format.Dataspace
	datatype *format.Datatype // of the dataset
	item     *format.Datatype // of an item: the base of an array
	dtype    meta.DType
	shape    []int64
	fill     []byte // an item as in the file; nil for zeros
	undef    bool   // the file says that there is no fill value
	layout   *format.Layout
	filters  []filter.Filter
	convert  *conversion // nil if items are in the file as the dtype says
	heap     *heapReader

	values bool // items are read as Go values, so they need no dtype

	flat *flat // items in one piece, or nil

	virtual *virtual // items of other datasets, or nil
	depth   int      // of virtual datasets that this is a source of

	part   *grid.Partition // of items in chunks, or nil
	index  *format.Index
	chunks *chunked.Reader[*filter.Decoder]
}

var _ ndarray.Labelled = (*Dataset)(nil)

// Dataset opens a dataset. Its strings of variable length are read at once, for the dtype has the
// width of the longest. Errors match [cairn.ErrNotFound] if there is no dataset of that key, and
// [cairn.ErrUnsupported] if it cannot be read, with the reason.
func (f *File) Dataset(ctx context.Context, key string) (*Dataset, error) {
	return f.dataset(ctx, key, 0)
}

// Open is [File.Dataset] for an [ndarray.Tree].
func (f *File) Open(ctx context.Context, key string) (ndarray.Source, error) {
	d, err := f.Dataset(ctx, key)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// dataset is Dataset for the source of a virtual dataset, and so on, to a depth.
func (f *File) dataset(ctx context.Context, key string, depth int) (*Dataset, error) {
	clean, in, o, err := f.find(ctx, key)
	if err != nil {
		return nil, err
	}
	if !o.header.IsDataset() {
		what := "an object of another kind"
		if o.header.IsGroup() {
			what = "a group"
		}
		return nil, fmt.Errorf("%q is %s: %w", clean, what, cairn.ErrNotFound)
	}

	d := &Dataset{file: in, key: clean, header: o.header, heap: &heapReader{file: in}, depth: depth}
	if err := d.open(ctx); err != nil {
		return nil, fmt.Errorf("dataset %q: %w", clean, err)
	}
	return d, nil
}

// open reads the messages of the header.
func (d *Dataset) open(ctx context.Context) error {
	r := d.file.format.In(ctx)
	if err := d.openForm(r); err != nil {
		return err
	}

	if d.layout.Class == format.Virtual {
		return d.openVirtual(ctx, r)
	}
	if err := d.openItems(r); err != nil {
		return err
	}
	return d.openDType(ctx)
}

// openForm reads the messages that say what a dataset is, without its items.
func (d *Dataset) openForm(r *format.Reader) error {
	var err error
	if d.space, err = r.Dataspace(d.header); err != nil {
		return err
	}
	if d.datatype, err = r.Datatype(d.header); err != nil {
		return err
	}

	if d.space.Null {
		return unsupported("a dataset without a shape (a null dataspace)")
	}

	// The dimensions of items that are arrays follow those of the dataspace.
	d.item = d.datatype
	d.shape = slices.Clone(d.space.Shape)
	for d.item.Class == format.Array {
		d.shape = append(d.shape, d.item.Shape...)
		d.item = d.item.Base
	}

	if len(d.shape) > grid.MaxDims {
		return unsupported("%d dimensions, the most is %d", len(d.shape), grid.MaxDims)
	}
	if err := checkItems(d.shape, d.item.Size); err != nil {
		return err
	}

	// Say what cannot be read before anything about where it is.
	if _, err := parsedDType(d.item, nil); err != nil && !d.values {
		return err
	}

	if d.layout, err = r.Layout(d.header); err != nil {
		return err
	}
	if d.filters, err = r.Pipeline(d.header); err != nil {
		return err
	}
	return d.openFill(r)
}

// checkDataset returns why a dataset cannot be read, as far as its header tells.
func (f *File) checkDataset(ctx context.Context, key string, o *object) error {
	d := &Dataset{file: f, key: key, header: o.header}
	err := d.openForm(f.format.In(ctx))
	if err == nil && d.layout.Class == format.Chunked {
		err = filter.Check(d.filters)
	}

	if err != nil {
		return fmt.Errorf("dataset %q: %w", key, err)
	}
	return nil
}

// checkItems returns an error unless 63 bits can count the bytes of a shape.
func checkItems(shape []int64, size int64) error {
	if _, ok := grid.Product(append([]int64{size}, shape...)); !ok {
		return cairn.Corruptf("dataspace message", -1, "%v items of %d bytes", shape, size)
	}
	return nil
}

// openFill reads the fill value, of which a dataset of arrays uses one item if all are equal.
func (d *Dataset) openFill(r *format.Reader) error {
	fill, undefined, err := r.Fill(d.header)
	if err != nil {
		return err
	}
	d.undef = undefined
	if fill == nil {
		return nil
	}
	if int64(len(fill)) != d.datatype.Size {
		return cairn.Corruptf("fill value message", -1, "fill value of %d bytes, want %d", len(fill), d.datatype.Size)
	}

	d.fill = fill[:d.item.Size]
	for rest := fill; len(rest) > 0; rest = rest[d.item.Size:] {
		if string(rest[:d.item.Size]) != string(d.fill) {
			return unsupported("a fill value of arrays with different items")
		}
	}
	return nil
}

// openDType computes the dtype and the conversion.
func (d *Dataset) openDType(ctx context.Context) error {
	w := widths{}
	if hasVariable(d.item) {
		if err := d.measure(ctx, w); err != nil {
			return err
		}
	}

	var err error
	if d.dtype, err = parsedDType(d.item, w); err != nil {
		return err
	}
	if err := checkItems(d.shape, int64(d.dtype.Size())); err != nil {
		return err
	}
	d.convert, err = newConversion(d.item, w)
	return err
}

// Key returns the key of the dataset.
func (d *Dataset) Key() string { return d.key }

// Shape implements [ndarray.Source].
func (d *Dataset) Shape() ndarray.Shape { return slices.Clone(d.shape) }

// DType implements [ndarray.Source]. Enums are their integers, except that those of h5py's bools
// are bools. Strings of variable length are text as wide as the longest, and references to objects
// are the keys of these: "" if one leads nowhere, and "address N" for an object without a key.
// References to regions are a key and the items, such as "/a[0:2, 5]". Other sequences of variable
// length are text too, lists of JSON, which [Dataset.Sequences] tells from other text. Times of 4
// bytes are signed integers, others bytes, whose meaning the format leaves open.
func (d *Dataset) DType() meta.DType { return d.dtype }

// Grid implements [ndarray.Source]: it returns the shape of chunks, or of about as many items in
// one piece. Blocks are the same, but parts of chunks of 32 MiB or more: a copy would have blocks
// of that size, and Blosc2 has none of 512 MiB.
func (d *Dataset) Grid() (chunks, blocks ndarray.Shape) {
	if d.virtual != nil {
		chunks = slices.Clone(d.virtual.grid)
		return chunks, slices.Clone(chunks)
	}
	if d.part == nil {
		// Read boxes of some size.
		f := d.flat
		one := slices.Repeat([]int64{1}, len(f.shape))
		chunks = slab.Chunked(f.shape, one, max(f.layout.Item, int64(d.dtype.Size())), flatBytes)

		return chunks, slices.Clone(chunks)
	}

	for i := range d.shape {
		chunks = append(chunks, d.part.Chunk[i])
	}
	// Texts are wider in memory than what refers to them.
	if d.part.ChunkSize/d.item.Size*max(d.item.Size, int64(d.dtype.Size())) < largeChunk {
		return chunks, slices.Clone(chunks)
	}

	one := slices.Repeat([]int64{1}, len(chunks))
	return chunks, slab.Chunked(chunks, one, int64(d.dtype.Size()), flatBytes)
}
