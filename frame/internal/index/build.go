package index

// Build returns an index of the n entries that at returns.
func Build(n int, fill int64, at func(i int) (int64, error)) (Index, error) {
	b := Builder{Index: Index{fill: fill}}
	for i := range n {
		entry, err := at(i)
		if err != nil {
			return Index{}, err
		}
		b.Add(entry)
	}
	return b.Finish(), nil
}

// Builder builds an index from entries in order. Leaves full of fill take no memory, and
// consecutive leaves full of another entry share one leaf.
type Builder struct {
	Index   Index
	current *leaf
	used    int
	last    *leaf // the last leaf that was full of one entry
}

// Add appends an entry.
func (b *Builder) Add(entry int64) {
	if b.current == nil {
		b.current = &leaf{}
	}
	b.current[b.used] = entry
	b.used++
	b.Index.n++
	if b.used == LeafLen {
		b.flush()
	}
}

func (b *Builder) flush() {
	l := b.current
	x := &b.Index
	uniform := allEqual(l[:b.used])
	if uniform && l[0] < 0 && len(x.nodes) == 0 && x.n == b.used {
		x.fill = l[0]
	}
	switch {
	case uniform && l[0] == x.fill:
	case uniform && b.used == LeafLen && b.last != nil && b.last[0] == l[0]:
		b.place(b.last)
	default:
		if uniform && b.used == LeafLen {
			b.last = l
		}
		b.place(l)
		b.current = nil
	}
	b.used = 0
}

// place makes l the leaf of the last entry.
func (b *Builder) place(l *leaf) {
	x := &b.Index
	at := b.Index.n - 1
	k := at / BlockLen
	x.growNodes(k)
	n := &x.nodes[k/nodeBlocks]
	if *n == nil {
		*n = &node{}
	}
	if (*n)[k%nodeBlocks] == nil {
		(*n)[k%nodeBlocks] = &block{}
	}
	(*n)[k%nodeBlocks].leaves[at%BlockLen/LeafLen] = l
}

// Finish returns the index.
func (b *Builder) Finish() Index {
	if b.used > 0 {
		b.flush()
	}
	return b.Index
}

// allEqual reports whether all entries are equal. There must be at least one.
func allEqual(entries []int64) bool {
	for _, e := range entries {
		if e != entries[0] {
			return false
		}
	}
	return true
}
