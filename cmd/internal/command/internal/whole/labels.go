package whole

import (
	"slices"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Dims returns the names of the dimensions of an array; nil if they have none.
func Dims(src ndarray.Source) []string {
	l, err := ndarray.LabelsOf(src)
	if err != nil {
		return nil
	}
	return l.Dims
}

// Without returns an array whose attributes do not name others that are gone.
func Without(src ndarray.Source, gone func(name string) bool) (ndarray.Source, error) {
	l, err := ndarray.LabelsOf(src)
	if err != nil || !slices.ContainsFunc(cf.References(l.Attributes), func(r cf.Reference) bool { return gone(r.Name) }) {
		return src, err
	}
	return withAttributes(src, cf.Without(l.Attributes, gone))
}

// WithUnits returns bounds with the units of the coordinates that they are for.
func WithUnits(bounds, of ndarray.Source) (ndarray.Source, error) {
	l, err := ndarray.LabelsOf(of)
	if err != nil {
		return nil, err
	}
	own, err := ndarray.LabelsOf(bounds)
	if err != nil {
		return nil, err
	}
	return withAttributes(bounds, cf.WithUnitsOf(own.Attributes, l.Attributes))
}

// WithoutUnits returns bounds without the units that they need not have, and had not.
func WithoutUnits(bounds ndarray.Source, had meta.Map) (ndarray.Source, error) {
	l, err := ndarray.LabelsOf(bounds)
	if err != nil {
		return nil, err
	}
	return withAttributes(bounds, cf.WithoutUnits(l.Attributes, had))
}

func withAttributes(src ndarray.Source, attributes meta.Map) (ndarray.Source, error) {
	l, err := ndarray.LabelsOf(src)
	l.Attributes = attributes
	return &relabelled{src, l}, err
}

// relabelled is a source with other labels.
type relabelled struct {
	ndarray.Source
	labels ndarray.Labels
}

func (r *relabelled) Labels() (ndarray.Labels, error) { return r.labels, nil }
