package deflate

import "encoding/binary"

// A bitReader reads bits starting with the lowest bit of the first byte.
type bitReader struct {
	src  []byte
	at   int    // index of the next byte of src
	bits uint64 // bits read from src and not yet consumed, lowest first
	have uint   // number of bits; after the end of src, 64 minus the missing ones
}

// refill makes at least 56 bits available, or all remaining ones.
func (r *bitReader) refill() {
	if r.at+8 <= len(r.src) {
		r.bits |= binary.LittleEndian.Uint64(r.src[r.at:]) << (r.have & 63)
		r.at += int((63 - r.have) >> 3)
		r.have |= 56
		r.bits &= 1<<r.have - 1 // refill reads the bits above again
		return
	}
	for r.have < 56 && r.at < len(r.src) {
		r.bits |= uint64(r.src[r.at]) << (r.have & 63)
		r.at++
		r.have += 8
	}
}

// take consumes n available bits, at most 32.
func (r *bitReader) take(n uint) (uint32, error) {
	if r.have < n {
		return 0, errTruncated
	}
	v := uint32(r.bits & (1<<(n&63) - 1))
	r.bits >>= n & 63
	r.have -= n
	return v, nil
}

// alignToByte drops the rest of the current byte and returns whole bytes to src.
func (r *bitReader) alignToByte() {
	r.at -= int(r.have >> 3)
	r.bits = 0
	r.have = 0
}
