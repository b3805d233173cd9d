package deflate

// symbolPrice is what a symbol costs beside its bits, in time: a literal, or a switch between
// literals and matches, takes readers as long as a match.
const symbolPrice = 3 << priceBits / 2

// surelyShorter is the length from which matches are taken whatever the prices of literals are.
const surelyShorter = 6

// adjacent takes the first match that it finds, and looks for the next one at its end instead of
// behind its start. So matches mostly follow each other without literals between them, which
// readers decode fastest. If the next match, extended backwards, leaves at most a byte of the
// former, it replaces that.
func (e *Encoder) adjacent(src []byte) {
	var i, step, length, back int // a length of 0 means that i has not been searched
	for end := len(src) - tail; i < end && !e.blocks.failed; {
		if length == 0 {
			if e.blocks.literal {
				step = 0
				i = e.literally(src, i, end)
				continue
			}
			if step > 0 {
				i, step = e.finder.skip(i, step, min(end, e.blocks.at+maxLiterals))
				if e.blocks.pass(src, min(i, end)); i >= end {
					break
				}
			}
			if length, back = e.worthwhile(src, i); length == 0 {
				i, step = e.advance(src, i, step, end)
				continue
			}
			i, length = e.extendBack(src, i, length, back)
		}

		e.enter(src, i, length, back)
		step = 0
		next := i + length
		longer := 0
		far := 0

		if next < end && length < maxMatch {
			longer, far = e.worthwhile(src, next)
			if longer > length {
				if at := startBehind(src, i, next, far); at <= i+1 {
					i = at
					length = min(next-at+longer, maxMatch)
					back = far
					continue
				}
			}
		}

		e.blocks.push(src, i-e.blocks.at, length, back)
		e.finder.used(back)
		i = e.again(src, next, length, back)

		switch {
		case i > next: // behind what was searched
			length = 0
		case longer > 0 || i >= end:
			length = longer
			back = far
		default:
			length = 0
			i, step = e.advance(src, i, step, end)
		}
	}
}

// The settings of literally.
const (
	literalSpan  = 24 << 10 // bytes until chains are tried again
	literalHurry = 256      // growth of the step, in 4096ths
	literalTail  = 8 << 10  // bytes at the end of a span that enter chains
)

// literally takes only matches of eight bytes and more for the length of a span, as those of chains
// have cost about as many bits as literals. The part that follows is short, to ask again whether
// they do.
func (e *Encoder) literally(src []byte, i, end int) int {
	b := &e.blocks
	f := &e.finder
	step := 0
	for stop := min(i+literalSpan, end); i < stop && b.literal && !b.failed; {
		length, back := f.latest(src, i, f.long[:])
		if length == 0 {
			step++
			i += 1 + step*literalHurry>>12
			b.pass(src, min(i, end))
			continue
		}

		i, length = e.extendBack(src, i, length, back)
		b.push(src, i-b.at, length, back)
		if i = e.again(src, i+length, length, back); i < end {
			f.note(src, i-2, f.long[:])
		}
		step = 0
	}

	if b.failed || i >= end {
		return i
	}
	if b.at < i {
		b.push(src, i-b.at, 0, 0)
	}
	b.ask(src)
	f.enter(src, max(i-literalTail, f.next), i)
	return i
}

// advance returns the next position after one without a match; the steps grow.
func (e *Encoder) advance(src []byte, i, step, end int) (int, int) {
	step++
	i += 1 + step*e.hurry>>12
	e.blocks.pass(src, min(i, end))
	return i, step
}

// worthwhile is find without matches that are more expensive than literals.
func (e *Encoder) worthwhile(src []byte, i int) (length, back int) {
	e.blocks.searches++
	length, back = e.finder.find(src, i, shortest-1, e.depth, e.nice)
	if length >= surelyShorter || length == 0 {
		return length, back
	}
	if e.saving(src, i, length, back)+symbolPrice*(length-1) <= 0 {
		return 0, 0
	}
	return length, back
}

// startBehind returns where a match at i starts if it is extended backwards to low.
func startBehind(src []byte, low, i, back int) int {
	for low = max(low, back); i > low && src[i-1] == src[i-1-back]; {
		i--
	}
	return i
}
