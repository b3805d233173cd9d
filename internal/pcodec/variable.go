package pcodec

import (
	"slices"

	"github.com/cairn-go/cairn/internal/asm/latents"
)

// A variable decodes the latents of one kind: primary ones, secondary ones, or lookbacks.
type variable[L latent] struct {
	delta   *delta
	sizeLog int
	bins    []bin[L]
	table   *latents.Table[L] // with more than one bin
	builder builder
	widest  int // bits of the longest offset

	// In a page.
	history []L                   // what predictions begin with, and with lookback what they made
	window  [maxWeights + batch]L // with weighted sums, the last latents of history and a batch
	nodes   [batch]latents.Node   // of a batch
	values  [batch]L
	places  latents.Places[L] // in values
}

// readBins reads the bins of a chunk.
func (v *variable[L]) readBins(b *bitReader, d *delta) error {
	v.delta = d
	v.sizeLog = int(b.read(sizeLogBits))
	n := int(b.read(binCountBits))

	width := latentBits[L]()
	offsetBits := lengthBits[L]()
	switch {
	case v.sizeLog > maxSizeLog:
		return corrupt("2^%d states", v.sizeLog)
	case n > 1<<v.sizeLog, n == 1 && v.sizeLog > 0:
		return corrupt("%d bins with 2^%d states", n, v.sizeLog)
	case n > b.left()/(v.sizeLog+width+offsetBits):
		return corrupt("%d bins in %d bytes", n, b.left()/8)
	}

	v.bins = v.bins[:0]
	v.widest = 0
	total := 0
	for range n {
		one := bin[L]{weight: 1 + int(b.read(v.sizeLog)), lower: L(b.read(width)), offset: int(b.read(offsetBits))}
		if one.offset > width {
			return corrupt("offsets of %d bits from a latent of %d", one.offset, width)
		}
		v.bins = append(v.bins, one)
		v.widest = max(v.widest, one.offset)
		total += one.weight
	}
	if n > 0 && total != 1<<v.sizeLog {
		return corrupt("weights of bins are %d together, with %d states", total, 1<<v.sizeLog)
	}

	v.buildTable()
	return nil
}

// begin reads what a page of n numbers says about the variable.
func (v *variable[L]) begin(b *bitReader, n int) error {
	width := latentBits[L]()
	d := v.delta
	if d.states*width > b.left() {
		return corrupt("a page ends in its head")
	}

	v.history = v.history[:0]
	if d.kind == lookback {
		// No more than what the caller has room for.
		v.history = slices.Grow(v.history, max(n, d.states))
	}
	for range d.states {
		v.history = append(v.history, L(b.read(width)))
	}
	for i := range interleaved {
		state := uint32(b.read(v.sizeLog))
		if len(v.bins) > 1 {
			v.table.States[i] = state
		}
	}
	v.begun()

	if len(v.bins) == 0 && n > d.states {
		return corrupt("%d latents without a bin", n-d.states)
	}
	return nil
}

// begun prepares for batches.
func (v *variable[L]) begun() {
	if len(v.bins) != 1 {
		return
	}
	node := v.node(0, &v.bins[0], 0, 0)
	for i := range v.nodes {
		v.nodes[i] = node
	}
}

// next decodes the latents of a batch, of which left remain in the page with this batch, and
// returns them. Of lookback it needs how far to look back.
func (v *variable[L]) next(b *bitReader, left int, back []uint32) ([]L, error) {
	coded := min(batch, max(0, left-v.delta.states))
	if coded > 0 {
		v.places = latents.PlacesIn(v.values[:coded])
		v.code(b, &v.places, coded, coded)
	}

	out := v.values[:min(batch, left)]
	clear(out[coded:])
	if v.delta.kind == noDelta {
		return out, nil
	}
	return out, v.undelta(out, coded, back)
}

// code decodes the n latents of a batch as they are coded, before predictions are added. The first
// ones that are wanted go to their places.
func (v *variable[L]) code(b *bitReader, places *latents.Places[L], n, wanted int) {
	b.prepare()
	if len(v.bins) > 1 {
		b.at = int(v.table.Symbols(&v.nodes, n, b.src, uint(b.at)))
	}

	if len(v.bins) == 1 && v.widest == latentBits[L]() && b.at%8 == 0 {
		// Offsets are there as they are.
		places.Load(wanted, b.src[b.at/8:], v.bins[0].lower)
		b.at += n * v.widest
		return
	}
	b.at = int(v.table.Latents(places, v.nodes[:wanted], v.widest, b.src, uint(b.at)))
	if wanted < n {
		b.at += latents.Widths(v.nodes[wanted:n])
	}
}

// constant reports whether all latents of a page are the lower end of the only bin.
func (v *variable[L]) constant() bool {
	return len(v.bins) == 1 && v.widest == 0 && v.delta.kind == noDelta
}
