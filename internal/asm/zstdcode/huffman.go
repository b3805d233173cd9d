package zstdcode

import "encoding/binary"

// huffmanGeneric is the portable [Stream.Huffman].
func (w *Stream) huffmanGeneric(src []byte, codes *[256]uint32) bool {
	acc, have, at := w.Bits, uint32(w.Have), w.N
	i := len(src)
	for ; i >= 5; i -= 5 {
		if at > len(w.Out)-8 {
			return false
		}
		five := src[i-5 : i : i]
		c := codes[five[4]]
		acc |= uint64(c>>8) << (have & 63)
		have += c & 0xff
		c = codes[five[3]]
		acc |= uint64(c>>8) << (have & 63)
		have += c & 0xff
		c = codes[five[2]]
		acc |= uint64(c>>8) << (have & 63)
		have += c & 0xff
		c = codes[five[1]]
		acc |= uint64(c>>8) << (have & 63)
		have += c & 0xff
		c = codes[five[0]]
		acc |= uint64(c>>8) << (have & 63)
		have += c & 0xff
		binary.LittleEndian.PutUint64(w.Out[at:], acc)
		at += int(have >> 3)
		acc >>= have &^ 7 & 63
		have &= 7
	}
	if at > len(w.Out)-8 {
		return false
	}
	for i--; i >= 0; i-- {
		c := codes[src[i]]
		acc |= uint64(c>>8) << (have & 63)
		have += c & 0xff
	}
	binary.LittleEndian.PutUint64(w.Out[at:], acc)
	w.N = at + int(have>>3)
	w.Bits, w.Have = acc>>(have&^7&63), int(have&7)
	return true
}
