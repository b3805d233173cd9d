package format

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn"
)

// A growingTree is a B-tree of version 1 of chunks to which chunks are added. No node changes: the
// nodes on the way to what is new are written again, up to a new root.
type growingTree struct {
	*GrowingIndex
	r      *Reader
	read   int64            // bytes of nodes
	levels [][]grownNode    // new nodes, by level
	moved  map[int64][2]int // of old nodes, the first new node and the one after the last one
}

// A grownNode is a new node.
type grownNode struct {
	at          int64
	left, right int64 // of the old node
	keys        []byte
	children    []int64
	old         int64
}

// A treeRef is a child of a node that is not written yet, with its key.
type treeRef struct {
	key []byte
	at  int64
}

// put adds chunks, in the order of their coordinates, to the tree of a root, which may be None, and
// returns the new root.
func (t *growingTree) put(r *Reader, root int64, entries []ChunkEntry) (int64, error) {
	t.r = r
	t.moved = map[int64][2]int{}

	refs, last, level, err := t.putBelow(root, -1, entries)
	if err != nil {
		return 0, err
	}
	for len(refs) > 1 {
		level++
		if level > mostLevels {
			return 0, unsupported("a B-tree of %d levels", level)
		}
		refs = t.nodes(level, refs, last, None, None, None)
	}
	return refs[0].at, t.flush()
}

// putBelow adds chunks below a node, and returns the nodes that stand for it.
func (t *growingTree) putBelow(at int64, level int, entries []ChunkEntry) (refs []treeRef, last []byte, found int, err error) {
	if at == None {
		refs, last = t.merge(nil, entries)
		return t.nodes(0, refs, last, None, None, None), last, 0, nil
	}
	n, err := t.r.node(at, chunkTree, len(t.Layout.Chunk))
	if err == nil {
		err = t.r.checkLevel(n, at, level)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	if t.read += n.bytes; t.read > t.r.Size() || len(n.children) > t.Width {
		return nil, nil, 0, cairn.Corruptf(layerTree, t.r.offset(at), "a node of %d children, or nodes in circles",
			len(n.children))
	}
	if n.level == 0 || len(n.children) == 0 {
		refs, last = t.merge(n, entries)
		return t.nodes(n.level, refs, last, at, n.left, n.right), last, n.level, nil
	}

	last = n.key(len(n.children))
	for i, child := range n.children {
		mine := len(entries)
		if i < len(n.children)-1 {
			next := n.key(i + 1)
			mine, _ = slices.BinarySearchFunc(entries, next, func(e ChunkEntry, key []byte) int {
				return -compareCorner(key, e.Start)
			})
		}
		if mine == 0 {
			refs = append(refs, treeRef{n.key(i), child})
			continue
		}
		below, end, _, err := t.putBelow(child, n.level-1, entries[:mine])
		if err != nil {
			return nil, nil, 0, err
		}
		refs = append(refs, below...)
		if i == len(n.children)-1 {
			last = end
		}
		entries = entries[mine:]
	}
	return t.nodes(n.level, refs, last, at, n.left, n.right), last, n.level, nil
}

// compareCorner compares the coordinates of a key with those of the first item of a chunk.
func compareCorner(key []byte, start []int64) int {
	for d, at := range start {
		if c := cmp.Compare(binary.LittleEndian.Uint64(key[8+8*d:]), uint64(at)); c != 0 {
			return c
		}
	}
	return 0
}

// merge returns the children of a leaf with chunks that are added or replaced, and its last key,
// which is behind all of them.
func (t *growingTree) merge(n *node, entries []ChunkEntry) (refs []treeRef, last []byte) {
	if n != nil {
		for i, child := range n.children {
			for len(entries) > 0 && compareCorner(n.key(i), entries[0].Start) > 0 {
				refs = append(refs, t.ref(&entries[0]))
				entries = entries[1:]
			}
			if len(entries) > 0 && compareCorner(n.key(i), entries[0].Start) == 0 {
				refs = append(refs, t.ref(&entries[0]))
				entries = entries[1:]
				continue
			}
			refs = append(refs, treeRef{n.key(i), child})
		}
		last = n.key(len(n.children))
	}
	for i := range entries {
		refs = append(refs, t.ref(&entries[i]))
	}

	end := refs[len(refs)-1].key
	if last != nil && inOrder(end[8:], last[8:]) {
		return refs, last
	}
	last = make([]byte, 8, len(end))
	for d, n := range t.Layout.Chunk {
		last = le.AppendUint64(last, binary.LittleEndian.Uint64(end[8+8*d:])+uint64(n))
	}
	return refs, le.AppendUint64(last, uint64(t.Layout.ItemSize))
}

func (t *growingTree) ref(e *ChunkEntry) treeRef {
	key := le.AppendUint32(nil, uint32(e.Place.Size))
	key = le.AppendUint32(key, e.Place.Mask)
	for _, n := range e.Start {
		key = le.AppendUint64(key, uint64(n))
	}
	return treeRef{le.AppendUint64(key, 0), e.Place.Address}
}

func (t *growingTree) nodeSize() int64 {
	return int64(treeHead + (t.Width+1)*(4+4+8*(len(t.Layout.Chunk)+1)) + t.Width*8)
}

// nodes makes nodes of children, in place of an old one.
func (t *growingTree) nodes(level int, refs []treeRef, last []byte, old, left, right int64) (made []treeRef) {
	for len(t.levels) <= level {
		t.levels = append(t.levels, nil)
	}

	from := len(t.levels[level])
	for first := 0; first < len(refs); first += t.Width {
		part := refs[first:min(first+t.Width, len(refs))]
		n := grownNode{at: t.Place(t.nodeSize()), old: old, left: left, right: right}
		for _, c := range part {
			n.keys = append(n.keys, c.key...)
			n.children = append(n.children, c.at)
		}

		end := last
		if first+t.Width < len(refs) {
			end = refs[first+t.Width].key
		}
		n.keys = append(n.keys, end...)
		t.levels[level] = append(t.levels[level], n)
		made = append(made, treeRef{part[0].key, n.at})
	}
	if old != None {
		t.moved[old] = [2]int{from, len(t.levels[level])}
	}
	return made
}

// flush writes the new nodes, with their siblings, some of which are new too.
func (t *growingTree) flush() error {
	var b []byte
	key := 4 + 4 + 8*(len(t.Layout.Chunk)+1)
	for level, nodes := range t.levels {
		for i, n := range nodes {
			left := n.left
			right := n.right
			if i > 0 && nodes[i-1].old == n.old {
				left = nodes[i-1].at
			} else if m, ok := t.moved[left]; ok {
				left = nodes[m[1]-1].at
			}
			if i < len(nodes)-1 && nodes[i+1].old == n.old {
				right = nodes[i+1].at
			} else if m, ok := t.moved[right]; ok {
				right = nodes[m[0]].at
			}

			b = append(append(b[:0], "TREE\x01"...), byte(level))
			b = le.AppendUint16(b, uint16(len(n.children)))
			b = le.AppendUint64(b, uint64(left))
			b = le.AppendUint64(b, uint64(right))
			for k, child := range n.children {
				b = append(b, n.keys[k*key:][:key]...)
				b = le.AppendUint64(b, uint64(child))
			}
			b = append(b, n.keys[len(n.children)*key:]...)
			b = append(b, bytes.Repeat([]byte{0}, int(t.nodeSize())-len(b))...)
			if err := t.Write(b, n.at); err != nil {
				return err
			}
		}
	}
	return nil
}
