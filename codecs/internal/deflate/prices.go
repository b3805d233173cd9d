package deflate

import "math/bits"

// priceBits is the number of fractional bits of a price.
const priceBits = 8

// prices are the estimated sizes of symbols with their extra bits.
type prices struct {
	literal  [256]uint16
	length   [maxMatch + 1]uint16
	distance [distanceFixed]uint16
}

// logarithm returns the binary logarithm of c+1 as a price.
func logarithm(c uint32) uint32 {
	c++
	high := uint32(bits.Len32(c)) - 1
	return (high<<logBits + uint32(logarithms[c<<(31-high)>>23&255])) >> (logBits - priceBits)
}

// mostPrice and leastPrice are the lengths of the longest and the shortest code.
const (
	leastPrice = 1 << priceBits
	mostPrice  = 14 << priceBits
)

// price returns the price of a symbol that occurred c times; whole is the logarithm of the number
// of all symbols.
func price(whole, c uint32) uint16 {
	return uint16(min(max(int(whole)-int(logarithm(c)), leastPrice), mostPrice))
}

// set computes the prices from the counts of previous symbols.
func (p *prices) set(h *histogram) {
	litLens := uint32(0)
	distances := uint32(0)

	for _, c := range h.litLen[:litLenSymbols] {
		litLens += c
	}
	for _, c := range h.distance[:distanceSymbols] {
		distances += c
	}

	whole := logarithm(litLens)
	for v := range p.literal {
		p.literal[v] = price(whole, h.litLen[v])
	}

	length := minMatch
	for s, r := range lengthRanges {
		cost := price(whole, h.litLen[firstLength+s]) + uint16(r.extra)<<priceBits
		end := maxMatch
		if s+1 < len(lengthRanges) {
			end = int(lengthRanges[s+1].base) - 1
		}

		for ; length <= end; length++ {
			p.length[length] = cost
		}
	}

	whole = logarithm(distances)
	for s, r := range distanceRanges {
		p.distance[s] = price(whole, h.distance[s]) + uint16(r.extra)<<priceBits
	}
}

// match returns the price of a match.
func (p *prices) match(length, back int) int {
	return int(p.length[length]) + int(p.distance[distanceSymbol(uint32(back-1))&31])
}

// literals returns the price of b as literals.
func (p *prices) literals(b []byte) int {
	n := 0
	for _, v := range b {
		n += int(p.literal[v])
	}
	return n
}

// worth reports whether src[from:to] costs more as literals than a price. Bytes equal to
// the previous one count as free.
func (p *prices) worth(src []byte, from, to, more int) bool {
	for k := from; k < to; k++ {
		if src[k] != src[k-1] {
			more -= int(p.literal[src[k]])
			if more < 0 {
				return true
			}
		}
	}
	return false
}

// guess sets initial prices from the first bytes.
func (p *prices) guess(src []byte) {
	var h histogram

	for _, v := range src[:min(len(src), 4096)] {
		h.litLen[v]++
	}

	n := uint32(min(len(src), 4096))
	for s := firstLength; s < litLenSymbols; s++ {
		h.litLen[s] = n / 32
	}
	h.litLen[litLenSymbols-1] = n / 8
	for s := range h.distance[:distanceSymbols] {
		h.distance[s] = n / 16
	}
	h.distance[0] = n / 2
	p.set(&h)

	for v, c := range p.literal {
		p.literal[v] = min(max(c, 3<<priceBits), 10<<priceBits)
	}
}
