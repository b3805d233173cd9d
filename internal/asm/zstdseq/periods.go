//go:build !purego && (amd64 || arm64)

package zstdseq

// periods and steps are for matches at distances below 16. For each distance, periods contains the
// source of each byte of a register of repetitions, and steps the largest multiple of the distance
// that fits into a register.
var (
	periods = makePeriods()
	steps   = [16]uint8{0, 32, 32, 30, 32, 30, 30, 28, 32, 27, 30, 22, 24, 26, 28, 30}
)

func makePeriods() (t [16][32]uint8) {
	for d := 1; d < len(t); d++ {
		for i := range t[d] {
			t[d][i] = uint8(i % d)
		}
	}
	return t
}
