//go:build !purego

package adler32

import "github.com/cairn-go/cairn/internal/asm/cpu"

const (
	group = 32
	// most is the maximum number of groups per call of the kernel: its largest sum is 255·8 times
	// the sum of the numbers below most, which fits into 32 bits.
	most = 1024
)

// sums are the results of the kernel, each as eight parts to be added up.
type sums struct {
	bytes    [8]uint32 // of the bytes
	before   [8]uint32 // sum of the values of bytes before each group
	weighted [8]uint32 // bytes, weighted by 32 for the first of a group down to 1 for the last
}

//go:noescape
func sumAVX2(src *byte, groups int, out *sums)

func update(s1, s2 uint32, b []byte) (uint32, uint32, int) {
	if !cpu.AVX2 {
		return s1, s2, 0
	}

	var out sums
	first := uint64(s1)
	second := uint64(s2)
	n := 0

	for len(b)-n >= group {
		groups := min((len(b)-n)/group, most)
		sumAVX2(&b[n], groups, &out)
		second += uint64(groups) * group * first
		for i := range out.bytes {
			second += group*uint64(out.before[i]) + uint64(out.weighted[i])
			first += uint64(out.bytes[i])
		}
		first %= Mod
		second %= Mod
		n += groups * group
	}

	return uint32(first), uint32(second), n
}
