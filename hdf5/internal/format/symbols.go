package format

import (
	"strings"

	"github.com/cairn-go/cairn"
)

// A symbol table message has the address of a B-tree of version 1, whose leaves are the addresses
// of nodes, and that of a local heap with the names:
//
//	"SNOD", u8 version, u8 reserved, u16 symbols, for each symbol
//	offset of the name, address of the object header, u32 kind, 4 reserved, 16 bytes
//
//	"HEAP", u8 version, 3 reserved, size of the data, offset of a free list, address of the data

const (
	layerSymbols = "symbol table"
	layerHeap    = "local heap"

	symbolSoft = 2 // a kind: the 16 bytes begin with the offset of the path
)

func (r *Reader) symbolTable(m *message) ([]Link, error) {
	c := r.cursor(layerSymbols, m.data, m.at)
	tree := c.address()
	heap := c.address()
	if err := c.done(); err != nil {
		return nil, err
	}

	data, err := r.localHeap(heap)
	if err != nil {
		return nil, err
	}

	s := symbolReading{Reader: r, names: string(data), left: len(data)}
	err = r.walkTree(tree, groupTree, 0, func(_ []byte, node int64) error { return s.node(node) })
	return s.links, err
}

// A symbolReading is a symbol table that is being read.
type symbolReading struct {
	*Reader
	links []Link
	names string // the data of the heap
	left  int    // bytes of names that have not been used
}

// localHeap returns the data of a local heap.
func (r *Reader) localHeap(at int64) ([]byte, error) {
	size := int64(8 + 2*r.LengthSize + r.OffsetSize)
	b, err := r.Bytes(layerHeap, at, size, size)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerHeap, b, at)
	c.signature("HEAP")
	c.version(layerHeap, 0, 0)
	c.Skip(3)
	n := c.length()
	c.uint(r.LengthSize)
	data := c.address()
	if err := c.done(); err != nil {
		return nil, err
	}

	return r.Bytes(layerHeap, data, n, r.Limits.MaxMeta)
}

// name returns the string at an offset of the heap, and whether there is one.
func (s *symbolReading) name(at int64) (string, bool) {
	if at < 0 || at >= int64(len(s.names)) {
		return "", false
	}

	name := s.names[at:]
	n := strings.IndexByte(name[:min(len(name), s.left)], 0)
	if n < 0 { // no end, or names that overlap
		return "", false
	}
	s.left -= n + 1
	return name[:n], true
}

// node reads the links of a node.
func (s *symbolReading) node(at int64) error {
	const head = 8
	b, err := s.Bytes(layerSymbols, at, head, head)
	if err != nil {
		return err
	}

	c := s.cursor(layerSymbols, b, at)
	c.signature("SNOD")
	c.version(layerSymbols, 1, 1)
	c.Skip(1)
	n := int64(c.u16())
	if err := c.done(); err != nil {
		return err
	}

	entry := int64(s.LengthSize + s.OffsetSize + 24)
	if b, err = s.Bytes(layerSymbols, at+head, n*entry, n*entry); err != nil {
		return err
	}

	c = s.cursor(layerSymbols, b, at+head)
	for range n {
		name := c.length()
		l := Link{Address: c.address()}
		kind := c.u32()
		c.Skip(4)
		target := int64(c.u32()) // in the scratch pad, if it is a soft link

		c.Skip(12)
		if err := c.done(); err != nil {
			return err
		}

		var ok bool
		if l.Name, ok = s.name(name); ok && kind == symbolSoft {
			l.Kind = Soft
			l.Target, ok = s.name(target)
		}

		if !ok || l.Name == "" {
			return cairn.Corruptf(layerSymbols, s.offset(at), "a name is not in the heap")
		}

		s.links = append(s.links, l)
		if err := s.tooMany(len(s.links)); err != nil {
			return err
		}
	}
	return nil
}
