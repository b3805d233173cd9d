package numeric

import (
	"github.com/cairn-go/cairn/internal/asm/deltas"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// differences replaces integers by their differences from those before them along an axis, of which
// the first have no integers before them. It returns scratch memory.
func differences[L pcodec.Latent](whole []L, lengths []int, axis int, scratch []L) []L {
	inner := count(lengths[axis+1:])
	plane := inner * lengths[axis]

	// The first ones of other planes than the first are differences from another plane at first.
	scratch = scratch[:0]
	for at := plane; at < len(whole) && plane > 0; at += plane {
		scratch = append(scratch, whole[at:at+inner]...)
	}
	deltas.Take(whole, inner)
	starts := scratch
	for at := plane; at < len(whole) && plane > 0; at += plane {
		starts = starts[copy(whole[at:at+inner], starts):]
	}
	return scratch
}

// subtract replaces numbers by what others are more than they.
func subtract[L pcodec.Latent](numbers, from []L) {
	from = from[:len(numbers)]
	for i, k := range numbers {
		numbers[i] = from[i] - k
	}
}

// allEqual reports whether there is one number only.
func allEqual[L pcodec.Latent](numbers []L) bool {
	for _, k := range numbers[1:] {
		if k != numbers[0] {
			return false
		}
	}
	return true
}

// far reports whether a gap between some equal items of n and the range of the others is so large
// that they should be coded apart.
func far[L pcodec.Latent](gap, rest L, some, n int) bool {
	switch {
	case gap < 16:
		return false
	case some*50 > n:
		return gap > rest/4
	case some > 1:
		return gap > rest
	}
	return gap/4 > rest
}

// A tap is a neighbor of an integer that takes part in its difference.
type tap struct {
	back  int  // how far before
	axes  uint // along which axes
	minus bool
}

// tapsOf returns the neighbors that differences along distinct axes use, but the integer itself.
// Where an axis occurs twice there is only the neighbor along it.
func tapsOf(taps []tap, lengths, passes []int) []tap {
	taps = taps[:0]
	for i, axis := range passes {
		for _, other := range passes[:i] {
			if other == axis {
				return append(taps[:0], tap{back: count(lengths[axis+1:]), axes: 1 << axis, minus: true})
			}
		}
	}

	for set := 1; set < 1<<len(passes); set++ {
		t := tap{}
		for i, axis := range passes {
			if set>>i&1 != 0 {
				t.back += count(lengths[axis+1:])
				t.axes |= 1 << axis
				t.minus = !t.minus
			}
		}
		taps = append(taps, t)
	}
	return taps
}

// axesBefore returns the axes along which there is something before a place.
func axesBefore(at int, lengths []int) uint {
	axes := uint(0)
	for a := len(lengths) - 1; a >= 0; a-- {
		if at%lengths[a] != 0 {
			axes |= 1 << a
		}
		at /= lengths[a]
	}
	return axes
}

// fill replaces the integers at odd places by those that differ from their neighbors by 0.
func fill[L pcodec.Latent](whole []L, odd []int32, lengths []int, taps []tap) {
	last := len(lengths) - 1
	next := -1 // the place behind the one before, in its row
	end := 0   // of that row
	axes := uint(0)
	for _, at := range odd {
		if int(at) == next && next < end {
			axes |= 1 << last
		} else {
			axes = axesBefore(int(at), lengths)
			end = int(at) - int(at)%lengths[last] + lengths[last]
		}
		next = int(at) + 1

		k := L(0)
		for _, t := range taps {
			switch {
			case t.axes&^axes != 0:
			case t.minus:
				k += whole[int(at)-t.back]
			default:
				k -= whole[int(at)-t.back]
			}
		}
		whole[at] = k
	}
}
