package hdf5

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// How new files attach dimension scales to datasets (HDF5 Dimension Scale Specification): a dataset
// refers to its scales, and these refer to their users.

var (
	int32Type     = &Type{Class: IntegerType, Size: 4, Signed: true}
	referenceType = &Type{Class: ReferenceType, Size: 8}
	scalesType    = &Type{Class: VariableType, Base: referenceType}
	usersType     = &Type{Class: CompoundType, Size: 12, Members: []Member{
		{Name: "dataset", Type: referenceType}, {Name: "dimension", Offset: 8, Type: int32Type}}}
)

// mostUsers is the most users that a scale refers to: as many as an attribute has room for. Those
// who read a dataset do not need them.
const mostUsers = mostAttribute / 12

// attributes returns those that say what a dataset has to do with scales, and the others.
func (o *DatasetOptions) attributes(dims int) (all []Attribute, err error) {
	if o.Scale != "" {
		// The HDF5 library wants the zero byte.
		text := func(name, text string) Attribute {
			return Attribute{Name: name, Value: text, Type: &Type{Class: StringType, Size: int64(len(text) + 1)}}
		}
		all = append(all, text(attrClass, scaleClass), text(attrName, o.Scale))
	}

	if o.Scales != nil {
		if len(o.Scales) != dims || o.Scale != "" {
			return nil, fmt.Errorf("scales %q for %d dimensions, or of a scale: %w", o.Scales, dims, cairn.ErrBounds)
		}
		lists := make([]any, dims)
		for i, key := range o.Scales {
			lists[i] = []any{}
			if key != "" {
				lists[i] = []any{keyOf(key)}
			}
		}
		all = append(all, Attribute{Name: attrScales, Type: scalesType, Value: lists})
	}
	return append(all, o.Attributes...), nil
}

// attachScales lets scales refer to their users.
func (w *Writer) attachScales(objects []*newObject) error {
	users := map[*newObject][]any{}
	for _, o := range objects {
		for i, key := range o.scales {
			if key == "" {
				continue
			}
			scale, err := w.node(keyOf(key))
			if err != nil {
				return err
			}
			if scale == nil || !scale.isScale {
				return fmt.Errorf("%q: %q is no dimension scale: %w", o.key, key, cairn.ErrNotFound)
			}
			users[scale] = append(users[scale], meta.Map{{Key: "dataset", Value: o.key}, {Key: "dimension", Value: i}})
		}
	}

	for scale, list := range users {
		if len(list) > mostUsers {
			continue
		}
		made, err := planAttributes([]Attribute{{Name: attrUsers, Type: usersType, Value: list}})
		if err != nil {
			return fmt.Errorf("%q: %w", scale.key, err)
		}
		scale.attributes = append(scale.attributes, made...)
	}
	return nil
}
