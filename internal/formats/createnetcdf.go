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
	n := &netcdfWriting{Writing: w, format: format, root: &netcdf.Group{}, stored: map[string]*hdf5.DatasetOptions{},
		changes: map[string]*classicChange{}}
	n.groups = map[string]*netcdf.Group{"/": n.root}
	n.origin = originOf(w.Origin)
	n.groupsAndTypes()
	var keys []string
	for _, key := range n.origin.sorted(w.Keys) {
		err := n.add(ctx, key)
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
	n.sortDimensions()
	if format != netcdf.NetCDF4 {
		n.fixDimensions()
	}
	f, err := netcdf.Create(w.Path, n.root, &netcdf.CreateOptions{Format: format, Overwrite: w.Overwrite, Workers: w.Workers,
		Checked: w.Checked,
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
	format  netcdf.Format
	root    *netcdf.Group
	groups  map[string]*netcdf.Group
	origin  *origin
	stored  map[string]*hdf5.DatasetOptions // by key of the variable
	changes map[string]*classicChange       // of items that the format has no type for, by key
}

// add adds the variable that an array becomes.
func (n *netcdfWriting) add(ctx context.Context, key string) error {
	src, done, err := n.Open(key)
	if err != nil {
		return err
	}
	defer done()
	labels, err := ndarray.LabelsOf(src)
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

	v := &netcdf.Variable{Name: path.Base(name)}
	width, attributes, err := n.typed(ctx, key, v, src, labels.Attributes)
	if err != nil {
		return err
	}
	if err := n.place(path.Dir(name), v, src.Shape(), labels, width); err != nil {
		return err
	}
	n.describe(ctx, key, v, attributes, width > 0)

	if n.format == netcdf.NetCDF4 && width == 0 {
		if n.stored[name], err = n.chunksOf(ctx, src, key, labels, netcdfKeeps); err != nil {
			return err
		}
	}
	g := n.group(path.Dir(name))
	g.Variables = append(g.Variables, v)
	return nil
}

// typed gives a variable its type. It returns the attributes that say what the items are, and the
// bytes of a text, or 0 unless items are texts of chars.
func (n *netcdfWriting) typed(ctx context.Context, key string, v *netcdf.Variable, src ndarray.Source,
	attributes meta.Map) (width int64, all meta.Map, err error) {
	items, more, err := netcdfItems(src)
	if err != nil {
		return 0, nil, err
	}
	for _, p := range more {
		attributes = withAttribute(attributes, p.Key.(string), p.Value)
	}
	if v.Type = n.ownType(key, items.DType()); v.Type != nil {
		return 0, attributes, nil
	}
	if v.Type, err = netcdf.TypeOf(items.DType()); err != nil {
		return 0, nil, err
	}

	if v.Type.Check(n.format) == nil {
		if size := items.DType().Size(); v.Type.Name == "char" && size > 1 {
			width = int64(size)
		}
		return width, attributes, nil
	}
	c, err := changeOf(ctx, v.Type, items, attributes)
	if err != nil {
		return 0, nil, fmt.Errorf("variable %q: %w", v.Name, err)
	}
	n.changes[key] = c
	v.Type = c.to
	return c.width, c.attributes, nil
}

// place gives a variable its dimensions. The last one has the bytes of texts, unless width is 0.
func (n *netcdfWriting) place(group string, v *netcdf.Variable, shape ndarray.Shape, labels ndarray.Labels,
	width int64) error {
	dims := slices.Clone(labels.Dims)
	grows := n.mayGrow(shape, labels)
	if dims == nil {
		dims = make([]string, len(shape))
	}
	if width > 0 {
		dims = append(dims, fmt.Sprintf("string%d", width))
		shape = append(shape, width)
	}

	for d, length := range shape {
		if dims[d] == "" {
			dims[d] = fmt.Sprintf("%s_dim_%d", v.Name, d)
		}
		unlimited := d < len(grows) && grows[d] < 0
		dim, err := n.dimension(n.origin.home(group, dims[d]), dims[d], length, unlimited)
		if err != nil {
			return err
		}
		v.Dimensions = append(v.Dimensions, dim)
	}
	return nil
}

// describe gives a variable those of the attributes that the format has a form for.
func (n *netcdfWriting) describe(ctx context.Context, key string, v *netcdf.Variable, attributes meta.Map, isText bool) {
	for _, p := range attributes {
		a := netcdf.Attribute{Name: fmt.Sprint(p.Key), Value: p.Value}
		typed, ok := n.origin.netcdfAttribute(ctx, key, a.Name, a.Value)
		switch {
		case cf.MarksMissing(a.Name) && isText:
			n.LeftOut(key, a.Name, fmt.Errorf("a mark of a char, where items are texts: %w", cairn.ErrUnsupported))
			continue
		case ok && a.Name != cf.FillValue && typed.Check(v.Type, n.format) == nil:
			a = typed
		case cf.MarksMissing(a.Name):
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
}

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
func (n *netcdfWriting) dimension(group, name string, length int64, unlimited bool) (*netcdf.Dimension, error) {
	if err := netcdf.CheckName(name); err != nil {
		return nil, err
	}
	for at := group; ; at = path.Dir(at) {
		if g := n.groups[at]; g != nil {
			i := slices.IndexFunc(g.Dimensions, func(d *netcdf.Dimension) bool { return d.Name == name })
			switch {
			case i >= 0 && g.Dimensions[i].Len == length:
				g.Dimensions[i].Unlimited = g.Dimensions[i].Unlimited || unlimited
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

	d := &netcdf.Dimension{Name: name, Len: length, Unlimited: unlimited}
	if length == 0 && !unlimited && n.format != netcdf.NetCDF4 {
		return nil, fmt.Errorf("the dimension %q has no items: %w", name, cairn.ErrUnsupported)
	}
	g := n.group(group)
	g.Dimensions = append(g.Dimensions, d)
	return d, nil
}

// fixDimensions leaves a classic file the only unlimited dimension that it can have: one that is
// the first of all its variables.
func (n *netcdfWriting) fixDimensions() {
	inner := map[*netcdf.Dimension]bool{}
	for _, v := range n.root.Variables {
		for _, d := range v.Dimensions[min(1, len(v.Dimensions)):] {
			inner[d] = true
		}
	}

	found := false
	for _, d := range n.root.Dimensions {
		d.Unlimited = d.Unlimited && !inner[d] && !found
		found = found || d.Unlimited
	}
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
			if typed, ok := n.origin.netcdfAttribute(ctx, key, a.Name, a.Value); ok && typed.Check(nil, n.format) == nil {
				a = typed
			}
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
	if c := n.changes[key]; err == nil && c != nil {
		items = c.of(items)
	}
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

// A timeUnit is a unit of NumPy's times.
type timeUnit struct {
	code, word string
	nanos      int64
}

// timeUnits are those that NetCDF has too, the longest first.
var timeUnits = []timeUnit{{"D", "days", 24 * 3600e9}, {"h", "hours", 3600e9}, {"m", "minutes", 60e9}, {"s", "seconds", 1e9},
	{"ms", "milliseconds", 1e6}, {"us", "microseconds", 1e3}, {"ns", "nanoseconds", 1}}

// netcdfItems returns items that NetCDF has a type for, and attributes that say what they are: for
// times and for bools, as xarray writes them.
func netcdfItems(src ndarray.Source) (ndarray.Source, meta.Map, error) {
	d := src.DType()
	unit, count := d.Unit()
	word := ""
	for _, u := range timeUnits {
		if u.code == unit {
			word = u.word
		}
	}
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
	// xarray has no longer units in memory, and takes only what says so for durations.
	if slices.Contains([]string{"D", "h", "m"}, unit) {
		unit = "s"
	}
	about := meta.Map{{Key: "units", Value: word}, {Key: "dtype", Value: "timedelta64[" + unit + "]"}}
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
