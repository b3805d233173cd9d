package deflate

import (
	"encoding/binary"
)

// find inserts position i and searches up to depth earlier positions for a match longer than best.
// A match of nice bytes ends the search.
func (f *finder) find(src []byte, i, best, depth, nice int) (length, back int) {
	longest := min(maxMatch, len(src)-i)
	word := binary.LittleEndian.Uint32(src[i:])
	if word == word<<8|word>>24 {
		candidate := f.insert(src, i)
		if best >= longest {
			return 0, 0
		}
		return f.findRun(src, i, best, depth, nice, candidate)
	}

	candidate := f.swap(&f.head[hash(word)], i)
	f.link(i, candidate)
	f.next = i + 1

	for _, d := range f.tried {
		if from := i - d; from >= 0 && binary.LittleEndian.Uint32(src[from:]) == word {
			if n := common(src, from, i, longest); n > best {
				best = n
				length = n
				back = d
			}
		}
	}

	if length >= nice || best >= longest {
		return length, back
	}

	s := &f.search
	s.Pos = i
	s.Low = i
	s.End = i + longest
	s.Length = best
	s.Nice = nice
	s.At = candidate
	s.Depth = depth
	s.Oldest = max(i-maxDistance+1, 0) // older entries are overwritten

	if s.Run(); s.Distance > 0 {
		return s.Length, s.Distance
	}
	return length, back
}

// findRun is find for a run of one byte. Earlier runs are compared at their ends, because the bytes
// that follow the run determine the best match.
func (f *finder) findRun(src []byte, i, best, depth, nice, candidate int) (length, back int) {
	longest := min(maxMatch, len(src)-i)
	run := 1 + commonFrom(src, i, i+1, 0, longest-1)

	if i > 0 && src[i-1] == src[i] {
		if run > best {
			length = run
			back = 1
		}
		if run == longest || f.runs && length >= 8 {
			return length, back
		}
		candidate = -1
	} else if f.runs && run >= 8 {
		return 0, 0 // a match begins one byte later
	}

	offer := func(from int) {
		if n := commonFrom(src, from, i, 0, longest); n > max(best, length) {
			length = n
			back = i - from
		}
	}

	for _, d := range f.tried {
		if i >= d {
			offer(i - d)
		}
	}

	if length >= nice || length == longest {
		return length, back
	}
	if run == longest { // of all remaining positions
		return f.follow(src, i, candidate, 0, best, length, back, depth, nice)
	}

	if candidate >= max(i-maxDistance+1, 0) {
		offer(candidate)
	}

	end := run - 3
	candidate = int(f.head[hash(binary.LittleEndian.Uint32(src[i+end:]))]) - int(f.base)
	return f.follow(src, i, candidate, end, best, length, back, depth, nice)
}

// follow searches a chain for findRun, starting at candidate. A match begins offset bytes before a
// position of the chain. follow returns the best match longer than best and length, or else the
// given match. It compares a position only if the byte after the best match and the three bytes
// before that agree.
func (f *finder) follow(src []byte, i, candidate, offset, best, length, back, depth, nice int) (int, int) {
	longest := min(maxMatch, len(src)-i)
	nearest := max(i-maxDistance+1, 0) + offset // older entries are overwritten

	best = max(best, length)
	if best == longest {
		return length, back
	}

	want := binary.LittleEndian.Uint32(src[i+best-3:])
	for ; candidate >= nearest && depth > 0; depth-- {
		from := candidate - offset
		if binary.LittleEndian.Uint32(src[from+best-3:]) == want {
			if n := common(src, from, i, longest); n > best {
				best = n
				length = n
				back = i - from
				if n >= nice || n == longest {
					break
				}
				want = binary.LittleEndian.Uint32(src[i+best-3:])
			}
		}
		candidate -= int(f.links[candidate&windowMask])
	}
	return length, back
}
