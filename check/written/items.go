package main

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// codes are dtypes by the names of types, without the byte order.
var codes = map[string]string{"byte": "i1", "char": "S1", "short": "i2", "int": "i4", "float": "f4", "double": "f8",
	"ubyte": "u1", "ushort": "u2", "uint": "u4", "int64": "i8", "uint64": "u8"}

// items are an array in memory, of any dtype.
type items struct {
	shape, chunks ndarray.Shape
	dtype         meta.DType
	data          []byte
}

func (s *items) Shape() ndarray.Shape { return slices.Clone(s.shape) }

func (s *items) DType() meta.DType { return s.dtype }

func (s *items) Grid() (chunks, blocks ndarray.Shape) { return s.chunks, s.chunks }

// ReadBytes implements [ndarray.Source].
func (s *items) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	at := slices.Clone(start)
	size := s.dtype.Size()
	for len(dst) > 0 {
		number := int64(0)
		for d, n := range s.shape {
			number = number*n + at[d]
		}
		dst = dst[copy(dst, s.data[number*int64(size):][:size]):]
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < stop[d] {
				break
			}
			at[d] = start[d]
		}
	}
	return nil
}

// drawItems draws the items of a variable, and returns them in little-endian order too.
func drawItems(rng *rand.Rand, v *netcdf.Variable) (ndarray.Source, []byte) {
	if v.Type.Name == "string" || v.Type.Class != netcdf.Atomic {
		return nil, nil
	}
	order := "<"
	if rng.IntN(2) == 0 {
		order = ">"
	}
	d, err := meta.ParseDType(order + codes[v.Type.Name])
	if err != nil {
		panic(err)
	}

	s := &items{shape: v.Shape(), dtype: d}
	n := int64(d.Size())
	for _, extent := range s.shape {
		n *= extent
		s.chunks = append(s.chunks, max(1, min(extent, 1+rng.Int64N(5))))
	}
	s.data = make([]byte, n)
	for i := range s.data {
		s.data[i] = byte(rng.Uint32())
		if v.Type.Name == "char" {
			s.data[i] = "abc xyz\x00"[s.data[i]%8]
		}
	}

	little := slices.Clone(s.data)
	if size := d.Size(); order == ">" {
		for rest := little; len(rest) > 0; rest = rest[size:] {
			slices.Reverse(rest[:size])
		}
	}
	return s, little
}

// littleValues returns the values of an attribute as little-endian bytes.
func littleValues(a netcdf.Attribute) (b []byte) {
	list, ok := a.Value.([]any)
	if !ok {
		list = []any{a.Value}
	}

	for _, v := range list {
		var all [8]byte
		switch v := v.(type) {
		case int64:
			binary.LittleEndian.PutUint64(all[:], uint64(v))
		case uint64:
			binary.LittleEndian.PutUint64(all[:], v)
		case float32:
			binary.LittleEndian.PutUint32(all[:], math.Float32bits(v))
		case float64:
			binary.LittleEndian.PutUint64(all[:], math.Float64bits(v))
		}
		b = append(b, all[:a.Type.Size]...)
	}
	return b
}
