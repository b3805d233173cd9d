package format

import "github.com/cairn-go/cairn"

// A fixed array has no parts that could be written to another place: each commit writes all of it
// again.

// mostFixedCopied is the most bytes of a fixed array that are written again.
const mostFixedCopied = 64 << 20

// putFixed writes a fixed array with more chunks.
func (g *GrowingIndex) putFixed(r *Reader, ix *Index, list []numberedChunk) (root int64, err error) {
	a := &fixedArray{entry: g.entrySize(ix), block: None, pageBits: g.Layout.params[0]}
	if ix.address != None {
		if a, err = r.fixedArray(ix); err != nil {
			return 0, err
		}
	} else if a.count, err = ix.count(); err != nil {
		return 0, err
	}

	last := list[len(list)-1].number
	size := a.size()
	switch {
	case last >= a.count:
		return 0, cairn.Corruptf(layerFixed, r.offset(ix.address), "chunk %d of %d", last, a.count)
	case size > min(mostFixedCopied, r.Limits.MaxIndex):
		return 0, unsupported("a list of the %d chunks that it may have, which each commit would write again (the most is "+
			"%d bytes); cairn copy -unlimited makes a file with another index", a.count, min(mostFixedCopied, r.Limits.MaxIndex))
	}

	const header = 4 + 4 + 8 + 8 + checksumSize
	root = g.Place(header)
	block := g.Place(size)
	b, err := g.fixedBlock(r, ix, a, root, list)
	if err != nil {
		return 0, err
	}
	if err := g.Write(b, block); err != nil {
		return 0, err
	}

	b = append([]byte("FAHD\x00"), ix.client(), byte(a.entry), a.pageBits)
	b = le.AppendUint64(b, a.count)
	b = le.AppendUint64(b, uint64(block))
	return root, g.Write(appendChecksum(b, 0), root)
}

// count returns how many chunks a dataset without a dimension that has no bound may have.
func (ix *Index) count() (uint64, error) {
	last := make([]int64, ix.rank)
	for d, n := range ix.most {
		last[d] = max(1, n/ix.layout.Chunk[d]+min(1, n%ix.layout.Chunk[d])) - 1
	}
	n, err := ix.numberOf(last)
	return n + 1, err
}

// pages returns how many pages the data block has, 0 if it has none.
func (a *fixedArray) pages() uint64 {
	if a.pageBits > 32 || a.count <= 1<<a.pageBits {
		return 0
	}
	return (a.count + 1<<a.pageBits - 1) >> a.pageBits
}

// fixedHead is the bytes of a data block before its entries or its bitmap.
const fixedHead = 4 + 1 + 1 + 8

// size returns the bytes of the data block with its pages. What is larger than can be written is
// mostFixedCopied and more.
func (a *fixedArray) size() int64 {
	if a.count > mostFixedCopied {
		return mostFixedCopied + 1
	}
	size := fixedHead + int64(a.count)*int64(a.entry) + checksumSize
	if n := int64(a.pages()); n > 0 {
		size += (n+7)/8 + n*checksumSize
	}
	return size
}

// fixedBlock returns the data block of a fixed array with its pages, and with more chunks.
func (g *GrowingIndex) fixedBlock(r *Reader, ix *Index, a *fixedArray, header int64, list []numberedChunk) ([]byte, error) {
	var old []byte
	if a.block != None {
		var err error
		if old, err = r.Bytes(layerFixed, a.block, a.size(), r.Limits.MaxIndex); err != nil {
			return nil, err
		}
	}

	pages := a.pages()
	head := fixedHead + int64(pages+7)/8
	if pages == 0 {
		head += int64(a.count) * int64(a.entry)
	}
	b := make([]byte, head, a.size())
	copy(b, "FADB\x00")
	if old != nil {
		if err := r.sameHead(ix, layerFixed, old[:head+checksumSize], a.block, "FADB"); err != nil {
			return nil, err
		}
		copy(b, old[:head])
	} else if pages == 0 {
		copy(b[fixedHead:], blankEntries(a.count, a.entry))
	}
	b[5] = ix.client()
	le.PutUint64(b[6:], uint64(header))
	if pages == 0 {
		err := g.putEntries(ix, b[fixedHead:], a.entry, 0, list)
		return appendChecksum(b, 0), err
	}

	bitmap := b[fixedHead:head]
	b = b[:head+checksumSize]
	for i := range pages {
		first := i << a.pageBits
		n := min(1<<a.pageBits, a.count-first)
		from := len(b)
		b = b[:from+int(n)*a.entry+checksumSize]
		var these []numberedChunk
		these, list = upTo(list, first+n)
		had := bit(bitmap, i)
		if !had && len(these) == 0 {
			continue
		}

		page := b[from : len(b)-checksumSize]
		if had {
			if _, err := r.checked(layerFixed, old[from:len(b)], a.block+int64(from)); err != nil {
				return nil, err
			}
			copy(page, old[from:])
		} else {
			copy(page, blankEntries(n, a.entry))
			bitmap[i/8] |= 0x80 >> (i % 8)
		}
		if err := g.putEntries(ix, page, a.entry, first, these); err != nil {
			return nil, err
		}
		appendChecksum(b[:len(b)-checksumSize], from)
	}
	appendChecksum(b[:head], 0)
	return b, nil
}

// sameHead returns an error unless a block of an array is one of the index.
func (r *Reader) sameHead(ix *Index, layer string, b []byte, at int64, signature string) error {
	b, err := r.checked(layer, b, at)
	if err != nil {
		return err
	}
	c := r.cursor(layer, b, at)
	c.signature(signature)
	c.version(layer, 0, 0)
	r.belongs(&c, ix)
	return c.done()
}
