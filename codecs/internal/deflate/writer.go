package deflate

import "encoding/binary"

// A bitWriter writes bits upwards from the first byte on. Who uses it makes sure beforehand that
// there is room.
type bitWriter struct {
	out  []byte
	n    int // bytes written
	bits uint64
	have uint
}

// add appends the n lowest bits of v, whose other bits are zero. At most 56 may be added between
// two calls of flush.
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

// room is how many bits there is room for.
func (w *bitWriter) room() int { return 8*(len(w.out)-w.n) - int(w.have) }
