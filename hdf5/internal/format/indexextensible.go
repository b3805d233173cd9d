package format

import (
	"math/bits"

	"github.com/cairn-go/cairn"
)

// An extensible array has an entry for each chunk, in blocks that grow along the dimension without
// bound: some in the index block, then data blocks, in groups that are called super blocks. The
// index block has the addresses of the first data blocks, and of super blocks that have those of
// all others.
//
//	"EAHD", u8 version, u8 client, u8 size of entries, u8 bits of numbers, u8 entries in the
//	index, u8 entries of the first data blocks, u8 data blocks of a super block, u8 bits of pages,
//	six statistics, address of the index block; checksum
//
//	"EAIB", u8 version, u8 client, address of the header, entries, addresses of data blocks,
//	addresses of super blocks; checksum
//
//	"EASB", u8 version, u8 client, address of the header, number of the first entry,
//	bitmap of pages, addresses of data blocks; checksum
//
//	"EADB", u8 version, u8 client, address of the header, number of the first entry, entries;
//	checksum
//
// A data block with more entries than a page has no entries. Pages follow it, each with a checksum.

const layerExtensible = "extensible array"

// An extensibleArray is the header of an extensible array.
type extensibleArray struct {
	entry                int
	bits                 int // of numbers of entries
	inIndex              uint64
	least                uint64 // entries of the first data blocks
	pointers             uint64 // data blocks, at least, of a super block
	pageBits             uint8
	index                int64
	numberSize           int // bytes of a number of an entry
	supers               []superBlock
	fromIndex            int // super blocks whose data blocks are in the index block
	dataBlocks, superAts int // addresses in the index block
}

// A superBlock is a group of data blocks of one size.
type superBlock struct {
	blocks, entries   uint64 // data blocks, and entries of each
	first, firstBlock uint64 // numbers of its first entry and its first data block
}

func (r *Reader) extensibleChunk(ix *Index, number uint64) (Place, error) {
	a, err := keep(ix, ix.address, func() (*extensibleArray, int64, error) {
		a, err := r.extensibleArray(ix)
		return a, 4096, err
	})
	if err != nil || a.index == None {
		return nowhere, err
	}

	// The first entries are in the index block. It refers to the first data blocks, and to super
	// blocks, which refer to the others.
	head := 6 + r.OffsetSize
	size := head + int(a.inIndex)*a.entry + (a.dataBlocks+a.superAts)*r.OffsetSize + checksumSize
	b, err := r.arrayBlock(ix, "EAIB", a.index, int64(size))
	if err != nil {
		return nowhere, err
	}

	b = b[head:]
	if number < a.inIndex {
		return r.element(ix, layerExtensible, b[int(number)*a.entry:][:a.entry])
	}

	number -= a.inIndex
	k := bits.Len64(number/a.least+1) - 1
	if k >= len(a.supers) {
		return nowhere, cairn.Corruptf(layerExtensible, r.offset(ix.address), "no block has the entry %d", number)
	}

	s := a.supers[k]
	within := number - s.first
	block := within / s.entries
	within %= s.entries

	direct := k < a.fromIndex
	place := a.dataBlocks + k - a.fromIndex
	if direct {
		place = int(s.firstBlock + block)
	}

	at, err := r.addressIn(b[int(a.inIndex)*a.entry:], place)
	switch {
	case err != nil || at == None:
		return nowhere, err
	case direct:
		return r.dataBlockChunk(ix, a, s, at, within, nil)
	}
	return r.superBlockChunk(ix, a, s, at, block, within)
}

// addressIn returns the i-th address of a list.
func (r *Reader) addressIn(list []byte, i int) (int64, error) {
	c := r.cursor(layerExtensible, list, None)
	c.Skip(int64(i) * int64(r.OffsetSize))
	at := c.address()
	return at, c.done()
}

// arrayBlock reads a block of an array with a signature.
func (r *Reader) arrayBlock(ix *Index, signature string, at, size int64) ([]byte, error) {
	b, err := r.keptBlock(ix, layerExtensible, at, size)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerExtensible, b, at)
	c.signature(signature)
	c.version(layerExtensible, 0, 0)
	r.belongs(&c, ix)
	return b, c.done()
}

// pagesOf returns how many pages a data block has, 0 if it has none.
func (a *extensibleArray) pagesOf(s superBlock) uint64 {
	if s.entries <= 1<<a.pageBits {
		return 0
	}
	return s.entries >> a.pageBits
}

// superBlockChunk finds an entry of a data block of a super block.
func (r *Reader) superBlockChunk(ix *Index, a *extensibleArray, s superBlock, at int64, block, within uint64) (Place, error) {
	pages := a.pagesOf(s)
	head := int64(6 + r.OffsetSize + a.numberSize)
	bitmap := int64(s.blocks * ((pages + 7) / 8))
	size := head + bitmap + int64(s.blocks)*int64(r.OffsetSize) + checksumSize
	b, err := r.arrayBlock(ix, "EASB", at, size)
	if err != nil {
		return nowhere, err
	}

	written := func(page uint64) bool { return bit(b[head:], block*pages+page) }
	if at, err = r.addressIn(b[head+bitmap:], int(block)); err != nil || at == None {
		return nowhere, err
	}
	return r.dataBlockChunk(ix, a, s, at, within, written)
}

// dataBlockChunk reads an entry of a data block. written reports whether a page has been written;
// nil if all have.
func (r *Reader) dataBlockChunk(ix *Index, a *extensibleArray, s superBlock, at int64, within uint64, written func(page uint64) bool) (Place, error) {
	head := int64(6 + r.OffsetSize + a.numberSize)
	entry := uint64(a.entry)
	if a.pagesOf(s) == 0 {
		b, err := r.arrayBlock(ix, "EADB", at, head+int64(s.entries*entry)+checksumSize)
		if err != nil {
			return nowhere, err
		}
		return r.element(ix, layerExtensible, b[uint64(head)+within*entry:][:entry])
	}

	if _, err := r.arrayBlock(ix, "EADB", at, head+checksumSize); err != nil {
		return nowhere, err
	}

	page := within >> a.pageBits
	within &= 1<<a.pageBits - 1
	if written != nil && !written(page) {
		return nowhere, nil
	}

	size := int64(entry<<a.pageBits) + checksumSize
	b, err := r.keptBlock(ix, layerExtensible, at+head+checksumSize+int64(page)*size, size)
	if err != nil {
		return nowhere, err
	}
	return r.element(ix, layerExtensible, b[within*entry:][:entry])
}

func (r *Reader) extensibleArray(ix *Index) (*extensibleArray, error) {
	size := int64(4 + 2 + 6 + 6*r.LengthSize + r.OffsetSize + checksumSize)
	b, err := r.current(layerExtensible, ix.address, size)
	if err != nil {
		return nil, err
	}

	b, err = r.checked(layerExtensible, b, ix.address)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerExtensible, b, ix.address)
	c.signature("EAHD")
	c.version(layerExtensible, 0, 0)
	c.Expect(ix.client(), "client")
	a := &extensibleArray{entry: int(c.Uint8()), bits: int(c.Uint8()), inIndex: uint64(c.Uint8())}
	a.least = uint64(c.Uint8())
	a.pointers = uint64(c.Uint8())
	a.pageBits = c.Uint8()
	c.Skip(int64(6 * r.LengthSize))
	a.index = c.address()
	if err := c.done(); err != nil {
		return nil, err
	}

	if err := a.measure(); err != nil {
		return nil, err
	}
	return a, r.checkElement(ix, layerExtensible, ix.address, a.entry)
}

// measure computes the geometry: super block k has 2^(k/2) data blocks, each with 2^((k+1)/2) times
// as many entries as the first ones.
func (a *extensibleArray) measure() error {
	power := func(n uint64) bool { return n > 0 && n&(n-1) == 0 }
	first := bits.Len64(a.least) - 1
	if !power(a.least) || !power(a.pointers) || a.bits < first || a.bits > 56 || a.pageBits > 56 {
		return cairn.Corruptf(layerExtensible, -1, "%d bits of numbers, data blocks from %d entries, %d in a super block",
			a.bits, a.least, a.pointers)
	}

	a.numberSize = (a.bits + 7) / 8
	var entry, block uint64

	for k := range 1 + a.bits - first {
		s := superBlock{blocks: 1 << (k / 2), entries: a.least << ((k + 1) / 2), first: entry, firstBlock: block}
		a.supers = append(a.supers, s)
		entry += s.blocks * s.entries
		block += s.blocks
	}

	a.fromIndex = min(2*(bits.Len64(a.pointers)-1), len(a.supers))
	a.dataBlocks = int(2 * (a.pointers - 1))
	a.superAts = len(a.supers) - a.fromIndex
	return nil
}
