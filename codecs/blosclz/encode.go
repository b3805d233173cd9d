package blosclz

import (
	"encoding/binary"
	"math/bits"
)

// Limits of what an encoder looks at and emits (format: BloscLZ).
const (
	minSource = 16 // shorter input is not worth a stream
	tail      = 12 // no match starts in the last bytes
	hashBits  = 14
	minNear   = 6 // shortest match worth a token: short ones slow decoding down
	minFar    = 8
	backOff   = 1 // bytes left off the end of each match
)

// tuning is what a level means.
type tuning struct {
	bits      uint8 // of the hash
	probe     uint8 // the last 1/probe of the input is tried first
	twice     bool  // two positions at the end of a match enter the table instead of one
	minGain16 uint8 // give up below this ratio, in sixteenths
}

// levels are the settings for levels 0 to 9. The ratios are those of C-Blosc2: 2, 1.5, 1.2, 1.15, 1.1 and 1.
var levels = [10]tuning{
	{bits: 12, probe: 8, minGain16: 32},
	{bits: 12, probe: 8, minGain16: 32},
	{bits: 13, probe: 4, minGain16: 24},
	{bits: 14, probe: 4, minGain16: 19},
	{bits: 14, probe: 2, minGain16: 19},
	{bits: 14, probe: 2, minGain16: 19},
	{bits: 14, probe: 2, minGain16: 19},
	{bits: 14, probe: 1, minGain16: 18},
	{bits: 14, probe: 1, minGain16: 17},
	{bits: 14, probe: 1, minGain16: 16, twice: true},
}

// An Encoder makes BloscLZ streams. It may be used for any number of them, by one goroutine at a time; the bytes
// it makes depend on the input and the level alone.
type Encoder struct {
	tuning
	base  uint32                // what position 0 of the current input is called in table
	used  uint32                // how far base has to move for the next one
	table [1 << hashBits]uint32 // by hash of four bytes: base plus their last position; less than base: of an earlier input
}

// NewEncoder returns an encoder for a level from 0 to 9; other levels mean the nearest.
func NewEncoder(level int) *Encoder {
	return &Encoder{tuning: levels[min(max(level, 0), 9)], base: 1}
}

// Encode compresses src into dst and returns the length of the stream, or 0 if it would not fit into dst, if src is
// shorter than 16 bytes, or if src promises less gain than the level asks for. It allocates nothing.
func (e *Encoder) Encode(dst, src []byte) int {
	if len(src) < minSource || len(dst) == 0 {
		return 0
	}
	const tooShortToProbe = 1024
	probe := len(src) / int(e.probe)
	if probe < len(src) && probe >= tooShortToProbe {
		from := len(src) - probe
		seen, size := e.parse(nil, src[from:from+min(probe, 1<<e.bits)])
		if !e.pays(seen, size) {
			return 0
		}
	}
	_, size := e.parse(dst, src)
	if size == 0 || !e.pays(len(src), size) {
		return 0
	}
	dst[0] |= tokenLiteral
	return size
}

// pays reports whether making seen bytes into size is enough of a gain.
func (e *Encoder) pays(seen, size int) bool {
	return int64(size)*int64(e.minGain16) <= int64(seen)*16
}

// advance prepares the table for an input of n bytes: entries of earlier ones fall below base, which saves clearing.
func (e *Encoder) advance(n int) {
	e.base += e.used
	if uint64(e.base)+uint64(n) > 1<<32-1 {
		clear(e.table[:])
		e.base = 1
	}
	e.used = uint32(n)
}

// hash returns a table index of the given number of bits.
func hash(word uint32, bits uint8) uint32 {
	return word * 2654435761 >> ((32 - bits) & 31)
}

// parse finds matches greedily and writes tokens to dst; if dst is nil it only adds their sizes up. It returns how many
// bytes of src the tokens stand for and their size, which is 0 if they do not fit into dst.
func (e *Encoder) parse(dst, src []byte) (seen, size int) {
	e.advance(len(src))
	w := writer{dst: dst, counting: dst == nil}
	base, hashLen := e.base, e.bits
	e.table[hash(binary.LittleEndian.Uint32(src), hashLen)&(1<<hashBits-1)] = base
	anchor, pos := 0, 1
	for limit := len(src) - tail; pos < limit; {
		word := binary.LittleEndian.Uint32(src[pos:])
		slot := &e.table[hash(word, hashLen)&(1<<hashBits-1)]
		distance := base + uint32(pos) - *slot
		*slot = base + uint32(pos)
		if distance > uint32(pos) || distance > maxFar || binary.LittleEndian.Uint32(src[pos-int(distance):]) != word {
			pos++
			continue
		}
		length := 4 + common(src[:len(src)-1], pos+4, int(distance)) - backOff
		if length < minNear || length < minFar && distance > maxNear {
			pos++
			continue
		}
		if !w.literals(src[anchor:pos]) || !w.match(length, int(distance)) {
			return 0, 0
		}
		pos += length
		anchor = pos
		e.insert(src, pos-2)
		if e.twice {
			e.insert(src, pos-1)
		}
	}
	if w.counting {
		pos = min(pos, len(src))
		w.literals(src[anchor:pos])
		return pos, w.n
	}
	if !w.literals(src[anchor:]) {
		return 0, 0
	}
	return len(src), w.n
}

// insert enters a position into the table.
func (e *Encoder) insert(src []byte, pos int) {
	e.table[hash(binary.LittleEndian.Uint32(src[pos:]), e.bits)&(1<<hashBits-1)] = e.base + uint32(pos)
}

// common returns how many bytes from src[pos] on equal those that are distance bytes before.
func common(src []byte, pos, distance int) int {
	a, b := src[pos-distance:], src[pos:]
	n := 0
	for len(b)-n >= 8 {
		if diff := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); diff != 0 {
			return n + bits.TrailingZeros64(diff)>>3
		}
		n += 8
	}
	for n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
