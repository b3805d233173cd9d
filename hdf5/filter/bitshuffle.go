package filter

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/shuffle"
)

// Bitshuffle (filter 32008) puts bit k of all items of a block together, for each k, and may
// compress each block, which then lies behind a head as with LZ4. The last items that are not a
// multiple of eight follow the blocks as they are. Parameters 0 and 1 are the version. (Source: the
// description of the registered filter.)

// Parameters of bitshuffle.
const (
	bitItem  = 2 // bytes of an item
	bitBlock = 3 // items of a block; 0 means a default
	bitCodec = 4
	bitLevel = 5
)

// Compressors of bitshuffle.
const (
	bitNone = 0
	bitLZ4  = 2
	bitZstd = 3
)

// The default size of blocks, in bytes, and their least number of items.
const (
	bitLargest = 1 << 27 // bytes of an item that this package accepts
	bitTarget  = 8192
	bitLeast   = 128
	bitUnit    = 8 // items of which a block has a multiple
)

func bitCheck(f Filter) error {
	if n := f.param(bitItem); n == 0 || n > bitLargest {
		return corrupt(f.ID, "items of %d bytes", n)
	}
	if n := f.param(bitBlock); n%bitUnit != 0 {
		return corrupt(f.ID, "blocks of %d items", n)
	}
	switch c := f.param(bitCodec); c {
	case bitNone, bitLZ4, bitZstd:
		return nil
	default:
		return unsupported(f, "with compressor %d cannot be decoded", c)
	}
}

// bitBlockSize returns the bytes of a block by the parameters, at most size.
func bitBlockSize(f Filter, size int) int {
	item := f.param(bitItem)
	items := f.param(bitBlock)
	if items == 0 {
		items = max(bitTarget/item/bitUnit*bitUnit, bitLeast)
	}
	return int(min(items*item, int64(size)))
}

func bitSize(f Filter, src []byte, most int) (int, error) {
	if f.param(bitCodec) == bitNone {
		return len(src), nil
	}
	return blocksSize(f, src, most)
}

func bitDecode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	b := bitBlocks{f: f, unit: int(f.param(bitItem)) * bitUnit}
	var err error
	if b.row, err = shuffled(shuffle.IDBit); err != nil {
		return nil, err
	}

	if b.codec() != codecs.Default {
		if b.d, err = w.decoder(b.codec()); err != nil {
			return nil, err
		}
		if b.size, err = blockSize(f, dst, src); err != nil {
			return nil, err
		}
		if b.size%b.unit != 0 {
			return nil, corrupt(f.ID, "blocks of %d bytes with items of %d", b.size, b.unit/bitUnit)
		}
		src = src[blocksHead:]
	} else if b.size = bitBlockSize(f, len(dst)); len(src) != len(dst) {
		return nil, corrupt(f.ID, "%d bytes, want %d", len(src), len(dst))
	}

	b.size = max(min(b.size, len(dst))/b.unit*b.unit, b.unit)
	w.block = slab.Resize(w.block, min(b.size, len(dst)))
	return dst, b.decode(dst, src, w.block)
}

// bitBlocks are the blocks of a chunk.
type bitBlocks struct {
	f    Filter
	row  shuffle.Row
	unit int // bytes of eight items
	size int // bytes of a block but the last
	d    codecs.Decoder
}

// codec returns the compressor, or Default for none.
func (b *bitBlocks) codec() codecs.Codec {
	switch b.f.param(bitCodec) {
	case bitLZ4:
		return codecs.LZ4
	case bitZstd:
		return codecs.Zstd
	}
	return codecs.Default
}

func (b *bitBlocks) decode(dst, src, scratch []byte) (err error) {
	ctx := &shuffle.Context{TypeSize: b.unit / bitUnit}
	for len(dst) >= b.unit {
		to := dst[:min(b.size, len(dst)/b.unit*b.unit)]
		dst = dst[len(to):]

		var block []byte
		if b.d == nil {
			block = src[:len(to)]
			src = src[len(to):]
		} else {
			var packed []byte
			if packed, src, err = nextBlock(b.f, src); err != nil {
				return err
			}
			block = scratch[:len(to)]
			if err := b.d.Decode(block, packed); err != nil {
				return broken(b.f.ID, err)
			}
		}

		if err := b.row.Backward(to, block, 0, ctx); err != nil {
			return err
		}
	}

	if len(src) < len(dst) {
		return corrupt(b.f.ID, "%d bytes behind the blocks, want %d", len(src), len(dst))
	}
	copy(dst, src)
	return nil
}

func bitEncode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	b := bitBlocks{f: f, unit: int(f.param(bitItem)) * bitUnit}
	var err error
	if b.row, err = shuffled(shuffle.IDBit); err != nil {
		return nil, err
	}

	var e codecs.Encoder
	b.size = max(bitBlockSize(f, len(src))/b.unit*b.unit, b.unit)
	dst = slab.Resize(dst, len(src))[:0]

	if c := b.codec(); c != codecs.Default {
		level := lz4Level
		if f.param(bitCodec) == bitZstd {
			level = zstdLevel(f.param(bitLevel))
		}
		if e, err = w.encoder(c, level); err != nil {
			return nil, err
		}
		dst = appendHead(dst, len(src), b.size)
	}

	w.block = slab.Resize(w.block, min(b.size, len(src)))
	dst, err = b.encode(dst, src, w.block, e)

	if e != nil && len(dst) >= len(src) {
		return nil, err
	}
	return dst, err
}

// encode appends the blocks of src to dst. A codec may need more bytes than a block has.
func (b *bitBlocks) encode(dst, src, scratch []byte, e codecs.Encoder) ([]byte, error) {
	ctx := &shuffle.Context{TypeSize: b.unit / bitUnit}
	for len(src) >= b.unit {
		from := src[:min(b.size, len(src)/b.unit*b.unit)]
		src = src[len(from):]
		block := scratch[:len(from)]
		if err := b.row.Forward(block, from, 0, ctx); err != nil {
			return nil, err
		}

		if e == nil {
			dst = append(dst, block...)
			continue
		}

		head := len(dst)
		dst = append(dst, make([]byte, blockHead+len(block)+len(block)/128+64)...)
		n, err := e.Encode(dst[head+blockHead:], block)
		if err != nil || n == 0 {
			return nil, err
		}

		binary.BigEndian.PutUint32(dst[head:], uint32(n))
		dst = dst[:head+blockHead+n]
	}
	return append(dst, src...), nil
}
