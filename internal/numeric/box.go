package numeric

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/pcodec"
)

// load reads items from bytes, the lowest first.
func load[L pcodec.Latent](items []L, src []byte) {
	switch v := any(items).(type) {
	case []uint8:
		copy(v, src)
	case []uint16:
		for ; len(v) >= 4 && len(src) >= 8; v = v[4:] {
			word := binary.LittleEndian.Uint64(src)
			t := (*[4]uint16)(v)
			t[0] = uint16(word)
			t[1] = uint16(word >> 16)
			t[2] = uint16(word >> 32)
			t[3] = uint16(word >> 48)
			src = src[8:]
		}
		for i := range v {
			v[i] = binary.LittleEndian.Uint16(src[2*i:])
		}
	case []uint32:
		for ; len(v) >= 4 && len(src) >= 16; v = v[4:] {
			t := (*[4]uint32)(v)
			t[0] = binary.LittleEndian.Uint32(src)
			t[1] = binary.LittleEndian.Uint32(src[4:])
			t[2] = binary.LittleEndian.Uint32(src[8:])
			t[3] = binary.LittleEndian.Uint32(src[12:])
			src = src[16:]
		}
		for i := range v {
			v[i] = binary.LittleEndian.Uint32(src[4*i:])
		}

	case []uint64:
		for i := range v {
			v[i] = binary.LittleEndian.Uint64(src[8*i:])
		}
	}
}

// store is the inverse of load.
func store[L pcodec.Latent](dst []byte, items []L) {
	switch v := any(items).(type) {
	case []uint8:
		copy(dst, v)
	case []uint16:
		for ; len(v) >= 4 && len(dst) >= 8; v = v[4:] {
			t := (*[4]uint16)(v)
			word := uint64(t[0]) | uint64(t[1])<<16 | uint64(t[2])<<32 | uint64(t[3])<<48
			binary.LittleEndian.PutUint64(dst, word)
			dst = dst[8:]
		}
		for i, x := range v {
			binary.LittleEndian.PutUint16(dst[2*i:], x)
		}
	case []uint32:
		for ; len(v) >= 4 && len(dst) >= 16; v = v[4:] {
			t := (*[4]uint32)(v)
			binary.LittleEndian.PutUint32(dst, t[0])
			binary.LittleEndian.PutUint32(dst[4:], t[1])
			binary.LittleEndian.PutUint32(dst[8:], t[2])
			binary.LittleEndian.PutUint32(dst[12:], t[3])
			dst = dst[16:]
		}
		for i, x := range v {
			binary.LittleEndian.PutUint32(dst[4*i:], x)
		}

	case []uint64:
		for i, x := range v {
			binary.LittleEndian.PutUint64(dst[8*i:], x)
		}
	}
}

// rows calls do for the rows of a box along the last axis, with the place of each in the block. It
// stops when do returns false.
func rows(shape, used []int, do func(at, n int) bool) {
	rank := len(shape)
	if count(used) == 0 {
		return
	}
	if rank == 0 {
		do(0, 1)
		return
	}

	var index [maxRank]int
	for {
		at := 0
		for a := range rank {
			at = at*shape[a] + index[a]
		}
		if !do(at, used[rank-1]) {
			return
		}

		a := rank - 2
		for ; a >= 0; a-- {
			index[a]++
			if index[a] < used[a] {
				break
			}
			index[a] = 0
		}
		if a < 0 {
			return
		}
	}
}

// whole reports whether a box is a whole block.
func whole(shape, used []int) bool {
	for a, n := range shape {
		if used[a] != n {
			return false
		}
	}
	return true
}

// trim makes used the lengths of the smallest box at the beginning of a block with all items that
// are not zero.
func trim(used, shape []int, src []byte, size int) []int {
	used = append(used[:0], shape...)
	for a := range shape {
		for used[a] > 0 && emptyPlane(shape, used, a, src, size) {
			used[a]--
		}
		if used[a] == 0 {
			clear(used)
			return used
		}
	}
	return used
}

// emptyPlane reports whether the last plane of a box along an axis is zero.
func emptyPlane(shape, used []int, axis int, src []byte, size int) bool {
	inner := count(shape[axis+1:])
	outer := count(shape[:axis])
	for o := range outer {
		at := (o*shape[axis] + used[axis] - 1) * inner * size
		for _, b := range src[at : at+inner*size] {
			if b != 0 {
				return false
			}
		}
	}
	return true
}
