package hdf5

import (
	"context"
	"path"
	"slices"

	"github.com/cairn-go/cairn/internal/cf/labels"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Attributes by which dimension scales are attached to datasets (HDF5 Dimension Scale
// Specification), and those that netCDF-4 adds.
const (
	attrClass  = "CLASS"
	attrName   = "NAME"
	attrScales = "DIMENSION_LIST"
	attrNames  = "DIMENSION_LABELS"
	attrUsers  = "REFERENCE_LIST"

	scaleClass = "DIMENSION_SCALE"
)

// Labels implements [ndarray.Labelled]: it returns the names of the dimensions, the attributes with
// their values (see [Attribute]), and how far it may grow. A dimension has the name of its first
// scale in the file, or else its label; a scale of one dimension has its own name. The attributes
// that say so are left out, and those without a value.
func (d *Dataset) Labels() (ndarray.Labels, error) {
	list, err := d.file.attributes(context.Background(), d.header)
	if err != nil {
		return ndarray.Labels{}, err
	}

	var l ndarray.Labels
	values := map[string]any{}
	for _, a := range list {
		values[a.Name] = a.Value
	}

	l.Attributes = valuesOf(list)
	l.Dims = d.dimensions(values)
	l.MaxShape = d.growth()
	return l, nil
}

// growth returns how far the dataset may grow, or nil if it may not.
func (d *Dataset) growth() ndarray.Shape {
	n := len(d.space.Max)
	if n == 0 || slices.Equal(d.space.Max, d.shape[:n]) {
		return nil
	}
	return slices.Concat(d.space.Max, d.shape[n:]) // the rest is of items that are arrays
}

// valuesOf returns the values of attributes, without those that say how scales are attached.
func valuesOf(list []Attribute) (m meta.Map) {
	isScale := slices.ContainsFunc(list, func(a Attribute) bool { return a.Name == attrClass && a.Value == scaleClass })
	for _, a := range list {
		switch a.Name {
		case attrScales, attrNames, attrUsers:
			continue
		case attrClass, attrName:
			if isScale {
				continue
			}
		}
		if a.Value != nil {
			m = append(m, meta.Pair{Key: labels.Readable(a.Name), Value: a.Value})
		}
	}
	return m
}

// dimensions returns the names of the dimensions, nil if there are none.
func (d *Dataset) dimensions(values map[string]any) []string {
	isScale := values[attrClass] == scaleClass
	scales, _ := values[attrScales].([]any)
	own, _ := values[attrNames].([]any)
	names := make([]string, len(d.shape))
	found := false

	for i := range names {
		if i < len(scales) {
			if list, _ := scales[i].([]any); len(list) > 0 {
				if key, ok := list[0].(string); ok {
					names[i] = labels.Readable(path.Base(key))
				}
			}
		}

		if names[i] == "" && i < len(own) {
			label, _ := own[i].(string)
			names[i] = labels.Readable(label)
		}
		found = found || names[i] != ""
	}

	if !found && isScale && len(names) == 1 {
		return []string{labels.Readable(path.Base(d.key))}
	}
	if !found {
		return nil
	}
	return names
}
