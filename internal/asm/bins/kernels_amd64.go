//go:build !purego

package bins

import (
	"math/bits"
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// groups is Encode of groups of a symbol for each state.
func (c *Coder) groups(out []uint32, symbols []uint16) {
	if !cpu.AVX2 {
		c.groupsGeneric(out, symbols)
		return
	}
	encodeAVX2(&out[0], &symbols[0], len(out), c, &c.Symbols[0])
}

//go:noescape
func encodeAVX2(out *uint32, symbols *uint16, n int, c *Coder, of *Symbol)

// states is States of groups of four.
func (w *Writer) states(states []uint32) {
	if !cpu.AVX2 {
		w.statesGeneric(states)
		return
	}
	w.advance(statesAVX2(&w.Dst[0], &states[0], len(states), &w.Word, w.Used))
}

// advance goes on behind so many bits of the first byte.
func (w *Writer) advance(bits uint) {
	w.Dst = w.Dst[bits/8:]
	w.Used = bits & 7
}

// The kernels return how many bits there are behind dst, and leave in word those behind the last
// whole byte.

//go:noescape
func statesAVX2(dst *byte, states *uint32, n int, word *uint64, used uint) (bits uint)

// A packer is a kernel for groups of offsets.
type packer func(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func fours8AVX2(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func fours16AVX2(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func pairs16AVX2(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func fours32AVX2(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func pairs32AVX2(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func ones32AVX2(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func fours64AVX2(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func pairs64AVX2(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func ones64AVX2(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

// packers has the kernels by the logarithms of the bytes of a latent and of the latents of a group.
var packers = [4][3]packer{
	{2: fours8AVX2},
	{nil, pairs16AVX2, fours16AVX2},
	{ones32AVX2, pairs32AVX2, fours32AVX2},
	{ones64AVX2, pairs64AVX2, fours64AVX2},
}

// groups is Offsets of groups of 1<<log latents.
func groups[L Latent](w *Writer, latents []L, symbols []uint16, lowers []L, lengths []uint8, log int) {
	size := bits.TrailingZeros(uint(unsafe.Sizeof(latents[0])))
	pack := packers[size][log]
	if !cpu.AVX2 || pack == nil {
		groupsGeneric(w, latents, symbols, lowers, lengths, log)
		return
	}
	w.advance(pack(&w.Dst[0], unsafe.Pointer(&latents[0]), &symbols[0], len(latents), unsafe.Pointer(&lowers[0]),
		&lengths[0], &w.Word, w.Used))
}
