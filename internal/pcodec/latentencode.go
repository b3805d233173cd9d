package pcodec

import (
	"math/bits"
	"slices"
)

// A LatentEncoder codes runs of latents for other formats, as a page of Pcodec has them, but with
// bins that take less room. It owns its scratch memory and must not be used concurrently.
//
//	bits
//	4            s, the logarithm of the number of states
//	15           bins - 1
//	of each bin  s           weight - 1
//	             8 to 64     lower, of the first bin; of later ones w, and then w bits, which are
//	                         what lower is more than before
//	             4 to 7      offset bits; w has as many
//	4 times s    the first states
//	             0 up to the next byte
//	of each 256  the bits of states, then those of offsets
//	             0 up to the next byte
type LatentEncoder[L Latent] struct {
	c      coder[L]
	sample []L
}

// Append appends a run of at least one latent, which begins with 1<<log bins at most.
func (e *LatentEncoder[L]) Append(dst []byte, latents []L, log int) []byte {
	c := &e.c
	e.train(latents, log)
	c.encode()

	w := bitWriter{dst: dst}
	w.write(uint64(c.sizeLog), sizeLogBits)
	w.write(uint64(len(c.bins)-1), binCountBits)
	before := L(0)
	for i, b := range c.bins {
		w.write(uint64(c.weights[i]-1), c.sizeLog)
		if i == 0 {
			w.write64(uint64(b.lower), latentBits[L]())
		} else {
			gap := uint64(b.lower - before)
			w.write(uint64(bits.Len64(gap)), lengthBits[L]())
			w.write64(gap, bits.Len64(gap))
		}
		before = b.lower
		w.write(uint64(b.offsetBits()), lengthBits[L]())
	}

	c.writeFront(&w)
	w.align()
	for at := 0; at < len(latents); at += batch {
		c.writeBatch(&w, at)
	}
	w.align()
	return w.dst
}

// train chooses bins for latents. Those of long runs are chosen by a sample, and then extended.
func (e *LatentEncoder[L]) train(latents []L, log int) {
	c := &e.c
	c.latents = latents
	step := max(1, len(latents)/trained)
	sample := latents
	if step > 1 {
		e.sample = e.sample[:0]
		for i := 0; i < len(latents); i += step {
			e.sample = append(e.sample, latents[i])
		}
		sample = e.sample
	}

	log = min(log, max(0, bits.Len(uint(len(latents)))-4))
	c.spans = c.divider.spans(c.spans, sample, log)
	sizeLog := min(log+3, maxLevel, bits.Len(uint(len(latents)-1)))
	meta := float64(sizeLog+2*lengthBits[L]()) + float64(latentBits[L]())/3
	c.bins, _ = merged(c.bins, c.spans, meta/float64(step))
	if step > 1 {
		e.extend()
	}
	c.weights, c.sizeLog = weightsOf(c.bins, len(latents), sizeLog)
}

// trained is how many latents bins are chosen by, or up to twice as many.
const trained = 1 << 12

// extend makes bins adjacent, so that they have all latents, and counts these.
func (e *LatentEncoder[L]) extend() {
	c := &e.c
	least, most := extremes(c.latents)

	c.bins[0].lower = min(c.bins[0].lower, least)
	c.bins[len(c.bins)-1].upper = max(c.bins[len(c.bins)-1].upper, most)
	if len(c.bins) == 1 {
		c.bins[0].count = len(c.latents)
		return
	}

	c.symbol = sized(c.symbol, len(c.latents))
	c.search.prepare(c.bins)
	c.search.find(c.symbol, c.latents)
	for i := range c.bins {
		c.bins[i].count = 0
		c.bins[i].upper = c.bins[i].lower
	}
	for i, l := range c.latents {
		b := &c.bins[c.symbol[i]]
		b.count++
		b.upper = max(b.upper, l)
	}
	c.bins = slices.DeleteFunc(c.bins, func(s span[L]) bool { return s.count == 0 })
}
