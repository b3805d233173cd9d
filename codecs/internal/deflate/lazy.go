package deflate

import "encoding/binary"

// lazily takes a match unless literals are cheaper or a longer match begins a byte later.
func (e *Encoder) lazily(src []byte) {
	var i, step int
	for end := len(src) - tail; i < end && !e.blocks.failed; {
		length, back := e.finder.find(src, i, shortest-1, e.depth, e.nice)
		if near := e.finder.triple(src, i); length == 0 && near > 0 {
			length = minMatch
			back = near
		}

		if length == 0 || e.saving(src, i, length, back) <= 0 {
			i, step = e.advance(src, i, step, end)
			continue
		}

		if n := e.run(src, i, length, back); n > 0 {
			i++
			length = n
			back = 1
			e.finder.next = i
		} else {
			i, length, back = e.postpone(src, i, length, back)
		}

		i, length = e.extendBack(src, i, length, back)
		e.blocks.push(src, i-e.blocks.at, length, back)
		e.finder.used(back)
		e.enter(src, i, length, back)
		i = e.again(src, i+length, length, back)
		step = 0
	}
}

// postpone returns a match that begins after i if it is better.
func (e *Encoder) postpone(src []byte, i, length, back int) (int, int, int) {
	for length < e.lazy && i+1 < len(src)-tail {
		depth := e.depth / 2
		if length >= e.lazy/4 {
			depth = e.depth / 4
		}

		longer, far := e.finder.find(src, i+1, length, max(depth, 1), e.nice)
		if longer == 0 {
			break
		}
		if e.saving(src, i+1, longer, far) < e.saving(src, i, length, back) {
			break
		}

		i++
		length = longer
		back = far
	}
	return i, length, back
}

// saving returns how much cheaper a match is than literals; long matches are rated by length.
func (e *Encoder) saving(src []byte, i, length, back int) int {
	if length > 16 {
		return length << 12
	}
	p := &e.blocks.prices
	return p.literals(src[i:i+length]) - p.match(length, back)
}

// run returns the length of the run after the byte at i if that byte and the run are cheaper than
// the match.
func (e *Encoder) run(src []byte, i, length, back int) int {
	if back == 1 || binary.LittleEndian.Uint32(src[i:]) != binary.LittleEndian.Uint32(src[i+1:]) {
		return 0
	}

	run := commonFrom(src, i, i+1, 0, min(maxMatch, len(src)-i-1))
	p := &e.blocks.prices
	saved := p.match(length, back) - int(p.literal[src[i]]) - p.match(run, 1)
	if saved < 0 || run+1 < length && p.worth(src[i:], run+1, length, saved) {
		return 0
	}
	return run
}

// enter inserts the positions of a match except the first, which find has inserted. Positions
// within runs are not inserted.
func (e *Encoder) enter(src []byte, i, length, back int) {
	end := min(i+length, len(src)-tail)
	from := i + 1

	switch {
	case back == 1:
		from = max(from, i+length-shortest)
	case length > e.insert+1:
		from = end - e.insert/2
	}

	e.finder.enter(src, max(from, e.finder.next), end)
}
