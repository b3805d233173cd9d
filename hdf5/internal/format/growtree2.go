package format

import (
	"slices"

	"github.com/cairn-go/cairn"
)

// A growingTree2 is a B-tree of version 2 of chunks to which chunks are added. The nodes on the way
// to what is new are written again, and the header with them.
type growingTree2 struct {
	*GrowingIndex
	*tree2
	r    *Reader
	ix   *Index
	head int // bytes of a record before its coordinates
}

// A grownNodes2 is nodes of a level, and the records between them.
type grownNodes2 struct {
	nodes   []child2
	between [][]byte
}

// putTree2 adds chunks to a tree.
func (g *GrowingIndex) putTree2(r *Reader, ix *Index, entries []ChunkEntry) (root int64, err error) {
	t := &growingTree2{GrowingIndex: g, r: r, ix: ix}
	if err := t.open(); err != nil {
		return 0, err
	}
	records := make([][]byte, len(entries))
	for i, e := range entries {
		if records[i], err = t.record(&e); err != nil {
			return 0, err
		}
	}

	var grown grownNodes2
	if t.root.at == None || t.root.records == 0 {
		t.depth = 0
		grown, err = t.divide(0, records, nil)
	} else {
		grown, err = t.put(t.root, t.depth, records)
	}
	for err == nil && len(grown.nodes) > 1 {
		t.depth++
		if err = t.fits(); err == nil {
			grown, err = t.divide(t.depth, grown.between, grown.nodes)
		}
	}
	if err != nil {
		return 0, err
	}
	return t.finish(grown.nodes[0])
}

// open reads the header, or makes one.
func (t *growingTree2) open() (err error) {
	if t.ix.address != None {
		t.tree2, err = t.r.chunkTree2(t.ix)
	} else {
		p := t.Layout.params
		t.tree2 = &tree2{kind: chunkRecord, nodeSize: int64(le.Uint32(p)), split: int(p[4]), merge: int(p[5])}
		if t.ix.packed {
			t.kind = packedRecord
		}
		t.root.at = None
		t.recordSize = t.entrySize(t.ix) + 8*t.ix.rank
	}
	if err != nil {
		return err
	}
	t.head = t.recordSize - 8*t.ix.rank
	return t.fits()
}

// fits computes how many records nodes have, for another depth too.
func (t *growingTree2) fits() error {
	if err := t.measure(t.r, t.ix.address); err != nil {
		return err
	}
	const mostCount = 1<<16 - 1
	if t.levels[0].most > mostCount || t.most(t.depth) < 2 || t.nodeSize > t.r.Limits.MaxIndex {
		return unsupported("a B-tree of version 2 with nodes of %d bytes and records of %d", t.nodeSize, t.recordSize)
	}
	return nil
}

// most returns the most records of a node that is written: the HDF5 library splits one that has
// exactly so many.
func (t *growingTree2) most(level int) int { return t.levels[level].most * min(t.split, 100) / 100 }

// record returns the record of a chunk.
func (t *growingTree2) record(e *ChunkEntry) ([]byte, error) {
	b := make([]byte, t.head, t.recordSize)
	if err := t.putEntry(t.ix, b, e.Place); err != nil {
		return nil, err
	}
	for d, n := range e.Start {
		b = le.AppendUint64(b, uint64(n/t.Layout.Chunk[d]))
	}
	return b, nil
}

// put adds records below a node, and returns the nodes that stand for it.
func (t *growingTree2) put(from child2, level int, records [][]byte) (grown grownNodes2, err error) {
	n, err := t.r.node2(t.tree2, from, level)
	if err == nil {
		err = t.r.checkRecords(t.ix, n, t.head, from.at)
	}
	if err != nil {
		return grown, err
	}

	var all [][]byte
	var children []child2
	for i := range n.count + 1 {
		these := records
		records = nil
		if i < n.count {
			these, records = t.before(these, n.record(i))
		}
		switch {
		case level == 0:
			all = append(all, these...)
		case len(these) == 0:
			children = append(children, n.children[i])
		default:
			below, err := t.put(n.children[i], level-1, these)
			if err != nil {
				return grown, err
			}
			children = append(children, below.nodes...)
			all = append(all, below.between...)
		}

		if i == n.count {
			break
		}
		same := len(records) > 0 && !inOrder(n.record(i)[t.head:], records[0][t.head:])
		if same {
			all = append(all, records[0])
			records = records[1:]
		} else {
			all = append(all, n.record(i))
		}
	}
	return t.divide(level, all, children)
}

// before returns the records before one, and the others.
func (t *growingTree2) before(records [][]byte, one []byte) (these, others [][]byte) {
	i, _ := slices.BinarySearchFunc(records, one, func(a, b []byte) int {
		if inOrder(a[t.head:], b[t.head:]) {
			return -1
		}
		return 1
	})
	return records[:i], records[i:]
}

// divide writes nodes of records, each as full as it may be, but the last one, and returns them and
// the records between them.
func (t *growingTree2) divide(level int, records [][]byte, children []child2) (grown grownNodes2, err error) {
	most := t.most(level)
	for {
		n := min(most, len(records))
		if len(records) == n+1 {
			n-- // so that the last node has a record
		}

		var below []child2
		if level > 0 {
			below = children[:n+1]
			children = children[n+1:]
		}
		node, err := t.write(level, records[:n], below)
		if err != nil {
			return grown, err
		}
		grown.nodes = append(grown.nodes, node)

		if records = records[n:]; len(records) == 0 {
			return grown, nil
		}
		grown.between = append(grown.between, records[0])
		records = records[1:]
	}
}

// write writes a node.
func (t *growingTree2) write(level int, records [][]byte, children []child2) (c child2, err error) {
	signature := "BTLF"
	if level > 0 {
		signature = "BTIN"
	}
	b := append(make([]byte, 0, t.nodeSize), signature...)
	b = append(b, 0, t.kind)
	for _, record := range records {
		b = append(b, record...)
	}

	c = child2{at: t.Place(t.nodeSize), records: len(records), total: uint64(len(records))}
	for _, child := range children {
		b = le.AppendUint64(b, uint64(child.at))
		b = appendNumber(b, uint64(child.records), sizeOf(int64(t.levels[0].most)))
		b = appendNumber(b, child.total, t.levels[level-1].totalSize)

		if level == 1 {
			child.total = uint64(child.records)
		}
		if c.total += child.total; c.total > t.levels[level].total {
			return c, cairn.Corruptf(layerTree2, t.r.offset(child.at), "%d records in a tree of level %d", c.total, level)
		}
	}
	b = appendChecksum(b, 0)
	return c, t.Write(b[:cap(b)], c.at)
}

// appendNumber appends a number of size bytes.
func appendNumber(b []byte, n uint64, size int) []byte {
	b = append(b, make([]byte, size)...)
	putNumber(b[len(b)-size:], n)
	return b
}

// finish writes a header that leads to a root.
func (t *growingTree2) finish(root child2) (at int64, err error) {
	b := append([]byte("BTHD\x00"), t.kind)
	b = le.AppendUint32(b, uint32(t.nodeSize))
	b = le.AppendUint16(b, uint16(t.recordSize))
	b = le.AppendUint16(b, uint16(t.depth))
	b = append(b, byte(t.split), byte(t.merge))
	b = le.AppendUint64(b, uint64(root.at))
	b = le.AppendUint16(b, uint16(root.records))
	b = le.AppendUint64(b, root.total)
	at = t.Place(int64(len(b) + checksumSize))
	return at, t.Write(appendChecksum(b, 0), at)
}
