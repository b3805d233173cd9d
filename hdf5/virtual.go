package hdf5

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/hdf5/internal/hyperslab"
	"github.com/cairn-go/cairn/internal/slab"
)

// A virtual dataset has its items in other datasets. It is as the HDF5 library reads it by default:
// a source that is missing leaves the fill value, and a dimension without bound is as long as the
// longest source makes it.
type virtual struct {
	maps []mapping
	grid []int64
	fill []byte // an item

	mu      sync.Mutex
	sources map[[2]string]*Dataset // by file and name; nil for those that are missing
}

// A mapping says where some items of a virtual dataset are.
type mapping struct {
	file, key string
	target    []hyperslab.Axis
	source    []hyperslab.Axis // nil for all items
	grows     int              // the dimension of target without bound, -1 if there is none
	blocks    bool             // each block of that dimension has a source of that number
}

// Bounds of virtual datasets.
const (
	mostVirtual = 8       // virtual datasets of virtual datasets
	mostSources = 1 << 18 // sources of a read
	mostBlocks  = 1 << 16 // sources with a number in their name
	keptSources = 256
)

// budgetKey is the key in contexts of how many more sources may be used.
type budgetKey struct{}

// withBudget returns a context for what may use a number of sources, those of sources included.
func withBudget(ctx context.Context) context.Context {
	if ctx.Value(budgetKey{}) != nil {
		return ctx
	}
	left := &atomic.Int64{}
	left.Store(mostSources)
	return context.WithValue(ctx, budgetKey{}, left)
}

// openVirtual reads the mappings, and finds out how long dimensions without bound are.
func (d *Dataset) openVirtual(ctx context.Context, r *format.Reader) error {
	if d.depth > mostVirtual {
		return fmt.Errorf("virtual datasets of virtual datasets, more than %d: %w", mostVirtual, cairn.ErrLimit)
	}
	if hasVariable(d.item) {
		return unsupported("a virtual dataset of strings of variable length or of references")
	}
	if len(d.filters) > 0 {
		return cairn.Corruptf("dataset", -1, "filters without chunks")
	}
	if err := d.openDType(ctx); err != nil {
		return err
	}

	list, err := r.Virtual(d.layout)
	if err != nil {
		return err
	}

	d.virtual = &virtual{sources: map[[2]string]*Dataset{}}
	for i := range list {
		if err := d.addMapping(&list[i]); err != nil {
			return err
		}
	}

	ctx = withBudget(ctx)
	if err := d.checkInside(ctx); err != nil {
		return err
	}
	if err := d.grow(ctx); err != nil {
		return err
	}

	// The shape of boxes that are cheap to read at once: that of the chunks of the
	// first source, if it has as many dimensions.
	one := slices.Repeat([]int64{1}, len(d.shape))

	for i := range d.virtual.maps[:min(1, len(d.virtual.maps))] {
		src, err := d.source(ctx, &d.virtual.maps[i], 0)
		if err != nil || src == nil || len(src.shape) != len(d.shape) {
			break
		}
		chunks, _ := src.Grid()
		for k := range chunks {
			one[k] = max(1, min(chunks[k], d.shape[k]))
		}
	}
	d.virtual.grid = slab.Chunked(d.shape, one, int64(d.dtype.Size()), flatBytes)

	d.virtual.fill, err = d.fillItem(ctx)
	return err
}

// addMapping adds a mapping of the file.
func (d *Dataset) addMapping(m *format.Mapping) error {
	if m.File != "." && d.file.others == nil {
		return &LinkError{Target: m.Dataset, File: m.File, virtual: true}
	}
	if m.Target.Axes == nil && !m.Target.All || m.Source.Axes == nil && !m.Source.All {
		return nil // nothing is selected
	}

	own := mapping{file: m.File, key: m.Dataset, target: m.Target.Axes, source: m.Source.Axes, grows: -1}
	if m.Target.All {
		for _, n := range d.space.Shape {
			own.target = append(own.target, hyperslab.Whole(n))
		}
	}

	if len(own.target) != len(d.space.Shape) {
		return cairn.Corruptf("virtual dataset", -1, "selection of %d dimensions, want %d", len(own.target), len(d.space.Shape))
	}

	for i, a := range own.target {
		if !a.Unlimited() {
			continue
		}
		if own.grows >= 0 {
			return cairn.Corruptf("virtual dataset", -1, "selection with two dimensions without bound")
		}
		own.grows = i
	}

	if own.grows >= 0 && own.unlimitedSource() < 0 {
		if !own.target[own.grows].Blocks() || !strings.Contains(m.File+m.Dataset, "%b") {
			return cairn.Corruptf("virtual dataset", -1, "selection without bound of a source with one")
		}
		own.blocks = true
	}

	d.virtual.maps = append(d.virtual.maps, own)
	return nil
}

// checkInside returns an error if a source in the same file is refused, for its items are in
// another file. Of many sources only some are looked at; reading the others fails.
func (d *Dataset) checkInside(ctx context.Context) error {
	seen := map[string]bool{}
	for i := range d.virtual.maps {
		m := &d.virtual.maps[i]
		if m.file != "." || m.blocks || seen[m.key] || len(seen) == keptSources {
			continue
		}

		seen[m.key] = true
		var refused *LinkError
		if _, err := d.source(ctx, m, 0); errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

// unlimitedSource returns the dimension of the source without bound, -1 if there is none.
func (m *mapping) unlimitedSource() int {
	return slices.IndexFunc(m.source, hyperslab.Axis.Unlimited)
}

// grow sets the extents of dimensions without bound.

func (d *Dataset) grow(ctx context.Context) error {
	shape := slices.Clone(d.space.Shape)
	grown := make([]int64, len(shape))
	least := make([]int64, len(shape))
	grows := make([]bool, len(shape))
	for i := range d.virtual.maps {
		m := &d.virtual.maps[i]
		for k, a := range m.target {
			if k != m.grows {
				least[k] = max(least[k], a.End())
			}
		}

		if m.grows < 0 {
			continue
		}

		n, err := d.extentOf(ctx, m)
		if err != nil {
			return err
		}

		grows[m.grows] = true
		grown[m.grows] = max(grown[m.grows], n)
	}
	for k := range shape {
		if !grows[k] {
			continue
		}
		shape[k] = max(grown[k], least[k])
		if most := d.space.Max[k]; most != format.None {
			shape[k] = min(shape[k], most)
		}
	}

	d.shape = append(shape, d.shape[len(shape):]...)
	d.space.Shape = d.shape[:len(shape):len(shape)]
	return checkItems(d.shape, int64(d.dtype.Size()))
}

// extentOf returns the extent that a mapping without bound gives its dimension.
func (d *Dataset) extentOf(ctx context.Context, m *mapping) (int64, error) {
	axis := m.target[m.grows]
	if !m.blocks {
		src, err := d.source(ctx, m, 0)
		if src == nil {
			return 0, err
		}

		k := m.unlimitedSource()
		if k >= len(src.space.Shape) {
			return 0, m.misfit(src)
		}
		return axis.Covering(m.source[k].Before(src.space.Shape[k])), nil
	}

	end := int64(0)
	for block := range int64(mostBlocks) {
		src, err := d.source(ctx, m, block)
		if src == nil {
			return end, err
		}
		end = axis.BlockAt(block).End()
	}
	return 0, fmt.Errorf("more than %d sources %q: %w", mostBlocks, m.file, cairn.ErrLimit)
}

// fillItem returns the fill value as an item of the dtype.
func (d *Dataset) fillItem(ctx context.Context) ([]byte, error) {
	fill := make([]byte, d.dtype.Size())
	if d.fill == nil {
		return fill, nil
	}
	if d.convert == nil {
		copy(fill, d.fill)
		return fill, nil
	}
	return fill, d.convert.run(ctx, d.heap, fill, d.fill)
}

// numbered returns a name with the number of a block in it: for each %b.
func numbered(name string, block int64) string {
	return strings.NewReplacer("%%", "%", "%b", strconv.FormatInt(block, 10)).Replace(name)
}

// source opens the source of a mapping, or of a block of it; nil if there is none.
func (d *Dataset) source(ctx context.Context, m *mapping, block int64) (*Dataset, error) {
	if left, ok := ctx.Value(budgetKey{}).(*atomic.Int64); ok && left.Add(-1) < 0 {
		return nil, fmt.Errorf("more than %d sources of a virtual dataset: %w", mostSources, cairn.ErrLimit)
	}

	name := [2]string{m.file, m.key}
	if m.blocks {
		name = [2]string{numbered(m.file, block), numbered(m.key, block)}
	}

	v := d.virtual
	v.mu.Lock()
	src, ok := v.sources[name]
	v.mu.Unlock()
	if ok {
		return src, nil
	}

	src, err := d.openSource(ctx, name[0], name[1])
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, cairn.ErrNotFound) {
		src = nil
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if src != nil && !src.dtype.Equal(d.dtype) {
		if _, ok := swapped(src, d); !ok {
			return nil, unsupported("a virtual dataset of dtype %v with items of %q, whose dtype is %v", d.dtype, name[1], src.dtype)
		}
	}

	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.sources) >= keptSources {
		clear(v.sources)
	}
	v.sources[name] = src
	return src, nil
}

func (d *Dataset) openSource(ctx context.Context, file, key string) (*Dataset, error) {
	in := d.file
	if file != "." {
		var err error
		if in, err = d.file.other(file, key, true); err != nil {
			return nil, err
		}
	}
	return in.dataset(ctx, key, d.depth+1)
}

// misfit returns the error for a source that does not have what is selected.
func (m *mapping) misfit(src *Dataset) error {
	return fmt.Errorf("source %q in %q: its shape %v does not have the items of the virtual dataset: %w",
		m.key, m.file, src.shape, cairn.ErrBounds)
}
