package hdf5

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
)

// Most items are in the file as their dtype says. A conversion makes the others: strings lose what
// follows their end, integers of fewer bits get their sign, and texts of variable length get a
// fixed width: strings, which are in a heap, and keys of objects, to which there are references.

// memoryLayout is where the members of a compound are in memory.
type memoryLayout struct {
	offsets []int64
	size    int64
}

// layoutOf returns the layout of a compound: that in the file, unless members have another size.
func layoutOf(d *format.Datatype, w widths) memoryLayout {
	l := memoryLayout{size: d.Size}
	for _, m := range d.Members {
		l.offsets = append(l.offsets, m.Offset)
	}

	if !hasVariable(d) {
		return l
	}

	l.size = 0
	for i, m := range d.Members {
		l.offsets[i] = l.size
		l.size += memorySize(m.Type, w)
	}
	return l
}

// hasVariable reports whether there are texts of variable length in a datatype.
func hasVariable(d *format.Datatype) bool {
	switch d.Class {
	case format.Variable, format.Reference:
		return true
	case format.Array:
		return hasVariable(d.Base)
	case format.Compound:
		for _, m := range d.Members {
			if hasVariable(m.Type) {
				return true
			}
		}
	}
	return false
}

// memorySize returns the bytes of an item in memory.
func memorySize(d *format.Datatype, w widths) int64 {
	switch {
	case !hasVariable(d):
		return d.Size
	case d.Class == format.Variable || d.Class == format.Reference:
		return 4 * int64(w.of(d))
	case d.Class == format.Array:
		return d.Size / d.Base.Size * memorySize(d.Base, w)
	}
	return layoutOf(d, w).size
}

// A move makes a part of an item in memory from a part of the item in the file.
type move struct {
	from, to int64
	size     int64            // bytes in the file
	room     int64            // bytes in memory
	d        *format.Datatype // nil if the bytes are copied
}

// A conversion makes items in memory from items in the file.
type conversion struct {
	moves    []move
	from, to int64 // bytes of an item in the file and in memory
	variable bool
}

// mostMoves bounds the parts of an item that are moved one by one.
const mostMoves = 1 << 16

// newConversion returns the conversion of a datatype, nil if items are copied.
func newConversion(d *format.Datatype, w widths) (*conversion, error) {
	c := &conversion{from: d.Size, to: memorySize(d, w), variable: hasVariable(d)}
	if err := c.add(d, 0, 0, w); err != nil {
		return nil, err
	}
	if len(c.moves) == 1 && c.moves[0].d == nil && !c.variable {
		return nil, nil
	}
	return c, nil
}

// add appends the moves of a datatype at certain places of the items.
func (c *conversion) add(d *format.Datatype, from, to int64, w widths) error {
	switch d.Class {
	case format.Compound:
		l := layoutOf(d, w)
		if !c.variable { // bytes between the members too
			c.copy(from, to, d.Size)
		}
		for i, m := range d.Members {
			if err := c.add(m.Type, from+m.Offset, to+l.offsets[i], w); err != nil {
				return err
			}
		}
		return nil

	case format.Array:
		if !special(d.Base) {
			c.copy(from, to, d.Size)
			return nil
		}

		step := memorySize(d.Base, w)
		for k := range d.Size / d.Base.Size {
			if err := c.add(d.Base, from+k*d.Base.Size, to+k*step, w); err != nil {
				return err
			}
		}
		return nil
	case format.Enum:
		return c.add(d.Base, from, to, w)
	}
	if !special(d) {
		c.copy(from, to, d.Size)
		return nil
	}
	if len(c.moves) >= mostMoves {
		return fmt.Errorf("datatype %v: more than %d parts: %w", d, mostMoves, cairn.ErrLimit)
	}
	c.moves = append(c.moves, move{from, to, d.Size, memorySize(d, w), d})
	return nil
}

// copy appends a move that copies n bytes, or extends the last one.
func (c *conversion) copy(from, to, n int64) {
	if k := len(c.moves); k > 0 {
		if c.moves[0].d == nil && c.moves[0].size == c.from { // all of the item is copied first
			return
		}
		m := &c.moves[k-1]
		if m.d == nil && m.from+m.size == from && m.to+m.size == to {
			m.size += n
			m.room += n
			return
		}
	}
	c.moves = append(c.moves, move{from, to, n, n, nil})
}

// special reports whether the items of a datatype are not copied.
func special(d *format.Datatype) bool {
	switch d.Class {
	case format.String:
		return d.Padding != format.NullPadded
	case format.Fixed, format.Bitfield:
		return d.BitOffset != 0 || int64(d.Precision) != 8*d.Size
	case format.Variable, format.Reference:
		return true
	case format.Array, format.Enum:
		return special(d.Base)
	case format.Compound:
		for _, m := range d.Members {
			if special(m.Type) {
				return true
			}
		}
	}
	return false
}

// inPlace reports whether items have the same size in memory, and may be converted there.
func (c *conversion) inPlace() bool { return !c.variable && c.from == c.to }

// run converts items. If dst and src are the same, the conversion must be in place.
func (c *conversion) run(ctx context.Context, h *heapReader, dst, src []byte) error {
	n := int64(len(src)) / c.from
	same := len(dst) > 0 && &dst[0] == &src[0]

	for i := range n {
		to := dst[i*c.to:][:c.to]
		from := src[i*c.from:][:c.from]

		for k := range c.moves {
			m := &c.moves[k]
			out := to[m.to:][:m.room]
			in := from[m.from:][:m.size]

			switch {
			case m.d == nil:
				if !same {
					copy(out, in)
				}
			case hasVariable(m.d):
				text, err := h.textOf(ctx, m.d, in)
				if err != nil {
					return err
				}
				putText(out, text)
			case m.d.Class == format.String:
				copy(out, in)
				endString(out, m.d.Padding)
			default:
				widen(out, in, m.d)
			}
		}
	}
	return nil
}

// endString zeroes what follows the end of a string.
func endString(b []byte, p format.Padding) {
	n := len(b)
	if p == format.SpacePadded {
		n = len(bytes.TrimRight(b, " "))
	} else if i := bytes.IndexByte(b, 0); i >= 0 {
		n = i
	}
	clear(b[n:])
}

// putText writes a text, and zeros behind it.
func putText(dst, text []byte) {
	decode := utf8.DecodeRune
	if !utf8.Valid(text) {
		decode = decodeLatin1
	}

	for len(text) > 0 && len(dst) >= 4 {
		c, n := decode(text)
		binary.LittleEndian.PutUint32(dst, uint32(c))
		text = text[n:]
		dst = dst[4:]
	}
	clear(dst)
}

// decodeLatin1 is utf8.DecodeRune for Latin-1.
func decodeLatin1(text []byte) (rune, int) { return rune(text[0]), 1 }

// widen makes an integer of all its bits from one of fewer.
func widen(dst, src []byte, d *format.Datatype) {
	var v uint64
	for i := range src {
		k := i
		if d.BigEndian {
			k = len(src) - 1 - i
		}
		v |= uint64(src[k]) << (8 * i)
	}

	v = v >> d.BitOffset << (64 - d.Precision)
	if d.Signed {
		v = uint64(int64(v) >> (64 - d.Precision))
	} else {
		v >>= 64 - d.Precision
	}
	if d.BigEndian {
		v = bits.ReverseBytes64(v) >> (64 - 8*len(dst))
	}

	for i := range dst {
		dst[i] = byte(v >> (8 * i))
	}
}
