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
// read is added, and 32 bits with the lower end of the bin, or for latents of 64 bits its number or
// what it is more than the base.
type Node uint64

// NodeOf returns a node.
func NodeOf(read, width, next int, bin uint32) Node {
	return Node(read) | Node(width)<<8 | Node(next)<<16 | Node(bin)<<32
}

// A Table is what the bins of a variable are decoded with.
type Table[L Latent] struct {
	Nodes  [MaxStates]Node
	Lowers []L       // of bins, if latents have 64 bits and are not near to each other
	Base   L         // to which lower ends in nodes are relative, if they are near
	Near   bool      // of latents of 64 bits: lower ends from Base on, and offsets, have 32 bits
	States [4]uint32 // in turn
}

// Slack is how many bytes behind its last bit a batch may read.
const Slack = 24

// Symbols sets n nodes to those of the states that follow each other. Bits begin at the bit at of
// src, which goes on for Slack bytes at least. It returns where they end.
func (t *Table[L]) Symbols(nodes *[Batch]Node, n int, src []byte, at uint) uint {
	turns := n / turn
	if turns > 0 {
		// What any states may read is there.
		_ = src[int(at/8)+turns*turn*14/8+Slack-1]
		at = t.turns(nodes, turns, src, at)
	}

	// The last latents of a page are fewer than a turn.
	for k := range n % turn {
		d := t.Nodes[t.States[k]%MaxStates]
		nodes[turns*turn+k] = d
		word := binary.LittleEndian.Uint64(src[at/8:]) >> (at % 8)
		t.States[k] = d.next(word)
		at += d.read()
	}
	return at
}

// Widths returns the bits of the offsets of nodes.
func Widths(nodes []Node) int {
	sum := 0
	for _, d := range nodes {
		sum += int(uint8(d >> 8))
	}
	return sum
}

func (d Node) read() uint { return uint(uint8(d)) }

func (d Node) next(word uint64) uint32 {
	return uint32(d>>16&0xffff) + uint32(word&(1<<(d&63)-1))
}

// lower returns the lower end of the bin of a node.
func (t *Table[L]) lower(d Node) L {
	if unsafe.Sizeof(L(0)) < 8 {
		return L(d >> 32)
	}
	if t.Near {
		return t.Base + L(d>>32)
	}
	return t.Lowers[d>>32]
}

// turnsGeneric is the portable turns: each of the four states decodes a latent a turn.
func (t *Table[L]) turnsGeneric(nodes *[Batch]Node, turns int, src []byte, at uint) uint {
	s0 := t.States[0]
	s1 := t.States[1]
	s2 := t.States[2]
	s3 := t.States[3]

	// A load has the bits of four states, at most 14 each, behind at most 7 that were read. The
	// four are written out, so that they stay in registers.
	for i := range turns {
		out := (*[turn]Node)(nodes[i*turn:])
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
		*out = [turn]Node{d0, d1, d2, d3}
	}
	t.States = [turn]uint32{s0, s1, s2, s3}
	return at
}
