//go:build !purego

package byteshuffle

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The kernels for rows take at least RowItems items, or one cache line of bytes, and at least one
// row. Those called stream write around the cache: their rows must consist of whole cache lines.

//go:noescape
func rows2AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)

//go:noescape
func rows4AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)

//go:noescape
func rows8AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)

//go:noescape
func stream2AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)

//go:noescape
func stream4AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)

//go:noescape
func stream8AVX2(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)

// copyRowsAVX2 fetches into the second-level cache what is ahead bytes behind what it copies.
//
//go:noescape
func copyRowsAVX2(dst *byte, dstPitch int, src *byte, srcPitch, bytes, rows, ahead int)

//go:noescape
func streamRowsAVX2(dst *byte, dstPitch int, src *byte, srcPitch, bytes, rows, ahead int)

// rowsFor reports whether there are kernels for items of a size.
func rowsFor(size int) bool { return cpu.AVX2 && (size == 1 || size == 2 || size == 4 || size == 8) }

func interleave(dst *byte, dstPitch int, from *planes, size int, r Rows) {
	switch {
	case size == 2 && r.Stream:
		stream2AVX2(dst, dstPitch, &from[0], r.SrcPitch, r.Items, r.Count)
	case size == 2:
		rows2AVX2(dst, dstPitch, &from[0], r.SrcPitch, r.Items, r.Count)
	case size == 4 && r.Stream:
		stream4AVX2(dst, dstPitch, &from[0], r.SrcPitch, r.Items, r.Count)
	case size == 4:
		rows4AVX2(dst, dstPitch, &from[0], r.SrcPitch, r.Items, r.Count)
	case r.Stream:
		stream8AVX2(dst, dstPitch, &from[0], r.SrcPitch, r.Items, r.Count)
	default:
		rows8AVX2(dst, dstPitch, &from[0], r.SrcPitch, r.Items, r.Count)
	}
}

func copyRows(dst *byte, dstPitch int, src *byte, r Rows, ahead int) {
	if r.Stream {
		streamRowsAVX2(dst, dstPitch, src, r.SrcPitch, r.Items, r.Count, 0)
	} else {
		copyRowsAVX2(dst, dstPitch, src, r.SrcPitch, r.Items, r.Count, ahead)
	}
}
