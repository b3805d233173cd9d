package blosclz

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/blosclzstream"
)

// Limits of what an encoder looks at and emits (format: BloscLZ).
const (
	minSource  = 16 // shorter input is not worth a stream
	tail       = 12 // no match starts in the last bytes
	hashBits   = blosclzstream.TableBits
	hashFactor = 2654435761 // 2^32 divided by the golden ratio
	minNear    = 6          // shortest match worth a token: short ones slow decoding down
	minFar     = 8
	backOff    = 1 // bytes left off the end of each match

	// encoding all there is costs no more than a probe of so few bytes would save
	tooShortToProbe = 1024
)

// tuning is what a level means. Probes and ratios are those of C-Blosc2, except that it also probes
// the start of the input at level 9, and takes no longer steps.
type tuning struct {
	bits    uint8 // of the hash
	probe   uint8 // the start of the last 1/probe of the input is tried first; 0: try all of it
	ratio   uint8 // give up below this ratio, in twentieths
	skip    uint8 // the search takes longer steps after 2^skip positions without a match …
	maxStep uint8 // … but none longer than this, so that data that gets better is noticed
	twice   int   // 1: two positions at the end of a match enter the table instead of one
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
	{bits: 14, probe: 0, ratio: 20, skip: 6, maxStep: 8, twice: 1},
}

// An Encoder makes BloscLZ streams. It may be used for any number of them, by one goroutine at a
// time; the bytes it makes depend on the input and the level alone.
type Encoder struct {
	tuning
	base uint32 // what position 0 of the current input is called in table
	used uint32 // how far base has to move for the next one
	// by hash of four bytes: base plus their last position; less than base: of an earlier input
	table [1 << hashBits]uint32
}

// NewEncoder returns an encoder for a level from 0 to 9; other levels mean the nearest.
func NewEncoder(level int) *Encoder {
	return &Encoder{tuning: levels[min(max(level, 0), 9)], base: 1}
}

// Encode compresses src into dst and returns the length of the stream, or 0 if it would not fit
// into dst, if src is shorter than 16 bytes, or if src promises less gain than the level asks for.
// It allocates nothing.
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

// probeRange returns which part of an input of n bytes to try first; none of it if trying all takes
// hardly longer.
func (e *Encoder) probeRange(n int) (from, count int) {
	if e.probe == 0 {
		return 0, 0
	}
	count = n / int(e.probe)
	from = n - count
	count = min(count, 1<<e.bits)
	if count < tooShortToProbe || count == n {
		return 0, 0
	}
	return from, count
}

// pays reports whether making seen bytes into size is enough of a gain.
func (e *Encoder) pays(seen, size int) bool {
	return int64(size)*int64(e.ratio) <= int64(seen)*20
}

// advance prepares the table for an input of n bytes: entries of earlier ones fall below base,
// which saves clearing.
func (e *Encoder) advance(n int) {
	e.base += e.used
	// positions are told from older ones by the sign of a difference
	if uint64(e.base)+uint64(n) > 1<<31-1 {
		clear(e.table[:])
		e.base = 1
	}
	e.used = uint32(n)
}

// parse finds matches greedily and writes tokens to dst; if it is counting, what it writes means
// nothing, and what does not fit is only added up. It returns how many bytes of src the tokens
// stand for and their size, which is 0 if they do not fit into dst.
func (e *Encoder) parse(dst, src []byte, counting bool) (seen, size int) {
	e.advance(len(src))
	c := blosclzstream.Encoder{
		Base: e.base, Shift: uint32(32 - e.bits), Skip: int(e.skip), Most: int(e.maxStep), Twice: e.twice, Pos: 1, Start: 1,
	}
	limit := len(src) - tail
	blosclzstream.Encode(&c, &e.table, dst, src, limit)
	w := writer{dst: dst, n: c.Out, counting: counting}
	for c.Pos < limit {
		switch c.Stage {
		case blosclzstream.Searching:
			e.find(&c, src, limit)
		case blosclzstream.Found:
			if !w.take(&c, src) {
				return 0, 0
			}
		case blosclzstream.Matched:
			for before := 2; before >= 2-e.twice; before-- {
				e.insert(src, c.Pos-before)
			}
			c.Start, c.Stage = c.Pos, blosclzstream.Searching
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

// take writes the match that was found, or goes on searching if it is not worth a token. It reports
// false if it does not fit.
func (w *writer) take(c *blosclzstream.Encoder, src []byte) bool {
	length := 4 + common(src[:len(src)-1], c.Pos+4, c.Distance) - backOff
	if length < minNear || length < minFar && c.Distance > maxNear {
		c.Pos++
		c.Start, c.Stage = c.Pos, blosclzstream.Searching
		return true
	}
	if !w.literals(src[c.Anchor:c.Pos]) || !w.match(length, c.Distance) {
		return false
	}
	c.Pos += length
	c.Anchor, c.Stage = c.Pos, blosclzstream.Matched
	return true
}

// find goes to the first position from c.Pos on, and below limit, whose four bytes equal those at
// an earlier position that the table knows; or to a position that is not below limit. It enters all
// it passes into the table.
//
// Where the table knows no position of this input the bytes are compared with those at its start:
// whether it knows one cannot be predicted, so a branch on that would cost more than the
// comparison.
func (e *Encoder) find(c *blosclzstream.Encoder, src []byte, limit int) {
	table, base, shift := &e.table, e.base, (32-e.bits)&31
	skip, longest := e.skip&31, int(e.maxStep)
	pos, start := c.Pos, c.Start
	for ; pos < limit; pos += min(1+(pos-start)>>skip, longest) {
		word := binary.LittleEndian.Uint32(src[pos:])
		slot := &table[(word*hashFactor>>shift)&(1<<hashBits-1)]
		known := int32(*slot - base)
		known &^= known >> 31 // none of this input: 0
		*slot = base + uint32(pos)
		if binary.LittleEndian.Uint32(src[known:]) == word && pos-int(known) <= maxFar {
			c.Distance, c.Stage = pos-int(known), blosclzstream.Found
			break
		}
	}
	c.Pos = pos
}

// insert enters a position into the table.
func (e *Encoder) insert(src []byte, pos int) {
	word := binary.LittleEndian.Uint32(src[pos:])
	e.table[(word*hashFactor>>((32-e.bits)&31))&(1<<hashBits-1)] = e.base + uint32(pos)
}

// common returns how many bytes from src[pos] on equal those that are distance bytes before.
func common(src []byte, pos, distance int) int {
	a, b := src[pos-distance:], src[pos:]
	a = a[:len(b)]
	for len(b) >= 8 && len(a) >= 8 {
		if diff := binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b); diff != 0 {
			return len(src) - pos - len(b) + bits.TrailingZeros64(diff)>>3
		}
		a, b = a[8:], b[8:]
	}
	for len(b) > 0 && len(a) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return len(src) - pos - len(b)
}
