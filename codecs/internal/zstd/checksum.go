package zstd

import (
	"encoding/binary"
	"math/bits"
)

// The multipliers of XXH64.
const (
	prime1 = 0x9e3779b185ebca87
	prime2 = 0xc2b2ae3d27d4eb4f
	prime3 = 0x165667b19e3779f9
	prime4 = 0x85ebca77c2b2ae63
	prime5 = 0x27d4eb2f165667c5
)

// xxh64 is XXH64 with seed 0, of which a frame stores the low half (RFC 8878 §3.1.1).
func xxh64(b []byte) uint64 {
	length := uint64(len(b))
	var h uint64 = prime5
	if len(b) >= 32 {
		var p1, p2 uint64 = prime1, prime2 // variables, as the sums wrap
		lanes := [4]uint64{p1 + p2, p2, 0, -p1}
		for ; len(b) >= 32; b = b[32:] {
			lanes[0] = mixLane(lanes[0], binary.LittleEndian.Uint64(b))
			lanes[1] = mixLane(lanes[1], binary.LittleEndian.Uint64(b[8:]))
			lanes[2] = mixLane(lanes[2], binary.LittleEndian.Uint64(b[16:]))
			lanes[3] = mixLane(lanes[3], binary.LittleEndian.Uint64(b[24:]))
		}
		h = bits.RotateLeft64(lanes[0], 1) + bits.RotateLeft64(lanes[1], 7) + bits.RotateLeft64(lanes[2], 12) + bits.RotateLeft64(lanes[3], 18)
		for _, lane := range lanes {
			h = (h^mixLane(0, lane))*prime1 + prime4
		}
	}

	h += length
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^mixLane(0, binary.LittleEndian.Uint64(b)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*prime1, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*prime5, 11) * prime1
	}

	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

func mixLane(lane, v uint64) uint64 {
	return bits.RotateLeft64(lane+v*prime2, 31) * prime1
}
