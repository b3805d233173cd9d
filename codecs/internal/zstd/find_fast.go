package zstd

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/zstdfind"
)

const (
	// matches do not begin in the last bytes, so that eight bytes can be read at each position
	endRoom  = 8
	maxEpoch = 1 << 30
)

func load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// matchLength returns the number of equal bytes of src[a:end] and src[b:end], where a < b.
func matchLength(src []byte, a, b, end int) int {
	start := b
	for b+8 <= end {
		if x := load64(src, a) ^ load64(src, b); x != 0 {
			return b - start + bits.TrailingZeros64(x)>>3
		}
		a += 8
		b += 8
	}

	for b < end && src[a] == src[b] {
		a++
		b++
	}
	return b - start
}

// A fastFinder takes the first match that it finds, and increases its step while it finds none.
//
// Its table contains positions plus base. base advances with each stream, so that entries of
// earlier streams are out of range and the table need not be cleared.
type fastFinder struct {
	search zstdfind.State
	size   uint32
}

func (f *fastFinder) begin(src []byte) {
	s := &f.search
	s.Base += f.size
	if s.Base == 0 || s.Base > maxEpoch || len(src) > maxEpoch {
		clear(s.Table[:])
		s.Base = 1
	}
	f.size = uint32(len(src))
}

func (f *fastFinder) find(e *Encoder, src []byte, from, to int) {
	s := &f.search
	s.Src = src[:to]
	s.Anchor = from
	s.At = max(from, 1)
	s.Latest = int(e.repeat[0])
	s.Before = int(e.repeat[1])

	for s.At < to-zstdfind.EndRoom {
		s.Find()
		e.seqs = append(e.seqs, s.Out[:s.N]...)
	}
	s.Src = nil
}
