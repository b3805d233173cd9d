package pcodec

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/bins"
)

// bitWriter appends bits, the lowest first.
type bitWriter struct {
	dst  []byte
	word uint64 // bits that are not in dst yet
	n    uint   // how many, fewer than 8 between calls
}

// write appends the n lowest bits of v, at most 56; v has no others.
func (w *bitWriter) write(v uint64, n int) {
	w.word |= v << w.n
	w.n += uint(n)

	whole := w.n / 8
	w.dst = binary.LittleEndian.AppendUint64(w.dst, w.word)
	w.dst = w.dst[:len(w.dst)-8+int(whole)]
	w.word >>= whole * 8
	w.n %= 8
}

// write64 appends the n lowest bits of v, at most 64; v has no others.
func (w *bitWriter) write64(v uint64, n int) {
	if n > 32 {
		w.write(v&(1<<32-1), 32)
		v >>= 32
		n -= 32
	}
	w.write(v, n)
}

// align fills a byte.
func (w *bitWriter) align() {
	if w.n > 0 {
		w.write(0, int(8-w.n))
	}
}

// writeStates appends what states of tANS write: bits, and in the upper half how many, at most 14.
// The caller has made room.
func (w *bitWriter) writeStates(states []uint32) {
	p := w.packer()
	p.States(states)
	w.took(&p)
}

// packer returns a writer of what follows in the room that the caller has made.
func (w *bitWriter) packer() bins.Writer {
	return bins.Writer{Dst: w.dst[len(w.dst):cap(w.dst)], Word: w.word, Used: w.n}
}

// took goes on behind what a packer wrote.
func (w *bitWriter) took(p *bins.Writer) {
	w.dst = w.dst[:cap(w.dst)-len(p.Dst)]
	w.word = p.Word
	w.n = p.Used
}
