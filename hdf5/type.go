package hdf5

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/ndarray"
)

// A Class is a kind of datatype.
type Class uint8

// The kinds of datatypes, with their numbers in files.
const (
	IntegerType   Class = Class(format.Fixed)
	FloatType     Class = Class(format.Float)
	TimeType      Class = Class(format.Time)
	StringType    Class = Class(format.String)
	BitfieldType  Class = Class(format.Bitfield)
	OpaqueType    Class = Class(format.OpaqueBytes)
	CompoundType  Class = Class(format.Compound)
	ReferenceType Class = Class(format.Reference)
	EnumType      Class = Class(format.Enum)
	VariableType  Class = Class(format.Variable) // a sequence or text of variable length
	ArrayType     Class = Class(format.Array)
	ComplexType   Class = Class(format.Complex)
)

// A Type is a datatype as the file has it.
type Type struct {
	Class  Class
	Size   int64 // bytes in the file
	Signed bool  // of an integer
	Text   bool  // of variable length
	Shape  []int64
	Base   *Type // of an enum, a sequence or an array
	// the fields of a compound, or the names of an enum
	Members []Member
	text    string
	from    *format.Datatype // all of it, if it was read
}

// A Member is a field of a compound, or a name of an enum.
type Member struct {
	Name   string
	Offset int64 // of a field
	Type   *Type // of a field
	Value  int64 // of a name
}

// String describes the datatype in a few words.
func (t *Type) String() string { return t.text }

// typeOf returns a datatype for users.
func typeOf(d *format.Datatype) *Type {
	if d == nil {
		return nil
	}

	t := &Type{Class: Class(d.Class), Size: d.Size, Signed: d.Signed, Text: d.Text, Shape: slices.Clone(d.Shape),
		Base: typeOf(d.Base), text: d.String(), from: d}
	for i, m := range d.Members {
		member := Member{Name: m.Name, Offset: m.Offset, Type: typeOf(m.Type)}
		if d.Class == format.Enum {
			member.Value = integer(d.Values[int64(i)*d.Size:][:d.Size], d.Base)
		}
		t.Members = append(t.Members, member)
	}
	return t
}

// A Description is what is known of a dataset without opening it, or of a committed datatype.
type Description struct {
	Type     *Type
	Shape    ndarray.Shape // nil for a datatype, and for a dataset without a shape
	MaxShape ndarray.Shape // of the dimensions; -1 for one without bound
	Dataset  bool
}

// Describe describes a dataset or a committed datatype. It reads no items, as [File.Dataset] does
// of strings of variable length, and does not fail for datasets that cannot be read.
func (f *File) Describe(ctx context.Context, key string) (Description, error) {
	clean, in, o, err := f.find(ctx, key)
	if err != nil {
		return Description{}, err
	}

	fail := func(err error) (Description, error) {
		return Description{}, fmt.Errorf("%q: %w", clean, err)
	}

	if o.header.IsGroup() {
		return fail(fmt.Errorf("a group: %w", cairn.ErrNotFound))
	}

	r := in.format.In(ctx)
	of, err := r.Datatype(o.header)
	if err != nil {
		return fail(err)
	}

	d := Description{Type: typeOf(of), Dataset: o.header.IsDataset()}
	if !d.Dataset {
		return d, nil
	}

	space, err := r.Dataspace(o.header)
	if err != nil {
		return fail(err)
	}

	if !space.Null {
		d.Shape = append(ndarray.Shape{}, space.Shape...)
		d.MaxShape = append(ndarray.Shape{}, space.Max...)
	}
	return d, nil
}

// Types returns the keys of the datatypes that have been committed to a group, in the order of
// [File.Links]. Objects that cannot be read are left out, for they may be of another kind.
func (f *File) Types(ctx context.Context, group string) (keys []string, err error) {
	clean, in, o, err := f.find(ctx, group)
	if err != nil {
		return nil, err
	}

	for _, l := range o.links {
		if l.Kind != format.Hard {
			continue
		}
		child, err := in.object(ctx, l.Address)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue
		}

		if !child.header.IsGroup() && !child.header.IsDataset() {
			keys = append(keys, strings.TrimSuffix(clean, "/")+"/"+l.Name)
		}
	}
	return keys, nil
}
