package shuffle

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/bitshuffle"
)

// bitunshuffleItems undoes bitshuffleItems. dst must have a multiple of 8 items of size bytes.
func bitunshuffleItems(dst, src []byte, pitch, size int) {
	row := len(dst) / size / 8
	if done := bitshuffle.Unshuffle(dst, src, pitch, row, size); done*size < len(dst) {
		bitunshuffleTiles(dst[done*size:], src[done/8:], pitch, row, size)
	}
}

// bitunshuffleTiles is bitunshuffleItems without vector kernels, for rows of the given length.
func bitunshuffleTiles(dst, src []byte, pitch, row, size int) {
	items := len(dst) / size
	done := items - items%tileItems
	shape := shapeOf(size)
	var tile bitTile

	for j := 0; j < size; j += 8 {
		// the last tiles overlap with previous ones if 8 does not divide size
		first := min(j, size-shape.width)
		for e := 0; e < done; e += tileItems {
			for k := range shape.width {
				tile.loadRows(src[(first+k)*pitch+e/8:], row, k, shape)
			}
			tile.store(dst[e*size+first:], size, shape)
		}
	}

	for e := done; e < items; e += 8 {
		for j := range size {
			bitunshuffle8(dst[e*size+j:], size, src[j*pitch+e/8:], row)
		}
	}
}

// loadRows undoes storeRows.
func (t *bitTile) loadRows(src []byte, row, column int, shape tileShape) {
	le := binary.LittleEndian
	w := t[column:]
	n := shape.width
	w[0], w[n], w[2*n], w[3*n], w[4*n], w[5*n], w[6*n], w[7*n] = transposeBits(
		le.Uint64(src), le.Uint64(src[row:]), le.Uint64(src[2*row:]), le.Uint64(src[3*row:]),
		le.Uint64(src[4*row:]), le.Uint64(src[5*row:]), le.Uint64(src[6*row:]), le.Uint64(src[7*row:]))
}

// store undoes load.
func (t *bitTile) store(dst []byte, size int, shape tileShape) {
	for part := range shape.parts {
		w := (*[8]uint64)(t[8*part:])
		a, b, c, d, e, f, g, h := transposeBytes(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7])
		putWords(dst[part*shape.step:], 8*size, a, b, c, d, e, f, g, h)
	}
}

// bitunshuffle8 undoes bitshuffle8.
func bitunshuffle8(dst []byte, size int, src []byte, row int) {
	var x uint64
	for k := range 8 {
		x |= uint64(src[k*row]) << (8 * k)
	}

	x = transposeByteBits(x)
	for i := range 8 {
		dst[i*size] = byte(x >> (8 * i))
	}
}
