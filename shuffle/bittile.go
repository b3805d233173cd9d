package shuffle

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/bitshuffle"
)

// bitshuffleItems writes the bit rows of byte j of the items in src to dst[j*pitch:]. The number of
// items must be a multiple of 8. size is bytes per item.
func bitshuffleItems(dst []byte, pitch int, src []byte, size int) {
	row := len(src) / size / 8
	if done := bitshuffle.Shuffle(dst, pitch, row, src, size); done*size < len(src) {
		bitshuffleTiles(dst[done/8:], pitch, row, src[done*size:], size)
	}
}

// Bitshuffle in plain Go processes tiles of 64 items by 8 bytes (by all bytes of shorter items).
//
// Bit row 8*j+k contains bit k of byte j of every item, with item e in bit e%8 of byte e/8. So
// eight bytes of a row represent 64 items, and byte p of the row items 8p to 8p+7. Word i of column
// j of a tile contains byte j of every eighth item, from i to 56+i. Transposing bits across the
// eight words of a column gives the same eight bytes of all its eight rows.

// tileItems is the number of items in a tile.
const tileItems = 64

// bitTile contains word i of column j at [width*i+j].
type bitTile [tileItems]uint64

// tileShape describes the mapping of item bytes to tiles. load reads and store writes 8 bytes of
// each of 8 items that are 8 items apart, which are 8 columns of one word index. Items of less than
// 8 bytes are treated as groups of 8, whose bytes fill the same number of words in the same order.
type tileShape struct {
	width int // columns of a tile
	parts int // number of reads of 8 times 8 bytes in load
	step  int // distance of these reads in bytes
}

func shapeOf(size int) tileShape {
	if size < 8 {
		return tileShape{width: size, parts: size, step: 8}
	}
	return tileShape{width: 8, parts: 8, step: size}
}

// bitshuffleTiles is bitshuffleItems without vector kernels, for rows of the given length. It
// processes as many items as src contains.
func bitshuffleTiles(dst []byte, pitch, row int, src []byte, size int) {
	items := len(src) / size
	done := items - items%tileItems
	shape := shapeOf(size)
	var tile bitTile

	for j := 0; j < size; j += 8 {
		// the last tiles overlap with previous ones if 8 does not divide size
		first := min(j, size-shape.width)
		for e := 0; e < done; e += tileItems {
			tile.load(src[e*size+first:], size, shape)
			for k := range shape.width {
				tile.storeRows(dst[(first+k)*pitch+e/8:], row, k, shape)
			}
		}
	}

	for e := done; e < items; e += 8 {
		for j := range size {
			bitshuffle8(dst[j*pitch+e/8:], row, src[e*size+j:], size)
		}
	}
}

// load reads the columns of a tile from 64 items of the given size.
func (t *bitTile) load(src []byte, size int, shape tileShape) {
	le := binary.LittleEndian
	group := 8 * size
	for part := range shape.parts {
		s := src[part*shape.step:]
		w := (*[8]uint64)(t[8*part:])
		w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7] = transposeBytes(
			le.Uint64(s), le.Uint64(s[group:]), le.Uint64(s[2*group:]), le.Uint64(s[3*group:]),
			le.Uint64(s[4*group:]), le.Uint64(s[5*group:]), le.Uint64(s[6*group:]), le.Uint64(s[7*group:]))
	}
}

// storeRows writes 8 bytes of each of the 8 bit rows of a column; rows are row bytes apart.
func (t *bitTile) storeRows(dst []byte, row, column int, shape tileShape) {
	le := binary.LittleEndian
	w := t[column:]
	n := shape.width
	a, b, c, d, e, f, g, h := transposeBits(w[0], w[n], w[2*n], w[3*n], w[4*n], w[5*n], w[6*n], w[7*n])
	le.PutUint64(dst, a)
	le.PutUint64(dst[row:], b)
	le.PutUint64(dst[2*row:], c)
	le.PutUint64(dst[3*row:], d)
	le.PutUint64(dst[4*row:], e)
	le.PutUint64(dst[5*row:], f)
	le.PutUint64(dst[6*row:], g)
	le.PutUint64(dst[7*row:], h)
}

// bitshuffle8 writes one byte of each of 8 bit rows, from the first byte of each of 8 items.
func bitshuffle8(dst []byte, row int, src []byte, size int) {
	var x uint64
	for i := range 8 {
		x |= uint64(src[i*size]) << (8 * i)
	}

	x = transposeByteBits(x)
	for k := range 8 {
		dst[k*row] = byte(x >> (8 * k))
	}
}
