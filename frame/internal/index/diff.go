package index

// Diff calls visit for each position at which x and y have different entries, in order. The entry
// that one of them lacks, because it is shorter, counts as negative, as if no chunk were stored.
// Parts that x and y share are skipped, so the time depends on how much one differs from the other.
func Diff(x, y Index, visit func(old, new int64)) error {
	both, all := min(x.n, y.n), max(x.n, y.n)
	for i := 0; i < all; {
		if step := sharedPart(x, y, i); step > 0 && i+step <= both {
			i += step
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
		end := min(i+LeafLen, all)
		if old == changed && x.fill == y.fill && end <= both {
			i = end
			continue
		}
		for ; i < end; i++ {
			a, b := entryOr(x, old, i), entryOr(y, changed, i)
			if a != b {
				visit(a, b)
			}
		}
	}
	return nil
}

// sharedPart returns the number of entries of the node or block that begins at entry i, if x and y
// have it in common, or 0.
func sharedPart(x, y Index, i int) int {
	if i%BlockLen != 0 || x.disk != y.disk || x.fill != y.fill {
		return 0
	}
	k := i / BlockLen
	if k%nodeBlocks == 0 && x.node(k/nodeBlocks) == y.node(k/nodeBlocks) {
		return nodeBlocks * BlockLen
	}
	if x.own(k) == y.own(k) {
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

// entryOr returns entry i of x, which is in the leaf l, or a negative number behind the end of x.
func entryOr(x Index, l *leaf, i int) int64 {
	switch {
	case i >= x.n:
		return -1
	case l == nil:
		return x.fill
	}
	return l[i%LeafLen]
}
