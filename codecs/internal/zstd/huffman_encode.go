package zstd

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn/internal/asm/zstdcode"
	"github.com/cairn-go/cairn/internal/asm/zstdhuff"
)

// A huffmanEncoder builds codes for bytes and encodes them.
type huffmanEncoder struct {
	build   tableBuilder
	weight  fseEncoder
	lengths [256]uint8
	codes   zstdcode.HuffmanCodes
	second  []byte // the second of two streams
	longest int
	last    int // highest byte with a code
	sorted  [256]uint64
	nodes   [512]huffmanNode
}

type huffmanNode struct {
	count  uint32
	parent uint16
	depth  uint8
}

// plan builds codes for bytes with the given counts, at least two of them nonzero, and returns the
// encoded size in bits.
func (h *huffmanEncoder) plan(counts *[256]uint32) int {
	sorted := h.sort(counts)
	h.tree(sorted)
	h.limit(sorted)

	total := 0
	for _, v := range sorted {
		total += int(v>>8) * int(h.lengths[v&0xff])
	}
	h.assign()
	return total
}

// sort returns the bytes that occur, each in the low bits below its count, in ascending order of
// counts. Small counts, which are the most frequent ones, are sorted without comparisons.
func (h *huffmanEncoder) sort(counts *[256]uint32) []uint64 {
	const small = 64

	var starts [small + 1]uint16
	h.last = 0
	for s, c := range counts {
		h.lengths[s] = 0
		if c > 0 {
			h.last = s
			starts[min(c, small)]++
		}
	}

	n := uint16(0)
	for c := 1; c <= small; c++ {
		n, starts[c] = n+starts[c], n
	}

	large := starts[small]
	for s, c := range counts[:h.last+1] {
		if c > 0 {
			start := &starts[min(c, small)]
			h.sorted[*start&255] = uint64(c)<<8 | uint64(s)
			*start++
		}
	}

	slices.Sort(h.sorted[large:n])
	return h.sorted[:n]
}

// costBits returns the size in bits of bytes with the given counts, or impossible.
func (h *huffmanEncoder) costBits(counts *[256]uint32) int {
	total := 0
	for s, c := range counts {
		if c > 0 && h.lengths[s] == 0 {
			return impossible
		}
		total += int(c) * int(h.lengths[s])
	}
	return total
}

// tree repeatedly merges the two rarest nodes: leaves are sorted, and inner nodes are created in
// order.
func (h *huffmanEncoder) tree(sorted []uint64) {
	n := len(sorted)
	for i, v := range sorted {
		h.nodes[i] = huffmanNode{count: uint32(v >> 8)}
	}

	leaf := 0
	node := n
	for made := n; made < 2*n-1; made++ {
		h.nodes[made].count = 0
		for range 2 {
			least := &node
			if leaf < n && (node >= made || h.nodes[leaf].count <= h.nodes[node].count) {
				least = &leaf
			}
			h.nodes[made].count += h.nodes[*least].count
			h.nodes[*least].parent = uint16(made)
			*least++
		}
	}

	h.nodes[2*n-2].depth = 0
	for i := 2*n - 3; i >= 0; i-- {
		h.nodes[i].depth = h.nodes[h.nodes[i].parent].depth + 1
	}
	for i, v := range sorted {
		h.lengths[v&0xff] = h.nodes[i].depth
	}
}

// limit shortens codes that are too long and lengthens others until all fit.
func (h *huffmanEncoder) limit(sorted []uint64) {
	const most = zstdhuff.MaxBits
	used := 0 // of 1<<most codes
	for _, v := range sorted {
		s := v & 0xff
		h.lengths[s] = min(h.lengths[s], most)
		used += 1 << (most - h.lengths[s])
	}
	// Lengthen the rarest of the next to longest codes: it costs least. It is the first one, since
	// rarer bytes have no shorter codes.
	for _, v := range sorted {
		s := v & 0xff
		for used > 1<<most && h.lengths[s] < most {
			used -= 1 << (most - h.lengths[s] - 1)
			h.lengths[s]++
		}
	}
	for i := len(sorted) - 1; i >= 0 && used < 1<<most; i-- {
		s := sorted[i] & 0xff
		for h.lengths[s] > 1 && used+1<<(most-h.lengths[s]) <= 1<<most {
			used += 1 << (most - h.lengths[s])
			h.lengths[s]--
		}
	}

	h.longest = 0
	for _, v := range sorted {
		h.longest = max(h.longest, int(h.lengths[v&0xff]))
	}
}

// assign assigns the codes: the longest first, and by byte within a length.
func (h *huffmanEncoder) assign() {
	var count, next [zstdhuff.MaxBits + 2]uint32
	for _, n := range h.lengths {
		count[n]++
	}

	code := uint32(0)
	for n := h.longest; n > 0; n-- {
		next[n] = code
		code = (code + count[n]) >> 1
	}

	for s, n := range h.lengths {
		h.codes.Set(s, next[n], n) // also for bytes without a code, which are not used
		next[n]++
	}
}

// describe writes the description of the codes and returns its length, or 0 if it has none.
func (h *huffmanEncoder) describe(dst []byte) int {
	var weights [256]uint8
	for s, n := range h.lengths[:h.last] {
		if n > 0 {
			weights[s] = uint8(h.longest) + 1 - n
		}
	}

	n := h.last
	if size := h.compressWeights(dst[1:], weights[:n]); size > 0 && size < 128 && (n > 128 || size < (n+1)/2) {
		dst[0] = byte(size)
		return 1 + size
	}

	if n > 128 {
		return 0
	}

	dst[0] = byte(127 + n)
	for i := 0; i < n; i += 2 {
		dst[1+i/2] = weights[i]<<4 | weights[i+1]
	}
	return 1 + (n+1)/2
}

// compressWeights writes weights with FSE, alternating two states, and returns the size in bytes,
// or 0 if that is not possible.
func (h *huffmanEncoder) compressWeights(dst []byte, weights []uint8) int {
	var counts [maxWeight + 1]uint32
	most := uint32(0)
	highest := 0
	for _, w := range weights {
		counts[w]++
		most = max(most, counts[w])
		highest = max(highest, int(w))
	}

	if len(weights) < 3 || int(most) == len(weights) {
		return 0
	}

	b := &h.build
	b.normalise(counts[:highest+1], len(weights), tableLog(len(weights), highest, maxWeightLog))
	size := b.writeCounts(dst)
	h.weight.make(b)

	w := bitWriter{out: dst[size:]}
	n := len(weights)
	var states [2]uint32
	states[(n-1)&1] = uint32(h.weight.starts[weights[n-1]])
	states[(n-2)&1] = uint32(h.weight.starts[weights[n-2]])

	for i := n - 3; i >= 0; i-- {
		states[i&1] = h.weight.put(&w, states[i&1], weights[i])
		w.flush()
	}

	w.add(uint64(states[1]), uint32(h.weight.log))
	w.add(uint64(states[0]), uint32(h.weight.log))
	return size + w.mark()
}

// stream writes one stream, the last byte first, and returns its length. dst has room for it, since
// its size is known.
func (h *huffmanEncoder) stream(dst, src []byte) int {
	w := zstdcode.Stream{Out: dst}
	w.Huffman(src, &h.codes)
	return w.Mark()
}

// streamPair writes two streams together and returns their lengths.
func (h *huffmanEncoder) streamPair(dst, src1, src2 []byte) (n1, n2 int) {
	if need := len(src2)*zstdhuff.MaxBits/8 + zstdcode.Slack; len(h.second) < need {
		h.second = make([]byte, need)
	}

	w1 := zstdcode.Stream{Out: dst}
	w2 := zstdcode.Stream{Out: h.second}
	zstdcode.HuffmanTwo(&w1, &w2, src1, src2, &h.codes)
	n1 = w1.Mark()
	n2 = w2.Mark()
	return n1, copy(dst[n1:], h.second[:n2])
}

// fewBytes are so few that clearing four tables takes longer than counting in one.
const fewBytes = 1 << 9

// histogram counts bytes in four tables, so that equal neighbours do not depend on each other.
func histogram(counts *[256]uint32, src []byte) (distinct int) {
	if len(src) <= fewBytes {
		clear(counts[:])
		for _, v := range src {
			distinct += int((counts[v] - 1) >> 31)
			counts[v]++
		}
		return distinct
	}

	var c [4][256]uint32
	b := src
	for ; len(b) >= 8; b = b[8:] {
		v := binary.LittleEndian.Uint64(b)
		c[0][byte(v)]++
		c[1][byte(v>>8)]++
		c[2][byte(v>>16)]++
		c[3][byte(v>>24)]++
		c[0][byte(v>>32)]++
		c[1][byte(v>>40)]++
		c[2][byte(v>>48)]++
		c[3][byte(v>>56)]++
	}

	for _, v := range b {
		c[0][v]++
	}

	for s := range counts {
		counts[s] = c[0][s] + c[1][s] + c[2][s] + c[3][s]
		distinct += int(-counts[s] >> 31 & 1)
	}
	return distinct
}

// bitLength returns the number of significant bits of v.
func bitLength(v int) int { return bits.Len(uint(v)) }
