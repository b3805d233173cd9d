// Package values reads arrays as the values that their items stand for: unpacked, and NaN where
// there is none. What stands for what, package cf tells.
package values

import (
	"sync"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Of returns the values of an array whose items have a meaning; nil means that of its labels. It is
// src itself if the items are the values.
func Of(src ndarray.Labelled, m *cf.Meaning) (ndarray.Labelled, error) {
	l, err := src.Labels()
	if err != nil {
		return nil, err
	}

	if m == nil {
		m = cf.Of(src.DType(), l.Attributes)
	}
	if m.Plain() {
		return src, nil
	}
	l.Attributes = m.ValueAttributes(l.Attributes)
	return &labelled{With(src, m), l}, nil
}

// With returns the values of items with a meaning. It is src itself if the items are the values.
func With(src ndarray.Source, m *cf.Meaning) ndarray.Source {
	switch {
	case m.Plain():
		return src
	case m.SameBytes():
		return &values{Source: src, dtype: m.Values}
	}
	v := &values{Source: src, dtype: m.Values, convert: m.Convert}
	v.marks, v.marked = m.Marks()
	return v
}

// Floats returns what a function makes of the items of a source, as floats of a dtype.
func Floats(src ndarray.Source, d meta.DType, convert func(dst []float64, items []byte)) ndarray.Source {
	return &values{Source: src, dtype: d, convert: convert}
}

// labelled are values with the labels that they have.
type labelled struct {
	ndarray.Source
	labels ndarray.Labels
}

func (l *labelled) Labels() (ndarray.Labels, error) { return l.labels, nil }

// values are those of the items of a source.
type values struct {
	ndarray.Source
	dtype   meta.DType
	convert func(dst []float64, items []byte) // nil if the bytes are the same
	idle    sync.Pool                         // of *[]byte

	marked bool      // the items are the values, except for marks
	marks  []float64 // those that are missing
	once   sync.Once
	table  table // of all items of few bits, once it is made
}

func (v *values) DType() meta.DType { return v.dtype }
