// Package latents has the loops of Pcodec's decoder: bins from the states of tANS, offsets of any
// width from a stream of bits, and latents from their differences.
package latents

import (
	"encoding/binary"
	"unsafe"
)

// A Latent is an unsigned integer that is coded.
type Latent interface {
	uint8 | uint16 | uint32 | uint64
}

const (
	Batch     = 256     // latents that are decoded together, at most
	MaxStates = 1 << 14 // of tANS
	turn      = 4       // states that take turns
)

// A Node says what a state decodes to, and how the next state is found. The lowest byte is how many
// bits are read for it, the next one how many bits the offset has; then 16 bits to which what was
// read is added, and 32 bits with the lower end of the bin, or for latents of 64 bits its number.
type Node uint64

// NodeOf returns a node.
func NodeOf(read, width, next int, bin uint32) Node {
	return Node(read) | Node(width)<<8 | Node(next)<<16 | Node(bin)<<32
}

// A Table is what the bins of a variable are decoded with.
type Table[L Latent] struct {
	Nodes  [MaxStates]Node
	Lowers []L       // of bins, if latents have 64 bits
	States [4]uint32 // in turn
}

// Batched are the latents of a batch.
type Batched[L Latent] struct {
	Latents [Batch]L
	Widths  [Batch]uint16 // of offsets, in the upper byte
}

// Slack is how many bytes behind its last bit a batch may read.
const Slack = 16

// Symbols sets n latents to the lower ends of their bins, and the widths of their offsets. Bits
// begin at the bit at of src, which goes on for Slack bytes at least. It returns where they end.
func (t *Table[L]) Symbols(b *Batched[L], n int, src []byte, at uint) uint {
	turns := n / turn
	if turns > 0 {
		// What any states may read is there.
		_ = src[int(at/8)+turns*turn*14/8+Slack-1]
		at = t.turns(b, turns, src, at)
	}

	// The last latents of a page are fewer than a turn.
	for k := range n % turn {
		i := turns*turn + k
		d := t.Nodes[t.States[k]%MaxStates]
		b.Latents[i] = t.lower(d)
		b.Widths[i] = uint16(d)
		word := binary.LittleEndian.Uint64(src[at/8:]) >> (at % 8)
		t.States[k] = d.next(word)
		at += d.read()
	}
	return at
}

func (d Node) read() uint { return uint(uint8(d)) }

func (d Node) next(word uint64) uint32 {
	return uint32(d>>16&0xffff) + uint32(word&(1<<(d&63)-1))
}

// lower returns the lower end of the bin of a node.
func (t *Table[L]) lower(d Node) L {
	if unsafe.Sizeof(L(0)) == 8 {
		return t.Lowers[d>>32]
	}
	return L(d >> 32)
}

// turnsGeneric is the portable turns: each of the four states decodes a latent a turn.
func (t *Table[L]) turnsGeneric(b *Batched[L], turns int, src []byte, at uint) uint {
	s0 := t.States[0]
	s1 := t.States[1]
	s2 := t.States[2]
	s3 := t.States[3]

	// A load has the bits of four states, at most 14 each, behind at most 7 that were read. The
	// four are written out, so that they stay in registers.
	for i := range turns {
		out := (*[turn]L)(b.Latents[i*turn:])
		widths := (*[turn]uint16)(b.Widths[i*turn:])
		word := binary.LittleEndian.Uint64(src[at/8:]) >> (at % 8)
		d0 := t.Nodes[s0%MaxStates]
		d1 := t.Nodes[s1%MaxStates]
		d2 := t.Nodes[s2%MaxStates]
		d3 := t.Nodes[s3%MaxStates]
		at += uint(uint8(d0 + d1 + d2 + d3))

		s0 = d0.next(word)
		word >>= d0 & 63
		s1 = d1.next(word)
		word >>= d1 & 63
		s2 = d2.next(word)
		word >>= d2 & 63
		s3 = d3.next(word)

		widths[0] = uint16(d0)
		widths[1] = uint16(d1)
		widths[2] = uint16(d2)
		widths[3] = uint16(d3)
		out[0] = t.lower(d0)
		out[1] = t.lower(d1)
		out[2] = t.lower(d2)
		out[3] = t.lower(d3)
	}
	t.States = [turn]uint32{s0, s1, s2, s3}
	return at
}

// Offsets adds to n latents their offsets, the widest of which has as many bits as it says. Bits
// are as for Symbols.
func (b *Batched[L]) Offsets(n, widest int, src []byte, at uint) uint {
	// What any offsets may take is there.
	_ = src[int(at/8)+n*widest/8+Slack-1]
	turns := n / turn
	if turns > 0 {
		at = b.add(turns, widest, src, at)
	}
	return b.addGeneric(turns*turn, n, src, at)
}

// addGeneric is the portable add.
func (b *Batched[L]) addGeneric(from, to int, src []byte, at uint) uint {
	latents := b.Latents[from:to]
	widths := b.Widths[from:to]
	widths = widths[:len(latents)]
	if unsafe.Sizeof(L(0)) < 8 {
		for i := range latents {
			width := widths[i] >> 8
			word := binary.LittleEndian.Uint64(src[at/8:]) >> (at % 8)
			latents[i] += L(word & (1<<(width&63) - 1))
			at += uint(width)
		}
		return at
	}

	for i := range latents {
		width := widths[i] >> 8
		word := binary.LittleEndian.Uint64(src[at/8:]) >> (at % 8)
		word |= uint64(src[at/8+8]) << 1 << (63 - at%8)
		latents[i] += L(word & (1<<width - 1))
		at += uint(width)
	}
	return at
}
