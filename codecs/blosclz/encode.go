package blosclz

import (
	"encoding/binary"
	"math/bits"
)

// Limits of what an encoder looks at and emits (format: BloscLZ).
const (
	minSource  = 16 // shorter input is not worth a stream
	tail       = 12 // no match starts in the last bytes
	hashBits   = 14
	hashFactor = 2654435761 // 2^32 divided by the golden ratio
	minNear    = 6          // shortest match worth a token: short ones slow decoding down
	minFar     = 8
	backOff    = 1 // bytes left off the end of each match

	tooShortToProbe = 1024 // encoding all there is costs no more than a probe of so few bytes would save
)

// tuning is what a level means. Probes and ratios are those of C-Blosc2, except that it also probes the start of the input at
// level 9, and takes no longer steps.
type tuning struct {
	bits    uint8 // of the hash
	probe   uint8 // the start of the last 1/probe of the input is tried first; 0: try all of it
	ratio   uint8 // give up below this ratio, in twentieths
	skip    uint8 // the search takes longer steps after 2^skip positions without a match …
	maxStep uint8 // … but none longer than this, so that data that gets better is noticed
	twice   bool  // two positions at the end of a match enter the table instead of one
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
	{bits: 14, probe: 0, ratio: 20, skip: 6, maxStep: 8, twice: true},
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
	from, probe := e.probeRange(len(src))
	if probe > 0 && !e.pays(e.parse(nil, src[from:from+probe])) {
		return 0
	}
	_, size := e.parse(dst, src)
	if size == 0 || probe == 0 && !e.pays(len(src), size) {
		return 0
	}
	dst[0] |= tokenLiteral
	return size
}

// probeRange returns which part of an input of n bytes to try first; none of it if trying all takes hardly longer.
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

// advance prepares the table for an input of n bytes: entries of earlier ones fall below base, which saves clearing.
func (e *Encoder) advance(n int) {
	e.base += e.used
	if uint64(e.base)+uint64(n) > 1<<31-1 { // positions are told from older ones by the sign of a difference
		clear(e.table[:])
		e.base = 1
	}
	e.used = uint32(n)
}

// parse finds matches greedily and writes tokens to dst; if dst is nil it only adds their sizes up. It returns how many
// bytes of src the tokens stand for and their size, which is 0 if they do not fit into dst.
func (e *Encoder) parse(dst, src []byte) (seen, size int) {
	e.advance(len(src))
	w := writer{dst: dst, counting: dst == nil}
	anchor, pos := 0, 1
	for limit := len(src) - tail; ; {
		var distance int
		pos, distance = e.find(src, pos, limit)
		if pos >= limit {
			break
		}
		length := 4 + common(src[:len(src)-1], pos+4, distance) - backOff
		if length < minNear || length < minFar && distance > maxNear {
			pos++
			continue
		}
		if !w.literals(src[anchor:pos]) || !w.match(length, distance) {
			return 0, 0
		}
		pos += length
		anchor = pos
		if pos >= limit {
			break
		}
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

// find returns the first position from pos on, and below limit, whose four bytes equal those at an earlier position that the
// table knows, and the distance between the two; or a position that is not below limit. It enters all it passes into the table.
//
// Where the table knows no position of this input the bytes are compared with those at its start: whether it knows one cannot
// be predicted, so a branch on that would cost more than the comparison.
func (e *Encoder) find(src []byte, pos, limit int) (at, distance int) {
	table, base, shift := &e.table, e.base, (32-e.bits)&31
	skip, longest := e.skip&31, int(e.maxStep)
	for start := pos; pos < limit; pos += min(1+(pos-start)>>skip, longest) {
		word := binary.LittleEndian.Uint32(src[pos:])
		slot := &table[(word*hashFactor>>shift)&(1<<hashBits-1)]
		known := int32(*slot - base)
		known &^= known >> 31 // none of this input: 0
		*slot = base + uint32(pos)
		if binary.LittleEndian.Uint32(src[known:]) == word && pos-int(known) <= maxFar {
			return pos, pos - int(known)
		}
	}
	return pos, 0
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
