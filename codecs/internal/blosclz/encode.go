package blosclz

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/lz"
)

// Limits of the encoder (format: BloscLZ).
const (
	minSource  = 16 // shorter input is not encoded
	tail       = 12 // no match starts in the last bytes
	hashBits   = lz.TableBits
	hashFactor = 2654435761 // 2^32 divided by the golden ratio
	minNear    = 6          // minimum length of a match: shorter ones slow down decoding
	minFar     = 8
	backOff    = 1 // bytes left off the end of each match

	// shorter input is encoded without a probe, which would hardly save time
	tooShortToProbe = 1024
)

// tuning contains the settings of a level. Probes and ratios are those of C-Blosc2, so that it
// reads what cairn stores as fast as what it stores itself.
type tuning struct {
	bits    uint8 // of the hash
	probe   uint8 // probe the start of the last 1/probe of the input
	ratio   uint8 // give up below this ratio, in twentieths
	skip    uint8 // the step grows after 2^skip positions without a match …
	maxStep uint8 // … up to this limit, so that compressible data is found again
	twice   int   // 1: insert two positions at the end of a match instead of one
}

// levels are the settings for levels 0 to 9.
var levels = [10]tuning{
	{bits: 12, probe: 8, ratio: 40, skip: 5, maxStep: 16},
	{bits: 12, probe: 8, ratio: 40, skip: 5, maxStep: 16},
	{bits: 13, probe: 4, ratio: 30, skip: 5, maxStep: 16},
	{bits: 14, probe: 4, ratio: 24, skip: 5, maxStep: 16},
	{bits: 14, probe: 2, ratio: 24, skip: 5, maxStep: 16},
	{bits: 14, probe: 2, ratio: 24, skip: 5, maxStep: 16},
	{bits: 14, probe: 2, ratio: 24, skip: 5, maxStep: 16},
	{bits: 14, probe: 1, ratio: 23, skip: 6, maxStep: 16},
	{bits: 14, probe: 1, ratio: 22, skip: 6, maxStep: 16},
	{bits: 14, probe: 1, ratio: 20, skip: 6, maxStep: 8, twice: 1},
}

// An Encoder encodes BloscLZ streams. It may be reused, but not concurrently. The output depends
// only on the input and the level.
type Encoder struct {
	tuning
	base uint32 // value of position 0 of the current input in table
	used uint32 // distance to the base of the next input
	// by hash of four bytes: base plus their last position; values below base are of earlier inputs
	table [1 << hashBits]uint32
}

// NewEncoder returns an encoder for a level from 0 to 9; other levels are clamped.
func NewEncoder(level int) *Encoder {
	return &Encoder{tuning: levels[min(max(level, 0), 9)], base: 1}
}

// Encode compresses src into dst and returns the length of the stream. It returns 0 if the stream
// would not fit into dst, if src is shorter than 16 bytes, or if the ratio would be below the
// level's. It does not allocate.
func (e *Encoder) Encode(dst, src []byte) int {
	if len(src) < minSource || len(dst) == 0 {
		return 0
	}

	from, probe := e.probeRange(len(src))
	if probe > 0 && !e.pays(e.parse(dst, src[from:from+probe], true)) {
		return 0
	}

	_, size := e.parse(dst, src, false)
	if size == 0 || probe == 0 && !e.pays(len(src), size) {
		return 0
	}

	dst[0] |= tokenLiteral
	return size
}

// probeRange returns the part of an input of n bytes to probe, which is empty if encoding
// everything takes hardly longer.
func (e *Encoder) probeRange(n int) (from, count int) {
	count = n / int(e.probe)
	from = n - count
	count = min(count, 1<<e.bits)
	if count < tooShortToProbe || count == n {
		return 0, 0
	}
	return from, count
}

// pays reports whether compressing seen bytes to size reaches the level's ratio.
func (e *Encoder) pays(seen, size int) bool {
	return int64(size)*int64(e.ratio) <= int64(seen)*20
}

// advance prepares the table for an input of n bytes. It moves base beyond all entries of earlier
// inputs, so that the table need not be cleared.
func (e *Encoder) advance(n int) {
	e.base += e.used

	// the sign of a difference distinguishes positions from older ones
	if uint64(e.base)+uint64(n) > 1<<31-1 {
		clear(e.table[:])
		e.base = 1
	}
	e.used = uint32(n)
}

// parse finds matches greedily and writes tokens to dst. If it is counting, it continues when dst
// is full, and the output is undefined. It returns how many bytes of src the tokens represent, and
// the size of the tokens, which is 0 if they do not fit into dst.
func (e *Encoder) parse(dst, src []byte, counting bool) (seen, size int) {
	e.advance(len(src))

	c := lz.BloscEncoder{
		Base: e.base, Shift: uint32(32 - e.bits), Skip: int(e.skip), Most: int(e.maxStep), Twice: e.twice, Pos: 1, Start: 1,
	}

	limit := len(src) - tail
	lz.EncodeBlosc(&c, &e.table, dst, src, limit)
	w := writer{dst: dst, n: c.Out, counting: counting}

	for c.Pos < limit {
		switch c.Stage {
		case lz.Searching:
			e.find(&c, src, limit)
		case lz.Found:
			if !w.take(&c, src) {
				return 0, 0
			}
		case lz.Matched:
			for before := 2; before >= 2-e.twice; before-- {
				e.insert(src, c.Pos-before)
			}
			c.Start = c.Pos
			c.Stage = lz.Searching
		}
	}

	if counting {
		seen = min(c.Pos, len(src))
		w.literals(src[c.Anchor:seen])
		return seen, w.n
	}

	if !w.literals(src[c.Anchor:]) {
		return 0, 0
	}
	return len(src), w.n
}

// take writes the current match, or continues the search if it is too short for a token. It returns
// false if the match does not fit.
func (w *writer) take(c *lz.BloscEncoder, src []byte) bool {
	length := 4 + common(src[:len(src)-1], c.Pos+4, c.Distance) - backOff
	if length < minNear || length < minFar && c.Distance > maxNear {
		c.Pos++
		c.Start = c.Pos
		c.Stage = lz.Searching
		return true
	}
	if !w.literals(src[c.Anchor:c.Pos]) || !w.match(length, c.Distance) {
		return false
	}

	c.Pos += length
	c.Anchor = c.Pos
	c.Stage = lz.Matched
	return true
}

// find advances to the first position below limit whose four bytes occur at an earlier position in
// the table, or else to limit or beyond. It inserts all positions that it passes.
//
// If the table has no position in this input, the bytes are compared with those at the start of the
// input: this case is unpredictable, so a branch would cost more than the comparison.
func (e *Encoder) find(c *lz.BloscEncoder, src []byte, limit int) {
	table := &e.table
	base := e.base
	shift := (32 - e.bits) & 31
	skip := e.skip & 31
	longest := int(e.maxStep)
	pos := c.Pos
	start := c.Start

	for ; pos < limit; pos += min(1+(pos-start)>>skip, longest) {
		word := binary.LittleEndian.Uint32(src[pos:])
		slot := &table[(word*hashFactor>>shift)&(1<<hashBits-1)]
		known := int32(*slot - base)
		known &^= known >> 31 // 0 if not of this input
		*slot = base + uint32(pos)
		if binary.LittleEndian.Uint32(src[known:]) == word && pos-int(known) <= maxFar {
			c.Distance = pos - int(known)
			c.Stage = lz.Found
			break
		}
	}

	c.Pos = pos
}

// insert inserts a position into the table.
func (e *Encoder) insert(src []byte, pos int) {
	word := binary.LittleEndian.Uint32(src[pos:])
	e.table[(word*hashFactor>>((32-e.bits)&31))&(1<<hashBits-1)] = e.base + uint32(pos)
}

// common returns how many bytes from src[pos] on equal those distance bytes earlier.
func common(src []byte, pos, distance int) int {
	a := src[pos-distance:]
	b := src[pos:]
	a = a[:len(b)]
	for len(b) >= 8 && len(a) >= 8 {
		if diff := binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b); diff != 0 {
			return len(src) - pos - len(b) + bits.TrailingZeros64(diff)>>3
		}
		a = a[8:]
		b = b[8:]
	}

	for len(b) > 0 && len(a) > 0 && a[0] == b[0] {
		a = a[1:]
		b = b[1:]
	}
	return len(src) - pos - len(b)
}
