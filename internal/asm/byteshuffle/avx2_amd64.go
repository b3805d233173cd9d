//go:build !purego

package byteshuffle

// The kernels for items of 2, 4 and 8 bytes take 64 items at a time, groups times.

//go:noescape
func shuffle2AVX2(dst *byte, pitch int, src *byte, groups int)

//go:noescape
func shuffle4AVX2(dst *byte, pitch int, src *byte, groups int)

//go:noescape
func shuffle8AVX2(dst *byte, pitch int, src *byte, groups int)

//go:noescape
func unshuffle2AVX2(dst, src *byte, pitch, groups int)

//go:noescape
func unshuffle4AVX2(dst, src *byte, pitch, groups int)

//go:noescape
func unshuffle8AVX2(dst, src *byte, pitch, groups int)

// shuffleColumnsAVX2 reads 16 bytes of every item, items being stride bytes apart, and writes the
// first 4*quads of the planes they make.
//
//go:noescape
func shuffleColumnsAVX2(dst *byte, pitch int, src *byte, stride, groups, quads int)

// unshuffleColumnsAVX2 writes 16 bytes of every item, items being stride bytes apart.
//
//go:noescape
func unshuffleColumnsAVX2(dst *byte, stride int, src *byte, pitch, groups int)

// unshuffleEightsAVX2 writes 8 bytes of every item, items being stride bytes apart.
//
//go:noescape
func unshuffleEightsAVX2(dst *byte, stride int, src *byte, pitch, groups int)
