package lz4

import "github.com/cairn-go/cairn/internal/asm/lz"

// A probe distinguishes noise, such as the low mantissa bytes of measurements, from sources that
// merely begin badly. It runs only if nothing has matched for a while, so it costs nothing if the
// source compresses. Noise is then neither searched nor, later, copied out of a stream of literals.
// The constants are measured (docs/experiments.md).
const (
	probeFrom  = 4096 // searching shorter sources is faster than the probe
	probeAfter = 1024 // bytes without a match before the probe
	probeMore  = 4096 // bytes without a short match either, before noise is given up

	sampleCount = 8  // samples, evenly spaced
	sampleSize  = 64 // bytes each
)

// noiseLimit is the maximum of the sum of squared counts for noise. For n bytes with 256 equally
// likely values its mean is n + n(n-1)/256; the limit is 1.12 times that, which bytes with 7.8 bits
// of entropy just reach.
const noiseLimit = sampled*112/100 + sampled*(sampled-1)*112/25600

// Sums above these are of bytes with few values: those of thirty, twenty, and so on equally
// frequent values, roughly.
const (
	fewLimit    = sampled * sampled / 30 // of a source
	fewLiterals = sampled * sampled / 20 // of a block, where distances are among them
	leastLimit  = sampled * sampled / 24 // of a source in which matches have four bytes
	leastSoon   = sampled * sampled / 14 // of one in which some of them are found soon
)

const sampled = sampleCount * sampleSize

// findNoise begins to encode src, from start on, by the search s. It reports whether that is noise.
// If not, c is where to continue.
func (e *Encoder) findNoise(c *lz.Cursor, dst, src []byte, start int, s *lz.Search) bool {
	e.encode(c, &e.tables[0], dst, src, start+probeAfter, s)
	if c.Out != 0 || !noise(src[start:]) {
		return false
	}

	many := &e.searches.many
	c.Step = 1
	c.Attempt = many.Attempt
	e.encode(c, &e.tables[0], dst, src, min(start+probeMore, len(src)-endMatch+1), many)
	return c.Out == 0
}

// noise reports whether the values of a sample of src are about equally frequent.
func noise(src []byte) bool { return !unequal(src, noiseLimit) }

// unequal reports whether the sum of the squared frequencies of the byte values in a sample of src
// is above limit. Most samples tell that soon.
func unequal(src []byte, limit int) bool {
	var counts [256]uint16
	sum := 0

	for i := range sampleCount {
		at := (len(src) - sampleSize) / (sampleCount - 1) * i
		for _, b := range src[at:][:sampleSize] {
			sum += 2*int(counts[b]) + 1
			counts[b]++
		}
		if sum > limit {
			return true
		}
	}
	return false
}
