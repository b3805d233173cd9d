//go:build !purego

package axes

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// The kernels near do rows of some bytes. They read, and write as it is, a vector behind them.

//go:noescape
func near8NEON(p unsafe.Pointer, rows, bytes int, s *shuffles)

//go:noescape
func near16NEON(p unsafe.Pointer, rows, bytes int, s *shuffles)

//go:noescape
func near32NEON(p unsafe.Pointer, rows, bytes int, s *shuffles)

//go:noescape
func near64NEON(p unsafe.Pointer, rows, bytes int, s *shuffles)

// The kernels two add to the numbers within a distance those that are so far before them, some
// times: 16 to 31 bytes.

//go:noescape
func two8NEON(p unsafe.Pointer, distance, times int)

//go:noescape
func two16NEON(p unsafe.Pointer, distance, times int)

//go:noescape
func two32NEON(p unsafe.Pointer, distance, times int)

//go:noescape
func two64NEON(p unsafe.Pointer, distance, times int)

// The kernels far add to vectors those that are a distance before them, the first of which is at p.

//go:noescape
func far8NEON(p unsafe.Pointer, distance, vectors int)

//go:noescape
func far16NEON(p unsafe.Pointer, distance, vectors int)

//go:noescape
func far32NEON(p unsafe.Pointer, distance, vectors int)

//go:noescape
func far64NEON(p unsafe.Pointer, distance, vectors int)

// vector is the bytes of a vector of numbers far apart.
const vector = 16

func vectors() bool { return cpu.NEON }

func nearRows[T Number](p unsafe.Pointer, rows, bytes int, s *shuffles) {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		near8NEON(p, rows, bytes, s)
	case 2:
		near16NEON(p, rows, bytes, s)
	case 4:
		near32NEON(p, rows, bytes, s)
	case 8:
		near64NEON(p, rows, bytes, s)
	}
}

func twoVectors[T Number](p unsafe.Pointer, distance, times int) {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		two8NEON(p, distance, times)
	case 2:
		two16NEON(p, distance, times)
	case 4:
		two32NEON(p, distance, times)
	case 8:
		two64NEON(p, distance, times)
	}
}

func farVectors[T Number](p unsafe.Pointer, distance, vectors int) {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		far8NEON(p, distance, vectors)
	case 2:
		far16NEON(p, distance, vectors)
	case 4:
		far32NEON(p, distance, vectors)
	case 8:
		far64NEON(p, distance, vectors)
	}
}
