package zfp

import "math/bits"

// encode writes the highest planes of a cell of dims dimensions, whose values have width bits each;
// at most limit bits.
func (c *coder) encode(w *bitWriter, width, dims, planes, limit int) {
	first := max(0, width-planes)
	end := w.bits() + limit

	switch dims {
	case 1:
		c.encodeFour(w, width, first, limit)
	case 2:
		c.encodeSixteen(w, width, first, limit)
	default:
		c.encodeWords(w, width, 1<<(2*dims), first, end)
	}

	if w.bits() > end {
		w.cut(end)
	}
}

// encodeWords writes planes of n bits, 64 or 256.
func (c *coder) encodeWords(w *bitWriter, width, n, first, end int) {
	c.split(n, width, first)
	known := uint(0) // number of values up to the last one that had a bit set
	for k := width - 1; k >= first && w.bits() < end; k-- {
		if n == maxCell {
			known = c.encodeLarge(w, k, known)
		} else {
			known = encodePlane(w, c.planes[0][k], known, wordBits)
		}
	}
}

// encodePlane writes a plane of n bits, 64 at most.
func encodePlane(w *bitWriter, plane uint64, known, n uint) uint {
	w.put(plane&(1<<known-1), known)
	plane >>= known
	for known < n {
		if plane == 0 {
			w.put(0, 1)
			break
		}
		zeros := uint(bits.TrailingZeros64(plane))
		plane >>= zeros + 1
		known += zeros + 1
		if known == n {
			w.put(1, zeros+1)
		} else {
			w.put(1|1<<(zeros+1), zeros+2)
		}
	}
	return known
}

// encodeLarge writes plane k of four words.
func (c *coder) encodeLarge(w *bitWriter, k int, known uint) uint {
	for q := uint(0); q < known; q += wordBits {
		count := min(known-q, wordBits)
		w.put(c.planes[q/wordBits][k]&(1<<count-1), count)
	}

	for known < maxCell {
		next, ok := c.next(k, known)
		if !ok {
			w.put(0, 1)
			break
		}
		w.put(1, 1)
		w.zeros(int(next - known))
		if next < maxCell-1 {
			w.put(1, 1)
		}
		known = next + 1
	}
	return known
}

// next returns the next set bit of plane k at or after bit from.
func (c *coder) next(k int, from uint) (uint, bool) {
	for q := from / wordBits; q < maxCell/wordBits; q++ {
		plane := c.planes[q][k]
		if q == from/wordBits {
			plane &= ^uint64(0) << (from % wordBits)
		}
		if plane != 0 {
			return q*wordBits + uint(bits.TrailingZeros64(plane)), true
		}
	}
	return 0, false
}

// decode reads the output of encode into the values.
func (c *coder) decode(r *bitReader, width, dims, planes, limit int) {
	first := max(0, width-planes)

	switch dims {
	case 1:
		c.decodeFour(r, width, first, uint(limit))
	case 2:
		c.decodeSixteen(r, width, first, uint(limit))
	default:
		c.decodeWords(r, width, 1<<(2*dims), first, uint(limit))
	}
}

// decodeWords reads planes of n bits, 64 or 256.
func (c *coder) decodeWords(r *bitReader, width, n, first int, left uint) {
	known := uint(0)
	k := width - 1
	for ; k >= first && left > 0; k-- {
		begin := r.at
		switch {
		case n == maxCell:
			known = c.decodeLarge(r, k, known, left)
		case left < 2*wordBits:
			c.planes[0][k], known = decodePlane(r, known, wordBits, left)
		default:
			c.planes[0][k], known = decodeWord(r, known)
		}
		left -= r.at - begin
	}
	c.join(n, width, k+1)
}

// decodeWord is decodePlane for 64 bits without a limit.
func decodeWord(r *bitReader, known uint) (plane uint64, last uint) {
	plane = r.take(known)
	for known < wordBits {
		v := r.peek()
		if v&1 == 0 {
			r.at++
			break
		}

		v >>= 1
		zeros := uint(bits.TrailingZeros64(v))
		const sure = 50 // peek returned more bits than this, so fewer zeros are not its end
		switch end := wordBits - 1 - known; {
		case zeros < min(end, sure):
			r.at += 2 + zeros
		case end <= sure:
			r.at += 1 + end
			zeros = end
		default:
			r.at++
			zeros = r.run(end)
		}

		known += zeros
		plane |= 1 << (known & 63)
		known++
	}
	return plane, known
}

// decodePlane reads a plane of n bits, at most 64, from at most left bits. Bits beyond left are 0,
// but a run that reaches left ends with a 1.
func decodePlane(r *bitReader, known, n, left uint) (plane uint64, last uint) {
	count := min(known, left)
	plane = r.take(count)
	left -= count
	for left > 0 && known < n {
		begin := r.at
		if r.take(1) == 0 {
			break
		}
		known += r.run(min(n-1-known, left-1))
		plane |= 1 << known
		known++
		left -= r.at - begin
	}
	return plane, known
}

// decodeLarge reads plane k of four words.
func (c *coder) decodeLarge(r *bitReader, k int, known, left uint) uint {
	for q := uint(0); q < maxCell/wordBits; q++ {
		count := uint(0)
		if q*wordBits < known {
			count = min(known-q*wordBits, wordBits, left)
		}
		c.planes[q][k] = r.take(count)
		left -= count
	}

	for left > 0 && known < maxCell {
		begin := r.at
		if r.take(1) == 0 {
			break
		}
		known += r.run(min(maxCell-1-known, left-1))
		c.planes[known/wordBits][k] |= 1 << (known % wordBits)
		known++
		left -= r.at - begin
	}
	return known
}
