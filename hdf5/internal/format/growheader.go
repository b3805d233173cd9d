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

// A GrowingHeader is the header of a dataset whose extents and index change in place: with writes
// that are within one sector, so that a crash leaves the old or the new content. If the checksum of
// a block of the header is in another sector than what changes, the messages move to new blocks,
// and one write makes the first block a small one that leads to them.
type GrowingHeader struct {
	address int64
	version int
	ordered bool
	head    int // bytes of the first block before its messages
	blocks  []headerBlock
	space   field // of the extents
	layout  field // of the address of the index

	first, second message   // the dataspace and the layout
	others        []message // all other messages
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
	h := &GrowingHeader{address: at, version: in.version, ordered: in.ordered}
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
func (h *GrowingHeader) readBlocks(r *Reader, in *headerReading) error {
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
func (h *GrowingHeader) field(at int64, n int) field {
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
	if h.version == 1 {
		for _, f := range h.words() {
			if !inplace.Whole(h.blocks[f.block].at+int64(f.at), int64(f.n)) {
				return h.crossing()
			}
		}
		return nil
	}

	direct := true
	for _, f := range h.words() {
		b := h.blocks[f.block]
		direct = direct && inplace.Whole(b.at+int64(f.at), int64(len(b.raw)-f.at))
	}
	if direct {
		return nil
	}
	small, _ := h.small(0, 0)
	if start := h.start(0, 0); len(small) > inplace.Sector || len(start) > len(h.blocks[0].raw) ||
		!inplace.Whole(h.address+4, int64(len(start)-4)) {
		return h.crossing()
	}
	return nil
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

// Grow returns how the header gets other extents and another index: what is written to new places
// before, and then the steps, each of which must be durable before the next, and whose patches each
// are within one sector. It is what the file has then.
func (h *GrowingHeader) Grow(extents []int64, index int64, allocate func(n int64) int64) (fresh []Patch, steps [][]Patch) {
	blocks := h.set(extents, index)
	var one []Patch
	whole := true
	for i, b := range blocks {
		if from, to := inplace.Changed(h.blocks[i].raw, b.raw); from < to {
			one = append(one, Patch{b.at + int64(from), b.raw[from:to]})
			whole = whole && inplace.Whole(b.at+int64(from), int64(to-from))
		}
	}
	old := h.blocks
	h.blocks = blocks

	switch {
	case len(one) == 0:
		return nil, nil
	case whole && len(one) == 1:
		return nil, [][]Patch{one}
	case h.version == 1 || whole:
		return nil, h.apart(old)
	}
	return h.move(allocate)
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

// move puts all messages into new blocks, those that change into a small one.
func (h *GrowingHeader) move(allocate func(n int64) int64) (fresh []Patch, steps [][]Patch) {
	extents, index := h.offsets()
	h.first.data = slices.Clone(h.first.data)
	copy(h.first.data[extents:], h.bytes(h.space))
	h.second.data = slices.Clone(h.second.data)
	copy(h.second.data[index:], h.bytes(h.layout))

	rest := []byte("OCHK")
	for i := range h.others {
		rest = h.append(rest, &h.others[i])
	}
	rest = appendChecksum(rest, 0)
	behind := allocate(int64(len(rest)))

	small, second := h.small(behind, len(rest))
	at := inplace.Fit(allocate(int64(len(small))+inplace.Sector), int64(len(small)))
	start := h.start(at, len(small))
	from, to := inplace.Changed(h.blocks[0].raw[:len(start)], start)

	head := 4 + h.messageHead()
	h.first.at = at + int64(head)
	h.second.at = at + int64(second)
	h.blocks = []headerBlock{{h.address, start}, {at, small}, {behind, rest}}
	h.space = field{1, head + extents, h.space.n}
	h.layout = field{1, second + index, 8}
	return []Patch{{behind, rest}, {at, small}}, [][]Patch{{{h.address + int64(from), start[from:to]}}}
}

func (h *GrowingHeader) bytes(f field) []byte { return h.blocks[f.block].raw[f.at:][:f.n] }

// messageHead is the bytes before the data of a message of version 2.
func (h *GrowingHeader) messageHead() int {
	if h.ordered {
		return 6
	}
	return 4
}

// append appends a message of version 2.
func (h *GrowingHeader) append(b []byte, m *message) []byte {
	b = append(b, m.kind)
	b = le.AppendUint16(b, uint16(len(m.data)))
	b = append(b, m.flags)
	if h.ordered {
		b = le.AppendUint16(b, m.order)
	}
	return append(b, m.data...)
}

// continuation returns the message that leads to a block.
func continuation(at int64, size int) *message {
	return &message{kind: msgContinuation, data: le.AppendUint64(le.AppendUint64(nil, uint64(at)), uint64(size))}
}

// small returns a block of the messages that change, and where the data of the second one is in it.
func (h *GrowingHeader) small(behind int64, size int) (b []byte, second int) {
	b = h.append([]byte("OCHK"), &h.first)
	second = len(b) + h.messageHead()
	b = h.append(b, &h.second)
	b = h.append(b, continuation(behind, size))
	return appendChecksum(b, 0), second
}

// start returns a first block that leads to another one.
func (h *GrowingHeader) start(at int64, size int) []byte {
	flags := h.blocks[0].raw[5]
	width := 1 << (flags & headerSizeBits)
	b := slices.Clone(h.blocks[0].raw[:h.head])
	clear(b[h.head-width:])
	b[h.head-width] = byte(h.messageHead() + 16)
	b = h.append(b, continuation(at, size))
	return appendChecksum(b, 0)
}
