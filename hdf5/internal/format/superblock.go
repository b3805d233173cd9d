package format

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// A superblock begins with the signature and its version. Versions 0 and 1 go on with
//
//	u8 version of the free space, u8 of the root group, u8 reserved, u8 of shared messages,
//	u8 size of offsets, u8 size of lengths, u8 reserved, u16 and u16 ranks of the trees of groups,
//	u32 flags, in version 1 also u16 rank of the trees of chunks and u16 reserved,
//	base address, address of the free space, end of the file, address of the driver information,
//	symbol table entry of the root group
//
// and versions 2 and 3 with
//
//	u8 size of offsets, u8 size of lengths, u8 flags,
//	base address, address of the extension, end of the file, address of the root group, checksum

// Signature is what HDF5 files begin with, perhaps behind a user block.
const Signature = "\x89HDF\r\n\x1a\n"

// firstUserBlock is the least size of a user block; others are multiples by powers of two.
const firstUserBlock = 512

// mostUserBlock bounds where a signature is looked for.
const mostUserBlock = 1 << 30

// A Superblock is what a file says of itself.
type Superblock struct {
	Version    uint8
	OffsetSize int   // bytes of an address
	LengthSize int   // bytes of a length
	Root       int64 // address of the object header of the root group
	Extension  int64 // address of an object header, or None

	flags  uint8
	end    int64 // of the file, with the user block
	driver int64
	// half of how many symbols a node of a symbol table has at most, and of how many children its
	// B-tree has
	leafRank, treeRank int
}

// Flags of superblocks of version 3. A writer sets them, and clears them when it closes the file.
// One of SWMR (single writer, multiple readers) writes everything before what refers to it, so that
// the file can be read at any time, also if the writer has crashed. Any other may have written
// addresses of what it still has in memory.
const (
	flagWriting = 1 << 0
	flagSWMR    = 1 << 2
)

// Growing reports whether a writer of SWMR has the file open, or has not closed it.
func (s *Superblock) Growing() bool { return s.Version >= 3 && s.flags&flagSWMR != 0 }

// Find returns the offset of the signature in the first size bytes of r, or false if there is none.
func Find(r io.ReaderAt, size int64) (int64, bool, error) {
	first := storage.Range{Data: make([]byte, len(Signature))}
	if size < int64(len(Signature)) {
		return 0, false, nil
	}
	if err := readAll(r, []storage.Range{first}); err != nil {
		return 0, false, err
	}
	if string(first.Data) == Signature {
		return 0, true, nil
	}

	var places []storage.Range // behind user blocks
	for off := int64(firstUserBlock); off <= min(mostUserBlock, size-int64(len(Signature))); off *= 2 {
		places = append(places, storage.Range{Off: off, Data: make([]byte, len(Signature))})
	}
	if err := readAll(r, places); err != nil {
		return 0, false, err
	}
	for _, p := range places {
		if string(p.Data) == Signature {
			return p.Off, true, nil
		}
	}
	return 0, false, nil
}

// readAll fills ranges, at the same time if r can do that.
func readAll(r io.ReaderAt, ranges []storage.Range) error {
	if many, ok := r.(interface {
		ReadRanges(ctx context.Context, ranges []storage.Range) error
	}); ok {
		if err := many.ReadRanges(context.Background(), ranges); err != nil {
			return fmt.Errorf("reading the signature: %w", err)
		}
		return nil
	}

	for _, p := range ranges {
		if n, err := r.ReadAt(p.Data, p.Off); n < len(p.Data) {
			return fmt.Errorf("reading the signature: %w", err)
		}
	}
	return nil
}

const layerSuper = "superblock"

// superMost is the most bytes of a superblock, with addresses of 8 bytes.
const superMost = 96 + 4

// Open reads the superblock of a file of size bytes.
func Open(ctx context.Context, r io.ReaderAt, size int64, l cairn.Limits) (*File, error) {
	base, ok, err := Find(r, size)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, cairn.Corruptf(layerSuper, 0, "no signature of HDF5")
	}

	f := &File{r: r, base: base, Limits: l.WithDefaults()}
	f.size.Store(size - base)
	in := f.In(ctx)
	b, err := in.Some(layerSuper, 0, superMost)
	if err != nil {
		return nil, err
	}

	if err := in.superblock(b); err != nil {
		return nil, err
	}

	f.pages.fresh = f.Growing()
	return f, f.acceptable()
}

// Bare returns the bytes of structures as a file without a superblock, whose addresses and lengths
// have 8 bytes.
func Bare(b []byte, l cairn.Limits) *File {
	f := &File{r: bytes.NewReader(b), Limits: l.WithDefaults()}
	f.size.Store(int64(len(b)))
	f.OffsetSize = 8
	f.LengthSize = 8
	f.Extension = None
	return f
}

// superblock reads the superblock.
func (r *Reader) superblock(b []byte) error {
	c := r.cursor(layerSuper, b, 0)
	c.signature(Signature)

	s := &r.Superblock
	s.Version = c.version(layerSuper, 0, 3)
	s.driver = None
	s.Extension = None
	s.leafRank = 4
	s.treeRank = 16

	if s.Version < 2 {
		r.oldSuperblock(&c)
		return c.done()
	}

	r.sizes(&c)
	s.flags = c.Uint8()
	c.address() // the base address: the file may have been moved behind a user block
	s.Extension = c.address()
	s.end = c.address()
	s.Root = c.address()
	c.Skip(checksumSize)

	if err := c.done(); err != nil {
		return err
	}
	_, err := r.checked(layerSuper, b[:c.Pos()], 0)
	return err
}

func (r *Reader) oldSuperblock(c *cursor) {
	s := &r.Superblock
	c.Skip(4)
	r.sizes(c)
	c.Skip(1)
	s.leafRank = int(c.u16())
	s.treeRank = int(c.u16())
	c.Skip(4)
	if s.Version == 1 {
		c.Skip(4)
	}

	c.address() // base address
	c.address() // free space
	s.end = c.address()
	s.driver = c.address()
	c.length() // of the name of the root group
	s.Root = c.address()
}

// sizes reads the sizes of addresses and lengths.
func (r *Reader) sizes(c *cursor) {
	for _, s := range []*int{&r.OffsetSize, &r.LengthSize} {
		at := c.Pos()
		n := c.Uint8()
		*s = 8 // if it is none of those below, which fail
		switch n {
		case 2, 4, 8:
			*s = int(n)
		case 16, 32:
			c.fail(unsupported("addresses or lengths of %d bytes", n))
		default:
			c.Failf(at, "addresses or lengths of %d bytes", n)
		}
	}
}

// acceptable returns an error for files that are not complete or consist of several ones.
func (f *File) acceptable() error {
	switch {
	case f.Version >= 3 && f.flags&flagWriting != 0 && !f.Growing():
		return fmt.Errorf("the file is open for writing or was not closed: close it where it is written; if its "+
			"writer has crashed, h5clear -s FILE clears the mark, and what was not flushed is lost: %w",
			cairn.ErrLocked)
	case f.driver != None:
		return unsupported("a file in several parts (driver information at address %d)", f.driver)
	case f.end == None || f.Root == None:
		return cairn.Corruptf(layerSuper, f.base, "no end of the file or no root group")
	}

	// The end was counted from the start of the file if it has got its user block since then.
	if f.end > f.Size()+f.base {
		e := cairn.Corruptf(layerSuper, f.base, "truncated: the file has %d bytes, and had %d when it was closed",
			f.Size()+f.base, f.end)
		return wire.Because(e, io.ErrUnexpectedEOF)
	}
	return nil
}
