package shuffle

import (
	"errors"
	"fmt"
)

// Mantissa bits that IEEE 754 stores.
const (
	mantissaBits32 = 23
	mantissaBits64 = 52
)

// truncPrecCheck accepts the parameters that leave at least one and zero at most all but one
// mantissa bits (format: filters, trunc_prec).
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

// truncPrecForward zeroes the low mantissa bits of every item and copies what is left over behind
// the last one.
func truncPrecForward(dst, src []byte, meta uint8, ctx *Context) error {
	bits, err := truncPrecZeroed(meta, ctx)
	if err != nil {
		return err
	}
	truncate(dst, src, ctx.TypeSize, bits)
	return nil
}
