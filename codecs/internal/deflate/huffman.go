package deflate

import "math/bits"

// A code is what is written for a symbol: the bits in the order of writing, and above them their
// number.
type code = uint32

const codeLenShift = 16

func codeBits(c code) uint64 { return uint64(c & 0xffff) }
func codeLen(c code) uint    { return uint(c >> codeLenShift) }

// A codeBuilder builds Huffman codes. It contains only scratch memory.
type codeBuilder struct {
	leaves  [litLenFixed]uint64 // count<<16 | symbol, ascending
	nodes   [litLenFixed]uint32 // weights of inner nodes, then their parents, then their depths
	spare   [litLenFixed]uint64
	perLen  [maxCodeLen + 1]int
	lengths [litLenFixed + distanceFixed]uint8
}

// build builds the optimal code for counts with at most limit bits, and returns the number of
// symbols up to the last used one. At least two symbols get a code, so that codes are always
// complete.
func (b *codeBuilder) build(codes []code, lengths []uint8, counts []uint32, limit int) {
	leaves := b.leaves[:0]
	for s, c := range counts {
		if c != 0 {
			leaves = append(leaves, uint64(c)<<16|uint64(s))
		}
	}

	for s := uint64(0); len(leaves) < 2; s++ {
		if counts[s] == 0 {
			leaves = append(leaves, 1<<16|s)
		}
	}

	b.sort(leaves)
	b.depths(leaves)
	b.limitDepths(limit)

	clear(lengths)
	next := 0
	for l := limit; l > 0; l-- {
		for range b.perLen[l] {
			lengths[leaves[next]&0xffff] = uint8(l)
			next++
		}
	}
	assign(codes, lengths)
}

// sort sorts leaves by count, with a radix sort by bytes from the lowest. They are given by
// ascending symbol.
func (b *codeBuilder) sort(leaves []uint64) {
	if len(leaves) <= 24 {
		for i := 1; i < len(leaves); i++ {
			l := leaves[i]
			k := i
			for ; k > 0 && leaves[k-1] > l; k-- {
				leaves[k] = leaves[k-1]
			}
			leaves[k] = l
		}
		return
	}

	most := uint64(0)
	for _, l := range leaves {
		most |= l
	}

	from := leaves
	to := b.spare[:len(leaves)]
	for shift := 16; most>>shift != 0; shift += 8 {
		var at [256]uint16
		for _, l := range from {
			at[l>>shift&255]++
		}

		sum := uint16(0)
		for i, n := range at {
			at[i] = sum
			sum += n
		}

		for _, l := range from {
			digit := l >> shift & 255
			to[at[digit]] = l
			at[digit]++
		}

		from, to = to, from
	}

	copy(leaves, from)
}

// depths counts the leaves of each depth of the Huffman tree. Leaves are sorted by weight and inner
// nodes are created in that order, so the two lightest nodes are always at the fronts of these two
// queues.
func (b *codeBuilder) depths(leaves []uint64) {
	n := len(leaves)
	var leaf, inner int

	nodes := &b.nodes
	for made := range n - 1 {
		weight := uint32(0)
		for range 2 {
			if inner == made || leaf < n && uint32(leaves[leaf]>>16) <= nodes[inner] {
				weight += uint32(leaves[leaf] >> 16)
				leaf++
			} else {
				weight += nodes[inner]
				nodes[inner] = uint32(made)
				inner++
			}
		}
		nodes[made] = weight
	}

	// Replace parents by depths, from the root down.
	b.perLen = [maxCodeLen + 1]int{}
	nodes[n-2] = 0

	for i := n - 3; i >= 0; i-- {
		nodes[i] = nodes[nodes[i]] + 1
	}
	// Each depth has twice as many nodes as the previous one has inner nodes; the others are
	// leaves.
	available := 2
	depth := uint32(1)
	for at := n - 3; available > 0; depth++ {
		innerHere := 0
		for at >= 0 && nodes[at] == depth {
			innerHere++
			at--
		}
		b.perLen[min(depth, maxCodeLen)] += available - innerHere
		available = 2 * innerHere
	}
}

// limitDepths moves leaves up to limit, and others down to make room for them.
func (b *codeBuilder) limitDepths(limit int) {
	for l := limit + 1; l <= maxCodeLen; l++ {
		b.perLen[limit] += b.perLen[l]
		b.perLen[l] = 0
	}

	used := 0
	for l := 1; l <= limit; l++ {
		used += b.perLen[l] << (limit - l)
	}

	for ; used > 1<<limit; used-- {
		l := limit - 1
		for b.perLen[l] == 0 {
			l--
		}
		b.perLen[l]--
		b.perLen[l+1] += 2
		b.perLen[limit]--
	}
}

// assign computes the codes from their lengths (RFC 1951 §3.2.2).
func assign(codes []code, lengths []uint8) {
	var count, next [maxCodeLen + 1]uint16
	for _, l := range lengths {
		count[l&maxCodeLen]++
	}

	count[0] = 0
	for l := 1; l <= maxCodeLen; l++ {
		next[l] = (next[l-1] + count[l-1]) << 1
	}

	for s, l := range lengths {
		l &= maxCodeLen
		codes[s] = 0
		if l != 0 {
			codes[s] = uint32(bits.Reverse16(next[l])>>(16-l)) | uint32(l)<<codeLenShift
			next[l]++
		}
	}
}
