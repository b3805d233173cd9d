//go:build !purego && (amd64 || arm64)

package inflate

// A spreader contains, for each distance below 16, the source of each of 32 bytes, and how many of
// these are whole repetitions.
type spreader struct {
	from  [16][32]uint8
	whole [16]uint8
}

var spread = func() (s spreader) {
	for back := 1; back < 16; back++ {
		for i := range s.from[back] {
			s.from[back][i] = uint8(i % back)
		}
		s.whole[back] = uint8(32 / back * back)
	}
	return s
}()
