package format

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
)

// A fractal heap is a space of objects, in direct blocks whose sizes grow with their place in it.
// Its header is
//
//	"FRHP", u8 version, u16 size of IDs, u16 size of the filters, u8 flags,
//	u32 most bytes of a managed object, next huge ID, address of the B-tree of huge objects,
//	free bytes, address of the free space, bytes managed, bytes allocated, offset of the next one,
//	managed objects, bytes and number of huge ones, bytes and number of tiny ones,
//	u16 blocks per row, size of the first blocks, most bytes of a direct block,
//	u16 bits of offsets, u16, address of the root block, u16 rows of it,
//	if there are filters: size of the root block, u32 mask, filter pipeline message; checksum

const layerFractal = "fractal heap"

// A Heap is the header of a fractal heap.
type Heap struct {
	at         int64
	idSize     int
	flags      uint8
	mostObject int64
	huge       int64 // address of a B-tree
	width      int   // blocks per row
	first      int64 // bytes of a block of the first row
	mostDirect int64 // bytes of a direct block
	offsetBits int   // of offsets in the heap
	root       int64
	rows       int // of the root block; 0 if it is direct
	filters    []filter.Filter
	rootSize   int64 // of a root block that is filtered
	rootMask   uint32

	offsetSize, lengthSize int // bytes in IDs
	direct                 int // rows of direct blocks

	mu   sync.Mutex
	last heapBlock // the direct block that was read last
	// of huge objects, by their numbers; nil until one is looked up
	hugePlaces map[uint64]hugePlace
}

const heapChecked = 1 << 1 // direct blocks have checksums

// FractalHeap returns the heap whose header is at an address.
func (r *Reader) FractalHeap(at int64) (*Heap, error) { return r.heaps.get(at, mostHeaps, r.readHeap) }

func (r *Reader) readHeap(at int64) (*Heap, error) {
	size := int64(4 + 1 + 2 + 2 + 1 + 4 + 3*r.OffsetSize + 12*r.LengthSize + 2 + 2 + 2 + 2)
	b, err := r.Bytes(layerFractal, at, size, size)
	if err != nil {
		return nil, err
	}

	h := &Heap{at: at}
	c := r.cursor(layerFractal, b, at)
	c.Skip(7)
	packed := int64(c.u16())
	if err := c.done(); err != nil {
		return nil, err
	}

	if packed > 0 {
		packed += int64(r.LengthSize + 4)
	}

	all := size + packed + checksumSize
	if b, err = r.Bytes(layerFractal, at, all, all); err != nil {
		return nil, err
	}

	b, err = r.checked(layerFractal, b, at)
	if err != nil {
		return nil, err
	}

	c = r.cursor(layerFractal, b, at)
	h.parse(&c)
	if packed > 0 && c.Err() == nil {
		h.rootSize = c.length()
		h.rootMask = c.u32()
		from := c.Pos()
		if h.filters, err = r.pipeline(b[from:], at+int64(from)); err != nil {
			return nil, err
		}
	}

	if err := c.done(); err != nil {
		return nil, err
	}
	return h, h.measure(r)
}

func (h *Heap) parse(c *cursor) {
	c.signature("FRHP")
	c.version(layerFractal, 0, 0)

	h.idSize = int(c.u16())
	c.Skip(2)
	h.flags = c.Uint8()
	h.mostObject = int64(c.u32())
	c.uint(c.f.LengthSize)
	h.huge = c.address()
	c.uint(c.f.LengthSize)
	c.address()
	c.Skip(int64(8 * c.f.LengthSize))

	h.width = int(c.u16())
	h.first = c.length()
	h.mostDirect = c.length()
	h.offsetBits = int(c.u16())
	c.Skip(2)
	h.root = c.address()
	h.rows = int(c.u16())
}

// measure checks the geometry, and computes what follows from it.
func (h *Heap) measure(r *Reader) error {
	powers := h.first > 0 && h.first&(h.first-1) == 0 && h.mostDirect&(h.mostDirect-1) == 0 &&
		h.width > 0 && h.width&(h.width-1) == 0
	if !powers || h.mostDirect < h.first || h.offsetBits < 1 || h.offsetBits > 63 || h.idSize < 1 {
		return cairn.Corruptf(layerFractal, r.offset(h.at), "blocks from %d to %d bytes, %d in a row, offsets of %d bits",
			h.first, h.mostDirect, h.width, h.offsetBits)
	}

	if h.mostDirect > r.Limits.MaxAlloc {
		return fmt.Errorf("fractal heap with blocks of up to %d bytes, the most is %d: %w", h.mostDirect,
			r.Limits.MaxAlloc, cairn.ErrLimit)
	}

	h.direct = log2(h.mostDirect) - log2(h.first) + 2
	h.offsetSize = (h.offsetBits + 7) / 8
	h.lengthSize = min((log2(h.mostDirect)+7)/8, sizeOf(h.mostObject))
	return nil
}

// log2 is the logarithm of n, rounded down.
func log2(n int64) int { return bits.Len64(uint64(n)) - 1 }

// rowSize returns the bytes of a block in a row of a block, or false if it exceeds 62 bits.
func (h *Heap) rowSize(row int) (int64, bool) {
	if row == 0 {
		return h.first, true
	}
	shift := row - 1
	if shift+log2(h.first) > 61 {
		return 0, false
	}
	return h.first << shift, true
}

// Types of objects, in bits 4 and 5 of the first byte of their IDs.
const (
	managedObject = 0
	hugeObject    = 1
	tinyObject    = 2
)

// Object returns the object of an ID, which the caller must not change.
func (r *Reader) Object(h *Heap, id []byte) ([]byte, error) {
	if len(id) == 0 || id[0]>>6 != 0 {
		return nil, cairn.Corruptf(layerFractal, r.offset(h.at), "ID % x of an object", id)
	}
	switch id[0] >> 4 & 3 {
	case managedObject:
		return r.managed(h, id)
	case hugeObject:
		return r.huge(h, id[1:])
	case tinyObject:
		// An object that is in its ID, behind the length less one.
		n := int(id[0]&15) + 1
		data := id[1:]
		if h.idSize >= extendedTiny && len(id) > 1 {
			n = int(id[0]&15)<<8 + int(id[1]) + 1
			data = id[2:]
		}

		if n > len(data) {
			return nil, cairn.Corruptf(layerFractal, r.offset(h.at), "tiny object of %d bytes in %d", n, len(data))
		}
		return data[:n], nil
	}
	return nil, cairn.Corruptf(layerFractal, r.offset(h.at), "ID % x of an object", id)
}

// extendedTiny is the size of IDs from which on the length of a tiny object has 12 bits.
const extendedTiny = 18

// heapRecords returns the records of a tree of a kind, which have size bytes and, from idAt on, the
// ID of an object of the heap. They are in the order of these objects in the heap, so that each
// block is read once. tooMany returns an error if there are more than may be.
func (r *Reader) heapRecords(h *Heap, tree int64, kind uint8, size, idAt int,
	tooMany func(n int) error) ([][]byte, error) {
	var list [][]byte
	err := r.walkTree2(tree, func(t *tree2, record []byte) error {
		if t.kind != kind || len(record) != size {
			return cairn.Corruptf(layerTree2, r.offset(tree), "type %d with records of %d bytes, want %d and %d", t.kind,
				len(record), kind, size)
		}
		list = append(list, slices.Clone(record))
		return tooMany(len(list))
	})

	place := func(record []byte) uint64 {
		var b [8]byte
		copy(b[:h.offsetSize], record[idAt+1:])
		return binary.LittleEndian.Uint64(b[:])
	}

	slices.SortStableFunc(list, func(a, b []byte) int { return cmp.Compare(place(a), place(b)) })
	return list, err
}

const linkIDSize = 7

// heapLinks calls do for the link messages of a heap that a B-tree of version 2 lists: its records
// are a hash and an ID.
func (r *Reader) heapLinks(heap, names int64, do func(b []byte) error) error {
	h, err := r.FractalHeap(heap)
	if err != nil {
		return err
	}

	records, err := r.heapRecords(h, names, linkRecord, checksumSize+linkIDSize, checksumSize, r.tooMany)
	if err != nil {
		return err
	}

	for _, record := range records {
		b, err := r.Object(h, record[checksumSize:])
		if err != nil {
			return err
		}

		if err = do(b); err != nil {
			return err
		}
	}
	return nil
}
