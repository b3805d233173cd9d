package rounding

import (
	"math"
	"slices"
)

// roundIntegers rounds integers to multiples of a power of two.
func (r *Rounder) roundIntegers(items []byte) (t tally) {
	if r.drop == 0 {
		return t
	}
	most := uint64(1)<<(8*r.item.Size-1)<<1 - 1 // of that many bits
	top := most>>1 + 1
	mask := uint64(1)<<r.drop - 1
	for ; len(items) >= r.item.Size; items = items[r.item.Size:] {
		was := r.item.Bits(items)
		odd := was >> r.drop & 1
		up := was&mask > mask>>1+1-odd // beyond the half, or at it and odd
		is := was &^ mask
		if up {
			is = (is + mask + 1) & most
			if r.signed && is == top || !r.signed && is == 0 {
				continue // there is no such integer
			}
		}
		if is == was || slices.Contains(r.integers, was) || slices.Contains(r.integers, is) {
			continue
		}

		before := r.number(was)
		after := r.number(is)
		if r.guarded && !r.allows(before, after) {
			continue
		}

		d := float64(is - was)
		if is < was {
			d = float64(was - is)
		}
		if r.signed && (is^was)&top != 0 { // from one side of 0 to the other
			d = math.Abs(after - before)
		}
		t.notePacked(d, d*math.Abs(r.factor)/math.Abs(before*r.factor+r.offset))
		r.item.PutBits(items, is)
	}
	return t
}

// notePacked takes the errors of an item: in items, and as a part of what it stands for.
func (t *tally) notePacked(absolute, relative float64) {
	t.absolute = max(t.absolute, absolute)
	if relative > t.relative && !math.IsInf(relative, 1) {
		t.relative = relative
	}
}

// number returns the value of an integer.
func (r *Rounder) number(bits uint64) float64 {
	if !r.signed {
		return float64(bits)
	}
	shift := 64 - 8*r.item.Size
	return float64(int64(bits<<shift) >> shift)
}
