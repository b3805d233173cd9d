package frame

// buildIndex returns the index of n entries that at gives.
func buildIndex(n int, fill int64, at func(i int) (int64, error)) (index, error) {
	b := indexBuilder{index: index{fill: fill}}
	for i := range n {
		entry, err := at(i)
		if err != nil {
			return index{}, err
		}
		b.add(entry)
	}
	return b.finish(), nil
}

// indexBuilder makes an index from entries that come in order. Leaves of fill cost nothing, and neighbouring leaves that are full of
// one other entry are one leaf.
type indexBuilder struct {
	index   index
	current *leaf
	used    int
	last    *leaf // the last leaf that was full of one entry
}

func (b *indexBuilder) add(entry int64) {
	if b.current == nil {
		b.current = &leaf{}
	}
	b.current[b.used] = entry
	b.used++
	b.index.n++
	if b.used == leafLen {
		b.flush()
	}
}

func (b *indexBuilder) flush() {
	l, x := b.current, &b.index
	uniform := allEqual(l[:b.used])
	if uniform && l[0] < 0 && len(x.nodes) == 0 && x.n == b.used {
		x.fill = l[0]
	}
	switch {
	case uniform && l[0] == x.fill:
	case uniform && b.used == leafLen && b.last != nil && b.last[0] == l[0]:
		b.place(b.last)
	default:
		if uniform && b.used == leafLen {
			b.last = l
		}
		b.place(l)
		b.current = nil
	}
	b.used = 0
}

// place makes l the leaf that ends with the last entry.
func (b *indexBuilder) place(l *leaf) {
	x, at := &b.index, b.index.n-1
	k := at / blockLen
	x.growNodes(k)
	n := &x.nodes[k/nodeBlocks]
	if *n == nil {
		*n = &node{}
	}
	if (*n)[k%nodeBlocks] == nil {
		(*n)[k%nodeBlocks] = &block{}
	}
	(*n)[k%nodeBlocks].leaves[at%blockLen/leafLen] = l
}

func (b *indexBuilder) finish() index {
	if b.used > 0 {
		b.flush()
	}
	return b.index
}

// allEqual reports whether entries, of which there is at least one, are all the same.
func allEqual(entries []int64) bool {
	for _, e := range entries {
		if e != entries[0] {
			return false
		}
	}
	return true
}
