package pcodec

import "github.com/cairn-go/cairn/internal/asm/latents"

// A Latent is an unsigned integer that bins and tANS can code.
type Latent interface {
	uint8 | uint16 | uint32 | uint64
}

// A LatentDecoder decodes runs of a [LatentEncoder]. It owns its scratch memory and must not be
// used concurrently.
type LatentDecoder[L Latent] struct {
	v      variable[L]
	bits   bitReader
	places latents.Places[L]
	last   bool // whether what is not wanted ends it
}

// Decode fills dst, which has a place at least, with a run, and returns what is behind the run. It
// adds more to each latent.
func (d *LatentDecoder[L]) Decode(dst []L, src []byte, more L) ([]byte, error) {
	d.places = latents.PlacesIn(dst)
	return d.decode(len(dst), len(dst), src, more)
}

// DecodeFront is Decode of n latents of which dst has only the first ones. It does not look at what
// is behind these.
func (d *LatentDecoder[L]) DecodeFront(dst []L, n int, src []byte, more L) error {
	d.places = latents.PlacesIn(dst)
	d.last = true
	_, err := d.decode(n, len(dst), src, more)
	d.last = false
	return err
}

// DecodeSegments is Decode of a run with segments of n latents, which are divided into such of some
// length. The numbers of those in the run are in order. The last of all may be shorter, and dst may
// have only the first latents.
func (d *LatentDecoder[L]) DecodeSegments(dst []L, n int, segments []uint32, length int, src []byte, more L) ([]byte, error) {
	places := len(segments)
	for places > 0 && int(segments[places-1])*length >= len(dst) {
		places--
	}
	d.places = latents.PlacesOf(dst, segments, length)
	return d.decode(total(n, segments, length), total(len(dst), segments[:places], length), src, more)
}

// total returns the latents in segments of n, which are divided into such of some length.
func total(n int, segments []uint32, length int) int {
	if len(segments) == 0 {
		return 0
	}
	last := int(segments[len(segments)-1]) * length
	return (len(segments)-1)*length + min(length, n-last)
}

// decode decodes a run of n latents, of which the first wanted ones go to their places.
func (d *LatentDecoder[L]) decode(n, wanted int, src []byte, more L) ([]byte, error) {
	defer func() { d.places = latents.Places[L]{} }() // they are the caller's
	v := &d.v
	b := &d.bits
	b.reset(src)
	if err := d.readBins(b, more); err != nil {
		return nil, err
	}
	for i := range interleaved {
		v.table.States[i] = uint32(b.read(v.sizeLog))
	}
	v.begun()
	if err := b.align(); err != nil {
		return nil, err
	}

	if n == wanted && n >= 2*batch && len(v.bins) > 1 && v.table.Joins(v.widest) {
		done, err := d.wholeBatches(n)
		if err != nil {
			return nil, err
		}
		n -= done
		wanted = n
	}
	for n > 0 {
		if d.last && wanted == 0 {
			return nil, nil
		}
		now := min(batch, n)
		here := min(now, wanted)
		v.code(b, &d.places, now, here)
		if b.overrun() {
			return nil, truncated()
		}
		n -= now
		wanted -= here
	}
	if err := b.align(); err != nil {
		return nil, err
	}
	return src[b.base+b.at/8:], nil
}

// wholeBatches decodes those of n latents that are in whole batches, at least two, and returns how
// many they are.
func (d *LatentDecoder[L]) wholeBatches(n int) (int, error) {
	v := &d.v
	b := &d.bits
	b.prepare()
	b.at = int(v.table.Symbols(&v.nodes, batch, b.src, uint(b.at)))
	width := latents.Widths(v.nodes[:])

	// Offsets of a batch are decoded with the states of the next one.
	for range n/batch - 1 {
		b.prepare()
		end, next := v.table.Next(&d.places, &v.nodes, v.widest, b.src, uint(b.at), width)
		b.at = int(end)
		width = next
		if b.overrun() {
			return 0, truncated()
		}
	}
	b.prepare()
	b.at = int(v.table.Latents(&d.places, v.nodes[:], v.widest, b.src, uint(b.at)))
	if b.overrun() {
		return 0, truncated()
	}
	return n / batch * batch, nil
}

// readBins reads the bins of a run, and adds more to where they begin.
func (d *LatentDecoder[L]) readBins(b *bitReader, more L) error {
	v := &d.v
	v.sizeLog = int(b.read(sizeLogBits))
	n := 1 + int(b.read(binCountBits))
	width := latentBits[L]()
	least := v.sizeLog + 2*lengthBits[L]()
	switch {
	case v.sizeLog > maxSizeLog:
		return corrupt("2^%d states", v.sizeLog)
	case n > 1<<v.sizeLog, n == 1 && v.sizeLog > 0:
		return corrupt("%d bins with 2^%d states", n, v.sizeLog)
	case width+(n-1)*least > b.left():
		return corrupt("%d bins in %d bytes", n, b.left()/8)
	}

	v.bins = v.bins[:0]
	v.widest = 0
	total := 0
	lower := L(0)
	for i := range n {
		weight := 1 + int(b.read(v.sizeLog))
		if i == 0 {
			lower = L(b.read(width))
		} else {
			gap := int(b.read(lengthBits[L]()))
			if gap > width {
				return corrupt("bins that are %d bits apart", gap)
			}
			lower += L(b.read(gap))
		}

		offset := int(b.read(lengthBits[L]()))
		if offset > width {
			return corrupt("offsets of %d bits from a latent of %d", offset, width)
		}
		v.bins = append(v.bins, bin[L]{weight: weight, lower: lower + more, offset: offset})
		v.widest = max(v.widest, offset)
		total += weight
	}
	if total != 1<<v.sizeLog {
		return corrupt("weights of bins are %d together, with %d states", total, 1<<v.sizeLog)
	}
	if b.overrun() {
		return truncated()
	}

	v.buildTable()
	return nil
}
