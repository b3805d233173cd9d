//go:build !purego && (amd64 || arm64)

package latents

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// vector is the bytes of a vector, or of two that NEON takes together.
const vector = 32

// The kernels take whole vectors, at least one, with the AVX2 or NEON of the machine. A pattern is
// a number repeated to 64 bits.

//go:noescape
func flipKernel(p unsafe.Pointer, vectors int, pattern uint64)

//go:noescape
func unorder16Kernel(p unsafe.Pointer, vectors int, first uint64, shift uint)

//go:noescape
func unorder32Kernel(p unsafe.Pointer, vectors int, first uint64, shift uint)

//go:noescape
func unorder64Kernel(p unsafe.Pointer, vectors int, first uint64, shift uint)

//go:noescape
func multiply8Kernel(p unsafe.Pointer, vectors int, step, first uint64)

//go:noescape
func multiply16Kernel(p unsafe.Pointer, vectors int, step, first uint64)

//go:noescape
func multiply32Kernel(p unsafe.Pointer, vectors int, step, first uint64)

//go:noescape
func multiply64Kernel(p unsafe.Pointer, vectors int, step, first uint64)

//go:noescape
func quotients32Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)

//go:noescape
func quotients64Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)

//go:noescape
func products32Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)

//go:noescape
func products64Kernel(p unsafe.Pointer, vectors int, first uint64, by, offset float64)

//go:noescape
func toSinglesKernel(p unsafe.Pointer, vectors int)

//go:noescape
func add32Kernel(p, others unsafe.Pointer, vectors int)

//go:noescape
func add64Kernel(p, others unsafe.Pointer, vectors int)

//go:noescape
func sums8Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64

//go:noescape
func sums16Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64

//go:noescape
func sums32Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64

//go:noescape
func sums64Kernel(p unsafe.Pointer, vectors int, sum, flip uint64) uint64

// singlesKernel returns how many vectors it did.
//
//go:noescape
func singlesKernel(primary, secondary *uint32, vectors int, base float32) int

//go:noescape
func doublesKernel(primary, secondary *uint64, vectors int, base float64) int

// vectors returns how many vectors there are in latents for a kernel, and how many latents are in
// them.
func vectors[L Latent](latents []L) (whole, n int) {
	if !cpu.AVX2 && !cpu.NEON {
		return 0, 0
	}
	each := vector / int(unsafe.Sizeof(L(0)))
	return len(latents) / each, len(latents) / each * each
}

// pattern returns l repeated.
func pattern[L Latent](l L) uint64 {
	p := uint64(l)
	for n := width[L](); n < 64; n *= 2 {
		p |= p << n
	}
	return p
}

func flip[L Latent](latents []L) int {
	whole, n := vectors(latents)
	if whole > 0 {
		flipKernel(unsafe.Pointer(&latents[0]), whole, pattern(middle[L]()))
	}
	return n
}

func unorder[L Latent](latents []L, first L, shift uint) int {
	whole, n := vectors(latents)
	if whole == 0 {
		return 0
	}
	p := unsafe.Pointer(&latents[0])
	switch width[L]() {
	case 16:
		unorder16Kernel(p, whole, pattern(first), shift)
	case 32:
		unorder32Kernel(p, whole, pattern(first), shift)
	case 64:
		unorder64Kernel(p, whole, uint64(first), shift)
	default:
		return 0
	}
	return n
}

func multiply[L Latent](latents []L, step, first L) int {
	whole, n := vectors(latents)
	if whole == 0 {
		return 0
	}
	p := unsafe.Pointer(&latents[0])
	switch width[L]() {
	case 8:
		multiply8Kernel(p, whole, pattern(step), pattern(first))
	case 16:
		multiply16Kernel(p, whole, pattern(step), pattern(first))
	case 32:
		multiply32Kernel(p, whole, pattern(step), pattern(first))
	case 64:
		multiply64Kernel(p, whole, uint64(step), uint64(first))
	}
	return n
}

func quotients[L Latent](latents []L, first L, by, offset float64) int {
	whole, n := vectors(latents)
	if whole == 0 {
		return 0
	}
	p := unsafe.Pointer(&latents[0])
	if width[L]() == 32 {
		quotients32Kernel(p, whole, pattern(first), by, offset)
	} else {
		quotients64Kernel(p, whole, uint64(first), by, offset)
	}
	return n
}

func products[L Latent](latents []L, first L, by, offset float64) int {
	whole, n := vectors(latents)
	if whole == 0 {
		return 0
	}
	p := unsafe.Pointer(&latents[0])
	if width[L]() == 32 {
		products32Kernel(p, whole, pattern(first), by, offset)
	} else {
		products64Kernel(p, whole, uint64(first), by, offset)
	}
	return n
}

func toSingles[L Latent](latents []L) int {
	whole, n := vectors(latents)
	if whole == 0 || width[L]() != 64 {
		return 0
	}
	toSinglesKernel(unsafe.Pointer(&latents[0]), whole)
	return n
}

// add is Add of latents of 32 or 64 bits.
func add[L Latent](latents, others []L) int {
	whole, n := vectors(latents)
	if whole == 0 {
		return 0
	}
	p := unsafe.Pointer(&latents[0])
	switch width[L]() {
	case 32:
		add32Kernel(p, unsafe.Pointer(&others[0]), whole)
	case 64:
		add64Kernel(p, unsafe.Pointer(&others[0]), whole)
	default:
		return 0
	}
	return n
}

func sums[L Latent](latents []L, sum, flip L) (int, L) {
	whole, n := vectors(latents)
	if whole == 0 {
		return 0, sum
	}
	p := unsafe.Pointer(&latents[0])
	switch width[L]() {
	case 8:
		sum = L(sums8Kernel(p, whole, pattern(sum), pattern(flip)))
	case 16:
		sum = L(sums16Kernel(p, whole, pattern(sum), pattern(flip)))
	case 32:
		sum = L(sums32Kernel(p, whole, pattern(sum), pattern(flip)))
	case 64:
		sum = L(sums64Kernel(p, whole, uint64(sum), uint64(flip)))
	}
	return n, sum
}

func singles(primary, secondary []uint32, base float32) int {
	whole, _ := vectors(primary)
	if whole == 0 {
		return 0
	}
	return singlesKernel(&primary[0], &secondary[0], whole, base) * (vector / 4)
}

func doubles(primary, secondary []uint64, base float64) int {
	whole, _ := vectors(primary)
	if whole == 0 {
		return 0
	}
	return doublesKernel(&primary[0], &secondary[0], whole, base) * (vector / 8)
}
