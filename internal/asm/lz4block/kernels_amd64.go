//go:build !purego

package lz4block

// encodeNearAVX2 needs limit to be at most len(src)-slack. It stops as Searching at the limit, as Matched beyond it, as Found where a
// sequence might not fit into dst.
//
//go:noescape
func encodeNearAVX2(c *Cursor, table *[1 << NearBits]uint16, dst, src []byte, limit, attempt int)

// encodeFarAVX2 is encodeNearAVX2 for the other table. Matches are at most 65535 bytes away.
//
//go:noescape
func encodeFarAVX2(c *Cursor, table *[1 << FarBits]uint32, dst, src []byte, limit, attempt int)

// expandAVX2 needs more than slack bytes from in to the end of src and from out to the end of dst.
//
//go:noescape
func expandAVX2(dst, src []byte, in, out int) (inAfter, outAfter int)

// A pattern turns the first bytes of a match that is shorter than 16 bytes into two registers full of repetitions.
type pattern struct {
	shuffle [32]byte // where each byte comes from
	step    uint64   // how many of the 32 bytes are whole repetitions
}

// patterns is indexed by the distance of the match. Assembly knows its layout.
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
