package govalue

import (
	"encoding/binary"
	"unsafe"
)

// many applies each step to n values at a time, which are stride bytes apart starting at p. It
// returns false if a step fails; the caller then finds the first error value by value.
func many(steps []step, p unsafe.Pointer, stride uintptr, raw []byte, size, n int, read bool) bool {
	for i := range steps {
		s := &steps[i]
		if s.isNumber() {
			from := unsafe.Pointer(&raw[:n*size][s.file])
			to := unsafe.Add(p, s.mem)
			fromStride := uintptr(size)
			toStride := stride

			if !read {
				from, to, fromStride, toStride = to, from, toStride, fromStride
			}

			if s.kind == stepSwap {
				swapNumbers(to, toStride, from, fromStride, s.size, n)
			} else {
				moveNumbers(to, toStride, from, fromStride, s.size, n)
			}
			continue
		}

		for k := range n {
			if moveItem(steps[i:i+1], unsafe.Add(p, uintptr(k)*stride), raw[k*size:][:size], read) != nil {
				return false
			}
		}
	}
	return true
}

// isNumber reports whether the step copies 1, 2, 4 or 8 bytes, unchanged or reversed.
func (s *step) isNumber() bool {
	switch s.size {
	case 1, 2, 4, 8:
		return s.kind == stepCopy || s.kind == stepSwap && s.width == s.size
	}
	return false
}

// moveNumbers copies n numbers of width bytes.
func moveNumbers(to unsafe.Pointer, toStride uintptr, from unsafe.Pointer, fromStride uintptr, width, n int) {
	switch width { // arrays of bytes, since numbers in files are not aligned
	case 1:
		moveAs[byte](to, toStride, from, fromStride, n)
	case 2:
		moveAs[[2]byte](to, toStride, from, fromStride, n)
	case 4:
		moveAs[[4]byte](to, toStride, from, fromStride, n)
	case 8:
		moveAs[[8]byte](to, toStride, from, fromStride, n)
	}
}

func moveAs[T any](to unsafe.Pointer, toStride uintptr, from unsafe.Pointer, fromStride uintptr, n int) {
	for k := range uintptr(n) {
		*(*T)(unsafe.Add(to, k*toStride)) = *(*T)(unsafe.Add(from, k*fromStride))
	}
}

// swapNumbers copies n numbers of width bytes and reverses their bytes.
func swapNumbers(to unsafe.Pointer, toStride uintptr, from unsafe.Pointer, fromStride uintptr, width, n int) {
	switch width {
	case 2:
		for k := range uintptr(n) {
			v := binary.BigEndian.Uint16((*[2]byte)(unsafe.Add(from, k*fromStride))[:])
			binary.LittleEndian.PutUint16((*[2]byte)(unsafe.Add(to, k*toStride))[:], v)
		}
	case 4:
		for k := range uintptr(n) {
			v := binary.BigEndian.Uint32((*[4]byte)(unsafe.Add(from, k*fromStride))[:])
			binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Add(to, k*toStride))[:], v)
		}
	case 8:
		for k := range uintptr(n) {
			v := binary.BigEndian.Uint64((*[8]byte)(unsafe.Add(from, k*fromStride))[:])
			binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(to, k*toStride))[:], v)
		}
	}
}
