package format

import (
	"slices"

	"github.com/cairn-go/cairn/internal/inplace"
)

// A header that moves keeps its first block, which leads to a new one with most messages, and that
// to a small one with those that change:
//
//	first block: continuation, and in version 1 a message of no meaning over what is left
//	second one:  all other messages, continuation
//	small one:   dataspace, layout

// Room returns how many bytes the small block of a header takes that moves, 0 if it cannot.
func (h *GrowingHeader) Room() int64 {
	small, _ := h.small()
	n := int64(len(small)+7) &^ 7
	start := h.start(0, 0)
	unchanged := int64(4)
	if h.version == 1 {
		unchanged = 2
	}
	if start == nil || n > inplace.Sector || !inplace.Whole(h.address+unchanged, int64(len(start))-unchanged) {
		return 0
	}
	return n
}

// Move puts all messages into new blocks, those that change into a small one, for which fit returns
// a place within one sector. What is fresh must be durable before the patch is made, which is
// within one sector. The header says the same before and after it.
func (h *GrowingHeader) Move(allocate, fit func(n int64) int64) (fresh []Patch, patch Patch) {
	extents, index := h.offsets()
	h.first.data = slices.Clone(h.first.data)
	copy(h.first.data[extents:], h.bytes(h.space))
	h.second.data = slices.Clone(h.second.data)
	copy(h.second.data[index:], h.bytes(h.layout))

	small, second := h.small()
	at := fit(int64(len(small)))
	rest := h.signature()
	for i := range h.others {
		rest = h.append(rest, &h.others[i])
	}
	rest = h.sum(h.append(rest, continuation(at, len(small))))
	behind := allocate(int64(len(rest)))

	start := h.start(behind, len(rest))
	from, to := inplace.Changed(h.blocks[0].raw[:len(start)], start)
	head := len(h.signature()) + h.messageHead()
	h.first.at = at + int64(head)
	h.second.at = at + int64(second)
	first := slices.Clone(h.blocks[0].raw)
	if h.version == 2 {
		first = first[:len(start)]
	}
	copy(first, start)
	h.blocks = []headerBlock{{h.address, first}, {at, small}, {behind, rest}}
	h.space = field{1, head + extents, h.space.n}
	h.layout = field{1, second + index, 8}
	return []Patch{{behind, rest}, {at, small}}, Patch{h.address + int64(from), start[from:to]}
}

func (h *GrowingHeader) bytes(f field) []byte { return h.blocks[f.block].raw[f.at:][:f.n] }

// signature returns what a block begins with that is not the first one.
func (h *headerBlocks) signature() []byte {
	if h.version == 1 {
		return nil
	}
	return []byte("OCHK")
}

// sum appends the checksum of a block.
func (h *headerBlocks) sum(b []byte) []byte {
	if h.version == 1 {
		return b
	}
	return appendChecksum(b, 0)
}

// messageHead is the bytes before the data of a message.
func (h *headerBlocks) messageHead() int {
	switch {
	case h.version == 1:
		return 8
	case h.ordered:
		return 6
	}
	return 4
}

// append appends a message.
//
//go:noinline
func (h *headerBlocks) append(b []byte, m *message) []byte {
	if h.version == 1 {
		b = append(b, m.kind, 0)
		b = le.AppendUint16(b, uint16(len(m.data)))
		b = append(b, m.flags, 0, 0, 0)
		return append(b, m.data...)
	}
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
func (h *GrowingHeader) small() (b []byte, second int) {
	b = h.append(h.signature(), &h.first)
	second = len(b) + h.messageHead()
	return h.sum(h.append(b, &h.second)), second
}

// start returns what the first block begins with if it leads to another one, or nil if it cannot.
func (h *GrowingHeader) start(at int64, size int) []byte {
	old := h.blocks[0].raw
	b := slices.Clone(old[:h.head])
	if h.version == 1 {
		return h.start1(h.append(b, continuation(at, size)))
	}

	width := 1 << (old[5] & headerSizeBits)
	clear(b[h.head-width:])
	b[h.head-width] = byte(h.messageHead() + 16)
	b = h.sum(h.append(b, continuation(at, size)))
	if len(b) > len(old) {
		return nil
	}
	return b
}

// start1 is start for headers of version 1, whose first block keeps its size, and which say how
// many messages they have. Their data are multiples of eight bytes.
func (h *GrowingHeader) start1(b []byte) []byte {
	const most = 1<<16 - 8
	count := 2 + len(h.others) + 2
	left := len(h.blocks[0].raw) - len(b)
	if left > 0 {
		left -= h.messageHead()
		count++
		b = h.append(b, &message{kind: msgNil})
		le.PutUint16(b[len(b)-8+2:], uint16(left))
	}

	for _, m := range append([]message{h.first, h.second}, h.others...) {
		if len(m.data)%8 != 0 || m.kind > msgMost {
			return nil
		}
	}
	if left < 0 || left > most || left%8 != 0 || count >= 1<<16 {
		return nil
	}
	le.PutUint16(b[2:], uint16(count))
	return b
}
