package shuffle

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Mantissa bits that IEEE 754 stores.
const (
	mantissaBits32 = 23
	mantissaBits64 = 52
)

// truncPrecCheck accepts the parameters that leave at least one and zero at most all but one mantissa bits
// (format: filters, trunc_prec).
func truncPrecCheck(meta uint8, ctx *Context) error {
	_, err := truncPrecZeroed(meta, ctx)
	return err
}

var errTruncPrecSize = errors.New("items must have 4 or 8 bytes")

func truncPrecZeroed(meta uint8, ctx *Context) (bits int, err error) {
	mantissa := 0
	switch ctx.TypeSize {
	case 4:
		mantissa = mantissaBits32
	case 8:
		mantissa = mantissaBits64
	default:
		return 0, errTruncPrecSize
	}
	keep := int(int8(meta))
	bits = -keep
	if keep >= 0 {
		bits = mantissa - keep
	}
	if bits < 0 || bits >= mantissa {
		return 0, fmt.Errorf("parameter %d does not keep 1 to %d of the mantissa bits", keep, mantissa)
	}
	return bits, nil
}

// truncPrecForward zeroes the low mantissa bits of every item and copies what is left over behind the last one.
func truncPrecForward(dst, src []byte, meta uint8, ctx *Context) error {
	bits, err := truncPrecZeroed(meta, ctx)
	if err != nil {
		return err
	}
	mask := ^uint64(0) << bits
	if ctx.TypeSize == 4 {
		mask = mask<<32 | mask&0xffffffff
	}
	items := len(src) - len(src)%ctx.TypeSize
	i := items &^ 31
	andWords(dst[:i], src[:i], mask)
	for ; i+8 <= items; i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], binary.LittleEndian.Uint64(src[i:])&mask)
	}
	if i < items {
		binary.LittleEndian.PutUint32(dst[i:], binary.LittleEndian.Uint32(src[i:])&uint32(mask))
	}
	copy(dst[items:], src[items:])
	return nil
}

// andWords sets the words of eight bytes of dst to those of src and mask. The lengths are the same multiple of 32.
func andWords(dst, src []byte, mask uint64) {
	le := binary.LittleEndian
	for len(src) >= 32 && len(dst) >= 32 { // reslicing spares bounds checks: three times as fast as an index
		a, b := le.Uint64(src[0:8])&mask, le.Uint64(src[8:16])&mask
		c, d := le.Uint64(src[16:24])&mask, le.Uint64(src[24:32])&mask
		le.PutUint64(dst[0:8], a)
		le.PutUint64(dst[8:16], b)
		le.PutUint64(dst[16:24], c)
		le.PutUint64(dst[24:32], d)
		dst, src = dst[32:], src[32:]
	}
}
