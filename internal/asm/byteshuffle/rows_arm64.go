//go:build !purego

package byteshuffle

import "github.com/cairn-go/cairn/internal/asm/cpu"

// The kernels for rows take at least 16 items and at least one row.

//go:noescape
func rows2NEON(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)

//go:noescape
func rows4NEON(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)

//go:noescape
func rows8NEON(dst *byte, dstPitch int, planes **byte, srcPitch, items, rows int)

// rowsFor reports whether there are kernels for items of a size. The runtime copies bytes.
func rowsFor(size int) bool { return cpu.NEON && (size == 2 || size == 4 || size == 8) }

// interleave writes to the cache even if asked to write around it.
func interleave(dst *byte, dstPitch int, from *planes, size int, r Rows) {
	switch size {
	case 2:
		rows2NEON(dst, dstPitch, &from[0], r.SrcPitch, r.Items, r.Count)
	case 4:
		rows4NEON(dst, dstPitch, &from[0], r.SrcPitch, r.Items, r.Count)
	default:
		rows8NEON(dst, dstPitch, &from[0], r.SrcPitch, r.Items, r.Count)
	}
}

func copyRows(*byte, int, *byte, Rows, int) { panic("byteshuffle: no kernel for rows here") }
