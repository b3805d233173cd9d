package frame

import "slices"

// index is the list of a frame's entries, one per chunk. It is immutable for whoever holds one: every change gives another one,
// which shares what is the same with the old. Only append writes into memory that others hold, and only behind what they can see.
//
//	index   nodes of 65 536 entries
//	node    blocks of 2 048 entries, which is a block of the index as it is stored
//	block   leaves of 256 entries
//
// What is nil at any level is full of fill; so a hundred million chunks of zeros take no memory. Or it is a block that still lies in the
// index as it was read (indexdisk.go), and is decoded when somebody asks for it: so errors come from every look at an entry.
//
// An update copies a leaf, a block, a node and the list of nodes, 2.6 KB for a million chunks.
type index struct {
	n     int
	fill  int64
	nodes []*node
	disk  *diskIndex // where blocks that nodes does not have are; nil if they are full of fill
	tail  *tail      // where append may write in place; nil if nowhere
}

const (
	leafLen     = 256
	blockLen    = indexBlock / entrySize
	blockLeaves = blockLen / leafLen
	nodeBlocks  = 32
)

type (
	leaf [leafLen]int64
	node [nodeBlocks]*block
)

type block struct {
	leaves [blockLeaves]*leaf
	broken error  // why a block of the index as it was read cannot be decoded; nobody gets such a block
	packed []byte // the encoding of the block when it is full, if it was needed before; only for changes of the frame, which hold its lock
}

// tail is the leaf that append filled last, and how many entries of it some index has.
type tail struct {
	leaf *leaf
	used int
}

// runIndex returns an index of n equal entries.
func runIndex(n int, entry int64) index { return index{n: n, fill: entry} }

// isRun reports whether all entries are known to be equal to fill.
func (x index) isRun() bool { return len(x.nodes) == 0 && x.disk == nil }

// own returns block k if it does not have to come from the index as it was read.
func (x index) own(k int) *block {
	if j := k / nodeBlocks; j < len(x.nodes) && x.nodes[j] != nil {
		return x.nodes[j][k%nodeBlocks]
	}
	return nil
}

// block returns block k, or nil if it is full of fill.
func (x index) block(k int) (*block, error) {
	if b := x.own(k); b != nil {
		return b, nil
	}
	if x.disk.has(k) {
		return x.disk.block(k)
	}
	return nil, nil
}

// leaf returns the leaf that entry i is in, or nil if it is full of fill.
func (x index) leaf(i int) (*leaf, error) {
	b, err := x.block(i / blockLen)
	if b == nil {
		return nil, err
	}
	return b.leaves[i%blockLen/leafLen], nil
}

// at returns entry i.
func (x index) at(i int) (int64, error) {
	l, err := x.leaf(i)
	if l == nil {
		return x.fill, err
	}
	return l[i%leafLen], nil
}

// run returns how many entries from i on are known to be equal without looking at each: at least 1.
func (x index) run(i int) int {
	end := i
	for end < x.n {
		if k := end / blockLen; x.own(k) == nil && !x.disk.has(k) {
			end = x.behindFill(k)
			continue
		}
		if l, err := x.leaf(end); l != nil || err != nil {
			break
		}
		end += leafLen - end%leafLen
	}
	return max(1, min(end, x.n)-i)
}

// behindFill returns the first entry behind block k, which is full of fill, and behind what is so together with it.
func (x index) behindFill(k int) int {
	switch j := k / nodeBlocks; {
	case x.disk != nil && k < len(x.disk.blocks):
	case j >= len(x.nodes):
		return x.n
	case x.nodes[j] == nil:
		return (j + 1) * nodeBlocks * blockLen
	}
	return (k + 1) * blockLen
}

// seal returns x such that appending to it leaves alone what was appended to it before.
func (x index) seal() index {
	x.tail = nil
	return x
}

// append returns x with one more entry. The time does not depend on the length.
func (x index) append(entry int64) (index, error) {
	if x.n == 0 && x.isRun() && entry < 0 {
		x.fill = entry
	}
	slot := x.n % leafLen
	if t := x.tail; t != nil && slot > 0 && t.used == slot {
		t.leaf[slot] = entry
		t.used++
		x.n++
		return x, nil
	}
	x.tail = nil
	old, err := x.leaf(x.n)
	if err != nil {
		return x, err
	}
	if old != nil || entry != x.fill {
		l := x.copyLeaf(old)
		l[slot] = entry
		if err := x.putLeaf(x.n, l); err != nil {
			return x, err
		}
		x.tail = &tail{leaf: l, used: slot + 1}
	}
	x.n++
	return x, nil
}

// appendRun returns x with n more equal entries.
func (x index) appendRun(entry int64, n int) (index, error) {
	if x.n == 0 && x.isRun() {
		return runIndex(n, entry), nil
	}
	var err error
	single := func(most int) {
		for ; n > 0 && most > 0 && err == nil; n, most = n-1, most-1 {
			x, err = x.append(entry)
		}
	}
	single((blockLen - x.n%blockLen) % blockLen)
	if err != nil || n == 0 {
		return x, err
	}
	x.tail, x.nodes = nil, slices.Clone(x.nodes)
	for full, begin := x.uniformBlock(entry), x.n/blockLen; n >= blockLen; n -= blockLen {
		k := x.n / blockLen
		if entry == x.fill && len(x.nodes)*nodeBlocks <= k && !x.disk.has(k) {
			x.n += n
			return x, nil
		}
		x.growNodes(k)
		switch own := &x.nodes[k/nodeBlocks]; {
		case k%nodeBlocks == 0 || *own == nil:
			*own = &node{} // whatever was here is behind the end
		case k == begin:
			*own = new(**own)
		}
		x.nodes[k/nodeBlocks][k%nodeBlocks] = full
		x.n += blockLen
	}
	single(n)
	return x, err
}

// uniformBlock returns a block full of one entry.
func (x index) uniformBlock(entry int64) *block {
	b := &block{}
	if entry != x.fill {
		l := uniformLeaf(entry)
		for j := range b.leaves {
			b.leaves[j] = l
		}
	}
	return b
}

func uniformLeaf(entry int64) *leaf {
	l := &leaf{}
	for i := range l {
		l[i] = entry
	}
	return l
}

// set returns x with another entry i.
func (x index) set(i int, entry int64) (index, error) {
	old, err := x.leaf(i)
	if err != nil {
		return x, err
	}
	l := x.copyLeaf(old)
	l[i%leafLen] = entry
	x.tail = nil
	err = x.putLeaf(i, l)
	return x, err
}

// copyLeaf returns a leaf with the entries of old, nil for fill, that nobody else has.
func (x index) copyLeaf(old *leaf) *leaf {
	if old == nil {
		return uniformLeaf(x.fill)
	}
	l := *old
	return &l
}

// putLeaf makes l the leaf that entry i is in. Others who hold the index do not see it.
func (x *index) putLeaf(i int, l *leaf) error {
	k := i / blockLen
	old, err := x.block(k)
	if err != nil {
		return err
	}
	b := &block{}
	if old != nil {
		b.leaves = old.leaves
	}
	b.leaves[i%blockLen/leafLen] = l
	x.nodes = slices.Clone(x.nodes)
	x.growNodes(k)
	n := &node{}
	if old := x.nodes[k/nodeBlocks]; old != nil {
		*n = *old
	}
	n[k%nodeBlocks] = b
	x.nodes[k/nodeBlocks] = n
	return nil
}

// growNodes makes room for block k in the list of nodes, which nobody else has.
func (x *index) growNodes(k int) {
	for len(x.nodes) <= k/nodeBlocks {
		x.nodes = append(x.nodes, nil)
	}
}

// insert returns x with an entry before entry i.
func (x index) insert(i int, entry int64) (index, error) {
	if i == x.n {
		return x.append(entry)
	}
	return buildIndex(x.n+1, x.fill, func(k int) (int64, error) {
		switch {
		case k < i:
			return x.at(k)
		case k == i:
			return entry, nil
		}
		return x.at(k - 1)
	})
}

// remove returns x without entry i.
func (x index) remove(i int) (index, error) {
	if i == x.n-1 {
		x.n--
		return x.seal(), nil
	}
	return buildIndex(x.n-1, x.fill, func(k int) (int64, error) {
		if k < i {
			return x.at(k)
		}
		return x.at(k + 1)
	})
}

// uniform reports whether all entries of x are equal.
func (x index) uniform() (bool, error) {
	if x.n == 0 {
		return true, nil
	}
	first, err := x.at(0)
	if err != nil {
		return false, err
	}
	for i := 0; i < x.n; {
		l, err := x.leaf(i)
		if err != nil {
			return false, err
		}
		if l == nil {
			if x.fill != first {
				return false, nil
			}
			i += x.run(i)
			continue
		}
		end := min(leafLen, x.n-i)
		if slices.ContainsFunc(l[:end], func(e int64) bool { return e != first }) {
			return false, nil
		}
		i += end
	}
	return true, nil
}
