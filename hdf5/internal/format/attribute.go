package format

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/cairn-go/cairn"
)

// An attribute message is
//
//	u8 version, u8 flags (reserved in version 1), u16 size of the name, u16 of the datatype,
//	u16 of the dataspace, in version 3 u8 character set,
//	name with a zero byte, datatype, dataspace, data
//
// In version 1 each of the three fills a multiple of 8 bytes.

// An Attribute is a small array with a name.
type Attribute struct {
	Name  string
	Type  *Datatype
	Space Dataspace
	Data  []byte // of the items; the caller must not change it
	// why the datatype, and so the data, cannot be read; or nil
	Err   error
	order uint32
	raw   []byte // the message, of one that is kept as it is
}

const (
	layerAttribute = "attribute message"
	layerAttrInfo  = "attribute info message"

	attrSharedType  = 1 << 0
	attrSharedSpace = 1 << 1

	mostAttributes = 1 << 16 // attributes of an object
)

// Attributes returns the attributes of an object in the order of their creation if the file has
// recorded it. Else those of its header are in their order there, those of a heap sorted by name.
func (r *Reader) Attributes(h *Header) ([]Attribute, error) {
	var list []Attribute
	left := r.Limits.MaxMeta
	add := func(data []byte, at int64, order uint32) error {
		left -= int64(len(data))
		if len(list) == mostAttributes || left < 0 {
			return fmt.Errorf("more than %d attributes or %d bytes of them: %w", mostAttributes, r.Limits.MaxMeta,
				cairn.ErrLimit)
		}

		a, err := r.attribute(data, at)
		a.order = order
		list = append(list, a)
		return err
	}

	for i := range h.messages {
		m := &h.messages[i]
		if m.kind != msgAttribute {
			continue
		}

		data, at, err := r.resolved(m)
		if err != nil {
			return nil, err
		}

		if err = add(data, at, uint32(m.order)); err != nil {
			return nil, err
		}
	}

	byOrder := func(i, j int) bool { return list[i].order < list[j].order }
	sort.SliceStable(list, byOrder)

	// An object with many attributes has them in a heap.
	m := h.find(msgAttrInfo)
	if m == nil {
		return list, nil
	}

	c := r.cursor(layerAttrInfo, m.data, m.at)
	c.version(layerAttrInfo, 0, 0)
	ordered := c.Uint8()&infoOrdered != 0
	if ordered {
		c.Skip(2)
	}

	heap := c.address()
	names := c.address()
	if err := c.done(); err != nil || heap == None {
		return list, err
	}

	err := r.denseAttributes(heap, names, func(b []byte, _ uint8, order uint32) error { return add(b, None, order) })
	if !ordered {
		byOrder = func(i, j int) bool { return list[i].Name < list[j].Name }
	}

	sort.SliceStable(list, byOrder)
	return list, err
}

// denseAttributes calls add for the attributes of a heap, with the flags of their messages. The
// records of the tree are an ID, flags, the order of creation and a hash.
func (r *Reader) denseAttributes(heap, names int64, add func(data []byte, flags uint8, order uint32) error) error {
	h, err := r.FractalHeap(heap)
	if err != nil {
		return err
	}

	const size = heapIDSize + 1 + 4 + checksumSize
	records, err := r.heapRecords(h, names, attributeRecord, size, 0, func(n int) error {
		if n > mostAttributes {
			return fmt.Errorf("more than %d attributes: %w", mostAttributes, cairn.ErrLimit)
		}
		return nil
	})
	if err != nil {
		return err
	}

	for _, record := range records {
		c := r.cursor(layerTree2, record, None)
		id := c.Bytes(heapIDSize)
		flags := c.Uint8()
		order := c.u32()

		var b []byte
		if flags&msgShared != 0 {
			b, err = r.sharedInHeap(msgAttribute, id)
		} else {
			b, err = r.Object(h, id)
		}

		if err != nil {
			return err
		}

		if err = add(b, flags, order); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) attribute(b []byte, at int64) (Attribute, error) {
	var a Attribute
	c := r.cursor(layerAttribute, b, at)
	version := c.version(layerAttribute, 1, 3)
	flags := c.Uint8()

	var sizes [3]int64
	for i := range sizes {
		sizes[i] = int64(c.u16())
	}

	if version == 3 {
		c.Skip(1)
	}

	var parts [3][]byte
	var places [3]int64
	for i, n := range sizes {
		if version == 1 {
			n = (n + 7) &^ 7
		}

		places[i] = None
		if at != None {
			places[i] = at + int64(c.Pos())
		}
		parts[i] = c.Bytes(n)
	}

	a.Data = c.Bytes(int64(c.Len()))
	if err := c.done(); err != nil {
		return a, err
	}

	name, _, _ := bytes.Cut(parts[0], []byte{0})
	a.Name = string(name)
	if version == 1 {
		flags = 0
	}

	a.Err = r.attributeType(&a, flags, parts, places)
	return a, nil
}

// attributeType reads the datatype and the dataspace of an attribute.
func (r *Reader) attributeType(a *Attribute, flags uint8, parts [3][]byte, places [3]int64) error {
	kinds := [3]uint8{0, msgDatatype, msgDataspace}
	for i, flag := range []uint8{1: attrSharedType, 2: attrSharedSpace} {
		if i == 0 || flags&flag == 0 {
			continue
		}
		var err error
		if parts[i], places[i], err = r.unshare(kinds[i], parts[i], places[i]); err != nil {
			return err
		}
	}

	var err error
	if a.Type, err = r.datatype(parts[1], places[1]); err != nil {
		return err
	}
	if a.Space, err = r.dataspace(parts[2], places[2]); err != nil {
		return err
	}

	size := a.Type.Size
	for _, n := range a.Space.Shape {
		if n > 0 && size > 1<<62/n {
			return cairn.Corruptf(layerAttribute, r.offset(places[2]), "attribute of shape %v", a.Space.Shape)
		}
		size *= n
	}

	if a.Space.Null {
		size = 0
	}

	if int64(len(a.Data)) < size {
		return cairn.Corruptf(layerAttribute, r.offset(places[0]), "%d bytes of data, want %d", len(a.Data), size)
	}

	a.Data = a.Data[:size]
	return nil
}
