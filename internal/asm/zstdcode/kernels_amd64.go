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

// Huffman writes bytes, from the last to the first, and reports whether they fit.
func (w *Stream) Huffman(src []byte, codes *HuffmanCodes) bool {
	if cpu.AVX2 {
		return huffmanAVX2(w, src, codes)
	}
	return w.huffmanGeneric(src, codes)
}

//go:noescape
func huffmanAVX2(w *Stream, src []byte, codes *HuffmanCodes) bool

// gather is the part of Gather far from the end. It returns how many matches it handled, how many
// literals it copied, and where the rest of raw begins.
func gather(to, raw []byte, matches []Match) (done, n, from int) {
	if !cpu.AVX2 || len(matches) == 0 || len(raw) < Slack {
		return 0, 0, 0
	}
	return gatherAVX2(to[:len(raw)+Slack], raw, matches)
}

//go:noescape
func gatherAVX2(to, raw []byte, matches []Match) (done, n, from int)

// HuffmanTwo is Huffman for two streams.
func HuffmanTwo(a, b *Stream, srcA, srcB []byte, codes *HuffmanCodes) bool {
	if rounds := min(len(srcA), len(srcB)) / huffmanRound; cpu.AVX2 && rounds > 0 {
		restA := len(srcA) - rounds*huffmanRound
		restB := len(srcB) - rounds*huffmanRound
		if !huffmanTwoAVX2(a, b, &srcA[restA], &srcB[restB], rounds, codes) {
			return false
		}
		srcA = srcA[:restA]
		srcB = srcB[:restB]
	}
	return a.Huffman(srcA, codes) && b.Huffman(srcB, codes)
}

//go:noescape
func huffmanTwoAVX2(a, b *Stream, srcA, srcB *byte, rounds int, codes *HuffmanCodes) bool
