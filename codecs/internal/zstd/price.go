package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdcode"

// prices are sizes in 1/256 bits, computed from the last statistics.
type prices struct {
	literal [256]uint32
	run     [64]uint32 // of runs of literals, by length
	runCode [37]uint32 // of longer runs, by code; the last is for a whole block without matches
	length  [lengthPrices]uint32
	long    [53]uint32 // of longer matches, by code
	offset  [32]uint32
}

const lengthPrices = 1024

// statistics are numbers of occurrences.
type statistics struct {
	literals [256]uint32
	runs     [36]uint32
	lengths  [53]uint32
	offsets  [32]uint32
}

// count counts the sequences and literals of e.
func (s *statistics) count(e *Encoder) {
	histogram(&s.literals, e.lits[:e.litCount])
	s.clear()
	repeat := e.repeat
	for _, q := range e.seqs {
		s.runs[literalCode(q.Literals)]++
		s.lengths[matchCode(q.Length)]++
		s.offsets[highBit(zstdcode.Offset(&repeat, q.Distance, q.Literals == 0))]++
	}
}

// guess sets initial statistics: literals as in src, and everything else about equally likely.
func (s *statistics) guess(src []byte) {
	histogram(&s.literals, src)
	for i := range s.runs {
		s.runs[i] = 1
	}
	s.runs[0] = 4
	s.runs[1] = 2

	for i := range s.lengths {
		s.lengths[i] = 1
	}
	for i := range s.offsets {
		s.offsets[i] = 1
	}
	s.offsets[0] = 6
	s.offsets[1] = 2
	for i := 6; i < 18; i++ {
		s.offsets[i] = 3
	}
}

// clear resets everything but the literals.
func (s *statistics) clear() {
	clear(s.runs[:])
	clear(s.lengths[:])
	clear(s.offsets[:])
}

// set computes prices from statistics. Literals that gain less than 1/share will be stored.
func (p *prices) set(s *statistics, share int) {
	logPrices(p.literal[:], s.literals[:], 11<<8)

	total := uint64(0)
	cost := uint64(0)
	for i, c := range s.literals {
		p.literal[i] = max(p.literal[i], 1<<8) // no code is shorter than one bit
		total += uint64(c)
		cost += uint64(c) * uint64(p.literal[i])
	}
	if raw := total * (8 << 8); cost > raw-raw/uint64(share) || flat(&s.literals, int(total)) {
		for i := range p.literal {
			p.literal[i] = 8 << 8
		}
	}

	logPrices(p.runCode[:36], s.runs[:], 12<<8)
	for code := range p.runCode {
		p.runCode[code] += uint32(literalTemplates[code]) >> 8 & 0xff << 8
	}
	for n := range p.run {
		p.run[n] = p.runCode[literalCode(uint32(n))]
	}

	logPrices(p.long[:], s.lengths[:], 12<<8)
	for code := range p.long {
		p.long[code] += uint32(matchTemplates[code]) >> 8 & 0xff << 8
	}
	for n := 3; n < lengthPrices; n++ {
		p.length[n] = p.long[matchCode(uint32(n))]
	}

	logPrices(p.offset[:], s.offsets[:], 11<<8)
	for code := range p.offset {
		p.offset[code] += uint32(code) << 8
	}
}

// logPrices converts counts to ideal code lengths; a count of 0 is treated as a fraction of 1.
func logPrices(to, counts []uint32, most uint32) {
	total := uint32(0)
	for _, c := range counts {
		total += 4*c + 1
	}

	whole := log2x256(total)
	for i, c := range counts {
		to[i] = min(most, uint32(whole-log2x256(4*c+1)))
	}
}

func (p *prices) ofRun(n uint32) uint32 {
	if n < uint32(len(p.run)) {
		return p.run[n]
	}
	return p.runCode[literalCode(n)]
}

func (p *prices) ofLength(n uint32) uint32 {
	if n < lengthPrices {
		return p.length[n]
	}
	return p.long[matchCode(n)]
}
