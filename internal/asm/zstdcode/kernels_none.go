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

// Huffman writes bytes, from the last to the first, and reports whether they fit. codes has the
// length of each byte's code in the lowest byte and the code above.
func (w *Stream) Huffman(src []byte, codes *[256]uint32) bool { return w.huffmanGeneric(src, codes) }
