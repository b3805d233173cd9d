package zstd

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cairn-go/cairn/internal/asm/zstdcode"
	"github.com/cairn-go/cairn/internal/asm/zstdfind"
)

// A sequence is a number of literals followed by a match.
type sequence = zstdfind.Match

// An Encoder encodes frames. It contains the tables of its level, up to some MiB, and must not be
// used concurrently.
type Encoder struct {
	find     finder
	block    blockEncoder
	seqs     []sequence
	lits     []byte // followed by slack
	litCount int
	repeat   [3]uint32 // the decoder's state at the start of the next block
	out      []byte    // one block
	parts    []part
	divide   bool // split blocks if that makes them smaller
	divider  divider
	level    int
	matches  int    // in what was estimated last
	row      int    // blocks end where a row of so many bytes does, unless it is 0
	on       bool   // whether there is a dictionary
	known    *known // memory of the dictionary; nil before the first one
}

// A finder divides src[from:to] into sequences, whose matches may refer to anything before them,
// and appends these to e.seqs. The remaining bytes at the end are literals. e.repeat contains the
// repeated distances for the first sequence.
type finder interface {
	// begin forgets all positions of other data.
	begin(src []byte)
	find(e *Encoder, src []byte, from, to int)
}

// NewEncoder returns an encoder for a level from 0 to 9 of Blosc2, each of which corresponds to a
// level of Zstandard.
func NewEncoder(level int) *Encoder {
	e := &Encoder{find: newFinder(level), level: level}
	e.divide = level > 5

	e.block.litShare = 20
	if level > 8 {
		e.block.litShare = 64
	}
	return e
}

// Encode compresses src into one frame at the start of dst and returns its length, or 0 if it does
// not fit into len(dst) bytes or src has 2 GiB or more. The result depends only on src, the level
// and the dictionary.
func (e *Encoder) Encode(dst, src []byte) int {
	at := writeFrameHeader(dst, len(src))
	if at == 0 || uint64(len(src)) >= 1<<31 {
		return 0
	}

	e.repeat = [3]uint32{1, 4, 8}
	e.block.begin()
	if e.on {
		return e.encodeBehind(dst, at, src)
	}
	e.find.begin(src)
	return e.encodeFrom(dst, at, src, 0)
}

// EncodeRows is Encode of rows of as many bytes each, which differ in what bytes they have: none of
// the blocks of the frame has bytes of two. It is Encode if there are 0 bytes in a row.
func (e *Encoder) EncodeRows(dst, src []byte, row int) int {
	e.row = row
	n := e.Encode(dst, src)
	e.row = 0
	return n
}

// Matches returns how many matches there were in what was estimated last.
func (e *Encoder) Matches() int { return e.matches }

// encodeFrom writes the blocks of src[from:] to dst[at:] and returns their end, or 0 if they do not
// fit.
func (e *Encoder) encodeFrom(dst []byte, at int, src []byte, from int) int {
	for {
		to := min(from+maxBlock, len(src))
		if e.row > 0 {
			to = min(to, from+e.row-from%e.row)
		}
		if at = e.encodeBlock(dst, at, src, from, to); at == 0 {
			return 0
		}
		if from = to; from == len(src) {
			return at
		}
	}
}

// writeFrameHeader writes the header of a single-segment frame without a checksum, and returns its
// length, or 0 if it does not fit.
func writeFrameHeader(dst []byte, size int) int {
	var h [9]byte
	binary.LittleEndian.PutUint32(h[:], magic)
	n := 0
	switch {
	case size < 256:
		h[4] = descSingle
		h[5] = byte(size)
		n = 6
	case size < 65536+256:
		h[4] = descSingle | 1<<descContentSize
		n = 7
		binary.LittleEndian.PutUint16(h[5:], uint16(size-256))
	default:
		h[4] = descSingle | 2<<descContentSize
		n = 9
		binary.LittleEndian.PutUint32(h[5:], uint32(size))
	}

	if len(dst) < n {
		return 0
	}
	return copy(dst, h[:n])
}

// encodeBlock writes src[from:to] to dst[at:] as one or several blocks, and returns their end, or 0
// if they do not fit.
func (e *Encoder) encodeBlock(dst []byte, at int, src []byte, from, to int) int {
	raw := src[from:to]
	last := to == len(src)
	if len(raw) < 8 {
		return putBlock(dst, at, raw, blockRaw, len(raw), last)
	}
	if uniform(raw) {
		return putBlock(dst, at, raw[:1], blockRLE, len(raw), last)
	}

	e.seqs = e.seqs[:0]
	e.find.find(e, src, from, to)
	e.widen()
	e.gather(raw)

	if need := len(raw) + 1024; len(e.out) < need {
		e.out = make([]byte, need)
	}

	for _, p := range e.cut(len(raw)) {
		at = e.encodePart(dst, at, raw[p.from:p.to], e.lits[p.litFrom:p.litTo], e.seqs[p.seqFrom:p.seqTo], last && p.to == len(raw))
		if at == 0 {
			return 0
		}
	}
	return at
}

// encodePart writes one block. It is raw if that costs little: raw blocks are decoded fastest.
func (e *Encoder) encodePart(dst []byte, at int, raw, lits []byte, seqs []sequence, last bool) int {
	if len(e.parts) > 1 && uniform(raw) {
		return putBlock(dst, at, raw[:1], blockRLE, len(raw), last)
	}

	repeat := e.repeat
	n := e.block.writeLiterals(e.out, lits)
	most := len(raw) - len(raw)>>6 - len(seqs) // each sequence must gain a byte
	if more := e.block.writeSequences(e.out[n:], seqs, &repeat); more > 0 && n+more < most {
		e.repeat = repeat
		e.block.commit()
		return putBlock(dst, at, e.out[:n+more], blockCompressed, n+more, last)
	}
	return putBlock(dst, at, raw, blockRaw, len(raw), last)
}

// putBlock writes a block header and the stored bytes, and returns their end, or 0 if they do not
// fit.
func putBlock(dst []byte, at int, stored []byte, kind blockType, size int, last bool) int {
	if len(stored)+blockHeaderSize > len(dst)-at {
		return 0
	}

	v := uint32(kind)<<1 | uint32(size)<<3
	if last {
		v |= 1
	}
	dst[at] = byte(v)
	dst[at+1] = byte(v >> 8)
	dst[at+2] = byte(v >> 16)

	at += blockHeaderSize
	return at + copy(dst[at:], stored)
}

// uniform reports whether all bytes are equal; b must not be empty.
func uniform(b []byte) bool {
	n := len(b)
	return b[0] == b[n/2] && bytes.Equal(b[1:], b[:n-1])
}

// gather sets e.lits to the literals of all sequences and of the end.
func (e *Encoder) gather(raw []byte) {
	if need := len(raw) + zstdcode.Slack; len(e.lits) < need {
		e.lits = make([]byte, need)
	}
	e.litCount = zstdcode.Gather(e.lits, raw, e.seqs)
}

// Long matches at short distances are split by widen.
const (
	longMatch   = 1024 // minimum length, which makes up for another sequence
	minDistance = 256  // libzstd copies several times as fast from here on
)

// widen splits long matches at short distances: some hundred bytes on, the rest has the same
// contents at a multiple of the distance, and copies of several registers overlap no longer.
func (e *Encoder) widen() {
	for i := 0; i < len(e.seqs); i++ {
		s := &e.seqs[i]
		if s.Length < longMatch || s.Distance >= minDistance {
			continue
		}

		far := (minDistance + s.Distance - 1) / s.Distance * s.Distance
		rest := sequence{Length: s.Length - far, Distance: far}
		s.Length = far
		i++
		e.seqs = slices.Insert(e.seqs, i, rest)
	}
}

// push appends a sequence.
func (e *Encoder) push(literals, length int, distance uint32) {
	e.seqs = append(e.seqs, sequence{Literals: uint32(literals), Length: uint32(length), Distance: distance})
}
