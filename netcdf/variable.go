package netcdf

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/strided"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Variable is an array of a file, as an [ndarray.Source]. Any number of goroutines may read it
// while the file is open. The caller must not change its fields.
type Variable struct {
	Name       string
	Type       *Type
	Dimensions []*Dimension
	Attributes []Attribute

	group *Group
	load  func(ctx context.Context) (items, error)
}

var _ ndarray.Labelled = (*Variable)(nil)

// items are the items of a variable.
type items interface {
	dtype() meta.DType
	// grid returns what Grid of a variable does.
	grid(shape ndarray.Shape) (chunks, blocks ndarray.Shape)
	// readBox reads a box that lies within the shape and has items.
	readBox(ctx context.Context, dst []byte, start, stop []int64) error
}

// Key returns the path of the variable from the root, such as "/t2m".
func (v *Variable) Key() string { return path.Join(v.group.Key(), v.Name) }

// Shape implements [ndarray.Source].
func (v *Variable) Shape() ndarray.Shape {
	shape := make(ndarray.Shape, len(v.Dimensions))
	for d, dim := range v.Dimensions {
		shape[d] = dim.Len
	}
	return shape
}

// DType implements [ndarray.Source]. Items of the classic formats are big-endian; chars are S1.
// The dtype is the zero one if the items cannot be read; [File.Variable] returns an error then.
func (v *Variable) DType() meta.DType {
	items, err := v.load(context.Background())
	if err != nil {
		return meta.DType{}
	}
	return items.dtype()
}

// Grid implements [ndarray.Source]: it returns the shape of chunks, or of boxes of up to 1 MiB that
// lie in one piece in the file.
func (v *Variable) Grid() (chunks, blocks ndarray.Shape) {
	items, err := v.load(context.Background())
	if err != nil {
		return nil, nil
	}
	return items.grid(v.Shape())
}

// Dataset returns the dataset that a variable of a NetCDF-4 file is, and nil for the classic
// formats and if it cannot be read. It may have fewer items than the variable.
func (v *Variable) Dataset(ctx context.Context) *hdf5.Dataset {
	items, err := v.load(ctx)
	if err != nil {
		return nil
	}

	d, ok := items.(*datasetItems)
	if !ok {
		return nil
	}
	return d.Dataset
}

// Sequences is [hdf5.Dataset.Sequences] of a variable of a NetCDF-4 file; of others it reports
// false.
func (v *Variable) Sequences() bool { return v.Type.Class == VLen }

// WrittenBoxes is [hdf5.Dataset.WrittenBoxes] of a variable of a NetCDF-4 file; of others it
// reports false.
func (v *Variable) WrittenBoxes(ctx context.Context) (starts [][]int64, shape []int64, ok bool, err error) {
	d := v.Dataset(ctx)
	if d == nil || !slices.Equal(d.Shape(), v.Shape()) {
		return nil, nil, false, nil
	}
	return d.WrittenBoxes(ctx)
}

// StoredChunks is [hdf5.Dataset.StoredChunks] of a variable of a NetCDF-4 file; of others it
// returns nil.
func (v *Variable) StoredChunks(ctx context.Context) (*chunked.Stored, error) {
	d := v.Dataset(ctx)
	if d == nil || !slices.Equal(d.Shape(), v.Shape()) {
		return nil, nil
	}
	return d.StoredChunks(ctx)
}

// Labels implements [ndarray.Labelled]: it returns the names of the dimensions, the attributes, and
// which dimensions are unlimited. Texts that are not UTF-8 are taken for Latin-1. There is no
// error.
func (v *Variable) Labels() (ndarray.Labels, error) {
	l := ndarray.Labels{Attributes: described(v.Attributes)}
	for _, d := range v.Dimensions {
		l.Dims = append(l.Dims, labels.Readable(d.Name))
	}
	if !slices.ContainsFunc(v.Dimensions, func(d *Dimension) bool { return d.Unlimited }) {
		return l, nil
	}

	l.MaxShape = v.Shape()
	for i, d := range v.Dimensions {
		if d.Unlimited {
			l.MaxShape[i] = -1
		}
	}
	return l, nil
}

// ReadBytes implements [ndarray.Source]. Boxes outside of the variable are an error that matches
// [cairn.ErrBounds], items beyond the end of the file one that matches [cairn.ErrCorrupt] and
// [io.ErrUnexpectedEOF].
func (v *Variable) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	items, err := v.load(ctx)
	if err != nil {
		return fmt.Errorf("variable %q: %w", v.Key(), err)
	}
	if err := grid.CheckBuffer(v.Shape(), start, stop, items.dtype().Size(), len(dst)); err != nil {
		return fmt.Errorf("variable %q: %w", v.Key(), err)
	}
	if len(dst) == 0 {
		return nil
	}

	if err := items.readBox(ctx, dst, start, stop); err != nil {
		return fmt.Errorf("variable %q: %w", v.Key(), err)
	}
	return nil
}

// stridedItems lie at constant distances in the file.
type stridedItems struct {
	file   strided.File
	layout strided.Layout
	dt     meta.DType

	workers int // goroutines of a read
}

func (s *stridedItems) dtype() meta.DType { return s.dt }

func (s *stridedItems) readBox(ctx context.Context, dst []byte, start, stop []int64) error {
	return s.file.ReadBoxBy(ctx, parallel.WorkersIn(ctx, s.workers), dst, s.layout, start, stop)
}

// gridBytes is the size of the boxes that grid proposes.
const gridBytes = 1 << 20

func (s *stridedItems) grid(shape ndarray.Shape) (chunks, blocks ndarray.Shape) {
	chunks = make(ndarray.Shape, len(shape))
	room := max(1, gridBytes/s.layout.Item)

	for d := len(chunks) - 1; d >= 0; d-- {
		chunks[d] = max(1, min(shape[d], room))
		room = max(1, room/chunks[d])
		if chunks[d] < shape[d] {
			room = 1
		}
	}
	return chunks, slices.Clone(chunks)
}
