package filter

import (
	"encoding/binary"
	"math"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/slab"
)

// LZ4 (filter 32004) and bitshuffle with a compressor (filter 32008) store blocks behind a head:
//
//	0    u64   decoded size
//	8    u32   bytes of each block but the last, decoded
//	12         the blocks: u32 encoded size, and as many bytes
//
// All numbers have the most significant byte first. A block of LZ4 that is not smaller is stored as
// it is; parameter 0 is the size of blocks. (Source: the registered filters' descriptions.)

const (
	blocksHead = 12
	blockHead  = 4

	lz4Default = 1 << 30 // size of blocks if the parameter is 0
)

// blocksSize returns the decoded size that the head of blocks states.
func blocksSize(f Filter, src []byte, _ int) (int, error) {
	if len(src) < blocksHead {
		return 0, corrupt(f.ID, "%d bytes, less than a head", len(src))
	}
	return int(min(binary.BigEndian.Uint64(src), math.MaxInt32)), nil
}

// blockSize returns the size of blocks that the head states, for len(dst) bytes.
func blockSize(f Filter, dst, src []byte) (int, error) {
	n, err := blocksSize(f, src, 0)
	if err != nil {
		return 0, err
	}
	if n != len(dst) {
		return 0, corrupt(f.ID, "%d bytes, want %d", n, len(dst))
	}

	size := binary.BigEndian.Uint32(src[8:])
	if size == 0 || size > math.MaxInt32 {
		return 0, corrupt(f.ID, "blocks of %d bytes", size)
	}
	return int(size), nil
}

// nextBlock returns the bytes of the block at the beginning of src, and what follows it.
func nextBlock(f Filter, src []byte) (block, rest []byte, err error) {
	if len(src) >= blockHead {
		n := binary.BigEndian.Uint32(src)
		src = src[blockHead:]
		if int64(n) <= int64(len(src)) {
			return src[:n], src[n:], nil
		}
	}
	return nil, nil, corrupt(f.ID, "a block is longer than the %d bytes that are left", len(src))
}

// appendHead appends the head of blocks.
func appendHead(dst []byte, size, block int) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(dst, uint64(size)), uint32(block))
}

func lz4Size(f Filter, src []byte, most int) (int, error) { return blocksSize(f, src, most) }

func lz4Decode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	size, err := blockSize(f, dst, src)
	if err != nil {
		return nil, err
	}
	d, err := w.decoder(codecs.LZ4)
	if err != nil {
		return nil, err
	}

	src = src[blocksHead:]
	for at := 0; at < len(dst); at += size {
		to := dst[at:min(at+size, len(dst))]

		var block []byte
		if block, src, err = nextBlock(f, src); err != nil {
			return nil, err
		}

		if len(block) == len(to) {
			copy(to, block)
		} else if err := d.Decode(to, block); err != nil {
			return nil, broken(f.ID, err)
		}

		if size > len(dst) {
			break // at would overflow 32 bits
		}
	}
	return dst, nil
}

const lz4Level = 9 // acceleration 1, as the registered filter has it

func lz4Encode(w *workspace, f Filter, dst, src []byte) ([]byte, error) {
	e, err := w.encoder(codecs.LZ4, lz4Level)
	if err != nil {
		return nil, err
	}

	size := int(f.param(0))
	if size <= 0 {
		size = lz4Default
	}

	size = max(min(size, len(src)), 1)
	blocks := (len(src) + size - 1) / size
	dst = appendHead(slab.Resize(dst, blocksHead+blocks*blockHead+len(src))[:0], len(src), size)
	for rest := src; len(rest) > 0; {
		from := rest[:min(size, len(rest))]
		rest = rest[len(from):]

		head := len(dst)
		to := dst[head+blockHead : head+blockHead+len(from)]

		n, err := e.Encode(to[:len(from)-1], from)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			n = copy(to, from)
		}
		dst = dst[:head+blockHead+n]
		binary.BigEndian.PutUint32(dst[head:], uint32(n))
	}

	if len(dst) >= len(src) {
		return nil, nil
	}
	return dst, nil
}
