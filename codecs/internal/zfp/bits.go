package zfp

import (
	"encoding/binary"
	"math/bits"
)

// A bitWriter writes bits starting with the lowest bit of the first byte. Its buffer needs 8 bytes
// of slack.
type bitWriter struct {
	out  []byte
	at   int    // bytes written
	word uint64 // bits to be written
	have uint   // number of bits in word, less than 64
}

// put appends n bits, at most 64. The other bits of v must be 0.
func (w *bitWriter) put(v uint64, n uint) {
	w.word |= v << (w.have & 63)
	have := w.have + n
	if have >= wordBits {
		binary.LittleEndian.PutUint64(w.out[w.at:], w.word)
		w.at += wordBits / 8
		// all of v if w.have is 0: then n is 64 and nothing is left
		w.word = v >> (wordBits - w.have)
		have -= wordBits
	}
	w.have = have
}

// zeros appends n zero bits.
func (w *bitWriter) zeros(n int) {
	for ; n > wordBits; n -= wordBits {
		w.put(0, wordBits)
	}
	w.put(0, uint(n))
}

// bits returns the number of bits written.
func (w *bitWriter) bits() int { return 8*w.at + int(w.have) }

// cut truncates the output to n bits.
func (w *bitWriter) cut(n int) {
	word := n / wordBits * (wordBits / 8)
	if word != w.at {
		w.word = binary.LittleEndian.Uint64(w.out[word:])
	}
	w.at = word
	w.have = uint(n) % wordBits
	w.word &= 1<<w.have - 1
}

// close fills the last word with zeros and returns the number of bytes.
func (w *bitWriter) close() int {
	if w.have > 0 {
		binary.LittleEndian.PutUint64(w.out[w.at:], w.word)
		w.at += wordBits / 8
	}
	return w.at
}

// A bitReader reads the output of a bitWriter. Its input extends mostBits beyond the end of the
// stream, so that checking the position after each cell suffices.
type bitReader struct {
	in []byte
	at uint // bits read
}

// peek returns the next bits, at least 57.
func (r *bitReader) peek() uint64 {
	return binary.LittleEndian.Uint64(r.in[r.at>>3:]) >> (r.at & 7)
}

// take returns the next n bits, at most 64.
func (r *bitReader) take(n uint) uint64 {
	if n > 57 {
		low := r.take(32)
		return low | r.take(n-32)<<32
	}
	v := r.peek()
	r.at += n
	return v & (1<<n - 1)
}

// run reads zeros up to and including the next 1, but at most limit bits, and returns the number of
// zeros.
func (r *bitReader) run(limit uint) uint {
	for n := uint(0); ; {
		k := min(uint(bits.TrailingZeros64(r.peek())), 57)
		if n+k >= limit {
			r.at += limit - n
			return limit
		}
		n += k
		r.at += k
		if k < 57 {
			r.at++
			return n
		}
	}
}
