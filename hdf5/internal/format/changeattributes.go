package format

import (
	"fmt"
	"slices"
	"sort"

	"github.com/cairn-go/cairn"
)

// changingAttributes are the attributes of an object that changes, in the order of the file. Those
// that are not changed keep their bytes, whatever these mean.
type changingAttributes struct {
	list []namedMessage
	info message // the attribute info message; data are nil if there is none
	next uint32  // number in the order of creation of the next one
}

// A namedMessage is the message of an attribute or a link.
type namedMessage struct {
	name string
	message
	number int64 // in the order of creation, -1 if the file does not record that
}

// readAttributes reads the attributes when they are first needed.
func (h *ChangingHeader) readAttributes() error {
	if h.attributes != nil {
		return nil
	}
	a := &changingAttributes{}
	heap := None
	names := None
	if m := h.find(msgAttrInfo); m != nil {
		c := h.r.cursor(layerAttrInfo, m.data, m.at)
		c.version(layerAttrInfo, 0, 0)
		if c.Uint8()&infoOrdered != 0 {
			a.next = uint32(c.u16())
		}
		heap = c.address()
		names = c.address()
		if err := c.done(); err != nil {
			return err
		}
		a.info = *m
	}

	taken := h.take(msgAttribute)
	h.take(msgAttrInfo)
	for _, m := range taken {
		data, at, err := h.r.resolved(&m)
		if err != nil {
			return err
		}
		if err := a.add(h.r, m, data, at); err != nil {
			return err
		}
	}
	if heap != None {
		err := h.r.denseAttributes(heap, names, func(data []byte, flags uint8, order uint32) error {
			if flags&msgShared != 0 {
				return unsupported("attributes in a heap that objects share; cairn copy makes a file that can be changed")
			}
			if len(a.list) == mostAttributes {
				return fmt.Errorf("more than %d attributes: %w", mostAttributes, cairn.ErrLimit)
			}
			m := message{kind: msgAttribute, flags: flags, order: uint16(order), at: None, data: slices.Clone(data)}
			return a.add(h.r, m, data, None)
		})
		if err != nil {
			return err
		}
	}
	if h.ordered {
		sort.SliceStable(a.list, func(i, j int) bool { return a.list[i].order < a.list[j].order })
	}
	h.attributes = a
	return nil
}

// add adds a message, whose attribute is in data.
func (a *changingAttributes) add(r *Reader, m message, data []byte, at int64) error {
	read, err := r.attribute(data, at)
	if err == nil {
		a.list = append(a.list, namedMessage{name: read.Name, message: m})
		a.next = max(a.next, uint32(m.order)+1)
	}
	return err
}

// place returns the number of an attribute in the list, or -1.
func place(list []namedMessage, name string) int {
	return slices.IndexFunc(list, func(m namedMessage) bool { return m.name == name })
}

// SetAttribute sets an attribute. One that is there keeps its place in the order.
func (h *ChangingHeader) SetAttribute(at *Attribute) error {
	if err := h.readAttributes(); err != nil {
		return err
	}
	a := h.attributes
	m := message{kind: msgAttribute, at: None, data: at.Append(nil)}
	if i := place(a.list, at.Name); i >= 0 {
		m.order = a.list[i].order
		a.list[i].message = m
		return nil
	}

	if h.ordered {
		if a.next >= MaxAttributes {
			return unsupported("an attribute of an object that has had %d; cairn copy makes a file that can have more", a.next)
		}
		m.order = uint16(a.next)
		a.next++
	}
	if len(a.list) == MaxAttributes {
		return unsupported("more than %d attributes", MaxAttributes)
	}
	a.list = append(a.list, namedMessage{name: at.Name, message: m})
	return nil
}

// RemoveAttribute removes an attribute, and reports whether there was one.
func (h *ChangingHeader) RemoveAttribute(name string) (bool, error) {
	if err := h.readAttributes(); err != nil {
		return false, err
	}
	i := place(h.attributes.list, name)
	if i >= 0 {
		h.attributes.list = slices.Delete(h.attributes.list, i, i+1)
	}
	return i >= 0, nil
}

// assemble returns the messages of the attributes, and what says where they are.
func (a *changingAttributes) assemble(h *ChangingHeader, c *HeaderChange,
	allocate func(n int64) int64) (list []message, err error) {
	large := false
	for _, m := range a.list {
		large = large || len(m.data) > MaxMessage
		list = append(list, m.message)
	}
	if h.version == 1 {
		return list, nil
	}

	dense := &NewDense{Heap: None, Names: None, Order: None}
	if large {
		all := make([]*Attribute, len(a.list))
		for i, m := range a.list {
			if m.flags&msgShared != 0 {
				return nil, unsupported("an attribute of more than 64 KiB beside one that objects share")
			}
			all[i] = &Attribute{Name: m.name, order: uint32(m.order), raw: m.data}
		}
		dense = &NewDense{}
		at := allocate(dense.Layout(0, all))
		dense.Layout(at, all)
		c.Fresh = append(c.Fresh, Patch{at, dense.Append(nil)})
		list = nil
	}
	return append(list, a.infoOf(h, dense)...), nil
}

// infoOf returns the attribute info message, none if the object needs none.
func (a *changingAttributes) infoOf(h *ChangingHeader, dense *NewDense) []message {
	flags := h.blocks[0].raw[5]
	if a.info.data == nil && len(a.list) == 0 {
		return nil
	}
	info := byte(0)
	b := []byte{0, 0}
	if flags&headerOrdered != 0 {
		info |= infoOrdered
		b = le.AppendUint16(b, uint16(min(a.next, MaxAttributes)))
	}
	b = le.AppendUint64(b, uint64(dense.Heap))
	b = le.AppendUint64(b, uint64(dense.Names))
	if flags&headerIndexed != 0 {
		info |= infoOrderIndexed
		b = le.AppendUint64(b, uint64(dense.Order))
	}
	b[1] = info

	m := a.info
	m.kind = msgAttrInfo
	if string(m.data) != string(b) {
		m.edit(b)
	}
	return []message{m}
}
