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
}

// Decode fills dst, which has a place at least, with a run, and returns what is behind the run. It
// adds more to each latent.
func (d *LatentDecoder[L]) Decode(dst []L, src []byte, more L) ([]byte, error) {
	return d.decode(latents.PlacesIn(dst), len(dst), src, more)
}

// DecodeSegments is Decode of segments of some length; dst is divided into such, and these are the
// numbers of those in the run, in order. The last segment of dst may be shorter.
func (d *LatentDecoder[L]) DecodeSegments(dst []L, segments []uint32, length int, src []byte, more L) ([]byte, error) {
	n := len(segments) * length
	if end := (int(segments[len(segments)-1]) + 1) * length; end > len(dst) {
		n -= end - len(dst)
	}
	return d.decode(latents.PlacesOf(dst, segments, length), n, src, more)
}

// decode decodes n latents to their places.
func (d *LatentDecoder[L]) decode(places latents.Places[L], n int, src []byte, more L) ([]byte, error) {
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

	d.places = places
	for n > 0 {
		now := min(batch, n)
		v.code(b, &d.places, now)
		if b.overrun() {
			return nil, truncated()
		}
		n -= now
	}
	d.places = latents.Places[L]{}
	if err := b.align(); err != nil {
		return nil, err
	}
	return src[b.base+b.at/8:], nil
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
