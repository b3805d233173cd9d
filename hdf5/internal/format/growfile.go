package format

import (
	"slices"

	"github.com/cairn-go/cairn"
)

// Growing files: see [GrowingHeader] and [GrowingIndex].

const (
	msgTreeRanks = 0x13
	msgFileSpace = 0x17
)

// A GrowingFile is a file to which structures are added behind its end.
type GrowingFile struct {
	*File
	Width int // children of a node of a B-tree of chunks
	raw   []byte
}

// Growing returns the file as one that grows, whose structures are not kept.
func (r *Reader) Growing() (*GrowingFile, error) {
	g := &GrowingFile{File: r.File, Width: treeWidth}
	r.pages.fresh = true
	switch {
	case r.base != 0:
		return nil, unsupported("a file behind a user block of %d bytes", r.base)
	case r.OffsetSize != 8 || r.LengthSize != 8:
		return nil, unsupported("addresses of %d bytes and lengths of %d, want 8", r.OffsetSize, r.LengthSize)
	case r.Superblock.flags != 0 && r.Version >= 3:
		return nil, unsupported("the file is marked as open for writing; h5clear -s FILE clears the mark")
	}

	size := int64(SuperblockSize)
	if r.Version < 2 {
		size = 96
	}
	raw, err := r.Bytes(layerSuper, 0, size, superMost)
	if err != nil {
		return nil, err
	}
	g.raw = append([]byte{}, raw...)
	if r.Version == 1 {
		g.Width = 2 * int(le.Uint16(raw[24:]))
	}
	if err := g.extension(r); err != nil {
		return nil, err
	}
	if g.Width < 2 || g.treeRank < 1 || g.leafRank < 1 || g.leafRank > 1<<15-1 {
		return nil, cairn.Corruptf(layerSuper, 0, "B-trees whose nodes have %d, %d or %d children", g.Width, g.treeRank,
			g.leafRank)
	}
	return g, nil
}

// extension reads what the extension of the superblock says of how space is used.
func (g *GrowingFile) extension(r *Reader) error {
	if r.Extension == None {
		return nil
	}
	h, err := r.Header(r.Extension)
	if err != nil {
		return err
	}

	for _, m := range h.messages {
		switch m.kind {
		case msgTreeRanks:
			c := r.cursor(layerSuper, m.data, m.at)
			c.version("message of the ranks of B-trees", 0, 0)
			g.Width = 2 * int(c.u16())
			g.treeRank = int(c.u16())
			g.leafRank = int(c.u16())
			if err := c.done(); err != nil {
				return err
			}
		case msgFileSpace:
			const paged = 1
			if len(m.data) < 3 || m.data[0] > 1 || m.data[1] == paged || m.data[2] != 0 {
				return unsupported("a file whose free space is stored, or in pages; cairn copy or h5repack -S FSM_AGGR " +
					"makes one where it is not")
			}
		}
	}
	return nil
}

// Ordinary returns an error unless B-trees of chunks have nodes of the size that is written.
func (g *GrowingFile) Ordinary() error {
	if g.Width != treeWidth {
		return unsupported("B-trees of chunks whose nodes have %d children, want %d; cairn copy makes a file with those", g.Width,
			treeWidth)
	}
	return nil
}

// End returns the end that the superblock states.
func (g *GrowingFile) End() int64 { return g.end }

// Resized says that the file has as many bytes.
func (g *GrowingFile) Resized(size int64) { g.size.Store(size) }

// SetEnd returns the change that makes the superblock state another end.
func (g *GrowingFile) SetEnd(end int64) Patch {
	at := 8 + 2 + 2 + 8 + 8
	if g.Version < 2 {
		at = 8 + 16 + 8 + 8
		if g.Version == 1 {
			at += 4
		}
	}
	g.end = end
	le.PutUint64(g.raw[at:], uint64(end))
	if g.Version < 2 {
		return Patch{int64(at), append([]byte{}, g.raw[at:at+8]...)}
	}
	n := len(g.raw) - checksumSize
	le.PutUint32(g.raw[n:], lookup3(g.raw[:n]))
	return Patch{int64(at), append([]byte{}, g.raw[at:]...)}
}

// SetRootCache returns the change that makes the entry of the root group in the superblock have the
// addresses of its symbol table, or nil if it has none.
func (g *GrowingFile) SetRootCache(addresses []byte) []Patch {
	const groupKind = 1 // of entries that have these addresses
	at := 8 + 16 + 4*8 + 2*8
	if g.Version == 1 {
		at += 4
	}
	if g.Version > 1 || len(g.raw) < at+8+len(addresses) || le.Uint32(g.raw[at:]) != groupKind {
		return nil
	}
	copy(g.raw[at+8:], addresses)
	return []Patch{{int64(at + 8), slices.Clone(addresses)}}
}

// WithIndex returns the layout with another address of the index.
func (l *Layout) WithIndex(at int64) *Layout {
	c := *l
	c.Address = at
	return &c
}
