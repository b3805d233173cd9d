package format

import "github.com/cairn-go/cairn"

// A layout message says where the items of a dataset are:
//
//	version 1, 2: u8 version, u8 rank, u8 class, 5 reserved, address unless compact, u32 extents,
//	              and if compact u32 size, data
//	version 3:    u8 version, u8 class and
//	              compact: u16 size, data; contiguous: address, length;
//	              chunked: u8 rank, address of the B-tree, u32 extents
//	version 4, 5: as version 3, but chunked: u8 flags, u8 rank, u8 size of extents, extents,
//	              u8 index and its parameters, address of the index;
//	              virtual: address of a global heap, u32 number of an object there
//
// The extents of chunks have one more than those of the dataset: the size of an item.

// A LayoutClass is a way to store the items of a dataset.
type LayoutClass uint8

// The classes of layouts, with their numbers in files.
const (
	Compact LayoutClass = iota
	Contiguous
	Chunked
	Virtual
)

// An IndexKind is a kind of index of the chunks of a dataset.
type IndexKind uint8

// The kinds of indexes. All but the first have their numbers in files.
const (
	TreeIndex IndexKind = iota // a B-tree of version 1
	SingleIndex
	ImplicitIndex
	FixedIndex
	ExtensibleIndex
	Tree2Index // a B-tree of version 2
)

// String returns the name of the kind.
func (k IndexKind) String() string {
	return [...]string{"B-tree", "single chunk", "implicit", "fixed array", "extensible array", "B-tree 2"}[k]
}

// A Layout is where the items of a dataset are.
type Layout struct {
	Class LayoutClass
	Data  []byte // the items, if compact
	// of the items if contiguous, of the index if chunked, of a global heap if virtual; None if
	// there are none
	Address int64
	Object  uint32 // in the global heap, if virtual
	Size    int64  // bytes of the items if contiguous, None if unknown

	Chunk    []int64 // items per dimension of a chunk
	ItemSize int64   // bytes of an item
	Index    IndexKind
	// chunks that exceed the dataset are not filtered
	PlainEdges bool
	// of a single chunk that is filtered
	SingleSize int64
	SingleMask uint32
	filtered   bool
	params     []byte // of other indexes, as the message has them
	version    uint8
}

const layerLayout = "data layout message"

// Flags of chunked layouts of versions 4 and 5.
const (
	layoutPlainEdges     = 1 << 0
	layoutSingleFiltered = 1 << 1
)

// Layout returns the layout of a dataset.
func (r *Reader) Layout(h *Header) (*Layout, error) {
	m, err := r.required(h, msgLayout, layerLayout)
	if err != nil {
		return nil, err
	}
	if h.find(msgExternal) != nil {
		return nil, unsupported("a dataset whose items are in other files")
	}

	c := r.cursor(layerLayout, m.data, m.at)
	l := &Layout{Address: None, Size: None}
	if l.version = c.version(layerLayout, 1, 5); l.version < 3 {
		l.parseOld(&c)
	} else {
		l.parse(&c, l.version)
	}

	if err := c.done(); err != nil {
		return nil, err
	}
	return l, l.check(r, m)
}

func (l *Layout) parseOld(c *cursor) {
	rank := int(c.Uint8())
	l.Class = LayoutClass(c.Uint8())
	c.Skip(5)
	if l.Class > Chunked {
		c.Failf(c.Pos(), "layout of class %d", l.Class)
		return
	}
	if l.Class != Compact {
		l.Address = c.address()
	}

	l.extents(c, rank, 4)
	if l.Class == Compact {
		l.Data = c.Bytes(int64(c.u32()))
	}

	if l.Class != Chunked {
		l.Chunk = nil
	}
}

func (l *Layout) parse(c *cursor, version uint8) {
	l.Class = LayoutClass(c.Uint8())
	switch l.Class {
	case Compact:
		l.Data = c.Bytes(int64(c.u16()))
	case Contiguous:
		l.Address = c.address()
		l.Size = c.length()
	case Chunked:
		if version > 3 {
			l.parseChunked(c)
			return
		}

		rank := int(c.Uint8())
		l.Address = c.address()
		l.extents(c, rank, 4)
	case Virtual:
		l.Address = c.address()
		l.Object = c.u32()
	default:
		c.Failf(c.Pos(), "layout of class %d", l.Class)
	}
}

func (l *Layout) parseChunked(c *cursor) {
	flags := c.Uint8()
	rank := int(c.Uint8())
	size := int(c.Uint8())
	l.PlainEdges = flags&layoutPlainEdges != 0

	if size < 1 || size > 8 {
		c.Failf(c.Pos(), "extents of %d bytes", size)
		return
	}

	l.extents(c, rank, size)
	l.Index = IndexKind(c.Uint8())

	switch l.Index {
	case SingleIndex:
		if flags&layoutSingleFiltered != 0 {
			l.filtered = true
			l.SingleSize = c.length()
			l.SingleMask = c.u32()
		}
	case ImplicitIndex:
	case FixedIndex:
		l.params = c.Bytes(1) // the array itself states its parameters again
	case ExtensibleIndex:
		l.params = c.Bytes(5)
	case Tree2Index:
		l.params = c.Bytes(4 + 1 + 1)
	default:
		c.fail(unsupported("chunk index of kind %d", l.Index))
		return
	}
	l.Address = c.address()
}

// extents reads the extents of a chunk in numbers of size bytes, the last of which is that of an
// item.
func (l *Layout) extents(c *cursor, rank, size int) {
	if rank > MaxRank+1 {
		c.Failf(c.Pos(), "%d dimensions of a chunk", rank)
		return
	}
	for range rank {
		l.Chunk = append(l.Chunk, c.positive(size, "extent"))
	}
}

// check takes the size of items from the extents of chunks.
func (l *Layout) check(r *Reader, m *message) error {
	if l.Class != Chunked {
		return nil
	}

	n := len(l.Chunk) - 1
	if n < 0 {
		return cairn.Corruptf(layerLayout, r.offset(m.at), "chunks without dimensions")
	}

	for d, extent := range l.Chunk {
		if extent < 1 {
			return cairn.Corruptf(layerLayout, r.offset(m.at), "dimension %d of chunks has %d items", d, extent)
		}
	}

	l.ItemSize = l.Chunk[n]
	l.Chunk = l.Chunk[:n]
	return nil
}
