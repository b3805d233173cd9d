package shuffle

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/bitshuffle"
)

// bitshuffleItems puts the bit rows of byte j of the items in src, a multiple of 8, to
// dst[j*pitch:]. size is bytes per item.
func bitshuffleItems(dst []byte, pitch int, src []byte, size int) {
	row := len(src) / size / 8
	if done := bitshuffle.Shuffle(dst, pitch, row, src, size); done*size < len(src) {
		bitshuffleTiles(dst[done/8:], pitch, row, src[done*size:], size)
	}
}

// Bitshuffle in plain Go moves tiles of 64 items by 8 bytes (by all bytes of items that are
// shorter).
//
// Bit row 8*j+k holds bit k of byte j of every item, item e in bit e%8 of its byte e/8. So eight
// bytes of a row are 64 items, and byte p of the row is made of items 8p to 8p+7. A tile holds word
// i of column j: byte j of items i, 8+i, …, 56+i. Transposing bits across the eight words of a
// column gives the same eight bytes of its eight rows at once.

// tileItems is how many items a tile holds.
const tileItems = 64

// bitTile is word i of column j at [width*i+j].
type bitTile [tileItems]uint64

// tileShape says how the bytes of items get into tiles. What load reads and store writes at once, 8
// bytes of each of 8 items that are 8 items apart, is 8 columns of one word index; items of less
// than 8 bytes are taken for groups of 8, whose bytes fill the same number of words in the same
// order.
type tileShape struct {
	width int // columns of a tile
	parts int // how often load reads 8 times 8 bytes
	step  int // how many bytes the parts lie apart
}

func shapeOf(size int) tileShape {
	if size < 8 {
		return tileShape{width: size, parts: size, step: 8}
	}
	return tileShape{width: 8, parts: 8, step: size}
}

// bitshuffleTiles is bitshuffleItems without vector kernels, for rows of the given length, of which
// it does what src holds.
func bitshuffleTiles(dst []byte, pitch, row int, src []byte, size int) {
	items := len(src) / size
	done := items - items%tileItems
	shape := shapeOf(size)
	var tile bitTile
	for j := 0; j < size; j += 8 {
		// the last tiles overlap with those before if 8 does not divide size
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

// load takes the columns of a tile from 64 items of the given size.
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

// storeRows writes 8 bytes of each of the 8 bit rows of a column; the rows are row bytes apart.
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
