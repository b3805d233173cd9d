package latents

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian is whether numbers are in memory as they are in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// View returns bytes as latents in the same memory, or nil if they are others on this machine.
func View[L Latent](b []byte) []L {
	size := width[L]() / 8
	p := unsafe.Pointer(unsafe.SliceData(b))
	if !littleEndian || uintptr(p)%uintptr(size) != 0 || len(b) < size {
		return nil
	}
	return unsafe.Slice((*L)(p), len(b)/size)
}

// Store writes latents to as many bytes as they have, the lowest of each first. They may be a
// [View] of the bytes.
func Store[L Latent](dst []byte, latents []L) {
	if littleEndian {
		// They may be there already.
		if src := memory(latents); unsafe.SliceData(dst) != unsafe.SliceData(src) {
			copy(dst, src)
		}
		return
	}
	size := width[L]() / 8
	for i, l := range latents {
		for k := range size {
			dst[i*size+k] = byte(l >> (8 * k))
		}
	}
}

// Load is the inverse of Store. What src has more is left.
func Load[L Latent](latents []L, src []byte) {
	if littleEndian {
		copy(memory(latents), src)
		return
	}
	size := width[L]() / 8
	for i := range latents {
		latents[i] = 0
		for k := range size {
			latents[i] |= L(src[i*size+k]) << (8 * k)
		}
	}
}

// memory returns the bytes of latents in memory.
func memory[L Latent](latents []L) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(latents))), len(latents)*width[L]()/8)
}
