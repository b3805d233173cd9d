package filter

import "encoding/binary"

// A bitReader reads numbers of some bits, most significant bit first. Behind the end of src it
// reads zeros: callers compare the number of bits with len(src) in advance.
type bitReader struct {
	src  []byte
	next uint64 // the next bits, from the most significant one on
	have uint   // how many bits next has
}

// take returns the next n bits, at most 64.
func (r *bitReader) take(n uint) uint64 {
	if n > 32 {
		high := r.take(n - 32)
		return high<<32 | r.take(32)
	}

	if r.have < n {
		r.fill()
	}

	v := r.next >> (64 - n)
	r.next <<= n
	r.have -= n
	return v
}

// fill makes next have at least 32 bits, of the fewer than 32 that it has.
func (r *bitReader) fill() {
	var v uint32
	if len(r.src) >= 4 {
		v = binary.BigEndian.Uint32(r.src)
		r.src = r.src[4:]
	} else {
		var last [4]byte
		copy(last[:], r.src)
		v = binary.BigEndian.Uint32(last[:])
		r.src = nil
	}

	r.next |= uint64(v) << (32 - r.have)
	r.have += 32
}
