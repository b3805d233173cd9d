package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdseq"

// A sequence is some literals and a match. Its offset is 1 to 3 for a repeated distance, else the distance plus 3.
type sequence struct{ literals, match, offset uint32 }

// A blockEncoder writes sequences and literals as a block.
type blockEncoder struct {
	huff    huffmanEncoder
	counts  [256]uint32
	table   [160]byte // description of a Huffman table
	build   tableBuilder
	tables  [3]fseEncoder
	using   [3]*fseEncoder
	codes   [3][]uint8 // of each sequence
	litGain uint8      // literals have to gain 1/2^litGain of their size
}

// Codes of short lengths; longer ones have a code per power of two.
var (
	literalCodes = lengthCodes(64, 36, &literalTemplates)
	matchCodes   = lengthCodes(131, 53, &matchTemplates)
)

func lengthCodes(limit int, count uint8, templates *[64]zstdseq.Entry) []uint8 {
	codes := make([]uint8, limit)
	for code := range count {
		base, extra := int(templates[code]>>32), templates[code]>>8&0xff
		for v := base; v < base+1<<extra && v < limit; v++ {
			codes[v] = code
		}
	}
	return codes
}

func literalCode(n uint32) uint8 {
	if n < uint32(len(literalCodes)) {
		return literalCodes[n]
	}
	return uint8(highBit(n)) + 19
}

func matchCode(n uint32) uint8 {
	if n < uint32(len(matchCodes)) {
		return matchCodes[n]
	}
	return uint8(highBit(n-3)) + 36
}

// writeSequences writes a sequences section to dst and returns its length, or 0 if it does not fit.
func (e *blockEncoder) writeSequences(dst []byte, seqs []sequence) int {
	n := len(seqs)
	if len(dst) < 400 { // the three tables and some
		return 0
	}
	at := 1
	switch {
	case n < 128:
		dst[0] = byte(n)
	case n < 0x7f00:
		dst[0], dst[1] = byte(n>>8)+128, byte(n)
		at = 2
	default:
		dst[0], dst[1], dst[2] = 255, byte(n-0x7f00), byte((n-0x7f00)>>8)
		at = 3
	}
	if n == 0 {
		return 1
	}
	for t := range e.codes {
		if cap(e.codes[t]) < n {
			e.codes[t] = make([]uint8, max(n, maxBlock/4))
		}
		e.codes[t] = e.codes[t][:n]
	}
	ll, of, ml := e.codes[literalLengths], e.codes[offsets], e.codes[matchLengths]
	for i, s := range seqs {
		ll[i], of[i], ml[i] = literalCode(s.literals), uint8(highBit(s.offset)), matchCode(s.match)
	}
	modesAt := at
	at++
	modes := byte(0)
	for t := literalLengths; t <= matchLengths; t++ {
		mode, size := e.chooseTable(t, dst[at:])
		modes |= byte(mode) << (6 - 2*t)
		at += size
	}
	dst[modesAt] = modes
	size := e.writeBits(dst[at:], seqs)
	if size == 0 {
		return 0
	}
	return at + size
}

// chooseTable picks the cheapest table for one of the codes, writes its description, and returns the length of that.
func (e *blockEncoder) chooseTable(t table, dst []byte) (tableMode, int) {
	codes := e.codes[t]
	var counts [64]uint32
	highest := uint8(0)
	for _, c := range codes {
		counts[c&63]++
		highest = max(highest, c)
	}
	n := len(codes)
	fixed := predefinedBuilders[t].costBits(counts[:highest+1])
	if int(counts[highest]) == n && (n > 2 || fixed >= 1<<30) {
		e.tables[t].single(highest)
		e.using[t] = &e.tables[t]
		dst[0] = highest
		return modeRLE, 1
	}
	if n < 8 && fixed < 1<<30 {
		e.using[t] = &predefinedEncoders[t]
		return modePredefined, 0
	}
	e.build.normalise(counts[:highest+1], n, tableLog(n, int(highest), tableKinds[t].maxLog))
	own := e.build.costBits(counts[:highest+1])
	if size := e.build.writeCounts(dst); own+size<<11 < fixed {
		e.tables[t].make(&e.build)
		e.using[t] = &e.tables[t]
		return modeFSE, size
	}
	e.using[t] = &predefinedEncoders[t]
	return modePredefined, 0
}

// single makes the table of one symbol, which takes no bits.
func (e *fseEncoder) single(s uint8) {
	e.log = 0
	e.states[0] = 1
	e.symbols[s] = fseSymbol{first: -1, start: 1}
}

// writeBits writes the bit stream, the last sequence first, and returns its length, or 0 if it does not fit.
func (e *blockEncoder) writeBits(dst []byte, seqs []sequence) int {
	n := len(seqs)
	ll, of, ml := e.codes[literalLengths][:n], e.codes[offsets][:n], e.codes[matchLengths][:n]
	lt, ot, mt := e.using[literalLengths], e.using[offsets], e.using[matchLengths]
	w := bitWriter{out: dst}
	i := n - 1
	ls, os, ms := uint32(lt.symbols[ll[i]&63].start), uint32(ot.symbols[of[i]&63].start), uint32(mt.symbols[ml[i]&63].start)
	for {
		s := &seqs[i]
		w.add(uint64(s.literals), uint32(literalTemplates[ll[i]&63]>>8&0xff))
		w.flush()
		base := matchTemplates[ml[i]&63]
		w.add(uint64(s.match)-uint64(base>>32), uint32(base>>8&0xff))
		w.add(uint64(s.offset), uint32(of[i]))
		w.flush()
		if w.n > len(dst)-32 {
			return 0
		}
		if i--; i < 0 {
			break
		}
		os = ot.put(&w, os, of[i])
		ms = mt.put(&w, ms, ml[i])
		ls = lt.put(&w, ls, ll[i])
	}
	w.add(uint64(ms), uint32(mt.log))
	w.add(uint64(os), uint32(ot.log))
	w.add(uint64(ls), uint32(lt.log))
	return w.mark()
}

// The predefined tables, to encode with. They hold constants only.
var (
	predefinedBuilders = [3]*tableBuilder{
		literalLengths: counted(6, literalCounts[:]), offsets: counted(5, offsetCounts[:]), matchLengths: counted(6, matchCounts[:]),
	}
	predefinedEncoders = [3]fseEncoder{
		literalLengths: encoderOf(6, literalCounts[:]), offsets: encoderOf(5, offsetCounts[:]), matchLengths: encoderOf(6, matchCounts[:]),
	}
)

func counted(log uint8, counts []int16) *tableBuilder {
	b := &tableBuilder{used: len(counts), log: log}
	copy(b.counts[:], counts)
	return b
}

func encoderOf(log uint8, counts []int16) (e fseEncoder) {
	e.make(counted(log, counts))
	return e
}
