package deflate

import "math"

// A sequence is a run of literals followed by a match, or by nothing if length is 0.
type sequence struct {
	literals uint32
	length   uint16
	back     uint16 // the distance minus one
}

// A histogram counts the symbols of a block or a part of one.
type histogram struct {
	litLen   [litLenFixed]uint32
	distance [distanceFixed]uint32
}

func (h *histogram) add(o *histogram) {
	for s, c := range o.litLen {
		h.litLen[s] += c
	}
	for s, c := range o.distance {
		h.distance[s] += c
	}
}

// extraBits returns the number of extra bits of the counted symbols.
func (h *histogram) extraBits() int {
	n := 0
	for i, r := range lengthRanges {
		n += int(h.litLen[firstLength+i]) * int(r.extra)
	}

	for i, r := range distanceRanges {
		n += int(h.distance[i]) * int(r.extra)
	}
	return n
}

// A blockWriter writes blocks.
type blockWriter struct {
	w        bitWriter
	builder  codeBuilder
	litLen   [litLenFixed]code
	distance [distanceFixed]code
	precode  [precodeSymbols]code
	header   codeLengths
	few      int // fewBits or fewBitsInHaste

	fixedLitLen   [litLenFixed]code
	fixedDistance [distanceFixed]code
}

// codeLengths is the description of a block's codes.
type codeLengths struct {
	litLens, distances, precodes int
	lengths                      [precodeSymbols]uint8
	// the symbol in the low byte, and its extra bits above
	items [litLenSymbols + distanceSymbols]uint16
	count int
}

// A block of at most fewBits with the fixed code gets no codes of its own: their description would
// take about as much. fewBitsInHaste is for low levels, where computing them takes too long.
const (
	fewBits        = 320
	fewBitsInHaste = 4096
)

// write writes a block of the shortest type with the content src, and reports whether it fits.
func (b *blockWriter) write(src []byte, sequences []sequence, h *histogram, final bool) bool {
	h.litLen[endOfBlock] = 1
	extra := h.extraBits()
	fixed := extra + fixedCost(h)

	dynamic := math.MaxInt
	if fixed > b.few {
		lengths := &b.builder.lengths
		b.builder.build(b.litLen[:litLenSymbols], lengths[:litLenSymbols], h.litLen[:litLenSymbols], maxCodeLen)
		b.builder.build(b.distance[:distanceSymbols], lengths[litLenFixed:litLenFixed+distanceSymbols], h.distance[:distanceSymbols], maxCodeLen)
		dynamic = b.state() + extra + b.cost(h)
	}

	storedBlocks := max(1, (len(src)+maxStored-1)/maxStored)
	stored := 8*len(src) + storedBlocks*(3+7+32) // maximum
	bits := 3 + min(dynamic, fixed)
	if gainsLittle(stored, bits) {
		return b.writeStored(src, final)
	}

	if bits > b.w.room() {
		return false
	}

	head := uint64(blockDynamic << 1)
	if fixed <= dynamic {
		head = blockFixed << 1
	}
	if final {
		head |= 1
	}

	b.w.add(head, 3)
	if fixed <= dynamic {
		b.writeSequences(src, sequences, &b.fixedLitLen, &b.fixedDistance)
		return true
	}

	b.writeHeader()
	b.writeSequences(src, sequences, &b.litLen, &b.distance)
	return true
}

// gainsLittle reports whether codes of the given number of bits save so little of a block of size
// bits that storing it is better: it takes a fraction of the time to read.
func gainsLittle(size, bits int) bool { return bits >= size-size/LeastGain }

// cost returns the size in bits of the symbols in h with codes of their own.
func (b *blockWriter) cost(h *histogram) int {
	n := 0
	for s, c := range h.litLen[:litLenSymbols] {
		n += int(c) * int(codeLen(b.litLen[s]))
	}

	for s, c := range h.distance[:distanceSymbols] {
		n += int(c) * int(codeLen(b.distance[s]))
	}
	return n
}

// fixedCost returns the size in bits of the symbols in h with the fixed code.
func fixedCost(h *histogram) int {
	n := uint32(0)
	for _, c := range h.litLen[:144] {
		n += 8 * c
	}
	for _, c := range h.litLen[144:256] {
		n += 9 * c
	}
	for _, c := range h.litLen[256:280] {
		n += 7 * c
	}
	for _, c := range h.litLen[280:litLenSymbols] {
		n += 8 * c
	}
	for _, c := range h.distance[:distanceSymbols] {
		n += 5 * c
	}
	return int(n)
}

// makeFixed builds the fixed codes.
func (b *blockWriter) makeFixed() {
	lengths := (*[litLenFixed]uint8)(b.builder.lengths[:])
	fixedLengths(lengths)
	assign(b.fixedLitLen[:], lengths[:])

	distances := b.builder.lengths[litLenFixed:]
	for s := range distances {
		distances[s] = 5
	}
	assign(b.fixedDistance[:], distances)
}

// maxStored is the maximum size of a stored block.
const maxStored = 65535

func (b *blockWriter) writeStored(src []byte, final bool) bool {
	w := &b.w
	for first := true; first || len(src) > 0; first = false {
		n := min(len(src), maxStored)
		if w.room() < 3+7+32+8*n {
			return false
		}

		head := uint64(blockStored << 1)
		if final && n == len(src) {
			head |= 1
		}
		w.add(head, 3)
		w.align()
		w.add(uint64(n)|uint64(n^0xffff)<<16, 32)

		w.flush()
		w.n += copy(w.out[w.n:], src[:n])
		src = src[n:]
	}
	return true
}

// state prepares the description of the codes and returns its size in bits (RFC 1951 §3.2.7).
func (b *blockWriter) state() int {
	c := &b.header
	all := &b.builder.lengths

	c.litLens = litLenSymbols
	c.distances = distanceSymbols
	for all[c.litLens-1] == 0 { // the end-of-block symbol always has a code
		c.litLens--
	}
	for c.distances > 1 && all[litLenFixed+c.distances-1] == 0 {
		c.distances--
	}

	copy(all[c.litLens:], all[litLenFixed:litLenFixed+c.distances])
	var counts [precodeSymbols]uint32
	c.count = 0
	bits := c.gather(all[:c.litLens+c.distances], &counts)
	b.builder.build(b.precode[:], c.lengths[:], counts[:], maxPrecodeLen)

	c.precodes = precodeSymbols
	for c.precodes > 4 && c.lengths[precodeOrder[c.precodes-1]] == 0 {
		c.precodes--
	}

	for s, n := range counts {
		bits += int(n) * int(c.lengths[s])
	}
	return bits + 14 + 3*c.precodes
}

// gather converts code lengths to items, counts their symbols and returns the number of their extra
// bits.
func (c *codeLengths) gather(lengths []uint8, counts *[precodeSymbols]uint32) (extraBits int) {
	put := func(symbol, extra, bits int) {
		c.items[c.count] = uint16(extra<<8 | symbol)
		c.count++
		counts[symbol]++
		extraBits += bits
	}

	for at := 0; at < len(lengths); {
		l := lengths[at]
		run := 1
		for at+run < len(lengths) && lengths[at+run] == l {
			run++
		}
		at += run

		if l != 0 {
			put(int(l), 0, 0)
			run--
		}

		for run > 0 {
			n := min(run, 138)
			switch {
			case n < 3:
				put(int(l), 0, 0)
				n = 1
			case l != 0:
				n = min(n, 6)
				put(repeatLast, n-3, repeatLastBits)
			case n <= 10:
				put(repeatZero, n-3, repeatZeroBits)
			default:
				put(repeatZeroLong, n-11, repeatZLongBits)
			}

			run -= n
		}
	}
	return extraBits
}

func (b *blockWriter) writeHeader() {
	w := &b.w
	c := &b.header

	w.add(uint64(c.litLens-257)|uint64(c.distances-1)<<5|uint64(c.precodes-4)<<10, 14)
	w.flush()
	for _, s := range precodeOrder[:c.precodes] {
		w.add(uint64(c.lengths[s]), 3)
		w.flush()
	}

	for _, item := range c.items[:c.count] {
		symbol := item & 0xff
		p := b.precode[symbol]
		w.add(codeBits(p), codeLen(p))

		switch symbol {
		case repeatLast:
			w.add(uint64(item>>8), repeatLastBits)
		case repeatZero:
			w.add(uint64(item>>8), repeatZeroBits)
		case repeatZeroLong:
			w.add(uint64(item>>8), repeatZLongBits)
		}

		w.flush()
	}
}

// writeSequences writes the symbols of a block, including the end.
func (b *blockWriter) writeSequences(src []byte, sequences []sequence, litLen *[litLenFixed]code, distance *[distanceFixed]code) {
	w := b.w // a copy can stay in registers
	for _, s := range sequences {
		literals := src[:s.literals]
		for ; len(literals) >= 3; literals = literals[3:] { // 45 bits, and at most 7 from before
			c0 := litLen[literals[0]]
			c1 := litLen[literals[1]]
			c2 := litLen[literals[2]]
			w.add(codeBits(c0), codeLen(c0))
			w.add(codeBits(c1), codeLen(c1))
			w.add(codeBits(c2), codeLen(c2))
			w.flush()
		}

		for _, v := range literals {
			c := litLen[v]
			w.add(codeBits(c), codeLen(c))
		}
		w.flush()
		src = src[s.literals:]
		if s.length == 0 {
			continue
		}

		src = src[s.length:]
		symbol := lengthSymbols[s.length-minMatch]
		c := litLen[firstLength+int(symbol)]
		r := lengthRanges[symbol]
		w.add(codeBits(c), codeLen(c))
		w.add(uint64(s.length-r.base), uint(r.extra))

		symbol = distanceSymbol(uint32(s.back))
		c = distance[symbol]
		r = distanceRanges[symbol]
		w.add(codeBits(c), codeLen(c))
		w.add(uint64(s.back+1-r.base), uint(r.extra))
		w.flush()
	}

	end := litLen[endOfBlock]
	w.add(codeBits(end), codeLen(end))
	w.flush()
	b.w = w
}
