package pcodec

import "math/bits"

// Sizes that are estimated are in units of 1/65536 of a bit, so that they are equal on all
// machines.
const (
	Bit         = 1 << bitLog
	bitLog      = 16
	fractionLog = 10
)

// fractions has the logarithms of numbers from 1 to 2.
var fractions = func() (t [1 << fractionLog]uint16) {
	for i := range t {
		// The bits of a logarithm come from squares, of the middle of the interval.
		x := uint64(2*i+1)<<(30-fractionLog) + 1<<31
		if i == 0 {
			x = 1 << 31
		}
		for range bitLog {
			x = x * x >> 31
			t[i] <<= 1
			if x >= 1<<32 {
				x >>= 1
				t[i] |= 1
			}
		}
	}
	return t
}()

// Log2 returns the logarithm of a number that is not 0, to three digits.
func Log2(n uint64) int64 {
	length := bits.Len64(n) - 1
	fraction := n << (63 - length) << 1 >> (64 - fractionLog)
	return int64(length)<<bitLog + int64(fractions[fraction])
}

// Entropy returns the bits of symbols that occur so many times.
func Entropy[N uint16 | uint32](counts []N) int64 {
	total := uint64(0)
	size := int64(0)
	for _, n := range counts {
		if n > 0 {
			total += uint64(n)
			size -= int64(n) * Log2(uint64(n))
		}
	}
	if total == 0 {
		return 0
	}
	return size + int64(total)*Log2(total)
}
