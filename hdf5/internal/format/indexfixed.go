package format

import "github.com/cairn-go/cairn"

// A fixed array has an entry for each chunk that a dataset may have, in a data block. If these are
// many, pages of them follow the block, which says what pages have been written.
//
//	"FAHD", u8 version, u8 client, u8 size of entries, u8 bits of pages, entries, address of the
//	data block; checksum
//
//	"FADB", u8 version, u8 client, address of the header, entries or bitmap of pages; checksum
//
// Each page has its own checksum.

const layerFixed = "fixed array"

// A fixedArray is the header of a fixed array.
type fixedArray struct {
	entry    int
	pageBits uint8
	count    uint64
	block    int64
}

func (r *Reader) fixedChunk(ix *Index, number uint64) (Place, error) {
	a, err := keep(ix, ix.address, func() (*fixedArray, int64, error) {
		a, err := r.fixedArray(ix)
		return a, 128, err
	})
	if err != nil || a.block == None {
		return nowhere, err
	}

	if number >= a.count {
		return nowhere, cairn.Corruptf(layerFixed, r.offset(ix.address), "chunk %d of %d", number, a.count)
	}

	entry := uint64(a.entry)
	head := int64(6 + r.OffsetSize)
	if a.count <= 1<<a.pageBits {
		b, err := r.fixedBlock(ix, a, head+int64(a.count*entry)+checksumSize)
		if err != nil {
			return nowhere, err
		}
		return r.element(ix, layerFixed, b[uint64(head)+number*entry:][:entry])
	}

	pages := (a.count + 1<<a.pageBits - 1) >> a.pageBits
	size := head + int64(pages+7)/8 + checksumSize
	b, err := r.fixedBlock(ix, a, size)
	if err != nil {
		return nowhere, err
	}

	page := number >> a.pageBits
	within := number & (1<<a.pageBits - 1)
	if !bit(b[head:], page) {
		return nowhere, nil
	}

	full := int64(entry<<a.pageBits) + checksumSize
	n := min(uint64(1)<<a.pageBits, a.count-page<<a.pageBits)
	p, err := r.keptBlock(ix, layerFixed, a.block+size+int64(page)*full, int64(n*entry)+checksumSize)
	if err != nil {
		return nowhere, err
	}
	return r.element(ix, layerFixed, p[within*entry:][:entry])
}

// fixedBlock reads the data block of size bytes.
func (r *Reader) fixedBlock(ix *Index, a *fixedArray, size int64) ([]byte, error) {
	b, err := r.keptBlock(ix, layerFixed, a.block, size)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerFixed, b, a.block)
	c.signature("FADB")
	c.version(layerFixed, 0, 0)
	r.belongs(&c, ix)
	return b, c.done()
}

func (r *Reader) fixedArray(ix *Index) (*fixedArray, error) {
	size := int64(4 + 4 + r.LengthSize + r.OffsetSize + checksumSize)
	b, err := r.Bytes(layerFixed, ix.address, size, size)
	if err != nil {
		return nil, err
	}

	b, err = r.checked(layerFixed, b, ix.address)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerFixed, b, ix.address)
	c.signature("FAHD")
	c.version(layerFixed, 0, 0)
	c.Expect(ix.client(), "client")
	a := &fixedArray{entry: int(c.Uint8()), pageBits: c.Uint8(), count: uint64(c.length()), block: c.address()}
	if err := c.done(); err != nil {
		return nil, err
	}

	// So many entries are in the file, or bits that stand for pages of them.
	if a.pageBits > 32 || a.count>>a.pageBits/8 > uint64(r.Size()) || a.count > 1<<56 {
		return nil, cairn.Corruptf(layerFixed, r.offset(ix.address), "%d entries in pages of 2^%d", a.count, a.pageBits)
	}
	return a, r.checkElement(ix, layerFixed, ix.address, a.entry)
}
