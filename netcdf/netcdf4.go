package netcdf

// A NetCDF-4 file is an HDF5 file with conventions:
//
//   - A dimension is a dimension scale: a dataset with the attribute CLASS of DIMENSION_SCALE. If
//     its attribute NAME begins as bareDimension does, it is not a variable as well. An unlimited
//     one is as long as the longest variable along it; items that a variable lacks have its fill
//     value.
//   - _Netcdf4Dimid is the number of a dimension, which is also the order of dimensions.
//   - The dimensions of a variable are those of its attribute _Netcdf4Coordinates, numbers; or else
//     itself if it is a scale; or else those of DIMENSION_LIST, references.
//   - A variable that shares its name with a dimension of which it has no coordinates is called
//     _nc4_non_coord_NAME.
//   - Types that the file defines are committed datatypes. A variable has the type that equals its
//     datatype.
//   - Text of one byte per item is char, other text string. A single text of fixed length is an
//     attribute of type char.
//
// Datasets without scales have dimensions that the netCDF library calls phony_dim_N: for each
// length one, or more if a variable has it repeatedly.
//
// Source: The NetCDF-4 Format, and, where it is silent, what the netCDF library 4.9 makes of files.

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/ndarray"
)

const (
	bareDimension = "This is a netCDF dimension but not a netCDF variable"
	nonCoordinate = "_nc4_non_coord_"

	attrProperties  = "_NCProperties"
	attrNumber      = "_Netcdf4Dimid"
	attrCoordinates = "_Netcdf4Coordinates"
	attrClass       = "CLASS"
	attrName        = "NAME"
	attrScales      = "DIMENSION_LIST"

	scaleClass = "DIMENSION_SCALE"
)

// hidden are the attributes that the netCDF library does not show.
var hidden = []string{attrProperties, attrNumber, attrCoordinates, attrClass, attrName, attrScales, "REFERENCE_LIST",
	"_nc3_strict", "_NCCOPY"}

// Follows reports whether an HDF5 file follows the conventions of NetCDF-4: it says so, or has
// dimensions as the netCDF library writes them in its root.
func Follows(ctx context.Context, f *hdf5.File) bool {
	if _, ok, _ := f.Attribute(ctx, "/", attrProperties); ok {
		return true
	}

	nodes, err := f.Children(ctx, "/")
	return err == nil && slices.ContainsFunc(nodes, func(n ndarray.Node) bool {
		if n.Kind != ndarray.ArrayNode && n.Kind != ndarray.DamagedNode {
			return false
		}
		_, numbered, _ := f.Attribute(ctx, n.Key, attrNumber)
		name, _, _ := f.Attribute(ctx, n.Key, attrName)
		text, _ := name.Value.(string)
		return numbered || strings.HasPrefix(text, bareDimension)
	})
}

// OfHDF5 returns an HDF5 file as a NetCDF-4 file. Closing that closes f.
func OfHDF5(ctx context.Context, f *hdf5.File) (*File, error) {
	r := &reader4{ctx: ctx, file: f, scales: map[string]*Dimension{}, numbers: map[int64]*Dimension{},
		damaged: map[string]error{}, unread: map[string]error{}, lost: map[string]*Group{}}
	root, err := r.group(nil, "/")
	if err != nil {
		return nil, err
	}

	r.complete(root)
	made := &File{format: NetCDF4, root: root, closer: f, damaged: r.damaged, unread: r.unread}
	return made, made.index()
}

// A reader4 reads the tree of a NetCDF-4 file.
type reader4 struct {
	ctx     context.Context
	file    *hdf5.File
	scales  map[string]*Dimension // by the key of the dataset
	numbers map[int64]*Dimension
	types   []namedType
	next    int64 // number of a dimension that has none
	phony   int   // names of phony dimensions
	pending []*variable4
	damaged map[string]error  // why objects cannot be read, by key
	unread  map[string]error  // why variables have no items that can be read, by key
	lost    map[string]*Group // that have such datasets, by the key of the dataset
}

// A variable4 is a variable whose dimensions and type are not known yet.
type variable4 struct {
	*Variable
	key         string // of the dataset
	shape, most []int64
	scale       *Dimension // that it is
	lists       []any      // DIMENSION_LIST
	coordinates []any      // _Netcdf4Coordinates
	datatype    *hdf5.Type
}

// spoilt notes that an object cannot be read. What else is in the file can be. It returns the error
// for the root, without which there is nothing, and that of the context.
func (r *reader4) spoilt(key string, err error) error {
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	if err != nil && key == "/" {
		return err
	}
	if err != nil {
		r.damaged[key] = err
	}
	return nil
}

// group reads a group and those in it.
func (r *reader4) group(parent *Group, key string) (*Group, error) {
	g := &Group{parent: parent}
	if parent != nil {
		g.Name = path.Base(key)
	}

	// Damage is noted, and does not keep what is in the group from being read.
	attributes, err := r.file.AllAttributes(r.ctx, key)
	if err := r.spoilt(key, err); err != nil {
		return nil, err
	}
	if err := r.spoilt(key, r.readTypes(g, key)); err != nil {
		return nil, err
	}
	g.Attributes = r.visible(attributes)

	children, err := r.members(key)
	if err != nil {
		return nil, err
	}

	var groups []string
	for _, n := range children {
		child := n.Key
		if n.Kind == ndarray.GroupNode {
			groups = append(groups, child)
			continue
		}

		name := strings.TrimPrefix(path.Base(child), nonCoordinate)
		err := r.dataset(g, child)
		switch {
		case err != nil:
			r.lost[child] = g
		case n.Kind == ndarray.DamagedNode:
			// It has a type and dimensions, which is all that the header shows.
			r.unread[path.Join(g.Key(), name)] = n.Err
		}
		if err := r.spoilt(path.Join(g.Key(), name), err); err != nil {
			return nil, err
		}
	}

	for _, child := range groups {
		inner, err := r.group(g, child)
		if err != nil {
			return nil, err
		}
		g.Groups = append(g.Groups, inner)
	}
	return g, nil
}

// members returns the groups and datasets in a group, and what may be one, in the order of the
// file.
func (r *reader4) members(group string) ([]ndarray.Node, error) {
	nodes, err := r.file.Children(r.ctx, group)
	if err != nil {
		return nil, err
	}
	links, err := r.file.Links(r.ctx, group)
	if err != nil {
		return nil, err
	}

	order := make(map[string]int, len(links))
	for i, l := range links {
		order[l.Name] = i
	}
	nodes = slices.DeleteFunc(nodes, func(n ndarray.Node) bool {
		return n.Kind == ndarray.LinkNode || n.Kind == ndarray.OtherNode
	})

	slices.SortStableFunc(nodes, func(a, b ndarray.Node) int { return order[path.Base(a.Key)] - order[path.Base(b.Key)] })
	return nodes, nil
}

// dataset adds the dimension and the variable that a dataset is.
func (r *reader4) dataset(g *Group, key string) error {
	d, err := r.file.Describe(r.ctx, key)
	if err != nil {
		return err
	}
	attributes, err := r.file.AllAttributes(r.ctx, key)
	if err != nil {
		return err
	}

	values := map[string]any{}
	for _, a := range attributes {
		values[a.Name] = a.Value
	}

	v := &variable4{Variable: &Variable{Name: strings.TrimPrefix(path.Base(key), nonCoordinate), group: g}, key: key,
		shape: d.Shape, most: d.MaxShape, datatype: d.Type}
	for v.datatype.Class == hdf5.ArrayType {
		v.shape = append(v.shape, v.datatype.Shape...)
		v.most = append(v.most, v.datatype.Shape...)
		v.datatype = v.datatype.Base
	}

	if values[attrClass] == scaleClass && len(d.Shape) > 0 {
		v.scale = r.dimension(g, path.Base(key), values, d)
		r.scales[key] = v.scale
		if name, _ := values[attrName].(string); strings.HasPrefix(name, bareDimension) {
			if v.scale.Unlimited { // it is as long as its variables
				v.scale.Len = 0
			}
			return nil
		}
	}

	v.lists, _ = values[attrScales].([]any)
	v.coordinates = listOf(values[attrCoordinates])
	v.Attributes = r.visible(attributes)
	v.load = r.opener(v)

	g.Variables = append(g.Variables, v.Variable)
	r.pending = append(r.pending, v)
	return nil
}

// listOf returns a list, or a value as a list of one.
func listOf(v any) []any {
	if list, ok := v.([]any); ok || v == nil {
		return list
	}
	return []any{v}
}

// dimension adds the dimension that a scale is.
func (r *reader4) dimension(g *Group, name string, values map[string]any, d hdf5.Description) *Dimension {
	dim := &Dimension{Name: name, Len: d.Shape[0], Unlimited: d.MaxShape[0] < 0, group: g}

	number := listOf(values[attrNumber])
	if n, ok := first[int64](number); ok {
		dim.number = n
	} else {
		dim.number = r.next
	}

	r.next = max(r.next, dim.number) + 1
	if _, taken := r.numbers[dim.number]; !taken {
		r.numbers[dim.number] = dim
	}

	g.Dimensions = append(g.Dimensions, dim)
	return dim
}

// first returns the first element of a list if that has a type.
func first[T any](list []any) (v T, ok bool) {
	if len(list) > 0 {
		v, ok = list[0].(T)
	}
	return v, ok
}

// complete sets the types and dimensions of variables, those of inner groups first.
func (r *reader4) complete(root *Group) {
	for _, v := range r.pending {
		v.Type = r.typ(v.datatype)
	}

	slices.SortStableFunc(r.pending, func(a, b *variable4) int { return depth(b.group) - depth(a.group) })
	for _, v := range r.pending {
		// The dimensions of a variable.
		dims := make([]*Dimension, len(v.shape))
		for d := range dims {
			dim := r.scaleOf(v, d)
			if dim == nil || !dim.Unlimited && dim.Len != v.shape[d] {
				dim = r.phonyDimension(v, dims[:d], d)
			}
			dims[d] = dim
		}
		v.Dimensions = dims
	}

	for _, v := range r.pending {
		for d, dim := range v.Dimensions {
			if dim.Unlimited {
				dim.Len = max(dim.Len, v.shape[d])
			}
		}
	}

	for _, v := range r.pending {
		if n, ok := grid.Product(append([]int64{max(8, v.datatype.Size)}, v.Shape()...)); !ok || n > mostBytes {
			g := v.group
			g.Variables = slices.DeleteFunc(g.Variables, func(other *Variable) bool { return other == v.Variable })
			r.damaged[v.Key()] = cairn.Corruptf("NetCDF-4 file", -1, "shape %v is larger than any file", v.Shape())
		}
	}

	sortDimensions(root)
}

// mostBytes bounds the size of a variable, so that sums of several do not overflow.
const mostBytes = 1 << 60

func depth(g *Group) (n int) {
	for ; g.parent != nil; g = g.parent {
		n++
	}
	return n
}

func sortDimensions(g *Group) {
	slices.SortStableFunc(g.Dimensions, func(a, b *Dimension) int { return int(min(1, max(-1, a.number-b.number))) })
	for _, inner := range g.Groups {
		sortDimensions(inner)
	}
}

// scaleOf returns the dimension that the file gives a variable, or nil.
func (r *reader4) scaleOf(v *variable4, d int) *Dimension {
	if len(v.coordinates) == len(v.shape) {
		if n, ok := v.coordinates[d].(int64); ok && r.numbers[n] != nil {
			return r.numbers[n]
		}
	}

	if v.scale != nil && d == 0 {
		return v.scale
	}

	if d < len(v.lists) {
		if key, ok := first[string](listOf(v.lists[d])); ok {
			// The dimension of a dataset to which dimension d of a variable refers. If that is
			// damaged, its name and the variable tell what it was.
			g := r.lost[key]
			if g == nil || r.scales[key] != nil {
				return r.scales[key]
			}

			dim := &Dimension{Name: path.Base(key), Len: v.shape[d], Unlimited: v.most[d] < 0, group: g, number: r.next}
			r.next++
			r.scales[key] = dim
			g.Dimensions = append(g.Dimensions, dim)
			return dim
		}
	}
	return nil
}

// phonyDimension returns a dimension for a length without a scale, which the variable has not used
// yet.
func (r *reader4) phonyDimension(v *variable4, used []*Dimension, d int) *Dimension {
	unlimited := v.most[d] < 0
	for _, dim := range v.group.Dimensions {
		if dim.Len == v.shape[d] && dim.Unlimited == unlimited && !slices.Contains(used, dim) {
			return dim
		}
	}

	dim := &Dimension{Name: fmt.Sprintf("phony_dim_%d", r.phony), Len: v.shape[d], Unlimited: unlimited, group: v.group,
		number: r.next}
	r.phony++
	r.next++
	v.group.Dimensions = append(v.group.Dimensions, dim)
	return dim
}
