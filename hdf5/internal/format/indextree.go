package format

import (
	"cmp"
	"encoding/binary"
	"sort"

	"github.com/cairn-go/cairn"
)

// The key of a chunk in a B-tree of version 1 is
//
//	u32 bytes, u32 mask, u64 coordinates of its first item, and a u64 that is 0

// treeChunk looks a chunk up in a B-tree of version 1.
func (r *Reader) treeChunk(ix *Index, at []int64) (Place, error) {
	address, level := ix.address, -1
	for {
		n, err := keep(ix, address, func() (*node, int64, error) {
			n, err := r.node(address, chunkTree, ix.rank)
			if err != nil {
				return nil, 0, err
			}
			return n, n.bytes + 64, nil
		})
		if err == nil {
			err = r.checkLevel(n, address, level)
		}
		if err != nil {
			return nowhere, err
		}
		// the last child whose key is not behind the chunk
		i := sort.Search(len(n.children), func(i int) bool { return ix.compareKey(n.key(i), at) > 0 }) - 1
		if i < 0 {
			return nowhere, nil
		}
		if n.level > 0 {
			address, level = n.children[i], n.level-1
			continue
		}
		key := n.key(i)
		if ix.compareKey(key, at) != 0 {
			return nowhere, nil
		}
		p := Place{n.children[i], int64(binary.LittleEndian.Uint32(key)), binary.LittleEndian.Uint32(key[4:])}
		if p.Address == None {
			return nowhere, cairn.Corruptf(layerTree, r.offset(address), "chunk without an address")
		}
		return p, nil
	}
}

// compareKey compares the coordinates of a key with those of a chunk in the grid.
func (ix *Index) compareKey(key []byte, at []int64) int {
	for d, extent := range ix.layout.Chunk {
		have := binary.LittleEndian.Uint64(key[8+8*d:])
		if c := cmp.Compare(have, uint64(at[d])*uint64(extent)); c != 0 {
			return c
		}
	}
	return 0
}
