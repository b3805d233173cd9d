//go:build !purego

package marks

import (
	"math"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// The kernels take groups of groupBytes, at least one, of floats whose bytes they put into the
// given order within 16 bytes.

//go:noescape
func float32AVX2(p *byte, groups int, order *[16]byte, mark uint32)

//go:noescape
func float64AVX2(p *byte, groups int, order *[16]byte, mark uint64)

// replaceGroups replaces marks in groups of bytes. It reports false if there is no kernel.
func replaceGroups(p *byte, groups, size int, bigEndian bool, mark float64) bool {
	if !cpu.AVX2 {
		return false
	}

	var order [16]byte
	for i := range order {
		order[i] = byte(i)
		if bigEndian {
			order[i] = byte(i ^ (size - 1))
		}
	}

	if size == 4 {
		float32AVX2(p, groups, &order, math.Float32bits(float32(mark)))
	} else {
		float64AVX2(p, groups, &order, math.Float64bits(mark))
	}
	return true
}
