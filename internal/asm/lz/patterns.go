//go:build !purego && (amd64 || arm64)

package lz

// A pattern fills registers with repetitions of the first bytes of a match whose distance is
// below 16.
type pattern struct {
	shuffle [32]byte // source of each byte
	step    uint64   // how many of the 32 bytes are whole repetitions
}

// patterns is indexed by the distance of the match. Assembly depends on its layout.
var patterns = makePatterns()

func makePatterns() (p [16]pattern) {
	for d := 1; d < len(p); d++ {
		for i := range p[d].shuffle {
			p[d].shuffle[i] = byte(i % d)
		}
		p[d].step = uint64(32 / d * d)
	}
	return p
}
