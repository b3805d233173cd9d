package hdf5

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// An Attribute is a small array that belongs to a group or a dataset.
type Attribute struct {
	Name string
	// Value is what the attribute holds: a value for a scalar, else a list []any for each
	// dimension. Integers are int64 or, if they exceed that, uint64, other numbers float64, bools
	// bool, text string, other bytes []byte, compounds [meta.Map], references the key of the object
	// or nil, sequences of variable length []any. Text that is not UTF-8 is taken for Latin-1.
	Value any
	// DType and Data are the items as those of a dataset; the zero DType and nil if a dataset of
	// that datatype could not be read.
	DType meta.DType
	Data  []byte
	Shape ndarray.Shape // nil if there are no items nor a shape (a null dataspace)
	// Variable says that the file has text of variable length, which DType does not show.
	Variable bool
	Datatype string // in a few words
	Type     *Type  // nil if it cannot be read
	Err      error  // why there is no Value, or nil
}

// Attributes returns the attributes of a group or a dataset that have a value, as an [ndarray.Tree]
// does: those of [Dataset.Labels] for a dataset. [File.AllAttributes] has more of them.
func (f *File) Attributes(ctx context.Context, key string) (meta.Map, error) {
	list, err := f.AllAttributes(ctx, key)
	return valuesOf(list), err
}

// AllAttributes returns the attributes of a group or a dataset in the order of the file: that of
// their creation where the file has recorded it. The caller may change the slice, but not what is
// in it. An attribute that cannot be read has an Err.
func (f *File) AllAttributes(ctx context.Context, key string) ([]Attribute, error) {
	clean, in, o, err := f.find(ctx, key)
	if err != nil {
		return nil, err
	}

	list, err := in.attributes(ctx, o.header)
	if err != nil {
		return nil, fmt.Errorf("attributes of %q: %w", clean, err)
	}
	return list, nil
}

func (f *File) attributes(ctx context.Context, h *format.Header) ([]Attribute, error) {
	stored, err := f.format.In(ctx).Attributes(h)
	if err != nil {
		return nil, err
	}

	v := f.values(ctx)
	list := make([]Attribute, len(stored))
	for i := range stored {
		a := &list[i]
		*a = Attribute{Name: stored[i].Name, Err: stored[i].Err}
		if a.Err == nil {
			a.Err = v.read(a, &stored[i])
		}
		if a.Err != nil {
			a.Err = fmt.Errorf("attribute %q: %w", a.Name, a.Err)
		}
	}

	return list, ctx.Err()
}

// Attribute returns an attribute of a group or a dataset, and whether it has one of that name.
func (f *File) Attribute(ctx context.Context, key, name string) (Attribute, bool, error) {
	list, err := f.AllAttributes(ctx, key)
	if i := slices.IndexFunc(list, func(a Attribute) bool { return a.Name == name }); i >= 0 {
		return list[i], true, err
	}
	return Attribute{}, false, err
}
