//go:build !purego

package zstdcode

import "github.com/cairn-go/cairn/internal/asm/cpu"

// Name converts matches to sequences and counts their codes. repeat contains the repeated distances
// before and after them.
func Name(to []Sequence, matches []Match, codes *Codes, counts *Counts, repeat *[3]uint32) {
	if !cpu.AVX2 || len(matches) == 0 {
		nameGeneric(to, matches, codes, counts, repeat)
		return
	}
	nameAVX2(to[:len(matches)], &matches[0], codes, counts, repeat)
}

//go:noescape
func nameAVX2(to []Sequence, matches *Match, codes *Codes, counts *Counts, repeat *[3]uint32)

// Write writes sequences, from the last to the first, and reports whether they fit. The states are
// those of the sequence behind the last, and become those of the first.
func (w *Stream) Write(seqs []Sequence, t *Tables, s *States) bool {
	if cpu.AVX2 {
		return writeAVX2(w, seqs, t, s)
	}
	return w.writeGeneric(seqs, t, s)
}

//go:noescape
func writeAVX2(w *Stream, seqs []Sequence, t *Tables, s *States) bool

// Huffman writes bytes, from the last to the first, and reports whether they fit. codes has the
// length of each byte's code in the lowest byte and the code above.
func (w *Stream) Huffman(src []byte, codes *[256]uint32) bool {
	if cpu.AVX2 {
		return huffmanAVX2(w, src, codes)
	}
	return w.huffmanGeneric(src, codes)
}

//go:noescape
func huffmanAVX2(w *Stream, src []byte, codes *[256]uint32) bool
