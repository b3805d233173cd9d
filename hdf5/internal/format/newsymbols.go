package format

import (
	"math"
	"slices"
	"sort"
)

// A newTable is a symbol table that is written (its parts are drawn in symbols.go and tree1.go).
// Its parts lie one behind the other in the file:
//
//	heap, its names, nodes of symbols, nodes of the tree from the leaves up to the root
type newTable struct {
	links   []Link // sorted by name
	leaf    int    // symbols of a node
	width   int    // children of a node of the tree
	names   []byte
	offsets []int64 // of the names, and of the targets of soft links
}

const (
	localHeapSize  = 32
	symbolSize     = 40
	symbolHead     = 8
	emptyHeapFree  = 1 // the offset of a free list that is empty
	groupTreeHead  = 24
	leastLocalHeap = 88 // bytes of names, as in files of others
)

// newSymbolTable returns the table of links, for a file with addresses of 8 bytes.
func newSymbolTable(r *Reader, links []Link) *newTable {
	t := &newTable{links: slices.Clone(links), leaf: 2 * r.leafRank, width: 2 * r.treeRank}
	sort.Slice(t.links, func(i, j int) bool { return t.links[i].Name < t.links[j].Name })
	t.names = make([]byte, 8) // the name before all others
	add := func(s string) {
		t.offsets = append(t.offsets, int64(len(t.names)))
		t.names = pad8(append(append(t.names, s...), 0))
	}
	for _, l := range t.links {
		add(l.Name)
		if add(l.Target); l.Kind != Soft {
			t.names = t.names[:t.offsets[len(t.offsets)-1]]
		}
	}
	for len(t.names) < leastLocalHeap {
		t.names = append(t.names, 0)
	}
	return t
}

// nodes returns how many nodes of symbols there are, and then how many the levels of the tree have.
func (t *newTable) nodes() []int {
	counts := []int{(len(t.links) + t.leaf - 1) / t.leaf}
	for n := counts[0]; ; {
		n = max(1, (n+t.width-1)/t.width)
		counts = append(counts, n)
		if n == 1 {
			return counts
		}
	}
}

func (t *newTable) treeNode() int64 { return groupTreeHead + int64(t.width)*16 + 8 }
func (t *newTable) symbols() int64  { return symbolHead + int64(t.leaf)*symbolSize }

// size returns the bytes of the table.
func (t *newTable) size() int64 {
	counts := t.nodes()
	n := localHeapSize + int64(len(t.names)) + int64(counts[0])*t.symbols()
	for _, nodes := range counts[1:] {
		n += int64(nodes) * t.treeNode()
	}
	return n
}

// append appends the table, which is at an address, and returns the data of the message that leads
// to it.
func (t *newTable) append(b []byte, at int64) (message, table []byte) {
	start := len(b)
	b = append(b, "HEAP\x00\x00\x00\x00"...)
	b = appendWord(b, uint64(len(t.names)))
	b = appendWord(b, emptyHeapFree)
	b = appendWord(b, uint64(at+localHeapSize))
	b = append(b, t.names...)

	// What a node is about begins behind the largest name of the node before it.
	var children, largest []int64
	for from := 0; from < len(t.links); from += t.leaf {
		to := min(from+t.leaf, len(t.links))
		children = append(children, at+int64(len(b)-start))
		largest = append(largest, t.offsets[2*(to-1)])
		b = t.appendSymbols(b, from, to)
	}
	for level := 0; ; level++ {
		first := at + int64(len(b)-start)
		var keys []int64
		for from := 0; from == 0 || from < len(children); from += t.width {
			to := min(from+t.width, len(children))
			last := to == len(children)
			lowest := int64(0)
			if from > 0 {
				lowest = largest[from-1]
			}
			b = t.appendTree(b, level, first+int64(from/t.width)*t.treeNode(), from == 0, last, lowest, children[from:to],
				largest[from:to])
			if to > from {
				keys = append(keys, largest[to-1])
			}
		}
		nodes := max(1, len(keys))
		if nodes == 1 {
			message = appendWord(appendWord(nil, uint64(first)), uint64(at))
			return message, b
		}
		children = nil
		for i := range nodes {
			children = append(children, first+int64(i)*t.treeNode())
		}
		largest = keys
	}
}

// appendSymbols appends a node of symbols.
func (t *newTable) appendSymbols(b []byte, from, to int) []byte {
	start := len(b)
	b = append(b, "SNOD\x01\x00"...)
	b = le.AppendUint16(b, uint16(to-from))
	for i := from; i < to; i++ {
		l := &t.links[i]
		b = appendWord(b, uint64(t.offsets[2*i]))
		kind := uint32(0)
		target := uint32(0)
		if l.Kind == Soft {
			kind = symbolSoft
			target = uint32(t.offsets[2*i+1])
		}

		b = appendWord(b, uint64(l.Address))
		b = le.AppendUint32(b, kind)
		b = le.AppendUint32(b, 0)
		b = le.AppendUint32(b, target)
		b = append(b, make([]byte, 12)...)
	}
	return append(b, make([]byte, t.symbols()-int64(len(b)-start))...)
}

// appendTree appends a node of the tree at an address, which is the first or the last of its level.
func (t *newTable) appendTree(b []byte, level int, at int64, first, last bool, lowest int64,
	children, largest []int64) []byte {
	start := len(b)
	b = append(b, "TREE"...)
	b = append(b, groupTree, byte(level))
	b = le.AppendUint16(b, uint16(len(children)))
	left := uint64(at - t.treeNode())
	right := uint64(at + t.treeNode())
	if first {
		left = math.MaxUint64
	}

	if last {
		right = math.MaxUint64
	}
	b = appendWord(b, left)
	b = appendWord(b, right)
	b = appendWord(b, uint64(lowest))
	for i, child := range children {
		b = appendWord(b, uint64(child))
		b = appendWord(b, uint64(largest[i]))
	}

	return append(b, make([]byte, t.treeNode()-int64(len(b)-start))...)
}

// appendWord appends a number of 8 bytes.
//
//go:noinline
func appendWord(b []byte, n uint64) []byte { return le.AppendUint64(b, n) }
