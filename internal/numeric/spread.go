package numeric

// spread moves the items of a box, which are in front, to their places in the block, and clears the
// others.
func spread(block []byte, shape, used []int, size int) {
	// The innermost axis that is not in use as a whole has rows of items.
	axis := len(shape) - 1
	for axis >= 0 && used[axis] == shape[axis] {
		size *= shape[axis]
		axis--
	}
	if axis < 0 {
		return
	}
	if count(used[:axis+1])*size == 0 {
		clear(block)
		return
	}

	length := shape[axis] * size
	row := used[axis] * size
	from := count(used[:axis]) * row
	end := len(block)
	for at := len(block) - length; at >= 0; at -= length {
		outside := false
		rest := at / length
		for a := axis - 1; a >= 0 && !outside; a-- {
			outside = rest%shape[a] >= used[a]
			rest /= shape[a]
		}
		if outside {
			continue
		}

		from -= row
		copy(block[at:at+row], block[from:from+row])
		clear(block[at+row : end])
		end = at
	}
	clear(block[from:end])
}
