package format

import (
	"fmt"

	"github.com/cairn-go/cairn"
)

// A node of a B-tree of version 1 is
//
//	"TREE", u8 type, u8 level, u16 children, address of the left and of the right sibling,
//	key, address of a child, key, address of a child, …, key
//
// Children of level 0 are what the tree is about, others are nodes. A key says where the child
// behind it begins.

const (
	layerTree = "B-tree"

	groupTree = 0
	chunkTree = 1

	mostLevels = 64 // levels of a B-tree
)

// A node is a node of a B-tree of version 1.
type node struct {
	level    int
	keySize  int
	keys     []byte // one for each child and one more
	children []int64
	bytes    int64 // of the node

	left, right int64 // its siblings
}

func (n *node) key(i int) []byte { return n.keys[i*n.keySize:][:n.keySize] }

// keySize returns the bytes of a key of a tree of a kind, for rank dimensions.
func (r *Reader) keySize(kind uint8, rank int) int {
	if kind == groupTree {
		return r.LengthSize
	}
	return 4 + 4 + 8*(rank+1)
}

// node reads the node at an address.
func (r *Reader) node(at int64, kind uint8, rank int) (*node, error) {
	head := int64(8 + 2*r.OffsetSize)
	b, err := r.Bytes(layerTree, at, head, head)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerTree, b, at)
	c.signature("TREE")
	c.Expect(kind, "type")
	n := &node{level: int(c.Uint8()), keySize: r.keySize(kind, rank)}
	count := int(c.u16())
	n.left = c.address()
	n.right = c.address()
	if err := c.done(); err != nil {
		return nil, err
	}

	pair := n.keySize + r.OffsetSize
	size := int64(count*pair + n.keySize)
	if b, err = r.Bytes(layerTree, at+head, size, size); err != nil {
		return nil, err
	}

	c = r.cursor(layerTree, b, at+head)
	n.bytes = head + size
	n.keys = make([]byte, 0, (count+1)*n.keySize)
	n.children = make([]int64, count)

	for i := range n.children {
		n.keys = append(n.keys, c.Bytes(int64(n.keySize))...)
		n.children[i] = c.address()
	}
	n.keys = append(n.keys, c.Bytes(int64(n.keySize))...)
	return n, c.done()
}

// walkTree calls do for everything that a tree is about, with its key, in the order of the keys.
// The nodes of a tree that does not go in circles take no more bytes than the file has.
func (r *Reader) walkTree(root int64, kind uint8, rank int, do func(key []byte, child int64) error) error {
	left := r.Size()

	var walk func(at int64, level int) error
	walk = func(at int64, level int) error {
		n, err := r.node(at, kind, rank)
		if err != nil {
			return err
		}

		left -= n.bytes
		if left < 0 {
			return cairn.Corruptf(layerTree, r.offset(at), "its nodes overlap or go in circles")
		}
		if err := r.checkLevel(n, at, level); err != nil {
			return err
		}

		for i, child := range n.children {
			if n.level == 0 {
				err = do(n.key(i), child)
			} else {
				err = walk(child, n.level-1)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}

	return walk(root, -1)
}

// checkLevel returns an error unless a node has the level that its parent wants; -1 for the root.
func (r *Reader) checkLevel(n *node, at int64, want int) error {
	switch {
	case want >= 0 && n.level != want:
		return cairn.Corruptf(layerTree, r.offset(at), "node of level %d, want %d", n.level, want)
	case n.level > mostLevels:
		return fmt.Errorf("a B-tree of %d levels, the most is %d: %w", n.level, mostLevels, cairn.ErrLimit)
	}
	return nil
}
