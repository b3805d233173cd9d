package zstdfind

import (
	"encoding/binary"
	"math/bits"
)

// place returns the row and the tag of the four bytes v.
func (r *Rows) place(v uint32) (row uint32, tag uint8) {
	h := v * hash4Mul >> (r.Shift & 31)
	return h >> tagBits & (1<<MaxRowLog - 1), uint8(h)
}

// add replaces the oldest position of a row.
func (r *Rows) add(row uint32, tag uint8, at int) {
	first := (uint32(r.First[row]) - 1) % RowSlots
	r.First[row] = uint8(first)
	r.Tags[row*RowSlots+first] = tag
	r.At[row*RowSlots+first] = r.Base + uint32(at)
}

// tagged returns a bit for every slot of a row that has the tag, the latest in the lowest bit, and
// the slot of the latest.
func (r *Rows) tagged(row uint32, tag uint8) (mask, first uint32) {
	const ones, lows = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	for i := uint32(0); i < RowSlots; i += 8 {
		x := binary.LittleEndian.Uint64(r.Tags[row*RowSlots+i:]) ^ uint64(tag)*ones
		x = ^(x&lows + lows | x | lows) // the top bit of each byte that is zero
		mask |= uint32(x>>7*0x0102040810204080>>56) << i
	}

	first = uint32(r.First[row]) % RowSlots
	return bits.RotateLeft32(mask, -int(first)), first
}

// Add adds the position Next, which must have one byte before it and four behind.
func (r *Rows) Add() {
	if v := load32(r.Src, r.Next); v != load32(r.Src, r.Next-1) {
		row, tag := r.place(v)
		r.add(row, tag, r.Next)
	}
	r.Next++
}

// longestGeneric is the portable [Rows.Longest], and with peek [Rows.Peek]. It returns the longest
// match at a position and its distance, or 3 and 0 if there is none of at least four bytes. The
// position must be at least Next and have four bytes behind it. Without peek, the position and all
// earlier ones that are missing are added.
func (r *Rows) longestGeneric(at int, peek bool) (length, distance int) {
	src := r.Src
	for !peek && r.Next < at {
		r.Add()
	}

	v := load32(src, at)
	row, tag := r.place(v)
	mask, first := r.tagged(row, tag)
	length = 3

	for tries := r.Attempts; mask != 0 && tries > 0; tries-- {
		slot := (uint32(bits.TrailingZeros32(mask)) + first) % RowSlots
		mask &= mask - 1
		candidate := int(r.At[row*RowSlots+slot]) - int(r.Base)
		if candidate < 0 || at+length >= len(src) {
			break
		}

		// Compare the four bytes up to the first that would make the match longer: few candidates
		// pass.
		if load32(src, candidate+length-3) != load32(src, at+length-3) || load32(src, candidate) != v {
			continue
		}
		if n := 4 + equal(src, candidate+4, at+4); n > length {
			length = n
			distance = at - candidate
		}
	}

	if peek {
		return length, distance
	}

	if v != load32(src, at-1) {
		r.add(row, tag, at)
	}
	r.Next = at + 1
	return length, distance
}
