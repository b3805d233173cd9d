package format

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inplace"
)

// A Patch is bytes that are written at an address.
type Patch struct {
	At    int64
	Bytes []byte
}

// A GrowingHeader is the header of a dataset whose extents and index change in place: with a write
// that is within one sector, so that a crash leaves the old or the new content. If what changes,
// and the checksum of its block, are in several sectors, [GrowingHeader.Move] brings them together
// first.
type GrowingHeader struct {
	headerBlocks
	space  field // of the extents
	layout field // of the address of the index

	first, second message   // the dataspace and the layout
	others        []message // all other messages
}

// headerBlocks are the blocks of a header that is changed.
type headerBlocks struct {
	address int64
	version int
	ordered bool
	head    int // bytes of the first block before its messages
	blocks  []headerBlock
}

// A headerBlock is a block as it is in the file, with its checksum.
type headerBlock struct {
	at  int64
	raw []byte
}

// A field is n bytes in a block.
type field struct{ block, at, n int }

// GrowingHeader reads the header at an address.
func (r *Reader) GrowingHeader(at int64) (*GrowingHeader, error) {
	in, err := r.headerReading(at)
	if err != nil {
		return nil, err
	}
	h := &GrowingHeader{}
	if err := h.readBlocks(r, in); err != nil {
		return nil, err
	}

	space, err := r.required(in.Header, msgDataspace, layerSpace)
	if err != nil {
		return nil, err
	}
	layout, err := r.required(in.Header, msgLayout, layerLayout)
	if err != nil {
		return nil, err
	}
	if (space.flags|layout.flags)&msgShared != 0 {
		return nil, unsupported("a dataspace that is shared with other datasets")
	}
	h.first = *space
	h.second = *layout
	for i := range in.messages {
		if m := &in.messages[i]; m != space && m != layout {
			h.others = append(h.others, *m)
		}
	}
	return h, h.locate()
}

// readBlocks reads the bytes of the blocks.
func (h *headerBlocks) readBlocks(r *Reader, in *headerReading) error {
	h.address = in.Address
	h.version = in.version
	h.ordered = in.ordered
	first := block{at: h.address}
	if h.version == 1 {
		b, err := r.Bytes(layerHeader, h.address, 16, 16)
		if err != nil {
			return err
		}
		h.head = 16
		first.size = 16 + int64(le.Uint32(b[8:]))
	} else {
		b, err := r.Some(layerHeader, h.address, 4+2+16+4+8)
		if err != nil {
			return err
		}
		h.head = 6
		if b[5]&headerTimes != 0 {
			h.head += 16
		}
		if b[5]&headerBounds != 0 {
			h.head += 4
		}
		width := 1 << (b[5] & headerSizeBits)
		size := int64(0)
		for i := range width {
			size |= int64(b[h.head+i]) << (8 * i)
		}
		h.head += width
		first.size = int64(h.head) + size + checksumSize
	}

	for _, b := range append([]block{first}, in.blocks...) {
		raw, err := r.Bytes(layerHeader, b.at, b.size, r.Limits.MaxHeader)
		if err != nil {
			return err
		}
		h.blocks = append(h.blocks, headerBlock{b.at, slices.Clone(raw)})
	}
	return nil
}

// locate finds the fields that change.
func (h *GrowingHeader) locate() error {
	b, o := h.offsets()
	h.space = h.field(h.first.at+int64(b), 8*int(h.first.data[1]))
	h.layout = h.field(h.second.at+int64(o), 8)
	if h.space.n == 0 || h.layout.n == 0 {
		return cairn.Corruptf(layerHeader, h.address, "a message outside of its block, or without extents")
	}
	return nil
}

// offsets returns where the fields are in their messages.
func (h *GrowingHeader) offsets() (extents, index int) {
	extents = 4
	if h.first.data[0] == 1 {
		extents = 8
	}
	switch version := h.second.data[0]; {
	case version < 3:
		return extents, 8
	case version == 3:
		return extents, 3
	}
	return extents, len(h.second.data) - 8
}

// field returns the place of n bytes at an address.
func (h *headerBlocks) field(at int64, n int) field {
	for i, b := range h.blocks {
		if off := at - b.at; off >= 0 && off+int64(n) <= int64(len(b.raw)) {
			return field{i, int(off), n}
		}
	}
	return field{}
}

// Movable returns an error unless changes of the header can be written so that a crash leaves the
// old or the new one.
func (h *GrowingHeader) Movable() error {
	if _, ok := h.Sector(); ok || h.Room() > 0 {
		return nil
	}
	for _, f := range h.words() {
		b := h.blocks[f.block]
		end := f.at + f.n
		if h.version == 2 {
			end = len(b.raw)
		}
		if !inplace.Whole(b.at+int64(f.at), int64(end-f.at)) || h.version == 2 && h.space.block == h.layout.block {
			return h.crossing()
		}
	}
	return nil
}

// Sector returns the number of the sector in which changes of the header are, and false if they are
// in several ones.
func (h *GrowingHeader) Sector() (int64, bool) {
	if h.space.block != h.layout.block {
		return 0, false
	}
	b := h.blocks[h.space.block]
	from := min(h.space.at, h.layout.at)
	to := max(h.space.at+h.space.n, h.layout.at+h.layout.n)
	if h.version == 2 {
		to = len(b.raw)
	}
	at := b.at + int64(from)
	return at / inplace.Sector, inplace.Whole(at, int64(to-from))
}

// words returns the fields, one for each extent.
func (h *GrowingHeader) words() []field {
	list := []field{h.layout}
	for i := 0; i < h.space.n; i += 8 {
		list = append(list, field{h.space.block, h.space.at + i, 8})
	}
	return list
}

func (h *GrowingHeader) crossing() error {
	return fmt.Errorf("its object header at address %d cannot be changed by a write within one sector; cairn copy "+
		"makes a file where it can: %w", h.address, cairn.ErrUnsupported)
}

// set returns the blocks with other extents and another index.
func (h *GrowingHeader) set(extents []int64, index int64) []headerBlock {
	blocks := slices.Clone(h.blocks)
	for _, i := range []int{h.space.block, h.layout.block} {
		blocks[i].raw = slices.Clone(blocks[i].raw)
	}
	for i, n := range extents {
		le.PutUint64(blocks[h.space.block].raw[h.space.at+8*i:], uint64(n))
	}
	le.PutUint64(blocks[h.layout.block].raw[h.layout.at:], uint64(index))

	if h.version == 2 {
		for _, i := range []int{h.space.block, h.layout.block} {
			raw := blocks[i].raw
			le.PutUint32(raw[len(raw)-checksumSize:], lookup3(raw[:len(raw)-checksumSize]))
		}
	}
	return blocks
}

// Grow changes the extents and the index, and returns the steps that do so in the file, each of
// which must be durable before the next, and whose patches each are within one sector. It is one
// step with one patch if [GrowingHeader.Sector] has reported that.
func (h *GrowingHeader) Grow(extents []int64, index int64) (steps [][]Patch) {
	old := h.blocks
	h.blocks = h.set(extents, index)
	var one []Patch
	for i, b := range h.blocks {
		if from, to := inplace.Changed(old[i].raw, b.raw); from < to {
			one = append(one, Patch{b.at + int64(from), b.raw[from:to]})
		}
	}

	switch {
	case len(one) == 0:
		return nil
	case len(one) == 1 && inplace.Whole(one[0].At, int64(len(one[0].Bytes))):
		return [][]Patch{one}
	}
	return h.apart(old)
}

// apart returns the changes of the extents, and then that of the index: readers find items there
// that were not written yet.
func (h *GrowingHeader) apart(old []headerBlock) (steps [][]Patch) {
	var extents []Patch
	if h.version == 2 { // with their checksum
		return [][]Patch{
			h.changed(old, field{h.space.block, 0, len(h.blocks[h.space.block].raw)}),
			h.changed(old, field{h.layout.block, 0, len(h.blocks[h.layout.block].raw)}),
		}
	}
	for _, f := range h.words()[1:] {
		extents = append(extents, h.changed(old, f)...)
	}
	return [][]Patch{extents, h.changed(old, h.layout)}
}

// changed returns the change of a field.
func (h *GrowingHeader) changed(old []headerBlock, f field) []Patch {
	now := h.blocks[f.block]
	from, to := inplace.Changed(old[f.block].raw[f.at:f.at+f.n], now.raw[f.at:f.at+f.n])
	if from == to {
		return nil
	}
	return []Patch{{now.at + int64(f.at+from), now.raw[f.at+from : f.at+to]}}
}
