package pcodec

import (
	"math"
)

// mode says how latents become numbers.
type mode uint8

const (
	classic    mode = iota // the latent is the number
	intMult                // a multiple of a base, and a rest
	floatMult              // a multiple of a base, and a difference in units of the last place
	floatQuant             // the upper bits, and the lower ones
	dictionary             // an index
)

// deltaKind says how latents are predicted.
type deltaKind uint8

const (
	noDelta     deltaKind = iota
	consecutive           // by the one before, perhaps several times
	lookback              // by an earlier one, which another latent chooses
	conv1                 // by a weighted sum of those before
)

// A delta is how latents were predicted.
type delta struct {
	kind    deltaKind
	states  int   // latents that a page has in front, to begin with
	both    bool  // whether secondary latents are predicted too
	window  int   // lookback: the longest
	shift   int   // conv1: of the sum
	bias    int64 // conv1
	weights []int64
}

// secondary returns how secondary latents were predicted.
func (d *delta) secondary() *delta {
	if d.both {
		return d
	}
	return &delta{}
}

// header is what the metadata of a chunk say before the bins.
type header[L latent] struct {
	mode  mode
	base  L   // of the modes with a multiple, as a latent
	quant int // bits in the lower part
	dict  []L
	delta delta
}

// two reports whether numbers have a secondary latent.
func (h *header[L]) two() bool {
	return h.mode == intMult || h.mode == floatMult || h.mode == floatQuant
}

// How many bits fields have.
const (
	modeBits     = 4
	quantBits    = 8
	dictBits     = 25
	deltaBits    = 4
	orderBits    = 3
	windowBits   = 5
	statesBits   = 4
	shiftBits    = 5
	weightsBits  = 5
	weightBits   = 32
	sizeLogBits  = 4
	binCountBits = 15
)

// latentBits returns the bits of a latent.
func latentBits[L latent]() int { return 8 * sizeOf[L]() }

// readMode reads the mode of a chunk of numbers of a kind.
func (h *header[L]) readMode(b *bitReader, k kind, major int) error {
	width := latentBits[L]()

	h.mode = mode(b.read(modeBits))
	switch h.mode {
	case classic:

	case intMult:
		if k == floating {
			return corrupt("multiples of an integer in a chunk of floating-point numbers")
		}
		if major == 0 {
			return corrupt("multiples of an integer in version 0, which is not defined")
		}
		h.base = L(b.read(width))
		if h.base == 0 {
			return corrupt("multiples of 0")
		}

	case floatMult:
		if k != floating {
			return corrupt("multiples of a floating-point number in a chunk of integers")
		}
		h.base = L(b.read(width))
		if f := toFloat(h.base); f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
			return corrupt("multiples of %v", f)
		}

	case floatQuant:
		h.quant = int(b.read(quantBits))
		if k != floating || h.quant == 0 || h.quant > mantissaBits[L]() {
			return corrupt("%d bits of numbers of %d bits apart", h.quant, width)
		}

	case dictionary:
		return h.readDict(b)

	default:
		return corrupt("unknown mode %d", h.mode)
	}
	return nil
}

// readDict reads the values of a dictionary.
func (h *header[L]) readDict(b *bitReader) error {
	n := int(b.read(dictBits))
	if err := b.align(); err != nil {
		return err
	}

	width := latentBits[L]()
	if n > b.left()/width {
		return corrupt("a dictionary of %d numbers in %d bytes", n, b.left()/8)
	}

	h.dict = make([]L, n)
	for i := range h.dict {
		h.dict[i] = L(b.read(width))
	}
	return nil
}

// readDelta reads how latents were predicted.
func (h *header[L]) readDelta(b *bitReader, major int) error {
	d := &h.delta
	if major < 3 {
		d.states = int(b.read(orderBits))
		if d.states > 0 {
			d.kind = consecutive
		}
		return nil
	}

	d.kind = deltaKind(b.read(deltaBits))
	switch d.kind {
	case noDelta:

	case consecutive:
		d.states = int(b.read(orderBits))
		d.both = b.read(1) == 1
		if d.states == 0 {
			return corrupt("differences of order 0")
		}

	case lookback:
		window := 1 + b.read(windowBits)
		states := b.read(statesBits)
		d.both = b.read(1) == 1
		if states > window || 1<<window > maxChunk {
			return corrupt("a window of 2^%d latents with the first 2^%d given", window, states)
		}
		d.window = 1 << window
		d.states = 1 << states

	case conv1:
		d.shift = int(b.read(shiftBits))
		d.bias = int64(b.read(64) ^ 1<<63)
		d.states = 1 + int(b.read(weightsBits))
		d.weights = make([]int64, d.states)
		for i := range d.weights {
			d.weights[i] = int64(int32(uint32(b.read(weightBits)) ^ 1<<31))
		}
		if h.mode == dictionary {
			return checkConv1[uint32](d)
		}
		return checkConv1[L](d)

	default:
		return corrupt("unknown kind of differences %d", d.kind)
	}
	return nil
}

// checkConv1 returns an error unless the weighted sums of latents fit into integers of twice their
// bits. There are none for latents of 64 bits.
func checkConv1[L latent](d *delta) error {
	width := latentBits[L]()
	if width == 64 {
		return corrupt("weighted sums of latents of 64 bits")
	}
	if d.shift > 2*width-1 {
		return corrupt("weighted sums of latents of %d bits shifted by %d", width, d.shift)
	}

	most := 0.0
	for _, w := range d.weights {
		most += math.Abs(float64(w))
	}
	most = math.Abs(float64(d.bias)) + math.Ldexp(most, width)
	if most >= math.Ldexp(1, 2*width-1) {
		return corrupt("weighted sums of latents up to %g", most)
	}
	return nil
}
