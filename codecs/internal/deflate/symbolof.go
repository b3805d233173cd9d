package deflate

import "math/bits"

// lengthSymbols maps each length from 3 on to its symbol, minus the first length symbol.
var lengthSymbols = func() (all [maxMatch - minMatch + 1]uint8) {
	for s, r := range lengthRanges {
		for v := int(r.base); v <= maxMatch; v++ {
			all[v-minMatch] = uint8(s)
		}
	}
	return all
}()

// distanceSymbol returns the symbol of a distance minus one. Above the first four, there are two
// symbols for each number of bits, distinguished by the second highest bit.
func distanceSymbol(back uint32) uint8 {
	if back < 4 {
		return uint8(back)
	}
	high := uint32(bits.Len32(back)) - 1
	return uint8(2*high + back>>(high-1)&1)
}
