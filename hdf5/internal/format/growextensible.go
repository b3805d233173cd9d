package format

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inplace"
)

// Parts of an extensible array, with addresses of 8 bytes.
const (
	extensibleSize  = 4 + 2 + 6 + 6*8 + 8 + checksumSize // bytes of the header
	extensibleStats = 4 + 2 + 6                          // where its statistics begin
	arrayHead       = 4 + 2 + 8                          // bytes of a block before what is its own
)

// mostArrayBlock is the most bytes of a block of an extensible array that is written again.
const mostArrayBlock = 64 << 20

// Statistics in the header of an extensible array.
const (
	statSupers = iota // super blocks
	statSuperBytes
	statBlocks // data blocks
	statBlockBytes
	statEnd     // one more than the number of the last entry
	statEntries // in all blocks
)

// A growingArray is an extensible array to which chunks are added. Blocks that change are written
// again. If changes of the header would not be within a sector, everything is, since all blocks
// have the address of the header.
type growingArray struct {
	*GrowingIndex
	*extensibleArray
	r      *Reader
	ix     *Index
	header []byte // without its checksum
	at     int64  // of the header
	moved  bool   // it was at another address, or there was none
	read   int64  // bytes of blocks
}

// A touchedBlock is a data block that is written again.
type touchedBlock struct {
	super  int // number of its super block
	block  uint64
	chunks []numberedChunk
}

// putExtensible adds chunks to an extensible array.
func (g *GrowingIndex) putExtensible(r *Reader, ix *Index, list []numberedChunk) (root int64, then []Patch, err error) {
	a := &growingArray{GrowingIndex: g, r: r, ix: ix}
	before, err := a.open()
	if err != nil {
		return 0, nil, err
	}
	if a.at = ix.address; a.at == None || !inplace.Whole(a.at+extensibleStats, extensibleSize-extensibleStats) {
		a.moved = true
		a.at = inplace.Fit(g.Place(extensibleSize+inplace.Sector), extensibleSize)
	}

	index, err := a.putIndex(list)
	if err != nil {
		return 0, nil, err
	}
	last := list[len(list)-1].number
	a.setStat(statEnd, max(a.stat(statEnd), last+1))
	le.PutUint64(a.header[extensibleStats+6*8:], uint64(index))

	now := appendChecksum(a.header, 0)
	if a.moved {
		return a.at, nil, g.Write(now, a.at)
	}
	from, to := inplace.Changed(before, now)
	return a.at, []Patch{{a.at + int64(from), now[from:to]}}, nil
}

func (a *growingArray) stat(i int) uint64 { return le.Uint64(a.header[extensibleStats+8*i:]) }

func (a *growingArray) setStat(i int, n uint64) { le.PutUint64(a.header[extensibleStats+8*i:], n) }

func (a *growingArray) addStat(i int, n uint64) { a.setStat(i, a.stat(i)+n) }

// open reads the header, or makes one, and returns it as it was.
func (a *growingArray) open() (before []byte, err error) {
	if at := a.ix.address; at != None {
		if a.extensibleArray, err = a.r.extensibleArray(a.ix); err != nil {
			return nil, err
		}
		b, err := a.r.Bytes(layerExtensible, at, extensibleSize, extensibleSize)
		if err != nil {
			return nil, err
		}
		a.header = slices.Clone(b[:extensibleSize-checksumSize])
		return slices.Clone(b), nil
	}

	// bits, entries in the index, pointers, entries of the first data blocks, bits of pages
	p := a.Layout.params
	a.extensibleArray = &extensibleArray{entry: a.entrySize(a.ix), bits: int(p[0]), inIndex: uint64(p[1]),
		pointers: uint64(p[2]), least: uint64(p[3]), pageBits: p[4], index: None}
	a.header = append([]byte("EAHD\x00"), a.ix.client(), byte(a.entry), p[0], p[1], p[3], p[2], p[4])
	a.header = append(a.header, make([]byte, 6*8+8)...)
	return nil, a.measure()
}

// load returns a block without its checksum.
func (a *growingArray) load(signature string, at, size int64) ([]byte, error) {
	b, err := a.bytes(at, size+checksumSize)
	if err != nil {
		return nil, err
	}
	return slices.Clone(b[:size]), a.r.sameHead(a.ix, layerExtensible, b, at, signature)
}

// bytes returns bytes of blocks, of which there are no more than the file has.
func (a *growingArray) bytes(at, size int64) ([]byte, error) {
	if a.read += size; a.read > a.r.Size() {
		return nil, cairn.Corruptf(layerExtensible, a.r.offset(at), "its blocks overlap")
	}
	return a.r.Bytes(layerExtensible, at, size, a.r.Limits.MaxIndex)
}

// blank returns the beginning of a new block.
func (a *growingArray) blank(signature string) []byte {
	b := append([]byte(signature), 0, a.ix.client())
	return le.AppendUint64(b, uint64(a.at))
}

// write writes a block to a new place.
func (a *growingArray) write(b []byte) (at int64, err error) {
	le.PutUint64(b[6:], uint64(a.at))
	at = a.Place(int64(len(b) + checksumSize))
	return at, a.Write(appendChecksum(b, 0), at)
}

// putIndex writes the index block with chunks, after the blocks that have some of them.
func (a *growingArray) putIndex(list []numberedChunk) (at int64, err error) {
	count := a.dataBlocks + a.superAts
	entries := int(a.inIndex) * a.entry
	var b []byte
	if a.index != None {
		if b, err = a.load("EAIB", a.index, int64(arrayHead+entries+8*count)); err != nil {
			return 0, err
		}
	} else {
		b = append(a.blank("EAIB"), blankEntries(a.inIndex, a.entry)...)
		b = append(b, blankEntries(uint64(count), 8)...)
		a.addStat(statEntries, a.inIndex)
	}

	these, list := upTo(list, a.inIndex)
	if err := a.putEntries(a.ix, b[arrayHead:], a.entry, 0, these); err != nil {
		return 0, err
	}
	addresses := b[arrayHead+entries:]
	touched, err := a.touched(list, addresses)
	if err != nil {
		return 0, err
	}
	for len(touched) > 0 {
		k := touched[0].super
		n := slices.IndexFunc(touched, func(t touchedBlock) bool { return t.super != k })
		if n < 0 {
			n = len(touched)
		}
		if k < a.fromIndex {
			err = a.putBlocks(touched[:n], addresses[8*a.supers[k].firstBlock:], nil)
		} else {
			err = a.putSuper(k, touched[:n], addresses[8*(a.dataBlocks+k-a.fromIndex):])
		}
		if err != nil {
			return 0, err
		}
		touched = touched[n:]
	}
	return a.write(b)
}

// touched returns the data blocks that have to be written again, in their order: those of chunks
// and, if the header has moved, all.
func (a *growingArray) touched(list []numberedChunk, addresses []byte) (blocks []touchedBlock, err error) {
	for len(list) > 0 {
		n := list[0].number - a.inIndex
		k := bits.Len64(n/a.least+1) - 1
		if k >= len(a.supers) {
			return nil, cairn.Corruptf(layerExtensible, a.r.offset(a.ix.address), "no block has the entry %d", n)
		}
		s := a.supers[k]
		t := touchedBlock{super: k, block: (n - s.first) / s.entries}
		t.chunks, list = upTo(list, a.inIndex+s.first+(t.block+1)*s.entries)
		blocks = append(blocks, t)
	}
	if !a.moved || a.index == None {
		return blocks, nil
	}

	for k, s := range a.supers {
		if k < a.fromIndex {
			for i := range s.blocks {
				if addressAt(addresses, s.firstBlock+i) != None {
					blocks = append(blocks, touchedBlock{super: k, block: i})
				}
			}
		} else if addressAt(addresses, uint64(a.dataBlocks+k-a.fromIndex)) != None {
			// which stands for the super block
			blocks = append(blocks, touchedBlock{super: k, block: s.blocks})
		}
	}
	sort.SliceStable(blocks, func(i, j int) bool {
		x := &blocks[i]
		y := &blocks[j]
		return cmp.Or(cmp.Compare(x.super, y.super), cmp.Compare(x.block, y.block)) < 0
	})
	return slices.CompactFunc(blocks, func(x, y touchedBlock) bool { return x.super == y.super && x.block == y.block }), nil
}

// addressAt returns the i-th address of a list.
func addressAt(list []byte, i uint64) int64 { return int64(le.Uint64(list[8*i:])) }

// putSuper writes a super block again, whose address is the first of a list, with data blocks that
// have changed.
func (a *growingArray) putSuper(k int, touched []touchedBlock, addresses []byte) (err error) {
	s := a.supers[k]
	head := int64(arrayHead + a.numberSize)
	bitmap := int64(s.blocks * ((a.pagesOf(s) + 7) / 8))
	size := head + bitmap + 8*int64(s.blocks)
	if size > min(mostArrayBlock, a.r.Limits.MaxIndex) {
		return unsupported("an extensible array with a super block of %d bytes", size)
	}
	var b []byte
	old := addressAt(addresses, 0)
	if old != None {
		if b, err = a.load("EASB", old, size); err != nil {
			return err
		}
	} else {
		b = append(a.blank("EASB"), make([]byte, int64(a.numberSize)+bitmap)...)
		putNumber(b[arrayHead:head], s.first)
		b = append(b, blankEntries(s.blocks, 8)...)
		a.addStat(statSupers, 1)
		a.addStat(statSuperBytes, uint64(size+checksumSize))
	}

	if last := len(touched) - 1; touched[last].block == s.blocks { // all of them
		touched = slices.Clone(touched[:last])
		for i := range s.blocks {
			has := slices.ContainsFunc(touched, func(t touchedBlock) bool { return t.block == i })
			if !has && addressAt(b[head+bitmap:], i) != None {
				touched = append(touched, touchedBlock{super: k, block: i})
			}
		}
	}
	if err := a.putBlocks(touched, b[head+bitmap:], b[head:head+bitmap]); err != nil {
		return err
	}
	at, err := a.write(b)
	le.PutUint64(addresses, uint64(at))
	return err
}

// putNumber makes the bytes of b a number.
func putNumber(b []byte, n uint64) {
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
}

// putBlocks writes data blocks of a super block again. addresses are those of its blocks, and
// written is the bitmap of pages; nil if there are none.
func (a *growingArray) putBlocks(touched []touchedBlock, addresses, written []byte) error {
	for _, t := range touched {
		s := a.supers[t.super]
		old := addressAt(addresses, t.block)
		size := int64(arrayHead+a.numberSize) + int64(s.entries)*int64(a.entry)
		pages := a.pagesOf(s)
		if pages > 0 {
			size += int64(pages) * checksumSize
		}
		if pages > 0 && written == nil || size > min(mostArrayBlock, a.r.Limits.MaxIndex) {
			return unsupported("an extensible array with data blocks of %d bytes", size)
		}
		if old == None {
			a.addStat(statBlocks, 1)
			a.addStat(statBlockBytes, uint64(size+checksumSize))
			a.addStat(statEntries, s.entries)
		}

		at := None
		var err error
		if pages == 0 {
			at, err = a.putBlock(t, s, old)
		} else {
			at, err = a.putPages(t, s, old, size+checksumSize, written)
		}
		if err != nil {
			return err
		}
		le.PutUint64(addresses[8*t.block:], uint64(at))
	}
	return nil
}

// blockHead returns the beginning of a new data block.
func (a *growingArray) blockHead(t touchedBlock, s superBlock) []byte {
	b := append(a.blank("EADB"), make([]byte, a.numberSize)...)
	before := t.block
	if t.super < a.fromIndex {
		before += s.firstBlock // which is what the HDF5 library writes
	}
	putNumber(b[arrayHead:], s.first+before*s.entries)
	return b
}

// firstOf returns the number of the first entry of a data block.
func (a *growingArray) firstOf(t touchedBlock, s superBlock) uint64 {
	return a.inIndex + s.first + t.block*s.entries
}

// putBlock writes a data block without pages.
func (a *growingArray) putBlock(t touchedBlock, s superBlock, old int64) (at int64, err error) {
	head := arrayHead + a.numberSize
	var b []byte
	if old != None {
		b, err = a.load("EADB", old, int64(head)+int64(s.entries)*int64(a.entry))
		if err != nil {
			return 0, err
		}
	} else {
		b = append(a.blockHead(t, s), blankEntries(s.entries, a.entry)...)
	}
	if err := a.putEntries(a.ix, b[head:], a.entry, a.firstOf(t, s), t.chunks); err != nil {
		return 0, err
	}
	return a.write(b)
}

// putPages writes a data block of so many bytes, with those of its pages that have entries.
func (a *growingArray) putPages(t touchedBlock, s superBlock, old, size int64, written []byte) (at int64, err error) {
	head := int64(arrayHead + a.numberSize)
	b := a.blockHead(t, s)
	if old != None {
		if b, err = a.load("EADB", old, head); err != nil {
			return 0, err
		}
		le.PutUint64(b[6:], uint64(a.at))
	}
	at = a.Place(size)
	if err := a.Write(appendChecksum(b, 0), at); err != nil {
		return 0, err
	}

	pages := a.pagesOf(s)
	entries := int64(1) << a.pageBits * int64(a.entry)
	list := t.chunks
	for i := range pages {
		first := a.firstOf(t, s) + i<<a.pageBits
		var these []numberedChunk
		these, list = upTo(list, first+1<<a.pageBits)
		number := t.block*pages + i
		from := head + checksumSize + int64(i)*(entries+checksumSize)
		had := old != None && bit(written, number)
		if !had && len(these) == 0 {
			continue
		}

		page := blankEntries(1<<a.pageBits, a.entry)
		if had {
			b, err := a.bytes(old+from, entries+checksumSize)
			if err != nil {
				return 0, err
			}
			if _, err := a.r.checked(layerExtensible, b, old+from); err != nil {
				return 0, err
			}
			copy(page, b)
		}
		written[number/8] |= 0x80 >> (number % 8)
		if err := a.putEntries(a.ix, page, a.entry, first, these); err != nil {
			return 0, err
		}
		if err := a.Write(appendChecksum(page, 0), at+from); err != nil {
			return 0, err
		}
	}
	return at, nil
}
