//go:build !purego && (amd64 || arm64)

package bins

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

//go:noescape
func lengths8Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)

//go:noescape
func lengths16Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)

//go:noescape
func lengths32Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)

//go:noescape
func lengths64Kernel(out *[Part]uint8, latents unsafe.Pointer, parts int)

// lengths is Lengths. It returns how many parts it did, all or none.
func lengths[L Latent](out [][Part]uint8, latents []L) int {
	if !cpu.AVX2 && !cpu.NEON {
		return 0
	}
	p := unsafe.Pointer(&latents[0])
	switch unsafe.Sizeof(latents[0]) {
	case 1:
		lengths8Kernel(&out[0], p, len(out))
	case 2:
		lengths16Kernel(&out[0], p, len(out))
	case 4:
		lengths32Kernel(&out[0], p, len(out))
	default:
		lengths64Kernel(&out[0], p, len(out))
	}
	return len(out)
}
