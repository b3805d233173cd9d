// Package fletcher computes the checksum of HDF5's filter fletcher32.
package fletcher

import "encoding/binary"

// Sum32 returns Fletcher's checksum over big-endian words of 16 bits, modulo 65535, where a sum
// that is not zero never becomes zero. A last odd byte is the upper half of a word.
func Sum32(b []byte) uint32 {
	var low, high uint64
	const words = 1 << 16 // after which sums are folded, long before 64 bits overflow
	for len(b) >= 8 {
		part := b[:min(len(b)&^7, 2*words)]
		b = b[len(part):]
		for ; len(part) >= 8; part = part[8:] {
			v := binary.BigEndian.Uint64(part)
			first := v >> 48
			second := v >> 32 & 0xffff
			third := v >> 16 & 0xffff
			fourth := v & 0xffff
			high += 4*(low+first) + 3*second + 2*third + fourth
			low += first + second + third + fourth
		}

		low = fold(low)
		high = fold(high)
	}

	for ; len(b) >= 2; b = b[2:] {
		low += uint64(binary.BigEndian.Uint16(b))
		high += low
	}

	if len(b) == 1 {
		low += uint64(b[0]) << 8
		high += low
	}

	return uint32(fold(high)<<16 | fold(low))
}

// fold returns a number below 65536 that is the same modulo 65535.
func fold(n uint64) uint64 {
	for n > 0xffff {
		n = n&0xffff + n>>16
	}
	return n
}
