package deflate

import "math/bits"

const (
	// maxSequences is the maximum number of sequences of a block. A block has room for at least two
	// parts, even if each sequence has only one symbol.
	maxSequences = 18432
	// earlySymbols is the number of symbols after which the guessed prices are replaced.
	earlySymbols = 256
	// headerCost is what two codes must save in bits to be worth more than one. Their description
	// takes about 500; the rest is the time to build another table, which readers would notice.
	headerCost = 8000
	// maxLiterals is the maximum number of literals in a sequence, so that runs of literals end
	// parts too.
	maxLiterals = 2048
)

// A builder collects the sequences of a block. The last ones form a part, which either joins the
// block or begins a new one.
type builder struct {
	out       blockWriter
	sequences [maxSequences]sequence
	count     int // number of sequences so far
	first     int // how many of these belong to the block; the others belong to the part

	block, part histogram
	symbols     int // in the part
	blockCost   uint64
	plain       bool // the block is better stored
	start       int  // start of the block in the source
	partStart   int  // start of the part in the source
	at          int  // start of the bytes without a sequence
	failed      bool

	asks     bool // whether to find out if matches pay
	searches int  // in chains, for the part
	literal  bool // they did not pay
	rate     int  // what a literal cost then

	partSymbols int // size of a part
	limit       int // the same for the current one
	priced      bool
	early       int // symbols in the first part before prices are set; doubles each time
	prices      prices
}

func (b *builder) reset(dst, src []byte) {
	b.out.w = bitWriter{out: dst}
	b.count = 0
	b.first = 0
	b.symbols = 0
	b.start = 0
	b.partStart = 0
	b.at = 0
	b.block = histogram{}
	b.part = histogram{}
	b.failed = false
	b.literal = false
	b.searches = 0
	b.limit = b.partSymbols
	b.early = 1 << 30
	if b.priced {
		b.early = earlySymbols
		b.prices.guess(src)
	}
}

// push adds literals and a match, or only literals if length is 0.
func (b *builder) push(src []byte, literals, length, back int) {
	for _, v := range src[b.at : b.at+literals] {
		b.part.litLen[v]++
	}

	s := sequence{literals: uint32(literals), length: uint16(length)}
	if length > 0 {
		s.back = uint16(back - 1)
		b.part.litLen[firstLength+int(lengthSymbols[length-minMatch])]++
		b.part.distance[distanceSymbol(uint32(back-1))&31]++
		b.symbols++
	}

	b.sequences[b.count] = s
	b.count++
	b.at += literals + length
	b.symbols += literals

	if b.symbols >= b.limit {
		b.endPart(src)
	} else if b.symbols >= b.early {
		b.prices.set(&b.part)
		b.early *= 2
	}
}

// pass adds literals up to about i if there are many.
func (b *builder) pass(src []byte, i int) {
	if i-b.at >= maxLiterals {
		b.push(src, maxLiterals, 0, 0)
	}
}

// endPart adds the part to the block, or begins a new block with it if two blocks are smaller than
// one.
func (b *builder) endPart(src []byte) {
	part := b.part.cost()
	plain := gainsLittle(8*(b.at-b.partStart), int(part>>logBits)+b.part.extraBits())

	if b.first > 0 {
		both := b.block
		both.add(&b.part)
		cost := both.cost()
		joins := plain || b.blockCost+part+headerCost<<logBits > cost
		if plain == b.plain && joins && b.count <= maxSequences-b.partSymbols {
			b.block = both
			b.blockCost = cost
		} else {
			b.flush(src)
			b.block = b.part
			b.blockCost = part
		}
	} else {
		b.block = b.part
		b.blockCost = part
	}

	b.plain = plain
	b.limit = b.partSymbols
	if b.priced {
		b.estimate(src[b.partStart:b.at], part)
	}

	b.part = histogram{}
	b.symbols = 0
	b.searches = 0
	b.early = 1 << 30
	b.first = b.count
	b.partStart = b.at
}

// estimate computes the prices for what follows from the part that ends. If coding everything as
// literals costs about as much, matches are priced together with literals as if all were literals.
// Otherwise a choice of matches reinforces itself: matches make literals rare and so more
// expensive. If a part took many searches, and literals would have cost little more, there is no
// need for such searches in what follows.
func (b *builder) estimate(part []byte, cost uint64) {
	before := b.literal
	b.literal = false
	if len(part) < 8*b.symbols {
		var plain histogram
		for _, v := range part {
			plain.litLen[v]++
		}

		spent := cost + uint64(b.part.extraBits())<<logBits
		literals := max(plain.cost(), uint64(len(part))<<logBits) // no code is shorter than a bit
		rate := int(literals / uint64(len(part)))
		if before { // a span of literals ends where bytes of another kind begin
			b.literal = max(rate-b.rate, b.rate-rate) <= b.rate/4
		} else {
			b.literal = b.asks && b.symbols >= askSymbols && b.searches*16 >= len(part) && literals <= spent+spent/64
			b.rate = rate
		}
		if b.literal {
			b.limit = literalSymbols
		}

		if plain.cost() < spent {
			for i := firstLength; i < litLenSymbols; i++ {
				plain.litLen[i] = b.part.litLen[i] / 2
			}
			plain.distance = b.part.distance
			b.prices.set(&plain)
			return
		}
	}
	b.prices.set(&b.block)
}

// ask ends the part, and the next one early, to find out whether matches pay.
func (b *builder) ask(src []byte) {
	if b.symbols > 0 && !b.failed {
		b.endPart(src)
	}
	b.literal = false
	b.limit = askSymbols
}

// Sizes of parts.
const (
	askSymbols     = 1024 // after literals
	literalSymbols = 2048 // among literals, to notice when other bytes begin
)

// flush writes the block and keeps the part.
func (b *builder) flush(src []byte) {
	if !b.out.write(src[b.start:b.partStart], b.sequences[:b.first], &b.block, false) {
		b.failed = true
	}
	b.count = copy(b.sequences[:], b.sequences[b.first:b.count])
	b.start = b.partStart
}

// finish writes the rest and returns the total size, or 0 if it did not fit.
func (b *builder) finish(src []byte) int {
	for b.at < len(src) && !b.failed {
		b.push(src, min(len(src)-b.at, maxLiterals), 0, 0)
	}

	if b.failed {
		return 0
	}

	b.endPart(src)
	if b.failed || !b.out.write(src[b.start:], b.sequences[:b.count], &b.block, true) {
		return 0
	}

	w := &b.out.w
	w.align()
	return w.n
}

// logBits is the number of fractional bits of a logarithm.
const logBits = 12

// logarithms are the binary logarithms of 1 to 2 in steps of 1/256. They are computed bit by bit by
// squaring, so that they are the same on every machine.
var logarithms = func() (all [256]uint16) {
	for i := range all {
		x := uint64(256+i) << 22 // 1 is 1<<30
		for range logBits {
			x = x * x >> 30
			bit := x >> 31
			all[i] = all[i]<<1 | uint16(bit)
			x >>= bit
		}
	}
	return all
}()

// xlog returns c times the logarithm of c.
func xlog(c uint32) uint64 {
	if c < 2 {
		return 0
	}
	high := uint32(bits.Len32(c)) - 1
	fraction := c << (31 - high) >> 23 & 255
	return uint64(c) * uint64(high<<logBits+uint32(logarithms[fraction]))
}

// cost returns the entropy of the symbols in bits, with logBits fractional bits.
func (h *histogram) cost() uint64 {
	litLens := uint32(0)
	distances := uint32(0)
	sum := uint64(0)

	for _, c := range h.litLen[:litLenSymbols] {
		litLens += c
		sum += xlog(c)
	}

	for _, c := range h.distance[:distanceSymbols] {
		distances += c
		sum += xlog(c)
	}
	return xlog(litLens) + xlog(distances) - min(sum, xlog(litLens)+xlog(distances))
}
