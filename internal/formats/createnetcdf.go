package formats

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

func createNetCDF4(ctx context.Context, w *Writing) error {
	return createNetCDF(ctx, w, netcdf.NetCDF4)
}

func createNetCDF3(ctx context.Context, w *Writing) error {
	return createNetCDF(ctx, w, netcdf.Offset64)
}

// createNetCDF writes arrays as the variables of a NetCDF file.
func createNetCDF(ctx context.Context, w *Writing, format netcdf.Format) error {
	n := &netcdfWriting{Writing: w, format: format, root: &netcdf.Group{}, stored: map[string]*hdf5.DatasetOptions{}}
	n.groups = map[string]*netcdf.Group{"/": n.root}
	var keys []string
	for _, key := range w.Keys {
		err := n.add(key)
		if errors.Is(err, cairn.ErrUnsupported) {
			if err = w.Skip(key, err); err == nil {
				continue
			}
		}
		if err != nil {
			return OfKey(key, err)
		}
		keys = append(keys, key)
	}

	if err := n.groupAttributes(ctx); err != nil {
		return err
	}
	f, err := netcdf.Create(w.Path, n.root, &netcdf.CreateOptions{Format: format, Overwrite: w.Overwrite, Workers: w.Workers,
		Dataset: func(key string, _ *netcdf.Variable) *hdf5.DatasetOptions { return n.stored[key] }})
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := n.put(ctx, f, key); err != nil {
			return errors.Join(OfKey(key, err), f.Abort())
		}
	}
	return f.Close()
}

// A netcdfWriting is what a NetCDF file is to have.
type netcdfWriting struct {
	*Writing
	format netcdf.Format
	root   *netcdf.Group
	groups map[string]*netcdf.Group
	stored map[string]*hdf5.DatasetOptions // by key of the variable
}

// add adds the variable that an array becomes.
func (n *netcdfWriting) add(key string) error {
	src, done, err := n.Open(key)
	if err != nil {
		return err
	}
	defer done()
	labels, err := labelsOf(src)
	if err != nil {
		return err
	}

	name := n.nameOf(key)
	if err := netcdfKey(name); err != nil {
		return err
	}
	if n.format != netcdf.NetCDF4 && path.Dir(name) != "/" {
		return fmt.Errorf("a classic NetCDF file has no groups: %w", cairn.ErrUnsupported)
	}
	items, more, err := netcdfItems(src)
	if err != nil {
		return err
	}
	v := &netcdf.Variable{Name: path.Base(name)}
	if v.Type, err = netcdf.TypeOf(items.DType()); err != nil {
		return err
	}
	if err := v.Type.Check(n.format); err != nil {
		return err
	}

	dims := slices.Clone(labels.Dims)
	if dims == nil {
		dims = make([]string, len(src.Shape()))
	}
	shape := src.Shape()
	if width := charsOf(items.DType()); v.Type.Name == "char" && width > 1 {
		dims = append(dims, fmt.Sprintf("string%d", width))
		shape = append(shape, width)
	}
	for d, length := range shape {
		if dims[d] == "" {
			dims[d] = fmt.Sprintf("%s_dim_%d", v.Name, d)
		}
		dim, err := n.dimension(path.Dir(name), dims[d], length)
		if err != nil {
			return err
		}
		v.Dimensions = append(v.Dimensions, dim)
	}

	for _, p := range append(slices.Clone(labels.Attributes), more...) {
		a := netcdf.Attribute{Name: fmt.Sprint(p.Key), Value: p.Value}
		if cf.MarksMissing(a.Name) {
			a.Type = v.Type // as the conventions have it
			if a.Check(v.Type, n.format) != nil && a.Name != cf.FillValue {
				a.Type = nil
			}
		}
		if err := a.Check(v.Type, n.format); err != nil {
			n.LeftOut(key, a.Name, Plain(err))
			continue
		}
		v.Attributes = append(v.Attributes, a)
	}

	if n.format == netcdf.NetCDF4 && len(shape) == len(src.Shape()) {
		n.stored[name] = n.chunksOf(src, key)
	}
	g := n.group(path.Dir(name))
	g.Variables = append(g.Variables, v)
	return nil
}

// charsOf returns the bytes of an item.
func charsOf(d meta.DType) int64 { return int64(d.Size()) }

// group returns the group of a key, which it makes if necessary.
func (n *netcdfWriting) group(key string) *netcdf.Group {
	g := n.groups[key]
	if g == nil {
		g = &netcdf.Group{Name: path.Base(key)}
		n.groups[key] = g
		around := n.group(path.Dir(key))
		around.Groups = append(around.Groups, g)
	}
	return g
}

// dimension returns the dimension of a name in a group or around it. Where another one has that
// name, there is one of the group.
func (n *netcdfWriting) dimension(group, name string, length int64) (*netcdf.Dimension, error) {
	if err := netcdf.CheckName(name); err != nil {
		return nil, err
	}
	for at := group; ; at = path.Dir(at) {
		if g := n.groups[at]; g != nil {
			i := slices.IndexFunc(g.Dimensions, func(d *netcdf.Dimension) bool { return d.Name == name })
			switch {
			case i >= 0 && g.Dimensions[i].Len == length:
				return g.Dimensions[i], nil
			case i >= 0 && at == group:
				return nil, fmt.Errorf("the dimension %q has %d items here, and %d in another array: %w", name, length,
					g.Dimensions[i].Len, cairn.ErrUnsupported)
			case i >= 0:
				at = "/" // one of the group hides it
			}
		}
		if at == "/" {
			break
		}
	}

	d := &netcdf.Dimension{Name: name, Len: length}
	if length == 0 && n.format != netcdf.NetCDF4 {
		return nil, fmt.Errorf("the dimension %q has no items: %w", name, cairn.ErrUnsupported)
	}
	g := n.group(group)
	g.Dimensions = append(g.Dimensions, d)
	return d, nil
}

// groupAttributes adds the attributes of groups.
func (n *netcdfWriting) groupAttributes(ctx context.Context) error {
	return n.eachGroup(ctx, netcdfKey, func(key string, attributes meta.Map) error {
		key = Key(key)
		if n.format != netcdf.NetCDF4 && key != "/" {
			return nil // it has nothing that is written
		}
		for _, p := range attributes {
			a := netcdf.Attribute{Name: fmt.Sprint(p.Key), Value: p.Value}
			if err := a.Check(nil, n.format); err != nil {
				n.LeftOut(key, a.Name, Plain(err))
				continue
			}
			g := n.group(key)
			g.Attributes = append(g.Attributes, a)
		}
		return nil
	})
}

// put writes the items of an array.
func (n *netcdfWriting) put(ctx context.Context, f *netcdf.Writer, key string) error {
	src, done, err := n.Open(key)
	if err != nil {
		return err
	}
	items, _, err := netcdfItems(src)
	if err == nil {
		err = f.Put(ctx, n.nameOf(key), items)
	}
	if err == nil {
		n.Progress(bytesOf(src))
	}
	return errors.Join(err, done())
}

// netcdfKey returns an error unless a NetCDF file may have a variable or a group of a key.
func netcdfKey(key string) error {
	for name := range strings.SplitSeq(strings.Trim(key, "/"), "/") {
		if err := netcdf.CheckName(name); err != nil {
			return err
		}
	}
	return nil
}

// timeUnits are the words for units of NumPy's times.
var timeUnits = map[string]string{"D": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds",
	"us": "microseconds", "ns": "nanoseconds"}

// netcdfItems returns items that NetCDF has a type for, and attributes that say what they are: for
// times and for bools, as xarray writes them.
func netcdfItems(src ndarray.Source) (ndarray.Source, meta.Map, error) {
	d := src.DType()
	unit, count := d.Unit()
	word := timeUnits[unit]
	switch {
	case unit == "":
		if _, err := netcdf.TypeOf(d); err == nil && d.String() == "|b1" {
			return src, meta.Map{{Key: "dtype", Value: "bool"}}, nil
		}
		return src, nil, nil
	case word == "" || count != 1:
		return nil, nil, fmt.Errorf("times of dtype %v in NetCDF: %w", d, cairn.ErrUnsupported)
	}

	text := d.String()
	numbers, err := meta.ParseDType(text[:1] + "i8")
	if err != nil {
		return nil, nil, err
	}
	about := meta.Map{{Key: "units", Value: word}}
	if strings.HasPrefix(text[1:], "M") {
		about = meta.Map{{Key: "units", Value: word + " since 1970-01-01"}, {Key: "calendar", Value: "proleptic_gregorian"}}
	}
	return &retyped{src, numbers}, about, nil
}

// retyped are items of another dtype of the same size.
type retyped struct {
	ndarray.Source
	dtype meta.DType
}

func (r *retyped) DType() meta.DType { return r.dtype }
