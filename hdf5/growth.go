package hdf5

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A growth is a dataset that grows.
type growth struct {
	a         *Appender
	d         *Dataset
	header    *format.GrowingHeader
	scale     bool
	committed []int64
	shape     []int64 // with what is not committed
	index     *format.Index
	root      int64 // of the index
	item      int64 // bytes of an item
	full      int64 // bytes of the items of a chunk

	workers []rowWorker // of the last call

	mu      sync.Mutex // of what workers change
	pending map[grid.Vec]*pendingChunk
	kept    keptChunks
}

// A pendingChunk is a chunk that is written and not committed.
type pendingChunk struct {
	place format.Place
	room  int64 // bytes from its address on that are its own; 0 if the index has the place already
}

// growth returns the dataset of a key.
func (a *Appender) growth(ctx context.Context, key string) (*growth, error) {
	clean, in, o, err := a.file.find(ctx, key)
	if err != nil {
		return nil, err
	}
	if g := a.grown[o.header.Address]; g != nil && in == a.file {
		return g, nil
	}

	g := &growth{a: a, pending: map[grid.Vec]*pendingChunk{}}
	g.kept.most = a.o.Memory / 8
	if in != a.file {
		return nil, unsupported("it is in another file")
	}
	if !o.header.IsDataset() {
		return nil, fmt.Errorf("%q is no dataset: %w", clean, cairn.ErrNotFound)
	}
	g.d = &Dataset{file: in, key: clean, header: o.header, heap: &heapReader{file: in}}
	r := a.file.format.In(ctx)
	if err := g.d.openForm(r); err != nil {
		return nil, err
	}
	if err := g.open(ctx, r); err != nil {
		return nil, err
	}
	a.grown[o.header.Address] = g
	a.order = append(a.order, g)
	return g, nil
}

// open finds out whether the dataset can grow.
func (g *growth) open(ctx context.Context, r *format.Reader) error {
	d := g.d
	switch l := d.layout; {
	case l.Class != format.Chunked:
		return unsupported("its items are not in chunks; cairn copy makes a file where they can grow")
	case len(l.Chunk) != len(d.space.Shape) || l.ItemSize != d.datatype.Size:
		return cairn.Corruptf("data layout message", -1, "chunks %v of items of %d bytes for the shape %v of items of %d",
			l.Chunk, l.ItemSize, d.space.Shape, d.datatype.Size)
	}

	if hasVariable(d.datatype) {
		return unsupported("items of variable length")
	}
	err := d.layout.Growable()
	if err != nil {
		return err
	}
	if d.dtype, err = parsedDType(d.item, widths{}); err != nil {
		return err
	}
	if d.convert, err = newConversion(d.item, widths{}); err != nil {
		return err
	}
	if _, err := filter.NewEncoder(d.filters); err != nil {
		return err
	}
	if g.header, err = r.GrowingHeader(d.header.Address); err != nil {
		return err
	}
	if err := g.header.Movable(); err != nil {
		return err
	}

	list, err := d.file.attributes(ctx, d.header)
	if err != nil {
		return err
	}
	g.scale = slices.ContainsFunc(list, func(at Attribute) bool { return at.Name == attrClass && at.Value == scaleClass })
	g.shape = slices.Clone(d.space.Shape)
	g.item = d.datatype.Size
	g.root = d.layout.Address
	return g.settled()
}

// settled takes what is pending for committed.
func (g *growth) settled() error {
	g.committed = slices.Clone(g.shape)
	clear(g.pending)
	part, err := grid.New(g.shape, g.d.layout.Chunk, g.d.layout.Chunk, g.item)
	if err != nil {
		return unsupported("chunks %v for the shape %v: %v", g.d.layout.Chunk, g.shape, err)
	}
	g.full = part.ChunkSize
	space := format.Dataspace{Shape: g.committed, Max: g.d.space.Max}
	g.index, err = format.NewIndex(g.d.layout.WithIndex(g.root), space, part.ChunkSize, len(g.d.filters) > 0)
	return err
}

// may returns an error unless the dataset may have a shape.
func (g *growth) may(shape []int64) error {
	for i, n := range shape {
		if most := g.d.space.Max[i]; n != g.shape[i] && most != format.None && n > most {
			return unsupported("dimension %d has at most %d items, %d are too many; cairn concat joins to a new file", i, most, n)
		}
	}
	if _, ok := grid.Product(append([]int64{g.item}, shape...)); !ok {
		return unsupported("shape %v", shape)
	}
	return nil
}

// swapped reports whether the items of a dtype have to be reversed to be those of the file.
func (g *growth) swapped(t meta.DType) (bool, error) {
	d := g.d
	if d.datatype.Class == format.String && t.Equal(d.dtype) {
		return false, nil // whatever it is padded with
	}
	if d.convert != nil || d.item != d.datatype || int64(d.dtype.Size()) != g.item {
		return false, unsupported("appending items of %v", d.datatype)
	}
	if t.Equal(d.dtype) {
		return false, nil
	}
	simple := t.Kind() == d.dtype.Kind() && t.Size() == d.dtype.Size() && t.BigEndian() != d.dtype.BigEndian()
	if simple && slices.Contains([]byte("iuf"), t.Kind()) {
		return true, nil
	}
	return false, fmt.Errorf("items of dtype %v for a dataset of %v: %w", t, d.dtype, cairn.ErrType)
}

func (g *growth) appendRows(ctx context.Context, axis int, src ndarray.Source) error {
	view := ndarray.ViewOf(src)
	if err := view.Err(); err != nil {
		return err
	}
	swap, err := g.swapped(view.DType())
	if err != nil {
		return err
	}
	rows := view.Shape()
	if axis < 0 || axis >= len(g.shape) || len(rows) != len(g.shape) {
		return fmt.Errorf("items of shape %v along axis %d of the shape %v: %w", rows, axis, g.shape, cairn.ErrBounds)
	}
	shape := slices.Clone(g.shape)
	shape[axis] += rows[axis]
	for i, n := range rows {
		if i != axis && n != g.shape[i] || shape[i] < 0 {
			return fmt.Errorf("items of shape %v along axis %d of the shape %v: %w", rows, axis, g.shape, cairn.ErrBounds)
		}
	}
	if err := g.may(shape); err != nil {
		return err
	}
	if slices.Contains(rows, 0) {
		g.shape = shape
		return ctx.Err()
	}

	w := &rowWriter{growth: g, src: view, axis: axis, swap: swap, shape: shape}
	if err := w.write(ctx); err != nil {
		g.a.failed = fmt.Errorf("dataset %q: %w", g.d.key, err)
		return err
	}
	g.shape = shape
	return nil
}

// prepare writes the index of what is pending, and returns its patches, which must be durable
// before the header of the dataset changes, and whether that has to change.
func (g *growth) prepare(ctx context.Context) (index []format.Patch, changed bool, err error) {
	var entries []format.ChunkEntry
	for at, p := range g.pending {
		if p.room == 0 {
			continue
		}
		start := make([]int64, len(g.shape))
		for i, n := range g.d.layout.Chunk {
			start[i] = at[i] * n
		}
		entries = append(entries, format.ChunkEntry{Start: start, Place: p.place})
	}
	if len(entries) == 0 && slices.Equal(g.shape, g.committed) {
		return nil, false, nil
	}
	if err := g.fillPlaces(ctx); err != nil {
		return nil, false, err
	}

	sort.Slice(entries, func(i, j int) bool { return slices.Compare(entries[i].Start, entries[j].Start) < 0 })
	growing := &format.GrowingIndex{Layout: g.d.layout, Width: g.a.grow.Width, Size: g.full, Place: g.a.allocate}
	growing.Write = func(b []byte, at int64) error {
		_, err := g.a.disk.WriteAt(b, at)
		return err
	}
	g.root, index, err = growing.Put(g.a.file.format.In(ctx), g.index, entries)
	return index, true, err
}

// stored returns the place of a chunk, with what is pending.
func (g *growth) stored(r *format.Reader, at grid.Vec) (format.Place, bool, error) {
	g.mu.Lock()
	p := g.pending[at]
	g.mu.Unlock()
	if p != nil {
		return p.place, true, nil
	}
	if g.d.layout.Index != format.ImplicitIndex && !g.within(at[:len(g.shape)]) {
		return format.Place{Address: format.None}, false, nil
	}
	place, err := r.Chunk(g.index, at[:len(g.shape)])
	return place, false, err
}

// fillWith fills a chunk with an item.
func fillWith(full, item []byte) {
	clear(full)
	if item == nil {
		return
	}
	for n := copy(full, item); n > 0 && n < len(full); n *= 2 {
		copy(full[n:], full[:n])
	}
}

// copyCorner copies the items in the first corner of a chunk, of a shape.
func copyCorner(dst, src []byte, chunk, corner []int64, item int64) {
	strides := make([]int64, len(chunk))
	step := item
	for i := len(chunk) - 1; i >= 0; i-- {
		strides[i] = step
		step *= chunk[i]
	}
	last := len(chunk) - 1
	one := slices.Repeat([]int64{1}, len(chunk))
	one[last] = corner[last]
	for b := range slab.Walk(make([]int64, len(corner)), corner, one) {
		at := int64(0)
		for i, n := range b.Start {
			at += n * strides[i]
		}
		copy(dst[at:at+corner[last]*item], src[at:])
	}
}
