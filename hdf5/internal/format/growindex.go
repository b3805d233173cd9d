package format

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"sort"
)

// A GrowingIndex is the index of a dataset to which chunks are added. What changes of it is written
// again, to new places, up to what the header of the dataset refers to. Only the header of an
// extensible array stays where it is, because every block of it has its address.
type GrowingIndex struct {
	Layout *Layout
	Width  int   // most children of a node of a B-tree of version 1
	Size   int64 // bytes of the items of a chunk
	// Place returns the address of n bytes that nothing else has, and Write writes there.
	Place func(n int64) int64
	Write func(b []byte, at int64) error
}

// A ChunkEntry is a chunk of an index: the coordinates of its first item, and its place.
type ChunkEntry struct {
	Start []int64
	Place Place
}

// Growable returns an error unless chunks can be added to the index.
func (l *Layout) Growable() error {
	switch {
	case l.PlainEdges:
		return unsupported("its chunks at the edges have no filters; cairn copy makes a file where they have")
	case l.Index == SingleIndex:
		return unsupported("all its items are in a single chunk; cairn copy makes a file where it can have more")
	case l.Index == ImplicitIndex && l.Address == None:
		return unsupported("none of its chunks, which follow each other, has a place; cairn copy makes a file where it can grow")
	}
	return nil
}

// Put adds chunks, in the order of their coordinates, to the index that ix reads, and returns what
// the header of the dataset refers to then. What was written must be durable before the patches are
// made, each of which is within one sector, and these before the header of the dataset changes.
func (g *GrowingIndex) Put(r *Reader, ix *Index, entries []ChunkEntry) (root int64, then []Patch, err error) {
	if len(entries) == 0 {
		return ix.address, nil, nil
	}
	if g.Layout.Index == TreeIndex {
		tree := &growingTree{GrowingIndex: g}
		root, err = tree.put(r, ix.address, entries)
		return root, nil, err
	}

	switch g.Layout.Index {
	case Tree2Index:
		root, err = g.putTree2(r, ix, entries)
		return root, nil, err
	case FixedIndex:
		list, err := g.numbered(ix, entries)
		if err == nil {
			root, err = g.putFixed(r, ix, list)
		}
		return root, nil, err
	case ExtensibleIndex:
		list, err := g.numbered(ix, entries)
		if err != nil {
			return 0, nil, err
		}
		return g.putExtensible(r, ix, list)
	}
	return 0, nil, unsupported("an index of the kind %v, to which no chunks are added", g.Layout.Index)
}

// A numberedChunk is a chunk of an index that goes by numbers.
type numberedChunk struct {
	number uint64
	place  Place
}

// numbered returns chunks in the order of their numbers.
func (g *GrowingIndex) numbered(ix *Index, entries []ChunkEntry) ([]numberedChunk, error) {
	list := make([]numberedChunk, len(entries))
	at := make([]int64, ix.rank)
	for i, e := range entries {
		for d, n := range e.Start {
			at[d] = n / g.Layout.Chunk[d]
		}
		n, err := ix.numberOf(at)
		if err != nil {
			return nil, err
		}
		list[i] = numberedChunk{n, e.Place}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].number < list[j].number })
	return list, nil
}

// entrySize returns the bytes of an entry of a new index: an address and, if chunks have filters, a
// size and a mask. The size has one byte more than that of a chunk without filters needs, and since
// version 5 of layouts always as many as lengths.
func (g *GrowingIndex) entrySize(ix *Index) int {
	switch {
	case !ix.packed:
		return 8
	case g.Layout.version >= 5:
		return 8 + 8 + 4
	}
	return 8 + min(8, 1+(bits.Len64(uint64(g.Size))-1+8)/8) + 4
}

// putEntry makes b the entry of a chunk.
func (g *GrowingIndex) putEntry(ix *Index, b []byte, p Place) error {
	le.PutUint64(b, uint64(p.Address))
	if !ix.packed {
		return nil
	}
	n := len(b) - 8 - 4
	if bits.Len64(uint64(p.Size)) > 8*n {
		return unsupported("a chunk of %d bytes in an index whose sizes have %d bytes", p.Size, n)
	}
	var size [8]byte
	le.PutUint64(size[:], uint64(p.Size))
	copy(b[8:], size[:n])
	le.PutUint32(b[8+n:], p.Mask)
	return nil
}

// blankEntries returns n entries without chunks.
func blankEntries(n uint64, entry int) []byte {
	b := make([]byte, int(n)*entry)
	for i := range n {
		copy(b[int(i)*entry:], noAddress)
	}
	return b
}

// noAddress is None in a file.
var noAddress = bytes.Repeat([]byte{0xff}, 8)

// putEntries makes chunks entries of a list whose first one has a number.
func (g *GrowingIndex) putEntries(ix *Index, b []byte, entry int, first uint64, list []numberedChunk) error {
	for _, c := range list {
		if err := g.putEntry(ix, b[int(c.number-first)*entry:][:entry], c.place); err != nil {
			return err
		}
	}
	return nil
}

// upTo returns the first chunks of a list whose numbers are less than end, and the others.
func upTo(list []numberedChunk, end uint64) (these, others []numberedChunk) {
	n, _ := slices.BinarySearchFunc(list, end, func(c numberedChunk, end uint64) int { return cmp.Compare(c.number, end) })
	return list[:n], list[n:]
}
