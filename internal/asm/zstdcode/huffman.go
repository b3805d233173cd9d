package zstdcode

import "encoding/binary"

// HuffmanCodes are the codes of bytes: the length in the lowest byte, and the code itself in the
// highest bits.
type HuffmanCodes [256]uint64

// Set sets the code of a byte: the lowest n bits of code.
func (c *HuffmanCodes) Set(b int, code uint32, n uint8) { c[b&255] = uint64(code)<<(-n&63) | uint64(n) }

// huffmanRound is how many codes fit into an accumulator besides a byte.
const huffmanRound = 5

// huffmanGeneric is the portable [Stream.Huffman].
func (w *Stream) huffmanGeneric(src []byte, codes *HuffmanCodes) bool {
	acc := w.Bits
	have := w.Have & 63
	at := w.N
	i := len(src)

	for ; i >= huffmanRound; i -= huffmanRound {
		if at > len(w.Out)-8 {
			return false
		}
		five := src[i-huffmanRound : i : i]
		for j := huffmanRound - 1; j >= 0; j-- {
			c := codes[five[j]]
			acc |= c >> (-c & 63) << (have & 63)
			have += int(c & 0xff)
		}
		binary.LittleEndian.PutUint64(w.Out[at:], acc)
		at += have >> 3
		acc >>= have &^ 7 & 63
		have &= 7
	}

	if at > len(w.Out)-8 {
		return false
	}

	for i--; i >= 0; i-- {
		c := codes[src[i]]
		acc |= c >> (-c & 63) << (have & 63)
		have += int(c & 0xff)
	}

	binary.LittleEndian.PutUint64(w.Out[at:], acc)
	w.N = at + have>>3
	w.Bits = acc >> (have &^ 7 & 63)
	w.Have = have & 7
	return true
}
