package byteshuffle

import (
	"unsafe"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// Rows are Count rows at equal distances. A row is a number of items that are contiguous in each
// plane and in memory.
type Rows struct {
	Items, Count int
	DstPitch     int // bytes from one row to the next in memory, of either sign
	SrcPitch     int // items from one row to the next in a plane, of either sign
	// Write around the cache, which is faster if the destination as a whole does not fit into the
	// cache. It needs whole cache lines; other rows are written as usual.
	Stream bool
}

// RowItems is the fewest items of a row.
const RowItems = 32

// MaxPlanes is the most planes that InterleaveRows has kernels for.
const MaxPlanes = 8

// HasRows reports whether InterleaveRows has a kernel for items of size bytes.
func HasRows(size int) bool { return size > 1 && rowsFor(size) }

// InterleaveRows copies byte i of plane j to byte j of item i in memory, for rows that begin with
// the item at d of dst and s of the planes. Items have as many bytes as there are planes. It
// reports false, and has done nothing, if there is no kernel or if rows have less than RowItems
// items. It panics if a row is not within dst or not within a plane.
func InterleaveRows(dst []byte, d int, from [][]byte, s int, r Rows) bool {
	size := len(from)
	if r.Items < RowItems || !HasRows(size) {
		return false
	}

	if r.Count < 1 {
		return true
	}

	within(dst, d, r.DstPitch, r.Items*size, r.Count)
	var all planes
	for j, plane := range from {
		within(plane, s, r.SrcPitch, r.Items, r.Count)
		all[j] = &plane[s]
	}

	r.Stream = r.Stream && lines(&dst[d], r.DstPitch, r.Items*size)
	interleave(&dst[d], r.DstPitch, &all, size, r)
	return true
}

// CopyRows copies rows of bytes from s of src to d of dst: items have one byte. It reads ahead by
// so many bytes. It reports false, and has done nothing, if there is no kernel or if rows have less
// than a cache line. It panics if a row is not within dst or src.
func CopyRows(dst []byte, d int, src []byte, s, ahead int, r Rows) bool {
	if r.Items < cpu.CacheLine || !rowsFor(1) {
		return false
	}

	if r.Count < 1 {
		return true
	}

	within(dst, d, r.DstPitch, r.Items, r.Count)
	within(src, s, r.SrcPitch, r.Items, r.Count)
	r.Stream = r.Stream && lines(&dst[d], r.DstPitch, r.Items)
	copyRows(&dst[d], r.DstPitch, &src[s], r, ahead)
	return true
}

// planes are the places of the first items of each plane.
type planes [MaxPlanes]*byte

// within panics if one of n rows of size bytes is not within b.
func within(b []byte, at, pitch, size, n int) {
	last := at + (n-1)*pitch
	_ = b[at : at+size]
	_ = b[last : last+size]
}

// lines reports whether all rows consist of whole cache lines.
func lines(first *byte, pitch, size int) bool {
	return (uintptr(unsafe.Pointer(first))|uintptr(pitch)|uintptr(size))%cpu.CacheLine == 0
}
