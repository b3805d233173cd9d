package lz4

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/lz4block"
)

const (
	shortest  = endMatch + 1         // shorter sources are literals only
	nearLimit = 1<<16 + endMatch - 1 // from this length on positions do not fit into the near table
	patience  = 6                    // the search takes longer steps after 2^patience attempts

	hashFactor     = 2654435761   // 2^32 divided by the golden ratio
	hashFactorFive = 889523592379 // 2^40 times 0.809
)

// An Encoder makes LZ4 blocks by a greedy search with one table of earlier positions. Its choices are those of liblz4's
// LZ4_compress_fast on a 64-bit little-endian machine, whatever the machine. It may be used for any number of blocks, by one
// goroutine at a time; the bytes it makes depend on the source and the acceleration alone.
type Encoder struct {
	acceleration int
	near         [1 << lz4block.NearBits]uint16 // by hash of four bytes: their last position
	far          [1 << lz4block.FarBits]uint32  // by hash of five bytes: the same, in sources too long for the former
}

// NewEncoder returns an encoder. Where nothing matches it takes steps that are longer by the acceleration; 1 is the most
// thorough, and smaller ones mean 1.
func NewEncoder(acceleration int) *Encoder {
	return &Encoder{acceleration: min(max(acceleration, 1), 1<<16+1)}
}

// Encode compresses src into dst and returns the length of the block, or 0 if it does not fit into dst, if src is longer than
// 2,113,929,216 bytes, or if src is noise as far as a sample shows. It allocates nothing.
func (e *Encoder) Encode(dst, src []byte) int {
	if len(src) > maxSource {
		return 0
	}
	if len(src) < shortest {
		return putEnd(dst, 0, src)
	}
	if len(src) < nearLimit {
		clear(e.near[:])
	} else {
		clear(e.far[:])
	}
	c := lz4block.Cursor{Pos: 1, Step: 1, Attempt: e.acceleration << patience}
	if len(src) >= probeFrom {
		e.encode(&c, dst, src, probeAfter)
		if c.Out == 0 && noise(src) {
			return 0
		}
	}
	if c.Out >= 0 {
		e.encode(&c, dst, src, len(src)-endMatch+1)
	}
	if c.Out < 0 {
		return 0
	}
	return putEnd(dst, c.Out, src[c.Anchor:])
}

// encode makes sequences until the search would look beyond limit, or sets c.Out to -1 if they do not fit into dst.
func (e *Encoder) encode(c *lz4block.Cursor, dst, src []byte, limit int) {
	patient := e.acceleration << patience
	if len(src) < nearLimit {
		lz4block.EncodeNear(c, &e.near, dst, src, limit, patient)
		greedy(c, e.near[:], dst, src, limit, patient)
	} else {
		lz4block.EncodeFar(c, &e.far, dst, src, limit, patient)
		greedy(c, e.far[:], dst, src, limit, patient)
	}
}

// common returns how many bytes from b[pos] on equal those that are distance bytes before.
func common(b []byte, pos, distance int) int {
	x, y := b[pos:], b[pos-distance:]
	for len(x) >= 8 && len(y) >= 8 {
		if diff := binary.LittleEndian.Uint64(x) ^ binary.LittleEndian.Uint64(y); diff != 0 {
			return len(b) - len(x) - pos + bits.TrailingZeros64(diff)>>3
		}
		x, y = x[8:], y[8:]
	}
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	return len(b) - len(x) - pos
}
