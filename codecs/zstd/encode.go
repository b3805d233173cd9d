package zstd

import (
	"bytes"
	"encoding/binary"
)

// An Encoder makes frames. It holds the tables of its level, up to some MiB, and serves one goroutine at a time.
type Encoder struct {
	find   finder
	block  blockEncoder
	seqs   []sequence
	lits   []byte
	repeat [3]uint32
	out    []byte // one block
}

// A finder cuts src[from:to] into sequences, which may refer to anything before them, appends them to e.seqs and their literals, and
// those left at the end, to e.lits, and keeps e.repeat.
type finder interface {
	// begin forgets what it knows of other data.
	begin(src []byte)
	find(e *Encoder, src []byte, from, to int)
}

// NewEncoder returns an encoder for a level from 0 to 9: Blosc2's, of which each stands for one of Zstandard's.
func NewEncoder(level int) *Encoder {
	e := &Encoder{find: newFinder(level)}
	e.block.litGain = 6
	if level > 5 {
		e.block.litGain = 8
	}
	return e
}

// Encode compresses src into one frame at the start of dst and returns its length, or 0 if it does not fit into len(dst) bytes.
// It depends on src and the level alone. Nothing of 2 GiB or more fits.
func (e *Encoder) Encode(dst, src []byte) int {
	at := writeFrameHeader(dst, len(src))
	if at == 0 || uint64(len(src)) >= 1<<31 {
		return 0
	}
	e.repeat = [3]uint32{1, 4, 8}
	e.find.begin(src)
	for from := 0; ; {
		to := min(from+maxBlock, len(src))
		block, kind, size := e.encodeBlock(src, from, to)
		if len(block)+blockHeaderSize > len(dst)-at {
			return 0
		}
		v := uint32(kind)<<1 | uint32(size)<<3
		if to == len(src) {
			v |= 1
		}
		dst[at], dst[at+1], dst[at+2] = byte(v), byte(v>>8), byte(v>>16)
		at += blockHeaderSize + copy(dst[at+blockHeaderSize:], block)
		if from = to; from == len(src) {
			return at
		}
	}
}

// writeFrameHeader writes the header of a frame of one segment, without a checksum, or returns 0 if it does not fit.
func writeFrameHeader(dst []byte, size int) int {
	var h [9]byte
	binary.LittleEndian.PutUint32(h[:], magic)
	n := 0
	switch {
	case size < 256:
		h[4], h[5], n = descSingle, byte(size), 6
	case size < 65536+256:
		h[4], n = descSingle|1<<descContentSize, 7
		binary.LittleEndian.PutUint16(h[5:], uint16(size-256))
	default:
		h[4], n = descSingle|2<<descContentSize, 9
		binary.LittleEndian.PutUint32(h[5:], uint32(size))
	}
	if len(dst) < n {
		return 0
	}
	return copy(dst, h[:n])
}

// encodeBlock returns what is stored of a block, in memory that the next call overwrites or in src, and the two numbers of its header.
func (e *Encoder) encodeBlock(src []byte, from, to int) (stored []byte, kind blockType, size int) {
	raw := src[from:to]
	n := len(raw)
	if n < 8 {
		return raw, blockRaw, n
	}
	if raw[0] == raw[n/2] && bytes.Equal(raw[1:], raw[:n-1]) {
		return raw[:1], blockRLE, n
	}
	before := e.repeat
	e.seqs, e.lits = e.seqs[:0], e.lits[:0]
	e.find.find(e, src, from, to)
	if need := n + 1024; len(e.out) < need {
		e.out = make([]byte, need)
	}
	at := e.block.writeLiterals(e.out, e.lits)
	if more := e.block.writeSequences(e.out[at:], e.seqs); more > 0 && at+more < n {
		return e.out[:at+more], blockCompressed, at + more
	}
	e.repeat = before
	return raw, blockRaw, n
}

// push appends a sequence whose literals are src[from:at] and whose match is at the given distance, and keeps the repeated distances.
func (e *Encoder) push(src []byte, from, at, length int, distance uint32) {
	e.lits = append(e.lits, src[from:at]...)
	e.seqs = append(e.seqs, sequence{uint32(at - from), uint32(length), e.offsetOf(distance, at == from)})
}

// offsetOf returns the shortest name of a distance and makes it the latest (RFC 8878 §3.1.1.5).
func (e *Encoder) offsetOf(distance uint32, noLiterals bool) uint32 {
	r := &e.repeat
	shift := uint32(0)
	if noLiterals {
		shift = 1
	}
	switch distance {
	case r[0]:
		if noLiterals {
			break // the name means something else here
		}
		return 1
	case r[1]:
		r[0], r[1] = r[1], r[0]
		return 2 - shift
	case r[2]:
		r[0], r[1], r[2] = r[2], r[0], r[1]
		return 3 - shift
	case r[0] - 1:
		if !noLiterals || r[0] == 1 {
			break
		}
		r[0], r[1], r[2] = distance, r[0], r[1]
		return 3
	}
	r[0], r[1], r[2] = distance, r[0], r[1]
	return distance + 3
}
