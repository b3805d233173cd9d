// Package marks replaces floats that mark missing values by NaN.
package marks

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The bits of what takes the place of marks.
const (
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000001
)

const groupBytes = 32 // what a kernel takes at once

// Replace makes floats of 4 or 8 bytes little-endian, if they are big-endian, and those that equal
// the mark NaN. Nothing equals a NaN, which as a mark changes no float.
func Replace(b []byte, size int, bigEndian bool, mark float64) {
	if size == 4 && float64(float32(mark)) != mark {
		mark = math.NaN() // no float32 is that number
	}
	if n := len(b) / groupBytes; n > 0 && replaceGroups(&b[0], n, size, bigEndian, mark) {
		b = b[n*groupBytes:]
	}

	if size == 4 {
		replace32(b, bigEndian, float32(mark))
	} else {
		replace64(b, bigEndian, mark)
	}
}

// replace32 is the portable Replace for 4 bytes.
func replace32(b []byte, bigEndian bool, mark float32) {
	for ; len(b) >= 4; b = b[4:] {
		v := binary.LittleEndian.Uint32(b)
		if bigEndian {
			v = bits.ReverseBytes32(v)
			binary.LittleEndian.PutUint32(b, v)
		}
		if math.Float32frombits(v) == mark {
			binary.LittleEndian.PutUint32(b, nan32)
		}
	}
}

// replace64 is the portable Replace for 8 bytes.
func replace64(b []byte, bigEndian bool, mark float64) {
	for ; len(b) >= 8; b = b[8:] {
		v := binary.LittleEndian.Uint64(b)
		if bigEndian {
			v = bits.ReverseBytes64(v)
			binary.LittleEndian.PutUint64(b, v)
		}
		if math.Float64frombits(v) == mark {
			binary.LittleEndian.PutUint64(b, nan64)
		}
	}
}
