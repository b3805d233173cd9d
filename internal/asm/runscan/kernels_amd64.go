//go:build !purego

package runscan

import "github.com/cairn-go/cairn/internal/asm/cpu"

// same1AVX2 reports whether groups groups of 192 bytes consist of repetitions of the first 32
// bytes.
//
//go:noescape
func same1AVX2(src *byte, groups int) bool

// same3AVX2 is same1AVX2 for 96 bytes.
//
//go:noescape
func same3AVX2(src *byte, groups int) bool

func present() bool { return cpu.AVX2 }

func same(b []byte, lines, groups int) bool {
	if lines == 1 {
		return same1AVX2(&b[0], groups)
	}
	return same3AVX2(&b[0], groups)
}
