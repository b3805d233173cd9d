package zstd

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/zstdseq"
)

// A blockEncoder encodes sequences and literals as a block. It keeps the tables of previous blocks
// that the decoder can reuse: commit makes the tables of the current block known after it was
// stored.
type blockEncoder struct {
	huff       [2]huffmanEncoder // the known one, if anyHuff is set, and that of the current block
	known      int
	anyHuff    bool
	newHuff    bool // the current block has a table
	counts     [256]uint32
	table      [160]byte // description of a Huffman table
	build      tableBuilder
	tables     [3][2]fseEncoder // one of each is known
	using      [3]*fseEncoder   // nil before the first block with sequences
	last       [3]*fseEncoder   // the known ones
	sequences  bool             // the current block has sequences
	codes      [3][]uint8       // per sequence
	offsets    []uint32         // per sequence
	codeCounts [3][64]uint32
	litShare   int // literals must gain 1/litShare of their size
	leastLits  int // minimum number of literals for a table
	tableGain  int // minimum gain in bytes by a new table
}

// begin forgets all tables.
func (e *blockEncoder) begin() {
	e.anyHuff, e.last = false, [3]*fseEncoder{}
	e.leastLits, e.tableGain = minHuffman, tableGain
}

// commit makes the tables of the current block known.
func (e *blockEncoder) commit() {
	if e.newHuff {
		e.known, e.anyHuff = 1-e.known, true
	}
	if e.sequences {
		e.last = e.using
	}
}

// Codes of short lengths; longer ones have one code per power of two.
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
func (e *blockEncoder) writeSequences(dst []byte, seqs []sequence, repeat *[3]uint32) int {
	n := len(seqs)
	e.sequences = n > 0
	if len(dst) < 400 { // the three tables and the header
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
	e.name(seqs, repeat)
	modesAt := at
	at++
	modes := byte(0)
	for t := literalLengths; t <= matchLengths; t++ {
		mode, size := e.chooseTable(t, n, dst[at:])
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

// name computes the codes of all sequences and counts them.
func (e *blockEncoder) name(seqs []sequence, repeat *[3]uint32) {
	n := len(seqs)
	if cap(e.offsets) < n {
		e.offsets = make([]uint32, max(n, maxBlock/4))
		for t := range e.codes {
			e.codes[t] = make([]uint8, cap(e.offsets))
		}
	}
	e.offsets = e.offsets[:n]
	for t := range e.codes {
		e.codes[t] = e.codes[t][:n]
		clear(e.codeCounts[t][:])
	}
	ll, of, ml, off := e.codes[literalLengths], e.codes[offsets], e.codes[matchLengths], e.offsets
	lls, ofs, mls := &e.codeCounts[literalLengths], &e.codeCounts[offsets], &e.codeCounts[matchLengths]
	r := *repeat
	for i := range seqs {
		s := &seqs[i]
		v := uint32(1)
		if s.Distance != r[0] || s.Literals == 0 {
			v = offsetOf(&r, s.Distance, s.Literals == 0)
		}
		l, o, m := literalCode(s.Literals), uint8(highBit(v)), matchCode(s.Length)
		off[i] = v
		ll[i], of[i], ml[i] = l, o, m
		lls[l&63]++
		ofs[o&63]++
		mls[m&63]++
	}
	*repeat = r
}

// chooseTable selects the cheapest table for one of the codes of n sequences, writes its
// description, and returns the length of the description.
func (e *blockEncoder) chooseTable(t table, n int, dst []byte) (tableMode, int) {
	all := &e.codeCounts[t]
	highest := len(all) - 1
	for all[highest] == 0 {
		highest--
	}
	counts := all[:highest+1]
	own := &e.tables[t][0]
	if own == e.last[t] {
		own = &e.tables[t][1]
	}
	fixed := predefinedEncoders[t].costBits(counts)
	if int(counts[highest]) == n && (n > 2 || fixed >= impossible) {
		own.single(uint8(highest))
		e.using[t] = own
		dst[0] = byte(highest)
		return modeRLE, 1
	}
	mode, best := modePredefined, fixed
	e.using[t] = &predefinedEncoders[t]
	if last := e.last[t]; last != nil {
		if again := last.costBits(counts); again < best {
			mode, best = modeRepeat, again
			e.using[t] = last
		}
	}
	if n < 8 && best < impossible {
		return mode, 0
	}
	e.build.normalise(counts, n, tableLog(n, highest, tableKinds[t].maxLog))
	cost := e.build.costBits(counts)
	if cost >= best {
		return mode, 0
	}
	if size := e.build.writeCounts(dst); cost+(size+e.tableGain)<<11 < best {
		own.make(&e.build)
		e.using[t] = own
		return modeFSE, size
	}
	return mode, 0
}

// single builds the table of a single symbol, which takes no bits.
func (e *fseEncoder) single(s uint8) {
	e.log, e.used = 0, int(s)+1
	clear(e.counts[:s])
	e.counts[s] = 1
	e.states[0] = 1
	e.symbols[s] = fseSymbol{first: -1, start: 1}
}

// writeBits writes the bit stream, the last sequence first, and returns its length, or 0 if it does
// not fit. The fields of a bitWriter are local variables here for speed.
func (e *blockEncoder) writeBits(dst []byte, seqs []sequence) int {
	n := len(seqs)
	ll, of, ml := e.codes[literalLengths][:n], e.codes[offsets][:n], e.codes[matchLengths][:n]
	off := e.offsets[:n]
	lt, ot, mt := e.using[literalLengths], e.using[offsets], e.using[matchLengths]
	var acc uint64
	have, at := uint32(0), 0
	i := n - 1
	l, o, m := ll[i]&63, of[i]&63, ml[i]&63
	ls, os, ms := uint32(lt.symbols[l].start), uint32(ot.symbols[o].start), uint32(mt.symbols[m].start)
	for {
		s := &seqs[i]
		bits := uint32(literalExtra[l])
		acc |= uint64(s.Literals) & (1<<(bits&31) - 1) << (have & 63)
		have += bits
		if at > len(dst)-32 {
			return 0
		}
		binary.LittleEndian.PutUint64(dst[at:], acc)
		at += int(have >> 3)
		acc >>= have & 56
		have &= 7
		bits = uint32(matchExtra[m])
		acc |= uint64(s.Length-3) & (1<<(bits&31) - 1) << (have & 63)
		have += bits
		acc |= uint64(off[i]) & (1<<(o&31) - 1) << (have & 63)
		have += uint32(o)
		binary.LittleEndian.PutUint64(dst[at:], acc)
		at += int(have >> 3)
		acc >>= have & 56
		have &= 7
		if i--; i < 0 {
			break
		}
		l, o, m = ll[i]&63, of[i]&63, ml[i]&63
		t := &ot.symbols[o]
		bits = (os + t.shift) >> 16
		acc |= uint64(os) & (1<<(bits&31) - 1) << (have & 63)
		have += bits
		os = uint32(ot.states[(int32(os>>(bits&31))+t.first)&(zstdseq.TableSize-1)])
		t = &mt.symbols[m]
		bits = (ms + t.shift) >> 16
		acc |= uint64(ms) & (1<<(bits&31) - 1) << (have & 63)
		have += bits
		ms = uint32(mt.states[(int32(ms>>(bits&31))+t.first)&(zstdseq.TableSize-1)])
		t = &lt.symbols[l]
		bits = (ls + t.shift) >> 16
		acc |= uint64(ls) & (1<<(bits&31) - 1) << (have & 63)
		have += bits
		ls = uint32(lt.states[(int32(ls>>(bits&31))+t.first)&(zstdseq.TableSize-1)])
	}
	w := bitWriter{out: dst, n: at, bits: acc, have: have}
	w.add(uint64(ms), uint32(mt.log))
	w.add(uint64(os), uint32(ot.log))
	w.add(uint64(ls), uint32(lt.log))
	return w.mark()
}

// Number of extra bits of each code.
var literalExtra, matchExtra = extraBits(&literalTemplates), extraBits(&matchTemplates)

func extraBits(templates *[64]zstdseq.Entry) (extra [64]uint8) {
	for code, t := range templates {
		extra[code] = uint8(t >> 8)
	}
	return extra
}

// The predefined tables for encoding. They are constant.
var (
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
