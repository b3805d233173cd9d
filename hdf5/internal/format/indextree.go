package format

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/cairn-go/cairn"
)

// The key of a chunk in a B-tree of version 1 is
//
//	u32 bytes, u32 mask, u64 coordinates of its first item, and a u64 that is 0

// treeChunk looks a chunk up in a B-tree of version 1.
func (r *Reader) treeChunk(ix *Index, at []int64) (Place, error) {
	address := ix.address
	level := -1
	for {
		n, err := keep(ix, address, func() (*node, int64, error) {
			n, err := r.node(address, chunkTree, ix.rank)
			if err != nil {
				return nil, 0, err
			}

			if err = r.checkKeys(ix, n, address); err != nil {
				return nil, 0, err
			}
			return n, n.bytes + 64, nil
		})

		if err != nil {
			return nowhere, err
		}

		if err = r.checkLevel(n, address, level); err != nil {
			return nowhere, err
		}

		// the last child whose key is not behind the chunk
		i := sort.Search(len(n.children), func(i int) bool { return ix.compareKey(n.key(i), at) > 0 }) - 1
		if i < 0 {
			return nowhere, nil
		}

		if n.level > 0 {
			address = n.children[i]
			level = n.level - 1
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

// checkKeys returns an error unless the keys of a node are corners of chunks, in order, and on
// level 0 of chunks that the dataset has. Otherwise a damaged key would hide a chunk, which then
// reads as if it had never been written.
func (r *Reader) checkKeys(ix *Index, n *node, at int64) error {
	corner := func(i, d int) uint64 { return binary.LittleEndian.Uint64(n.key(i)[8+8*d:]) }

	extents := append(slices.Clone(ix.layout.Chunk), ix.layout.ItemSize)
	for i := range len(n.children) + 1 {
		for d, extent := range extents {
			if c := corner(i, d); c%uint64(extent) != 0 {
				return cairn.Corruptf(layerTree, r.offset(at), "key %d: %d is no multiple of the extent %d of chunks", i, c, extent)
			}
		}
		if i == len(n.children) {
			break // the last key ends the last child, and belongs to no chunk
		}

		if i > 0 && !inOrder(n.key(i - 1)[8:], n.key(i)[8:]) {
			return cairn.Corruptf(layerTree, r.offset(at), "keys %d and %d are not in order", i-1, i)
		}
		for d, extent := range ix.shape {
			if c := corner(i, d); n.level == 0 && c >= uint64(extent) {
				return cairn.Corruptf(layerTree, r.offset(at), "key %d: %d is beyond the extent %d of dimension %d", i, c, extent, d)
			}
		}
	}
	return nil
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

// inOrder reports whether coordinates, as u64, are before others in C order.
func inOrder(a, b []byte) bool {
	for len(a) >= 8 {
		x := binary.LittleEndian.Uint64(a)
		y := binary.LittleEndian.Uint64(b)
		if x != y {
			return x < y
		}
		a = a[8:]
		b = b[8:]
	}
	return false
}
