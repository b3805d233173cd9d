// Package filterchain applies and undoes the filters of a pipeline.
package filterchain

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn/shuffle"
)

// rowPadding is the padding of planes that become separate streams: one cache line. Otherwise the
// planes of a power-of-two block would be a power of two apart and compete for the same sets of the
// cache.
const rowPadding = 64

// Chain is a [shuffle.Pipeline] with resolved filters. The zero value filters nothing. After Set a
// Chain may be used concurrently, with a separate [Scratch] for each goroutine.
type Chain struct {
	of    shuffle.Pipeline
	reg   *shuffle.Registry
	steps [shuffle.Slots]step // the slots with a filter, in order
	count int
	undo  int // number of steps that decoding undoes
	lossy bool
}

type step struct {
	row  shuffle.Row
	meta uint8
}

// Scratch is the memory for filtering a block: at most two buffers of the block's size plus padding
// (three for [Chain.Reference]). The zero value is ready to use. It grows to the size of the
// largest block and must not be used concurrently.
type Scratch struct {
	first, second, whole []byte
}

// Set makes c the chain of p, with built-in filters and those of reg (which may be nil). If a
// filter is in neither, the error matches [cairn.ErrUnsupported] and c becomes empty. Set does not
// check parameters; see [Chain.Validate].
func (c *Chain) Set(p shuffle.Pipeline, reg *shuffle.Registry) error {
	if c.of == p && c.reg == reg { // as for most consecutive chunks
		return nil
	}

	*c = Chain{}
	for _, spec := range p {
		if spec.ID == shuffle.IDNone {
			continue
		}
		row, err := reg.Lookup(spec.ID)
		if err != nil {
			*c = Chain{}
			return err
		}
		c.steps[c.count] = step{row, spec.Meta}
		c.count++
		if row.Backward != nil {
			c.undo++
		}
		c.lossy = c.lossy || row.Lossy
	}

	c.of = p
	c.reg = reg
	return nil
}

// Has reports whether the chain contains the filter.
func (c *Chain) Has(id shuffle.ID) bool {
	for i := range c.count {
		if c.steps[i].row.ID == id {
			return true
		}
	}
	return false
}

// Validate returns an error for the first filter whose parameter is invalid for ctx, such as
// trunc_prec for 2-byte items.
func (c *Chain) Validate(ctx *shuffle.Context) error {
	if err := check(ctx); err != nil {
		return err
	}

	for i := range c.count {
		st := &c.steps[i]
		if st.row.Check == nil {
			continue
		}
		if err := st.row.Check(st.meta, ctx); err != nil {
			return st.fail(err)
		}
	}
	return nil
}

var errTypeSize = errors.New("filters: type size is less than 1")

func check(ctx *shuffle.Context) error {
	if ctx.TypeSize < 1 {
		return errTypeSize
	}
	return nil
}

func (st *step) fail(err error) error {
	return fmt.Errorf("filter %d (%s): %w", st.row.ID, st.row.Name, err)
}

// Forward filters a block for a codec that compresses it as rows streams of len(src)/rows bytes
// each: stream k is out[k*pitch : k*pitch+len(src)/rows]. pitch exceeds the stream length if the
// last filter can leave padding between the streams. If rows does not divide len(src), the
// remaining bytes are in no stream, as in the format.
//
// src is never written. out belongs to s until its next use, or is src if the chain is empty. rows
// must be at least 1. Nothing is allocated once s has grown, provided that ctx is not a local
// variable of the caller (it escapes).
func (c *Chain) Forward(s *Scratch, src []byte, rows int, ctx *shuffle.Context) (out []byte, pitch int, err error) {
	size := len(src)
	pitch = size / rows
	if c.count == 0 {
		return src, pitch, nil
	}
	if err := check(ctx); err != nil {
		return nil, 0, err
	}

	in := src
	for i := range c.count - 1 {
		st := &c.steps[i]
		out = s.other(in, size)
		if err := st.row.Forward(out, in, st.meta, ctx); err != nil {
			return nil, 0, st.fail(err)
		}
		in = out
	}

	st := &c.steps[c.count-1]
	if st.pads(size, rows) && st.row.Planes(size, st.meta, ctx) == rows {
		pitch += rowPadding
		out = s.other(in, pitch*rows)
		err = st.row.ForwardPlanes(out, pitch, in, st.meta, ctx)
	} else {
		out = s.other(in, size)
		err = st.row.Forward(out, in, st.meta, ctx)
	}

	if err != nil {
		return nil, 0, st.fail(err)
	}
	return out, pitch, nil
}

// Input returns the memory into which the codec must decode the rows streams of a block for
// Backward: stream k goes to in[k*pitch : k*pitch+len(dst)/rows]. It is memory of s, or dst itself
// if decoding undoes nothing. Bytes in no stream, because rows does not divide len(dst), are
// zeroed.
func (c *Chain) Input(s *Scratch, dst []byte, rows int) (in []byte, pitch int) {
	size := len(dst)
	pitch = size / rows
	in = dst
	if c.undo > 0 {
		if c.lastUndo().pads(size, rows) {
			pitch += rowPadding
			return s.other(nil, pitch*rows), pitch
		}
		in = s.other(nil, size)
	}
	clear(in[pitch*rows:])
	return in, pitch
}

// Backward undoes the filters of the block whose streams are in in, and fills dst. in, pitch and
// rows are those of Input. in may also be other memory of len(dst) bytes with the filtered block
// without padding (pitch len(dst)/rows); it is then not written. Memory is allocated as by
// [Chain.Forward].
func (c *Chain) Backward(dst []byte, s *Scratch, in []byte, pitch, rows int, ctx *shuffle.Context) error {
	size := len(dst)
	if c.undo == 0 {
		copy(dst, in)
		return nil
	}

	if err := check(ctx); err != nil {
		return err
	}

	left := c.undo
	for i := c.count - 1; i >= 0; i-- {
		st := &c.steps[i]
		if st.row.Backward == nil {
			continue
		}
		left--
		out := dst
		if left > 0 {
			out = s.other(in, size)
		}

		var err error
		switch {
		case pitch != size/rows && st.row.Planes(size, st.meta, ctx) == rows:
			err = st.row.BackwardPlanes(out, in, pitch, st.meta, ctx)
		default:
			// Remove the padding between streams if it does not suit the filter (a stride other
			// than the number of streams). Padded streams are always in memory of a Scratch.
			length := size / rows
			if pitch != length {
				for k := 1; k < rows; k++ {
					copy(in[k*length:(k+1)*length], in[k*pitch:])
				}
			}
			in = in[:size]

			err = st.row.Backward(out, in, st.meta, ctx)
		}

		if err != nil {
			return st.fail(err)
		}

		in = out
		pitch = size / rows
	}
	return nil
}

// Sliceable reports whether items of a filtered block of size bytes, in rows streams, can be
// restored separately. If so, Backward also accepts a range of items: dst and in then begin at the
// first of them, and in and pitch are otherwise those of Input for the whole block. An item has one
// byte per stream.
func (c *Chain) Sliceable(size, rows int, ctx *shuffle.Context) bool {
	switch c.undo {
	case 0:
		return rows == 1
	case 1:
		st := c.lastUndo()
		return st.row.Sliceable && st.pads(size, rows) && st.row.Planes(size, st.meta, ctx) == rows
	}
	return false
}

// Reference returns the result of decoding block 0, without running the codec: block0 itself, or
// memory of s if a filter is lossy. It is [shuffle.Context.Ref] for delta of all other blocks, so
// that they decode exactly. ctx is that of block 0 (nil Ref). s must not be used for anything else
// while the result is in use.
func (c *Chain) Reference(s *Scratch, block0 []byte, ctx *shuffle.Context) ([]byte, error) {
	if !c.lossy {
		return block0, nil
	}

	filtered, pitch, err := c.Forward(s, block0, 1, ctx)
	if err != nil {
		return nil, err
	}

	whole := grow(&s.whole, len(block0))
	if err := c.Backward(whole, s, filtered, pitch, 1, ctx); err != nil {
		return nil, err
	}
	return whole, nil
}

// lastUndo returns the step that decoding undoes first. There must be one.
func (c *Chain) lastUndo() *step {
	i := c.count - 1
	for c.steps[i].row.Backward == nil {
		i--
	}
	return &c.steps[i]
}

// pads reports whether streams may have padding between them, as far as that is known without a
// Context.
func (st *step) pads(size, rows int) bool {
	return rows > 1 && st.row.Planes != nil && size >= rows && size%rows == 0
}

// other returns a buffer of the given size that does not overlap with in.
func (s *Scratch) other(in []byte, size int) []byte {
	if len(in) > 0 && len(s.first) > 0 && &in[0] == &s.first[0] {
		return grow(&s.second, size)
	}
	return grow(&s.first, size)
}

func grow(buffer *[]byte, size int) []byte {
	if cap(*buffer) < size {
		*buffer = make([]byte, size)
	}
	*buffer = (*buffer)[:cap(*buffer)]
	return (*buffer)[:size]
}
