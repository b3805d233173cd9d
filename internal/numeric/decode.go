package numeric

import (
	"github.com/cairn-go/cairn/internal/asm/latents"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// A Decoder decodes streams. It owns its scratch memory and must not be used concurrently.
type Decoder struct {
	header header
	of8    *decoder[uint8]
	of16   *decoder[uint16]
	of32   *decoder[uint32]
	of64   *decoder[uint64]
	counts pcodec.LatentDecoder[uint32]
	bytes  pcodec.LatentDecoder[uint8]
}

// Decode fills dst with the items of a stream. It fails if there are more or fewer.
func (d *Decoder) Decode(dst, src []byte) error {
	size := sizeOf(src)
	if size == 0 || len(dst)%size != 0 {
		return corrupt("not items for %d bytes", len(dst))
	}

	r := &reader{src: src}
	if err := d.header.read(r, len(dst)/size, size); err != nil {
		return err
	}
	switch size {
	case 1:
		return decode(&d.of8, d, dst, r)
	case 2:
		return decode(&d.of16, d, dst, r)
	case 4:
		return decode(&d.of32, d, dst, r)
	}
	return decode(&d.of64, d, dst, r)
}

// decoder has scratch memory for items of a size.
type decoder[L pcodec.Latent] struct {
	items    []L
	other    []L // has them if dst cannot
	special  []L
	literals []L
	gaps     []uint32
	lengths  []uint32
	which    []uint8
	classes  []uint8
	segments []uint32
	latents  pcodec.LatentDecoder[L]
}

// decode fills dst with what follows the header.
func decode[L pcodec.Latent](of **decoder[L], d *Decoder, dst []byte, r *reader) error {
	if *of == nil {
		*of = &decoder[L]{}
	}
	c := *of
	h := &d.header

	n := count(h.used)
	size := int(widthOf[L]() / 8)
	c.items = latents.View[L](dst[:n*size])
	if c.items == nil {
		c.other = sized(c.other, n)
		c.items = c.other
	}
	defer func() { c.items = nil }() // they are the caller's

	if n > 0 {
		if err := c.readRuns(d, r); err != nil {
			return err
		}
	}
	if len(r.src) > 0 {
		return corrupt("%d bytes behind the end", len(r.src))
	}

	if n > 0 {
		undo(h, c.items)
		c.placeSpecial()
		latents.Store(dst, c.items)
	}
	spread(dst, h.shape, h.used, size)
	return nil
}

// readRuns reads the special items and the latents.
func (c *decoder[L]) readRuns(d *Decoder, r *reader) error {
	if err := c.readSpecial(d, r); err != nil {
		return err
	}

	classes := r.byte()
	if r.err != nil {
		return r.err
	}
	if classes == 1 {
		return run(&c.latents, c.items, r, middle[L]())
	}
	if classes < 1 || classes > maxClasses {
		return corrupt("%d classes", classes)
	}

	log := r.byte()
	if log < minSegment || log > maxSegment {
		return corrupt("segments of 2^%d items", log)
	}
	n := len(c.items)
	c.classes = sized(c.classes, (n+1<<log-1)>>log)
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
		rest, err := c.latents.DecodeSegments(c.items, segments[:n], 1<<log, r.src, middle[L]())
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
	if n > uint64(len(c.items)) {
		return corrupt("%d groups of special items among %d", n, len(c.items))
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
		case c.lengths[i] == 0 || at > uint64(len(c.items)):
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
		group := c.items[at : at+int(c.lengths[i])]
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
