package pcodec

import (
	"github.com/cairn-go/cairn"
)

// A Decoder decodes streams. It owns its scratch memory and must not be used concurrently.
type Decoder struct {
	of8  *chunk[uint8]
	of16 *chunk[uint16]
	of32 *chunk[uint32]
	of64 *chunk[uint64]
}

// Decode fills dst with the numbers of a standalone file, whatever their type, each with its lowest
// byte first. It fails if there are more or fewer.
func (d *Decoder) Decode(dst, src []byte) error {
	b := newBitReader(src)
	f, err := readFile(&b)
	if err != nil {
		return err
	}

	for {
		t := Type(b.read(8))
		if t == 0 {
			break
		}
		if t.Size() == 0 || f.uniform != 0 && t != f.uniform {
			return corrupt("a chunk of numbers of type %d, in a file of type %d", t, f.uniform)
		}

		n := 1 + int(b.read(24))
		if n > len(dst)/t.Size() {
			return corrupt("a chunk of %d numbers, where %d bytes remain", n, len(dst))
		}
		part := dst[:n*t.Size()]
		dst = dst[n*t.Size():]

		switch t.Size() {
		case 1:
			err = decodeChunk(&d.of8, part, &b, t, f.major)
		case 2:
			err = decodeChunk(&d.of16, part, &b, t, f.major)
		case 4:
			err = decodeChunk(&d.of32, part, &b, t, f.major)
		case 8:
			err = decodeChunk(&d.of64, part, &b, t, f.major)
		}
		if err != nil {
			return err
		}
	}

	switch {
	case b.overrun():
		return truncated()
	case len(dst) > 0:
		return corrupt("%d bytes fewer than expected", len(dst))
	case b.left() >= 8:
		return corrupt("%d bytes behind the end", b.left()/8)
	}
	return nil
}

func truncated() error { return corrupt("it ends too early") }

// file is the head of a standalone file.
type file struct {
	uniform Type // of all chunks, or 0 if each has its own
	major   int  // version
}

// readFile reads the head of a standalone file.
func readFile(b *bitReader) (file, error) {
	f := file{}
	for _, c := range []byte(magic) {
		if byte(b.read(8)) != c {
			return f, corrupt("it does not begin with %q", magic)
		}
	}

	// The first two versions had one number for both forms.
	begin := b.at
	version := int(b.read(8))
	switch {
	case version > standaloneVersion:
		return f, unsupported("version %d of standalone files; up to %d is known", version, standaloneVersion)
	case version < 2:
		b.at = begin
	default:
		if version >= 3 {
			f.uniform = Type(b.read(8))
		}
		b.read(1 + int(b.read(6))) // how many numbers there may be
		if err := b.align(); err != nil {
			return f, err
		}
	}

	var err error
	f.major, err = readVersion(b)
	return f, err
}

// readVersion reads the header that both forms have, and returns the version.
func readVersion(b *bitReader) (major int, err error) {
	major = int(b.read(8))
	if major > majorVersion {
		return 0, unsupported("version %d; up to %d is known", major, majorVersion)
	}
	if major >= majorVersion {
		b.read(8) // later minor versions may have additions, which are found where they occur
	}
	return major, nil
}

func unsupported(format string, args ...any) error {
	e := cairn.Corruptf(layer, -1, format, args...)
	e.Err = cairn.ErrUnsupported
	return e
}

// A chunk decodes chunks of numbers whose latents are of type L.
type chunk[L latent] struct {
	header[L]
	kind      kind
	back      variable[uint32] // lookbacks
	indices   variable[uint32] // primary, of a dictionary
	primary   variable[L]
	secondary variable[L]
}

// decodeChunk fills dst with the numbers of a chunk.
func decodeChunk[L latent](of **chunk[L], dst []byte, b *bitReader, t Type, major int) error {
	if err := readMeta(of, b, t, major); err != nil {
		return err
	}
	return (*of).decodePage(dst, b)
}

// readMeta reads the metadata of a chunk. The decoder is made when it is needed.
func readMeta[L latent](of **chunk[L], b *bitReader, t Type, major int) error {
	if *of == nil {
		*of = &chunk[L]{}
	}
	c := *of
	c.kind = t.kind()
	return c.readHead(b, major)
}

// readHead reads the metadata of a chunk.
func (c *chunk[L]) readHead(b *bitReader, major int) error {
	c.header = header[L]{}
	if err := c.readMode(b, c.kind, major); err != nil {
		return err
	}
	if err := c.readDelta(b, major); err != nil {
		return err
	}

	if c.delta.kind == lookback {
		if err := c.back.readBins(b, &delta{}); err != nil {
			return err
		}
		for i := range c.back.bins {
			if lower := c.back.bins[i].lower; lower < 1 || int64(lower) > int64(c.delta.window) {
				return corrupt("lookbacks from %d, in a window of %d", lower, c.delta.window)
			}
		}
	}

	var err error
	if c.mode == dictionary {
		err = c.indices.readBins(b, &c.delta)
	} else {
		err = c.primary.readBins(b, &c.delta)
	}
	if err != nil {
		return err
	}

	if c.two() {
		if err := c.secondary.readBins(b, c.delta.secondary()); err != nil {
			return err
		}
	}
	if b.overrun() {
		return truncated()
	}
	return b.align()
}

// decodePage fills dst with the numbers of a page.
func (c *chunk[L]) decodePage(dst []byte, b *bitReader) error {
	size := sizeOf[L]()
	n := len(dst) / size
	if err := c.beginPage(b, n); err != nil {
		return err
	}

	if n > 0 && c.constant() {
		return c.repeat(dst, b)
	}
	for left := n; left > 0; {
		now := min(left, batch)
		if err := c.decodeBatch(dst[(n-left)*size:][:now*size], b, left); err != nil {
			return err
		}
		if b.overrun() {
			return truncated()
		}
		left -= now
	}
	return b.align()
}

// beginPage reads the head of a page.
func (c *chunk[L]) beginPage(b *bitReader, n int) error {
	if c.delta.kind == lookback {
		if err := c.back.begin(b, n-c.delta.states); err != nil {
			return err
		}
	}

	var err error
	if c.mode == dictionary {
		err = c.indices.begin(b, n)
	} else {
		err = c.primary.begin(b, n)
	}
	if err != nil {
		return err
	}

	if c.two() {
		if err := c.secondary.begin(b, n); err != nil {
			return err
		}
	}
	if b.overrun() {
		return truncated()
	}
	return b.align()
}

// decodeBatch fills dst with the numbers of a batch, of which left remain in the page.
func (c *chunk[L]) decodeBatch(dst []byte, b *bitReader, left int) error {
	var back []uint32
	if c.delta.kind == lookback {
		back, _ = c.back.next(b, max(0, left-c.delta.states), nil) // has no predictions to fail
	}

	primary := c.primary.values[:min(batch, left)]
	if c.mode == dictionary {
		indices, err := c.indices.next(b, left, back)
		if err != nil {
			return err
		}
		if err := c.lookUp(primary, indices); err != nil {
			return err
		}
		joinOne(dst, primary, c.kind)
		return nil
	}

	if _, err := c.primary.next(b, left, back); err != nil {
		return err
	}
	if c.two() {
		secondary, err := c.secondary.next(b, left, back)
		if err != nil {
			return err
		}
		c.joinTwo(primary, secondary)
	}
	joinOne(dst, primary, c.kind)
	return nil
}

// constant reports whether all numbers of a page are equal, because each variable has one value.
func (c *chunk[L]) constant() bool {
	return c.delta.kind == noDelta && c.mode != dictionary && c.primary.constant() && (!c.two() || c.secondary.constant())
}

// repeat is decodePage of equal numbers.
func (c *chunk[L]) repeat(dst []byte, b *bitReader) error {
	if err := c.decodeBatch(dst[:sizeOf[L]()], b, 1); err != nil {
		return err
	}
	for have := sizeOf[L](); have < len(dst); have *= 2 {
		copy(dst[have:], dst[:have])
	}
	return b.align()
}
