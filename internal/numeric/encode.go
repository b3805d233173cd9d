package numeric

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/latents"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// An Encoder encodes blocks of items of one size. It owns its scratch memory and must not be used
// concurrently.
type Encoder struct {
	// Pack returns rows of so many bytes each as they are written, or nothing if that is not less.
	// Without it, all is coded in runs.
	Pack   func(rows []byte, row int) []byte
	packed bool
	level  int
	size   int
	shape  []int
	log    int // of the bins to begin with
	header header
	of8    *encoder[uint8]
	of16   *encoder[uint16]
	of32   *encoder[uint32]
	of64   *encoder[uint64]
	counts pcodec.LatentEncoder[uint32]
	bytes  pcodec.LatentEncoder[uint8]
	values [1 << valuesLog]uint64 // of Repeats
}

// NewEncoder returns an encoder of blocks of items of 1, 2, 4 or 8 bytes at a level from 0 to 9.
// Blocks of as many items as the shape has are encoded in that shape, others as a sequence.
func NewEncoder(size int, shape []int32, level int) *Encoder {
	e := &Encoder{size: size, level: level, log: 4 + level/2 + level/7}
	e.shape = shapeOf(shape)
	return e
}

// maxAxes is how many dimensions of a block differences are looked for in.
const maxAxes = 5

// shapeOf leaves out the dimensions that have one item, and joins the slowest of too many.
func shapeOf(shape []int32) []int {
	var lengths []int
	for _, n := range shape {
		if n != 1 {
			lengths = append(lengths, int(n))
		}
	}
	for len(lengths) > maxAxes {
		lengths[1] *= lengths[0]
		lengths = lengths[1:]
	}
	return lengths
}

// Append appends the stream of a block. It returns dst as it is if the block is not one of items,
// or if worth says so of the size that is expected. Nil takes all.
func (e *Encoder) Append(dst, src []byte, worth judge) []byte {
	e.packed = false
	if len(src) == 0 || len(src)%e.size != 0 {
		return dst
	}

	h := &e.header
	h.shape = append(h.shape[:0], e.shape...)
	if n := len(src) / e.size; count(e.shape) != n || len(e.shape) == 0 {
		h.shape = append(h.shape[:0], n)
	}
	h.used = trim(h.used, h.shape, src, e.size)

	switch e.size {
	case 1:
		return encode(&e.of8, e, dst, src, worth)
	case 2:
		return encode(&e.of16, e, dst, src, worth)
	case 4:
		return encode(&e.of32, e, dst, src, worth)
	}
	return encode(&e.of64, e, dst, src, worth)
}

// Packed reports whether the stream that was appended last ends with what Pack returned.
func (e *Encoder) Packed() bool { return e.packed }

// encoder has scratch memory for items of a size.
type encoder[L pcodec.Latent] struct {
	items    []L
	whole    []L
	adjust   []L // what items are more than what integers make
	other    []L
	odd      []int32 // of items that have no integer, or are special
	strange  []int32 // of those that have none
	special  []L
	starts   []L // scratch of differences
	literals []L
	rows     []byte // of digits
	flat     []byte
	bits     float64 // of latents, as far as is known from a part of them
	gaps     []uint32
	lengths  []uint32
	which    []uint8
	sorter   sorter
	taps     []tap
	chooser  chooser[L]
	latents  pcodec.LatentEncoder[L]
}

func encode[L pcodec.Latent](of **encoder[L], e *Encoder, dst, src []byte, worth judge) []byte {
	if *of == nil {
		*of = &encoder[L]{}
	}
	c := *of
	h := &e.header

	n := count(h.used)
	c.items = sized(c.items, n)
	c.whole = sized(c.whole, n)
	if n == 0 {
		h.plain()
		return h.append(dst, e.size)
	}
	if whole(h.shape, h.used) {
		latents.Load(c.items, src)
	} else {
		at := 0
		rows(h.shape, h.used, func(from, n int) bool {
			latents.Load(c.items[at:at+n], src[from*e.size:])
			at += n
			return true
		})
	}

	c.special = c.chooser.choose(h, c.items)
	if worth != nil && worth(int(c.chooser.each*float64(n)/8), Sampled) == Leave {
		return dst
	}
	c.toWhole(h)
	if len(c.odd)-c.known() > 1+n/maxOdd {
		// The sample was not like the rest.
		h.mode = integers
		h.step = 1
		h.shift = 0
		h.first = uint64(c.items[0])
		c.toWhole(h)
	}

	start := len(dst)
	dst = h.append(dst, e.size)
	dst = c.appendSpecial(e, dst)
	for _, axis := range h.passes {
		c.starts = differences(c.whole, h.used, axis, c.starts)
	}
	latents.Flip(c.whole)

	c.bits = 0
	classes := 1
	size := 0.0
	if !allEqual(c.whole) {
		classes, size = classify(&c.sorter, c.whole)
	}
	frame, ok := c.take(e, len(dst)-start, size, worth)
	switch {
	case !ok:
		return dst[:start]
	case len(frame) > 0:
		e.packed = true
		return append(dst, frame...)
	}
	dst = c.appendClasses(e, dst, classes)
	if h.adjusted() {
		latents.Flip(c.adjust)
		dst = c.latents.Append(dst, c.adjust, e.log)
	}
	return dst
}

// toWhole makes integers of items, and finds the odd ones.
func (c *encoder[L]) toWhole(h *header) {
	c.odd = c.odd[:0]
	c.strange = c.strange[:0]
	if h.adjusted() {
		c.adjust = sized(c.adjust, len(c.items))
	}
	if len(c.special) == 0 {
		c.odd = toWhole(h, c.whole, c.adjust, c.items, c.odd)
		return
	}

	c.strange = toWhole(h, c.whole, c.adjust, c.items, c.strange)
	strange := c.strange
	for i, x := range c.items {
		isOdd := isAny(x, c.special)
		if len(strange) > 0 && int(strange[0]) == i {
			isOdd = true
			strange = strange[1:]
		}
		if isOdd {
			c.odd = append(c.odd, int32(i))
		}
	}
}

// isAny reports whether x is one of a few values.
func isAny[L pcodec.Latent](x L, values []L) bool {
	for _, v := range values {
		if x == v {
			return true
		}
	}
	return false
}

// maxOdd is the share of items that may be coded apart without being special.
const maxOdd = 16

// known returns how many of the odd items are special.
func (c *encoder[L]) known() int {
	n := 0
	for _, at := range c.odd {
		if isAny(c.items[at], c.special) {
			n++
		}
	}
	return n
}

// plain makes the header one of items as they are.
func (h *header) plain() {
	h.mode = integers
	h.step = 1
	h.shift = 0
	h.places = 0
	h.first = 0
	h.passes = h.passes[:0]
}

// appendSpecial appends the odd items in groups of adjacent ones, and fills their places.
func (c *encoder[L]) appendSpecial(e *Encoder, dst []byte) []byte {
	c.gaps = c.gaps[:0]
	c.lengths = c.lengths[:0]
	c.which = c.which[:0]
	c.literals = c.literals[:0]

	end := 0
	for odd := c.odd; len(odd) > 0; {
		at := int(odd[0])
		k := c.specialOf(c.items[at])
		n := 1
		if k < len(c.special) {
			n = c.runOf(odd)
		} else {
			c.literals = append(c.literals, c.items[at])
		}

		last := len(c.gaps) - 1
		if last >= 0 && at == end && int(c.which[last]) == k {
			c.lengths[last] += uint32(n)
		} else {
			c.gaps = append(c.gaps, uint32(at-end))
			c.lengths = append(c.lengths, uint32(n-1))
			c.which = append(c.which, uint8(k))
		}
		end = at + n
		odd = odd[n:]
	}

	dst = binary.AppendUvarint(dst, uint64(len(c.gaps)))
	if len(c.gaps) == 0 {
		return dst
	}
	h := &e.header
	c.taps = tapsOf(c.taps, h.used, h.passes)
	fill(c.whole, c.odd, h.used, c.taps)

	dst = append(dst, uint8(len(c.special)))
	for _, s := range c.special {
		var item [8]byte
		binary.LittleEndian.PutUint64(item[:], uint64(s))
		dst = append(dst, item[:e.size]...)
	}
	dst = e.counts.Append(dst, c.gaps, specialLog)
	dst = e.counts.Append(dst, c.lengths, specialLog)
	dst = e.bytes.Append(dst, c.which, specialLog)
	if len(c.literals) > 0 {
		dst = c.latents.Append(dst, c.literals, specialLog)
	}
	return dst
}

// specialOf returns the number of a special item, or how many there are.
func (c *encoder[L]) specialOf(x L) int {
	for i, s := range c.special {
		if x == s {
			return i
		}
	}
	return len(c.special)
}

// runOf returns how many of the odd items are adjacent, and equal to the first one.
func (c *encoder[L]) runOf(odd []int32) int {
	at := int(odd[0])
	x := c.items[at]
	for n := 1; n < len(odd); n++ {
		if int(odd[n]) != at+n || c.items[at+n] != x {
			return n
		}
	}
	return len(odd)
}

// specialLog is the logarithm of the bins of special items.
const specialLog = 5

// appendClasses appends the latents in classes.
func (c *encoder[L]) appendClasses(e *Encoder, dst []byte, classes int) []byte {
	s := &c.sorter
	dst = append(dst, uint8(classes))
	if classes == 1 {
		return c.latents.Append(dst, c.whole, e.log)
	}

	last := 0
	s.deltas = s.deltas[:0]
	for _, k := range s.classes {
		delta := int(k) - last
		if delta < 0 {
			delta += classes
		}
		last = int(k)
		s.deltas = append(s.deltas, uint8(delta))
	}
	dst = append(dst, segmentLog)
	dst = e.bytes.Append(dst, s.deltas, specialLog)

	for k := range classes {
		c.other = c.other[:0]
		for i, class := range s.classes {
			if int(class) == k {
				c.other = append(c.other, c.whole[i<<segmentLog:min((i+1)<<segmentLog, len(c.whole))]...)
			}
		}
		if len(c.other) > 0 {
			dst = c.latents.Append(dst, c.other, e.log)
		}
	}
	return dst
}
