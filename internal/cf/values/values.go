// Package values reads arrays as the values that their items stand for: unpacked, and NaN where
// there is none. What stands for what, package cf tells.
package values

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
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
	return &values{Source: src, dtype: m.Values, convert: m.Convert}
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
}

func (v *values) DType() meta.DType { return v.dtype }

// ReadBytes reads items to the end of dst, so that values do not overwrite those that are still to
// be converted; to other memory if items are longer than values.
func (v *values) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if v.convert == nil {
		return v.Source.ReadBytes(ctx, dst, start, stop)
	}

	size := v.Source.DType().Size()
	wide := v.dtype.Size()
	n := 1
	for d := range start {
		n *= int(stop[d] - start[d])
	}
	if len(dst) != n*wide {
		return fmt.Errorf("%d bytes for %d values: %w", len(dst), n, cairn.ErrBounds)
	}

	items := dst[max(0, len(dst)-n*size):]
	if size > wide {
		buf, ok := v.idle.Get().(*[]byte)
		if !ok {
			buf = new([]byte)
		}
		defer v.idle.Put(buf)
		*buf = fresh.Grow((*buf)[:0], n*size)[:n*size]
		items = *buf
	}

	if err := v.Source.ReadBytes(ctx, items, start, stop); err != nil {
		return err
	}

	var part [1 << 10]float64
	for len(items) > 0 {
		n := min(len(part), len(items)/size)
		v.convert(part[:n], items[:n*size])
		items = items[n*size:]
		dst = put(dst, wide, part[:n])
	}
	return nil
}

// put encodes values as little-endian floats at the beginning of dst, and returns the rest of it.
func put(dst []byte, size int, values []float64) []byte {
	for i, v := range values {
		switch size {
		case 2:
			binary.LittleEndian.PutUint16(dst[2*i:], govalue.RoundFloat16(v))
		case 4:
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(float32(v)))
		default:
			binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(v))
		}
	}
	return dst[size*len(values):]
}
