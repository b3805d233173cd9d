package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdcode"

// A part is a range of the finder's input that becomes a block, with its literals and sequences.
type part struct{ from, to, litFrom, litTo, seqFrom, seqTo int }

const (
	minPart  = 300       // minimum number of sequences for which own tables pay
	partCost = 100 << 11 // fixed cost of a block with its tables, in 1/256 bits
)

// cut divides n bytes into the parts to make blocks of.
func (e *Encoder) cut(n int) []part {
	whole := part{to: n, litTo: e.litCount, seqTo: len(e.seqs)}
	e.parts = e.parts[:0]

	if !e.divide || len(e.seqs) < 2*minPart {
		e.parts = append(e.parts, whole)
		return e.parts
	}

	e.divider.begin(e)
	e.bisect(whole, e.divider.cost(e, whole))
	return e.parts
}

// bisect appends a part, or recursively its two halves if they are smaller. cost is that of the
// whole part.
func (e *Encoder) bisect(p part, cost int) {
	if p.seqTo-p.seqFrom < 2*minPart {
		e.parts = append(e.parts, p)
		return
	}

	a := p
	b := p
	a.seqTo = (p.seqFrom + p.seqTo) / 2
	a.to = p.from
	a.litTo = p.litFrom
	for _, s := range e.seqs[a.seqFrom:a.seqTo] {
		a.to += int(s.Literals + s.Length)
		a.litTo += int(s.Literals)
	}

	b.from = a.to
	b.litFrom = a.litTo
	b.seqFrom = a.seqTo

	costA := e.divider.cost(e, a)
	costB := e.divider.cost(e, b)
	if costA+costB >= cost {
		e.parts = append(e.parts, p)
		return
	}
	e.bisect(a, costA)
	e.bisect(b, costB)
}

// A divider estimates the encoded sizes of parts.
type divider struct {
	offsets []uint8 // codes of all sequences
	stats   statistics
}

// begin computes the codes of all distances, as if there were a single part.

func (d *divider) begin(e *Encoder) {
	if cap(d.offsets) < len(e.seqs) {
		d.offsets = make([]uint8, max(len(e.seqs), maxBlock/4))
	}
	d.offsets = d.offsets[:len(e.seqs)]

	repeat := e.repeat
	for i, s := range e.seqs {
		d.offsets[i] = uint8(highBit(zstdcode.Offset(&repeat, s.Distance, s.Literals == 0)))
	}
}

// cost returns the estimated size of a part in 1/256 bits.
func (d *divider) cost(e *Encoder, p part) int {
	s := &d.stats
	histogram(&s.literals, e.lits[p.litFrom:p.litTo])
	s.clear()

	for i, q := range e.seqs[p.seqFrom:p.seqTo] {
		s.runs[literalCode(q.Literals)]++
		s.lengths[matchCode(q.Length)]++
		s.offsets[d.offsets[p.seqFrom+i]&31]++
	}

	total := partCost
	total += s.literalCost(e.block.litShare)
	for _, counts := range [][]uint32{s.runs[:], s.lengths[:], s.offsets[:]} {
		bits, distinct := entropy(counts)
		total += bits + distinct<<10
	}

	for code, c := range s.runs {
		total += int(c) * int(literalTemplates[code]&0xff00)
	}
	for code, c := range s.lengths {
		total += int(c) * int(matchTemplates[code]&0xff00)
	}
	for code, c := range s.offsets {
		total += int(c) * code << 8
	}
	return total
}

// literalCost returns the estimated size of the counted literals in 1/256 bits.
func (s *statistics) literalCost(share int) int {
	n := 0
	for _, c := range s.literals {
		n += int(c)
	}

	bits, distinct := entropy(s.literals[:])
	coded := bits + distinct<<9
	raw := n << 11
	if coded > raw-raw/share || flat(&s.literals, n) {
		return raw
	}
	return coded
}

// products has small numbers times their logarithms times 256.
var products = func() (t [1 << 10]uint32) {
	for n := range t[1:] {
		t[n+1] = uint32((n + 1) * log2x256(uint32(n+1)))
	}
	return t
}()

// weighed returns a positive number times its logarithm times 256.
func weighed(n uint32) int {
	if n < uint32(len(products)) {
		return int(products[n])
	}
	return int(n) * log2x256(n)
}

// entropy returns the size in 1/256 bits of symbols with the given counts, and the number of
// distinct symbols.
func entropy(counts []uint32) (bits, distinct int) {
	n := uint32(0)
	sum := 0
	for _, c := range counts {
		if c > 0 {
			n += c
			distinct++
			sum += weighed(c)
		}
	}
	if n == 0 {
		return 0, 0
	}
	return int(n)*log2x256(n) - sum, distinct
}
