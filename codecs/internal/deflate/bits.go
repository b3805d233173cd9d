package deflate

import "encoding/binary"

// A bitReader reads bits upwards from the first byte on.
type bitReader struct {
	src  []byte
	at   int    // next byte to take from src
	bits uint64 // bits taken and not yet consumed, lowest first
	have uint   // how many; more than 64 less missing once src has ended
}

// refill makes at least 56 bits available, or all that are left.
func (r *bitReader) refill() {
	if r.at+8 <= len(r.src) {
		r.bits |= binary.LittleEndian.Uint64(r.src[r.at:]) << (r.have & 63)
		r.at += int((63 - r.have) >> 3)
		r.have |= 56
		r.bits &= 1<<r.have - 1 // what lies above is read again
		return
	}
	for r.have < 56 && r.at < len(r.src) {
		r.bits |= uint64(r.src[r.at]) << (r.have & 63)
		r.at++
		r.have += 8
	}
}

// take consumes n of the bits that are there, at most 32.
func (r *bitReader) take(n uint) (uint32, error) {
	if r.have < n {
		return 0, errTruncated
	}
	v := uint32(r.bits & (1<<(n&63) - 1))
	r.bits >>= n & 63
	r.have -= n
	return v, nil
}

// alignToByte drops what is left of the current byte and gives whole bytes back.
func (r *bitReader) alignToByte() {
	r.at -= int(r.have >> 3)
	r.bits, r.have = 0, 0
}
