package pcodec

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn/internal/asm/bins"
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
	c := splitChunk(of, src, e)
	c.train()
	c.writeMeta(w)
	c.writePage(w)
}

// splitChunk chooses how to encode a chunk and splits its latents. The encoder is made when it is
// needed.
func splitChunk[L latent](of **encoder[L], src []byte, e *Encoder) *encoder[L] {
	if *of == nil {
		*of = &encoder[L]{}
	}
	c := *of

	c.level = e.level
	c.latents = latentsOf(c.latents, src, e.t.kind())
	low, high := extremes(c.latents)
	if low == high {
		c.header = header[L]{}
	} else {
		c.header = c.chooser.choose(c.latents, e.t.kind(), e.level)
	}

	n := len(c.latents)
	c.first = sized(c.first, n)
	c.second = sized(c.second, n)
	c.split(c.first, c.second, c.latents)
	return c
}

// train chooses the bins of a chunk with one page.
func (c *encoder[L]) train() {
	log := binsLog(c.level, len(c.latents))
	if c.delta.kind == lookback {
		c.distances = c.tracker.find(c.distances, c.first, c.delta.window)
		c.back.train(log, c.distances)
	}
	front, coded := differences(c.primary.front, c.first, &c.delta, c.distances)
	c.primary.front = front
	c.primary.train(log, coded)
	if c.two() {
		c.secondary.train(min(log, secondaryLog), c.second)
	}
}

// writeMeta appends the metadata of a chunk.
func (c *encoder[L]) writeMeta(w *bitWriter) {
	c.writeHeader(w)
	if c.delta.kind == lookback {
		c.back.writeBins(w)
	}
	c.primary.writeBins(w)
	if c.two() {
		c.secondary.writeBins(w)
	}
	w.align()
}

// writePage appends the page of the latents that the coders have.
func (c *encoder[L]) writePage(w *bitWriter) {
	far := c.delta.kind == lookback
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
	divider divider[L]
	joiner  joiner[L]
	spans   []span[L]
	bins    []span[L]
	weights []int
	sizeLog int

	search  searcher[L]
	tans    tans
	symbol  []uint16 // of latents
	states  []uint32 // what the states write: bits, and in the upper half how many
	lowers  []L      // of bins
	lengths []uint8  // of the offsets in bins
	widest  int      // of lengths
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

	c.spans = c.divider.spans(c.spans, c.latents, log)
	sizeLog := min(log+2, maxLevel, bits.Len(uint(n-1)))
	c.bins, _ = c.joiner.join(c.bins, c.spans, binCost[L](sizeLog))
	c.weigh(sizeLog)
}

// weigh chooses the number of states, at most 1<<sizeLog, and the weights of the bins, of which it
// leaves one if more take no less.
func (c *coder[L]) weigh(sizeLog int) {
	n := len(c.latents)
	c.weights, c.sizeLog = weightsOf(c.bins, n, sizeLog)
	if len(c.bins) == 1 {
		return
	}

	// Bins and pages have more bits for weights and states, if there are more of these. Many states
	// are for latents of which nearly all are in one bin.
	least := c.size()
	for log := c.sizeLog - 1; 1<<log >= len(c.bins) && c.reweigh(log, &least, 1); log-- {
	}
	for log := c.sizeLog + 1; log <= mostStates && c.reweigh(log, &least, worthStates); log++ {
	}

	all := span[L]{c.bins[0].lower, c.bins[len(c.bins)-1].upper, n}
	if float64(all.offsetBits())*float64(n)+binCost[L](0) <= least {
		c.bins = append(c.bins[:0], all)
		c.weights = append(c.weights[:0], 1)
		c.sizeLog = 0
	}
}

const (
	mostStates  = 13    // the logarithm of states, whatever the level
	worthStates = 0.997 // which part of the size more states must reach, as tables are slow
)

// reweigh changes the number of states if a part of least is reached, which it then sets.
func (c *coder[L]) reweigh(log int, least *float64, part float64) bool {
	weights := c.weights
	states := c.sizeLog
	c.weights, c.sizeLog = weightsOf(c.bins, len(c.latents), log)
	size := c.size()
	if size >= *least*part {
		c.weights = weights
		c.sizeLog = states
		return false
	}
	*least = size
	return true
}

// size returns how many bits the latents and bins take.
func (c *coder[L]) size() float64 {
	size := float64(len(c.bins))*binCost[L](c.sizeLog) + float64(interleaved*c.sizeLog)
	for i, b := range c.bins {
		each := float64(c.sizeLog) - math.Log2(float64(c.weights[i])) + float64(b.offsetBits())
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

// encode finds the bins of all latents and codes them.
func (c *coder[L]) encode() {
	c.prepare()
	if len(c.bins) <= 1 {
		return
	}
	c.symbol = sized(c.symbol, len(c.latents))
	c.search.prepare(c.bins)
	c.search.find(c.symbol, c.latents)
	c.encodeStates()
}

// prepare prepares for coding latents of the bins.
func (c *coder[L]) prepare() {
	c.lowers = c.lowers[:0]
	c.lengths = c.lengths[:0]
	c.widest = 0
	for i := range c.bins {
		length := c.bins[i].offsetBits()
		c.lowers = append(c.lowers, c.bins[i].lower)
		c.lengths = append(c.lengths, uint8(length))
		c.widest = max(c.widest, length)
	}

	size := 1 << c.sizeLog
	for i := range c.tans.coder.States {
		c.tans.coder.States[i] = uint32(size)
	}
}

// encodeStates codes latents whose bins were found, from the last one to the first.
func (c *coder[L]) encodeStates() {
	c.tans.prepare(c.weights, c.sizeLog)
	c.states = sized(c.states, len(c.latents))
	c.tans.coder.Encode(c.states, c.symbol)
}

// writeFront appends what a page says of the latents.
func (c *coder[L]) writeFront(w *bitWriter) {
	for _, l := range c.front {
		w.write64(uint64(l), latentBits[L]())
	}
	for _, s := range c.tans.coder.States {
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
	switch {
	case len(c.bins) > 1:
		w.writeStates(c.states[at:end])
		if c.widest > 0 {
			c.writeOffsets(w, c.latents[at:end], c.symbol[at:end])
		}
	case c.widest > 0:
		c.writeEqual(w, c.latents[at:end])
	}
}

// writeOffsets appends the offsets of latents in their bins.
func (c *coder[L]) writeOffsets(w *bitWriter, latents []L, symbols []uint16) {
	p := w.packer()
	bins.Offsets(&p, latents, symbols, c.lowers, c.lengths, c.widest)
	w.took(&p)
}

// writeEqual appends the offsets of latents in the only bin.
func (c *coder[L]) writeEqual(w *bitWriter, latents []L) {
	dst := w.dst[:cap(w.dst)]
	at := len(w.dst)
	word := w.word
	used := w.n
	lower := c.lowers[0]
	length := uint(c.widest)

	for _, l := range latents {
		offset := uint64(l - lower)
		word |= offset << (used & 63)
		binary.LittleEndian.PutUint64(dst[at:], word)
		end := used + length
		at += int(end / 8)

		if end < 64 {
			word >>= end &^ 7
		} else {
			word = offset >> (64 - used)
		}
		used = end & 7
	}

	w.dst = dst[:at]
	w.word = word
	w.n = used
}
