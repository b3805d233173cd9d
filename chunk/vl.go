package chunk

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
)

// Blocks of variable length (docs/format/chunk.md): the header contains their number instead of the
// block size. Each block is its decoded size followed by one stream, which ends where the next
// block begins.

// Layout returns the division of the chunk at the beginning of src into blocks. For blocks of
// variable length it reads the offset table and the size of each block. The result is valid until
// the next use of the decoder.
func (d *Decoder) Layout(src []byte) (Layout, error) {
	h, err := ParseHeader(src)
	if err != nil {
		return Layout{}, err
	}
	return d.layout(&h, src)
}

// layout is Layout for a chunk whose header is known. The result uses the decoder's memory.
func (d *Decoder) layout(h *Header, src []byte) (Layout, error) {
	if !h.VLBlocks() {
		return h.Layout(), nil
	}
	if err := d.checkSizes(h, src, false); err != nil {
		return Layout{}, err
	}

	l, err := d.wantedLayout(h, src[:h.CBytes], func(int) bool { return true })
	if err != nil {
		return l, err
	}
	if total := d.cuts[l.NumBlocks]; total != int(h.NBytes) {
		return Layout{}, cairn.Corruptf(layerChunk, 4, "the sizes of %d blocks add up to %d bytes, not %d",
			l.NumBlocks, total, h.NBytes)
	}
	return l, nil
}

// wantedLayout is layout if only the offset table and some blocks have been read. Other blocks have
// length 0 in it.
func (d *Decoder) wantedLayout(h *Header, src []byte, wanted func(i int) bool) (Layout, error) {
	n, err := h.tableVL(src)
	if err != nil {
		return Layout{}, err
	}

	total := 0
	d.cuts = append(slices.Grow(d.cuts[:0], n+1), 0)
	for i := range n {
		if wanted(i) {
			size, err := h.sizeVL(src, i)
			if err != nil {
				return Layout{}, err
			}
			if total += size; total > int(h.NBytes) {
				return Layout{}, corruptBlock(h.Size()+4*i, i, "blocks of more than the chunk's %d bytes", h.NBytes)
			}
		}
		d.cuts = append(d.cuts, total)
	}

	return Layout{NBytes: int(h.NBytes), NumBlocks: n, cuts: &d.cuts}, nil
}

// tableVL checks that the offset table is complete and increasing, and returns the number of
// blocks.
func (h *Header) tableVL(src []byte) (int, error) {
	n := int(h.BlockSize)
	if err := checkTable(h, n, len(src)); err != nil {
		return 0, err
	}

	last := int64(h.Size()) + 4*int64(n) - 1
	for i := range n {
		at := h.Size() + 4*i
		start := int64(int32(binary.LittleEndian.Uint32(src[at:])))
		if start <= last || start > int64(len(src))-5 {
			return 0, cairn.Corruptf(layerChunk, int64(at), "block %d begins at %d, not between the one before and the end", i, start)
		}
		last = start + 4 // a block has a size and at least one byte
	}
	return n, nil
}

// sizeVL returns the decoded size of a block. The table must have been checked.
func (h *Header) sizeVL(src []byte, i int) (int, error) {
	at := binary.LittleEndian.Uint32(src[h.Size()+4*i:])
	size := int32(binary.LittleEndian.Uint32(src[at:]))
	if size <= 0 || size > h.NBytes {
		return 0, corruptBlock(int(at), i, "decoded size %d is not in 1 to %d", size, h.NBytes)
	}
	return int(size), nil
}

// endVL returns where a block ends in the chunk.
func (h *Header) endVL(src []byte, i int) int {
	if i+1 == int(h.BlockSize) {
		return len(src)
	}
	return int(binary.LittleEndian.Uint32(src[h.Size()+4*i+4:]))
}

// blockAt returns the block that contains byte at of the decoded chunk.
func (l Layout) blockAt(at int) int {
	if l.cuts == nil {
		return at / l.BlockSize
	}
	i, _ := slices.BinarySearch((*l.cuts)[1:], at+1)
	return i
}

// DecodeBlock decodes block index of the chunk at the beginning of src into dst and returns its
// size. It decodes no other block, except block 0 if that is the delta reference. It fails with
// ErrBounds if there is no such block or dst is too small. After an error the contents of dst are
// undefined.
func (d *Decoder) DecodeBlock(dst, src []byte, index int) (int, error) {
	h, err := ParseHeader(src)
	if err != nil {
		return 0, err
	}
	l, err := d.layout(&h, src)
	if err != nil {
		return 0, err
	}
	if index < 0 || index >= l.NumBlocks {
		return 0, fmt.Errorf("decode block %d of %d: %w", index, l.NumBlocks, cairn.ErrBounds)
	}

	from, to := l.Block(index)
	if len(dst) < to-from {
		return 0, fmt.Errorf("decode block: %d bytes do not fit into %d: %w", to-from, len(dst), cairn.ErrBounds)
	}
	return to - from, d.decodeRange(&h, src, dst, from, to)
}
