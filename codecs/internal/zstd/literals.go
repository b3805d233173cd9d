package zstd

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/zstdseq"
)

const (
	errLiteralsSize reason = "more literals than a block can have"
	errTreeless     reason = "literals repeat a Huffman table but there is none"
	errStreams      reason = "lengths of the four literal streams do not add up"
	errLiteralBits  reason = "a literal stream does not end where its output does"
	errTooFew       reason = "too few literals for four streams"
)

// A literalsType is the way in which literals are stored.
type literalsType uint8

const (
	literalsRaw literalsType = iota
	literalsRLE
	literalsCompressed // with a Huffman table
	literalsTreeless   // with the previous block's table
)

// minFour is the minimum number of literals for four streams; with fewer, some streams would be
// empty.
const minFour = 6

// A literals is the parsed header of a literals section (RFC 8878 §3.1.1.3.1).
type literals struct {
	kind    literalsType
	streams int // 1 or 4, if compressed
	size    int // number of literals
	at, end int // the bytes after the header

	wanted  int // how many of them are to be decoded, from the first on
	skipped int // how many of these need no value
}

func (d *Decoder) parseLiterals(src []byte, at int) (l literals, err error) {
	if at >= len(src) {
		return l, errTruncated
	}
	// type:2 format:2, then one or two sizes of a width that depends on the format; at most five
	// bytes.
	h := littleEndian(src[at:min(at+5, len(src))])
	l.kind = literalsType(h & 3)
	format := h >> 2 & 3

	var header, stored int
	if l.kind == literalsRaw || l.kind == literalsRLE {
		switch format {
		case 1:
			header = 2
			l.size = int(h >> 4 & 0xfff)
		case 3:
			header = 3
			l.size = int(h >> 4 & 0xfffff)
		default:
			header = 1
			l.size = int(h >> 3 & 0x1f)
		}
		stored = l.size
		if l.kind == literalsRLE {
			stored = 1
		}
	} else {
		bits := [4]uint8{10, 10, 14, 18}[format]
		header = [4]int{3, 3, 4, 5}[format]
		l.streams = 4
		if format == 0 {
			l.streams = 1
		}
		mask := uint64(1)<<bits - 1
		l.size = int(h >> 4 & mask)
		stored = int(h >> (4 + bits) & mask)
	}

	l.at = at + header
	l.end = l.at + stored
	switch {
	case l.end > len(src):
		return l, errTruncated
	case l.size > maxBlock:
		return l, errLiteralsSize
	case l.streams == 4 && l.size < minFour:
		return l, errTooFew
	}
	return l, nil
}

// literalBytes returns the wanted literals with zstdseq.Slack bytes of capacity behind them, either
// in src or in scratch memory.
func (d *Decoder) literalBytes(src []byte, l literals) ([]byte, error) {
	if l.kind == literalsRaw && l.at+l.size+zstdseq.Slack <= len(src) {
		return src[l.at : l.at+l.wanted], nil
	}
	to := d.literalScratch(l)[:l.wanted]
	return to, d.literalsInto(to, src, l)
}

// literalScratch returns memory for all literals, with zstdseq.Slack bytes of capacity behind them.
func (d *Decoder) literalScratch(l literals) []byte {
	if need := l.size + zstdseq.Slack; len(d.scratch) < need {
		d.scratch = make([]byte, (need+4095)&^4095)
	}
	return d.scratch[:l.size]
}

// literalsInto decodes the wanted literals; to has their number.
func (d *Decoder) literalsInto(to, src []byte, l literals) error {
	switch l.kind {
	case literalsRaw:
		copy(to, src[l.at:])
		return nil
	case literalsRLE:
		fill(to, src[l.at])
		return nil
	case literalsCompressed:
		d.placed.codes = false
		n, err := d.readHuffman(src[:l.end], l.at)
		if err != nil {
			d.haveHuff = sourceNone
			return err
		}

		d.haveHuff = sourceBlock
		d.huffPairs = false
		l.at += n
	case literalsTreeless:
		switch d.haveHuff {
		case sourceNone:
			return errTreeless
		case sourceDictionary:
			d.placeCodes()
		}
	}

	return d.huffmanStreams(to, src, l)
}

// pairsFrom is the minimum number of literals for building the table that decodes two at a time,
// and pairsRatio the maximum compressed size in sixteenths; both are measured, see
// docs/experiments.md.
const (
	pairsFrom  = 1024
	pairsRatio = 12
)

// huffmanStreams decodes the streams in src[l.at:l.end].
func (d *Decoder) huffmanStreams(to, src []byte, l literals) error {
	s := &d.streams
	s.Src = src
	s.Dst = to
	s.Part[0].From = l.at
	s.Part[0].To = l.end
	s.Part[0].Out = 0
	s.Part[0].End = l.size

	if l.streams == 4 {
		if err := d.splitStreams(src, l); err != nil {
			return err
		}
	}

	if l.wanted < l.size || l.skipped > 0 {
		return d.someLiterals(to, l)
	}
	return d.allLiterals(l)
}

// aloneCost is how many literals four streams yield together in the time in which one stream yields
// one.
const aloneCost = 5

// someLiterals decodes the stream that holds the wanted literals up to the last of them, if that is
// faster than all streams. Then to is the output of the streams.
func (d *Decoder) someLiterals(to []byte, l literals) error {
	if l.skipped >= l.wanted {
		return nil
	}

	s := &d.streams
	part := l.size
	if l.streams == 4 {
		part = (l.size + 3) / 4
	}

	if k := l.skipped / part; (l.wanted-k*part)*aloneCost < l.size || l.streams == 1 {
		if !s.DecodePart(k, l.wanted, &d.codes) {
			return errLiteralBits
		}
		return nil
	}

	s.Dst = d.literalScratch(l)
	all := s.Dst
	err := d.allLiterals(l)
	copy(to, all)
	return err
}

// allLiterals decodes all streams.
func (d *Decoder) allLiterals(l literals) error {
	s := &d.streams
	pairs := &d.pairs
	if l.size < pairsFrom || (l.end-l.at)*16 > l.size*pairsRatio {
		pairs = nil
	} else if !d.huffPairs {
		d.pairs.Fill(&d.codes)
		d.huffPairs = true
		d.placed.pairs = d.placed.codes
	}

	ok := s.Decode(l.streams, &d.codes, pairs)
	s.Src = nil
	s.Dst = nil
	if !ok {
		return errLiteralBits
	}
	return nil
}

// splitStreams parses the jump table (RFC 8878 §3.1.1.3.1.6): the lengths of the first three
// streams. The first three parts of the output have equal size; the last one is the rest.
func (d *Decoder) splitStreams(src []byte, l literals) error {
	const jumpTable = 6
	if l.end-l.at < jumpTable {
		return errTruncated
	}

	part := (l.size + 3) / 4
	from := l.at + jumpTable
	out := 0

	for i := range 4 {
		p := &d.streams.Part[i]
		p.From = from
		p.To = l.end
		p.Out = out
		p.End = l.size
		if i < 3 {
			p.To = from + int(binary.LittleEndian.Uint16(src[l.at+2*i:]))
			p.End = out + part
		}
		if p.To > l.end || p.End > l.size {
			return errStreams
		}
		from = p.To
		out = p.End
	}
	return nil
}
