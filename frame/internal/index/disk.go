package index

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/wire"
)

// diskIndex is an encoded index as read from a file. Its blocks are decoded and checked on first
// access. It does not contain the last block: opening the frame decodes that, to check what holds
// for the whole chunk (codec, filters, limits).
//
// It is safe for concurrent use. Several goroutines may decode a block at the same time; one of the
// results is kept.
type diskIndex struct {
	// returns the index of a segment, if the blocks are in segments and not in raw: see Lazy
	segment  func(j int) (Index, error)
	raw      []byte // the chunk; never modified
	at       int64  // offset of the chunk in the file
	fill     int64
	limits   cairn.Limits
	check    Check
	blocks   []atomic.Pointer[block]
	decoders sync.Pool // of *blockReader
}

// Check returns an error if entry i is invalid.
type Check func(i int, entry int64) error

// blockReader is the memory for decoding one block.
type blockReader struct {
	decoder *chunk.Decoder
	buf     [BlockBytes]byte
}

// readsByBlock reports whether an index with header h can be decoded block by block: it has more
// than one block, of C-Blosc2's size.
func readsByBlock(h chunk.Header) bool {
	l := h.Layout()
	return h.Special() == chunk.SpecialNone && h.TypeSize == EntrySize && l.BlockSize == BlockBytes && l.NumBlocks > 1
}

// openDisk returns the index of n entries in raw.
func openDisk(raw []byte, at int64, n int, limits cairn.Limits, check Check) (Index, error) {
	last := (n - 1) / BlockLen
	d := &diskIndex{raw: raw, at: at, limits: limits, check: check, blocks: make([]atomic.Pointer[block], last)}
	d.fill, _ = Special(chunk.SpecialZeros)
	x := Index{n: n, fill: d.fill, disk: d}
	b, err := d.decode(last, n)
	if err != nil {
		return Index{}, err
	}
	x.growNodes(last)
	x.nodes[last/nodeBlocks] = &node{}
	x.nodes[last/nodeBlocks][last%nodeBlocks] = b
	return x, nil
}

// has reports whether d contains block k; d may be nil.
func (d *diskIndex) has(k int) bool { return d != nil && k < len(d.blocks) }

// block returns block k.
func (d *diskIndex) block(k int) (*block, error) {
	slot := &d.blocks[k]
	b := slot.Load()
	switch {
	case b == nil && d.segment != nil:
		b, err := d.fetch(k)
		if err != nil {
			return b, err // the next access may succeed
		}
		slot.Store(b)
		return b, nil
	case b == nil:
		var err error
		if b, err = d.decode(k, (k+1)*BlockLen); err != nil {
			b = &block{broken: wire.Moved(err, d.at)} // do not decode it again for each entry
		}
		if !slot.CompareAndSwap(nil, b) {
			b = slot.Load()
		}
	}

	if b.broken != nil {
		return nil, b.broken
	}
	return b, nil
}

// decode decodes block k, whose entries end before entry end. Offsets in errors are relative to the
// chunk.
func (d *diskIndex) decode(k, end int) (*block, error) {
	r, _ := d.decoders.Get().(*blockReader)
	if r == nil {
		r = &blockReader{decoder: chunk.NewDecoder(&chunk.DecodeOptions{Engine: chunk.Engine{Limits: d.limits}})}
	}
	defer d.decoders.Put(r)
	first := k * BlockLen
	if _, err := r.decoder.DecodeItems(r.buf[:], d.raw, first, end); err != nil {
		return nil, asIndexError(err)
	}

	b := &block{}
	var last *leaf // the last leaf that is full of one entry
	spare := &leaf{}
	for i := first; i < end; i += LeafLen {
		l := spare
		n := min(LeafLen, end-i)
		for j := range n {
			l[j] = int64(binary.LittleEndian.Uint64(r.buf[EntrySize*(i-first+j):]))
			if j > 0 && l[j] == l[j-1] {
				continue
			}
			if err := d.check(i+j, l[j]); err != nil {
				return nil, err
			}
		}

		uniform := allEqual(l[:n])
		switch {
		case uniform && l[0] == d.fill:
			continue
		case uniform && n == LeafLen && last != nil && last[0] == l[0]:
			l = last
		default:
			spare = &leaf{}
			if uniform && n == LeafLen {
				last = l
			}
		}
		b.leaves[(i-first)/LeafLen] = l
	}

	return b, nil
}

// packed returns the encoded block k in the chunk, or nil if it is not valid.
func (d *diskIndex) packed(k int) []byte {
	at := int64(int32(binary.LittleEndian.Uint32(d.raw[chunk.HeaderSize+4*k:])))
	if at < chunk.HeaderSize || at > int64(len(d.raw)-4) {
		return nil
	}
	// A stream is its length and its bytes; a run of zeros is the length 0, a run of another byte a
	// negative one and a token (format: chunk streams).
	size := int64(int32(binary.LittleEndian.Uint32(d.raw[at:])))
	if size < 0 {
		size = 1
	}
	if size > BlockBytes || at+4+size > int64(len(d.raw)) {
		return nil
	}
	return d.raw[at : at+4+size]
}
