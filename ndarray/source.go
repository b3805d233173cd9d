package ndarray

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// A Source is an array to read from: an [Untyped], [Array], [UntypedView] or [View], or any other
// type with these methods. [ViewOf] makes a view of it, which can be sliced, joined and read as Go
// values. Any number of goroutines may call the methods.
//
// A source may have a method WrittenBoxes too, as datasets of package hdf5 do, so that statistics
// read only what has been written.
type Source interface {
	// Shape returns the number of items per dimension. The caller may change the slice.
	Shape() Shape
	// DType returns the dtype of the items.
	DType() meta.DType
	// Grid returns a box shape that is cheap to read at once, and the shape of the blocks that it
	// is made of. Both are nil if all boxes are equally cheap.
	Grid() (chunks, blocks Shape)
	// ReadBytes reads the items from start up to, not including, stop in each dimension into dst,
	// in C order, encoded as the dtype says. The coordinates are within the shape, start does not
	// exceed stop, and len(dst) is the box's size in bytes.
	ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error
}

// ViewOf returns a view of a whole source. Sources other than arrays and views of this package
// cannot be written through the view, and must not change while it is read.
func ViewOf(src Source) UntypedView {
	if ours, ok := src.(interface {
		asView(src Source) (UntypedView, bool)
	}); ok {
		if v, ok := ours.asView(src); ok {
			return v
		}
	}
	return foreignView(src)
}

// asView returns src as a view if it is an array of this package, and not a type that embeds one.
func (u *Untyped) asView(src Source) (UntypedView, bool) {
	_, ok := src.(*Untyped)
	return u.View(), ok
}

func (a Array[T]) asView(src Source) (UntypedView, bool) {
	_, ok := src.(Array[T])
	return a.Untyped.View(), ok
}

func (v UntypedView) asView(src Source) (UntypedView, bool) {
	_, ok := src.(UntypedView)
	return v, ok
}

func (v View[T]) asView(src Source) (UntypedView, bool) {
	_, ok := src.(View[T])
	return v.UntypedView, ok
}

// Grid returns the shapes of chunks and blocks in items, which the caller may change.
func (u *Untyped) Grid() (chunks, blocks Shape) { return u.chunkShape(), u.blockShape() }

// DType returns the dtype of the items. It is of kind 0 after an error, or if the dtype of the
// array is not understood.
func (v UntypedView) DType() meta.DType {
	if v.Err() != nil {
		return meta.DType{}
	}
	return v.of.dtype()
}

// Grid returns roughly how many items per dimension of the view a chunk and a block hold, or nil
// after an error.
func (v UntypedView) Grid() (chunks, blocks Shape) {
	if v.Err() != nil {
		return nil, nil
	}
	chunks, blocks = v.of.grid()
	return v.project(chunks), v.project(blocks)
}

// project returns the extents of an origin's chunks along the dimensions of the view.
func (v UntypedView) project(chunk Shape) Shape {
	if chunk == nil {
		return nil
	}
	own := make(Shape, len(v.sel.Dims))
	for k, dim := range v.sel.Dims {
		own[k] = 1
		if dim == selection.NewDim {
			continue
		}
		if own[k] = chunk[dim]; v.sel.Axes[dim].List == nil {
			step := v.sel.Axes[dim].Step
			own[k] = max(1, own[k]/max(step, -step, 1))
		}
	}
	return own
}

// Labels are the names of the dimensions of an array, and its attributes. They are kept in
// metalayers of variable length (docs/format/metalayers.md), and survive copies and conversions.
type Labels struct {
	Dims       []string // one per dimension, "" for one without a name; nil if there are none
	Attributes meta.Map // names and values, in order
}

// Labelled is a [Source] with labels. Copies of it are given them.
type Labelled interface {
	Source
	Labels() (Labels, error)
}

// Labels returns the labels, staged ones included. Attributes are also what other programs keep in
// metalayers of variable length as MessagePack, unless the name begins with "_" or "blosc2".
func (u *Untyped) Labels() (Labels, error) {
	u = u.self()
	values, err := u.labelLayers()
	if err != nil {
		return Labels{}, err
	}
	dims, _ := values.Get(labels.Dims)
	return Labels{labels.DimsOf(dims, len(u.Shape())), labels.OfArray().Gather(values)}, nil
}

// labelLayers returns the metalayers with labels, decoded.
func (u *handleCore) labelLayers() (values meta.Map, err error) {
	if errors.Is(u.without, cairn.ErrClosed) {
		return nil, u.without
	}
	layers, err := u.frame.VLLayers()
	if err != nil {
		return nil, u.inArray(err)
	}
	budget := meta.ValueBytes(u.engine.Limits)
	for _, layer := range layers {
		if !labels.Is(layer.Name) {
			continue
		}
		v, err := meta.UnpackWithin(layer.Content, &budget)
		if errors.Is(err, cairn.ErrLimit) {
			return nil, u.inArray(fmt.Errorf("metalayer %q: %w", layer.Name, err))
		}
		if err != nil {
			continue // bytes of another program
		}
		values = append(values, meta.Pair{Key: layer.Name, Value: v})
	}
	return values, nil
}

// SetLabels stages labels in place of those that the array has. Values are those that [meta.Pack]
// accepts. Items that _FillValue or missing_value declare as missing survive lossy codecs and
// filters if they are written later.
func (u *Untyped) SetLabels(l Labels) (err error) {
	u = u.self()
	defer u.noteFailure(&err)
	if l.Dims != nil && len(l.Dims) != len(u.Shape()) {
		return u.inArray(fmt.Errorf("%d names for %d dimensions: %w", len(l.Dims), len(u.Shape()), cairn.ErrBounds))
	}
	layers := labels.OfArray().Spread(l.Attributes)
	if l.Dims != nil {
		layers = append(layers, meta.Pair{Key: labels.Dims, Value: labels.Names(l.Dims)})
	}
	packed := make([][]byte, len(layers))
	for i, p := range layers {
		if packed[i], err = meta.Pack(p.Value); err != nil {
			return u.inArray(fmt.Errorf("attribute %q: %w", p.Key, err))
		}
	}
	old, err := u.labelLayers()
	if err != nil {
		return err
	}
	for _, p := range old {
		if err := u.frame.DeleteVL(p.Key.(string)); err != nil {
			return u.inArray(err)
		}
	}
	for i, p := range layers {
		if err := u.frame.SetVL(p.Key.(string), packed[i]); err != nil {
			return u.inArray(err)
		}
	}

	// Encoders that are made from now on know which items are missing.
	u.pool.clear()
	return nil
}

// SetAttribute stages an attribute, in place of the one of that name if there is one. Its value is
// anything that [meta.Pack] accepts: a number, a text, a list such as []float64, a map. It is among
// those of [Untyped.Labels], and in the vlmeta of python-blosc2: under its name, or, if that begins
// with "_" or "blosc2" or there are ten others already, in the map vlmeta["_attributes"].
func (u *Untyped) SetAttribute(name string, value any) error {
	return u.changeAttribute(name, func(layers meta.Map) error {
		if name == "" || name == labels.Dims || name == labels.Rest {
			return fmt.Errorf("this is no name of an attribute: %w", cairn.ErrInvalid)
		}
		changed := labels.OfArray().Put(layers, name, value)
		raw, err := meta.Pack(changed.Value)
		if err != nil {
			return err
		}
		return u.self().frame.SetVL(changed.Key.(string), raw)
	})
}

// DeleteAttribute stages the removal of an attribute. It fails with [cairn.ErrNotFound] if there is
// none of that name.
func (u *Untyped) DeleteAttribute(name string) error {
	return u.changeAttribute(name, func(layers meta.Map) error {
		layer, rest, ok := labels.OfArray().Drop(layers, name)
		switch {
		case !ok:
			return cairn.ErrNotFound
		case len(rest) == 0:
			return u.self().frame.DeleteVL(layer)
		}
		raw, err := meta.Pack(rest)
		if err != nil {
			return err
		}
		return u.self().frame.SetVL(layer, raw)
	})
}

// changeAttribute applies a change to the metalayer that has an attribute, given those there are.
func (u *Untyped) changeAttribute(name string, change func(layers meta.Map) error) (err error) {
	u = u.self()
	defer u.noteFailure(&err)
	if err := u.changeable(); err != nil {
		return err
	}

	// Attributes that share a metalayer must not be changed at the same time.
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	layers, err := u.labelLayers()
	if err != nil {
		return err
	}
	if err := change(layers); err != nil {
		return u.inArray(fmt.Errorf("attribute %q: %w", name, err))
	}

	// Encoders that are made from now on know which items are missing.
	u.pool.clear()
	return nil
}

// Labels returns the attributes of what the view shows, of the first array if there are several,
// and the names of those dimensions that the view has.
func (v UntypedView) Labels() (Labels, error) {
	if v.Err() != nil {
		return Labels{}, v.Err()
	}
	l, err := labelsOf(v.of)
	if err != nil || l.Dims == nil {
		return l, err
	}
	own := make([]string, len(v.sel.Dims))
	for k, dim := range v.sel.Dims {
		if dim != selection.NewDim && dim < len(l.Dims) {
			own[k] = l.Dims[dim]
		}
	}
	if l.Dims = own; !slices.ContainsFunc(own, func(name string) bool { return name != "" }) {
		l.Dims = nil
	}
	return l, nil
}

// labelsOf returns the labels of an origin.
func labelsOf(of origin) (Labels, error) {
	switch of := of.(type) {
	case arrayOrigin:
		return of.u.Labels()
	case sourceOrigin:
		if src, ok := of.src.(Labelled); ok {
			return src.Labels()
		}
	case *joinOrigin:
		return of.parts[0].Labels()
	case fieldOrigin:
		return labelsOf(of.origin)
	case byteSwapped:
		return labelsOf(of.origin)
	}
	return Labels{}, nil
}

// relabel gives a copy of a view the names of the dimensions that the view has, if the array whose
// metalayers it has been given has others.
func (v UntypedView) relabel(made *Untyped) error {
	have, err := made.Labels()
	if err != nil || !slices.Contains(made.frame.VLNames(), labels.Dims) {
		return err
	}
	want, err := v.Labels()
	if err != nil || slices.Equal(want.Dims, have.Dims) && want.Dims != nil {
		return err
	}
	have.Dims = want.Dims
	return made.SetLabels(have)
}
