package numeric

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairn-go/cairn/internal/pcodec"
)

// An Encoder encodes blocks of items of one size. It owns its scratch memory and must not be used
// concurrently.
type Encoder struct {
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
}

// NewEncoder returns an encoder of blocks of items of 1, 2, 4 or 8 bytes at a level from 0 to 9.
// Blocks of as many items as the shape has are encoded in that shape, others as a sequence.
func NewEncoder(size int, shape []int32, level int) *Encoder {
	e := &Encoder{size: size, log: 4 + level/2 + level/7}
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

// Append appends the stream of a block. It returns dst as it is if the block is not one of items.
func (e *Encoder) Append(dst, src []byte) []byte {
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
		return encode(&e.of8, e, dst, src)
	case 2:
		return encode(&e.of16, e, dst, src)
	case 4:
		return encode(&e.of32, e, dst, src)
	}
	return encode(&e.of64, e, dst, src)
}

// encoder has scratch memory for items of a size.
type encoder[L pcodec.Latent] struct {
	items    []L
	whole    []L
	other    []L
	odd      []int32
	special  []L
	literals []L
	gaps     []uint32
	lengths  []uint32
	which    []uint8
	sorter   sorter
	taps     []tap
	chooser  chooser[L]
	latents  pcodec.LatentEncoder[L]
}

func encode[L pcodec.Latent](of **encoder[L], e *Encoder, dst, src []byte) []byte {
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
		load(c.items, src)
	} else {
		at := 0
		rows(h.shape, h.used, func(from, n int) bool {
			load(c.items[at:at+n], src[from*e.size:])
			at += n
			return true
		})
	}

	c.special = c.chooser.choose(h, c.items)
	c.odd = toWhole(h, c.whole, c.items, c.special, c.odd[:0])
	if len(c.odd)-c.known() > 1+n/maxOdd {
		// The sample was not like the rest.
		h.mode = integers
		h.step = 1
		h.shift = 0
		h.first = uint64(c.items[0])
		c.odd = toWhole(h, c.whole, c.items, c.special, c.odd[:0])
	}

	dst = h.append(dst, e.size)
	dst = c.appendSpecial(e, dst)
	for _, axis := range h.passes {
		differences(c.whole, h.used, axis)
	}
	mid := middle[L]()
	for i := range c.whole {
		c.whole[i] ^= mid
	}
	return c.appendClasses(e, dst)
}

// maxOdd is the share of items that may be coded apart without being special.
const maxOdd = 16

// known returns how many of the odd items are special.
func (c *encoder[L]) known() int {
	n := 0
	for _, at := range c.odd {
		for _, s := range c.special {
			if c.items[at] == s {
				n++
			}
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
	for _, at := range c.odd {
		k := len(c.special)
		for i, s := range c.special {
			if c.items[at] == s {
				k = i
				break
			}
		}
		if k == len(c.special) {
			c.literals = append(c.literals, c.items[at])
		}

		last := len(c.gaps) - 1
		if last >= 0 && int(at) == end && int(c.which[last]) == k {
			c.lengths[last]++
		} else {
			c.gaps = append(c.gaps, uint32(int(at)-end))
			c.lengths = append(c.lengths, 0)
			c.which = append(c.which, uint8(k))
		}
		end = int(at) + 1
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

// specialLog is the logarithm of the bins of special items.
const specialLog = 5

// appendClasses appends the latents, in classes if that takes less room.
func (c *encoder[L]) appendClasses(e *Encoder, dst []byte) []byte {
	s := &c.sorter
	classes := classify(s, c.whole)
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

// A sorter sorts segments of latents into classes.
type sorter struct {
	lengths [][65]uint16 // of a segment: how many latents have so many bits
	sums    []uint32     // of a segment: the bits of its latents
	classes []uint8
	deltas  []uint8
	best    []uint8
}

// segmentLog is the logarithm of the latents of a segment.
const segmentLog = 5

// classify sorts the segments of latents into classes by the bits that their latents take, and
// returns how many classes take least room.
func classify[L pcodec.Latent](s *sorter, latents []L) int {
	n := (len(latents) + 1<<segmentLog - 1) >> segmentLog
	if n < 32 {
		return 1
	}

	s.lengths = sized(s.lengths, n)
	s.sums = sized(s.sums, n)
	width := widthOf[L]()
	var all [65]int
	for i := range n {
		counts := &s.lengths[i]
		*counts = [65]uint16{}
		sum := 0
		for _, l := range latents[i<<segmentLog : min((i+1)<<segmentLog, len(latents))] {
			length := lengthOf(l, width)
			counts[length]++
			sum += length
		}
		s.sums[i] = uint32(sum)
		for k := range width + 1 {
			all[k] += int(counts[k])
		}
	}

	least := entropy(all[:width+1])
	best := 1
	for _, classes := range []int{2, 4, 8} {
		size := s.divide(classes, int(width))
		if size < least*(1-worthClasses) {
			least = size
			best = classes
			s.best = append(s.best[:0], s.classes...)
		}
	}
	s.classes = append(s.classes[:0], s.best...)
	return best
}

// worthClasses is the share of bits that classes must save, as each takes time.
const worthClasses = 0.005

// lengthOf returns the bits of a difference, without its sign.
func lengthOf[L pcodec.Latent](l L, width uint) int {
	d := uint64(l ^ middle[L]())
	sign := uint64(int64(d<<(64-width)) >> 63)
	return bits.Len64((d ^ sign) << (64 - width) >> (64 - width))
}

// divide divides the segments into classes of as many segments each, and returns the bits that the
// lengths of latents take, with those of the classes and of their bins.
func (s *sorter) divide(classes, width int) float64 {
	var sums [32*65 + 1]int
	for _, sum := range s.sums {
		sums[sum]++
	}
	var of [32*65 + 1]uint8
	total := 0
	for sum, segments := range sums {
		of[sum] = uint8(min(classes-1, (total+segments/2)*classes/len(s.sums)))
		total += segments
	}

	s.classes = s.classes[:0]
	var lengths [8][65]int
	var steps [8]int
	last := 0
	for i, sum := range s.sums {
		k := int(of[sum])
		s.classes = append(s.classes, uint8(k))
		steps[(k-last+classes)%classes]++
		last = k
		for j, n := range s.lengths[i][:width+1] {
			lengths[k][j] += int(n)
		}
	}

	size := entropy(steps[:classes])
	for k := range classes {
		size += entropy(lengths[k][:width+1]) + binsBits
	}
	return size
}

// binsBits is how many bits the bins of a class take, about.
const binsBits = 800
