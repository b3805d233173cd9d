//go:build !purego && (amd64 || arm64)

package byteshuffle

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Items of fewer than 16 bytes without a kernel of their own, such as pixels of three bytes, are
// processed in octets: eight items are treated as one, which is wide enough to be shuffled by 16
// columns. Column i*size+j of an octet contains byte j of every eighth item, from item i on.
// Unshuffling eight such columns like the planes of items of 8 bytes puts byte j of all items in
// order.

const (
	octetItems   = 8 * groupItems // items at a time
	mostOctet    = 8 * (wideColumns - 1)
	octetScratch = mostOctet * groupItems
)

func shuffleOctets(dst []byte, pitch int, src []byte, size int) int {
	var buffer [octetScratch + cpu.CacheLine]byte
	scratch := cpu.Aligned(buffer[:])

	octet := 8 * size
	items := len(src) / size
	i := 0

	for ; i+octetItems <= items; i += octetItems {
		s := src[i*size:]
		for c := 0; c < octet; c += wideColumns {
			first := min(c, octet-wideColumns)
			columnsForward(&scratch[first*groupItems], groupItems, &s[first], octet, 1, wideColumns/quadColumns)
		}
		for j := range size {
			unshuffle(dst[j*pitch+i:][:octetItems], scratch[j*groupItems:], size*groupItems, 8)
		}
	}
	return i
}

func unshuffleOctets(dst, src []byte, pitch, size int) int {
	var buffer [octetScratch + cpu.CacheLine]byte
	scratch := cpu.Aligned(buffer[:])

	octet := 8 * size
	items := len(dst) / size
	i := 0

	for ; i+octetItems <= items; i += octetItems {
		for j := range size {
			shuffle(scratch[j*groupItems:], size*groupItems, src[j*pitch+i:][:octetItems], 8)
		}
		d := dst[i*size:]
		for c := 0; c < octet; c += wideColumns {
			first := min(c, octet-wideColumns)
			columnsBackward(&d[first], octet, &scratch[first*groupItems], groupItems, 1)
		}
	}
	return i
}
