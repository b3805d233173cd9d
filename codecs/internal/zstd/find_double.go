package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdfind"

// A doubleFinder has two tables: one for matches of at least eight bytes, the other for shorter
// ones. Positions are stored plus base as in a fastFinder.
type doubleFinder struct {
	search zstdfind.Double
	size   uint32
	spare  int // how many times tables have half the entries
}

func (f *doubleFinder) begin(src []byte) {
	s := &f.search
	s.Base += f.size
	if s.Base == 0 || s.Base > maxEpoch || len(src) > maxEpoch {
		clear(s.Long[:])
		clear(s.Short[:])
		s.Base = 1
	}

	f.size = uint32(len(src))
	// As many entries as positions, or half: smaller tables stay in the cache.
	s.SetLog(max(bitLength(len(src)-1)-f.spare, 10))
}

func (f *doubleFinder) find(e *Encoder, src []byte, from, to int) {
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
