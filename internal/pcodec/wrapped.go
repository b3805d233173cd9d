package pcodec

// The wrapped form has a header for a file, metadata for each chunk, and pages of the numbers of a
// chunk, each of which can be decoded by itself. None of these says how long it is, nor of which
// type numbers are, nor how many a page has: that is up to the format around them.

// AppendHeader appends the header of the wrapped form.
func AppendHeader(dst []byte) []byte { return append(dst, majorVersion, minorVersion) }

// Wrap returns a chunk with the numbers in src, each with its lowest byte first, in the wrapped
// form: metadata, and pages that have as many numbers as given, at least 1 each and together all.
func (e *Encoder) Wrap(src []byte, numbers []int) (meta []byte, pages [][]byte) {
	switch e.t.Size() {
	case 1:
		return wrapChunk(&e.of8, src, e, numbers)
	case 2:
		return wrapChunk(&e.of16, src, e, numbers)
	case 4:
		return wrapChunk(&e.of32, src, e, numbers)
	}
	return wrapChunk(&e.of64, src, e, numbers)
}

// page is what a page has of the latents of a chunk.
type page[L latent] struct {
	front     []L
	coded     []L
	second    []L
	distances []uint32
	numbers   int
}

// wrapChunk is Wrap of numbers whose latents are of type L.
func wrapChunk[L latent](of **encoder[L], src []byte, e *Encoder, numbers []int) ([]byte, [][]byte) {
	c := splitChunk(of, src, e)
	parts := c.trainPages(numbers)
	var w bitWriter
	c.writeMeta(&w)

	pages := make([][]byte, len(parts))
	for i, p := range parts {
		c.back.latents = p.distances
		c.primary.front = p.front
		c.primary.latents = p.coded
		c.secondary.latents = p.second
		c.latents = c.latents[:p.numbers]

		var w bitWriter
		c.writePage(&w)
		pages[i] = w.dst
	}
	return w.dst, pages
}

// trainPages chooses the bins of a chunk with several pages: predictions do not reach from one into
// another, and all have the same bins.
func (c *encoder[L]) trainPages(numbers []int) []page[L] {
	var distances []uint32
	coded := make([]L, 0, len(c.latents))
	parts := make([]page[L], len(numbers))
	at := 0
	for i, n := range numbers {
		p := &parts[i]
		p.numbers = n
		p.second = c.second[at : at+n]
		first := c.first[at : at+n]
		at += n

		if c.delta.kind == lookback {
			p.distances = c.tracker.find(nil, first, c.delta.window)
			distances = append(distances, p.distances...)
		}
		p.front, p.coded = differences(nil, first, &c.delta, p.distances)
		coded = append(coded, p.coded...)
	}

	log := binsLog(c.level, len(c.latents))
	if c.delta.kind == lookback {
		c.back.train(log, distances)
	}
	c.primary.train(log, coded)
	if c.two() {
		c.secondary.train(min(log, secondaryLog), c.second[:at])
	}
	return parts
}

// A WrappedDecoder decodes the wrapped form. It owns its scratch memory and must not be used
// concurrently. Its methods return how many bytes they read of what they are given, which may be
// longer.
type WrappedDecoder struct {
	of    Decoder
	major int
	open  bool // whether a header was read
	t     Type // of the chunk whose metadata were read, or 0
}

// ReadHeader reads the header of a file.
func (d *WrappedDecoder) ReadHeader(src []byte) (int, error) {
	b := newBitReader(src)
	d.open = false
	d.t = 0
	major, err := readVersion(&b)
	if err != nil {
		return 0, err
	}
	if b.overrun() {
		return 0, truncated()
	}

	d.major = major
	d.open = true
	return b.bytes(), nil
}

// ReadMeta reads the metadata of a chunk of numbers of a type, behind [WrappedDecoder.ReadHeader].
func (d *WrappedDecoder) ReadMeta(t Type, src []byte) (int, error) {
	d.t = 0
	if !d.open {
		return 0, corrupt("metadata of a chunk without a header")
	}

	b := newBitReader(src)
	var err error
	switch t.Size() {
	case 1:
		err = readMeta(&d.of.of8, &b, t, d.major)
	case 2:
		err = readMeta(&d.of.of16, &b, t, d.major)
	case 4:
		err = readMeta(&d.of.of32, &b, t, d.major)
	case 8:
		err = readMeta(&d.of.of64, &b, t, d.major)
	default:
		err = corrupt("a chunk of numbers of type %d", t)
	}
	if err != nil {
		return 0, err
	}
	d.t = t
	return b.bytes(), nil
}

// ReadPage fills dst with the numbers of a page, each with its lowest byte first, of the chunk of
// [WrappedDecoder.ReadMeta]. It must have as many as the page.
func (d *WrappedDecoder) ReadPage(dst, src []byte) (int, error) {
	size := d.t.Size()
	if size == 0 {
		return 0, corrupt("a page without metadata of a chunk")
	}
	if len(dst)%size != 0 {
		return 0, corrupt("a page of %d bytes, of numbers of %d", len(dst), size)
	}

	b := newBitReader(src)
	var err error
	switch size {
	case 1:
		err = d.of.of8.decodePage(dst, &b)
	case 2:
		err = d.of.of16.decodePage(dst, &b)
	case 4:
		err = d.of.of32.decodePage(dst, &b)
	case 8:
		err = d.of.of64.decodePage(dst, &b)
	}
	switch {
	case err != nil:
		return 0, err
	case b.overrun():
		return 0, truncated()
	}
	return b.bytes(), nil
}
