package zstdfind

// Ways are the cheapest known paths to the positions of a block, each given by its last step: the
// total price, and the length and distance of the match that ends there. The slices have equal
// lengths.
type Ways struct{ Price, Length, Distance []uint32 }

// relaxGeneric is the portable [Ways.Relax]. It offers a match of length bytes to position at, one
// of length+1 bytes to at+1, and so on, one for each of costs. A match costs base plus its element
// of costs. All prices must be below 1<<31.
func (w *Ways) relaxGeneric(at int, costs []uint32, base, length, distance uint32) {
	n := len(costs)
	prices := w.Price[at:][:n]
	lengths := w.Length[at:][:n]
	distances := w.Distance[at:][:n]
	for i, p := range costs {
		if p += base; p < prices[i] {
			prices[i] = p
			lengths[i] = length + uint32(i)
			distances[i] = distance
		}
	}
}
