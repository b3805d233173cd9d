package main

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A sum is a structure of HDF5 with the place of its checksum, which is computed as if that were
// zeros if it is inside.
type sum struct{ from, to, at int }

// Sizes of structures with checksums that are looked for.
const (
	leastSummed = 8
	mostSummed  = 1200
)

// findSum finds the end of the structure at an offset: where its checksum follows.
func findSum(b []byte, from int) (sum, bool) {
	for to := from + leastSummed; to+4 <= min(len(b), from+mostSummed); to++ {
		if binary.LittleEndian.Uint32(b[to:]) == lookup3(b[from:to]) {
			return sum{from, to, to}, true
		}
	}
	// Direct blocks of fractal heaps have it behind their head, and a power of two as size.
	for size := 512; size <= min(1<<16, len(b)-from); size *= 2 {
		for at := from + 5 + 8 + 1; at < from+5+8+8; at++ {
			s := sum{from, from + size, at}
			if binary.LittleEndian.Uint32(b[at:]) == s.compute(b) {
				return s, true
			}
		}
	}
	return sum{}, false
}

// compute returns the checksum of a structure.
func (s sum) compute(b []byte) uint32 {
	part := b[s.from:s.to]
	if s.at < s.to {
		part = slices.Clone(part)
		clear(part[s.at-s.from:][:4])
	}
	return lookup3(part)
}

// lookup3 is the checksum of HDF5: Bob Jenkins's hash of that name.
func lookup3(p []byte) uint32 {
	s := [3]uint32{}
	for i := range s {
		s[i] = 0xdeadbeef + uint32(len(p))
	}
	if len(p) == 0 {
		return s[2]
	}

	for ; len(p) > 12; p = p[12:] {
		for i := range s {
			s[i] += binary.LittleEndian.Uint32(p[4*i:])
		}
		for i, by := range [...]int{4, 6, 8, 16, 19, 4} {
			x := i % 3
			y := (i + 1) % 3
			z := (i + 2) % 3
			s[x] = (s[x] - s[z]) ^ bits.RotateLeft32(s[z], by)
			s[z] += s[y]
		}
	}

	var last [12]byte
	copy(last[:], p)
	for i := range s {
		s[i] += binary.LittleEndian.Uint32(last[4*i:])
	}
	for i, by := range [...]int{14, 11, 25, 16, 4, 14, 24} {
		x := (i + 2) % 3
		y := (i + 1) % 3
		s[x] = (s[x] ^ s[y]) - bits.RotateLeft32(s[y], by)
	}
	return s[2]
}
