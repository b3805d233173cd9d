//go:build !purego

package deltas

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// The kernels go backwards from the last vector, with distances in bytes.

//go:noescape
func take8NEON(last unsafe.Pointer, distance, vectors int)

//go:noescape
func take16NEON(last unsafe.Pointer, distance, vectors int)

//go:noescape
func take32NEON(last unsafe.Pointer, distance, vectors int)

//go:noescape
func take64NEON(last unsafe.Pointer, distance, vectors int)

// take does what kernels do of Take, at the end of k, and returns of how many integers.
func take[L Latent](k []L, distance int) int {
	whole, n := vectors[L](len(k) - distance)
	if !cpu.NEON || whole == 0 {
		return 0
	}

	// The last vector ends where k does.
	first := unsafe.Pointer(&k[len(k)-vectorBytes/int(unsafe.Sizeof(k[0]))])
	bytes := distance * int(unsafe.Sizeof(k[0]))
	switch unsafe.Sizeof(k[0]) {
	case 1:
		take8NEON(first, bytes, whole)
	case 2:
		take16NEON(first, bytes, whole)
	case 4:
		take32NEON(first, bytes, whole)
	default:
		take64NEON(first, bytes, whole)
	}
	return n
}
