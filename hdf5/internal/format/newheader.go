package format

import (
	"encoding/binary"
	"math"

	"github.com/cairn-go/cairn/hdf5/filter"
)

// Headers that are written have version 2, and their messages the latest versions that the HDF5
// library 1.8 reads. Addresses and lengths have 8 bytes.

// headerIndexed says that attributes are indexed by the order of their creation, which is recorded
// too.
const headerIndexed = 1 << 3

// le appends little-endian numbers.
var le = binary.LittleEndian

// add appends a message.
func (h *Header) add(kind, flags uint8, data []byte) {
	h.messages = append(h.messages, message{kind: kind, flags: flags, data: data})
}

const msgConstant = 1 << 0 // a flag: the message is not to be changed

// AddDataspace adds the dataspace of a dataset.
func (h *Header) AddDataspace(s Dataspace) { h.add(msgDataspace, 0, s.Append(nil)) }

// AddDatatype adds the datatype of a dataset, or makes the object one.
func (h *Header) AddDatatype(d *Datatype) { h.add(msgDatatype, msgConstant, d.Append(nil)) }

// AddFill adds the fill value of a dataset; nil is the default one. It must follow the layout.
func (h *Header) AddFill(value []byte, l *Layout) {
	const ifSet = 2 << 2                                     // it is written
	when := [...]byte{Compact: 1, Contiguous: 2, Chunked: 3} // space is allocated
	flags := when[l.Class] | ifSet
	if value == nil {
		h.add(msgFill, msgConstant, []byte{3, flags})
		return
	}
	b := le.AppendUint32([]byte{3, flags | fillDefined}, uint32(len(value)))
	h.add(msgFill, msgConstant, append(b, value...))
}

// AddLayout adds the layout of a dataset. Chunks have an index of the kind TreeIndex.
func (h *Header) AddLayout(l *Layout) {
	b := []byte{3, byte(l.Class)}
	switch l.Class {
	case Compact:
		b = le.AppendUint16(b, uint16(len(l.Data)))
		b = append(b, l.Data...)
	case Contiguous:
		b = le.AppendUint64(b, uint64(l.Address))
		b = le.AppendUint64(b, uint64(l.Size))
	case Chunked:
		b = append(b, byte(len(l.Chunk)+1))
		b = le.AppendUint64(b, uint64(l.Address))
		for _, n := range l.Chunk {
			b = le.AppendUint32(b, uint32(n))
		}
		b = le.AppendUint32(b, uint32(l.ItemSize))
	}
	h.add(msgLayout, 0, b)
}

// AddPipeline adds the filters of a dataset.
func (h *Header) AddPipeline(filters []filter.Filter) {
	b := []byte{2, byte(len(filters))}
	for _, f := range filters {
		b = le.AppendUint16(b, uint16(f.ID))
		name := []byte(f.ID.String() + "\x00")
		if f.ID >= firstForeign {
			b = le.AppendUint16(b, uint16(len(name)))
		}

		const optional = 1 // a chunk that would not become smaller is stored without the filter
		flags := uint16(optional)
		if f.ID == filter.Fletcher32 {
			flags = 0
		}
		b = le.AppendUint16(b, flags)
		b = le.AppendUint16(b, uint16(len(f.Params)))
		if f.ID >= firstForeign {
			b = append(b, name...)
		}
		for _, p := range f.Params {
			b = le.AppendUint32(b, p)
		}
	}
	h.add(msgPipeline, msgConstant, b)
}

// AddGroup makes the object a group of n links, which are to be added.
func (h *Header) AddGroup(n int) {
	b := []byte{0, infoOrdered | infoOrderIndexed}
	b = le.AppendUint64(b, uint64(n))
	for range 3 { // heap and trees that it does not need
		b = le.AppendUint64(b, math.MaxUint64)
	}
	h.add(msgLinkInfo, 0, b)
	h.add(msgGroupInfo, msgConstant, []byte{0, 0})
}

// AddReferences says how many hard links lead to the object.
func (h *Header) AddReferences(n int) {
	h.add(msgReferences, 0, le.AppendUint32([]byte{0}, uint32(n)))
}

// AddLink adds a link, the i-th of a group.
func (h *Header) AddLink(l *Link, i int) { h.add(msgLink, 0, l.append(nil, int64(i))) }

// append appends a link message, with its number in the order of creation unless that is negative.
func (l *Link) append(b []byte, order int64) []byte {
	const utf8 = 1
	flags := byte(linkCharset)
	if order >= 0 {
		flags |= linkOrdered
	}
	width := 0
	for len(l.Name)>>(8<<width) > 0 {
		width++
	}

	flags |= byte(width)
	switch l.Kind {
	case Soft:
		b = append(b, 1, flags|linkKind, linkSoft)
	case External:
		b = append(b, 1, flags|linkKind, linkExternal)
	default:
		b = append(b, 1, flags)
	}
	if order >= 0 {
		b = le.AppendUint64(b, uint64(order))
	}
	b = append(b, utf8)
	b = append(le.AppendUint32(b, uint32(len(l.Name)))[:len(b)+1<<width], l.Name...)
	switch l.Kind {
	case Soft:
		b = le.AppendUint16(b, uint16(len(l.Target)))
		b = append(b, l.Target...)
	case External: // a version, the name of the file, and the path
		b = le.AppendUint16(b, uint16(1+len(l.File)+1+len(l.Target)+1))
		b = append(b, 0)
		b = append(append(b, l.File...), 0)
		b = append(append(b, l.Target...), 0)
	default:
		b = le.AppendUint64(b, uint64(l.Address))
	}
	return b
}

// AddAttributeInfo says how many attributes there are, which are to be added unless they are dense.
func (h *Header) AddAttributeInfo(n int, d *NewDense) {
	b := []byte{0, infoOrdered | infoOrderIndexed}
	b = le.AppendUint16(b, uint16(n))
	if d == nil {
		d = &NewDense{Heap: None, Names: None, Order: None}
	}
	for _, at := range []int64{d.Heap, d.Names, d.Order} {
		b = le.AppendUint64(b, uint64(at))
	}
	h.add(msgAttrInfo, 0, b)
}

// AddAttribute adds an attribute, the i-th of the object.
func (h *Header) AddAttribute(a *Attribute, i int) {
	h.add(msgAttribute, 0, a.Append(nil))
	h.messages[len(h.messages)-1].order = uint16(i)
}

// MaxMessage is the most bytes of a message.
const MaxMessage = math.MaxUint16

// Fits reports whether what an attribute message has beside the data is not too large for it.
func (a *Attribute) Fits() bool {
	return len(a.Name) < MaxMessage && len(a.Type.Append(nil)) <= MaxMessage
}

// Append appends an attribute message.
func (a *Attribute) Append(b []byte) []byte {
	const utf8 = 1
	if a.raw != nil {
		return append(b, a.raw...)
	}
	of := a.Type.Append(nil)
	space := a.Space.Append(nil)
	b = append(b, 3, 0)
	b = le.AppendUint16(b, uint16(len(a.Name)+1))
	b = le.AppendUint16(b, uint16(len(of)))
	b = le.AppendUint16(b, uint16(len(space)))
	b = append(b, utf8)
	b = append(b, a.Name...)
	b = append(b, 0)
	b = append(b, of...)
	b = append(b, space...)
	return append(b, a.Data...)
}

// Append appends a dataspace message.
func (s *Dataspace) Append(b []byte) []byte {
	const scalar, simple = 0, 1
	kind := byte(simple)
	flags := byte(0)
	switch {
	case s.Null:
		return append(b, 2, 0, 0, spaceNull)
	case len(s.Shape) == 0:
		kind = scalar
	case s.Max != nil:
		flags = spaceHasMax
	}

	b = append(b, 2, byte(len(s.Shape)), flags, kind)
	for _, n := range s.Shape {
		b = le.AppendUint64(b, uint64(n))
	}
	if flags != 0 {
		for _, n := range s.Max {
			b = le.AppendUint64(b, uint64(n)) // None is all ones
		}
	}
	return b
}

// Append appends the header as it is in a file.
func (h *Header) Append(b []byte) []byte {
	const perMessage = 1 + 2 + 1 + 2
	size := 0
	for _, m := range h.messages {
		size += perMessage + len(m.data)
	}
	width := 0
	for size>>(8<<width) > 0 {
		width++
	}

	start := len(b)
	b = append(b, "OHDR\x02"...)
	b = append(b, byte(width)|headerOrdered|headerIndexed)
	b = le.AppendUint64(b, uint64(size))[:len(b)+1<<width]
	for _, m := range h.messages {
		b = append(b, m.kind)
		b = le.AppendUint16(b, uint16(len(m.data)))
		b = append(b, m.flags)
		b = le.AppendUint16(b, m.order)
		b = append(b, m.data...)
	}
	return appendChecksum(b, start)
}

// appendChecksum appends the checksum of what follows start.
func appendChecksum(b []byte, start int) []byte { return le.AppendUint32(b, lookup3(b[start:])) }

// SuperblockSize is the size of a superblock that is written.
const SuperblockSize = 48

// AppendSuperblock appends the superblock of a file of size bytes.
func AppendSuperblock(b []byte, size, root int64) []byte {
	start := len(b)
	b = append(b, Signature...)
	b = append(b, 2, 8, 8, 0)
	b = le.AppendUint64(b, 0) // base address
	b = le.AppendUint64(b, math.MaxUint64)
	b = le.AppendUint64(b, uint64(size))
	b = le.AppendUint64(b, uint64(root))
	return appendChecksum(b, start)
}
