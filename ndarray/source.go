package ndarray

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// A Source is an array to read from: an [Untyped], [Array], [UntypedView] or [View], or any other
// type with these methods. [ViewOf] makes a view of it, which can be sliced, joined and read as Go
// values. Any number of goroutines may call the methods.
//
// A source may have a method WrittenBoxes too, as datasets of package hdf5 do, so that statistics
// read only what has been written.
type Source interface {
	// Shape returns the number of items per dimension. The caller may change the slice.
	Shape() Shape
	// DType returns the dtype of the items.
	DType() meta.DType
	// Grid returns a box shape that is cheap to read at once, and the shape of the blocks that it
	// is made of. Both are nil if all boxes are equally cheap.
	Grid() (chunks, blocks Shape)
	// ReadBytes reads the items from start up to, not including, stop in each dimension into dst,
	// in C order, encoded as the dtype says. The coordinates are within the shape, start does not
	// exceed stop, and len(dst) is the box's size in bytes.
	ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error
}

// Labelled is a [Source] with labels. Copies of it are given them.
type Labelled interface {
	Source
	Labels() (Labels, error)
}

// LabelsOf returns the labels of a source, which has none unless it is [Labelled].
func LabelsOf(src Source) (Labels, error) {
	if l, ok := src.(Labelled); ok {
		return l.Labels()
	}
	return Labels{}, nil
}

// A Tree is what a file, an archive or a directory holds: arrays, and groups of them. Stores and
// files of the packages store, zarr, hdf5, netcdf and npy are trees, and package tree opens any of
// them by its path.
//
// A key is the path of an array or a group from the root, "/", such as "/forecast/t2m"; arguments
// may leave out the first slash. A file that is one array is a tree whose root is that array.
//
// Any number of goroutines may use a tree until it is closed.
type Tree interface {
	// Children returns what is in a group, sorted by key. For an array it returns the array itself,
	// as a listing of a file is that file. If there is neither, the error matches
	// [cairn.ErrNotFound].
	Children(ctx context.Context, group string) ([]Node, error)
	// Open opens an array, which may be named by links. The caller closes it before the tree if it
	// is an [io.Closer]. Errors match [cairn.ErrNotFound] if there is no array of that key.
	Open(ctx context.Context, key string) (Source, error)
	// Attributes returns the attributes of a group or an array, in order. The caller must not
	// change them.
	Attributes(ctx context.Context, key string) (meta.Map, error)
	// Close releases the tree, after its arrays.
	Close() error
}

// A Node is something with a key in a [Tree].
type Node struct {
	// Key is the path from the root: a slash before each name. Names are those of the file, so one
	// may be "..".
	Key  string
	Kind NodeKind
	What string // a link or something else in a few words, such as "soft link"

	Target string // of a link: the path that it has
	File   string // of a link into another file: that file
	To     string // the key to which a link leads; "" if nothing in the tree is there

	Err error // why a node, or a part of it, cannot be read, or why a link leads nowhere
}

// A NodeKind says what a node is.
type NodeKind uint8

// The kinds of nodes. A key may be that of an array and of a group; it has two nodes then.
const (
	// GroupNode is a group.
	GroupNode NodeKind = iota + 1
	// ArrayNode is an array, or what a tree takes for one before it is opened.
	ArrayNode
	// LinkNode is another name of something, here or elsewhere.
	LinkNode
	// OtherNode is something that is not an array.
	OtherNode
	// DamagedNode is something that cannot be read.
	DamagedNode
)

// String returns the name of the kind.
func (k NodeKind) String() string {
	names := [...]string{"", "group", "array", "link", "other", "damaged"}
	if k == 0 || int(k) >= len(names) {
		return fmt.Sprintf("NodeKind(%d)", uint8(k))
	}
	return names[k]
}

// Bounds of a walk.
const (
	mostWalked      = 1 << 24 // nodes of a tree
	mostWalkedDepth = 1000    // groups in groups
)

// Walk returns everything below a group of a tree, "/" for all of it: each node, followed by what
// is in it if it is a group, in the order of [Tree.Children]. Links are not followed. For an array
// it returns that array.
//
// An error comes with the group that cannot be listed, and the walk goes on behind it, unless the
// context is done. Errors match [cairn.ErrLimit] beyond 2²⁴ nodes or 1,000 groups in each other.
func Walk(ctx context.Context, t Tree, group string) iter.Seq2[Node, error] {
	return func(yield func(Node, error) bool) {
		w := &walker{ctx: ctx, tree: t, yield: yield}
		w.below(Node{Key: "/" + strings.Trim(group, "/"), Kind: GroupNode}, 0)
	}
}

// A walker visits the nodes of a tree.
type walker struct {
	ctx   context.Context
	tree  Tree
	yield func(Node, error) bool
	count int
}

// below visits what is in a group. It reports whether the walk goes on.
func (w *walker) below(group Node, depth int) bool {
	if depth > mostWalkedDepth {
		return w.yield(group, fmt.Errorf("groups nested more than %d deep: %w", mostWalkedDepth, cairn.ErrLimit))
	}

	nodes, err := w.tree.Children(w.ctx, group.Key)
	if err != nil {
		return w.yield(group, err) && w.ctx.Err() == nil
	}

	for _, n := range nodes {
		w.count++
		if w.count > mostWalked {
			w.yield(n, fmt.Errorf("more than %d nodes in a tree: %w", mostWalked, cairn.ErrLimit))
			return false
		}
		if !w.yield(n, nil) {
			return false
		}
		if n.Kind == GroupNode && !w.below(n, depth+1) {
			return false
		}
	}
	return true
}
