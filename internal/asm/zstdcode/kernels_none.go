//go:build purego || !amd64

package zstdcode

// Name converts matches to sequences and counts their codes. repeat contains the repeated distances
// before and after them.
func Name(to []Sequence, matches []Match, codes *Codes, counts *Counts, repeat *[3]uint32) {
	nameGeneric(to, matches, codes, counts, repeat)
}

// Write writes sequences, from the last to the first, and reports whether they fit. The states are
// those of the sequence behind the last, and become those of the first.
func (w *Stream) Write(seqs []Sequence, t *Tables, s *States) bool { return w.writeGeneric(seqs, t, s) }

// Huffman writes bytes, from the last to the first, and reports whether they fit.
func (w *Stream) Huffman(src []byte, codes *HuffmanCodes) bool { return w.huffmanGeneric(src, codes) }

// gather is the part of Gather far from the end.
func gather(_, _ []byte, _ []Match) (done, n, from int) { return 0, 0, 0 }

// HuffmanTwo is Huffman for two streams.
func HuffmanTwo(a, b *Stream, srcA, srcB []byte, codes *HuffmanCodes) bool {
	return a.Huffman(srcA, codes) && b.Huffman(srcB, codes)
}
