package zstd

import (
	"encoding/binary"
	"math/bits"
)

// A bitWriter writes bits upwards from the first byte on. Its output needs 8 bytes of room behind
// what is written.
type bitWriter struct {
	out  []byte
	n    int // bytes written
	bits uint64
	have uint32
}

// add appends the n lowest bits of v. At most 56 may be added between two calls of flush.
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

// close writes what is left and returns how many bytes there are.
func (w *bitWriter) close() int {
	w.flush()
	if w.have > 0 {
		w.out[w.n] = byte(w.bits)
		w.n++
	}
	return w.n
}

// mark ends a stream that is read backwards.
func (w *bitWriter) mark() int {
	w.add(1, 1)
	return w.close()
}

// highBit is the number of the highest bit set; v is not 0.
func highBit(v uint32) uint32 { return uint32(bits.Len32(v)) - 1 }
