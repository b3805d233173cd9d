package zstdhuff

import (
	"encoding/binary"
	"math/bits"
)

func load(src []byte, at int) uint64 { return binary.LittleEndian.Uint64(src[at:]) }

// singleRoundsGeneric runs n rounds of all four streams. Their chains of look-ups do not depend on
// each other, so a processor that executes out of order runs them side by side.
func (s *Streams) singleRoundsGeneric(t *Single, n int) {
	for range n {
		for i := range s.Part {
			s.Part[i].singleRound(s.Src, s.Dst, t)
		}
	}
}

func (s *Streams) doubleRoundsGeneric(d *Double, n int) {
	for range n {
		for i := range s.Part {
			s.Part[i].doubleRound(s.Src, s.Dst, d)
		}
	}
}

// singleRound decodes five bytes. It sets a bit below the loaded ones; shifting moves that bit up,
// so its position counts the bits used.
func (p *Part) singleRound(src, dst []byte, t *Single) {
	w := (load(src, p.word) | 1) << (p.used & 7)
	e := t[w>>(64-MaxBits)]
	w <<= e & 63
	out := uint64(e >> 8)

	e = t[w>>(64-MaxBits)]
	w <<= e & 63
	out |= uint64(e>>8) << 8

	e = t[w>>(64-MaxBits)]
	w <<= e & 63
	out |= uint64(e>>8) << 16

	e = t[w>>(64-MaxBits)]
	w <<= e & 63
	out |= uint64(e>>8) << 24

	e = t[w>>(64-MaxBits)]
	w <<= e & 63
	out |= uint64(e>>8) << 32

	binary.LittleEndian.PutUint64(dst[p.Out:], out)
	p.Out += perRound
	p.advance(w)
}

// doubleRound decodes five to ten bytes.
func (p *Part) doubleRound(src, dst []byte, d *Double) {
	w := (load(src, p.word) | 1) << (p.used & 7)
	to := dst[p.Out : p.Out+doubleRoom]
	e := d[w>>(64-MaxBits)]
	w <<= e & 63
	binary.LittleEndian.PutUint16(to, uint16(e>>16))
	at := int(e >> 8 & 3)

	e = d[w>>(64-MaxBits)]
	w <<= e & 63
	binary.LittleEndian.PutUint16(to[at:], uint16(e>>16))
	at += int(e >> 8 & 3)

	e = d[w>>(64-MaxBits)]
	w <<= e & 63
	binary.LittleEndian.PutUint16(to[at:], uint16(e>>16))
	at += int(e >> 8 & 3)

	e = d[w>>(64-MaxBits)]
	w <<= e & 63
	binary.LittleEndian.PutUint16(to[at:], uint16(e>>16))
	at += int(e >> 8 & 3)

	e = d[w>>(64-MaxBits)]
	w <<= e & 63
	binary.LittleEndian.PutUint16(to[at:], uint16(e>>16))
	p.Out += at + int(e>>8&3)
	p.advance(w)
}

func (p *Part) advance(w uint64) {
	used := bits.TrailingZeros64(w)
	p.word -= used >> 3
	p.used = used & 7
}
