//go:build !purego

package minmax

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The kernels take the bytes of numbers, at least leastBytes.

//go:noescape
func int8AVX2(p *byte, bytes int, out *vectors)

//go:noescape
func uint8AVX2(p *byte, bytes int, out *vectors)

//go:noescape
func int16AVX2(p *byte, bytes int, out *vectors)

//go:noescape
func uint16AVX2(p *byte, bytes int, out *vectors)

//go:noescape
func int32AVX2(p *byte, bytes int, out *vectors)

//go:noescape
func uint32AVX2(p *byte, bytes int, out *vectors)

//go:noescape
func float32AVX2(p *byte, bytes int, out *vectors)

// reduce finds the extremes of each lane of a vector. It reports false if there is no kernel.
func reduce[T Number](p *byte, bytes int, out *vectors) bool {
	if !cpu.AVX2 {
		return false
	}

	var zero T
	switch any(zero).(type) {
	case int8:
		int8AVX2(p, bytes, out)
	case uint8:
		uint8AVX2(p, bytes, out)
	case int16:
		int16AVX2(p, bytes, out)
	case uint16:
		uint16AVX2(p, bytes, out)
	case int32:
		int32AVX2(p, bytes, out)
	case uint32:
		uint32AVX2(p, bytes, out)
	case float32:
		float32AVX2(p, bytes, out)
	}
	return true
}
