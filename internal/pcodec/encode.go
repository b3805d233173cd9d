package pcodec

import (
	"math/bits"
	"slices"
)

// Levels of effort. More bins take more time.
const (
	DefaultLevel = 8
	maxLevel     = 12
)

// pageNumbers is how many numbers a chunk of a standalone file has at most.
const pageNumbers = 1 << 18

// An Encoder encodes numbers. It owns its scratch memory and must not be used concurrently.
type Encoder struct {
	level int
	t     Type
	of8   *encoder[uint8]
	of16  *encoder[uint16]
	of32  *encoder[uint32]
	of64  *encoder[uint64]
}

// NewEncoder returns an encoder of numbers of a type at a level from 0 to 12.
func NewEncoder(t Type, level int) *Encoder {
	return &Encoder{t: t, level: min(max(level, 0), maxLevel)}
}

// Append appends a standalone file with the numbers in src, each with its lowest byte first.
func (e *Encoder) Append(dst, src []byte) []byte {
	size := e.t.Size()
	n := len(src) / size

	w := bitWriter{dst: append(dst, magic...)}
	w.write(standaloneVersion, 8)
	w.write(uint64(e.t), 8)
	length := max(1, bits.Len(uint(n)))
	w.write(uint64(length-1), 6)
	w.write64(uint64(n), length)
	w.align()
	w.write(majorVersion, 8)
	w.write(minorVersion, 8)

	// Chunks are about as long as each other.
	chunks := (n + pageNumbers - 1) / pageNumbers
	for i := range chunks {
		part := src[i*n/chunks*size : (i+1)*n/chunks*size]
		w.write(uint64(e.t), 8)
		w.write(uint64(len(part)/size-1), 24)
		switch size {
		case 1:
			encodeChunk(&e.of8, &w, part, e)
		case 2:
			encodeChunk(&e.of16, &w, part, e)
		case 4:
			encodeChunk(&e.of32, &w, part, e)
		case 8:
			encodeChunk(&e.of64, &w, part, e)
		}
	}

	w.write(0, 8)
	return w.dst
}

// encoder encodes chunks of numbers whose latents are of type L.
type encoder[L latent] struct {
	header[L]
	level     int
	latents   []L
	first     []L // primary latents
	second    []L // secondary latents
	primary   coder[L]
	secondary coder[L]
	back      coder[uint32]
	distances []uint32
	tracker   backtracker[L]
	chooser   chooser[L]
}

// encodeChunk appends a chunk without its type and length.
func encodeChunk[L latent](of **encoder[L], w *bitWriter, src []byte, e *Encoder) {
	if *of == nil {
		*of = &encoder[L]{}
	}
	c := *of

	c.level = e.level
	c.latents = latentsOf(c.latents, src, e.t.kind())
	c.header = c.chooser.choose(c.latents, e.t.kind(), e.level)

	n := len(c.latents)
	c.first = sized(c.first, n)
	c.second = sized(c.second, n)
	c.split(c.first, c.second, c.latents)
	c.encode(w)
}

// encode appends the chunk of the latents that were split.
func (c *encoder[L]) encode(w *bitWriter) {
	log := binsLog(c.level, len(c.latents))
	far := c.delta.kind == lookback
	if far {
		c.distances = c.tracker.find(c.distances, c.first, c.delta.window)
		c.back.train(log, c.distances)
	}
	front, coded := differences(c.primary.front, c.first, &c.delta, c.distances)
	c.primary.front = front
	c.primary.train(log, coded)
	if c.two() {
		c.secondary.train(min(log, secondaryLog), c.second)
	}

	c.writeHeader(w)
	if far {
		c.back.writeBins(w)
	}
	c.primary.writeBins(w)
	if c.two() {
		c.secondary.writeBins(w)
	}
	w.align()

	if far {
		c.back.encode()
		c.back.writeFront(w)
	}
	c.primary.encode()
	c.primary.writeFront(w)
	if c.two() {
		c.secondary.encode()
		c.secondary.writeFront(w)
	}
	w.align()

	for at := 0; at < len(c.latents); at += batch {
		if far {
			c.back.writeBatch(w, at)
		}
		c.primary.writeBatch(w, at)
		if c.two() {
			c.secondary.writeBatch(w, at)
		}
	}
	w.align()
}

// secondaryLog limits the bins of secondary latents: most of them are equal.
const secondaryLog = 6

// binsLog returns the logarithm of the number of spans to begin with.
func binsLog(level, n int) int {
	enough := max(0, bits.Len(uint(n))-5)
	if level <= enough {
		return level
	}
	return enough + (level-enough)/2
}

// writeHeader appends what metadata have before the bins.
func (h *header[L]) writeHeader(w *bitWriter) {
	w.write(uint64(h.mode), modeBits)
	switch h.mode {
	case intMult, floatMult:
		w.write64(uint64(h.base), latentBits[L]())
	case floatQuant:
		w.write(uint64(h.quant), quantBits)
	}

	d := &h.delta
	w.write(uint64(d.kind), deltaBits)
	switch d.kind {
	case consecutive:
		w.write(uint64(d.states), orderBits)
		w.write(0, 1)
	case lookback:
		w.write(uint64(bits.Len(uint(d.window))-2), windowBits)
		w.write(uint64(bits.Len(uint(d.states))-1), statesBits)
		w.write(0, 1)
	}
}

// A coder codes the latents of one kind.
type coder[L latent] struct {
	front   []L // in front of the page
	latents []L // to be coded
	sorted  []L
	other   []L
	spans   []span[L]
	bins    []span[L]
	weights []int
	sizeLog int

	search  searcher[L]
	table   []uint16 // next states, of all symbols one after the other
	symbols []symbol
	symbol  []uint16 // of latents
	values  []uint16 // bits of the states
	lengths []uint8
	state   [interleaved]uint32
}

// symbol is how tANS codes a bin.
type symbol struct {
	add  uint32 // to a state, whose upper half is then the number of bits
	from int32  // into the table
}

// train chooses bins for latents, which the caller must not change before they are written.
func (c *coder[L]) train(log int, latents []L) {
	c.latents = latents
	n := len(latents)
	c.bins = c.bins[:0]
	c.weights = c.weights[:0]
	c.sizeLog = 0
	if n == 0 {
		return
	}

	c.sorted = append(c.sorted[:0], c.latents...)
	c.other = sized(c.other, n)
	c.sorted, c.other = radixSort(c.sorted, c.other)

	c.spans = spansOf(c.spans, c.sorted, log)
	sizeLog := min(log+2, maxLevel, bits.Len(uint(n-1)))
	c.bins, _ = merged(c.bins, c.spans, binCost[L](sizeLog))
	c.weights, c.sizeLog = weightsOf(c.bins, n, sizeLog)
}

// size returns how many bits the latents take, about.
func (c *coder[L]) size() float64 {
	size := 0.0
	for i, b := range c.bins {
		each := float64(c.sizeLog) - float64(log2(c.weights[i])) + float64(b.offsetBits())
		size += each * float64(b.count)
	}
	return size
}

// writeBins appends the bins.
func (c *coder[L]) writeBins(w *bitWriter) {
	w.write(uint64(c.sizeLog), sizeLogBits)
	w.write(uint64(len(c.bins)), binCountBits)
	for i, b := range c.bins {
		w.write(uint64(c.weights[i]-1), c.sizeLog)
		w.write64(uint64(b.lower), latentBits[L]())
		w.write(uint64(b.offsetBits()), lengthBits[L]())
	}
}

func (s *span[L]) offsetBits() int { return bits.Len64(uint64(s.upper - s.lower)) }

// encode finds the bins of all latents and codes them, from the last one to the first.
func (c *coder[L]) encode() {
	n := len(c.latents)
	size := 1 << c.sizeLog
	c.state = [interleaved]uint32{}
	for i := range c.state {
		c.state[i] = uint32(size)
	}

	c.symbol = sized(c.symbol, n)
	if len(c.bins) <= 1 {
		clear(c.symbol)
		return
	}
	c.search.prepare(c.bins)
	c.search.find(c.symbol, c.latents)

	c.makeTable()
	c.values = sized(c.values, n)
	c.lengths = sized(c.lengths, n)
	for i := n - 1; i >= 0; i-- {
		s := &c.symbols[c.symbol[i]]
		state := c.state[i%interleaved]
		length := (state + s.add) >> 16
		c.values[i] = uint16(state & (1<<length - 1))
		c.lengths[i] = uint8(length)
		c.state[i%interleaved] = uint32(c.table[int32(state>>length)+s.from])
	}
}

// makeTable makes the tables of tANS.
func (c *coder[L]) makeTable() {
	size := 1 << c.sizeLog
	states := make([]uint16, size)
	spread(states, c.weights)

	c.symbols = sized(c.symbols, len(c.weights))
	first := 0
	next := make([]int, len(c.weights))
	for i, weight := range c.weights {
		// A state is shifted until it is at least weight and less than twice that.
		most := c.sizeLog - bits.Len(uint(2*weight-1)) + 2
		c.symbols[i] = symbol{uint32(most<<16 - weight<<most), int32(first - weight)}
		next[i] = first
		first += weight
	}

	c.table = sized(c.table, size)
	for state, symbol := range states {
		c.table[next[symbol]] = uint16(size + state)
		next[symbol]++
	}
}

// writeFront appends what a page says of the latents.
func (c *coder[L]) writeFront(w *bitWriter) {
	for _, l := range c.front {
		w.write64(uint64(l), latentBits[L]())
	}
	for _, s := range c.state {
		w.write(uint64(s)&(1<<c.sizeLog-1), c.sizeLog)
	}
}

// writeBatch appends the latents of a batch.
func (c *coder[L]) writeBatch(w *bitWriter, at int) {
	end := min(at+batch, len(c.latents))
	if at >= end {
		return
	}

	w.dst = slices.Grow(w.dst, slack)
	if c.sizeLog > 0 {
		for i := at; i < end; i++ {
			w.write(uint64(c.values[i]), int(c.lengths[i]))
		}
	}
	for i := at; i < end; i++ {
		b := &c.bins[c.symbol[i]]
		w.write64(uint64(c.latents[i]-b.lower), b.offsetBits())
	}
}
