package format

import (
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inplace"
)

// A ChangingHeader is the header of an object whose attributes and links change. Its first block
// stays where it is, for links and references have its address. What it has from some message on is
// replaced by a continuation, with a write that is within one sector, and all other messages are in
// a new block:
//
//	first block: perhaps messages that stay, continuation, in version 1 a message of no meaning
//	new block:   all other messages
//
// What was there before is not overwritten, so that a reader who has begun finds it.
type ChangingHeader struct {
	headerBlocks
	r        *Reader
	old      []message // as they are in the file
	messages []message // as they will be, without attributes and links that have been read

	attributes *changingAttributes // nil until they are needed
	links      *changingLinks      // nil until they are needed
	references *Patch              // the change of their number in a header of version 1, or nil
}

// ChangingHeader reads the header at an address.
func (r *Reader) ChangingHeader(at int64) (*ChangingHeader, error) {
	in, err := r.headerReading(at)
	if err != nil {
		return nil, err
	}
	h := &ChangingHeader{r: r, old: in.messages, messages: slices.Clone(in.messages)}
	if err := h.readBlocks(r, in); err != nil {
		return nil, err
	}

	for _, m := range h.old {
		if h.version == 1 && (len(m.data)%8 != 0 || m.kind > msgMost) {
			return nil, unsupported("a message of type %#x and %d bytes in the object header at address %d, which cannot be "+
				"moved; cairn copy makes a file that can be changed", m.kind, len(m.data), at)
		}
	}
	return h, nil
}

// Address returns the address of the header.
func (h *ChangingHeader) Address() int64 { return h.address }

// find returns the message of a type as it will be, or nil.
func (h *ChangingHeader) find(kind uint8) *message {
	i := slices.IndexFunc(h.messages, func(m message) bool { return m.kind == kind })
	if i < 0 {
		return nil
	}
	return &h.messages[i]
}

// take removes all messages of a type from those that stay, and returns them.
func (h *ChangingHeader) take(kind uint8) (taken []message) {
	h.messages = slices.DeleteFunc(h.messages, func(m message) bool {
		if m.kind == kind {
			taken = append(taken, m)
		}
		return m.kind == kind
	})
	return taken
}

// edit replaces the data of a message, which keeps its place in the list.
func (m *message) edit(data []byte) {
	m.data = data
	m.at = None
}

// SetReferences says how many hard links lead to the object.
func (h *ChangingHeader) SetReferences(n int64) {
	b := le.AppendUint32(nil, uint32(n))
	if h.version == 1 {
		h.references = &Patch{h.address + 4, b}
		return
	}
	data := append([]byte{0}, b...)
	if m := h.find(msgReferences); m != nil {
		m.edit(data)
	} else if n != 1 {
		h.messages = append(h.messages, message{kind: msgReferences, at: None, data: data})
	}
}

// A HeaderChange is what is written to change a header. Fresh bytes must be durable first, then the
// steps are made, each of which must be durable before the next. All but the last of them change
// nothing that a reader finds.
type HeaderChange struct {
	Fresh []Patch
	Steps [][]Patch
	After []Patch // what may be made when all headers have changed
	// Cached are the addresses of the symbol table of a group, of which entries of other tables may
	// have a copy; nil if they do not change.
	Cached []byte
}

func (h *ChangingHeader) change() *HeaderChange {
	c := &HeaderChange{}
	if h.references != nil {
		c.After = append(c.After, *h.references)
	}
	return c
}

// step adds a step of patches.
func (c *HeaderChange) step(list ...Patch) {
	if len(list) > 0 {
		c.Steps = append(c.Steps, list)
	}
}

// Change returns what changes the header.
func (h *ChangingHeader) Change(allocate func(n int64) int64) (*HeaderChange, error) {
	c := h.change()
	now, err := h.assemble(c, allocate)
	if err != nil {
		return nil, err
	}
	if p, ok := h.direct(now); ok {
		c.step(p...)
		return c, nil
	}

	l, err := h.leading(now)
	if err != nil {
		return nil, err
	}
	block := h.block(l.moved)
	at := allocate(int64(len(block)))
	c.Fresh = append(c.Fresh, Patch{at, block})
	count, patch := h.lead(l, at, len(block), max(1, len(l.moved)))
	c.step(count...)
	c.step(patch)
	return c, nil
}

// SectorSize is the bytes that [ChangingHeader.Through] needs of a sector.
const SectorSize = 32

// Through is Change for several headers at once: the first block comes to lead to a place in a
// sector, from where it goes on to what the header has now, and the last step changes that. So one
// write of the sector changes all headers that lead there. The last step has one patch.
func (h *ChangingHeader) Through(allocate func(n int64) int64, sector int64) (*HeaderChange, error) {
	c := h.change()
	now, err := h.assemble(c, allocate)
	if err != nil {
		return nil, err
	}
	l, err := h.leading(now)
	if err != nil {
		return nil, err
	}

	// Both blocks have as many messages, for a header of version 1 says how many there are.
	var before []message
	for _, m := range h.old {
		if !l.keeps(&m) {
			before = append(before, m)
		}
	}
	for len(before) < len(l.moved) {
		before = append(before, message{kind: msgNil})
	}
	for len(l.moved) < len(before) {
		l.moved = append(l.moved, message{kind: msgNil})
	}

	var through [2][]byte
	for i, list := range [][]message{before, l.moved} {
		block := h.block(list)
		at := allocate(int64(len(block)))
		c.Fresh = append(c.Fresh, Patch{at, block})
		through[i] = h.sum(h.append(h.signature(), continuation(at, len(block))))
	}
	c.Fresh = append(c.Fresh, Patch{sector, through[0]})
	count, patch := h.lead(l, sector, len(through[0]), max(1, len(l.moved))+1)
	c.step(count...)
	c.step(patch)
	c.step(Patch{sector, through[1]})
	return c, nil
}

// block returns a block of messages.
func (h *ChangingHeader) block(list []message) []byte {
	b := h.signature()
	if len(list) == 0 {
		list = []message{{kind: msgNil}}
	}
	for i := range list {
		b = h.append(b, &list[i])
	}
	return h.sum(b)
}

// assemble returns all messages as they will be.
func (h *ChangingHeader) assemble(c *HeaderChange, allocate func(n int64) int64) ([]message, error) {
	now := slices.Clone(h.messages)
	if h.attributes != nil {
		list, err := h.attributes.assemble(h, c, allocate)
		if err != nil {
			return nil, err
		}
		now = append(now, list...)
	}
	if h.links != nil {
		list, err := h.links.assemble(h, c, allocate)
		if err != nil {
			return nil, err
		}
		now = append(now, list...)
	}

	size := 0
	for i := range now {
		m := &now[i]
		if h.version == 1 {
			m.data = pad8(m.data)
		}
		if len(m.data) > MaxMessage-7 && (h.version == 1 || len(m.data) > MaxMessage) {
			return nil, unsupported("%d bytes of an attribute or a link in the object header at address %d, the most is 64 KiB; "+
				"cairn copy makes a file that can have it", len(m.data), h.address)
		}
		size += h.messageHead() + len(m.data)
	}
	if most := min(h.r.Limits.MaxHeader, 16<<20); int64(size) > most || h.version == 1 && len(now) > 1<<16-8 {
		return nil, fmt.Errorf("%d messages of %d bytes in an object header, the most is %d: %w", len(now), size, most,
			cairn.ErrLimit)
	}
	return now, nil
}

// pad8 returns data that fill a multiple of 8 bytes.
func pad8(data []byte) []byte {
	if n := len(data) % 8; n > 0 {
		return append(slices.Clone(data), make([]byte, 8-n)...)
	}
	return data
}

// direct returns the change of a header of version 1 as a write of one message of the same size,
// and false if it is not like that. Nothing has a checksum there.
func (h *ChangingHeader) direct(now []message) (patches []Patch, ok bool) {
	changed := slices.IndexFunc(now, func(m message) bool { return m.at == None })
	if h.version != 1 || len(now) != len(h.old) {
		return nil, false
	}
	if changed < 0 {
		return nil, true
	}

	m := &now[changed]
	same := func(o message) bool { return o.kind == m.kind && len(o.data) == len(m.data) }
	was := slices.IndexFunc(h.old, same)
	rest := slices.ContainsFunc(now[changed+1:], func(m message) bool { return m.at == None })
	if m.kind != msgSymbolTable || was < 0 || rest || !inplace.Whole(h.old[was].at, int64(len(m.data))) {
		return nil, false
	}
	return []Patch{{h.old[was].at, m.data}}, true
}

// A leading is how the first block comes to lead to another one.
type leading struct {
	from   int // the offset in the block of what is replaced
	shrink bool
	kept   []int64 // addresses of the data of messages that stay, in their order
	moved  []message
}

// keeps reports whether a message stays.
func (l *leading) keeps(m *message) bool {
	_, ok := slices.BinarySearch(l.kept, m.at)
	return ok
}

// leading finds out from which message on the first block can be replaced by one write within a
// sector.
func (h *ChangingHeader) leading(now []message) (*leading, error) {
	l := &leading{from: h.head}
	inFirst := map[int64]*message{}
	for i := range now {
		inFirst[now[i].at] = &now[i]
	}
	for l.from < len(h.blocks[0].raw) {
		if h.fits(l) {
			for i := range now {
				if m := &now[i]; m.at == None || !l.keeps(m) {
					l.moved = append(l.moved, *m)
				}
			}
			return l, nil
		}

		kind, size := h.messageAt(l.from)
		at := h.address + int64(l.from+h.messageHead())
		if kind == msgContinuation || kind != msgNil && inFirst[at] == nil || size < 0 {
			break // what it says changes
		}
		if kind != msgNil {
			l.kept = append(l.kept, at)
		}
		l.from += h.messageHead() + size
	}
	return nil, fmt.Errorf("the object header at address %d cannot be changed by a write within one sector; cairn copy "+
		"makes a file where it can: %w", h.address, cairn.ErrUnsupported)
}

// messageAt returns the type and the size of the message at an offset of the first block.
func (h *ChangingHeader) messageAt(off int) (kind, size int) {
	b := h.blocks[0].raw[off:]
	switch {
	case len(b) < h.messageHead():
		return 0, -1
	case h.version == 1:
		return int(le.Uint16(b)), int(le.Uint16(b[2:]))
	}
	return int(b[0]), int(le.Uint16(b[1:]))
}

// fits reports whether the first block can be replaced from an offset on.
func (h *ChangingHeader) fits(l *leading) bool {
	n := h.messageHead() + 16
	size := len(h.blocks[0].raw)
	at := h.address + int64(l.from)
	left := size - l.from - n
	if h.version == 1 {
		const most = 1<<16 - 8
		if left > 0 {
			n += h.messageHead()
		}
		return left >= 0 && left%8 == 0 && left-h.messageHead() <= most && inplace.Whole(at, int64(n))
	}

	if l.from == h.head {
		width := 1 << (h.blocks[0].raw[5] & headerSizeBits)
		l.shrink = left >= checksumSize && inplace.Whole(at-int64(width), int64(width+n+checksumSize))
		if l.shrink {
			return true
		}
	}
	l.shrink = false
	return left >= checksumSize && left <= MaxMessage && inplace.Whole(at, int64(size-l.from))
}

// lead returns the change that makes the first block lead to another one, of size bytes and with
// some messages, and the change of what the header says of their number, where that is another one.
func (h *ChangingHeader) lead(l *leading, at int64, size, messages int) (count []Patch, patch Patch) {
	old := h.blocks[0].raw
	b := slices.Clone(old[:l.from])
	start := l.from
	switch {
	case h.version == 1:
		b = h.append(b, continuation(at, size))
		total := h.before(l.from) + 1 + messages
		if left := len(old) - len(b); left > 0 {
			total++
			b = h.append(b, &message{kind: msgNil})
			le.PutUint16(b[len(b)-8+2:], uint16(left-h.messageHead()))
		}

		if number := le.AppendUint16(nil, uint16(total)); string(number) != string(old[2:4]) {
			count = []Patch{{h.address + 2, number}}
		}
	case l.shrink:
		width := 1 << (old[5] & headerSizeBits)
		start -= width
		clear(b[start:])
		b[start] = byte(h.messageHead() + 16)
		b = h.sum(h.append(b, continuation(at, size)))
	default:
		b = h.append(b, continuation(at, size))
		left := len(old) - checksumSize - len(b) - h.messageHead()
		if left >= 0 {
			b = h.append(b, &message{kind: msgNil, data: make([]byte, left)})
		} else {
			b = append(b, make([]byte, left+h.messageHead())...)
		}

		b = h.sum(b)
	}
	return count, Patch{h.address + int64(start), b[start:]}
}

// before returns how many messages the first block has before an offset.
func (h *ChangingHeader) before(off int) (n int) {
	for at := h.head; at < off; n++ {
		_, size := h.messageAt(at)
		at += h.messageHead() + size
	}
	return n
}

// References returns how many hard links lead to the object at an address.
func (r *Reader) References(at int64) (int64, error) {
	in, err := r.headerReading(at)
	if err != nil {
		return 0, err
	}
	if in.version == 1 {
		b, err := r.Bytes(layerHeader, at, 8, 8)
		if err != nil {
			return 0, err
		}
		return int64(le.Uint32(b[4:])), nil
	}
	if m := in.find(msgReferences); m != nil && len(m.data) >= 5 {
		return int64(le.Uint32(m.data[1:])), nil
	}
	return 1, nil
}
