package numeric

import (
	"math"

	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
	"github.com/cairn-go/cairn/internal/asm/latents"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// Integers may be digits of base 256 from -128 to 127 instead of runs (format: digits): a row of
// those of each place, which others code as bytes. That takes a little more room, and both sides
// several times less time.

// bias is what digits that are all 0 are more than 0 as bytes, of which none is negative.
func bias[L pcodec.Latent]() L { return ^L(0) / 255 * 128 }

// A frame takes this much of what runs take, at most: beyond level 6 room is worth more.
const (
	worthFrame   = 1.08
	worthDense   = 1.02
	hopelessRuns = 1.5 // of what runs take by lengths, which may be more
	surelyFrame  = 0.93
	denseLevel   = 7
)

// frame returns digits as they are packed, or nil if runs take clearly less, of which the latents
// have so many bits by their lengths.
func (c *encoder[L]) frame(e *Encoder, size float64) []byte {
	frame := e.Pack(c.digits(e), len(c.whole))
	if len(frame) == 0 {
		return nil
	}

	took := 8 * float64(len(frame))
	adjustment := c.adjustment(e)
	worth := worthFrame
	if e.level >= denseLevel {
		worth = worthDense
	}
	switch by := took / (size + adjustment); {
	case by > hopelessRuns:
		return nil
	case by < surelyFrame || by > worth:
		size = c.refined(size, e.log)
	}
	if took > worth*(size+adjustment) {
		return nil
	}
	return frame
}

// adjustment returns the bits of what is added to items in runs, by the first ones.
func (c *encoder[L]) adjustment(e *Encoder) float64 {
	if !e.header.adjusted() {
		return 0
	}
	n := len(c.adjust)
	c.other = append(c.other[:0], c.adjust[:(n+refineShare-1)/refineShare]...)
	latents.Flip(c.other)
	return c.latents.Size(c.other, e.log) * float64(n) / float64(len(c.other))
}

// digits returns rows of the digits of latents, and of what is added to items.
func (c *encoder[L]) digits(e *Encoder) []byte {
	n := len(c.whole)
	rows := n * e.size
	total := rows
	if e.header.adjusted() {
		total += rows
	}
	c.rows = sized(c.rows, total)
	c.flat = sized(c.flat, rows)

	flip := bias[L]() - middle[L]()
	c.toRows(c.rows[:rows], c.whole, flip, e.size)
	latents.Multiply(c.whole, 1, -flip)
	if total > rows {
		c.toRows(c.rows[rows:], c.adjust, bias[L](), e.size)
		latents.Multiply(c.adjust, 1, -bias[L]())
	}
	return c.rows
}

// toRows adds more to numbers, and moves their bytes to rows.
func (c *encoder[L]) toRows(rows []byte, numbers []L, more L, size int) {
	n := len(numbers)
	latents.Multiply(numbers, 1, more)
	latents.Store(c.flat, numbers)
	if size == 1 {
		copy(rows, c.flat)
		return
	}
	done := byteshuffle.Shuffle(rows, n, c.flat, size)
	for i := done; i < n; i++ {
		for k := range size {
			rows[k*n+i] = c.flat[i*size+k]
		}
	}
}

// readDigits reads integers, and what is added to items, from the rest of a stream. Bytes has room
// for those of the integers that are wanted.
func (c *decoder[L]) readDigits(d *Decoder, r *reader, bytes []byte) error {
	size := int(widthOf[L]() / 8)
	rows := c.n * size
	total := rows
	if d.header.adjusted() {
		if rows > math.MaxInt/2 {
			return corrupt("digits of twice %d bytes", rows)
		}
		total += rows
	}
	c.rows = sized(c.rows, total)
	if err := d.Unpack(c.rows, r.src); err != nil {
		return err
	}
	r.src = nil

	if total > rows {
		c.adjust = sized(c.adjust, len(c.items))
		fromRows(c.adjust, bytes, c.rows[rows:], c.n)
	}
	fromRows(c.items, bytes, c.rows[:rows], c.n)
	return nil
}

// fromRows makes numbers of rows with n digits each. Numbers may be a view of the bytes.
func fromRows[L pcodec.Latent](numbers []L, bytes, rows []byte, n int) {
	size := int(widthOf[L]() / 8)
	bytes = bytes[:len(numbers)*size]
	if size == 1 {
		copy(bytes, rows)
	} else {
		done := byteshuffle.Unshuffle(bytes, rows, n, size)
		for i := done; i < len(numbers); i++ {
			for k := range size {
				bytes[i*size+k] = rows[k*n+i]
			}
		}
	}
	latents.Load(numbers, bytes)
	latents.Multiply(numbers, 1, -bias[L]())
}
