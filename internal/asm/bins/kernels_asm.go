//go:build !purego && (amd64 || arm64)

package bins

import (
	"math/bits"
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// groups is Encode of groups of a symbol for each state.
func (c *Coder) groups(out []uint32, symbols []uint16) {
	if !cpu.AVX2 && !cpu.NEON {
		c.groupsGeneric(out, symbols)
		return
	}
	encodeKernel(&out[0], &symbols[0], len(out), c, &c.Symbols[0])
}

//go:noescape
func encodeKernel(out *uint32, symbols *uint16, n int, c *Coder, of *Symbol)

// states is States of groups of four.
func (w *Writer) states(states []uint32) {
	if !cpu.AVX2 && !cpu.NEON {
		w.statesGeneric(states)
		return
	}
	w.advance(statesKernel(&w.Dst[0], &states[0], len(states), &w.Word, w.Used))
}

// advance goes on behind so many bits of the first byte.
func (w *Writer) advance(bits uint) {
	w.Dst = w.Dst[bits/8:]
	w.Used = bits & 7
}

// The kernels return how many bits there are behind dst, and leave in word those behind the last
// whole byte.

//go:noescape
func statesKernel(dst *byte, states *uint32, n int, word *uint64, used uint) (bits uint)

// A packer is a kernel for groups of offsets.
type packer func(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func fours8Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func fours16Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func pairs16Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func fours32Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func pairs32Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func ones32Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func fours64Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func pairs64Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

//go:noescape
func ones64Kernel(dst *byte, latents unsafe.Pointer, symbols *uint16, n int, lowers unsafe.Pointer, lengths *uint8,
	word *uint64, used uint) (bits uint)

// packers has the kernels by the logarithms of the bytes of a latent and of the latents of a group.
var packers = [4][3]packer{
	{2: fours8Kernel},
	{nil, pairs16Kernel, fours16Kernel},
	{ones32Kernel, pairs32Kernel, fours32Kernel},
	{ones64Kernel, pairs64Kernel, fours64Kernel},
}

// groups is Offsets of groups of 1<<log latents.
func groups[L Latent](w *Writer, latents []L, symbols []uint16, lowers []L, lengths []uint8, log int) {
	size := bits.TrailingZeros(uint(unsafe.Sizeof(latents[0])))
	pack := packers[size][log]
	if !cpu.AVX2 && !cpu.NEON || pack == nil {
		groupsGeneric(w, latents, symbols, lowers, lengths, log)
		return
	}
	w.advance(pack(&w.Dst[0], unsafe.Pointer(&latents[0]), &symbols[0], len(latents), unsafe.Pointer(&lowers[0]),
		&lengths[0], &w.Word, w.Used))
}
