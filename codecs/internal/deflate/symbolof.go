package deflate

import "math/bits"

// lengthSymbols is the symbol of each length from 3 on, less the first one.
var lengthSymbols = func() (all [maxMatch - minMatch + 1]uint8) {
	for s, r := range lengthRanges {
		for v := int(r.base); v <= maxMatch; v++ {
			all[v-minMatch] = uint8(s)
		}
	}
	return all
}()

// distanceSymbol is the symbol of a distance less one: above the first four, there are two for each
// number of bits, told apart by the second highest.
func distanceSymbol(back uint32) uint8 {
	if back < 4 {
		return uint8(back)
	}
	high := uint32(bits.Len32(back)) - 1
	return uint8(2*high + back>>(high-1)&1)
}
