package deflate

import "encoding/binary"

// A bitWriter writes bits starting with the lowest bit of the first byte. The caller ensures that
// there is room.
type bitWriter struct {
	out  []byte
	n    int // bytes written
	bits uint64
	have uint
}

// add appends the n lowest bits of v; the other bits must be 0. At most 56 bits may be added
// between calls of flush.
func (w *bitWriter) add(v uint64, n uint) {
	w.bits |= v << (w.have & 63)
	w.have += n
}

// flush writes all whole bytes.
func (w *bitWriter) flush() {
	if w.n+8 <= len(w.out) {
		binary.LittleEndian.PutUint64(w.out[w.n:], w.bits)
		w.n += int(w.have >> 3)
		w.bits >>= w.have &^ 7 & 63
		w.have &= 7
		return
	}

	for ; w.have >= 8; w.have -= 8 {
		w.out[w.n] = byte(w.bits)
		w.n++
		w.bits >>= 8
	}
}

// align fills the current byte with zeros.
func (w *bitWriter) align() {
	w.have = (w.have + 7) &^ 7
	w.flush()
}

// room returns the number of bits that still fit.
func (w *bitWriter) room() int { return 8*(len(w.out)-w.n) - int(w.have) }
