//go:build !purego

package byteshuffle

// The kernels for items of 2, 4 and 8 bytes process groups groups of 64 items.

//go:noescape
func shuffle2AVX2(dst *byte, pitch int, src *byte, groups int)

//go:noescape
func shuffle4AVX2(dst *byte, pitch int, src *byte, groups int)

//go:noescape
func shuffle8AVX2(dst *byte, pitch int, src *byte, groups int)

// shuffleColumnsAVX2 reads 16 bytes of every item and writes the first 4*quads of the resulting
// planes. Items are stride bytes apart.
//
//go:noescape
func shuffleColumnsAVX2(dst *byte, pitch int, src *byte, stride, groups, quads int)

// unshuffleColumnsAVX2 writes 16 bytes of every item. Items are stride bytes apart.
//
//go:noescape
func unshuffleColumnsAVX2(dst *byte, stride int, src *byte, pitch, groups int)

// unshuffleEightsAVX2 writes 8 bytes of every item. Items are stride bytes apart.
//
//go:noescape
func unshuffleEightsAVX2(dst *byte, stride int, src *byte, pitch, groups int)
