// Package filterchain runs the filters of a pipeline over a block, and undoes them.
package filterchain

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn/shuffle"
)

// rowPadding is what a plane is padded with when planes are streams of their own: one cache line.
// Planes of a power-of-two block would otherwise lie a power of two apart and compete for the same
// few sets of the cache.
const rowPadding = 64

// Chain is a [shuffle.Pipeline] with its filters looked up. The zero value filters nothing. A Chain
// is not changed by use: after Set any number of goroutines may share it, each with a [Scratch] of
// its own.
type Chain struct {
	of    shuffle.Pipeline
	reg   *shuffle.Registry
	steps [shuffle.Slots]step // the slots that hold a filter, in order
	count int
	undo  int // how many of the steps decoding has to undo
	lossy bool
}

type step struct {
	row  shuffle.Row
	meta uint8
}

// Scratch is the memory that filtering a block takes: at most two buffers of the block's size plus
// padding (three for [Chain.Reference]). The zero value is ready. It grows to the largest block it
// has met and serves one goroutine at a time.
type Scratch struct {
	first, second, whole []byte
}

// Set makes c the chain of p, with built-in filters and those of reg (which may be nil). The error
// for a filter that is in neither matches [cairn.ErrUnsupported] and leaves c empty. Set does not
// look at parameters; see [Chain.Validate].
func (c *Chain) Set(p shuffle.Pipeline, reg *shuffle.Registry) error {
	if c.of == p && c.reg == reg { // as most chunks have the one before
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
	c.of, c.reg = p, reg
	return nil
}

// Has reports whether the chain holds the filter.
func (c *Chain) Has(id shuffle.ID) bool {
	for i := range c.count {
		if c.steps[i].row.ID == id {
			return true
		}
	}
	return false
}

// Validate reports the first filter whose parameter does not suit ctx, such as trunc_prec for
// 2-byte items.
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

// Forward runs the filters over a block, for a codec that takes it as rows streams of len(src)/rows
// bytes each: stream k is out[k*pitch : k*pitch+len(src)/rows]. pitch exceeds the stream length
// where the last filter can leave padding between the streams. If rows does not divide len(src) the
// streams end early, as the format has it.
//
// src is never written. out belongs to s until its next use, or is src itself if the chain holds no
// filter. rows is at least 1. Nothing is allocated once s has grown, provided that ctx is not a
// local variable of the caller (it escapes).
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

// Input returns where a codec is to decode the rows streams of a block to that Backward will turn
// into dst: stream k goes to in[k*pitch : k*pitch+len(dst)/rows]. That is memory of s, or dst
// itself if decoding undoes nothing. Bytes that no stream covers, because rows does not divide
// len(dst), are zeroed.
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

// Backward undoes the filters of a block whose streams are in in, and fills dst. in, pitch and rows
// are those of Input; in may also be other memory of len(dst) bytes that holds the filtered block
// without padding (pitch len(dst)/rows), and is not written then. Memory is allocated as by
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
			in = closeGaps(in, pitch, rows, size)
			err = st.row.Backward(out, in, st.meta, ctx)
		}
		if err != nil {
			return st.fail(err)
		}
		in, pitch = out, size/rows
	}
	return nil
}

// Sliceable reports whether items of a filtered block of size bytes, in rows streams, can be had
// without the others: Backward then also takes a range of items, with dst and in beginning at the
// first of them, and in as well as pitch otherwise as Input returned them for the whole block. An
// item has as many bytes as there are streams.
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

// Reference returns what decoding block 0 will give, without the codec: block0 itself, or memory of
// s if a filter of the chain is lossy. Delta takes it as [shuffle.Context.Ref] for all other
// blocks, so that they decode exactly. ctx is that of block 0 (nil Ref); s must not be used for
// anything else while the result is.
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

// lastUndo returns the step that decoding undoes first; there is one.
func (c *Chain) lastUndo() *step {
	i := c.count - 1
	for c.steps[i].row.Backward == nil {
		i--
	}
	return &c.steps[i]
}

// pads tells whether streams may have padding between them, as far as one can say without a
// Context.
func (st *step) pads(size, rows int) bool {
	return rows > 1 && st.row.Planes != nil && size >= rows && size%rows == 0
}

// closeGaps moves streams together whose padding turns out not to suit the filter (a stride that is
// not the number of streams). Streams that are padded lie in memory of ours.
func closeGaps(in []byte, pitch, rows, size int) []byte {
	length := size / rows
	if pitch != length {
		for k := 1; k < rows; k++ {
			copy(in[k*length:(k+1)*length], in[k*pitch:])
		}
	}
	return in[:size]
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
