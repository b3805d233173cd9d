package index

// Diff calls visit for each position at which x and y refer to different chunks, in order. An entry
// that refers to none, because it is special or behind the end of its index, is passed as none.
// What x and y share is skipped, and so is what is empty in both.
func Diff(x, y Index, visit func(old, new int64)) error {
	all := max(x.n, y.n)
	for i := 0; i < all; {
		if n := samePart(x, y, i); n > 0 {
			i += n
			continue
		}
		old, err := x.leaf(min(i, x.n))
		if err != nil {
			return err
		}

		changed, err := y.leaf(min(i, y.n))
		if err != nil {
			return err
		}
		for end := min(i+LeafLen, all); i < end; i++ {
			if a, b := x.chunkAt(old, i), y.chunkAt(changed, i); a != b {
				visit(a, b)
			}
		}
	}

	return nil
}

// none stands for an entry that refers to no chunk.
const none = -1

// samePart returns the length of the node or block that begins at entry i if x and y have it in
// common, or if it is empty in both, and 0 otherwise.
func samePart(x, y Index, i int) int {
	k := i / BlockLen
	stored := x.disk.has(k)
	if i%BlockLen != 0 || stored != y.disk.has(k) || stored && x.disk != y.disk {
		return 0
	}
	empty := x.fill < 0 && y.fill < 0 && !stored // unless there are nodes
	// Shared memory may have entries that only the longer index uses.
	shared := func(n int) bool { return x.fill == y.fill && i+n <= min(x.n, y.n) }
	if k%nodeBlocks == 0 {
		const n = nodeBlocks * BlockLen
		if a, b := x.node(k/nodeBlocks), y.node(k/nodeBlocks); a == b && (a == nil && empty || shared(n)) {
			return n
		}
	}
	if a, b := x.own(k), y.own(k); a == b && (a == nil && empty || shared(BlockLen)) {
		return BlockLen
	}
	return 0
}

// node returns node j, or nil.
func (x Index) node(j int) *node {
	if j < len(x.nodes) {
		return x.nodes[j]
	}
	return nil
}

// chunkAt returns entry i of x, which is in leaf l, or none.
func (x Index) chunkAt(l *leaf, i int) int64 {
	switch {
	case i >= x.n:
		return none
	case l == nil:
		return max(x.fill, none)
	}
	return max(l[i%LeafLen], none)
}
