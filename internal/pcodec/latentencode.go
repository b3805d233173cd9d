package pcodec

import "math/bits"

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
	c    coder[L]
	grid grid[L]
}

// Append appends a run of at least one latent, which begins with 1<<log bins at most.
func (e *LatentEncoder[L]) Append(dst []byte, latents []L, log int) []byte {
	c := &e.c
	e.train(latents, log)
	c.prepare()
	if len(c.bins) > 1 {
		c.symbol = sized(c.symbol, len(latents))
		e.grid.find(c.symbol, c.joiner.ends)
		c.encodeStates()
	}

	w := bitWriter{dst: dst}
	e.writeBins(&w)
	c.writeFront(&w)
	w.align()
	for at := 0; at < len(latents); at += batch {
		c.writeBatch(&w, at)
	}
	w.align()
	return w.dst
}

// writeBins appends the bins.
func (e *LatentEncoder[L]) writeBins(w *bitWriter) {
	c := &e.c
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
}

// Size returns the bits of a run, about.
func (e *LatentEncoder[L]) Size(latents []L, log int) float64 { return e.train(latents, log) }

// train chooses bins for latents, and returns the bits that they take.
func (e *LatentEncoder[L]) train(latents []L, log int) float64 {
	c := &e.c
	n := len(latents)
	c.latents = latents
	low, high := extremes(latents)
	if low == high {
		c.bins = append(c.bins[:0], span[L]{low, high, n})
		c.weights = append(c.weights[:0], 1)
		c.sizeLog = 0
		return float64(latentBits[L]())
	}

	e.grid.sort(latents, low, high)
	log = min(log, max(0, bits.Len(uint(n))-8))
	c.spans = e.grid.divide(c.spans, log)
	sizeLog := min(log+3, maxLevel, bits.Len(uint(n-1)))
	meta := float64(sizeLog+2*lengthBits[L]()) + float64(latentBits[L]())/3
	var size float64
	c.bins, size = c.joiner.join(c.bins, c.spans, meta)
	c.weights, c.sizeLog = weightsOf(c.bins, n, sizeLog)
	return size
}
