package pcodec

import (
	"math"
	"slices"
)

// A chooser chooses how numbers are encoded: it tries on a sample what may suit them.
type chooser[L latent] struct {
	sample  []L // groups of adjacent latents
	first   []L
	second  []L
	coded   []L
	front   []L
	divider divider[L]
	joiner  joiner[L]
	spans   []span[L]
	bins    []span[L]

	tracker   backtracker[L]
	back      []uint32
	distances coder[uint32]

	log   int     // of the spans to begin with
	share float64 // of the latents that are in the sample
	tied  bool    // whether of the orders of differences tried last two were about as good
}

const (
	groupSize    = 128 // latents of a group of the sample
	sampleShare  = 40  // one of this many latents is in the sample, of long chunks
	sampleGroups = 24  // or so many groups, if there are
)

// choose returns the header of a chunk with these latents, of numbers of a kind.
func (c *chooser[L]) choose(latents []L, k kind, level int) header[L] {
	c.take(latents, max(sampleGroups*groupSize, len(latents)/sampleShare))
	c.log = min(binsLog(level, len(c.sample)), 6)
	c.share = float64(len(c.sample)) / float64(max(1, len(latents)))

	best := header[L]{}
	least := c.cost(&best)
	tied := c.tied
	for _, h := range c.candidates(k) {
		cost := c.cost(&h)
		if cost < least*worthwhile {
			best = h
			least = cost
			tied = c.tied
		}
	}
	c.settle(&best, latents, least, tied)
	c.tryLookback(&best, latents)
	return best
}

// settle chooses differences again by more latents, if by the sample some order was nearly as good,
// or there is so little in most of it that the rest counts.
func (c *chooser[L]) settle(h *header[L], latents []L, least float64, tied bool) {
	n := len(latents)
	few := len(c.sample)
	switch {
	case n == few:
		return
	case least < littleBits*float64(few):
		c.take(latents, n)
	case tied:
		c.take(latents, settleShare*few)
	default:
		return
	}
	c.share = float64(len(c.sample)) / float64(n)
	h.delta = delta{}
	c.cost(h)
}

// tryLookback changes how latents are predicted to lookbacks, if adjacent ones take much less so.
func (c *chooser[L]) tryLookback(h *header[L], latents []L) {
	few := latents[:min(len(latents), lookbackSample)]
	if len(few) < lookbackLeast {
		return
	}
	n := len(few)
	c.first = sized(c.first, n)
	c.second = sized(c.second, n)
	h.split(c.first, c.second, few)

	c.coded = append(c.coded[:0], c.first...)
	_, coded := differences(c.front, c.coded, &h.delta, nil)
	usual := c.bits(coded)
	penalty := float64(n) * lookbackPenalty
	if usual < penalty {
		return
	}

	d := delta{kind: lookback, states: 1, window: lookbackWindow(n)}
	c.back = c.tracker.find(c.back, c.first, d.window)
	c.coded = append(c.coded[:0], c.first...)
	_, coded = differences(c.front, c.coded, &d, c.back)
	cost := c.bits(coded) + penalty
	if cost >= usual {
		return
	}

	// Distances are latents too.
	c.distances.train(c.log, c.back)
	if cost+c.distances.size() < usual {
		h.delta = delta{kind: lookback, states: 1, window: lookbackWindow(len(latents))}
	}
}

const (
	lookbackLeast   = 64
	lookbackSample  = 4096
	lookbackPenalty = 2 // bits of a number that lookbacks must save, as they are slow
)

const (
	closeOrder  = 1.04 // part of the least size that is about as good
	littleBits  = 0.5  // of a number
	settleShare = 4    // times as many latents for what is close
)

// worthwhile is which part of the size a mode must reach to be used; each makes decoding slower.
const worthwhile = 0.985

// take takes a sample of about as many latents as given.
func (c *chooser[L]) take(latents []L, few int) {
	n := len(latents)
	groups := few / groupSize
	if groups*groupSize >= n {
		c.sample = append(c.sample[:0], latents...)
		return
	}

	c.sample = c.sample[:0]
	for i := range groups {
		at := i * (n - groupSize) / (groups - 1)
		c.sample = append(c.sample, latents[at:at+groupSize]...)
	}
}

// cost sets how latents of the mode in h are predicted, and returns the bits that the sample takes.
func (c *chooser[L]) cost(h *header[L]) float64 {
	n := len(c.sample)
	c.first = sized(c.first, n)
	c.second = sized(c.second, n)
	h.split(c.first, c.second, c.sample)

	cost := c.predicted(h)
	if h.two() {
		cost += c.bits(c.second)
	}
	return cost
}

// predicted sets how the primary latents are predicted, and returns their bits. Higher orders of
// differences are tried as long as they help.
func (c *chooser[L]) predicted(h *header[L]) float64 {
	least := c.bits(append(c.coded[:0], c.first...))
	second := math.Inf(1)
	for order := 1; order <= maxDeltaOrder; order++ {
		d := delta{kind: consecutive, states: order}
		coded := c.differences(&d)
		cost := c.bits(coded) * float64(len(c.first)) / float64(max(1, len(coded)))
		if cost >= least {
			second = min(second, cost)
			break
		}
		second = least
		least = cost
		h.delta = d
	}
	c.tied = second < least*closeOrder
	return least
}

// differences returns the differences of primary latents within groups.
func (c *chooser[L]) differences(d *delta) []L {
	c.coded = append(c.coded[:0], c.first...)
	out := c.coded[:0]
	for group := range slices.Chunk(c.coded, groupSize) {
		_, coded := differences(c.front, group, d, nil)
		out = append(out, coded...)
	}
	return out
}

// bits returns how many bits latents take, about.
func (c *chooser[L]) bits(latents []L) float64 {
	if len(latents) == 0 {
		return 0
	}

	c.spans = c.divider.spans(c.spans, latents, c.log)

	// The metadata are those of all latents.
	var bits float64
	c.bins, bits = c.joiner.join(c.bins, c.spans, binCost[L](c.log+2)*c.share)
	return bits
}
