package filter

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/strided"
)

// A Part is a box of the items of a chunk: those from Start up to, not including, Stop.
type Part struct {
	Shape       []int64 // items per dimension of the chunk
	Start, Stop []int64
	ItemSize    int64 // bytes of an item
}

// DecodePart is [Decoder.Decode] for some items: the others are undefined in dst, which has the
// size of the chunk all the same. If Blosc or Blosc2 is the only filter, it decodes only the blocks
// that have such items, and finds no damage elsewhere. It fails with [cairn.ErrBounds] unless the
// part is in the chunk and dst has the chunk's size.
func (d *Decoder) DecodePart(dst, src []byte, mask uint32, p Part) error {
	if err := p.check(len(dst)); err != nil {
		return err
	}

	i := firstUsed(d.filters, mask)
	if i == len(d.filters) || firstUsed(d.filters[i+1:], mask>>(i+1)) < len(d.filters)-i-1 {
		return d.Decode(dst, src, mask) // no filter, or several
	}

	decode := lookup(d.filters[i].ID).decodePart
	if decode == nil || p.size() == 0 {
		return d.Decode(dst, src, mask)
	}
	return decode(&d.w, d.filters[i], dst, src, p)
}

// check returns an error unless the part is in a chunk of size bytes.
func (p Part) check(size int) error {
	if err := grid.CheckBox(p.Shape, p.Start, p.Stop); err != nil {
		return err
	}
	if p.ItemSize <= 0 {
		return fmt.Errorf("items of %d bytes: %w", p.ItemSize, cairn.ErrBounds)
	}

	left := int64(size) / p.ItemSize
	for _, extent := range p.Shape {
		if extent == 0 || left%extent != 0 {
			left = -1
			break
		}
		left /= extent
	}

	if left != 1 || int64(size)%p.ItemSize != 0 {
		return fmt.Errorf("%d bytes for a chunk of shape %v of items of %d bytes: %w", size, p.Shape, p.ItemSize, cairn.ErrBounds)
	}
	return nil
}

// size returns the bytes of the part.
func (p Part) size() int64 {
	n := p.ItemSize
	for i := range p.Start {
		n *= p.Stop[i] - p.Start[i]
	}
	return n
}

// span returns the range of items of another size that has the part, if the chunk, which has bytes
// bytes, is made of such items.
func (p Part) span(itemSize, bytes int) (from, to int, ok bool) {
	if itemSize <= 0 || bytes%itemSize != 0 {
		return 0, 0, false
	}
	off, n := strided.Packed(p.Shape, p.ItemSize).Span(p.Start, p.Stop)
	return int(off) / itemSize, (int(off+n)-1)/itemSize + 1, true
}

// put copies the items of the part, which lie one after the other, to their places in a chunk.
func (p Part) put(dst, items []byte) {
	// Walk fails only if do does.
	_ = strided.Packed(p.Shape, p.ItemSize).Walk(p.Start, p.Stop, func(r strided.Rows) error {
		for k := range r.Count {
			items = items[copy(dst[r.Off+k*r.Stride:][:r.Run], items):]
		}
		return nil
	})
}
