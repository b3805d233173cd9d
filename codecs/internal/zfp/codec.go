package zfp

import (
	"fmt"

	cairn "github.com/cairn-go/cairn"
)

const layer = "zfp stream"

// A Codec encodes and decodes blocks of one shape. It owns its scratch memory and must not be used
// concurrently.
type Codec struct {
	single *machine[int32]
	double *machine[int64]
	small  bool // some side of the block is shorter than a cell
}

// New returns a codec for blocks of numbers of typeSize bytes, 4 for float32 and 8 for float64. The
// shape is in items, slowest dimension first. parameter is the codec parameter of the chunk header;
// C-Blosc2 reads it as a decimal exponent from -128 to 127 (Accuracy), the planes beyond those that
// the transform needs (Precision), or a percentage of the decoded size (Rate). New fails with an
// error matching cairn.ErrUnsupported for other sizes of items, and for more than four dimensions
// or none.
func New(m Mode, parameter uint8, shape []int32, typeSize int) (*Codec, error) {
	if typeSize != 4 && typeSize != 8 {
		return nil, fmt.Errorf("zfp: items of %d bytes, must be float32 or float64: %w", typeSize, cairn.ErrUnsupported)
	}
	if len(shape) == 0 || len(shape) > maxDims {
		return nil, fmt.Errorf("zfp: blocks of shape %v, must have 1 to %d dimensions: %w", shape, maxDims, cairn.ErrUnsupported)
	}
	f, small, err := fieldOf(shape, typeSize)
	if err != nil {
		return nil, err
	}

	c := &Codec{small: small}
	b := boundsOf(m, parameter, f.dims, typeSize)
	if typeSize == 4 {
		c.single = &machine[int32]{field: f, bounds: b}
	} else {
		c.double = &machine[int64]{field: f, bounds: b}
	}
	return c, nil
}

// Small reports whether a side of the block is shorter than a cell. C-Blosc2 decodes such blocks
// but does not encode them.
func (c *Codec) Small() bool { return c.small }

// Encode encodes src, which is one block, into dst and returns the number of bytes written, or 0 if
// src does not have the size of a block or the stream does not fit.
func (c *Codec) Encode(dst, src []byte) int {
	if c.single != nil {
		return c.single.encode(dst, src)
	}
	return c.double.encode(dst, src)
}

// Decode fills dst, which must have the size of a block, from src.
func (c *Codec) Decode(dst, src []byte) error {
	if n := c.size(); n != len(dst) {
		return cairn.Corruptf(layer, -1, "blocks have %d bytes, their shape says %d", len(dst), n)
	}
	return c.decode(dst, src)
}

func (c *Codec) size() int {
	if c.single != nil {
		return c.single.field.size
	}
	return c.double.field.size
}

func (c *Codec) decode(dst, src []byte) error {
	if c.single != nil {
		return c.single.decode(dst, src)
	}
	return c.double.decode(dst, src)
}
