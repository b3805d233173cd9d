package format

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
)

// An Index says where the chunks of a dataset are. Any number of goroutines may use it.
type Index struct {
	layout  *Layout
	rank    int
	shape   []int64 // of the dataset
	most    []int64 // its maximum
	size    int64   // bytes of the items of a chunk
	packed  bool    // chunks have filters
	address int64
	steps   []uint64 // numbers between neighbours along each dimension, for indexes by number
	order   []int    // dimensions from the slowest on, for indexes by number

	mu    sync.Mutex
	kept  map[int64]any // nodes and blocks, by address
	bytes int64
}

// A Place is where the stored bytes of a chunk are.
type Place struct {
	Address int64 // None if there is no such chunk
	Size    int64
	Mask    uint32 // of filters that were left out
}

var nowhere = Place{Address: None}

// mostIndexKept is the most bytes of nodes and blocks of an index that are kept.
const mostIndexKept = 32 << 20

// NewIndex returns the index of a dataset whose items have chunkSize bytes in each chunk.
func NewIndex(l *Layout, s Dataspace, chunkSize int64, packed bool) (*Index, error) {
	ix := &Index{layout: l, rank: len(l.Chunk), shape: s.Shape, most: s.Max, size: chunkSize, packed: packed, address: l.Address}

	switch l.Index {
	case ImplicitIndex, FixedIndex, ExtensibleIndex:
		return ix, ix.number(s)
	case SingleIndex:
		if l.filtered != packed {
			return nil, cairn.Corruptf(layerLayout, -1, "a single chunk and the pipeline disagree on filters")
		}
	}
	return ix, nil
}

// number gives the chunks numbers: in C order over the grid of the dataset's maximum shape, but
// with the dimension without bound as the slowest one.
func (ix *Index) number(s Dataspace) error {
	unbounded := -1
	for d, n := range s.Max {
		if n != None {
			continue
		}
		if unbounded >= 0 || ix.layout.Index != ExtensibleIndex {
			return cairn.Corruptf(layerLayout, -1, "%v for a dataset with the maximum shape %v", ix.layout.Index, s.Max)
		}
		unbounded = d
		ix.order = append(ix.order, d)
	}

	for d := range s.Max {
		if d != unbounded {
			ix.order = append(ix.order, d)
		}
	}

	ix.steps = make([]uint64, ix.rank)
	step := uint64(1)
	for i := len(ix.order) - 1; i >= 0; i-- {
		d := ix.order[i]
		ix.steps[d] = step
		if d == unbounded {
			return nil
		}

		n := max(1, s.Max[d]/ix.layout.Chunk[d]+min(1, s.Max[d]%ix.layout.Chunk[d]))
		high, low := bits.Mul64(step, uint64(n))
		step = low
		if high != 0 || int64(low) < 0 {
			return cairn.Corruptf(layerLayout, -1, "more chunks than 63 bits can count in the maximum shape %v", s.Max)
		}
	}
	return nil
}

// Chunk returns the place of the chunk at coordinates of the grid of chunks.
func (r *Reader) Chunk(ix *Index, at []int64) (Place, error) {
	if ix.address == None {
		return nowhere, nil
	}
	switch ix.layout.Index {
	case TreeIndex:
		return r.treeChunk(ix, at)
	case SingleIndex:
		p := Place{ix.address, ix.size, ix.layout.SingleMask}
		if ix.packed {
			p.Size = ix.layout.SingleSize
		}
		return p, nil
	case Tree2Index:
		return r.tree2Chunk(ix, at)
	}

	n, err := ix.numberOf(at)
	if err != nil {
		return nowhere, err
	}

	switch ix.layout.Index {
	case ImplicitIndex:
		high, low := bits.Mul64(n, uint64(ix.size))
		if high != 0 || low > uint64(r.Size()) {
			return nowhere, cairn.Corruptf(layerLayout, -1, "chunk %v is behind the end of the file", at)
		}
		return Place{ix.address + int64(low), ix.size, 0}, nil
	case FixedIndex:
		return r.fixedChunk(ix, n)
	}
	return r.extensibleChunk(ix, n)
}

// numberOf returns the number of the chunk at coordinates of the grid.
func (ix *Index) numberOf(at []int64) (n uint64, err error) {
	for d, step := range ix.steps {
		high, low := bits.Mul64(uint64(at[d]), step)
		sum, carry := bits.Add64(n, low, 0)
		n = sum
		if high != 0 || carry != 0 {
			return 0, cairn.Corruptf(layerLayout, -1, "chunk %v has no number", at)
		}
	}
	return n, nil
}

// keep returns the part of an index at an address, which load reads if it is not kept.
func keep[T any](ix *Index, at int64, load func() (T, int64, error)) (T, error) {
	ix.mu.Lock()
	if k, ok := ix.kept[at]; ok {
		ix.mu.Unlock()
		part, same := k.(T)
		if !same {
			var none T
			return none, cairn.Corruptf("chunk index", -1, "two structures at address %d", at)
		}
		return part, nil
	}
	ix.mu.Unlock()

	part, size, err := load()
	if err != nil {
		return part, err
	}

	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.kept == nil || ix.bytes+size > mostIndexKept {
		ix.kept = map[int64]any{}
		ix.bytes = 0
	}
	ix.kept[at] = part
	ix.bytes += size
	return part, nil
}

// keptBlock returns the block at an address without its checksum.
func (r *Reader) keptBlock(ix *Index, layer string, at, size int64) ([]byte, error) {
	b, err := keep(ix, at, func() ([]byte, int64, error) {
		b, err := r.Bytes(layer, at, size, r.Limits.MaxIndex)
		if err != nil {
			return slices.Clone(b), size + 64, err
		}

		b, err = r.checked(layer, b, at)
		return slices.Clone(b), size + 64, err // a clone, so that the page may go
	})

	if err == nil && int64(len(b)) != size-checksumSize {
		err = cairn.Corruptf(layer, r.offset(at), "two structures overlap")
	}
	return b, err
}

// client returns what fixed and extensible arrays say that their entries are.
func (ix *Index) client() uint8 {
	if ix.packed {
		return 1
	}
	return 0
}

// belongs reads the client of a block of an array and the address of its header, which must be
// those of the index.
func (r *Reader) belongs(c *cursor, ix *Index) {
	c.Expect(ix.client(), "client")
	at := c.Pos()
	if header := c.address(); c.Err() == nil && header != ix.address {
		c.Failf(at, "a block of the array at address %d, want %d", header, ix.address)
	}
}

// element reads an entry of a fixed or extensible array: the address of a chunk and, if chunks have
// filters, its size and its mask.
func (r *Reader) element(ix *Index, layer string, b []byte) (Place, error) {
	c := r.cursor(layer, b, None)
	p := Place{Address: c.address(), Size: ix.size}
	if ix.packed {
		n := len(b) - r.OffsetSize - 4
		if n < 1 || n > 8 {
			return nowhere, cairn.Corruptf(layer, -1, "entries of %d bytes", len(b))
		}
		p.Size = c.positive(n, "size")
		p.Mask = c.u32()
	}
	return p, c.done()
}

// checkElement returns an error unless entries have a size that is possible.
func (r *Reader) checkElement(ix *Index, layer string, at int64, size int) error {
	least := r.OffsetSize
	most := r.OffsetSize
	if ix.packed {
		least += 4 + 1
		most += 4 + 8
	}

	if size < least || size > most {
		return cairn.Corruptf(layer, r.offset(at), "entries of %d bytes", size)
	}
	return nil
}

// bit returns bit i of a bitmap whose bytes begin with the most significant bit.
func bit(b []byte, i uint64) bool { return b[i/8]>>(7-i%8)&1 != 0 }
