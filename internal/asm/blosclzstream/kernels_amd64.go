//go:build !purego

package blosclzstream

// encodeAVX2 needs limit to be at most len(src)-slack. It stops as Searching or Matched at limit or beyond it, and as Found where the literals
// and the match might not fit into dst.
//
//go:noescape
func encodeAVX2(e *Encoder, table *[1 << TableBits]uint32, dst, src []byte, limit int)

// expandAVX2 needs more than slack bytes from in to the end of src and from out to the end of dst.
//
//go:noescape
func expandAVX2(dst, src []byte, in, out int) (inAfter, outAfter int)

// A pattern turns the first bytes of a match at a distance below 16 into a register full of repetitions.
type pattern struct {
	shuffle [32]byte // where each byte comes from
	step    uint64   // how many of the 32 bytes are whole repetitions
}

// patterns is indexed by the distance. Assembly knows its layout.
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
