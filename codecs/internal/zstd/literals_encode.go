package zstd

import "encoding/binary"

const (
	minHuffman = 64 // minimum number of literals for a table
	// tableGain is how many bytes a new table must save at least, as a decoder needs up to four
	// microseconds to build it.
	tableGain = 32
)

// writeLiterals writes a literals section to dst and returns its length. dst needs room for the
// literals and 64 bytes.
func (e *blockEncoder) writeLiterals(dst, lits []byte) int {
	n := len(lits)
	e.newHuff = false
	if n < e.leastLits {
		return storeLiterals(dst, lits)
	}

	distinct := histogram(&e.counts, lits)
	if distinct == 1 {
		at := literalsHeader(dst, literalsRLE, n)
		dst[at] = lits[0]
		return at + 1
	}
	// Literals that gain little are stored raw, which is faster to decode. The entropy, a lower
	// bound of any code, is checked first.
	most := n - n/e.litShare - 2
	if flat(&e.counts, n) || e.entropyBytes(n) >= most {
		return storeLiterals(dst, lits)
	}

	// Codes of the previous block need no description, and may so be worth more than new ones.
	kind := literalsCompressed
	h := &e.huff[1-e.known]
	bits := h.plan(&e.counts)
	described := h.describe(e.table[:])
	if described == 0 {
		bits = impossible
	}
	total := bits/8 + described + e.tableGain
	if again := e.huff[e.known].costBits(&e.counts) / 8; e.anyHuff && again <= total {
		kind = literalsTreeless
		h = &e.huff[e.known]
		total = again
		described = 0
	}
	if total >= most {
		return storeLiterals(dst, lits)
	}

	streams := 4
	header := 3
	switch {
	case n < 256:
		streams = 1
	case n >= 1<<14:
		header = 5
	case n >= 1<<10:
		header = 4
	}

	copy(dst[header:], e.table[:described])
	at := h.streams(dst, lits, header+described, streams)
	stored := at - header
	if stored >= most {
		return storeLiterals(dst, lits)
	}

	e.newHuff = kind == literalsCompressed
	format := uint64(header - 2)
	width := [...]uint{3: 10, 4: 14, 5: 18}[header]
	if streams == 1 {
		format = 0
	}
	v := uint64(kind) | format<<2 | uint64(n)<<4 | uint64(stored)<<(4+width)
	for i := range header {
		dst[i] = byte(v >> (8 * i))
	}
	return at
}

// streams writes one stream, or a jump table and four streams, to dst[at:] and returns their end.
func (h *huffmanEncoder) streams(dst, lits []byte, at, streams int) int {
	if streams == 1 {
		return at + h.stream(dst[at:], lits)
	}

	jump := at
	at += 6

	part := (len(lits) + 3) / 4
	n1, n2 := h.streamPair(dst[at:], lits[:part], lits[part:2*part])
	at += n1 + n2
	n3, n4 := h.streamPair(dst[at:], lits[2*part:3*part], lits[3*part:])
	for i, n := range [...]int{n1, n2, n3} {
		binary.LittleEndian.PutUint16(dst[jump+2*i:], uint16(n))
	}
	return at + n3 + n4
}

// flat reports whether no byte among n literals is much more than twice as frequent as in noise.
// C-Blosc2 stores such literals, though they may gain up to an eighth.
func flat(counts *[256]uint32, n int) bool {
	most := uint32(0)
	for _, c := range counts {
		most = max(most, c)
	}
	return int(most) < n>>7+4
}

// entropyBytes returns a lower bound of the size in bytes of the counted literals.
func (e *blockEncoder) entropyBytes(n int) int {
	total := 0
	whole := log2x256(uint32(n))
	for _, c := range e.counts {
		if c > 0 {
			total += int(c) * (whole - log2x256(c))
		}
	}
	return total>>11 - n>>7
}

func storeLiterals(dst, lits []byte) int {
	at := literalsHeader(dst, literalsRaw, len(lits))
	return at + copy(dst[at:], lits)
}

// literalsHeader writes the header of raw and RLE literals and returns its length.
func literalsHeader(dst []byte, kind literalsType, n int) int {
	switch {
	case n < 32:
		dst[0] = byte(kind) | byte(n)<<3
		return 1
	case n < 1<<12:
		binary.LittleEndian.PutUint16(dst, uint16(kind)|1<<2|uint16(n)<<4)
		return 2
	}

	v := uint32(kind) | 3<<2 | uint32(n)<<4
	dst[0] = byte(v)
	dst[1] = byte(v >> 8)
	dst[2] = byte(v >> 16)
	return 3
}
