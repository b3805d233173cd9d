package format

import "io"

// A ChunkTree is the B-tree of version 1 of the chunks of a dataset that is written (its bytes are
// drawn in tree1.go). Its levels lie in the file from the root down.
type ChunkTree struct {
	Chunk    []int64 // items per dimension of a chunk
	ItemSize int64
	Count    int64 // of chunks
	// Entry returns the coordinates of the i-th chunk in the grid of chunks, and its place. The
	// chunks are in C order.
	Entry func(i int64) (at []int64, p Place)
}

// A node has up to treeWidth children. The superblock does not state that, so it is the default.
const treeWidth = 64

const treeHead = 4 + 1 + 1 + 2 + 8 + 8

// nodeSize returns the bytes of a node, which is full or has room. A key is the size and the mask
// of a chunk, and the coordinates of its first item.
func (t *ChunkTree) nodeSize() int64 {
	key := 4 + 4 + 8*(len(t.Chunk)+1)
	return int64(treeHead + (treeWidth+1)*key + treeWidth*8)
}

// nodes returns how many nodes the levels have, from the leaves up.
func (t *ChunkTree) nodes() (counts []int64) {
	n := t.Count
	for len(counts) == 0 || n > 1 {
		n = max(1, (n+treeWidth-1)/treeWidth)
		counts = append(counts, n)
	}
	return counts
}

// Size returns the bytes of the tree.
func (t *ChunkTree) Size() int64 {
	total := int64(0)
	for _, n := range t.nodes() {
		total += n
	}
	return total * t.nodeSize()
}

// Write writes the tree, whose root is at an address.
func (t *ChunkTree) Write(w io.WriterAt, at int64) error {
	counts := t.nodes()
	size := t.nodeSize()
	starts := make([]int64, len(counts))
	next := at
	for level := len(counts) - 1; level >= 0; level-- {
		starts[level] = next
		next += counts[level] * size
	}

	var node []byte
	span := int64(1) // chunks below a child
	for level, count := range counts {
		children := t.Count
		if level > 0 {
			children = counts[level-1]
		}
		for i := range count {
			left := None
			right := None
			if i > 0 {
				left = starts[level] + (i-1)*size
			}
			if i < count-1 {
				right = starts[level] + (i+1)*size
			}

			first := i * treeWidth
			n := min(treeWidth, children-first)
			node = append(append(node[:0], "TREE\x01"...), byte(level))
			node = le.AppendUint16(node, uint16(n))
			node = le.AppendUint64(node, uint64(left))
			node = le.AppendUint64(node, uint64(right))
			for child := first; child < first+n; child++ {
				at := int64(0)
				node, at = t.appendKey(node, child*span)
				if level > 0 {
					at = starts[level-1] + child*size
				}
				node = le.AppendUint64(node, uint64(at))
			}
			if n > 0 {
				node, _ = t.appendKey(node, (first+n)*span)
			}

			node = append(node, make([]byte, size-int64(len(node)))...)
			if _, err := w.WriteAt(node, starts[level]+i*size); err != nil {
				return err
			}
		}
		span *= treeWidth
	}
	return nil
}

// appendKey appends the key of a chunk, and returns its address. Behind the last chunk is one that
// has no bytes, and that is further along each dimension.
func (t *ChunkTree) appendKey(b []byte, i int64) ([]byte, int64) {
	past := int64(0)
	if i >= t.Count {
		i = t.Count - 1
		past = 1
	}

	at, p := t.Entry(i)
	if past > 0 {
		p = Place{}
	}
	b = le.AppendUint32(b, uint32(p.Size))
	b = le.AppendUint32(b, p.Mask)
	for d, n := range t.Chunk {
		b = le.AppendUint64(b, uint64((at[d]+past)*n))
	}
	return le.AppendUint64(b, uint64(past*t.ItemSize)), p.Address
}
