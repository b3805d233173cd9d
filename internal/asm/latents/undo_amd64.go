//go:build !purego

package latents

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// vector is the bytes of a vector.
const vector = 32

// The kernels take whole vectors, at least one. A pattern is a number repeated to 64 bits.

//go:noescape
func flipAVX2(p unsafe.Pointer, vectors int, pattern uint64)

//go:noescape
func unorder16AVX2(p unsafe.Pointer, vectors int, first uint64, shift uint)

//go:noescape
func unorder32AVX2(p unsafe.Pointer, vectors int, first uint64, shift uint)

//go:noescape
func unorder64AVX2(p unsafe.Pointer, vectors int, first uint64, shift uint)

//go:noescape
func multiply8AVX2(p unsafe.Pointer, vectors int, step, first uint64)

//go:noescape
func multiply16AVX2(p unsafe.Pointer, vectors int, step, first uint64)

//go:noescape
func multiply32AVX2(p unsafe.Pointer, vectors int, step, first uint64)

//go:noescape
func multiply64AVX2(p unsafe.Pointer, vectors int, step, first uint64)

//go:noescape
func quotients32AVX2(p unsafe.Pointer, vectors int, first uint64, by, offset float64)

//go:noescape
func quotients64AVX2(p unsafe.Pointer, vectors int, first uint64, by, offset float64)

//go:noescape
func products32AVX2(p unsafe.Pointer, vectors int, first uint64, by, offset float64)

//go:noescape
func products64AVX2(p unsafe.Pointer, vectors int, first uint64, by, offset float64)

//go:noescape
func toSinglesAVX2(p unsafe.Pointer, vectors int)

//go:noescape
func add32AVX2(p, others unsafe.Pointer, vectors int)

//go:noescape
func add64AVX2(p, others unsafe.Pointer, vectors int)

//go:noescape
func sums8AVX2(p unsafe.Pointer, vectors int, sum, flip uint64) uint64

//go:noescape
func sums16AVX2(p unsafe.Pointer, vectors int, sum, flip uint64) uint64

//go:noescape
func sums32AVX2(p unsafe.Pointer, vectors int, sum, flip uint64) uint64

//go:noescape
func sums64AVX2(p unsafe.Pointer, vectors int, sum, flip uint64) uint64

// singlesAVX2 returns how many vectors it did.
//
//go:noescape
func singlesAVX2(primary, secondary *uint32, vectors int, base float32) int

//go:noescape
func doublesAVX2(primary, secondary *uint64, vectors int, base float64) int

// vectors returns how many vectors there are in latents for a kernel, and how many latents are in
// them.
func vectors[L Latent](latents []L) (whole, n int) {
	if !cpu.AVX2 {
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
		flipAVX2(unsafe.Pointer(&latents[0]), whole, pattern(middle[L]()))
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
		unorder16AVX2(p, whole, pattern(first), shift)
	case 32:
		unorder32AVX2(p, whole, pattern(first), shift)
	case 64:
		unorder64AVX2(p, whole, uint64(first), shift)
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
		multiply8AVX2(p, whole, pattern(step), pattern(first))
	case 16:
		multiply16AVX2(p, whole, pattern(step), pattern(first))
	case 32:
		multiply32AVX2(p, whole, pattern(step), pattern(first))
	case 64:
		multiply64AVX2(p, whole, uint64(step), uint64(first))
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
		quotients32AVX2(p, whole, pattern(first), by, offset)
	} else {
		quotients64AVX2(p, whole, uint64(first), by, offset)
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
		products32AVX2(p, whole, pattern(first), by, offset)
	} else {
		products64AVX2(p, whole, uint64(first), by, offset)
	}
	return n
}

func toSingles[L Latent](latents []L) int {
	whole, n := vectors(latents)
	if whole == 0 || width[L]() != 64 {
		return 0
	}
	toSinglesAVX2(unsafe.Pointer(&latents[0]), whole)
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
		add32AVX2(p, unsafe.Pointer(&others[0]), whole)
	case 64:
		add64AVX2(p, unsafe.Pointer(&others[0]), whole)
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
		sum = L(sums8AVX2(p, whole, pattern(sum), pattern(flip)))
	case 16:
		sum = L(sums16AVX2(p, whole, pattern(sum), pattern(flip)))
	case 32:
		sum = L(sums32AVX2(p, whole, pattern(sum), pattern(flip)))
	case 64:
		sum = L(sums64AVX2(p, whole, uint64(sum), uint64(flip)))
	}
	return n, sum
}

func singles(primary, secondary []uint32, base float32) int {
	whole, _ := vectors(primary)
	if whole == 0 {
		return 0
	}
	return singlesAVX2(&primary[0], &secondary[0], whole, base) * (vector / 4)
}

func doubles(primary, secondary []uint64, base float64) int {
	whole, _ := vectors(primary)
	if whole == 0 {
		return 0
	}
	return doublesAVX2(&primary[0], &secondary[0], whole, base) * (vector / 8)
}
