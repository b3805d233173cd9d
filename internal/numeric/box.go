package numeric

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
