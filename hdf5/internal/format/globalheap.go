package format

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
)

// A collection of a global heap has items of variable length:
//
//	"GCOL", u8 version, 3 reserved, size of the collection, objects
//	object: u16 number, u16 references, 4 reserved, size, data, padding to a multiple of 8 bytes
//
// Both heads fill multiples of 8 bytes too, which matters for sizes of 4 bytes.
//
// An item of a dataset refers to an object by the u32 length of the item, the address of the
// collection and the u32 number.

const layerGlobal = "global heap"

// A Collection is a collection of a global heap: its objects by their number.
type Collection struct {
	at      int64
	objects map[uint32][]byte
}

// Collection reads the collection at an address.
func (r *Reader) Collection(at int64) (*Collection, error) {
	head := (8 + int64(r.LengthSize) + 7) &^ 7
	b, err := r.Bytes(layerGlobal, at, head, head)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerGlobal, b, at)
	c.signature("GCOL")
	c.version(layerGlobal, 1, 1)
	c.Skip(3)
	size := c.length()
	if err := c.done(); err != nil {
		return nil, err
	}

	if b, err = r.Bytes(layerGlobal, at, size, r.Limits.MaxAlloc); err != nil {
		return nil, err
	}
	if size <= pageSize {
		b = slices.Clone(b) // so that the page may go
	}

	g := &Collection{at: at, objects: map[uint32][]byte{}}
	c = r.cursor(layerGlobal, b, at)
	c.Skip(head)

	for int64(c.Len()) >= head {
		number := c.u16()
		c.Skip(6)
		n := c.length()
		if number == 0 { // what is free goes up to the end
			break
		}

		c.Skip(head - 8 - int64(r.LengthSize))
		g.objects[uint32(number)] = c.Bytes(n)
		c.Skip(min(-n&7, int64(c.Len())))
	}
	return g, c.done()
}

// Size returns the bytes that the collection takes in memory, roughly.
func (g *Collection) Size() int64 {
	n := int64(64)
	for _, b := range g.objects {
		n += int64(len(b)) + 64
	}
	return n
}

// A HeapRef is a place in a global heap: the value of an item of variable length.
type HeapRef struct {
	Count      int64 // elements of the item
	Collection int64 // address
	Number     uint32
}

// HeapRef reads a reference to an object of a global heap from b.
func (f *File) HeapRef(b []byte) HeapRef {
	c := f.cursor(layerGlobal, b, None)
	return HeapRef{Count: int64(c.u32()), Collection: c.address(), Number: c.u32()}
}

// Object returns the object of a reference, with elements of size bytes. The caller must not change
// it.
func (g *Collection) Object(ref HeapRef, size int64) ([]byte, error) {
	b, ok := g.objects[ref.Number]
	if !ok {
		return nil, cairn.Corruptf(layerGlobal, -1, "no object %d in the collection at address %d", ref.Number, g.at)
	}
	if ref.Count > int64(len(b))/size {
		return nil, cairn.Corruptf(layerGlobal, -1, "object %d has %d bytes for %d elements", ref.Number, len(b), ref.Count)
	}
	return b[:ref.Count*size], nil
}

// Address reads an address of an object from a reference to it; None if there is none.
func (f *File) Address(b []byte) (int64, error) {
	var v uint64
	switch len(b) {
	case 8:
		v = binary.LittleEndian.Uint64(b)
	case 4:
		v = uint64(binary.LittleEndian.Uint32(b))
	default:
		return None, fmt.Errorf("reference of %d bytes: %w", len(b), cairn.ErrUnsupported)
	}
	if v == 0 || v == ones(len(b)) || int64(v) < 0 {
		return None, nil
	}
	return int64(v), nil
}

// Whole returns the object of a number with all its bytes, and those that pad it, which the caller
// must not change.
func (g *Collection) Whole(number uint32) ([]byte, error) {
	b, ok := g.objects[number]
	if !ok {
		return nil, cairn.Corruptf(layerGlobal, -1, "no object %d in the collection at address %d", number, g.at)
	}
	return b, nil
}
