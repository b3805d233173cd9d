package formats

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// How dimensions become scales of an HDF5 file, as in NetCDF-4: the array with the name of a
// dimension is its scale for the arrays in its group and below. A dimension without such an array
// gets a dataset without items of interest, which says so, if the file can be taken for one of
// NetCDF-4. Programs that know scales take an array with some and without others for damaged, so it
// has all or none: then its dimensions have labels.

// bareScale is the name of a scale that is not an array, with the length of the dimension.
const bareScale = "This is a netCDF dimension but not a netCDF variable.%10d"

// A scaling is which scales the arrays of a file have.
type scaling struct {
	arrays map[string]*scaledArray // by name
	bare   map[string]*hdf5.DatasetOptions
	length map[string]int64 // of bare scales
}

type scaledArray struct {
	shape  ndarray.Shape
	labels ndarray.Labels
	grows  ndarray.Shape
	scale  bool // of its own name
	used   bool
	scales []string // by dimension
}

// scaling decides on the scales of the arrays.
func (w *hdf5Writing) scaling(ctx context.Context) *scaling {
	s := &scaling{arrays: map[string]*scaledArray{}, bare: map[string]*hdf5.DatasetOptions{}, length: map[string]int64{}}
	mayBeBare := true // the file is the same if it is taken for one of NetCDF
	for _, key := range w.Keys {
		name := w.nameOf(key)
		src, done, err := w.Open(key)
		if err != nil {
			continue // as whoever writes it will find
		}
		a := &scaledArray{shape: slices.Clone(src.Shape())}
		dtype := src.DType()
		a.labels, err = ndarray.LabelsOf(src)
		if t, _ := w.origin.items(ctx, key, src); t != nil && !slices.Contains(netcdfClasses, t.Class) {
			mayBeBare = false
		}
		_ = done()
		if _, unwritten := hdf5.TypeOf(dtype); err != nil || unwritten != nil || hdf5Key(name) != nil {
			continue
		}

		mayBeBare = mayBeBare && inNetCDF(dtype)
		a.grows = w.mayGrow(a.shape, a.labels)
		dims := a.labels.Dims
		a.scale = len(a.shape) == 1 && (len(dims) == 0 || dims[0] == "" || dims[0] == path.Base(name))
		s.arrays[name] = a
	}

	for s.attachAll(mayBeBare) && mayBeBare {
		mayBeBare = false
		clear(s.bare)
		clear(s.length)
	}
	return s
}

// attachAll decides on the scales of all arrays. It reports whether dimensions are left without.
func (s *scaling) attachAll(mayBeBare bool) (left bool) {
	for _, a := range s.arrays {
		a.used = false
		a.scales = nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.arrays)) {
		a := s.arrays[name]
		own := a.scale && slices.Equal(a.labels.Dims, []string{path.Base(name)})
		if len(a.shape) == 0 || own {
			continue
		}
		if len(a.labels.Dims) == len(a.shape) && !a.scale {
			s.attach(name, mayBeBare)
		}
		left = left || a.scales == nil
	}
	return left
}

// netcdfClasses are those of datatypes that NetCDF-4 has without a name.
var netcdfClasses = []hdf5.Class{hdf5.IntegerType, hdf5.FloatType, hdf5.StringType, hdf5.VariableType}

// inNetCDF reports whether items of a dtype are the same in a file that is taken for one of
// NetCDF-4, as those with bare scales are.
func inNetCDF(d meta.DType) bool {
	return !d.IsStruct() && slices.Contains([]byte("iufUS"), d.Kind()) && d.String()[1:] != "f2"
}

// attach decides on the scales of an array.
func (s *scaling) attach(name string, mayBeBare bool) {
	a := s.arrays[name]
	scales := make([]string, len(a.shape))
	var missing []int
	for d, dim := range a.labels.Dims {
		scales[d] = s.find(path.Dir(name), dim, a.shape[d])
		if scales[d] == "" {
			missing = append(missing, d)
		}
	}

	for _, d := range missing {
		dim := a.labels.Dims[d]
		key := path.Join(path.Dir(name), dim)
		length, again := s.length[key]
		if dim == "" || !mayBeBare || s.taken(key) || again && length != a.shape[d] || hdf5Key(key) != nil ||
			path.Base(key) != dim {
			return
		}
		scales[d] = key
	}

	for _, d := range missing {
		s.length[scales[d]] = a.shape[d]
		if s.bare[scales[d]] == nil {
			s.bare[scales[d]] = &hdf5.DatasetOptions{Type: &hdf5.Type{Class: hdf5.FloatType, Size: 4},
				Scale: fmt.Sprintf(bareScale, a.shape[d])}
		}
		if a.grows != nil && a.grows[d] < 0 {
			s.bare[scales[d]].MaxShape = ndarray.Shape{-1}
			s.bare[scales[d]].Chunks = ndarray.Shape{1024}
		}
	}
	for _, key := range scales {
		if of := s.arrays[key]; of != nil {
			of.used = true
		}
	}
	a.scales = scales
}

// makeBare makes the scales that are no arrays. Programs that do not show these know them by what
// the file says of its conventions.
func (s *scaling) makeBare(f *hdf5.Writer) error {
	if len(s.bare) == 0 {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.bare)) {
		if err := f.Dataset(key, ndarray.Shape{s.length[key]}, s.bare[key]); err != nil {
			return err
		}
	}
	return f.Group("/", []hdf5.Attribute{{Name: "_NCProperties", Value: "version=2,cairn=1"}})
}

// find returns the scale of a dimension in a group or around it, or "".
func (s *scaling) find(group, dim string, length int64) string {
	if dim == "" || path.Base(path.Join("/", dim)) != dim {
		return ""
	}
	for {
		key := path.Join(group, dim)
		if a := s.arrays[key]; a != nil && a.scale && a.shape[0] == length {
			return key
		}
		if n, ok := s.length[key]; ok && n == length {
			return key
		}
		if group == "/" {
			return ""
		}
		group = path.Dir(group)
	}
}

// taken reports whether an array or a group around one has a key.
func (s *scaling) taken(key string) bool {
	for name := range s.arrays {
		for at := name; at != "/"; at = path.Dir(at) {
			if at == key {
				return true
			}
		}
	}
	return false
}

// give gives an array what makes it a scale, or its scales, or labels.
func (s *scaling) give(name string, o *hdf5.DatasetOptions, labels ndarray.Labels) {
	switch a := s.arrays[name]; {
	case a != nil && (a.used || a.scale && slices.Equal(labels.Dims, []string{path.Base(name)})):
		o.Scale = path.Base(name)
	case a != nil && a.scales != nil:
		o.Scales = a.scales
	case slices.ContainsFunc(labels.Dims, func(name string) bool { return name != "" }):
		o.Attributes = append(o.Attributes, hdf5.Attribute{Name: "DIMENSION_LABELS", Value: labels.Dims})
	}
}
