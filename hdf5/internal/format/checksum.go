package format

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/cairn-go/cairn"
)

const checksumSize = 4

// checked compares the last four bytes of a structure with the checksum of those before them, which
// it returns.
func (r *Reader) checked(layer string, b []byte, at int64) ([]byte, error) {
	if len(b) < checksumSize {
		return nil, cairn.Corruptf(layer, r.offset(at), "%d bytes, too few for a checksum", len(b))
	}

	n := len(b) - checksumSize
	stored := binary.LittleEndian.Uint32(b[n:])
	if sum := lookup3(b[:n]); sum != stored && !r.Trusting {
		return nil, fmt.Errorf("%s at offset %d has the checksum %08x, want %08x: %w", layer, r.offset(at), sum,
			stored, cairn.ErrChecksum)
	}
	return b[:n:n], nil
}

// lookup3 is Bob Jenkins's hash of that name, of 32 bits and with the initial value 0: three words
// of state, into which twelve bytes at a time are added and mixed.
func lookup3(p []byte) uint32 {
	a := 0xdeadbeef + uint32(len(p))
	b := a
	c := a
	for len(p) > 12 {
		a += binary.LittleEndian.Uint32(p)
		b += binary.LittleEndian.Uint32(p[4:])
		c += binary.LittleEndian.Uint32(p[8:])
		a, b, c = mix(a, b, c)
		p = p[12:]
	}
	if len(p) == 0 {
		return c
	}

	var last [12]byte
	copy(last[:], p)
	a += binary.LittleEndian.Uint32(last[:])
	b += binary.LittleEndian.Uint32(last[4:])
	c += binary.LittleEndian.Uint32(last[8:])

	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	return (c ^ b) - bits.RotateLeft32(b, 24)
}

func mix(a, b, c uint32) (uint32, uint32, uint32) {
	a = (a - c) ^ bits.RotateLeft32(c, 4)
	c += b
	b = (b - a) ^ bits.RotateLeft32(a, 6)
	a += c
	c = (c - b) ^ bits.RotateLeft32(b, 8)
	b += a
	a = (a - c) ^ bits.RotateLeft32(c, 16)
	c += b
	b = (b - a) ^ bits.RotateLeft32(a, 19)
	a += c
	c = (c - b) ^ bits.RotateLeft32(b, 4)
	b += a
	return a, b, c
}
