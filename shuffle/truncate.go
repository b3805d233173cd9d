package shuffle

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/truncmask"
)

// truncate zeroes the lowest bits of every item, which has 1, 2, 4 or 8 bytes and more bits than
// that. What is left over behind the last item is copied.
func truncate(dst, src []byte, typeSize, bits int) {
	mask := ^uint64(0) << bits
	for width := 8 * typeSize; width < 64; width *= 2 {
		mask = mask<<width | mask&(1<<width-1)
	}
	items := len(src) - len(src)%typeSize
	i := truncmask.And(dst[:items], src[:items], mask)
	i += andWords(dst[i:items], src[i:items], mask)
	for shift := 0; i < items; shift += 8 {
		dst[i] = src[i] & byte(mask>>shift)
		i++
	}
	copy(dst[items:], src[items:])
}

// andWords sets the words of eight bytes of dst to those of src and the mask, and returns how many
// bytes that is.
func andWords(dst, src []byte, mask uint64) int {
	le := binary.LittleEndian
	done := len(src) &^ 7
	// reslicing spares bounds checks: three times as fast as an index
	for len(src) >= 32 && len(dst) >= 32 {
		a, b := le.Uint64(src[0:8])&mask, le.Uint64(src[8:16])&mask
		c, d := le.Uint64(src[16:24])&mask, le.Uint64(src[24:32])&mask
		le.PutUint64(dst[0:8], a)
		le.PutUint64(dst[8:16], b)
		le.PutUint64(dst[16:24], c)
		le.PutUint64(dst[24:32], d)
		dst, src = dst[32:], src[32:]
	}
	for len(src) >= 8 && len(dst) >= 8 {
		le.PutUint64(dst, le.Uint64(src)&mask)
		dst, src = dst[8:], src[8:]
	}
	return done
}
