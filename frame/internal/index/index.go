// Package index implements the index of a frame, the list of one entry per chunk, in memory and
// encoded as a chunk.
//
// Unless stated otherwise, the time of a function depends on the number of entries that it changes,
// not on the length of the index.
package index

import (
	"slices"

	"github.com/cairn-go/cairn/chunk"
)

// Index is the list of a frame's entries, one per chunk. It is immutable: every change returns a
// new Index, which shares unchanged parts with the old one. Only Append writes to shared memory,
// and only behind the end of the older indexes.
//
//	index   nodes of 65 536 entries
//	node    blocks of 2 048 entries, which is a block of the index as it is stored
//	block   leaves of 256 entries
//
// A nil pointer at any level stands for entries that are all fill, so a hundred million chunks of
// zeros take no memory. In an index that was read from a file, a nil block may also be one that is
// not decoded yet (disk.go). It is decoded on the first access, so every access to an entry may
// return an error.
//
// Changing an entry copies a leaf, a block, a node and the list of nodes: 2.6 KB for a million
// chunks.
type Index struct {
	n     int
	fill  int64
	nodes []*node
	disk  *diskIndex // blocks that are not in nodes; nil if these are full of fill
	tail  *tail      // the leaf that Append may write to in place; may be nil
}

// Entries are kept in leaves of LeafLen, and stored in blocks of BlockLen.
const (
	LeafLen     = 256
	BlockLen    = BlockBytes / EntrySize
	blockLeaves = BlockLen / LeafLen
	nodeBlocks  = 32
)

type (
	leaf [LeafLen]int64
	node [nodeBlocks]*block
)

type block struct {
	leaves [blockLeaves]*leaf
	// why a block of a diskIndex cannot be decoded; such a block is never returned
	broken error
	// the encoding of a full block, if a commit has needed it; used only with the frame's mutex
	// held
	packed []byte
}

// tail is the leaf to which Append wrote last, and how many of its entries are used by any index.
type tail struct {
	leaf *leaf
	used int
}

// Repeat returns an index of n equal entries.
func Repeat(n int, entry int64) Index { return Index{n: n, fill: entry} }

// New returns an empty index, whose fill is the entry for zeros.
func New() Index {
	zeros, _ := Special(chunk.SpecialZeros)
	return Repeat(0, zeros)
}

// Len returns the number of entries.
func (x Index) Len() int { return x.n }

// Fill returns the entry that takes no memory.
func (x Index) Fill() int64 { return x.fill }

// IsRun reports whether all entries are known to be equal to fill.
func (x Index) IsRun() bool { return len(x.nodes) == 0 && x.disk == nil }

// own returns block k if it is in nodes, or nil.
func (x Index) own(k int) *block {
	if j := k / nodeBlocks; j < len(x.nodes) && x.nodes[j] != nil {
		return x.nodes[j][k%nodeBlocks]
	}
	return nil
}

// block returns block k, or nil if it is full of fill.
func (x Index) block(k int) (*block, error) {
	if b := x.own(k); b != nil {
		return b, nil
	}
	if x.disk.has(k) {
		return x.disk.block(k)
	}
	return nil, nil
}

// leaf returns the leaf of entry i, or nil if it is full of fill.
func (x Index) leaf(i int) (*leaf, error) {
	b, err := x.block(i / BlockLen)
	if b == nil {
		return nil, err
	}
	return b.leaves[i%BlockLen/LeafLen], nil
}

// At returns entry i.
func (x Index) At(i int) (int64, error) {
	l, err := x.leaf(i)
	if l == nil {
		return x.fill, err
	}
	return l[i%LeafLen], nil
}

// Run returns how many entries from i on are known to be equal without comparing them: at least 1.
func (x Index) Run(i int) int {
	end := i
	for end < x.n {
		if k := end / BlockLen; x.own(k) == nil && !x.disk.has(k) {
			end = x.endOfFill(k)
			continue
		}
		if l, err := x.leaf(end); l != nil || err != nil {
			break
		}
		end += LeafLen - end%LeafLen
	}
	return max(1, min(end, x.n)-i)
}

// endOfFill returns the index of the first entry behind the run of fill that contains block k.
func (x Index) endOfFill(k int) int {
	switch j := k / nodeBlocks; {
	case x.disk != nil && k < len(x.disk.blocks):
	case j >= len(x.nodes):
		return x.n
	case x.nodes[j] == nil:
		return (j + 1) * nodeBlocks * BlockLen
	}
	return (k + 1) * BlockLen
}

// Seal returns x such that Append to the result does not write to memory shared with other indexes.
func (x Index) Seal() Index {
	x.tail = nil
	return x
}

// Append returns x with one more entry.
func (x Index) Append(entry int64) (Index, error) {
	if x.n == 0 && x.IsRun() && entry < 0 {
		x.fill = entry
	}
	slot := x.n % LeafLen
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

// AppendRun returns x with n more equal entries.
func (x Index) AppendRun(entry int64, n int) (Index, error) {
	if x.n == 0 && x.IsRun() {
		return Repeat(n, entry), nil
	}
	var err error
	single := func(most int) {
		for ; n > 0 && most > 0 && err == nil; n, most = n-1, most-1 {
			x, err = x.Append(entry)
		}
	}

	single((BlockLen - x.n%BlockLen) % BlockLen)
	if err != nil || n == 0 {
		return x, err
	}
	x.tail, x.nodes = nil, slices.Clone(x.nodes)
	for full, begin := x.uniformBlock(entry), x.n/BlockLen; n >= BlockLen; n -= BlockLen {
		k := x.n / BlockLen
		if entry == x.fill && len(x.nodes)*nodeBlocks <= k && !x.disk.has(k) {
			x.n += n
			return x, nil
		}

		x.growNodes(k)
		switch own := &x.nodes[k/nodeBlocks]; {
		case k%nodeBlocks == 0 || *own == nil:
			*own = &node{} // entries here would be behind the end
		case k == begin:
			*own = new(**own)
		}
		x.nodes[k/nodeBlocks][k%nodeBlocks] = full
		x.n += BlockLen
	}
	single(n)
	return x, err
}

// uniformBlock returns a block full of one entry.
func (x Index) uniformBlock(entry int64) *block {
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

// Set returns x with entry i replaced.
func (x Index) Set(i int, entry int64) (Index, error) {
	old, err := x.leaf(i)
	if err != nil {
		return x, err
	}
	l := x.copyLeaf(old)
	l[i%LeafLen] = entry
	x.tail = nil
	err = x.putLeaf(i, l)
	return x, err
}

// copyLeaf returns a copy of the leaf old, or a leaf full of fill if old is nil.
func (x Index) copyLeaf(old *leaf) *leaf {
	if old == nil {
		return uniformLeaf(x.fill)
	}
	l := *old
	return &l
}

// putLeaf makes l the leaf of entry i. It copies the nodes it changes, so other indexes are
// unaffected.
func (x *Index) putLeaf(i int, l *leaf) error {
	k := i / BlockLen
	old, err := x.block(k)
	if err != nil {
		return err
	}

	b := &block{}
	if old != nil {
		b.leaves = old.leaves
	}
	b.leaves[i%BlockLen/LeafLen] = l
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

// growNodes makes room for block k in the list of nodes, which must not be shared.
func (x *Index) growNodes(k int) {
	for len(x.nodes) <= k/nodeBlocks {
		x.nodes = append(x.nodes, nil)
	}
}

// Insert returns x with an entry inserted before entry i. Unless i is the length, it copies the
// index.
func (x Index) Insert(i int, entry int64) (Index, error) {
	if i == x.n {
		return x.Append(entry)
	}
	return Build(x.n+1, x.fill, func(k int) (int64, error) {
		switch {
		case k < i:
			return x.At(k)
		case k == i:
			return entry, nil
		}
		return x.At(k - 1)
	})
}

// Remove returns x without entry i. Unless it is the last, Remove copies the index.
func (x Index) Remove(i int) (Index, error) {
	if i == x.n-1 {
		x.n--
		return x.Seal(), nil
	}
	return Build(x.n-1, x.fill, func(k int) (int64, error) {
		if k < i {
			return x.At(k)
		}
		return x.At(k + 1)
	})
}

// uniform reports whether all entries of x are equal.
func (x Index) uniform() (bool, error) {
	if x.n == 0 {
		return true, nil
	}
	first, err := x.At(0)
	for i := 0; i < x.n && err == nil; i += x.Run(i) {
		var entry int64
		if entry, err = x.At(i); err == nil && entry != first {
			return false, nil
		}
	}
	return err == nil, err
}
