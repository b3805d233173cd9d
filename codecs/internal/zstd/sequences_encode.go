package zstd

import (
	"github.com/cairn-go/cairn/internal/asm/zstdcode"
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
	named      []zstdcode.Sequence
	codeCounts zstdcode.Counts
	litShare   int // literals must gain 1/litShare of their size
	leastLits  int // minimum number of literals for a table
	tableGain  int // minimum gain in bytes by a new table
}

// begin forgets all tables.
func (e *blockEncoder) begin() {
	e.anyHuff = false
	e.last = [3]*fseEncoder{}
	e.leastLits = minHuffman
	e.tableGain = tableGain
}

// commit makes the tables of the current block known.
func (e *blockEncoder) commit() {
	if e.newHuff {
		e.known = 1 - e.known
		e.anyHuff = true
	}
	if e.sequences {
		e.last = e.using
	}
}

// lengthCodes are the codes of short lengths.
var lengthCodes = zstdcode.Codes{
	Literal: [zstdcode.ShortLiterals]uint16(shortCodes(zstdcode.ShortLiterals, 0, &literalTemplates)),
	Match:   [zstdcode.ShortMatches]uint16(shortCodes(zstdcode.ShortMatches, 3, &matchTemplates)),
}

func shortCodes(limit, first int, templates *[64]zstdseq.Entry) []uint16 {
	codes := make([]uint16, limit)
	code := 0
	for v := range codes {
		for code < 52 && int(templates[code+1]>>32) == v+first {
			code++
		}
		codes[v] = uint16(code) | uint16(templates[code])&0xff00
	}
	return codes
}

func literalCode(n uint32) uint8 {
	if n < zstdcode.ShortLiterals {
		return uint8(lengthCodes.Literal[n])
	}
	return uint8(highBit(n)) + 19
}

func matchCode(n uint32) uint8 {
	if n -= 3; n < zstdcode.ShortMatches {
		return uint8(lengthCodes.Match[n])
	}
	return uint8(highBit(n)) + 36
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
		dst[0] = byte(n>>8) + 128
		dst[1] = byte(n)
		at = 2
	default:
		dst[0] = 255
		dst[1] = byte(n - 0x7f00)
		dst[2] = byte((n - 0x7f00) >> 8)
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
	size := e.writeBits(dst[at:])
	if size == 0 {
		return 0
	}
	return at + size
}

// name computes the codes of all sequences and counts them.
func (e *blockEncoder) name(seqs []sequence, repeat *[3]uint32) {
	n := len(seqs)
	if cap(e.named) < n {
		e.named = make([]zstdcode.Sequence, max(n, maxBlock/4))
	}

	e.named = e.named[:n]
	e.codeCounts = zstdcode.Counts{}
	zstdcode.Name(e.named, seqs, &lengthCodes, &e.codeCounts, repeat)
}

// chooseTable selects the cheapest table for one of the codes of n sequences, writes its
// description, and returns the length of the description.
func (e *blockEncoder) chooseTable(t table, n int, dst []byte) (tableMode, int) {
	all := [...]*[64]uint32{&e.codeCounts.Literal, &e.codeCounts.Offset, &e.codeCounts.Match}[t]
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

	mode := modePredefined
	best := fixed
	e.using[t] = &predefinedEncoders[t]
	if last := e.last[t]; last != nil {
		if again := last.costBits(counts); again < best {
			mode = modeRepeat
			best = again
			e.using[t] = last
		}
	}

	// For so few sequences a table of their own costs more than it saves.
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
	e.log = 0
	e.used = int(s) + 1
	clear(e.counts[:s])
	e.counts[s] = 1
	e.States[0] = 1
	e.Symbols[s] = zstdcode.Symbol{First: -1}
	e.starts[s] = 1
}

// writeBits writes the bit stream, the last sequence first, and returns its length, or 0 if it does
// not fit.
func (e *blockEncoder) writeBits(dst []byte) int {
	lt := e.using[literalLengths]
	ot := e.using[offsets]
	mt := e.using[matchLengths]

	last := len(e.named) - 1
	q := &e.named[last]
	w := zstdcode.Stream{Out: dst}
	w.Add(q.Extra, int(q.Bits))

	tables := zstdcode.Tables{Literal: &lt.Table, Offset: &ot.Table, Match: &mt.Table}
	states := zstdcode.States{
		Literal: uint32(lt.starts[q.Literal]), Offset: uint32(ot.starts[q.Offset]), Match: uint32(mt.starts[q.Match]),
	}
	if !w.Write(e.named[:last], &tables, &states) {
		return 0
	}

	w.Add(uint64(states.Match), int(mt.log))
	w.Add(uint64(states.Offset), int(ot.log))
	w.Add(uint64(states.Literal), int(lt.log))
	return w.Mark()
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
