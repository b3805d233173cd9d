package latents

import (
	"encoding/binary"
	"unsafe"
)

// Places are where the latents of a run go: to segments of a slice, one after the other.
type Places[L Latent] struct {
	dst      []L
	segments []uint32 // their numbers
	length   int      // of segments, of which the last one in dst may be shorter
	index    int      // of the segment that is next
	from, to int      // the rest of the segment at hand
}

// PlacesIn returns the places of a slice, one after the other.
func PlacesIn[L Latent](dst []L) Places[L] { return Places[L]{dst: dst, to: len(dst)} }

// PlacesOf returns the places in some segments of a slice, whose numbers are given.
func PlacesOf[L Latent](dst []L, segments []uint32, length int) Places[L] {
	return Places[L]{dst: dst, segments: segments, length: length}
}

// take returns the next places, n at most, which are not more than the rest of a segment.
func (p *Places[L]) take(n int) []L {
	if p.from == p.to {
		p.from = int(p.segments[p.index]) * p.length
		p.to = min(p.from+p.length, len(p.dst))
		p.index++
	}
	out := p.dst[p.from:min(p.from+n, p.to)]
	p.from += len(out)
	return out
}

// Load puts to their places n numbers that are in src as they are, plus lower.
func (p *Places[L]) Load(n int, src []byte, lower L) {
	for n > 0 {
		out := p.take(n)
		Load(out, src)
		Multiply(out, 1, lower)
		src = src[len(out)*int(unsafe.Sizeof(lower)):]
		n -= len(out)
	}
}

// Latents puts to their places the lower ends of the bins of nodes plus offsets, the widest of
// which has as many bits as it says. Bits are as for Symbols.
func (t *Table[L]) Latents(p *Places[L], nodes []Node, widest int, src []byte, at uint) uint {
	// What any offsets may take is there.
	_ = src[int(at/8)+len(nodes)*widest/8+Slack-1]
	for len(nodes) > 0 {
		done := 0
		if at, done = t.latents(p, nodes, widest, src, at); done == len(nodes) {
			break
		}

		// The end of a segment that is not a turn, or all without a kernel.
		nodes = nodes[done:]
		out := p.take(len(nodes))
		if widest == 0 {
			for i, d := range nodes[:len(out)] {
				out[i] = t.lower(d)
			}
		} else {
			at = t.latentsGeneric(out, nodes[:len(out)], src, at)
		}
		nodes = nodes[len(out):]
	}
	return at
}

// Joins reports whether Next is faster than Latents and Symbols, for offsets of up to so many bits.
func (t *Table[L]) Joins(widest int) bool { return t.joins(widest) }

// Next does what Latents does for a whole batch, whose offsets begin at the bit at and have so many
// bits together, and then what Symbols does for the whole batch behind it. It returns where the
// states of that end, and the bits of its offsets.
func (t *Table[L]) Next(
	p *Places[L], nodes *[Batch]Node, widest int, src []byte, at uint, bits int,
) (end uint, widths int) {
	next := at + uint(bits)
	_ = src[int(next/8)+Batch*14/8+Slack-1]
	if end, widths, ok := t.both(p, nodes, widest, src, at, next); ok {
		return end, widths
	}
	t.Latents(p, nodes[:], widest, src, at)
	end = t.Symbols(nodes, Batch, src, next)
	return end, Widths(nodes[:])
}

// inTurns reports whether the places of a batch are whole turns of so many, if there are more
// places behind them.
func (p *Places[L]) inTurns(turn int) bool {
	rest := p.to - p.from
	return rest >= Batch || rest%turn == 0 && p.length > 0 && p.length%turn == 0
}

// latentsGeneric is the portable latents.
func (t *Table[L]) latentsGeneric(out []L, nodes []Node, src []byte, at uint) uint {
	out = out[:len(nodes)]
	if unsafe.Sizeof(L(0)) < 8 {
		for i, d := range nodes {
			width := uint8(d >> 8)
			word := binary.LittleEndian.Uint64(src[at/8:]) >> (at % 8)
			out[i] = L(d>>32) + L(word&(1<<(width&63)-1))
			at += uint(width)
		}
		return at
	}

	for i, d := range nodes {
		width := uint8(d >> 8)
		word := binary.LittleEndian.Uint64(src[at/8:]) >> (at % 8)
		word |= uint64(src[at/8+8]) << 1 << (63 - at%8)
		out[i] = t.lower(d) + L(word&(1<<width-1))
		at += uint(width)
	}
	return at
}
