package numeric

import (
	"math"

	"github.com/cairn-go/cairn/internal/asm/latents"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// A Decoder decodes streams. It owns its scratch memory and must not be used concurrently.
type Decoder struct {
	// Unpack decodes what ends streams that are packed, for dst exactly. Without it, streams are
	// not.
	Unpack func(dst, src []byte) error
	header header
	of8    *decoder[uint8]
	of16   *decoder[uint16]
	of32   *decoder[uint32]
	of64   *decoder[uint64]
	counts pcodec.LatentDecoder[uint32]
	bytes  pcodec.LatentDecoder[uint8]
	other  []byte // a block that is longer than what is wanted of it
}

// Decode fills dst with the items of a stream. It fails if there are more or fewer.
func (d *Decoder) Decode(dst, src []byte) error {
	r := &reader{src: src}
	size, n, err := d.begin(r)
	if err != nil {
		return err
	}
	if n*size != len(dst) {
		return corrupt("%d items of %d bytes, want %d bytes", n, size, len(dst))
	}
	return d.decode(dst, r, size, n)
}

// maxOther is how long a block may be of which a caller has room for less.
const maxOther = 16 << 20

// DecodeRange fills dst[lo:hi] with the bytes [lo, hi) of a block that may be longer than dst. The
// rest of dst is undefined. What is behind the range is decoded only as far as it must be.
func (d *Decoder) DecodeRange(dst, src []byte, lo, hi int) error {
	r := &reader{src: src}
	size, n, err := d.begin(r)
	if err != nil {
		return err
	}
	wanted := (hi + size - 1) / size
	switch total := n * size; {
	case total == len(dst):
		return d.decode(dst, r, size, wanted)
	case total < len(dst):
		return corrupt("%d items of %d bytes, want %d bytes", n, size, len(dst))
	case total > maxOther:
		return corrupt("%d items of %d bytes, for %d bytes", n, size, len(dst))
	default:
		d.other = sized(d.other, total)
	}

	if err := d.decode(d.other, r, size, wanted); err != nil {
		return err
	}
	copy(dst[lo:hi], d.other[lo:])
	return nil
}

// begin reads the header, and returns the size of items and how many there are.
func (d *Decoder) begin(r *reader) (size, n int, err error) {
	if size = sizeOf(r.src); size == 0 {
		return 0, 0, corrupt("items of unknown size")
	}
	if err := d.header.read(r, size); err != nil {
		return 0, 0, err
	}
	if n = count(d.header.shape); n > math.MaxInt/size {
		return 0, 0, corrupt("%d items of %d bytes", n, size)
	}
	return size, n, nil
}

// decode fills a block with what follows the header, of which the first items are wanted.
func (d *Decoder) decode(block []byte, r *reader, size, wanted int) error {
	switch size {
	case 1:
		return decode(&d.of8, d, block, r, wanted)
	case 2:
		return decode(&d.of16, d, block, r, wanted)
	case 4:
		return decode(&d.of32, d, block, r, wanted)
	}
	return decode(&d.of64, d, block, r, wanted)
}

// decoder has scratch memory for items of a size.
type decoder[L pcodec.Latent] struct {
	n        int // items in the box
	items    []L // the first ones, as many as are needed
	other    []L // has them if the block cannot
	special  []L
	literals []L
	adjust   []L // what is added to the items
	gaps     []uint32
	lengths  []uint32
	which    []uint8
	rows     []byte // of digits
	classes  []uint8
	segments []uint32
	latents  pcodec.LatentDecoder[L]
}

// decode fills a block with what follows the header, of which the first items are wanted.
func decode[L pcodec.Latent](of **decoder[L], d *Decoder, block []byte, r *reader, wanted int) error {
	if *of == nil {
		*of = &decoder[L]{}
	}
	c := *of
	h := &d.header

	c.n = count(h.used)
	size := int(widthOf[L]() / 8)
	part := h.cut(wanted)
	block = block[:count(h.shape)*size]
	n := count(h.used)
	c.items = latents.View[L](block[:n*size])
	if c.items == nil {
		c.other = sized(c.other, n)
		c.items = c.other
	}
	defer func() { c.items = nil }() // they are the caller's

	if n > 0 {
		if err := c.read(d, r, block[:n*size]); err != nil {
			return err
		}
	}
	if len(r.src) > 0 && !part {
		return corrupt("%d bytes behind the end", len(r.src))
	}

	if n > 0 {
		undo(h, c.items)
		if h.adjusted() {
			latents.Multiply(c.adjust, 1<<h.multiple.lacks(), 0)
			latents.Add(c.items, c.adjust)
		}
		c.placeSpecial()
		latents.Store(block, c.items)
	}
	spread(block, h.shape, h.used, size)
	return nil
}

// cut leaves only the planes of a block that have the first items, and reports whether others are
// left out.
func (h *header) cut(wanted int) bool {
	if len(h.shape) == 0 {
		return false
	}
	plane := count(h.shape[1:])
	if plane == 0 || wanted > (h.shape[0]-1)*plane {
		return false
	}
	h.shape[0] = (wanted + plane - 1) / plane
	h.used[0] = min(h.used[0], h.shape[0])
	return true
}

// read reads the special items, the latents, and what is added to items. Bytes has room for items.
func (c *decoder[L]) read(d *Decoder, r *reader, bytes []byte) error {
	if err := c.readSpecial(d, r); err != nil {
		return err
	}
	if d.Unpack != nil {
		return c.readDigits(d, r, bytes)
	}
	last := !d.header.adjusted()
	if err := c.readLatents(d, r, last); err != nil || last {
		return err
	}
	c.adjust = sized(c.adjust, len(c.items))
	return c.readAll(c.adjust, r, middle[L](), true)
}

// readAll reads a run of latents for all items, to which it adds more. Of the last run, what is
// behind dst does not matter.
func (c *decoder[L]) readAll(dst []L, r *reader, more L, last bool) error {
	switch {
	case len(dst) == c.n:
		return run(&c.latents, dst, r, more)
	case last:
		return c.latents.DecodeFront(dst, c.n, r.src, more)
	}
	rest, err := c.latents.DecodeSegments(dst, c.n, []uint32{0}, c.n, r.src, more)
	r.src = rest
	return err
}

// readLatents reads the latents, which may be the last that is read.
func (c *decoder[L]) readLatents(d *Decoder, r *reader, last bool) error {
	classes := r.byte()
	if r.err != nil {
		return r.err
	}
	if classes == 1 {
		return c.readAll(c.items, r, middle[L](), last)
	}
	if classes < 1 || classes > maxClasses {
		return corrupt("%d classes", classes)
	}

	log := r.byte()
	if log < minSegment || log > maxSegment {
		return corrupt("segments of 2^%d items", log)
	}
	c.classes = sized(c.classes, (c.n+1<<log-1)>>log)
	if err := run(&d.bytes, c.classes, r, 0); err != nil {
		return err
	}
	return c.readClasses(classes, log, r)
}

// readClasses reads a run for each class, which has the segments of the class.
func (c *decoder[L]) readClasses(classes, log int, r *reader) error {
	var counts [maxClasses]int
	last := 0
	for i, delta := range c.classes {
		last += int(delta)
		if last >= classes {
			last -= classes
		}
		if last >= classes {
			return corrupt("class %d of %d", last, classes)
		}
		c.classes[i] = uint8(last)
		counts[last]++
	}

	// The numbers of segments, by class.
	var next [maxClasses]int
	for k := range classes - 1 {
		next[k+1] = next[k] + counts[k]
	}
	c.segments = sized(c.segments, len(c.classes))
	for i, k := range c.classes {
		c.segments[next[k]] = uint32(i)
		next[k]++
	}

	segments := c.segments
	for _, n := range counts[:classes] {
		if n == 0 {
			continue
		}
		rest, err := c.latents.DecodeSegments(c.items, c.n, segments[:n], 1<<log, r.src, middle[L]())
		if err != nil {
			return err
		}
		r.src = rest
		segments = segments[n:]
	}
	return nil
}

// readSpecial reads the items that are coded apart.
func (c *decoder[L]) readSpecial(d *Decoder, r *reader) error {
	c.gaps = c.gaps[:0]
	n := r.varint()
	if n == 0 {
		return r.err
	}
	if n > uint64(c.n) {
		return corrupt("%d groups of special items among %d", n, c.n)
	}

	values := r.byte()
	if values > maxSpecial {
		return corrupt("%d special items", values)
	}
	c.special = c.special[:0]
	for range values {
		c.special = append(c.special, L(r.little(int(widthOf[L]()/8))))
	}
	if r.err != nil {
		return r.err
	}

	c.gaps = sized(c.gaps, int(n))
	c.lengths = sized(c.lengths, int(n))
	c.which = sized(c.which, int(n))
	if err := run(&d.counts, c.gaps, r, 0); err != nil {
		return err
	}
	if err := run(&d.counts, c.lengths, r, 0); err != nil {
		return err
	}
	if err := run(&d.bytes, c.which, r, 0); err != nil {
		return err
	}
	return c.readLiterals(r)
}

// readLiterals checks the groups of special items, and reads those that are not in the table.
func (c *decoder[L]) readLiterals(r *reader) error {
	at := uint64(0)
	literals := 0
	for i, gap := range c.gaps {
		c.lengths[i]++
		at += uint64(gap) + uint64(c.lengths[i])
		switch {
		case c.lengths[i] == 0 || at > uint64(c.n):
			return corrupt("special items behind the last one")
		case int(c.which[i]) > len(c.special):
			return corrupt("special item %d of %d", c.which[i], len(c.special))
		case int(c.which[i]) == len(c.special):
			literals += int(c.lengths[i])
		}
	}

	c.literals = sized(c.literals, literals)
	if literals == 0 {
		return nil
	}
	return run(&c.latents, c.literals, r, 0)
}

// placeSpecial writes special items over those that stand in for them.
func (c *decoder[L]) placeSpecial() {
	at := 0
	literals := c.literals
	for i, gap := range c.gaps {
		at += int(gap)
		if at >= len(c.items) {
			return
		}
		group := c.items[at:min(at+int(c.lengths[i]), len(c.items))]
		at += len(group)
		if k := int(c.which[i]); k < len(c.special) {
			repeat(group, c.special[k])
			continue
		}
		copy(group, literals)
		literals = literals[len(group):]
	}
}

// repeat sets all items of a group.
func repeat[L pcodec.Latent](group []L, item L) {
	few := group[:min(len(group), 8)]
	for i := range few {
		few[i] = item
	}
	for have := len(few); have < len(group); have *= 2 {
		copy(group[have:], group[:have])
	}
}

// run fills dst with a run of latents, to which it adds more.
func run[L pcodec.Latent](d *pcodec.LatentDecoder[L], dst []L, r *reader, more L) error {
	rest, err := d.Decode(dst, r.src, more)
	if err != nil {
		return err
	}
	r.src = rest
	return nil
}

// sized returns memory for n values, which is s if that is enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
