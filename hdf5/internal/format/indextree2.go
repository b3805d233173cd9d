package format

import (
	"cmp"
	"encoding/binary"
	"sort"

	"github.com/cairn-go/cairn"
)

// The record of a chunk in a B-tree of version 2 is
//
//	address, if there are filters its size and u32 mask, u64 coordinates in the grid of chunks

// tree2Chunk looks a chunk up in a B-tree of version 2.
func (r *Reader) tree2Chunk(ix *Index, at []int64) (Place, error) {
	t, err := keep(ix, ix.address, func() (*tree2, int64, error) {
		t, err := r.chunkTree2(ix)
		return t, 256, err
	})
	if err != nil || t.root.at == None || t.root.records == 0 {
		return nowhere, err
	}

	head := t.recordSize - 8*ix.rank
	from := t.root
	level := t.depth
	for {
		n, err := keep(ix, from.at, func() (*node2, int64, error) {
			n, err := r.node2(t, from, level)
			if err != nil {
				return n, t.nodeSize + 64, err
			}

			err = r.checkRecords(ix, n, head, from.at)
			return n, t.nodeSize + 64, err
		})

		if err != nil {
			return nowhere, err
		}
		if (level > 0) != (n.children != nil) {
			return nowhere, cairn.Corruptf(layerTree2, r.offset(from.at), "a node on two levels")
		}

		i := sort.Search(n.count, func(i int) bool { return compareScaled(n.record(i)[head:], at) >= 0 })
		if i < n.count && compareScaled(n.record(i)[head:], at) == 0 {
			return r.element(ix, layerTree2, n.record(i)[:head])
		}

		if level == 0 {
			return nowhere, nil
		}
		from = n.children[i]
		level--
	}
}

// chunkTree2 reads the header of a tree of chunks.
func (r *Reader) chunkTree2(ix *Index) (*tree2, error) {
	t, err := r.tree2(ix.address)
	if err != nil {
		return nil, err
	}

	want := uint8(chunkRecord)
	if ix.packed {
		want = packedRecord
	}

	if t.kind != want {
		return nil, cairn.Corruptf(layerTree2, r.offset(ix.address), "type %d, want %d", t.kind, want)
	}
	return t, r.checkElement(ix, layerTree2, ix.address, t.recordSize-8*ix.rank)
}

// checkRecords returns an error unless the records of a node are of chunks that the dataset has, in
// order.
func (r *Reader) checkRecords(ix *Index, n *node2, head int, at int64) error {
	for i := range n.count {
		if i > 0 && !inOrder(n.record(i - 1)[head:], n.record(i)[head:]) {
			return cairn.Corruptf(layerTree2, r.offset(at), "records %d and %d are not in order", i-1, i)
		}
		for d, extent := range ix.shape {
			c := binary.LittleEndian.Uint64(n.record(i)[head+8*d:])
			if chunk := ix.layout.Chunk[d]; c > uint64((extent-1)/chunk) || extent == 0 {
				return cairn.Corruptf(layerTree2, r.offset(at), "record %d: chunk %d of dimension %d is beyond its extent %d",
					i, c, d, extent)
			}
		}
	}
	return nil
}

// compareScaled compares the coordinates of a record with those of a chunk in the grid.
func compareScaled(b []byte, at []int64) int {
	for d, want := range at {
		if c := cmp.Compare(binary.LittleEndian.Uint64(b[8*d:]), uint64(want)); c != 0 {
			return c
		}
	}
	return 0
}
