package netcdf

// What a new NetCDF-4 file has (its conventions are listed in netcdf4.go). The order of groups,
// dimensions and variables is that in which their objects are made.

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
)

// A new4 is a NetCDF-4 file that is being made.
type new4 struct {
	root  *Group
	scale map[*Dimension]*scale4
	vars  map[string]*Variable // by key
	paths map[string]string    // of the datasets of variables
	all   []object4
	w     *hdf5.Writer
}

// A scale4 is the dataset that a dimension is.
type scale4 struct {
	path   string
	number int64
}

// An object4 is a group, a type or a dataset of the file.
type object4 struct {
	path       string
	attributes []hdf5.Attribute
	isGroup    bool
	committed  *hdf5.Type
	shape      ndarray.Shape
	dataset    *hdf5.DatasetOptions
}

// properties is what the file says of its writer.
const properties = "version=2,cairn=1"

var int32Type = &hdf5.Type{Class: hdf5.IntegerType, Size: 4, Signed: true}

// plan4 lays out a file.
func plan4(root *Group, o *CreateOptions) (*new4, error) {
	n := &new4{root: root, scale: map[*Dimension]*scale4{}, vars: map[string]*Variable{}, paths: map[string]string{}}
	if o.Room != 0 {
		return nil, unsupported("room behind the header of a NetCDF-4 file")
	}
	if err := n.group(root, "/", map[string]bool{}); err != nil {
		return nil, err
	}
	return n, n.variables(root, "/", o)
}

// group plans a group, with its types and dimensions, and those in it. taken are the names of the
// groups beside it.
func (n *new4) group(g *Group, key string, taken map[string]bool) error {
	own := textAttribute(attrProperties, properties)
	if key != "/" {
		if err := checkName("group", g.Name, taken); err != nil {
			return err
		}
	}

	attributes, err := attributes4(g.Attributes, nil)
	if err != nil {
		return fmt.Errorf("group %q: %w", key, err)
	}
	if key == "/" {
		attributes = append([]hdf5.Attribute{own}, attributes...)
	}
	n.all = append(n.all, object4{path: key, attributes: attributes, isGroup: true})

	names := map[string]bool{}
	for _, t := range g.Types {
		d, err := t.HDF5()
		if err == nil {
			err = checkName("type", t.Name, names)
		}
		if err != nil {
			return fmt.Errorf("type %q: %w", t.Name, err)
		}
		n.all = append(n.all, object4{path: path.Join(key, t.Name), committed: d})
	}

	clear(names)
	for _, d := range g.Dimensions {
		if err := checkName("dimension", d.Name, names); err != nil {
			return err
		}
		if d.Len < 0 || n.scale[d] != nil {
			return fmt.Errorf("dimension %q of length %d, or twice: %w", d.Name, d.Len, cairn.ErrBounds)
		}
		n.scale[d] = &scale4{path: path.Join(key, d.Name), number: int64(len(n.scale))}
	}

	clear(names)
	for _, inner := range g.Groups {
		if err := n.group(inner, path.Join(key, inner.Name), names); err != nil {
			return err
		}
	}
	return nil
}

// variables plans the datasets of a group and of those in it.
func (n *new4) variables(g *Group, key string, o *CreateOptions) error {
	coordinates := func(d *Dimension) bool {
		return slices.ContainsFunc(g.Variables, func(v *Variable) bool {
			return v.Name == d.Name && len(v.Dimensions) > 0 && v.Dimensions[0] == d
		})
	}
	for _, d := range g.Dimensions {
		if !coordinates(d) {
			n.bare(d)
		}
	}

	names := map[string]bool{}
	for _, v := range g.Variables {
		if err := checkName("variable", v.Name, names); err != nil {
			return err
		}
		if err := n.variable(v, g, key, o); err != nil {
			return fmt.Errorf("variable %q: %w", path.Join(key, v.Name), err)
		}
	}
	for _, inner := range g.Groups {
		if err := n.variables(inner, path.Join(key, inner.Name), o); err != nil {
			return err
		}
	}
	return nil
}

// bare plans the dataset of a dimension that is no variable: it has no items.
func (n *new4) bare(d *Dimension) {
	s := n.scale[d]
	o := &hdf5.DatasetOptions{Type: &hdf5.Type{Class: hdf5.FloatType, Size: 4},
		Scale: fmt.Sprintf("%s.%10d", bareDimension, d.Len)}
	if d.Unlimited {
		o.MaxShape = ndarray.Shape{-1}
		o.Chunks = ndarray.Shape{1}
	}
	n.all = append(n.all, object4{path: s.path, shape: ndarray.Shape{d.Len}, dataset: o,
		attributes: []hdf5.Attribute{s.numbered()}})
}

// numbered returns the attribute that tells the number of a dimension.
func (s *scale4) numbered() hdf5.Attribute {
	return hdf5.Attribute{Name: attrNumber, Type: int32Type, Value: s.number}
}

// variable plans the dataset of a variable of a group.
func (n *new4) variable(v *Variable, g *Group, key string, o *CreateOptions) error {
	if v.Type == nil {
		return fmt.Errorf("no type: %w", cairn.ErrType)
	}
	t, err := v.Type.HDF5()
	if err != nil {
		return err
	}

	var d hdf5.DatasetOptions
	if o.Dataset != nil {
		if chosen := o.Dataset(path.Join(key, v.Name), v); chosen != nil {
			d.Chunks = chosen.Chunks
			d.Filters = chosen.Filters
			if v.Type == atomic[typeString] || v.Type.Class == VLen {
				d.Filters = nil // they see where items are, and the netCDF library has none there
			}
		}
	}
	d.Type = t
	if item := v.fillItem(); v.Type.Class == Atomic && v.Type.Size > 0 {
		slices.Reverse(item) // numbers are little-endian
		d.Fill = item
	}

	var scales []*scale4
	name := v.Name
	for i, dim := range v.Dimensions {
		s := n.scale[dim]
		if s == nil {
			return fmt.Errorf("dimension %q is none of the file: %w", dim.Name, cairn.ErrNotFound)
		}
		scales = append(scales, s)
		if dim.Unlimited && d.MaxShape == nil {
			d.MaxShape = v.Shape()
		}
		if dim.Unlimited {
			d.MaxShape[i] = -1
		}
	}

	object := object4{shape: v.Shape(), dataset: &d}
	isScale := false
	switch own := slices.IndexFunc(g.Dimensions, func(d *Dimension) bool { return d.Name == v.Name }); {
	case own >= 0 && len(v.Dimensions) > 0 && v.Dimensions[0] == g.Dimensions[own]:
		isScale = true
		d.Scale = v.Name
		object.attributes = []hdf5.Attribute{scales[0].numbered()}
	case own >= 0:
		name = nonCoordinate + v.Name
	}

	object.path = path.Join(key, name)
	n.vars[path.Join(key, v.Name)] = v
	n.paths[path.Join(key, v.Name)] = object.path
	object.attributes = append(object.attributes, attach(&d, isScale, scales)...)
	more, err := attributes4(v.Attributes, v.Type)
	object.attributes = append(object.attributes, more...)
	n.all = append(n.all, object)
	return err
}

// attach gives a dataset the scales of its dimensions. A scale has none but itself; if it has
// several dimensions, the attribute that is returned gives them by number.
func attach(d *hdf5.DatasetOptions, isScale bool, scales []*scale4) []hdf5.Attribute {
	var numbers []any
	for _, s := range scales {
		numbers = append(numbers, s.number)
		if !isScale {
			d.Scales = append(d.Scales, s.path)
		}
	}
	if isScale && len(scales) > 1 {
		return []hdf5.Attribute{{Name: attrCoordinates, Type: int32Type, Value: numbers}}
	}
	return nil
}

// textAttribute returns an attribute of type char.
func textAttribute(name, text string) hdf5.Attribute {
	a := hdf5.Attribute{Name: name, Type: &hdf5.Type{Class: hdf5.StringType, Size: int64(max(1, len(text)))}}
	if text != "" {
		a.Value = text
	}
	return a
}

// attributes4 returns attributes as HDF5 has them, those of a variable of a type or of a group.
func attributes4(list []Attribute, of *Type) (made []hdf5.Attribute, err error) {
	names := map[string]bool{}
	for i := range list {
		a := &list[i]
		if slices.Contains(hidden, a.Name) {
			return nil, unsupported("the attribute %q, which says how NetCDF-4 files are made", a.Name)
		}
		if err := checkName("attribute", a.Name, names); err != nil {
			return nil, err
		}

		h, err := a.HDF5(of)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		made = append(made, h)
	}
	return made, nil
}

// HDF5 returns an attribute as NetCDF-4 files have it: of a variable of a type, or of a group if
// that is nil.
func (a *Attribute) HDF5(of *Type) (hdf5.Attribute, error) {
	h := hdf5.Attribute{Name: a.Name}
	t, err := a.typed(of, true)
	if err != nil {
		return h, err
	}
	if text, ok := a.Value.(string); ok && t == atomic[typeChar] {
		return textAttribute(a.Name, text), nil
	}

	list := elements(a.Value)
	if t.Class == VLen && len(list) > 0 {
		if _, several := list[0].([]any); !several {
			list = []any{list}
		}
	}
	h.Value = list
	h.Type, err = t.HDF5()
	return h, err
}

// HDF5 returns the datatype that a type has in NetCDF-4 files.
func (t *Type) HDF5() (*hdf5.Type, error) {
	switch {
	case t.datatype != nil:
		return t.datatype, nil
	case t == atomic[typeString]:
		return &hdf5.Type{Class: hdf5.VariableType, Text: true}, nil
	case t == atomic[typeChar]:
		return &hdf5.Type{Class: hdf5.StringType, Size: 1}, nil

	case t.Class == Atomic && t.integer:
		return &hdf5.Type{Class: hdf5.IntegerType, Size: int64(t.Size), Signed: t.signed}, nil
	case t.Class == Atomic && t.number != nil:
		return &hdf5.Type{Class: hdf5.FloatType, Size: int64(t.Size)}, nil
	case t.Class == Opaque && t.Size > 0:
		return &hdf5.Type{Class: hdf5.OpaqueType, Size: int64(t.Size)}, nil
	case t.Class == Enum && t.Base != nil:
		return t.enum4()
	case t.Class == VLen && t.Base != nil:
		base, err := t.Base.HDF5()
		return &hdf5.Type{Class: hdf5.VariableType, Base: base}, err
	case t.Class == Compound:
		return t.compound4()
	}
	return nil, unsupported("writing the type %q", t.Name)
}

func (t *Type) enum4() (*hdf5.Type, error) {
	base, err := t.Base.HDF5()
	if err != nil {
		return nil, err
	}
	d := &hdf5.Type{Class: hdf5.EnumType, Base: base, Size: base.Size}
	for _, m := range t.Members {
		d.Members = append(d.Members, hdf5.Member{Name: m.Name, Value: m.Value})
	}
	return d, nil
}

// compound4 returns a compound whose fields lie one behind the other.
func (t *Type) compound4() (*hdf5.Type, error) {
	d := &hdf5.Type{Class: hdf5.CompoundType}
	for _, m := range t.Members {
		of, err := m.Type.HDF5()
		if err != nil {
			return nil, err
		}

		size := int64(m.Type.Size)
		if len(m.Shape) > 0 {
			of = &hdf5.Type{Class: hdf5.ArrayType, Base: of, Shape: m.Shape}
		}
		for _, n := range m.Shape {
			size *= n
		}
		if size <= 0 {
			return nil, unsupported("a compound with the field %q", m.Name)
		}
		d.Members = append(d.Members, hdf5.Member{Name: m.Name, Offset: d.Size, Type: of})
		d.Size += size
	}
	return d, nil
}

// begin makes all objects. Variables have no items yet.
func (n *new4) begin(path string, o *CreateOptions) error {
	w, err := hdf5.Create(path, &hdf5.CreateOptions{FS: o.FS, Overwrite: o.Overwrite, Workers: o.Workers, Memory: o.Memory,
		Checked:  o.Checked,
		Progress: o.Progress})
	if err != nil {
		return err
	}
	n.w = w

	for _, a := range n.all {
		switch {
		case a.isGroup:
			err = w.Group(a.path, a.attributes)
		case a.committed != nil:
			err = w.Commit(a.path, a.committed)
		default:
			a.dataset.Attributes = a.attributes
			err = w.Dataset(a.path, a.shape, a.dataset)
		}
		if err != nil {
			return fmt.Errorf("create %s: %w", path, errors.Join(err, w.Abort()))
		}
	}
	return nil
}

func (n *new4) put(ctx context.Context, key string, src ndarray.Source, _ *CreateOptions) error {
	v := n.vars[key]
	if v == nil {
		return cairn.ErrNotFound
	}
	if v.Type.Class == Atomic && v.Type != atomic[typeString] {
		in, err := inputOf(v, src, false)
		if err != nil {
			return err
		}
		src = &encoded{in, v}
		if in.same && in.src.DType().Equal(v.Type.little) {
			src = in.src
		}
	}
	return n.w.Put(ctx, n.paths[key], src, nil)
}

func (n *new4) finish(func(key string) bool) error { return nil }

func (n *new4) commit() error { return n.w.Close() }

func (n *new4) abort() error { return n.w.Abort() }
