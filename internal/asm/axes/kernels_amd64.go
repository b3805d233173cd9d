//go:build !purego

package axes

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// The kernels near do rows of some bytes. They read, and write as it is, a vector behind them.

//go:noescape
func near8AVX2(p unsafe.Pointer, rows, bytes int, s *shuffles)

//go:noescape
func near16AVX2(p unsafe.Pointer, rows, bytes int, s *shuffles)

//go:noescape
func near32AVX2(p unsafe.Pointer, rows, bytes int, s *shuffles)

//go:noescape
func near64AVX2(p unsafe.Pointer, rows, bytes int, s *shuffles)

// The kernels two add to the numbers within a distance those that are so far before them, some
// times: 16 to 63 bytes.

//go:noescape
func two8AVX2(p unsafe.Pointer, distance, times int)

//go:noescape
func two16AVX2(p unsafe.Pointer, distance, times int)

//go:noescape
func two32AVX2(p unsafe.Pointer, distance, times int)

//go:noescape
func two64AVX2(p unsafe.Pointer, distance, times int)

// The kernels far add to vectors those that are a distance before them, the first of which is at p.

//go:noescape
func far8AVX2(p unsafe.Pointer, distance, vectors int)

//go:noescape
func far16AVX2(p unsafe.Pointer, distance, vectors int)

//go:noescape
func far32AVX2(p unsafe.Pointer, distance, vectors int)

//go:noescape
func far64AVX2(p unsafe.Pointer, distance, vectors int)

// vector is the bytes of a vector of numbers far apart.
const vector = 32

func vectors() bool { return cpu.AVX2 }

func nearRows[T Number](p unsafe.Pointer, rows, bytes int, s *shuffles) {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		near8AVX2(p, rows, bytes, s)
	case 2:
		near16AVX2(p, rows, bytes, s)
	case 4:
		near32AVX2(p, rows, bytes, s)
	case 8:
		near64AVX2(p, rows, bytes, s)
	}
}

func twoVectors[T Number](p unsafe.Pointer, distance, times int) {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		two8AVX2(p, distance, times)
	case 2:
		two16AVX2(p, distance, times)
	case 4:
		two32AVX2(p, distance, times)
	case 8:
		two64AVX2(p, distance, times)
	}
}

func farVectors[T Number](p unsafe.Pointer, distance, vectors int) {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		far8AVX2(p, distance, vectors)
	case 2:
		far16AVX2(p, distance, vectors)
	case 4:
		far32AVX2(p, distance, vectors)
	case 8:
		far64AVX2(p, distance, vectors)
	}
}
