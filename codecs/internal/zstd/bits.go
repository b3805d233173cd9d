package zstd

import (
	"encoding/binary"
	"math/bits"
)

// A bitWriter writes bits starting with the lowest bit of the first byte. Its buffer needs 8 bytes
// of slack.
type bitWriter struct {
	out  []byte
	n    int // bytes written
	bits uint64
	have uint32
}

// add appends the n lowest bits of v. At most 56 bits may be added between calls of flush.
func (w *bitWriter) add(v uint64, n uint32) {
	w.bits |= v & (1<<(n&63) - 1) << (w.have & 63)
	w.have += n
}

// flush writes all whole bytes.
func (w *bitWriter) flush() {
	binary.LittleEndian.PutUint64(w.out[w.n:], w.bits)
	w.n += int(w.have >> 3)
	w.bits >>= w.have &^ 7 & 63
	w.have &= 7
}

// close writes the remaining bits and returns the number of bytes.
func (w *bitWriter) close() int {
	w.flush()
	if w.have > 0 {
		w.out[w.n] = byte(w.bits)
		w.n++
	}
	return w.n
}

// mark appends the end mark of a stream that is read backwards.
func (w *bitWriter) mark() int {
	w.add(1, 1)
	return w.close()
}

// highBit returns the index of the highest bit set; v must not be 0.
func highBit(v uint32) uint32 { return uint32(bits.Len32(v)) - 1 }
