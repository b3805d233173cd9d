//go:build !purego

package byteshuffle

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The AVX-512 kernels use VPERMB, which needs the tier AVX512GFNI. They shuffle 64 items of 2, 4, 8
// or 16 bytes at a time, in size registers of 64 bytes, which consist of size parts. First VPERMB
// gathers the bytes of each plane in one part of each register and rotates the parts by the number
// of the register: register r has plane (r-p) mod size in part p. Then masked moves, in log2(size)
// steps, move part p of every register p registers up. Finally register j, which now contains all
// of plane j, is rotated back. Masked moves and permutations run on different ports; the usual
// unpacking would crowd one port.

// indexes contains one index for VPERMB per register, for items of 2, 4, 8 and 16 bytes in this
// order.
type indexes [2 + 4 + 8 + 16][64]byte

// at returns the first index for items of the given size. 0, 2, 6 or 14 others precede it.
func (x *indexes) at(size int) *byte { return &x[size-2][0] }

var (
	forward  = makeIndexes(func(x *[64]byte, at, from, _ int) { x[at] = byte(from) })
	backward = makeIndexes(func(x *[64]byte, at, from, _ int) { x[from] = byte(at) })
	// reversed is forward with the order of each eight neighboring items reversed, or of all items
	// in a part if it has fewer than eight.
	reversed = makeIndexes(func(x *[64]byte, at, from, size int) { x[at^(min(8, 64/size)-1)] = byte(from) })
)

// makeIndexes calls set for every byte of every register: byte at receives byte from.
func makeIndexes(set func(x *[64]byte, at, from, size int)) *indexes {
	all := new(indexes)
	for size := 2; size <= 16; size *= 2 {
		part := 64 / size
		for r := range size {
			for at := range 64 {
				plane := (r - at/part + size) % size
				set(&all[size-2+r], at, at%part*size+plane, size)
			}
		}
	}
	return all
}

//go:noescape
func shuffle2AVX512(dst *byte, pitch int, src *byte, groups int, index *byte)

//go:noescape
func shuffle4AVX512(dst *byte, pitch int, src *byte, groups int, index *byte)

//go:noescape
func shuffle8AVX512(dst *byte, pitch int, src *byte, groups int, index *byte)

// shuffle16AVX512 takes even registers from offset and odd ones from 64-offset. offset is 0, or 64
// to exchange neighbors.
//
//go:noescape
func shuffle16AVX512(dst *byte, pitch int, src *byte, groups int, index *byte, offset int)

//go:noescape
func unshuffle16AVX512(dst, src *byte, pitch, groups int, index *byte)

// The turned kernels omit the last step of shuffling, which rotates the registers back, and the
// first step of unshuffling.

//go:noescape
func shuffleTurned2AVX512(dst *byte, pitch int, src *byte, groups int, index *byte)

//go:noescape
func shuffleTurned4AVX512(dst *byte, pitch int, src *byte, groups int, index *byte)

//go:noescape
func shuffleTurned8AVX512(dst *byte, pitch int, src *byte, groups int, index *byte)

//go:noescape
func unshuffleTurned2AVX512(dst, src *byte, pitch, groups int, index *byte)

//go:noescape
func unshuffleTurned4AVX512(dst, src *byte, pitch, groups int, index *byte)

//go:noescape
func unshuffleTurned8AVX512(dst, src *byte, pitch, groups int, index *byte)

// shuffleAVX512 is for items of 2, 4, 8 and 16 bytes.
func shuffleAVX512(dst []byte, pitch int, src []byte, size int) {
	groups := len(src) / size / groupItems
	switch size {
	case 2:
		shuffle2AVX512(&dst[0], pitch, &src[0], groups, forward.at(2))
	case 4:
		shuffle4AVX512(&dst[0], pitch, &src[0], groups, forward.at(4))
	case 8:
		shuffle8AVX512(&dst[0], pitch, &src[0], groups, forward.at(8))
	case 16:
		shuffle16AVX512(&dst[0], pitch, &src[0], groups, forward.at(16), 0)
	}
}

func shuffleTurned(dst []byte, pitch int, src []byte, size int) int {
	if !cpu.AVX512GFNI {
		return 0
	}

	groups := len(src) / size / groupItems
	switch size {
	case 2:
		shuffleTurned2AVX512(&dst[0], pitch, &src[0], groups, reversed.at(2))
	case 4:
		shuffleTurned4AVX512(&dst[0], pitch, &src[0], groups, reversed.at(4))
	case 8:
		shuffleTurned8AVX512(&dst[0], pitch, &src[0], groups, reversed.at(8))
	case 16:
		shuffle16AVX512(&dst[0], pitch, &src[0], groups, reversed.at(16), 64)
	default:
		return 0
	}

	return groups * groupItems
}

func unshuffleTurned(dst, src []byte, pitch, size int) int {
	if !cpu.AVX512GFNI {
		return 0
	}

	groups := len(dst) / size / groupItems
	switch size {
	case 2:
		unshuffleTurned2AVX512(&dst[0], &src[0], pitch, groups, backward.at(2))
	case 4:
		unshuffleTurned4AVX512(&dst[0], &src[0], pitch, groups, backward.at(4))
	case 8:
		unshuffleTurned8AVX512(&dst[0], &src[0], pitch, groups, backward.at(8))
	case 16:
		unshuffle16AVX512(&dst[0], &src[0], pitch, groups, backward.at(16))
	default:
		return 0
	}

	return groups * groupItems
}
