package pcodec

import "encoding/binary"

// A variable decodes the latents of one kind: primary ones, secondary ones, or lookbacks.
type variable[L latent] struct {
	delta   *delta
	sizeLog int
	bins    []bin[L]
	nodes   []node[L]
	states  []uint16 // scratch of nodesOf
	widest  int      // bits of the longest offset

	// In a page.
	state   [interleaved]uint32 // of tANS
	history []L                 // what predictions begin with, and with lookback what they made
	decoded [batch]L
	offsets [batch]uint8 // bits
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

	if v.nodes == nil {
		v.nodes = make([]node[L], 1<<maxSizeLog)
		v.states = make([]uint16, 1<<maxSizeLog)
	}
	v.nodes = nodesOf(v.nodes[:cap(v.nodes)], v.states, v.sizeLog, v.bins)
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
	for range d.states {
		v.history = append(v.history, L(b.read(width)))
	}
	for i := range v.state {
		v.state[i] = uint32(b.read(v.sizeLog))
	}

	if len(v.bins) == 0 && n > d.states {
		return corrupt("%d latents without a bin", n-d.states)
	}
	return nil
}

// next decodes the latents of a batch, of which left remain in the page with this batch, and
// returns them. Of lookback it needs how far to look back.
func (v *variable[L]) next(b *bitReader, left int, back []uint32) ([]L, error) {
	coded := min(batch, max(0, left-v.delta.states))
	v.code(b, coded)

	out := v.decoded[:min(batch, left)]
	clear(out[coded:])
	return out, v.undelta(out, coded, back)
}

// code decodes n latents as they are coded, before predictions are added.
func (v *variable[L]) code(b *bitReader, n int) {
	if n == 0 {
		return
	}

	b.prepare()
	out := v.decoded[:n]
	if v.sizeLog == 0 {
		one := &v.nodes[0]
		for i := range out {
			out[i] = one.lower
			v.offsets[i] = one.offset
		}
	} else {
		v.symbols(b, n)
	}

	switch {
	case v.widest == 0:
	case v.widest <= 57:
		v.addOffsets(b, n)
	default:
		for i := range out {
			out[i] += L(b.read(int(v.offsets[i])))
		}
	}
}

// symbols decodes the bins of n latents.
func (v *variable[L]) symbols(b *bitReader, n int) {
	nodes := v.nodes
	s0 := v.state[0]
	s1 := v.state[1]
	s2 := v.state[2]
	s3 := v.state[3]
	at := uint(b.at)

	// A load has the bits of four states, at most 14 each, behind at most 7 that were read. The
	// four are written out, so that they stay in registers.
	i := 0
	for ; i+interleaved <= n; i += interleaved {
		word := binary.LittleEndian.Uint64(b.src[at/8:]) >> (at % 8)
		out := v.decoded[i : i+interleaved : i+interleaved]
		offsets := v.offsets[i : i+interleaved : i+interleaved]

		d := nodes[s0]
		out[0] = d.lower
		offsets[0] = d.offset
		s0 = uint32(d.next) + uint32(word)&(1<<d.read-1)
		word >>= d.read
		at += uint(d.read)

		d = nodes[s1]
		out[1] = d.lower
		offsets[1] = d.offset
		s1 = uint32(d.next) + uint32(word)&(1<<d.read-1)
		word >>= d.read
		at += uint(d.read)

		d = nodes[s2]
		out[2] = d.lower
		offsets[2] = d.offset
		s2 = uint32(d.next) + uint32(word)&(1<<d.read-1)
		word >>= d.read
		at += uint(d.read)

		d = nodes[s3]
		out[3] = d.lower
		offsets[3] = d.offset
		s3 = uint32(d.next) + uint32(word)&(1<<d.read-1)
		at += uint(d.read)
	}
	v.state = [interleaved]uint32{s0, s1, s2, s3}

	// The last latents of a page are fewer than a turn.
	for k := 0; i < n; i, k = i+1, k+1 {
		d := nodes[v.state[k]]
		v.decoded[i] = d.lower
		v.offsets[i] = d.offset
		word := binary.LittleEndian.Uint64(b.src[at/8:]) >> (at % 8)
		v.state[k] = uint32(d.next) + uint32(word)&(1<<d.read-1)
		at += uint(d.read)
	}
	b.at = int(at)
}

// addOffsets reads the offsets of n latents, of at most 57 bits, and adds them.
func (v *variable[L]) addOffsets(b *bitReader, n int) {
	at := uint(b.at)
	out := v.decoded[:n]
	offsets := v.offsets[:n]
	for i := range out {
		width := uint(offsets[i]) & 63
		word := binary.LittleEndian.Uint64(b.src[at/8:]) >> (at % 8)
		out[i] += L(word & (1<<width - 1))
		at += width
	}
	b.at = int(at)
}
