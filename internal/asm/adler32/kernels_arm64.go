//go:build !purego

package adler32

import "github.com/cairn-go/cairn/internal/asm/cpu"

const (
	group = 64
	// most is the maximum number of groups per call of the kernel: so many bytes fit into 16 bits.
	most = 256
)

// sums are the results of the kernel. All elements of bytes or before are to be added up.
type sums struct {
	bytes   [4]uint32     // of the bytes
	before  [4]uint32     // sum of the values of bytes before each group
	columns [group]uint16 // of the bytes at each place of a group
}

//go:noescape
func sumNEON(src *byte, groups int, out *sums)

func update(s1, s2 uint32, b []byte) (uint32, uint32, int) {
	if !cpu.NEON {
		return s1, s2, 0
	}

	var out sums
	first := uint64(s1)
	second := uint64(s2)
	n := 0

	for len(b)-n >= group {
		groups := min((len(b)-n)/group, most)
		sumNEON(&b[n], groups, &out)
		second += uint64(groups) * group * first
		for i := range out.bytes {
			second += group * uint64(out.before[i])
			first += uint64(out.bytes[i])
		}
		for i, c := range out.columns {
			second += uint64(group-i) * uint64(c)
		}
		first %= Mod
		second %= Mod
		n += groups * group
	}

	return uint32(first), uint32(second), n
}
