package format

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
)

// Blocks of a fractal heap. The offsets of objects count the heads of direct blocks.
//
//	"FHDB", u8 version, address of the header, offset of the block, perhaps checksum, objects
//
//	"FHIB", u8 version, address of the header, offset of the block, for each block
//	its address, and if it is direct and there are filters its size and u32 mask; checksum

// A heapBlock is a direct block that has been decoded.
type heapBlock struct {
	from int64 // offset in the heap
	data []byte
}

// managed returns an object in a direct block.
func (r *Reader) managed(h *Heap, id []byte) ([]byte, error) {
	c := r.cursor(layerFractal, id, None)
	c.Skip(1)
	off := c.positive(h.offsetSize, "offset")
	n := c.positive(h.lengthSize, "length")
	if err := c.done(); err != nil {
		return nil, err
	}

	b, err := r.blockAt(h, off)
	if err != nil {
		return nil, err
	}

	head := int64(r.blockHead(h))
	at := off - b.from
	if at < head || n > int64(len(b.data))-at {
		return nil, cairn.Corruptf(layerFractal, r.offset(h.at), "object of %d bytes at %d of a block of %d", n, at,
			len(b.data))
	}
	return b.data[at : at+n : at+n], nil
}

// blockHead returns how many bytes of a direct block precede its objects.
func (r *Reader) blockHead(h *Heap) int {
	n := 5 + r.OffsetSize + h.offsetSize
	if h.flags&heapChecked != 0 {
		n += checksumSize
	}
	return n
}

// A heapChild is a block as its parent describes it.
type heapChild struct {
	at   int64
	size int64 // of the stored bytes of a direct block
	mask uint32
}

// blockAt returns the direct block with an offset of the heap.
func (r *Reader) blockAt(h *Heap, off int64) (heapBlock, error) {
	h.mu.Lock()
	last := h.last
	h.mu.Unlock()
	if last.data != nil && off >= last.from && off-last.from < int64(len(last.data)) {
		return last, r.ctx.Err()
	}

	at := heapChild{h.root, h.rootSize, h.rootMask}
	from := int64(0)
	size := h.first
	rows := h.rows

	for depth := 0; rows > 0; depth++ {
		if depth > mostLevels {
			return heapBlock{}, cairn.Corruptf(layerFractal, r.offset(h.at), "blocks in more than %d levels", mostLevels)
		}

		row, column, ok := h.place(off-from, rows)
		if !ok {
			return heapBlock{}, cairn.Corruptf(layerFractal, r.offset(h.at), "no block has the offset %d", off)
		}

		var err error
		parent := at.at
		if at, err = r.childBlock(h, parent, from, rows, row, column); err != nil {
			return heapBlock{}, err
		}

		size, _ = h.rowSize(row)
		from += h.rowStart(row) + int64(column)*size
		rows = 0
		if row >= h.direct {
			rows = log2(size) - log2(h.first) - log2(int64(h.width)) + 1
		}
	}

	b, err := r.directBlock(h, at, from, size)
	if err != nil {
		return b, err
	}

	h.mu.Lock()
	h.last = b
	h.mu.Unlock()
	return b, nil
}

// rowStart returns the offset of a row from the start of its block.
func (h *Heap) rowStart(row int) int64 {
	if row == 0 {
		return 0
	}
	size, _ := h.rowSize(row)
	return size * int64(h.width)
}

// place returns the row and the column of the block with an offset, or false if there is none.
func (h *Heap) place(off int64, rows int) (row, column int, ok bool) {
	for row = range rows {
		size, ok := h.rowSize(row)
		if !ok || size > 1<<62/int64(h.width) {
			return 0, 0, false
		}
		if start := h.rowStart(row); off < start+size*int64(h.width) {
			return row, int((off - start) / size), off >= start
		}
	}
	return 0, 0, false
}

// childBlock returns a child of the indirect block at an address.
func (r *Reader) childBlock(h *Heap, at, from int64, rows, row, column int) (heapChild, error) {
	direct := r.OffsetSize
	if h.filters != nil {
		direct += r.LengthSize + 4
	}
	inner := max(0, rows-h.direct)
	size := 5 + r.OffsetSize + h.offsetSize + min(rows, h.direct)*h.width*direct + inner*h.width*r.OffsetSize + checksumSize

	b, err := r.Bytes(layerFractal, at, int64(size), r.Limits.MaxMeta)
	if err != nil {
		return heapChild{}, err
	}

	b, err = r.checked(layerFractal, b, at)
	if err != nil {
		return heapChild{}, err
	}

	c := r.cursor(layerFractal, b, at)
	h.blockStart(&c, "FHIB", from)
	index := row*h.width + column
	if row < h.direct {
		c.Skip(int64(index * direct))
	} else {
		c.Skip(int64(h.direct*h.width*direct + (index-h.direct*h.width)*r.OffsetSize))
	}

	child := heapChild{at: c.address()}
	if h.filters != nil && row < h.direct {
		child.size = c.length()
		child.mask = c.u32()
	}
	return child, c.done()
}

// blockStart reads the head of a block, up to its offset.
func (h *Heap) blockStart(c *cursor, signature string, from int64) {
	c.signature(signature)
	c.version(layerFractal, 0, 0)
	at := c.Pos()
	owner := c.address()
	off := c.positive(h.offsetSize, "offset")
	if c.Err() == nil && (owner != h.at || off != from) {
		c.Failf(at, "block of the heap at %d with offset %d, want that at %d with offset %d", owner, off, h.at, from)
	}
}

// directBlock reads and decodes a direct block of size bytes.
func (r *Reader) directBlock(h *Heap, at heapChild, from, size int64) (heapBlock, error) {
	stored := size
	if h.filters != nil {
		stored = at.size
	}

	b, err := r.Bytes(layerFractal, at.at, stored, r.Limits.MaxAlloc)
	if err != nil {
		return heapBlock{}, err
	}

	if h.filters != nil {
		if size > r.Limits.MaxAlloc {
			return heapBlock{}, fmt.Errorf("block of a fractal heap of %d bytes: %w", size, cairn.ErrLimit)
		}
		decoded := make([]byte, size)
		if err := filter.Decode(decoded, b, h.filters, at.mask); err != nil {
			return heapBlock{}, fmt.Errorf("block of a fractal heap at offset %d: %w", r.offset(at.at), err)
		}
		b = decoded
	}

	c := r.cursor(layerFractal, b, at.at)
	h.blockStart(&c, "FHDB", from)
	sum := c.Pos()
	if h.flags&heapChecked != 0 && !r.Trusting {
		if want := c.u32(); c.Err() == nil {
			// The checksum counts as zeros in what it is computed of.
			plain := append([]byte{}, b...)
			clear(plain[sum : sum+checksumSize])
			if got := lookup3(plain); got != want {
				return heapBlock{}, fmt.Errorf("block of a fractal heap at offset %d has the checksum %08x, want %08x: %w",
					r.offset(at.at), got, want, cairn.ErrChecksum)
			}
		}
	}
	return heapBlock{from, b}, c.done()
}
