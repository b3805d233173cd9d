package format

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn"
)

// A B-tree of version 2 has records in its inner nodes too:
//
//	"BTHD", u8 version, u8 type, u32 size of nodes, u16 size of records, u16 depth, u8, u8,
//	address of the root, u16 records of the root, records of the tree, checksum
//
//	"BTIN" or "BTLF", u8 version, u8 type, records, in an inner node for each child
//	its address, its records and, above the lowest two levels, those of its tree; checksum

const layerTree2 = "B-tree of version 2"

// Types of trees, by what their records are about.
const (
	hugeRecord       = 1
	hugePackedRecord = 2
	linkRecord       = 5
	attributeRecord  = 8
	chunkRecord      = 10
	packedRecord     = 11 // a filtered chunk
)

const (
	nodePrefix   = 6       // bytes of a node before its records
	mostNodeSize = 1 << 24 // bytes of a node of a B-tree
)

// A tree2 is the header of a tree.
type tree2 struct {
	kind       uint8
	nodeSize   int64
	recordSize int
	depth      int
	split      int // per cent of a full node at which it is split
	merge      int // and below which two are merged
	root       child2
	levels     []level2 // from the leaves up
}

// A child2 is a node as its parent describes it.
type child2 struct {
	at      int64
	records int
	total   uint64 // records of the node and all below it, if it is no leaf
}

// A level2 is what the nodes of a level have in common.
type level2 struct {
	most      int    // records of a node
	total     uint64 // records of a node and all below it
	totalSize int    // bytes of such a number
}

// A node2 is a node: children[i] precedes record i.
type node2 struct {
	size     int // of a record
	count    int
	records  []byte
	children []child2
}

func (n *node2) record(i int) []byte { return n.records[i*n.size:][:n.size] }

// tree2 reads the header of a tree of a kind.
func (r *Reader) tree2(at int64) (*tree2, error) {
	size := int64(4 + 1 + 1 + 4 + 2 + 2 + 2 + r.OffsetSize + 2 + r.LengthSize + checksumSize)
	b, err := r.Bytes(layerTree2, at, size, size)
	if err != nil {
		return nil, err
	}

	b, err = r.checked(layerTree2, b, at)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerTree2, b, at)
	c.signature("BTHD")
	c.version(layerTree2, 0, 0)
	t := &tree2{kind: c.Uint8(), nodeSize: int64(c.u32()), recordSize: int(c.u16()), depth: int(c.u16())}
	t.split = int(c.Uint8())
	t.merge = int(c.Uint8())
	t.root = child2{at: c.address(), records: int(c.u16())}
	t.root.total = c.uint(r.LengthSize)

	if err := c.done(); err != nil {
		return nil, err
	}
	return t, t.measure(r, at)
}

// measure computes how many records nodes have at most, which says how large numbers of them are.
func (t *tree2) measure(r *Reader, at int64) error {
	const around = nodePrefix + checksumSize
	if t.recordSize == 0 || t.nodeSize < int64(around+t.recordSize) || t.nodeSize > mostNodeSize {
		return cairn.Corruptf(layerTree2, r.offset(at), "nodes of %d bytes with records of %d", t.nodeSize, t.recordSize)
	}

	if t.depth > mostLevels {
		return fmt.Errorf("a B-tree of %d levels, the most is %d: %w", t.depth, mostLevels, cairn.ErrLimit)
	}

	leaf := level2{most: (int(t.nodeSize) - around) / t.recordSize}
	leaf.total = uint64(leaf.most)
	t.levels = []level2{leaf}

	for range t.depth {
		below := t.levels[len(t.levels)-1]
		pointer := t.pointerSize(r, len(t.levels))
		l := level2{most: (int(t.nodeSize) - around - pointer) / (t.recordSize + pointer)}
		if l.most < 1 {
			return cairn.Corruptf(layerTree2, r.offset(at), "nodes of %d bytes have no room for children", t.nodeSize)
		}

		high, low := bits.Mul64(uint64(l.most+1), below.total)
		l.total = low + uint64(l.most)
		if high != 0 || l.total < low || int64(l.total) < 0 {
			return cairn.Corruptf(layerTree2, r.offset(at), "%d levels of nodes of %d bytes", t.depth, t.nodeSize)
		}

		l.totalSize = sizeOf(int64(l.total))
		t.levels = append(t.levels, l)
	}
	return nil
}

// pointerSize returns the bytes of a child in a node of a level.
func (t *tree2) pointerSize(r *Reader, level int) int {
	return r.OffsetSize + sizeOf(int64(t.levels[0].most)) + t.levels[level-1].totalSize
}

// node2 reads a node of a level.
func (r *Reader) node2(t *tree2, from child2, level int) (*node2, error) {
	if from.records > t.levels[level].most {
		return nil, cairn.Corruptf(layerTree2, r.offset(from.at), "node of %d records, the most is %d", from.records,
			t.levels[level].most)
	}

	size := nodePrefix + from.records*t.recordSize + checksumSize
	if level > 0 {
		size += (from.records + 1) * t.pointerSize(r, level)
	}

	b, err := r.Bytes(layerTree2, from.at, int64(size), t.nodeSize)
	if err != nil {
		return nil, err
	}

	b, err = r.checked(layerTree2, b, from.at)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerTree2, b, from.at)
	if level > 0 {
		c.signature("BTIN")
	} else {
		c.signature("BTLF")
	}

	c.version(layerTree2, 0, 0)
	c.Expect(t.kind, "type")
	n := &node2{size: t.recordSize, count: from.records, records: slices.Clone(c.Bytes(int64(from.records * t.recordSize)))}

	if level > 0 {
		n.children = make([]child2, from.records+1)
		for i := range n.children {
			n.children[i].at = c.address()
			n.children[i].records = int(c.uint(sizeOf(int64(t.levels[0].most))))
			n.children[i].total = c.uint(t.levels[level-1].totalSize)
		}
	}
	return n, c.done()
}

// walkTree2 calls do for every record of the tree at an address, in their order.
func (r *Reader) walkTree2(at int64, do func(t *tree2, record []byte) error) error {
	t, err := r.tree2(at)
	if err != nil || t.root.at == None || t.root.records == 0 {
		return err
	}

	left := r.Size()
	var walk func(from child2, level int) error
	walk = func(from child2, level int) error {
		n, err := r.node2(t, from, level)
		if err != nil {
			return err
		}

		left -= int64(nodePrefix + len(n.records))
		if left < 0 {
			return cairn.Corruptf(layerTree2, r.offset(from.at), "its nodes overlap or go in circles")
		}

		for i := range n.count + 1 {
			if level > 0 {
				if err := walk(n.children[i], level-1); err != nil {
					return err
				}
			}
			if i < n.count {
				if err := do(t, n.record(i)); err != nil {
					return err
				}
			}
		}
		return nil
	}

	return walk(t.root, t.depth)
}
