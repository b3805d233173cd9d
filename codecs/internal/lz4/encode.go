package lz4

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/lz"
)

const (
	shortest  = endMatch + 1         // shorter sources are literals only
	nearLimit = 1<<16 + endMatch - 1 // from this length on, positions do not fit into 16 bits

	hashFactor = 2654435761 // 2^32 divided by the golden ratio
)

// An Encoder encodes LZ4 blocks by a greedy search with one table of earlier positions. It chooses
// between several ways of searching depending on the source. It may be reused, but not
// concurrently. The output depends only on the source and the acceleration, not on the machine.
type Encoder struct {
	searches searches

	// by hash: the last position, modulo 65536; the second one is for a search that is compared
	tables [2]table
	spares [2][2*trySize + trySize/4]byte // the output of both until one is chosen

	on   bool     // whether there is a dictionary
	dict *learned // memory of the dictionary; nil before the first one
}

type table = [1 << lz.TableBits]uint16

// NewEncoder returns an encoder. The acceleration is from 1, the most thorough, to 9, the fastest;
// other values are clamped.
func NewEncoder(acceleration int) *Encoder {
	return &Encoder{searches: searchesFor(min(max(acceleration, 1), 9))}
}

// Encode compresses src into dst and returns the length of the block. It returns 0 if the block
// does not fit into dst, if src is longer than 2,113,929,216 bytes, or if a sample of src looks
// like noise. It does not allocate, except that with a dictionary it allocates memory for the
// longest source so far.
func (e *Encoder) Encode(dst, src []byte) int {
	if len(src) > maxSource {
		return 0
	}
	if len(src) < shortest {
		return putEnd(dst, 0, src)
	}

	plain := src
	start := 0
	if e.on {
		src = e.dict.put(src)
		start = e.dict.size
	}

	near := len(src) < nearLimit
	s := e.searches.first(len(plain), near)
	positions := &e.tables[0]
	switch {
	case e.on:
		e.load(s, near)
	case near:
		clear(positions[:1<<lz.NearBits])
	default:
		clear(positions[:])
	}

	// Noise is given up early. Which search is chosen must not depend on the room in dst, so until
	// then the output goes elsewhere.
	room := dst
	choosing := s == &e.searches.long && !e.on
	if choosing {
		room = e.spares[0][:]
	}
	c := lz.Cursor{Anchor: start, Pos: max(start, 1), Step: 1, Attempt: s.Attempt}
	if len(plain) >= probeFrom && e.findNoise(&c, room, src, start, s) || c.Out < 0 {
		return 0
	}

	if choosing {
		s, positions = e.choose(&c, dst, src)
	}
	if c.Out < 0 {
		return 0
	}

	last := len(src) - endMatch + 1
	if e.encode(&c, positions, dst, src, last, s); c.Out < 0 {
		return 0
	}
	return putEnd(dst, c.Out, src[c.Anchor:])
}

// encode writes sequences until the search would go beyond limit. It sets c.Out to -1 if they do
// not fit into dst, and does nothing if c.Out is that already.
func (e *Encoder) encode(c *lz.Cursor, positions *table, dst, src []byte, limit int, s *lz.Search) {
	if c.Out < 0 {
		return // kernels would write in front of dst
	}
	if len(src) < nearLimit {
		lz.EncodeNear(c, positions, dst, src, limit, s)
		greedy(c, positions, dst, src, limit, s, 64-lz.NearBits)
	} else {
		lz.EncodeFar(c, positions, dst, src, limit, s)
		greedy(c, positions, dst, src, limit, s, 64-lz.TableBits)
	}
}

// common returns how many bytes from b[pos] on equal those distance bytes earlier.
func common(b []byte, pos, distance int) int {
	x := b[pos:]
	y := b[pos-distance:]
	for len(x) >= 8 && len(y) >= 8 {
		if diff := binary.LittleEndian.Uint64(x) ^ binary.LittleEndian.Uint64(y); diff != 0 {
			return len(b) - len(x) - pos + bits.TrailingZeros64(diff)>>3
		}
		x = x[8:]
		y = y[8:]
	}

	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x = x[1:]
		y = y[1:]
	}
	return len(b) - len(x) - pos
}
